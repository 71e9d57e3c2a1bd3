/**
 * The ledger once let a thousand forgotten runs stand in its list, each with the escapes of its segment: a JSON string of
 * gigabytes held hundreds of megabytes. What is dropped must be let go of, whatever kind of segment it was (L8).
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Ledger } from '../../src/ledger.js';
import type { Segment } from '../../src/types.js';

const kinds: Readonly<Record<string, (at: number) => Segment>> = {
  verbatim: (start) => ({ text: 'some text', start, end: start + 9, verbatim: true }),
  'with gaps between': (start) => ({ text: 'text', start: start + 1, end: start + 5, verbatim: true }),
  replaced: (start) => ({ text: 'x', start, end: start + 9, verbatim: false }),
  'with escapes': (start) => ({ text: 'a\nb', start, end: start + 4, verbatim: true, escapes: [1, 1, 1, 2] }),
};

/** References to all that the ledger was given and told to drop. */
function dropped(ledger: Ledger, make: (at: number) => Segment): WeakRef<object>[] {
  const references: WeakRef<object>[] = [];
  for (let n = 0; n < 3000; n++) {
    const segment = make(n * 10);
    references.push(new WeakRef(segment.escapes ?? segment));
    ledger.append(segment);
    ledger.settle();
    ledger.drop(segment.text.length);
  }
  return references;
}

it.each(Object.entries(kinds))('a ledger lets go of segments, %s', async (_, make) => {
  const ledger = new Ledger('utf-8');
  const references = dropped(ledger, make);
  await nextTurn();
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  await nextTurn();
  expect(references.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(100);
  expect(ledger.length).toBe(0);
});
