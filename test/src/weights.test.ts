/** Frequencies and scores by hand, and what is said of terms that the table had no place for. Scores as such: rank.test.ts. */
import { describe, expect, it } from 'vitest';
import { eachHash, TermTable } from '../../src/term-table.js';
import { Frequencies, Scorer } from '../../src/weights.js';
import { type Rng, seeded } from '../support/random.js';

function counted(query: string, texts: readonly string[], mostTerms = Number.POSITIVE_INFINITY): Frequencies {
  const frequencies = new Frequencies(query, mostTerms);
  for (const text of texts) frequencies.add(text);
  return frequencies;
}

const anyTexts = (random: Rng): string[] =>
  Array.from({ length: random.between(1, 30) }, () =>
    Array.from({ length: random.between(0, 20) }, () => `w${random.between(0, 60)}`).join(' '),
  );

/** The terms that the table lacks, counted as a third pass does it. */
function countedStrangers(frequencies: Frequencies, texts: readonly string[]): TermTable {
  const strangers = new TermTable(Number.POSITIVE_INFINITY);
  for (const text of texts) frequencies.collectStrangers(text, strangers);
  texts.forEach((text, n) => {
    eachHash(text, (high, low) => {
      const place = strangers.find(high, low);
      if (place >= 0) strangers.countOnce(place, n + 1);
    });
  });
  return strangers;
}

describe('frequencies', () => {
  it('count documents, the query too, and tell which hold a term of it', () => {
    const frequencies = new Frequencies('mill race', 100);
    expect(frequencies.add('The mill, the MILL')).toBe(true);
    expect(frequencies.add('bread and water')).toBe(false);
    expect(frequencies.add('')).toBe(false);
    expect(frequencies.documents).toBe(4);
    expect(frequencies.idf(2)).toBeCloseTo(Math.log(5 / 3) + 1, 15);
    const [mill, race] = frequencies.asked.map(({ high, low }) => frequencies.table.countAt(frequencies.table.find(high, low)));
    expect([mill, race]).toEqual([2, 1]);
  });

  it('keep a bound of what the table has no place for, never too low', () => {
    seeded(30, (random) => {
      const texts = anyTexts(random);
      const frequencies = counted('w1 w2', texts, 5);
      const documents = new Map<number, Set<number>>();
      texts.forEach((text, n) => {
        eachHash(text, (high, low) => {
          if (frequencies.table.find(high, low) < 0) documents.set(high, (documents.get(high) ?? new Set()).add(n));
        });
      });
      for (const [high, those] of documents) expect(frequencies.boundOf(high)).toBeGreaterThanOrEqual(those.size);
    });
  });
});

describe('scores', () => {
  it('are what the formula says', () => {
    // n = 3; `water` is in all three documents, `mill` in two, `stone` in one.
    const scorer = new Scorer(counted('water mill', ['water mill mill', 'water stone']));
    const [mill, stone] = [Math.log(4 / 3) + 1, Math.log(4 / 2) + 1];
    const query = Math.hypot(1, mill);
    const first = (1 + 2 * mill * mill) / (query * Math.hypot(1, 2 * mill));
    const second = 1 / (query * Math.hypot(1, stone));
    expect(scorer.score('water mill mill').least).toBeCloseTo(first, 11);
    expect(scorer.score('water stone').most).toBeCloseTo(second, 11);
    expect(scorer.score('water mill mill').most).toBeCloseTo(first, 11);
  });

  it('do not depend on the order of words', () => {
    seeded(50, (random) => {
      const texts = anyTexts(random);
      const scorer = new Scorer(counted('w1 w2 w3', texts));
      for (const text of texts) expect(scorer.score(random.shuffle(text.split(' ')).join(' '))).toEqual(scorer.score(text));
    });
  });

  it('lie within what a small table says, and are exact once its strangers are counted', () => {
    let ranges = 0;
    seeded(60, (random) => {
      const texts = anyTexts(random);
      const exact = new Scorer(counted('w1 w2 w9', texts));
      const small = counted('w1 w2 w9', texts, random.between(0, 20));
      const rough = new Scorer(small);
      for (const text of texts) {
        const [score, range] = [exact.score(text).least, rough.score(text)];
        expect(range.least).toBeLessThanOrEqual(score);
        expect(range.most).toBeGreaterThanOrEqual(score);
        if (range.least < range.most) ranges++;
      }
      const settled = new Scorer(small, countedStrangers(small, texts));
      for (const text of texts) expect(settled.score(text)).toEqual(exact.score(text));
    });
    expect(ranges).toBeGreaterThan(50);
  });
});
