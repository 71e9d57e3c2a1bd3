/** Words of ASCII text, counted by fours, against the words of a plain split. */
import { expect, it } from 'vitest';
import { READ_UNITS, readAscii, wordsRead } from '../../../src/tokens/ascii-words.js';
import { seeded } from '../../support/random.js';

/** What units.ts says is blank, of ASCII. */
const BLANKS = /[\t-\r ]+/;

it('counts the words that begin, of every ASCII character, and says whether one goes on', () => {
  seeded(300, (rng) => {
    const length = 4 * rng.between(1, READ_UNITS / 4);
    const text = Array.from({ length }, () => (rng.between(0, 3) === 0 ? ' ' : String.fromCharCode(rng.between(0, 127)))).join(
      '',
    );
    expect(readAscii(`é${text}é`, 1, 1 + length)).toBe(true);
    const from = 4 * rng.between(0, length / 4);
    const to = from + 4 * rng.between(0, (length - from) / 4);
    const part = text.slice(from, to);
    const words = part.split(BLANKS).filter((word) => word !== '').length;
    const inWord = part !== '' && !BLANKS.test(part.at(-1)!);
    expect(wordsRead(from, to, 0), JSON.stringify(part)).toBe(words * 2 + Number(inWord));
    const goesOn = part === '' || !BLANKS.test(part[0]!);
    expect(wordsRead(from, to, 1), JSON.stringify(part)).toBe(part === '' ? 1 : (words - Number(goesOn)) * 2 + Number(inWord));
  });
});

it('reads nothing but ASCII', () => {
  for (const odd of ['\u0080', 'é', '漢', '\ud83d', '👍', '\u2028', '\ufeff'])
    expect(readAscii(`aaaa${odd}aaa`, 0, 8)).toBe(false);
  expect(readAscii('a'.repeat(READ_UNITS), 0, READ_UNITS)).toBe(true);
});
