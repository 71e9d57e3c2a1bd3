/** The `regex` strategy: several patterns, what becomes of their matches, and the laws. */
import { describe, expect, it } from 'vitest';
import { asFlag } from '../../../src/options.js';
import { characters } from '../../../src/tokens/units.js';
import { type RegexOptions, regex, regexFrom } from '../../../transforms/boundaries/regex.js';
import { SEPARATOR_POSITIONS } from '../../../transforms/boundaries/separators.js';
import { chunker } from '../../../transforms/chunk.js';
import { conformStrategy } from '../../conformance/strategy.js';
import { documentIn } from '../../conformance/transform.js';
import { drained } from '../../support/whole.js';

const PATTERNS: readonly (readonly [readonly RegExp[], RegExp])[] = [
  [[], /\r?\n(?:[^\S\n]*\n)+/gu],
  [[/\n\n+/u, /[.!?]+\s+/u, /;/u], /\n\n+|[.!?]+\s+|;/gu],
  [[/^(#+) (?:a)?/mu], /^#+ (?:a)?/gmu],
  [[/(?<=o)n/u, /b+/u, /\s(?=t)/u], /n|b+|\s/gu],
];

const VARIANTS = SEPARATOR_POSITIONS.flatMap((separatorPosition) =>
  PATTERNS.map(([patterns, dropped]) => ({
    strategy: regex({ patterns, separatorPosition }),
    ...(separatorPosition === 'drop' ? { dropped } : {}),
  })),
);

conformStrategy('regex', VARIANTS, { parts: ['one ', 'two. ', ';', '\n\n', '\n# ', 'abb', '! '], endless: [';', 'a. '] });

function cut(text: string, options: RegexOptions = {}, size = 100): string[] {
  const budget = { measure: characters, size, overlap: 0, minSize: 0, maxChars: 16_384, trim: false, strategy: regex(options) };
  const segments = [{ text, start: 0, end: Buffer.byteLength(text), verbatim: true }];
  return drained(chunker(budget)(documentIn('utf-8')), segments).flatMap((piece) => ('text' in piece ? [piece.text] : []));
}

describe('regex', () => {
  it.each([
    ['blank lines', 'one\n\ntwo\n\n\nthree', {}, ['one', 'two', 'three']],
    ['several patterns', 'a,b;c, d', { patterns: [/;/u, /, ?/u] }, ['a', 'b', 'c', 'd']],
    ['no empty pieces', 'a;;,b;,', { patterns: [/;/u, /,/u] }, ['a', 'b']],
    ['groups that capture', 'a1b2c', { patterns: [/(\d)/u] }, ['a', 'b', 'c']],
    ['separators that stay before', 'a;b', { patterns: [/;/u], separatorPosition: 'end' }, ['a;', 'b']],
    ['separators that go on', 'x# a\n# b', { patterns: [/^# /mu], separatorPosition: 'start' }, ['x# a\n', '# b']],
  ] as const)('%s', (_, text, options, chunks) => expect(cut(text, options)).toEqual(chunks));

  it('gives what splitting every piece by the next pattern gives, without the empty ones', () => {
    const text = 'x One. Two!  Three;\n\nfour. Five; ; six.\n\n\n\nSeven';
    const patterns = [/\n\n/u, /[.!?] */u, /; */u];
    const pieces = patterns.reduce((parts, pattern) => parts.flatMap((part) => part.split(pattern)), [text]);
    expect(cut(text, { patterns })).toEqual(pieces.filter((piece) => piece.trim() !== ''));
  });

  it('cuts a long piece at words', () => {
    expect(cut('one two three;four', { patterns: [/;/u] }, 8)).toEqual(['one two ', 'three', 'four']);
  });

  it.each([
    ['a|', '--patterns /a|/ may match the empty text'],
    ['(?:\\w+\\s?)+:', '--patterns /(?:\\w+\\s?)+:/ may run away'],
    ['*', '--patterns /*/ is no regular expression'],
  ])('refuses %j', (pattern, problem) => {
    const problems: string[] = [];
    regexFrom({ patterns: ['x', pattern] }, problems, asFlag);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});
