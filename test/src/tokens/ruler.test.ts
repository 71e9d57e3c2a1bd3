/**
 * The ruler for counters that bring none: exact, frugal, and safe with counters that make no sense. Cost is measured with a
 * counter that keeps account of what it is given, not with a clock.
 */
import { describe, expect, it } from 'vitest';
import { rulerOf } from '../../../src/tokens/ruler.js';
import { characters, estimate, words } from '../../../src/tokens/units.js';
import type { TokenCounter } from '../../../src/types.js';
import { seeded, troubleText } from '../../support/random.js';

/** A counter without a ruler, and what it was asked. */
function recording(count: (text: string) => number): TokenCounter & { asked: string[]; units(): number } {
  const asked: string[] = [];
  return {
    name: 'recording',
    asked,
    units: () => asked.reduce((sum, text) => sum + text.length, 0),
    count: (text) => {
      asked.push(text);
      return text === '' ? 0 : count(text);
    },
  };
}

function longestAsked({ asked }: { asked: string[] }): number {
  return Math.max(...asked.map((text) => text.length));
}

/** Words as a naive user counts them, four-letter tokens, single characters, and something between that has jumps. */
const PROSE_LIKE: Record<string, (text: string) => number> = {
  words: (text) => text.split(/\s+/).length,
  quarters: (text) => Math.ceil(text.length / 4),
  characters: (text) => [...text].length,
  pieces: (text) => text.match(/ ?[a-z]{1,6}|[^a-z]/gi)?.length ?? 1,
};

const SENTENCES = [
  'It was the best of times. ',
  'A streaming chunker measures slices, again and again; so it pays to measure few of them. ',
  'Why not? ',
  'Incomprehensibilities notwithstanding, antidisestablishmentarianism prevailed.\n\n',
  'See https://example.org/a/rather/long/path?with=query&and=more for details. ',
];

describe('rulerOf', () => {
  it('takes the ruler a counter brings', () => {
    const ruler = { slide() {}, size: () => 1, reach: () => 2, reachBack: () => 3 };
    expect(rulerOf({ name: 'own', count: () => 1, ruler: () => ruler })).toBe(ruler);
  });

  it('measures slices as the counter counts them, over slides', () => {
    seeded(40, (rng) => {
      const ruler = rulerOf({ name: 'opaque', count: (text) => words.count(text) });
      const text = troubleText(rng, 800);
      let start = 0;
      for (let end = 0; end < text.length; ) {
        const dropped = rng.between(0, end - start);
        start += dropped;
        end = Math.min(text.length, end + rng.between(0, 200));
        const window = text.slice(start, end);
        ruler.slide(window, dropped);
        for (let n = 0; n < 10; n++) {
          const i = rng.between(0, window.length);
          const j = Math.min(window.length, i + rng.between(0, 3));
          expect(ruler.size(i, j), `${i}, ${j} of ${JSON.stringify(window)}`).toBe(words.count(window.slice(i, j)));
        }
      }
    });
  });

  it('does not ask twice for a slice it has just measured', () => {
    const counter = recording((text) => text.length);
    const ruler = rulerOf(counter);
    ruler.slide('abcdefgh', 0);
    expect([ruler.size(2, 5), ruler.size(4, 8), ruler.size(2, 5), ruler.size(3, 3)]).toEqual([3, 4, 3, 0]);
    ruler.slide('cdefghij', 2);
    expect([ruler.size(0, 3), ruler.size(2, 6)]).toEqual([3, 4]);
    expect(counter.asked).toEqual(['cde', 'efgh']);
  });
});

describe('reach of a counter without a ruler', () => {
  it.each(Object.keys(PROSE_LIKE))('nearly fills the budget with %s, for few counts of little more than the answer', (name) => {
    seeded(40, (rng) => {
      const text = Array.from({ length: 900 }, () => rng.pick(SENTENCES)).join('');
      const counter = recording(PROSE_LIKE[name]!);
      const ruler = rulerOf(counter);
      ruler.slide(text, 0);
      const budget = rng.between(64, 600);
      let reached = 0;
      let spent = 0;
      for (let i = 0; i < 5000; i += 500) {
        const j = ruler.reach(i, budget, text.length);
        const back = ruler.reachBack(text.length - i, budget, 0);
        expect(counter.asked.length).toBeLessThanOrEqual(2 * 7);
        expect(longestAsked(counter)).toBeLessThanOrEqual(4 * Math.max(budget, j - i, text.length - i - back));
        reached += j - i + (text.length - i - back);
        expect(counter.units()).toBeLessThanOrEqual(8 * (j - i + (text.length - i - back)));
        spent += counter.units();
        counter.asked.length = 0;
        for (const size of [ruler.size(i, j), ruler.size(back, text.length - i)]) {
          expect(size).toBeLessThanOrEqual(budget);
          expect(size).toBeGreaterThanOrEqual(0.85 * budget);
        }
        counter.asked.length = 0;
      }
      expect(spent).toBeLessThanOrEqual(6 * reached);
    });
  });

  it('fits, wherever a character fits, and never halves a pair, on trouble', () => {
    seeded(100, (rng) => {
      const text = troubleText(rng, rng.between(1, 2000));
      const ruler = rulerOf({ name: 'opaque', count: (part) => estimate.count(part) });
      ruler.slide(text, 0);
      for (let n = 0; n < 10; n++) {
        const i = rng.between(0, text.length);
        const limit = rng.between(i, text.length);
        const budget = rng.between(0, 50);
        const j = ruler.reach(i, budget, limit);
        const back = ruler.reachBack(limit, budget, i);
        const place = `${i}, ${limit}, budget ${budget} of ${JSON.stringify(text)}`;
        expect(j >= i && j <= limit && back >= i && back <= limit, place).toBe(true);
        for (const [from, to] of [
          [i, j],
          [back, limit],
        ] as const)
          expect(estimate.count(text.slice(from, to)), place).toBeLessThanOrEqual(budget);
        expect(j > i && /[\ud800-\udbff]$/.test(text.slice(i, j)) && /^[\udc00-\udfff]/.test(text.slice(j)), place).toBe(false);
        expect(
          back < limit && /^[\udc00-\udfff]/.test(text.slice(back)) && /[\ud800-\udbff]$/.test(text.slice(0, back)),
          place,
        ).toBe(false);
      }
    });
  });

  it('depends on the text up to the limit only', () => {
    seeded(60, (rng) => {
      const text = troubleText(rng, 1200);
      const i = rng.between(0, text.length);
      const limit = rng.between(i, text.length);
      const budget = rng.between(1, 200);
      const answers = [
        [text, i],
        [text.slice(i), 0],
        [text.slice(i, limit), 0],
      ].map(([window, at]) => {
        const ruler = rulerOf({ name: 'opaque', count: (part) => words.count(part) });
        ruler.slide(window as string, 0);
        const start = at as number;
        const end = start + limit - i;
        return [ruler.reach(start, budget, end) - start, end - ruler.reachBack(end, budget, start)];
      });
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
    });
  });

  const text = 'plain text without end '.repeat(2000);
  const whole = text.length;

  it.each<[string, (text: string) => number, number, (j: number) => boolean]>([
    ['nothing costs anything', () => 0, 10, (j) => j === whole],
    ['everything costs one', () => 1, 10, (j) => j === whole],
    ['everything costs too much', () => 1000, 10, (j) => j === 0],
    ['a character costs more than there is', (part) => part.length * 12, 10, (j) => j === 0],
    ['a character costs all there is', (part) => part.length * 10, 10, (j) => j === 1],
    ['free up to a wall', (part) => (part.length <= 1000 ? 0 : 1e9), 100, (j) => j > 0 && j <= 1000],
    ['a wall at the third character', (part) => (part.length < 3 ? 1 : 1e9), 100, (j) => j === 2],
    ['a fixed cost of most of the budget', (part) => 90 + part.length, 100, (j) => j > 0 && j <= 10],
    ['longer is cheaper', (part) => Math.max(1, 3000 - part.length), 100, (j) => j === 0 || j >= 2900],
    ['the square', (part) => part.length ** 2, 10_000, (j) => j >= 50 && j <= 100],
    ['infinite', () => Number.POSITIVE_INFINITY, 10, (j) => j === 0],
  ])('stands it when %s', (_, count, budget, expected) => {
    const counter = recording(count);
    const ruler = rulerOf(counter);
    ruler.slide(text, 0);
    const j = ruler.reach(0, budget, whole);
    expect(j).toSatisfy(expected);
    expect(whole - ruler.reachBack(whole, budget, 0)).toBe(j);
    expect(counter.asked.length).toBeLessThan(2 * 25);
    expect(longestAsked(counter)).toBeLessThanOrEqual(4 * Math.max(budget, j));
  });

  it('takes any number for a budget', () => {
    const ruler = rulerOf({ name: 'opaque', count: (part) => characters.count(part) });
    ruler.slide('ab😀cd', 0);
    expect([0, -1, Number.NaN, 0.5, 2, 2.5, 3, Number.POSITIVE_INFINITY].map((budget) => ruler.reach(0, budget, 6))).toEqual([
      0, 0, 0, 0, 2, 2, 4, 6,
    ]);
    expect(ruler.reach(2, 1, 6)).toBe(4);
    expect(ruler.reach(2, 1, 3)).toBe(2);
    expect(ruler.reachBack(4, 1, 0)).toBe(2);
    expect(ruler.reachBack(4, 1, 3)).toBe(4);
  });
});
