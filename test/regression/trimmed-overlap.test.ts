/**
 * Found by the laws of chunkers: a trimmed chunk begins after its blanks, but the next one's overlap could begin at that very
 * place, so that two chunks had one start. With trimming and any overlap, starts and ends go forward.
 */
import { expect, it } from 'vitest';
import { chunks } from '../../src/index.js';

it.each([0, 1, 2, 3])('chunks advance with trimming, whatever the blanks before them (%d of them)', async (blanks) => {
  for (const size of [2, 3, 5, 8]) {
    const text = `${' '.repeat(blanks)}문장\\ one  two\n\n${' '.repeat(blanks)}three 漢字 four`;
    let last = { start: -1, end: 0 };
    for await (const { start, end } of chunks(text, {
      unit: 'characters',
      size,
      overlap: size - 1,
      trim: true,
      whitespace: 'keep',
    })) {
      expect([start > last.start, end > last.end], `after ${JSON.stringify(last)}, size ${size}`).toEqual([true, true]);
      last = { start, end };
    }
    expect(last.end).toBe(Buffer.byteLength(text));
  }
});
