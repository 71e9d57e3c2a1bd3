/**
 * A ruler for any counter. A counter that brings its own is taken at its word; any other (a user's length function, a
 * tokenizer of another library) is asked to count slices: `size` is exact by definition, and `reach` is a search that spends
 * a few counts of about the length it returns. Nothing is carried from one search to the next, so that where a chunk is cut
 * never depends on how the text arrived.
 */
import type { Ruler, TokenCounter } from '../types.js';
import { wholeEnd, wholeStart } from './units.js';

export function rulerOf(counter: TokenCounter): Ruler {
  return counter.ruler?.() ?? new CountingRuler(counter);
}

/** Sizes remembered: what a search tried, its answer, and the few boundaries a chunker tries near it. */
const MEMORY = 8;

class CountingRuler implements Ruler {
  readonly #counter: TokenCounter;
  #text = '';
  /** The last few slices counted, the oldest first. */
  #known: { i: number; j: number; size: number }[] = [];

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  slide(text: string, dropped: number): void {
    this.#text = text;
    this.#known = this.#known.filter(({ i }) => i >= dropped).map(({ i, j, size }) => ({ i: i - dropped, j: j - dropped, size }));
  }

  size(i: number, j: number): number {
    if (j <= i) return 0;
    const known = this.#known.find((slice) => slice.i === i && slice.j === j);
    if (known) return known.size;
    const size = this.#counter.count(this.#text.slice(i, j));
    if (this.#known.length === MEMORY) this.#known.shift();
    this.#known.push({ i, j, size });
    return size;
  }

  reach(i: number, budget: number, limit: number): number {
    const whole = (length: number) => wholeEnd(this.#text, i, i + length, limit) - i;
    return i + longest({ budget, room: whole(limit - i), whole, size: (length) => this.size(i, i + length) });
  }

  reachBack(j: number, budget: number, floor: number): number {
    const whole = (length: number) => j - wholeStart(this.#text, j - length, j, floor);
    return j - longest({ budget, room: whole(j - floor), whole, size: (length) => this.size(j - length, j) });
  }
}

interface Search {
  readonly budget: number;
  /** No answer is longer. Ends with a whole character. */
  readonly room: number;
  /** The length, or one less so that no character is cut. */
  whole(length: number): number;
  size(length: number): number;
}

/** UTF-16 units a token is taken to have before anything is known; also the most by which a length that fits may grow at once. */
const STEP = 4;

/** Counts spent once something fits and the answer is in sight; what fits by then is good enough. */
const PATIENCE = 5;

interface Tried {
  readonly length: number;
  readonly size: number;
}

/**
 * A length whose size fits the budget, the longest that can be found cheaply: it stops within a hundredth of the budget.
 * Sizes are taken to grow with length, roughly in proportion; where they do not, the answer still fits, or is 0 when nothing
 * that fits was found. No length is tried that is more than four times one that fits, or more than the first guess.
 */
function longest({ budget, room, whole, size }: Search): number {
  if (!(budget >= 1) || room <= 0) return 0;
  let fits: Tried = { length: 0, size: 0 };
  let over: Tried = { length: Number.POSITIVE_INFINITY, size: Number.POSITIVE_INFINITY };
  let length = Math.min(room, Math.floor(budget) * STEP);
  for (let failures = 0, narrowed = 0; narrowed < PATIENCE; ) {
    length = Math.max(whole(length), whole(fits.length + 1) > fits.length ? fits.length + 1 : fits.length + 2);
    if (length >= over.length) break;
    const tried = { length, size: size(length) };
    if (tried.size <= budget) fits = tried;
    else over = tried;
    if (fits.length === room || fits.size >= near(budget)) break;
    failures = fits === tried ? 0 : failures + 1;
    length = over.length < Number.POSITIVE_INFINITY ? between(fits, over, aim(budget, failures)) : longer(fits, budget, room);
    if (fits.length > 0 && (over.length < Number.POSITIVE_INFINITY || fits.size >= 0.75 * budget)) narrowed++;
  }
  return fits.length;
}

/** The least size that is good enough. */
function near(budget: number): number {
  return budget - Math.floor(budget / 100);
}

/** The size to aim at: less after each length in a row that was too long, for text may be denser at its start than after. */
function aim(budget: number, failures: number): number {
  return failures <= 1 ? (near(budget) + budget) / 2 : budget * (1 - 2 ** failures / 64);
}

/** Longer than `fits`, in proportion. */
function longer(fits: Tried, budget: number, room: number): number {
  return Math.min(room, Math.max(fits.length + 1, Math.floor(fits.length * Math.min(STEP, budget / fits.size))));
}

/** Where a straight line from `fits` to `over` passes `aim`, but not so near an end that the next step gains nothing. */
function between(fits: Tried, over: Tried, aim: number): number {
  const span = over.length - fits.length;
  const margin = Math.ceil(span / 64);
  const along = Math.floor((span * (aim - fits.size)) / (over.size - fits.size));
  return fits.length + Math.max(1, Math.min(Math.max(along, margin), span - margin));
}
