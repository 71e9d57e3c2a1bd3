/**
 * The cutter: text and boundaries in, pieces out. It decides where chunks end, and nothing else does.
 *
 * The window rule makes its output independent of buffers (L1): it decides on a full window or at the end of the document,
 * and what touches the window's edge is undecided. The window bounds what is held (L8). Each piece is measured as it will be
 * delivered, overlap included (L6), and each advances (L7); counts of parts are guides, never answers.
 */
import { IngestError } from '../src/errors.js';
import { Ledger } from '../src/ledger.js';
import { splitsPair } from '../src/segment.js';
import { rulerOf } from '../src/tokens/ruler.js';
import type {
  Chunker,
  Cut,
  Doc,
  DropReason,
  Gap,
  Level,
  Machine,
  Piece,
  Ruler,
  Segment,
  Strategy,
  TokenCounter,
} from '../src/types.js';
import { CLUSTER_UNITS, codePoint, firstShown, grapheme, lastShown, startsCharacter, startsWord } from './boundaries/levels.js';

export interface Budget {
  readonly strategy: Strategy;
  /** What `size`, `overlap` and `minSize` are counted in. */
  readonly measure: TokenCounter;
  /** Most that a chunk measures, overlap included; > 0. One character that alone measures more is still delivered. */
  readonly size: number;
  /** Most that is repeated from the chunk before; < size. */
  readonly overlap: number;
  /** A boundary that would make a chunk smaller than this is passed over for a finer one. The last chunk may be smaller. */
  readonly minSize: number;
  /** Longest chunk in UTF-16 units, whatever it measures: this bounds memory. */
  readonly maxChars: number;
  /** Leave white space at the edges of chunks out. */
  readonly trim: boolean;
  /** Counts `tokens`; absent: not counted. */
  readonly tokens?: TokenCounter;
}

/** What lies within so many units of the window's edge is undecided: it may be half of something. */
const EDGE_UNITS = 256;

/** Units held beyond a full window, so that small segments do not make the window be joined anew for each chunk. */
const SLACK_UNITS = 1 << 15;

/** How often a level is asked again after a cut of its that does not do. */
const TRIES = 32;

/** Where an overlap may start, best first, and how many places are looked at: clusters of characters are costly to find. */
const OVERLAP_STARTS: readonly (readonly [(view: string, at: number) => boolean, number])[] = [
  [startsWord, Number.POSITIVE_INFINITY],
  [startsCharacter, CLUSTER_UNITS],
];

const NOTHING: readonly never[] = [];

export function chunker(budget: Budget): Chunker {
  return (doc) => new Cutter(doc, budget);
}

class Cutter implements Machine<Segment, Piece | Gap> {
  readonly #budget: Budget;
  readonly #ledger: Ledger;
  readonly #ruler: Ruler;
  /** Units beyond `#start` that make a full window. */
  readonly #window: number;
  /** Where the next chunk begins, overlap included. */
  #start = 0;
  /** Where its new text begins: `#start` plus the overlap. */
  #fresh = 0;
  /** What was measured last: the cut that is chosen is mostly the one tried last. */
  #lastSize = { from: -1, to: -1, size: 0 };
  /** What became of text between the last piece and `#fresh`. */
  #gap: DropReason | undefined;

  constructor(doc: Doc, budget: Budget) {
    this.#budget = budget;
    this.#ledger = new Ledger(doc.charset);
    this.#ruler = rulerOf(budget.measure);
    this.#window = budget.maxChars + EDGE_UNITS;
  }

  push(segment: Segment): Iterable<Piece> {
    this.#ledger.append(segment);
    return this.#ledger.length - this.#start >= this.#window + SLACK_UNITS ? this.#decide(false) : NOTHING;
  }

  *end(): Iterable<Piece | Gap> {
    yield* this.#decide(true);
    if (this.#gap !== undefined && this.#gap !== 'blank') yield { gap: this.#gap };
  }

  *#decide(final: boolean): Iterable<Piece> {
    this.#slide();
    const { length } = this.#ledger;
    while (final ? this.#fresh < length : length - this.#start >= this.#window) {
      const piece = this.#next();
      if (piece !== undefined) yield piece;
    }
  }

  #slide(): void {
    const ledger = this.#ledger;
    const dropped = this.#start;
    ledger.drop(dropped);
    ledger.settle();
    this.#fresh -= dropped;
    this.#start = 0;
    this.#ruler.slide(ledger.text, dropped);
    this.#lastSize = { from: -1, to: -1, size: 0 };
  }

  /** Makes the next piece, or passes over blank text and gives none. */
  #next(): Piece | undefined {
    const { text } = this.#ledger;
    const { maxChars, trim } = this.#budget;
    const limit = this.#edge(Math.min(text.length, this.#start + maxChars), this.#start);
    let shown = firstShown(text, this.#fresh, limit);
    if (shown < 0) {
      this.#pass(this.#edge(limit, this.#fresh));
      return undefined;
    }
    while (this.#ledger.inside(shown)) shown--;
    // Blanks that will not be delivered must not take up room.
    if (trim && this.#start === this.#fresh && shown > this.#start) this.#pass(shown);
    // Only at the end of the document does the text end before the window does.
    if (limit === text.length && this.#fits(this.#start, limit)) return this.#give({ end: limit, next: limit });
    const cut = this.#choose(limit, shown);
    if (cut !== undefined) return this.#give(cut);
    // Overlap and blanks leave no room for new text: go on without them.
    if (this.#start < shown) {
      this.#pass(shown);
      return undefined;
    }
    return this.#give(this.#oneCharacter(limit));
  }

  /** Leaves blank text before `at` undelivered. */
  #pass(at: number): void {
    if (at > this.#fresh) this.#gap ??= 'blank';
    this.#start = this.#fresh = at;
  }

  /** The nearest place at or before `at` that is inside no character and no replaced text; after it, where none is past `least`. */
  #edge(at: number, least: number): number {
    const isEdge = (place: number) => !splitsPair(this.#ledger.text, place) && !this.#ledger.inside(place);
    let edge = at;
    while (edge > least && !isEdge(edge)) edge--;
    if (edge > least) return edge;
    for (edge = at; !isEdge(edge); ) edge++;
    return edge;
  }

  /** The furthest cut of the coarsest level that fits and makes a chunk of the least size; at last one between characters. */
  #choose(limit: number, shown: number): Cut | undefined {
    const reach = this.#ruler.reach(this.#start, this.#budget.size, limit);
    const view = this.#view();
    for (const level of this.#budget.strategy.levels) {
      const cut = this.#furthest(level, view, shown, reach);
      if (cut !== undefined && (this.#budget.minSize <= 1 || this.#sizeOf(this.#start, cut.end) >= this.#budget.minSize))
        return cut;
    }
    return this.#furthest(grapheme, view, shown, reach) ?? this.#furthest(codePoint, view, shown, reach);
  }

  #furthest(level: Level, view: string, from: number, reach: number): Cut | undefined {
    const start = this.#start;
    let to = reach;
    for (let tries = 0; tries < TRIES && to > from; tries++) {
      const found = level.last(view, from - start, to - start);
      if (found === undefined) return undefined;
      this.#check(found, level, view, from - start, to - start);
      const cut = { end: found.end + start, next: found.next + start };
      if (!this.#ledger.inside(cut.end) && !this.#ledger.inside(cut.next) && this.#fits(start, cut.end)) return cut;
      to = cut.end - 1;
    }
    return undefined;
  }

  /** A level of a user's own that answers beside the question would have us go round for ever. */
  #check({ end, next }: Cut, { name }: Level, view: string, from: number, to: number): void {
    if (end > from && end <= to && next >= end && next <= view.length) return;
    const sentence = `level ${name} of strategy ${this.#budget.strategy.name} cut at ${end} to ${next}, asked for one past ${from} and up to ${to}`;
    throw new IngestError('config', 'bad-level', sentence);
  }

  /** The first character, which alone is over the budget: it goes out all the same, for nothing may be lost. */
  #oneCharacter(limit: number): Cut {
    const end = Math.min(limit, this.#edge(this.#fresh + 1, this.#fresh));
    return { end, next: end };
  }

  #fits(i: number, j: number): boolean {
    return this.#sizeOf(i, j) <= this.#budget.size;
  }

  /** What `[i, j)` measures as it would be delivered. */
  #sizeOf(i: number, j: number): number {
    const [from, to] = this.#delivered(i, j);
    const last = this.#lastSize;
    if (last.from === from && last.to === to) return last.size;
    const size = this.#ruler.size(from, to);
    this.#lastSize = { from, to, size };
    return size;
  }

  #delivered(i: number, j: number): [number, number] {
    if (!this.#budget.trim) return [i, j];
    const { text } = this.#ledger;
    let from = firstShown(text, i, j);
    if (from < 0) return [i, j];
    let to = lastShown(text, from, j);
    while (from > i && this.#ledger.inside(from)) from--;
    while (to < j && this.#ledger.inside(to)) to++;
    return [from, to];
  }

  /** Makes the piece that ends at the cut, and moves on. */
  #give(cut: Cut): Piece {
    const ledger = this.#ledger;
    const { measure, tokens } = this.#budget;
    const [i, j] = this.#delivered(this.#start, cut.end);
    const text = ledger.slice(i, j);
    const gap = this.#gap;
    const piece = {
      text,
      start: ledger.startOf(i),
      end: ledger.endOf(j),
      ...(tokens === undefined ? {} : { tokens: tokens === measure ? this.#sizeOf(this.#start, cut.end) : tokens.count(text) }),
      ...(gap === undefined ? {} : { gap }),
    };
    this.#gap = cut.next > cut.end && firstShown(ledger.text, cut.end, cut.next) >= 0 ? 'separator' : undefined;
    this.#start = this.#overlapStart(cut, i, j);
    this.#fresh = cut.next;
    return piece;
  }

  /**
   * Where the longest tail of the piece [begun, ended) begins that fits the overlap and starts at a word; else at a character;
   * else nowhere. Always after `begun`, so that chunks advance, and no larger a part of the window than of the budget: text
   * that counts for little must not be delivered over and over.
   */
  #overlapStart(cut: Cut, begun: number, ended: number): number {
    const { overlap, size, maxChars } = this.#budget;
    if (overlap === 0 || cut.end === this.#ledger.length) return cut.next;
    const start = this.#start;
    const view = this.#view();
    const floor = Math.max(begun + 1, cut.next - Math.floor((maxChars * overlap) / size));
    const from = floor < ended ? this.#ruler.reachBack(ended, overlap, floor) : ended;
    for (const [isStart, looks] of OVERLAP_STARTS) {
      for (let at = from, tries = 0; at < Math.min(ended, from + looks) && tries < TRIES; at++) {
        if (!isStart(view, at - start) || this.#ledger.inside(at)) continue;
        if (this.#sizeOf(at, ended) <= overlap) return at;
        tries++;
      }
    }
    return cut.next;
  }

  /** What boundaries may look at: the window and no more, however much has arrived, and nothing before the chunk. */
  #view(): string {
    return this.#ledger.text.slice(this.#start, this.#start + this.#window);
  }
}
