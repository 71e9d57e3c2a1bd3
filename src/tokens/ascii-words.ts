/**
 * Words of ASCII text, four characters at a time: a word begins where something follows a blank. units.ts says what a word is, and
 * counts them in all other text; this is the same for the commonest, at a third of the time. A text is read in first and then
 * counted in parts, so that reading costs little.
 *
 * Four bytes in one integer are compared at once: with the high bit of each set, a subtraction borrows it where the byte is
 * smaller than what is subtracted, and from no other byte.
 */

/** Most that can be read in at once, in units. */
export const READ_UNITS = 1024;

const encoder = new TextEncoder();
const bytes = new Uint8Array(READ_UNITS);
const fours = new Int32Array(bytes.buffer);
/** Else the first of four characters is not in the lowest byte, and nothing is ASCII here. */
const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** Reads `[from, to)` in, at most READ_UNITS. False: it is not all ASCII. */
export function readAscii(text: string, from: number, to: number): boolean {
  const { read, written } = encoder.encodeInto(text.slice(from, to), bytes);
  return isLittleEndian && read === to - from && written === read;
}

/**
 * The words that begin in units `[from, to)` of what was read, both multiples of four, times two; and one more if a word goes on
 * at `to`. `inWord` is 1 if one goes on at `from`, else 0.
 */
export function wordsRead(from: number, to: number, inWord: number): number {
  let words = 0;
  let before = inWord << 7;
  for (let at = from >> 2; at < to >> 2; at++) {
    const high = fours[at]! | 0x80808080;
    // Blank are 9 to 13 and 32.
    const control = (high - 0x09090909) & ~(high - 0x0e0e0e0e);
    const space = (high - 0x20202020) & ~(high - 0x21212121);
    const letters = ~(control | space) & 0x80808080;
    words += Math.imul((letters & ~((letters << 8) | before)) >>> 7, 0x01010101) >>> 24;
    before = (letters >>> 31) << 7;
  }
  return words * 2 + (before >> 7);
}
