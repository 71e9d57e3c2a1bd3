import { describe, expect, it } from 'vitest';
import { DIGIT, kinds, LOWERED, MARK_BIT, NEWLINE_BIT, OTHER, RAISED, SPACE } from '../../../src/tokens/classes.js';
import { isAddedByUnicode17 } from './bpe-trouble.js';

/** White_Space, as tiktoken has it: with U+0085, which JavaScript's `\s` lacks, and without U+FEFF, which it has. */
const WHITE_SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function expected(point: number): number {
  const character = String.fromCodePoint(point);
  if (point === 10 || point === 13) return SPACE | NEWLINE_BIT;
  if (WHITE_SPACE.test(character)) return SPACE;
  if (isAddedByUnicode17(point)) return OTHER;
  if (/\p{Lu}|\p{Lt}/u.test(character)) return RAISED;
  if (/\p{Ll}/u.test(character)) return LOWERED;
  if (/\p{Lm}|\p{Lo}/u.test(character)) return RAISED | LOWERED;
  if (/\p{M}/u.test(character)) return RAISED | LOWERED | MARK_BIT;
  return /\p{N}/u.test(character) ? DIGIT : OTHER;
}

describe('character kinds', () => {
  // The engine may know a Unicode younger than 17: characters it adds are unassigned in the table, and no fault.
  it('are those of the engine, but for what Unicode 17 added and for U+0085 and U+FEFF', () => {
    const table = kinds();
    const wrong: string[] = [];
    for (let point = 0; point < 0x110000; point++) {
      const kind = table[point];
      if (kind === OTHER && point >= 0x34000 && point < 0xe0000) continue;
      if (kind !== expected(point)) wrong.push(point.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it('are asked for once', () => {
    expect(kinds()).toBe(kinds());
  });
});
