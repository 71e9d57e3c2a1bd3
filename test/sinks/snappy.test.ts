import { snappyUncompress } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { STORED_BYTES, snappy } from '../../sinks/snappy.js';
import { type Rng, seeded, troubleText } from '../support/random.js';

/** Undone by hyparquet's reader, which wants the length from elsewhere. */
function undone(compressed: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length);
  snappyUncompress(compressed, output);
  return output;
}

function expectSame(input: Uint8Array): number {
  const compressed = snappy(input);
  expect(compressed.length).toBeLessThanOrEqual(input.length + STORED_BYTES);
  expect(Buffer.from(undone(compressed, input.length)).equals(input)).toBe(true);
  return compressed.length;
}

/** Noise, copies of what came before from near and far, and runs. */
function mixed(rng: Rng, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const size = rng.pick([1, 3, 4, 5, 11, 12, 59, 60, 61, 64, 65, 67, 68, 69, 255, 256, 257, 5000]);
    const end = Math.min(length, at + size);
    const kind = rng.between(0, 2);
    const back = kind === 1 && at > 0 ? rng.between(1, rng.chance(0.3) ? at : Math.min(at, 3000)) : 0;
    const one = rng.between(0, 255);
    for (; at < end; at++) bytes[at] = back > 0 ? bytes[at - back]! : kind === 2 ? one : rng.between(0, 255);
  }
  return bytes;
}

describe('what is compressed', () => {
  it('comes back', () => {
    seeded(60, (rng) => void expectSame(mixed(rng, rng.between(0, rng.pick([20, 2000, 200_000])))));
  });

  it('comes back from a part of larger memory', () => {
    const whole = Uint8Array.from({ length: 300 }, (_, at) => at % 17);
    expectSame(whole.subarray(3, 290));
  });

  it('at every small length, of one byte or of many', () => {
    for (let length = 0; length < 200; length++) {
      expectSame(new Uint8Array(length));
      expectSame(Uint8Array.from({ length }, (_, at) => (at * 97) ^ (at >> 3)));
    }
  });

  it('is small where text repeats, and hardly larger where nothing does', () => {
    seeded(5, (rng) => {
      const noise = Uint8Array.from({ length: 300_000 }, () => rng.between(0, 255));
      expect(expectSame(noise)).toBeLessThanOrEqual(noise.length + STORED_BYTES);
      const text = Buffer.from(troubleText(rng, 500).repeat(100));
      expect(expectSame(text)).toBeLessThan(text.length / 8);
    });
  });

  it('is these bytes, by the format description', () => {
    expect([...snappy(Buffer.from('abcdabcdabcdabcd'))]).toEqual([16, 3 << 2, 97, 98, 99, 100, 2 | (11 << 2), 4, 0]);
    expect([...snappy(Buffer.from('abcdabcd'))]).toEqual([8, 3 << 2, 97, 98, 99, 100, 1, 4]);
    expect([...snappy(new Uint8Array(0))]).toEqual([0]);
  });
});
