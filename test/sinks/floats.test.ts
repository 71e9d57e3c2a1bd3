import { describe, expect, it } from 'vitest';
import { floatText, strangeFloat, writeFloats } from '../../sinks/floats.js';
import { seeded } from '../support/random.js';

const bits = new DataView(new ArrayBuffer(4));
function floatOf(pattern: number): number {
  bits.setUint32(0, pattern);
  return bits.getFloat32(0);
}

/** The fewest digits that read back as the same number, by trying all. */
function fewestDigits(value: number): number {
  for (let digits = 1; ; digits++) if (Math.fround(Number(value.toPrecision(digits))) === value) return digits;
}

const digitsOf = (text: string): number =>
  text.replace(/e.*$/, '').replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '').length;

describe('a number of an embedding', () => {
  it('reads back as the same 32-bit number, from a text that JSON allows and that is no longer than need be', () => {
    seeded(200, (rng) => {
      for (let left = 200; left > 0; left--) {
        const any = floatOf(rng.between(0, 2 ** 32 - 1));
        const value = rng.chance(0.5) ? Math.fround(rng.next() * 2 - 1) : any;
        if (!Number.isFinite(value)) continue;
        const text = floatText(value);
        expect(Math.fround(JSON.parse(text)), text).toBe(value === 0 ? 0 : value);
        // One digit more than the fewest can be had where two decimals lie in the number's range.
        if (value !== 0 && Math.abs(value) > 1e-30) expect(digitsOf(text)).toBeLessThanOrEqual(Math.max(7, fewestDigits(value)));
      }
    });
  });

  it.each([
    [0, '0'],
    [-0, '0'],
    [1, '1'],
    [-1.5, '-1.5'],
    [0.1, '0.1'],
    [100, '100'],
    [123456.7, '123456.7'],
    [0.001, '0.001'],
    [0.0000012, '0.0000012'],
    [1e-9, '1e-9'],
    [16777216, '16777216'],
    [3.4028234663852886e38, '3.4028235e+38'],
    [1.401298464324817e-45, '1e-45'],
    [0.99999994, '0.99999994'],
    [999999.94, '999999.94'],
  ])('%s is %s', (value, text) => {
    expect(floatText(value)).toBe(text);
  });

  it('stands between commas', () => {
    const into = Buffer.alloc(80);
    const end = writeFloats([0.5, -2, 1e-20, 3], into, 4);
    expect(into.toString('latin1', 4, end)).toBe('0.5,-2,1e-20,3');
    expect(writeFloats([], into, 4)).toBe(4);
  });
});

it('a number that is none of 32 bits is found', () => {
  expect(strangeFloat([1, -3.4e38])).toBe(-1);
  for (const strange of [Number.NaN, Number.POSITIVE_INFINITY, 3.5e38, '1', null, undefined])
    expect(strangeFloat([1, strange as number, Number.NaN])).toBe(1);
});
