/** The best few: as a sort of all would have them, also where scores are known as ranges only. */
import { describe, expect, it } from 'vitest';
import { type Contender, Leaders } from '../../src/leaders.js';
import { type Rng, seeded } from '../support/random.js';

const byScore = (a: Contender, b: Contender): number => b.least - a.least || a.index - b.index;

/** Scores from few values, so that there are ties. */
function contenders(random: Rng, width: number): Contender[] {
  return Array.from({ length: random.between(0, 400) }, (_, index) => {
    const least = random.between(0, 20);
    return { index, least, most: least + random.between(0, width) };
  });
}

describe('the leaders', () => {
  it('are those of a sort, of equal ones the first', () => {
    seeded(100, (random) => {
      const all = contenders(random, 0);
      const top = random.between(1, 30);
      const leaders = new Leaders<Contender>(top);
      for (const each of all) leaders.offer(each);
      expect(leaders.ranked()).toEqual(all.toSorted(byScore).slice(0, top));
    });
  });

  it('have among them the best, wherever in its range each score turns out to be', () => {
    seeded(100, (random) => {
      const all = contenders(random, 6);
      const top = random.between(1, 30);
      const leaders = new Leaders<Contender>(top);
      for (const each of all) leaders.offer(each);
      const kept = new Set(leaders.ranked().map(({ index }) => index));
      for (let trial = 0; trial < 5; trial++) {
        const settled = all.map(({ index, least, most }) => {
          const score = random.between(least, most);
          return { index, least: score, most: score };
        });
        for (const { index } of settled.sort(byScore).slice(0, top)) expect(kept).toContain(index);
      }
    });
  });

  it('keep no more than there is room for, and tell what they may have missed', () => {
    const leaders = new Leaders<Contender>(2, 3);
    for (let index = 0; index < 100; index++) leaders.offer({ index, least: 0.1, most: 0.2 + index / 1000 });
    expect(leaders.ranked()).toHaveLength(5);
    expect(leaders.missed).toBeCloseTo(0.296);
    const sure = new Leaders<Contender>(2, 3);
    for (let index = 0; index < 100; index++) sure.offer({ index, least: index, most: index });
    expect(sure.ranked()).toHaveLength(2);
    expect(sure.missed).toBe(Number.NEGATIVE_INFINITY);
  });
});
