/**
 * TextTiling over a text of any length: places where the topic changes, told as soon as they are decided, whatever parts the text
 * comes in, at linear cost and in bounded memory. The method is Hearst's (1997, see text-tiling-scores.ts): where neighbouring
 * blocks of words have least in common, the curve of their likeness has a valley, and deep valleys are boundaries.
 *
 * What differs from NLTK, whose scores `tilingScores` gives: smoothing rounds are done; a boundary is the bottom of a valley and
 * never its slope; depths are compared with the valleys of a window, not of the whole text, and with a least depth, so that one
 * topic stays in one piece; a gap is the place of its word; words are those of any script; short text has no boundary.
 *
 * A boundary moves to the nearest paragraph break no further than a block. Is there none: to the nearest line end that ends a
 * sentence, else sentence end, else line end, else it stays where it is, between two words.
 */
import { type StopWordLanguage, stopWords } from './stop-words.js';
import { BlockPair, type Cutoff, checkTiling, cutoffOf, type TilingOptions } from './text-tiling-scores.js';
import { PLACES, type Place, WordReader } from './text-tiling-words.js';

export interface TextTilerOptions extends TilingOptions {
  /** Whose function words are left out, where `stopWords` does not say it. */
  readonly language?: StopWordLanguage;
  /** Words around a valley that are looked at to decide on it: half of them before it, half after. Bounds memory and delay. */
  readonly windowWords?: number;
}

/** Valleys nearer to each other than so many gaps are one change of topic: the deeper one. NLTK's distance. */
const NEAR_GAPS = 4;

/** At the ends of a text blocks are small and their scores say little: so many gaps there, or a tenth of a short text's. */
const END_GAPS = 5;
const LEAST_END_GAPS = 2;

/** A rise or fall of the curve that is no more than this is chance. */
const NOISE = 0.05;

/** A valley that is no deeper is no change of topic, however flat the rest of the window is. */
const LEAST_DEPTH = 0.3;

export class TextTiler {
  readonly #reader = new WordReader((word, place, cut) => this.#word(word, place, cut));
  readonly #w: number;
  readonly #k: number;
  readonly #cutoff: Cutoff;
  readonly #ignored: ReadonlySet<string>;
  /** A valley is closed so many gaps after its bottom, and decided on so many later. */
  readonly #lookAhead: number;
  readonly #places = new Places();
  readonly #pair = new BlockPair();
  readonly #smoothing: readonly MovingMean[];
  readonly #valleys: ValleyFinder;
  /** Closed valleys: those to be decided on, after those they are compared with. */
  readonly #closed: Valley[] = [];
  #undecided = 0;
  #words = 0;
  /** The words of the group that is being filled, without stop words. */
  #group: string[] = [];
  #gaps = 0;
  #smoothed = 0;
  #last = 0;
  #found: number[] = [];

  constructor(options: TextTilerOptions = {}) {
    checkTiling(options);
    const {
      w = 20,
      k = 10,
      smoothingWidth = 2,
      smoothingRounds = 1,
      cutoff = 'high',
      language = 'en',
      windowWords = 10_000,
    } = options;
    this.#w = w;
    this.#k = k;
    this.#cutoff = cutoff;
    this.#ignored = options.stopWords ?? stopWords(language);
    this.#lookAhead = Math.max(Math.ceil(windowWords / w / 4), 2 * k, END_GAPS * 10);
    this.#smoothing = Array.from({ length: smoothingRounds }, () => new MovingMean(Math.floor(smoothingWidth / 2)));
    this.#valleys = new ValleyFinder(k, this.#lookAhead);
  }

  /** Words, gaps and places that are held: what bounds memory. */
  get held(): number {
    return this.#pair.held + this.#group.length + this.#closed.length + this.#places.length;
  }

  /** No boundary before this place is still to come: all text up to there can be let go. */
  get settled(): number {
    const gap = this.#closed[this.#undecided]?.gap ?? this.#valleys.first;
    return Math.max(this.#last, this.#places.first((gap + 1 - this.#k) * this.#w));
  }

  /** More text; gives the boundaries it decided, as units from the beginning of the whole text, in order. */
  push(text: string): readonly number[] {
    this.#reader.push(text);
    return this.#taken();
  }

  end(): readonly number[] {
    this.#reader.end();
    // A rest of less than half a group would be a noisy score of its own.
    if (this.#words % this.#w >= this.#w / 2) this.#endGroup();
    for (let gaps = this.#pair.count - 1; this.#gaps < gaps; ) this.#score(Math.min(this.#gaps + 1, this.#k, gaps - this.#gaps));
    this.#smoothing.forEach((stage, at) => {
      for (const score of stage.end()) this.#smooth(score, at + 1);
    });
    this.#close(this.#valleys.end());
    this.#decide(true);
    return this.#taken();
  }

  #word(word: string, place: Place, cut: number): void {
    if (place !== PLACES.word || this.#words % this.#w === 0) this.#places.add({ word: this.#words, at: cut, place });
    if (word !== '' && !this.#ignored.has(word)) this.#group.push(word);
    if (++this.#words % this.#w === 0) this.#endGroup();
  }

  #taken(): readonly number[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #endGroup(): void {
    this.#pair.add(this.#group);
    this.#group = [];
    const gap = this.#pair.count - 1 - this.#k;
    if (gap < this.#gaps) return;
    // The first gaps have fewer groups before them, and take as many after.
    this.#score(Math.min(gap + 1, this.#k));
    this.#decide(false);
  }

  #score(size: number): void {
    const middle = ++this.#gaps;
    this.#smooth(this.#pair.compare(middle - size, middle, middle + size), 0);
  }

  #smooth(score: number, from: number): void {
    const stage = this.#smoothing[from];
    if (stage !== undefined) {
      for (const smoothed of stage.push(score)) this.#smooth(smoothed, from + 1);
      return;
    }
    this.#close(this.#valleys.push(this.#smoothed++, score));
  }

  #close(valley: Valley | undefined): void {
    if (valley !== undefined) this.#closed.push(valley);
  }

  /** Decides on each valley for which all those are known that it is compared with. */
  #decide(final: boolean): void {
    const reach = this.#lookAhead;
    for (; this.#undecided < this.#closed.length; this.#undecided++) {
      const valley = this.#closed[this.#undecided]!;
      if (!final && valley.gap + 2 * reach >= this.#smoothed) break;
      while (this.#closed[0]!.gap < valley.gap - 2 * reach) {
        this.#closed.shift();
        this.#undecided--;
      }
      if (this.#isBoundary(valley)) this.#cut(valley.gap);
    }
    this.#places.forget((this.#smoothed - 2 * reach - 2 * this.#k) * this.#w);
  }

  #isBoundary({ gap, depth }: Valley): boolean {
    const ends = Math.min(Math.max(Math.floor(this.#smoothed / 10), LEAST_END_GAPS), END_GAPS);
    if (gap < ends || gap >= this.#smoothed - ends) return false;
    const around = this.#closed.filter((each) => each.gap <= gap + this.#lookAhead);
    // Level ground counts as one valley more: of a few valleys, all real, the shallowest would always be below the others' cutoff.
    const depths = [0, ...around.map((each) => each.depth)];
    if (depth < Math.max(LEAST_DEPTH, cutoffOf(depths, this.#cutoff))) return false;
    return !around.some(
      (each) => Math.abs(each.gap - gap) < NEAR_GAPS && (each.depth > depth || (each.depth === depth && each.gap < gap)),
    );
  }

  #cut(gap: number): void {
    const at = this.#places.nearest((gap + 1) * this.#w, this.#k * this.#w);
    if (at <= this.#last) return;
    this.#last = at;
    this.#found.push(at);
  }
}

interface CutPlace {
  /** The word that begins there, counted from 0. */
  readonly word: number;
  readonly at: number;
  readonly place: Place;
}

/** Where the text may be cut: the recent places, in order. */
class Places {
  readonly #places: CutPlace[] = [];

  get length(): number {
    return this.#places.length;
  }

  add(place: CutPlace): void {
    this.#places.push(place);
  }

  /** Lets go of places before this word, in bulk. */
  forget(word: number): void {
    const spare = this.#indexOf(word);
    if (spare > this.#places.length / 2) this.#places.splice(0, spare);
  }

  /** Where the first place from this word on is; 0 when there is none yet. */
  first(word: number): number {
    return this.#places[this.#indexOf(word)]?.at ?? 0;
  }

  /** The best place within so many words, of equally good ones the nearest. */
  nearest(word: number, reach: number): number {
    let best: CutPlace | undefined;
    for (let index = this.#indexOf(word - reach); index < this.#places.length; index++) {
      const place = this.#places[index]!;
      if (place.word > word + reach) break;
      if (best === undefined || isBetter(place, best, word)) best = place;
    }
    return best!.at;
  }

  #indexOf(word: number): number {
    let low = 0;
    for (let high = this.#places.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.#places[middle]!.word < word) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBetter(place: CutPlace, than: CutPlace, word: number): boolean {
  if (place.place !== than.place) return place.place > than.place;
  return Math.abs(place.word - word) < Math.abs(than.word - word);
}

/** Averages each number with up to `half` on either side. */
class MovingMean {
  readonly #half: number;
  readonly #window: number[] = [];
  /** Where in the window the next one to be averaged is. */
  #next = 0;

  constructor(half: number) {
    this.#half = half;
  }

  push(score: number): readonly number[] {
    this.#window.push(score);
    return this.#window.length > this.#next + this.#half ? [this.#mean()] : [];
  }

  end(): readonly number[] {
    const rest: number[] = [];
    while (this.#next < this.#window.length) rest.push(this.#mean());
    return rest;
  }

  #mean(): number {
    if (this.#next > this.#half) this.#window.shift();
    else this.#next++;
    let total = 0;
    const count = Math.min(this.#window.length, this.#next + this.#half);
    for (let at = 0; at < count; at++) total += this.#window[at]!;
    return total / count;
  }
}

interface Valley {
  readonly gap: number;
  /** From its bottom up to the peaks on both sides, added. */
  readonly depth: number;
}

/** Finds the valleys of a curve that comes number by number, each once the curve falls again behind it. Holds no curve. */
class ValleyFinder {
  readonly #longest: number;
  readonly #lookAhead: number;
  #before = Number.NEGATIVE_INFINITY;
  #low = Number.POSITIVE_INFINITY;
  #after = Number.NEGATIVE_INFINITY;
  /** Where the bottom begins and ends, when it is flat. */
  #first = 0;
  #lastLow = 0;

  /** Of a bottom longer than `longest` that much counts: text that repeats no word at all has no end. */
  constructor(longest: number, lookAhead: number) {
    this.#longest = longest;
    this.#lookAhead = lookAhead;
  }

  /** No valley that is still to come lies before this gap. */
  get first(): number {
    return this.#first;
  }

  push(gap: number, score: number): Valley | undefined {
    let valley: Valley | undefined;
    const falls = this.#after - score > NOISE && this.#after - this.#low > NOISE;
    if (falls || gap - this.#first >= this.#lookAhead) {
      valley = this.end();
      this.#before = this.#after;
      this.#bottom(gap, score);
    } else if (score < this.#low) this.#bottom(gap, score);
    else if (score === this.#low && this.#after === score) this.#lastLow = gap;
    this.#after = Math.max(this.#after, score);
    // No valley lies between a peak and a higher one beside it: the peak moves.
    if (score >= this.#before && this.#before - this.#low <= NOISE) {
      this.#before = score;
      this.#bottom(gap, score);
    }
    return valley;
  }

  /** The valley that is being passed. */
  end(): Valley | undefined {
    if (this.#before - this.#low <= NOISE) return undefined;
    const flat = Math.min(this.#lastLow - this.#first, this.#longest);
    return { gap: this.#first + (flat >> 1), depth: this.#before + this.#after - 2 * this.#low };
  }

  #bottom(gap: number, score: number): void {
    this.#low = score;
    this.#after = score;
    this.#first = gap;
    this.#lastLow = gap;
  }
}
