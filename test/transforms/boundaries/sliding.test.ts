/** The `sliding` strategy: the laws, crawl4ai's windows of 100 words by 50, and what becomes of the last window. */
import { describe, expect, it } from 'vitest';
import { asKey } from '../../../src/options.js';
import { words as counter } from '../../../src/tokens/units.js';
import { sliding, slidingOverlap, TAILS, type Tail } from '../../../transforms/boundaries/sliding.js';
import { chunker } from '../../../transforms/chunk.js';
import { conformStrategy } from '../../conformance/strategy.js';
import { documentIn } from '../../conformance/transform.js';
import { drained } from '../../support/whole.js';

conformStrategy(
  'sliding',
  TAILS.map((tail) => ({ strategy: sliding({ unit: 'words', tail }) })),
  { units: ['words'] },
);
conformStrategy(
  'sliding in tokens',
  TAILS.map((tail) => ({ strategy: sliding({ tail }) })),
  { units: ['tokens', 'toy'] },
);

function cut(text: string, size: number, step: number, tail: Tail) {
  const strategy = sliding({ unit: 'words', tail });
  const budget = { strategy, measure: counter, size, overlap: size - step, minSize: 0, maxChars: 65_536, trim: false };
  return drained(chunker(budget)(documentIn('utf-8')), [{ text, start: 0, end: Buffer.byteLength(text), verbatim: true }]);
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`);
const wordsOf = (pieces: ReturnType<typeof cut>) =>
  pieces.flatMap((piece) => ('text' in piece ? [piece.text.trim().split(/\s+/)] : []));

/** As crawl4ai does it: all full windows, and one of the last words when these do not reach the end. */
function windows(all: readonly string[], size: number, step: number): string[][] {
  if (all.length <= size) return [[...all]];
  const found: string[][] = [];
  for (let at = 0; at + size <= all.length; at += step) found.push(all.slice(at, at + size));
  if ((all.length - size) % step !== 0) found.push(all.slice(-size));
  return found;
}

describe('sliding windows', () => {
  it.each([1, 99, 100, 101, 149, 150, 151, 199, 200, 201, 250, 1001])('of 100 by 50 over %d words are crawl4ai’s', (count) => {
    expect(wordsOf(cut(numbered(count).join(' '), 100, 50, 'backfill'))).toEqual(windows(numbered(count), 100, 50));
  });

  it.each([
    [7, 3],
    [10, 10],
    [10, 9],
    [3, 1],
  ])('of %d by %d', (size, step) => {
    for (let count = 1; count < 40; count++)
      expect(wordsOf(cut(numbered(count).join(' \n'), size, step, 'backfill')), `of ${count}`).toEqual(
        windows(numbered(count), size, step),
      );
  });

  it('end in a short one, a full one, or none', () => {
    const text = 'a b c d e f g';
    expect(wordsOf(cut(text, 4, 2, 'keep')).map((each) => each.join(' '))).toEqual(['a b c d', 'c d e f', 'e f g']);
    expect(wordsOf(cut(text, 4, 2, 'backfill')).map((each) => each.join(' '))).toEqual(['a b c d', 'c d e f', 'd e f g']);
    const dropped = cut(text, 4, 2, 'drop');
    expect(wordsOf(dropped).map((each) => each.join(' '))).toEqual(['a b c d', 'c d e f']);
    expect(dropped.at(-1)).toEqual({ gap: 'tail' });
    expect(wordsOf(cut('a b', 4, 2, 'drop'))).toEqual([['a', 'b']]);
  });
});

describe('a step', () => {
  const overlapOf = (given: Record<string, unknown>) => {
    const problems: string[] = [];
    return { overlap: slidingOverlap(given, 100, problems, asKey), problems: problems.join('\n') };
  };

  it('comes to an overlap', () => {
    expect(overlapOf({ step: 30 })).toEqual({ overlap: 70, problems: '' });
    expect(overlapOf({ step: 30, overlap: 70 })).toEqual({ overlap: 70, problems: '' });
    expect(overlapOf({})).toEqual({ overlap: undefined, problems: '' });
  });

  it('must lose no text, nor contradict an overlap', () => {
    expect(overlapOf({ step: 101 }).problems).toMatch(/text would be lost/);
    expect(overlapOf({ step: 30, overlap: 50 }).problems).toMatch(/contradict/);
  });
});
