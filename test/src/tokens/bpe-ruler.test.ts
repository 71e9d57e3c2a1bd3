import { describe, expect, it } from 'vitest';
import { type BpeEncoding, loadBpe } from '../../../src/tokens/bpe.js';
import { BpeCounter } from '../../../src/tokens/bpe-counter.js';
import { scannerOf } from '../../../src/tokens/pieces.js';
import { loadRanks } from '../../../src/tokens/ranks.js';
import type { Ruler, TokenCounter } from '../../../src/types.js';
import { type Dice, dice, SEED, trouble } from './bpe-trouble.js';

const ENCODINGS: readonly BpeEncoding[] = ['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base'];

/** Texts on which pieces depend on what is far away: one class only, or runs that shift when cut. */
const SHIFTY = [
  ['0', '1', '23', '456'],
  [' ', '\n', '\t', '\u3000'],
  ['a', 'B', '中', '\u0301', "'s"],
  ['A', 'B', '中', 'ab'],
];

function text(roll: Dice): string {
  if (roll(3) > 0) return Array.from({ length: 20 }, () => trouble(roll)).join('');
  const parts = SHIFTY[roll(SHIFTY.length)]!;
  return Array.from({ length: 400 }, () => parts[roll(parts.length)]).join('');
}

/** Endless pieces: of one class, of several that may stay one piece or fall into many, and such as change by what comes after them. */
const ENDLESS: readonly ((roll: Dice) => string)[] = [
  (roll) => String.fromCharCode(97 + roll(26)),
  (roll) => String.fromCharCode(65 + roll(26)),
  (roll) => String.fromCharCode((roll(2) === 0 ? 65 : 97) + roll(26)),
  (roll) => String.fromCharCode(0x4e00 + roll(3000)),
  (roll) => String.fromCodePoint(0x20000 + roll(1000)),
  (roll) => ['A', 'B', '中'][roll(3)]!,
  (roll) => String.fromCharCode(48 + roll(10)),
  (roll) => ['=', '-', '/'][roll(3)]!,
  (roll) => [' ', '\t', '\u3000'][roll(3)]!,
  (roll) => (roll(99) === 0 ? '\n' : ' '),
  () => 'A',
  () => ' ',
  () => 'a',
  () => '😀',
  () => '\u0301',
];

const JOINTS = ['', '', ' ', '\n', '\n ', 'a', 'A', '中', "'ll", "'s", "'l", "'ſ", '.', '/', '9'];

/** So long that a few bytes more or less make a difference to the ruler. */
const CRITICAL = [1024, 2048, 4096, 8192];

function endless(roll: Dice): string {
  const kind = ENDLESS[roll(ENDLESS.length)]!;
  const end = CRITICAL[roll(CRITICAL.length)]! - 6 + roll(13);
  const isByBytes = roll(2) === 0;
  const parts: string[] = [JOINTS[roll(JOINTS.length)]!];
  for (let length = 0; length < end; ) {
    const part = kind(roll);
    parts.push(part);
    length += isByBytes ? Buffer.byteLength(part) : part.length;
  }
  return `${parts.join('')}${JOINTS[roll(JOINTS.length)]}`;
}

function splits(window: string, i: number): boolean {
  const [high, low] = [window.charCodeAt(i - 1), window.charCodeAt(i)];
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;
}

/** A window that slides over `whole` by random steps; `visit` is called at each. */
function slide(whole: string, roll: Dice, ruler: Ruler, visit: (window: string) => void): void {
  let [start, end] = [0, 0];
  for (let step = 0; step < 10; step++) {
    const dropped = roll(Math.min(end - start, 200) + 1);
    start += dropped;
    end = Math.min(whole.length, Math.max(start, end) + roll(300));
    const window = whole.slice(start, end);
    ruler.slide(window, dropped);
    visit(window);
  }
}

/** A ruler that knows the slice `[i, j)` only. */
function alone(counter: TokenCounter, window: string, i: number, j: number): Ruler {
  const ruler = counter.ruler!();
  ruler.slide(window.slice(i, j), 0);
  return ruler;
}

describe.each(ENCODINGS)('%s ruler', (encoding) => {
  it('gives every slice the size of a fresh count', async () => {
    const counter = await loadBpe(encoding);
    const roll = dice(SEED);
    for (let k = 0; k < 60; k++) {
      const ruler = counter.ruler!();
      slide(text(roll), roll, ruler, (window) => {
        for (let question = 0; question < 15; question++) {
          const i = roll(window.length + 1);
          const j = Math.min(window.length, i + roll(question % 2 === 0 ? 20 : 400));
          const size = ruler.size(i, j);
          if (size !== counter.count(window.slice(i, j))) {
            expect.fail(`seed ${SEED}, text ${k}: size(${i}, ${j}) is ${size} in ${JSON.stringify(window)}`);
          }
        }
      });
    }
  });

  it('reaches as if the window held the slice and nothing were asked before', async () => {
    const counter = await loadBpe(encoding);
    const roll = dice(SEED + 1);
    for (let k = 0; k < 40; k++) {
      const ruler = counter.ruler!();
      slide(text(roll), roll, ruler, (window) => {
        for (let question = 0; question < 10; question++) {
          let i = roll(window.length + 1);
          let j = Math.min(window.length, i + roll(400));
          // Ends inside a pair are for the next test: there the slice by itself is another text.
          if (splits(window, i)) i--;
          if (splits(window, j)) j--;
          const budget = 1 + roll(roll(2) === 0 ? 20 : 200);
          const forth = ruler.reach(i, budget, j);
          const back = ruler.reachBack(j, budget, i);
          const told = `seed ${SEED + 1}, text ${k}: ${i}, ${j}, budget ${budget} in ${JSON.stringify(window)}`;
          expect(forth, told).toBe(i + alone(counter, window, i, j).reach(0, budget, j - i));
          expect(back, told).toBe(i + alone(counter, window, i, j).reachBack(j - i, budget, 0));
          if (i < j) expect(splits(window, forth) || splits(window, back), told).toBe(false);
        }
      });
    }
  });

  it('answers alike, whatever was asked before, about pieces too big for the track', async () => {
    const counter = await loadBpe(encoding);
    const roll = dice(SEED + 4);
    for (let k = 0; k < 4; k++) {
      const run = (): string => ['a', ' ', '中', 'ab', '='][roll(5)]!.repeat(9000 + roll(5000));
      const window = trouble(roll) + run() + trouble(roll) + (roll(2) === 0 ? run() : '');
      const ruler = alone(counter, window, 0, window.length);
      for (let question = 0; question < 12; question++) {
        let i = roll(window.length + 1);
        let j = Math.min(window.length, i + roll(roll(2) === 0 ? 300 : window.length));
        if (splits(window, i)) i--;
        if (splits(window, j)) j--;
        const budget = 1 + roll(roll(2) === 0 ? 500 : 5000);
        const told = `seed ${SEED + 4}, text ${k}: ${i}, ${j}, budget ${budget}`;
        expect(ruler.size(i, j), told).toBe(counter.count(window.slice(i, j)));
        expect(ruler.reach(i, budget, j), told).toBe(i + alone(counter, window, i, j).reach(0, budget, j - i));
        expect(ruler.reachBack(j, budget, i), told).toBe(i + alone(counter, window, i, j).reachBack(j - i, budget, 0));
      }
    }
  });

  it('tells the same of endless pieces, below and above any length, wherever the window or the limit cuts them', async () => {
    const counter = await loadBpe(encoding);
    const roll = dice(SEED + 5);
    for (let k = 0; k < 12; k++) {
      const whole = Array.from({ length: 2 + roll(4) }, () => endless(roll)).join('');
      const ruler = counter.ruler!();
      let [start, end, window] = [0, 0, ''];
      for (let step = 0; step < 4; step++) {
        const dropped = roll(Math.min(window.length, 5000) + 1);
        start += dropped;
        end = Math.min(whole.length, end + roll(roll(3) === 0 ? 300 : 20_000));
        ruler.slide((window = whole.slice(start, end)), dropped);
        let at = roll(window.length + 1);
        for (let question = 0; question < 6; question++) {
          let [i, j] = [at, Math.min(window.length, at + [300, 16_384, CRITICAL[roll(4)]! - 4 + roll(9)][roll(3)]!)];
          if (roll(3) === 0) j = Math.min(window.length, i + 4096 + roll(5000));
          if (splits(window, i)) i--;
          if (splits(window, j)) j--;
          const budget = 1 + roll([30, 600, 600, 2000][roll(4)]!);
          const told = `seed ${SEED + 5}, text ${k}, step ${step}: ${i}, ${j}, budget ${budget}`;
          const forth = ruler.reach(i, budget, j);
          expect(forth, told).toBe(i + alone(counter, window, i, j).reach(0, budget, j - i));
          expect(ruler.size(i, forth), told).toBe(counter.count(window.slice(i, forth)));
          const back = ruler.reachBack(j, budget, i);
          expect(back, told).toBe(i + alone(counter, window, i, j).reachBack(j - i, budget, 0));
          expect(ruler.size(back, j), told).toBe(counter.count(window.slice(back, j)));
          if (question % 3 === 0) expect(ruler.size(i, j), told).toBe(counter.count(window.slice(i, j)));
          // Often the same place again, with another limit and budget.
          at = [roll(window.length + 1), forth, i, i][roll(4)]!;
        }
      }
    }
  });

  it('does not let a nearer limit be answered by what a farther one has shown', async () => {
    const counter = await loadBpe(encoding);
    for (const run of ['=', '-', ' ', '\t', 'a', '_', '*', '中']) {
      const window = run.repeat(40_000);
      const ruler = alone(counter, window, 0, window.length);
      for (const limit of [4200, 5000, 6500]) {
        for (const budget of [40, 60, 100, 150, 250]) {
          ruler.reach(3, 40, 39_000);
          ruler.reach(9, 900, 39_000);
          const told = `${run}: ${limit}, budget ${budget}`;
          expect(ruler.reach(9, budget, limit), told).toBe(9 + alone(counter, window, 9, limit).reach(0, budget, limit - 9));
        }
      }
    }
  });

  // What `#probe` rests on.
  it('cuts where a text that is cut later cuts: never much before, and just there if the next piece ends before the cut', () => {
    const scan = scannerOf(encoding);
    const roll = dice(SEED + 6);
    let same = 0;
    for (let k = 0; k < 20_000; k++) {
      const parts = roll(2) === 0 ? [roll, roll].map((r) => ENDLESS[r(ENDLESS.length)]!(roll)) : SHIFTY[roll(SHIFTY.length)]!;
      const run = (): string => Array.from({ length: roll(30) }, () => parts[roll(parts.length)]).join('');
      const joint = (): string => JOINTS[roll(JOINTS.length)]!;
      const head = `${joint()}${run()}${joint()}${run()}`;
      if (head === '') continue;
      const to = Buffer.byteLength(head);
      const bytes = new Uint8Array(Buffer.from(`${head}${run()}${joint()}${run()}`));
      const cut = scan(bytes, 0, to);
      const whole = scan(bytes, 0, bytes.length);
      const told = `seed ${SEED + 6}: ${to} bytes of ${JSON.stringify(new TextDecoder().decode(bytes))}`;
      expect(whole, told).toBeGreaterThanOrEqual(cut - 3);
      // Contractions look two bytes ahead.
      if (cut > to - 3 || scan(bytes, cut, to) === to) continue;
      same++;
      expect(whole, told).toBe(cut);
    }
    expect(same).toBeGreaterThan(1000);
  });

  it('stays within [i, limit] and out of surrogate pairs, wherever it is asked', async () => {
    const counter = await loadBpe(encoding);
    const roll = dice(SEED + 2);
    for (let k = 0; k < 20; k++) {
      const ruler = counter.ruler!();
      slide('😀a'.repeat(300) + text(roll), roll, ruler, (window) => {
        for (let question = 0; question < 10 && window.length > 0; question++) {
          const i = roll(window.length);
          const j = i + 1 + roll(window.length - i);
          const forth = ruler.reach(i, 1 + roll(20), j);
          const back = ruler.reachBack(j, 1 + roll(20), i);
          expect(forth >= i && forth <= j && (forth === i || !splits(window, forth))).toBe(true);
          expect(back >= i && back <= j && (back === j || !splits(window, back))).toBe(true);
        }
      });
    }
  });

  it('reaches what fits, nearly always', async () => {
    const counter = await loadBpe(encoding);
    const roll = dice(SEED + 3);
    let [asked, over, short] = [0, 0, 0];
    for (let k = 0; k < 300; k++) {
      const window = trouble(roll, 60);
      const ruler = alone(counter, window, 0, window.length);
      const budget = 1 + roll(60);
      const j = ruler.reach(0, budget, window.length);
      const i = ruler.reachBack(window.length, budget, 0);
      asked += 2;
      over += Number(ruler.size(0, j) > budget) + Number(ruler.size(i, window.length) > budget);
      const more = j + 1 < window.length && splits(window, j + 1) ? j + 2 : j + 1;
      short += Number(more <= window.length && ruler.size(0, more) <= budget);
    }
    expect(over / asked).toBeLessThan(0.01);
    expect(short / asked).toBeLessThan(0.1);
  });
});

describe('the cost of a ruler', () => {
  /** A counter whose scanner adds up the bytes of the pieces it finds. */
  async function tallied(): Promise<{ counter: BpeCounter; bytes: () => number }> {
    const counter = new BpeCounter('o200k_base', await loadRanks('o200k_base'));
    const { scan } = counter;
    let bytes = 0;
    Object.assign(counter, {
      scan: (b: Uint8Array, s: number, end: number) => {
        const e = scan(b, s, end);
        bytes += e - s;
        return e;
      },
    });
    return { counter, bytes: () => bytes };
  }

  /**
   * What a chunker asks: how far, three sizes near there, and back for the overlap. Bytes scanned and steps merged for each byte of text.
   */
  async function costOf(whole: string): Promise<{ scanned: number; merged: number }> {
    const { counter, bytes } = await tallied();
    const ruler = counter.ruler();
    const size = 1 << 16;
    let [start, o] = [0, 0];
    let window = whole.slice(0, size);
    ruler.slide(window, 0);
    while (start + o < whole.length - 1) {
      ruler.slide((window = whole.slice(start + o, start + o + size)), o);
      start += o;
      const e = ruler.reach(0, 512, window.length);
      for (const j of [e, e - 7, e - 20]) ruler.size(0, Math.max(1, j));
      if (e === window.length) break;
      o = Math.max(1, ruler.reachBack(e, 50, 0));
      ruler.size(o, e);
    }
    const length = new TextEncoder().encode(whole).length;
    return { scanned: bytes() / length, merged: counter.merger.steps / length };
  }

  it('is little more than one look at each byte', async () => {
    const roll = dice(SEED);
    const words = ['the', 'of', 'river', 'weiß', 'extraordinary', 'слово', 'and', 'it', 'mill', 'is', '1234', 'don’t', "won't"];
    let prose = '';
    while (prose.length < 200_000) prose += `${words[roll(words.length)]}${roll(12) === 0 ? '.\n' : ' '}`;
    expect((await costOf(prose)).scanned).toBeLessThan(1.3);
  });

  it('is bounded where pieces never fall in step', async () => {
    expect((await costOf('0123456789'.repeat(20_000))).scanned).toBeLessThan(3);
  });

  it('does not grow with the window where that is one piece', async () => {
    const roll = dice(SEED);
    const word = Array.from({ length: 200_000 }, () => String.fromCharCode(97 + roll(26))).join('');
    for (const whole of ['a'.repeat(200_000), '文'.repeat(60_000), word]) {
      const { scanned, merged } = await costOf(whole);
      expect(scanned).toBeLessThan(25);
      expect(merged).toBeLessThan(10);
    }
  });
});
