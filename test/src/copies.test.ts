import { expect, it } from 'vitest';
import { copy, joined } from '../../src/copies.js';

it.each([
  ['a copy', (lent: Uint8Array) => copy(lent)],
  ['what is joined', (lent: Uint8Array) => joined([lent])],
])('%s stays what it is when the memory of a Buffer is used again', (_, kept) => {
  const lent = Buffer.from('before');
  const own = kept(lent.subarray(1, 4));
  lent.fill(0);
  expect(Buffer.from(own).toString()).toBe('efo');
});

it('parts are joined in order, empty ones among them', () => {
  const parts = ['ab', '', 'c', 'def'].map((text) => Buffer.from(text));
  expect(Buffer.from(joined(parts)).toString()).toBe('abcdef');
  expect(joined([])).toEqual(new Uint8Array(0));
});
