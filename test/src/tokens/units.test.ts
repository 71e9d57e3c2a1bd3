/**
 * The counters without a vocabulary against counts made in other ways, and their rulers against the counters: on slices of a
 * window that slides, at every place, inside surrogate pairs too.
 */
import { describe, expect, it } from 'vitest';
import { bytes, bytes4, characters, estimate, words } from '../../../src/tokens/units.js';
import type { TokenCounter } from '../../../src/types.js';
import { type Rng, seeded, troubleText } from '../../support/random.js';

const OWN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const BLANK = /[\p{White_Space}\ufeff\u200b]/u;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\uac00-\ud7a3\u3000-\u303f\u30fb-\u30fc\uff01-\uffee]/u;

const ORACLES: readonly [TokenCounter, (text: string) => number][] = [
  [characters, (text) => [...text].length],
  [bytes, (text) => Buffer.byteLength(text)],
  [bytes4, (text) => Math.ceil(Buffer.byteLength(text) / 4)],
  [
    words,
    (text) => {
      const parted = text.replace(new RegExp(OWN, 'gu'), ' x ').split(new RegExp(`${BLANK.source}+`, 'u'));
      return text === '' ? 0 : Math.max(1, parted.filter((word) => word !== '').length);
    },
  ],
  [
    estimate,
    (text) => {
      const wide = [...text].filter((character) => WIDE.test(character)).length;
      return Number((BigInt([...text].length - wide) * 10n + BigInt(wide) * 38n + 37n) / 38n);
    },
  ],
];

describe.each(ORACLES)('$name', (counter, oracle) => {
  it('counts as the oracle does', () => {
    expect(counter.count('')).toBe(0);
    seeded(300, (rng) => {
      const text = troubleText(rng, rng.between(0, 600));
      expect(counter.count(text), JSON.stringify(text)).toBe(oracle(text));
    });
    expect(counter.count('漢a'.repeat(100_000))).toBe(oracle('漢a'.repeat(100_000)));
  });

  it('counts 0 for the empty text only', () => {
    for (const text of [' ', '\n', '\ufeff', '\u200b', '\ud800', '\udc00', '\0', '\u0301']) {
      expect(counter.count(text), JSON.stringify(text)).toBeGreaterThan(0);
    }
  });

  it('measures every slice of a sliding window as it counts it', () => {
    seeded(60, (rng) => {
      const ruler = counter.ruler!();
      slideOver(rng, (window, dropped) => {
        ruler.slide(window, dropped);
        for (let n = 0; n < 12; n++) {
          const [i, j] = range(rng, window.length);
          expect(ruler.size(i, j), `${i}, ${j} of ${JSON.stringify(window)}`).toBe(counter.count(window.slice(i, j)));
        }
      });
    });
  });

  it('reaches as far as the budget goes and no further, whatever else the window holds', () => {
    seeded(20, (rng) => {
      const ruler = counter.ruler!();
      slideOver(rng, (window, dropped) => {
        ruler.slide(window, dropped);
        for (let n = 0; n < 6; n++) {
          const [i, limit] = range(rng, window.length);
          const budget = rng.between(0, rng.pick([2, 40, 400]));
          const text = window.slice(i, limit);
          expect(ruler.reach(i, budget, limit) - i, `reach ${budget} in ${JSON.stringify(text)}`).toBe(
            furthest(counter, text, budget),
          );
          expect(limit - ruler.reachBack(limit, budget, i), `back ${budget} in ${JSON.stringify(text)}`).toBe(
            furthestBack(counter, text, budget),
          );
        }
      });
    });
  });
});

it('measures long ASCII text, and what is not ASCII in it, as it counts them', () => {
  seeded(20, (rng) => {
    const parts = Array.from({ length: 300 }, () =>
      rng.pick(['some words of text\n', 'a\u0001b \v\t', 'x', '  ', 'long'.repeat(50)]),
    );
    for (let n = rng.between(0, 4); n > 0; n--) parts[rng.between(0, 299)] = rng.pick(['漢字', '\ud840', '\u2003', 'é 👍 ']);
    const text = parts.join('');
    const ruler = words.ruler!();
    ruler.slide(text, 0);
    for (let n = 0; n < 30; n++) {
      const [i, j] = range(rng, text.length);
      expect(ruler.size(i, j), `${i}, ${j} of ${JSON.stringify(text)}`).toBe(words.count(text.slice(i, j)));
    }
  });
});

/** A document handed out as a window that grows at its end and loses its front, sometimes in the middle of a pair. */
function slideOver(rng: Rng, visit: (window: string, dropped: number) => void): void {
  const text = rng.pick([
    troubleText(rng, 1500),
    `${'plain text '.repeat(40)}${troubleText(rng, 700)}${'more of it '.repeat(40)}`,
  ]);
  let start = 0;
  let end = 0;
  while (end < text.length) {
    const dropped = rng.chance(0.5) ? 0 : rng.between(0, end - start);
    start += dropped;
    end = Math.min(text.length, end + rng.between(0, 300));
    visit(text.slice(start, end), dropped);
  }
}

function range(rng: Rng, length: number): [i: number, j: number] {
  const i = rng.between(0, length);
  return [i, rng.between(i, length)];
}

function furthest(counter: TokenCounter, text: string, budget: number): number {
  let best = 0;
  for (let end = 1; end <= text.length; end++) {
    const halved =
      /[\ud800-\udbff]$/.test(text.slice(0, end)) && (end === text.length || /^[\udc00-\udfff]/.test(text.slice(end)));
    if (!halved && counter.count(text.slice(0, end)) <= budget) best = end;
  }
  return best;
}

function furthestBack(counter: TokenCounter, text: string, budget: number): number {
  let best = text.length;
  for (let start = text.length - 1; start >= 0; start--) {
    const halved = /^[\udc00-\udfff]/.test(text.slice(start)) && (start === 0 || /[\ud800-\udbff]$/.test(text.slice(0, start)));
    if (!halved && counter.count(text.slice(start)) <= budget) best = start;
  }
  return text.length - best;
}

describe('what a word is', () => {
  it.each([
    ['two words', 2],
    ['  leading, trailing \n', 2],
    ['don’t e.g. 3.14 a_b-c', 4],
    ['漢字', 2],
    ['日本語のテキスト。', 9],
    ['abc漢def', 3],
    ['𠮷野家', 3],
    ['a𠮷b', 3],
    ['한국어 문장', 2],
    ['ภาษา\u200bไทย', 2],
    ['👨\u200d👩\u200d👧 😀😀', 2],
    ['   ', 1],
  ])('%j has %i', (text, count) => {
    expect(words.count(text)).toBe(count);
  });

  it('takes for Han, Hiragana and Katakana what this engine knows as such, and what their blocks have room for', () => {
    const strays: string[] = [];
    for (let point = 0; point < 0x4_0000; point++) {
      // Plane 1 holds a few signs that no running text does: archaic kana, Tangut's iteration mark. They are letters here.
      if (point === 0x1_0000) point = 0x2_0000;
      const character = String.fromCodePoint(point);
      const ours = words.count(`a${character}a`) === 3;
      const theirs = OWN.test(character);
      if (ours !== theirs && (theirs || !/\p{Unassigned}/u.test(character))) strays.push(point.toString(16));
    }
    expect(strays).toEqual([]);
  });
});

describe('estimate', () => {
  it('does not drift', () => {
    expect(estimate.count('a'.repeat(3_800_000))).toBe(1_000_000);
    expect(estimate.count('漢'.repeat(1_000_001))).toBe(1_000_001);
    expect(estimate.count(`${'a'.repeat(38)}漢`)).toBe(11);
  });
});

describe('reach', () => {
  it('takes any number for a budget', () => {
    const ruler = characters.ruler!();
    ruler.slide('abcdef', 0);
    expect(ruler.reach(2, Number.POSITIVE_INFINITY, 6)).toBe(6);
    expect(ruler.reach(2, Number.NaN, 6)).toBe(2);
    expect(ruler.reach(2, -1, 6)).toBe(2);
    expect(ruler.reachBack(4, Number.POSITIVE_INFINITY, 1)).toBe(1);
    expect(ruler.reachBack(4, 1.5, 1)).toBe(3);
  });
});
