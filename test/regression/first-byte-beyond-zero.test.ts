/**
 * Found by the laws of chunkers on documents that begin beyond byte 0: the first place looked for in text that is not ASCII was
 * counted from byte 0, so a signature, or being a later record of a file, shifted the ends of chunks. Wherever a document
 * begins, all its offsets move with it.
 */
import { expect, it } from 'vitest';
import { Ledger } from '../../src/ledger.js';

it.each([0, 2, 3, 1000, 2 ** 33])('offsets in wide text count from byte %d, where it begins', (at) => {
  for (const first of ['endOf', 'startOf'] as const) {
    const ledger = new Ledger('utf-8');
    ledger.append({ text: 'aéb', start: at, end: at + 4, verbatim: true });
    ledger.settle();
    expect(ledger[first](2)).toBe(at + 3);
    expect(ledger.startOf(1)).toBe(at + 1);
  }
});
