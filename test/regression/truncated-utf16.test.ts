/**
 * Found by holding the decoder against TextDecoder: a high surrogate with half a unit after it, at the end of the input, was
 * two bad parts. The Encoding standard makes one U+FFFD of whatever is left of one character, and so do we, in both orders.
 */
import { describe, expect, it } from 'vitest';
import { decoder } from '../../src/decode.js';
import { drained } from '../support/whole.js';

describe.each([
  ['utf-16le', [0x61, 0x00, 0x3d, 0xd8, 0x00]],
  ['utf-16be', [0x00, 0x61, 0xd8, 0x3d, 0xde]],
] as const)('%s', (charset, bytes) => {
  it('makes one bad part of a pair that the end cuts off, however it arrives', () => {
    for (let at = 0; at <= bytes.length; at++) {
      const bad: number[][] = [];
      const machine = decoder(charset, 0, (start, end) => bad.push([start, end]));
      const text = drained(machine, [Uint8Array.from(bytes.slice(0, at)), Uint8Array.from(bytes.slice(at))]);
      expect(text.map((segment) => segment.text).join('')).toBe('a\ufffd');
      expect(bad).toEqual([[2, 5]]);
    }
  });
});
