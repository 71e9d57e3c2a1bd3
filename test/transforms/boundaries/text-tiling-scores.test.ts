/**
 * The scores of TextTiling against NLTK's, to 1e-9, on the cases of test/golden/text-tiling (its generate.py made them, with NLTK);
 * and the sliding blocks against a comparison that is made anew for each gap.
 */
import { describe, expect, it } from 'vitest';
import { BlockPair, cutoffOf, tilingScores } from '../../../transforms/boundaries/text-tiling-scores.js';
import { seeded } from '../../support/random.js';
import { optionsOf, TILING_CASES } from '../../support/tiling-cases.js';

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  expect(Math.max(0, ...actual.map((each, at) => Math.abs(each - expected[at]!)))).toBeLessThanOrEqual(1e-9);
}

describe('tilingScores', () => {
  it.each(TILING_CASES)('gives what NLTK gives: $name', (each) => {
    const scores = tilingScores(each.text, optionsOf(each));
    expectClose(scores.gaps, each.gaps);
    expectClose(scores.smoothed, each.smoothed);
    expectClose(scores.depths, each.depths);
    expect(scores.boundaries.map(Number)).toEqual(each.boundaries);
  });

  it('covers enough to mean something', () => {
    expect(TILING_CASES.length).toBeGreaterThanOrEqual(6);
    expect(TILING_CASES.filter(({ boundaries }) => boundaries.includes(1)).length).toBeGreaterThanOrEqual(12);
  });

  it.each(['', 'word', 'Two paragraphs.\n\nToo short.', '東京都は日本の首都である。'])(
    'has no boundary, and no error, in %j',
    (text) => {
      const { gaps, depths, boundaries } = tilingScores(text);
      expect([gaps, depths, boundaries]).toEqual([[], [], []]);
    },
  );

  it.each([{ w: 0 }, { k: 0 }, { w: 1.5 }, { smoothingWidth: -1 }, { k: Number.NaN }])('refuses %j', (options) => {
    expect(() => tilingScores('text', options)).toThrow(Object.keys(options)[0]);
  });
});

it('cutoffOf takes the deviation of the whole population', () => {
  expect(cutoffOf([1, 3], 'low')).toBe(1);
  expect(cutoffOf([1, 3], 'high')).toBe(1.5);
});

describe('BlockPair', () => {
  it('compares as if each time anew, and holds the groups of both blocks alone', () => {
    seeded(40, (rng) => {
      const groups = Array.from({ length: rng.between(2, 30) }, () =>
        Array.from({ length: rng.between(0, 8) }, () => String.fromCharCode(97 + rng.between(0, 9))),
      );
      const pair = new BlockPair();
      for (const group of groups) pair.add(group);
      const at = [0, 0, 0] as [number, number, number];
      while (at[2] < groups.length) {
        const to = rng.between(Math.max(1, at[2]), groups.length);
        const middle = rng.between(at[1], to);
        const from = rng.between(at[0], middle);
        at.splice(0, 3, from, middle, Math.max(to, at[2] + 1));
        const expected = cosine(groups.slice(from, middle).flat(), groups.slice(middle, at[2]).flat());
        expect(pair.compare(...at)).toBeCloseTo(expected, 12);
      }
      expect(pair.held).toBe(groups.slice(at[0]).flat().length);
    });
  });
});

function cosine(left: readonly string[], right: readonly string[]): number {
  const count = (words: readonly string[], word: string) => words.filter((each) => each === word).length;
  const words = [...new Set([...left, ...right])];
  const product = (a: readonly string[], b: readonly string[]) =>
    words.reduce((total, word) => total + count(a, word) * count(b, word), 0);
  const squares = product(left, left) * product(right, right);
  return squares === 0 ? 0 : product(left, right) / Math.sqrt(squares);
}
