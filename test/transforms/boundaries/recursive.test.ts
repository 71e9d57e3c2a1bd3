/**
 * The `recursive` strategy, held to the laws of chunkers over units, overlaps, white space modes, separators and sizes on
 * random documents; and what it does with text that people write.
 */
import { describe, expect, it } from 'vitest';
import { asKey } from '../../../src/options.js';
import { characters } from '../../../src/tokens/units.js';
import { type RecursiveOptions, recursive, recursiveFrom } from '../../../transforms/boundaries/recursive.js';
import { SEPARATOR_POSITIONS, type Separator } from '../../../transforms/boundaries/separators.js';
import { chunker } from '../../../transforms/chunk.js';
import { conformStrategy } from '../../conformance/strategy.js';
import { documentIn } from '../../conformance/transform.js';
import { drained } from '../../support/whole.js';

/** Separators, and what they may match. */
const SEPARATORS: readonly (readonly [readonly Separator[], RegExp])[] = [
  [['\n\n', '\n', ' '], /\n| /gu],
  [[' '], / /gu],
  [['ab', 'a'], /ab|a/gu],
  [['\u200b', '。'], /\u200b|。/gu],
  [[/\n+/mu, /[.!?]\s/mu], /\n+|[.!?]\s/gmu],
  [[/^#+ /mu], /^#+ /gmu],
  [[/a|ab|\s+/u], /a|ab|\s+/gu],
];

const VARIANTS = [
  { strategy: recursive() },
  ...SEPARATORS.flatMap(([separators, dropped]) =>
    SEPARATOR_POSITIONS.map((separatorPosition) => ({
      strategy: recursive({ separators, separatorPosition }),
      ...(separatorPosition === 'drop' ? { dropped } : {}),
    })),
  ),
];

conformStrategy('recursive', VARIANTS, { parts: ['a ', 'ab', 'One. ', '\n', '\n\n', '# ', '\u200b', '。'] });

/** Chunk texts, in characters, white space as it is. */
function cut(text: string, size: number, options: RecursiveOptions & { overlap?: number; trim?: boolean } = {}): string[] {
  const { overlap = 0, trim = false } = options;
  const budget = { measure: characters, size, overlap, minSize: 0, maxChars: 16_384, trim, strategy: recursive(options) };
  const segments = [{ text, start: 0, end: Buffer.byteLength(text), verbatim: true }];
  return drained(chunker(budget)(documentIn('utf-8')), segments).flatMap((piece) => ('text' in piece ? [piece.text] : []));
}

describe('the default boundaries', () => {
  it.each([
    ['a text that fits is one chunk', 'One. Two.\n\nThree.', 40, ['One. Two.\n\nThree.']],
    ['a paragraph before a line', 'a b\n\nc d\ne f\ng h i', 14, ['a b\n\n', 'c d\ne f\ng h i']],
    ['a line before a sentence', 'One. Two.\nThree. Four.', 16, ['One. Two.\n', 'Three. Four.']],
    ['a sentence before a word', 'One two. Three four.', 15, ['One two. ', 'Three four.']],
    ['an abbreviation ends no sentence', 'See Dr. Smith at noon. Then go on.', 30, ['See Dr. Smith at noon. ', 'Then go on.']],
    ['a word before a letter', 'alpha beta', 8, ['alpha ', 'beta']],
    ['letters when nothing else is left', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['graphemes before code points', 'e\u0301e\u0301e\u0301', 3, ['e\u0301', 'e\u0301', 'e\u0301']],
    ['code points before nothing', 'x\u0301\u0301\u0301\u0301', 2, ['x\u0301', '\u0301\u0301', '\u0301']],
    ['Japanese sentences', '水がない。麦もない。村も。', 11, ['水がない。麦もない。', '村も。']],
    ['no chunk of blanks alone', 'a\n\n\n\n\n\n\n\nb', 3, ['a\n\n', 'b']],
    ['CR LF is not parted', 'abc\r\ndef', 4, ['abc', '\r\ndef'.slice(0, 4), 'f']],
  ])('%s', (_, text, size, chunks) => {
    if (!text.includes('\r')) expect(cut(text, size)).toEqual(chunks);
    else expect(cut(text, size).some((chunk) => chunk.endsWith('\r') || chunk.startsWith('\n'))).toBe(false);
  });

  it('leaves blanks at the edges out when asked to trim', () => {
    expect(cut('  one two  \n\n  three  ', 10, { trim: true })).toEqual(['one two', 'three']);
  });

  it('repeats whole words for overlap', () => {
    expect(cut('one two three four five', 12, { overlap: 6 })).toEqual(['one two ', 'two three ', 'three four ', 'four five']);
  });
});

describe('separators', () => {
  it.each([
    ['end', ['a;b;', 'c;d;', 'e']],
    ['start', ['a;b', ';c;d', ';e']],
    ['drop', ['a;b', 'c;d', 'e']],
  ] as const)('go to the %s', (separatorPosition, chunks) => {
    expect(cut('a;b;c;d;e', 4, { separators: [';'], separatorPosition })).toEqual(chunks);
  });

  it('are tried coarse to fine', () => {
    expect(cut('a-b|c-d|e-f', 6, { separators: ['|', '-'] })).toEqual(['a-b|', 'c-d|', 'e-f']);
    expect(cut('aaa-bbb-ccc|d', 8, { separators: ['|', '-'] })).toEqual(['aaa-bbb-', 'ccc|d']);
  });

  it('may be regular expressions', () => {
    expect(cut('one1two22three', 6, { separators: [/\d+/u] })).toEqual(['one1', 'two22', 'three']);
  });

  it('take a dot literally when they are strings', () => {
    expect(cut('abc.def', 5, { separators: ['.'] })).toEqual(['abc.', 'def']);
  });
});

describe('the options of recursive', () => {
  const made = (given: Record<string, unknown>) => {
    const problems: string[] = [];
    return { strategy: recursiveFrom(given, problems, asKey), problems };
  };

  it('understand escapes in strings', () => {
    const { strategy, problems } = made({ separators: ['\\n\\n', '\\t', '\\u3002', '\\\\n'] });
    expect(problems).toEqual([]);
    expect(strategy.levels.map((level) => level.name)).toEqual(['"\\n\\n"', '"\\t"', '"。"', '"\\\\n"']);
  });

  it.each([
    [{ separators: [''] }, /must not be empty/],
    [{ separators: ['a*'], separatorsRegex: true }, /may match the empty text/],
    [{ separators: ['('], separatorsRegex: true }, /is no regular expression/],
    [{ separators: ['(\\s+)+x'], separatorsRegex: true }, /may run away/],
    [{ separatorsRegex: true }, /separatorsRegex needs separators/],
    [{ separatorPosition: 'drop' }, /separatorPosition needs separators/],
    [{ language: 'python', separators: ['x'] }, /language has separators of its own/],
  ])('refuse %j', (given, problem) => {
    expect(made(given).problems.join('\n')).toMatch(problem);
  });
});
