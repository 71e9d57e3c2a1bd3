/** The table of terms against a Map, at its limit, and its hashes against each other. */
import { describe, expect, it } from 'vitest';
import { eachHash, TermTable } from '../../src/term-table.js';
import { seeded } from '../support/random.js';

function hashesOf(text: string): [high: number, low: number][] {
  const hashes: [number, number][] = [];
  eachHash(text, (high, low) => hashes.push([high, low]));
  return hashes;
}

describe('the term table', () => {
  it('counts as a Map does, while it grows', () => {
    seeded(20, (random) => {
      const table = new TermTable(Number.POSITIVE_INFINITY);
      const expected = new Map<string, number>();
      const hashes = new Map<string, [number, number]>();
      for (let mark = 1; mark <= 200; mark++) {
        const inThis = new Set<string>();
        for (let n = random.between(0, 30); n > 0; n--) {
          // Few different halves, so that places are contested.
          const hash: [number, number] = [random.between(0, 40), random.between(1, 40) * 64];
          table.countOnce(table.add(...hash), mark);
          hashes.set(hash.join(), hash);
          inThis.add(hash.join());
        }
        for (const key of inThis) expected.set(key, (expected.get(key) ?? 0) + 1);
      }
      expect(table.size).toBe(expected.size);
      for (const [key, hash] of hashes) expect(table.countAt(table.find(...hash))).toBe(expected.get(key));
      expect(table.find(41, 64)).toBe(-1);
      expect(table.size * 4).toBeLessThanOrEqual(table.places * 3);
    });
  });

  it('takes no new terms when it has all it may, but knows the old ones', () => {
    const table = new TermTable(100);
    for (let n = 1; n <= 100; n++) expect(table.add(n, n)).toBeGreaterThanOrEqual(0);
    expect(table.add(101, 101)).toBe(-1);
    expect(table.find(101, 101)).toBe(-1);
    expect(table.add(7, 7)).toBe(table.find(7, 7));
    expect(table.size).toBe(100);
  });

  it('has marks that can be set and cleared, beside the counts', () => {
    const table = new TermTable(10);
    const place = table.add(1, 2);
    table.countOnce(place, 5);
    table.countOnce(place, 5);
    table.countOnce(place, 6);
    expect([table.countAt(place), table.markAt(place)]).toEqual([2, 6]);
    table.setMark(place, 9);
    expect(table.markAt(place)).toBe(9);
    table.clearMarks();
    expect([table.countAt(place), table.markAt(place)]).toEqual([2, 0]);
  });
});

describe('hashes', () => {
  it('are the same for the same term, wherever it stands', () => {
    expect(hashesOf('Water, mill')).toEqual([...hashesOf('the water').slice(1), ...hashesOf('MILL')]);
  });

  it('differ for different terms, in each half about as often as chance has it', () => {
    const [highs, lows] = [new Set<number>(), new Set<number>()];
    const count = 60_000;
    for (let n = 0; n < count; n++) {
      for (const [high, low] of hashesOf(n % 3 === 0 ? `w${n}` : n % 3 === 1 ? `${n}_x` : `я${n.toString(36)}ж`)) {
        highs.add(high);
        lows.add(low);
      }
    }
    expect(lows).not.toContain(0);
    // 60,000 in 2^32: half a pair is to be expected.
    expect(highs.size).toBeGreaterThan(count - 8);
    expect(lows.size).toBeGreaterThan(count - 8);
  });
});
