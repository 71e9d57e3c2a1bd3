/**
 * Found by decoding all bytes in all charsets: iso-8859-16 was in the list that messages offer, but Node's TextDecoder lacks it,
 * so choosing it crashed. What is offered can be used.
 */
import { expect, it } from 'vitest';
import { CHARSETS, charsetOf, decoder } from '../../src/decode.js';
import { drained } from '../support/whole.js';

it.each(CHARSETS)('%s, which is offered, is understood and decodes', (charset) => {
  expect(charsetOf(charset)).toBe(charset);
  expect(() =>
    drained(
      decoder(charset, 0, () => {}),
      [Uint8Array.of(0x61, 0x00)],
    ),
  ).not.toThrow();
});
