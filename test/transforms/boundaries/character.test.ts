/** The `character` strategy: where it cuts, what it makes of pieces over the size, and the laws. */
import { describe, expect, it } from 'vitest';
import { asFlag } from '../../../src/options.js';
import { characters } from '../../../src/tokens/units.js';
import { type CharacterOptions, character, characterFrom } from '../../../transforms/boundaries/character.js';
import { SEPARATOR_POSITIONS } from '../../../transforms/boundaries/separators.js';
import { chunker } from '../../../transforms/chunk.js';
import { conformStrategy } from '../../conformance/strategy.js';
import { documentIn } from '../../conformance/transform.js';
import { drained } from '../../support/whole.js';

const DROPPED = /\r?\n(?:[^\S\n]*\n)+|;+|[a-c]\d|\u3002/gu;

const VARIANTS = SEPARATOR_POSITIONS.flatMap((separatorPosition) =>
  [undefined, ';', '\u3002', /[a-c]\d/u].flatMap((separator) =>
    [false, true].map((merge) => ({
      strategy: character({ separatorPosition, merge, ...(separator === undefined ? {} : { separator }) }),
      ...(separatorPosition === 'drop' ? { dropped: DROPPED } : {}),
    })),
  ),
);

conformStrategy('character', VARIANTS, { parts: ['one ', 'two', ';', '\n\n', '\n \n', 'a1', '\u3002'], endless: [';'] });

/** Chunk texts, in characters. */
function cut(text: string, size: number, options: CharacterOptions & { overlap?: number } = {}): string[] {
  const { overlap = 0 } = options;
  const budget = { measure: characters, size, overlap, minSize: 0, maxChars: 16_384, trim: false, strategy: character(options) };
  const segments = [{ text, start: 0, end: Buffer.byteLength(text), verbatim: true }];
  return drained(chunker(budget)(documentIn('utf-8')), segments).flatMap((piece) => ('text' in piece ? [piece.text] : []));
}

describe('character', () => {
  it.each([
    ['blank lines', 'one\n\ntwo\n \n\nthree', {}, ['one\n\n', 'two\n \n\n', 'three']],
    ['a separator', 'one two three four', { separator: ' ' }, ['one ', 'two ', 'three ', 'four']],
    ['a separator at the start', 'a-b-c', { separator: '-', separatorPosition: 'start' }, ['a', '-b', '-c']],
    ['a separator that is dropped', 'a--b-c', { separator: '-', separatorPosition: 'drop' }, ['a', 'b', 'c']],
    ['a pattern', 'a1b22c', { separator: /\d+/u }, ['a1', 'b22', 'c']],
    ['neighbours merged', 'one two three four', { separator: ' ', merge: true }, ['one two ', 'three ', 'four']],
    ['a piece just as large as the size', 'abcdefgh;x', { separator: ';', separatorPosition: 'drop' }, ['abcdefgh', 'x']],
  ] as const)('parts at %s', (_, text, options, chunks) => expect(cut(text, 8, options)).toEqual(chunks));

  it('cuts longer pieces between characters, and repeats some only there', () => {
    const options = { separator: ';', overlap: 2 };
    expect(cut('ab;abcdefgh;cd', 5, options)).toEqual(['ab;', 'abcde', 'defgh', 'gh;', 'cd']);
    expect(cut('e\u0301e\u0301e\u0301', 3, { separator: ';' })).toEqual(['e\u0301', 'e\u0301', 'e\u0301']);
  });
});

describe('the options of character', () => {
  it.each([
    [{ separator: '' }, '--separator must not be empty'],
    [{ separatorRegex: true }, '--separator-regex needs --separator'],
    [{ separator: '[', separatorRegex: true }, '--separator /[/ is no regular expression'],
    [{ separator: 'x?', separatorRegex: true }, '--separator /x?/ may match the empty text'],
    [{ separator: '(x+)+y', separatorRegex: true }, '--separator /(x+)+y/ may run away'],
  ])('refuse %j', (given, problem) => {
    const problems: string[] = [];
    characterFrom(given, problems, asFlag);
    expect(problems.join()).toContain(problem);
  });

  it('are passed on', () => {
    const problems: string[] = [];
    const given = { separator: '\\n', separatorPosition: 'drop', merge: true };
    const { packing, levels } = characterFrom(given, problems, asFlag);
    expect([packing, levels.map(({ name }) => name), problems]).toEqual(['fill', ['"\\n"'], []]);
    expect(levels[0]!.last('a\nb', 0, 3, { first: () => undefined, last: () => undefined })).toEqual({ end: 1, next: 2 });
  });
});
