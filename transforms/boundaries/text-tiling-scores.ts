/**
 * How alike the text is on both sides of each gap: the scores of TextTiling (Hearst 1997, "TextTiling: Segmenting Text into
 * Multi-paragraph Subtopic Passages", Computational Linguistics 23). Words come in groups of `w`; the blocks of up to `k` groups
 * left and right of a gap are compared by the cosine of their word counts. `BlockPair` does it at a constant cost for each word.
 * `tilingScores` gives all scores of a whole text, and they are NLTK's, with NLTK's peculiarities; see text-tiling.ts for ours.
 */
import { configError } from '../../src/errors.js';
import { stopWords } from './stop-words.js';

/** A word that is in one of the groups held, and how often it is in either block. */
interface Word {
  /** Its occurrences in all groups held; at none it is idle. */
  held: number;
  left: number;
  right: number;
}

/** Words that are in no group are forgotten once there are so many, and as many as the others. */
const IDLE_WORDS = 256;

/** Two neighbouring blocks that slide over groups of words. Sums of products are whole numbers, so nothing drifts. */
export class BlockPair {
  #words = new Map<string, Word>();
  #idle = 0;
  /** The groups from `#from` on. */
  readonly #groups: (readonly Word[])[] = [];
  #from = 0;
  #middle = 0;
  #to = 0;
  #product = 0;
  #leftSquares = 0;
  #rightSquares = 0;

  /** Groups added so far. */
  get count(): number {
    return this.#from + this.#groups.length;
  }

  /** Words held. */
  get held(): number {
    return sum(this.#groups.map((group) => group.length));
  }

  add(words: readonly string[]): void {
    this.#groups.push(words.map((text) => this.#hold(text)));
  }

  /** The cosine of the groups [from, middle) and [middle, to), 0 when one has no words. None of the three may go back. */
  compare(from: number, middle: number, to: number): number {
    while (this.#to < to) for (const word of this.#group(this.#to++)) this.#enter(word);
    while (this.#middle < middle) for (const word of this.#group(this.#middle++)) this.#cross(word);
    while (this.#from < from) {
      for (const word of this.#groups.shift()!) this.#leave(word);
      this.#from++;
    }
    const squares = this.#leftSquares * this.#rightSquares;
    return squares === 0 ? 0 : this.#product / Math.sqrt(squares);
  }

  #group(at: number): readonly Word[] {
    return this.#groups[at - this.#from]!;
  }

  #hold(text: string): Word {
    let word = this.#words.get(text);
    if (word === undefined) {
      word = { held: 0, left: 0, right: 0 };
      this.#words.set(text, word);
    } else if (word.held === 0) this.#idle--;
    word.held++;
    return word;
  }

  #enter(word: Word): void {
    this.#product += word.left;
    this.#rightSquares += 2 * word.right++ + 1;
  }

  #cross(word: Word): void {
    this.#product += word.right - word.left - 1;
    this.#rightSquares -= 2 * word.right-- - 1;
    this.#leftSquares += 2 * word.left++ + 1;
  }

  #leave(word: Word): void {
    this.#product -= word.right;
    this.#leftSquares -= 2 * word.left-- - 1;
    if (--word.held === 0 && ++this.#idle > IDLE_WORDS && this.#idle * 2 > this.#words.size) this.#forget();
  }

  /**
   * Into a new map, rather than out of the old one: an engine chains the tables of a map that words come to and go from, and the
   * oldest of them, which is swept rarely, then keeps all that came after.
   */
  #forget(): void {
    this.#words = new Map([...this.#words].filter(([, { held }]) => held > 0));
    this.#idle = 0;
  }
}

export const CUTOFFS = ['high', 'low'] as const;
/** How deep a valley must be: mean − deviation / 2 of the depths around it, or mean − deviation, which finds more boundaries. */
export type Cutoff = (typeof CUTOFFS)[number];

export function cutoffOf(depths: readonly number[], cutoff: Cutoff): number {
  const mean = sum(depths) / depths.length;
  const deviation = Math.sqrt(sum(depths.map((depth) => (depth - mean) ** 2)) / depths.length);
  return cutoff === 'low' ? mean - deviation : mean - deviation / 2;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

export interface TilingOptions {
  /** Words in a group. */
  readonly w?: number;
  /** Groups in a block. */
  readonly k?: number;
  /** Scores on both sides, taken together, that each is averaged with; 0 for no smoothing. */
  readonly smoothingWidth?: number;
  /** How often that is done. NLTK takes the number and does it once. */
  readonly smoothingRounds?: number;
  readonly cutoff?: Cutoff;
  /** Words that say nothing about the topic, in lower case. */
  readonly stopWords?: ReadonlySet<string>;
}

const RANGES = {
  w: [1, 1000],
  k: [1, 1000],
  smoothingWidth: [0, 1000],
  smoothingRounds: [0, 100],
  windowWords: [1, 10_000_000],
} as const;

/** Refuses numbers that would not end, or not fit into memory. */
export function checkTiling(options: TilingOptions & { readonly windowWords?: number }): void {
  const problems = Object.entries(RANGES).flatMap(([name, [least, most]]) => {
    const value = options[name as keyof typeof RANGES];
    const fits = value === undefined || (Number.isInteger(value) && value >= least && value <= most);
    return fits ? [] : [`${name} must be a whole number from ${least} to ${most}, not ${value}`];
  });
  if (problems.length > 0) throw configError(problems);
}

export interface TilingScores {
  /** Likeness at the gap after each group but the last. */
  readonly gaps: readonly number[];
  readonly smoothed: readonly number[];
  readonly depths: readonly number[];
  /** Whether a topic ends at the gap. */
  readonly boundaries: readonly boolean[];
}

/** What NLTK's `TextTilingTokenizer(demo_mode=True)` returns. Where NLTK raises an error for short text, scores are not smoothed. */
export function tilingScores(text: string, options: TilingOptions = {}): TilingScores {
  checkTiling(options);
  const { w = 20, k = 10, smoothingWidth = 2, cutoff = 'high' } = options;
  const ignored = options.stopWords ?? stopWords('en');
  const gaps = gapScores(asciiWords(text), w, k, ignored);
  const smoothed = reflectedMean(gaps, smoothingWidth + 1);
  const depths = depthScores(smoothed);
  return { gaps, smoothed, depths, boundaries: deepest(depths, cutoffOf(depths, cutoff)) };
}

/** NLTK deletes all but these characters, so that words on either side of one of the others become one. */
function asciiWords(text: string): readonly string[] {
  const kept = text.toLowerCase().replace(/[^a-z\-' \n\t]+/g, '');
  return kept.match(/[a-z]+/g) ?? [];
}

function gapScores(words: readonly string[], w: number, k: number, ignored: ReadonlySet<string>): number[] {
  const pair = new BlockPair();
  for (let at = 0; at < words.length; at += w) pair.add(words.slice(at, at + w).filter((word) => !ignored.has(word)));
  const count = pair.count;
  const gaps = Math.max(0, count - 1);
  return Array.from({ length: gaps }, (_, gap) => {
    // On a text shorter than two blocks the right block ends with the text while the left one still grows.
    const size = gap < k - 1 ? gap + 1 : Math.min(k, gaps - gap);
    return pair.compare(gap + 1 - size, gap + 1, Math.min(count, gap + 1 + size));
  });
}

/** A moving average; beyond its ends the curve goes on as its own mirror image, turned upside down. */
function reflectedMean(scores: readonly number[], width: number): readonly number[] {
  const { length } = scores;
  if (width < 3 || length < width) return scores;
  const first = scores[0]!;
  const last = scores[length - 1]!;
  // The image on the left leaves out two scores, that on the right none: so NLTK has it, from a recipe of SciPy.
  const before = scores.slice(2, width + 1).reverse();
  const after = scores.slice(length - width + 1).reverse();
  const all = [...before.map((score) => 2 * first - score), ...scores, ...after.map((score) => 2 * last - score)];
  const lead = Math.floor(width / 2);
  return Array.from({ length: all.length - 2 * (width - 1) }, (_, n) => {
    const from = n + width - 1 - lead;
    let mean = 0;
    for (let at = from; at < from + width; at++) mean += all[at]! * (1 / width);
    return mean;
  });
}

/** How far it is up from each gap to the peaks on both sides, added. Gaps near the ends of the text count as flat. */
function depthScores(scores: readonly number[]): number[] {
  const flat = Math.min(Math.max(Math.floor(scores.length / 10), 2), 5);
  const peaksLeft = peaks(scores);
  const peaksRight = peaks(scores.toReversed()).reverse();
  return scores.map((score, gap) =>
    gap < flat || gap >= scores.length - flat ? 0 : peaksLeft[gap]! + peaksRight[gap]! - 2 * score,
  );
}

/** The height that is reached from each score by going back for as long as it does not go down. */
function peaks(scores: readonly number[]): number[] {
  const found: number[] = [];
  scores.forEach((score, at) => {
    found.push(at > 0 && scores[at - 1]! >= score ? found[at - 1]! : score);
  });
  return found;
}

/** Gaps above the cutoff, the deepest first (of equal ones the last), none within three of one taken before. */
function deepest(depths: readonly number[], cutoff: number): boolean[] {
  const taken = depths.map(() => false);
  const order = [...depths.keys()].filter((gap) => depths[gap]! > cutoff);
  order.sort((a, b) => depths[b]! - depths[a]! || b - a);
  for (const gap of order) taken[gap] = !taken.slice(Math.max(0, gap - 3), gap + 4).includes(true);
  return taken;
}
