/**
 * The text that the cutter has before it: what of the document is held and where in it the next chunk begins, what a slice would
 * measure as it would be delivered, and where a level may cut. It bounds what is held (L8) and what boundaries may look at (L1).
 * Which of the cuts is taken is for chunk.ts to decide.
 */
import { type Context, contextOf, embedded, NO_CONTEXT } from '../src/context.js';
import { IngestError } from '../src/errors.js';
import { Ledger } from '../src/ledger.js';
import { MarkedPlaces } from '../src/marks.js';
import { splitsPair } from '../src/segment.js';
import { rulerOf } from '../src/tokens/ruler.js';
import type { Cut, Doc, Level, Marks, Ruler, Segment, Strategy, TokenCounter } from '../src/types.js';
import { firstShown, lastShown } from './boundaries/levels.js';

/** What a chunk has to keep to. */
export interface Room {
  readonly strategy: Strategy;
  /** What sizes are counted in. */
  readonly measure: TokenCounter;
  /** Most that a chunk measures, overlap included; > 0. One character that alone measures more is still delivered. */
  readonly size: number;
  /** Longest chunk in UTF-16 units, whatever it measures: this bounds memory. */
  readonly maxChars: number;
  /** Leave white space at the edges of chunks out. */
  readonly trim: boolean;
}

/** What lies within so many units of the window's edge is undecided: it may be half of something. */
const EDGE_UNITS = 256;

/** Units held beyond a full window, so that small segments do not make the window be joined anew for each chunk. */
const SLACK_UNITS = 1 << 15;

/** How often a level is asked again after a cut of its that does not do. */
const TRIES = 32;

/** Positions are UTF-16 indexes into the text that is held. */
export class CutWindow {
  readonly ledger: Ledger;
  readonly marks = new MarkedPlaces();
  readonly ruler: Ruler;
  /** Where the next chunk begins, overlap included. */
  start = 0;
  /** Whether any mark is of a record or names a place: a strategy's own need no looking for these. */
  hasRecords = false;
  readonly #room: Room;
  /** Units beyond `start` that make a full window. */
  readonly #fullUnits: number;
  /** Before every chunk's text, as the document says. */
  readonly #docContext: string | undefined;
  /** What goes before the text of a chunk that begins at `at`, '' for nothing, and what that measures. */
  #context = { at: -1, text: '', size: 0 };
  /** What was measured last: the cut that is chosen is mostly the one tried last. */
  #lastSize = { from: -1, to: -1, size: 0 };

  constructor(doc: Doc, room: Room) {
    this.ledger = new Ledger(doc.charset);
    this.ruler = rulerOf(room.measure);
    this.#docContext = doc.context;
    this.#room = room;
    this.#fullUnits = room.maxChars + EDGE_UNITS;
  }

  append(segment: Segment): void {
    const { mark } = segment;
    if (mark !== undefined) {
      this.marks.add(this.ledger.length, mark);
      if (mark.kind !== 'unit' || mark.label !== undefined) this.hasRecords = true;
    }
    this.ledger.append(segment);
  }

  /** Whether there is enough text to decide on a chunk. */
  get isFull(): boolean {
    return this.ledger.length - this.start >= this.#fullUnits;
  }

  /** Whether there is enough for several, so that it pays to begin. */
  get isOverfull(): boolean {
    return this.ledger.length - this.start >= this.#fullUnits + SLACK_UNITS;
  }

  /** Forgets all text before `dropped`, and takes in what was appended. */
  slide(dropped: number): void {
    this.ledger.drop(dropped);
    this.ledger.settle();
    this.marks.drop(dropped);
    this.start -= dropped;
    this.#context.at -= dropped;
    this.ruler.slide(this.ledger.text, dropped);
    this.#lastSize = { from: -1, to: -1, size: 0 };
  }

  /** What boundaries may look at: the window and no more, however much has arrived, and nothing before the chunk. */
  view(from = this.start): string {
    return this.ledger.text.slice(from, this.start + this.#fullUnits);
  }

  /** The nearest place at or before `at` that is inside no character and no replaced text; after it, where none is past `least`. */
  edge(at: number, least: number): number {
    const isEdge = (place: number) => !splitsPair(this.ledger.text, place) && !this.ledger.inside(place);
    let edge = at;
    while (edge > least && !isEdge(edge)) edge--;
    if (edge > least) return edge;
    for (edge = at; !isEdge(edge); ) edge++;
    return edge;
  }

  /** The first cut of the level in `(from, reach]`; `view` begins where the chunk does. */
  nearest(level: Level, view: string, from: number, reach: number): Cut | undefined {
    const start = this.start;
    for (let after = from; after < reach; ) {
      const found =
        level.first === undefined
          ? nearestOf(level, view, after - start, reach - start, this.#marksFromHere)
          : level.first(view, after - start, reach - start, this.#marksFromHere);
      if (found === undefined) return undefined;
      this.#check(found, level, view, after - start, reach - start);
      const cut = { end: found.end + start, next: found.next + start };
      if (!this.ledger.inside(cut.end) && !this.ledger.inside(cut.next)) return cut;
      after = cut.end;
    }
    return undefined;
  }

  /** The last such cut that makes a chunk within the size. */
  furthest(level: Level, view: string, from: number, reach: number): Cut | undefined {
    const start = this.start;
    let to = reach;
    for (let tries = 0; tries < TRIES && to > from; tries++) {
      const found = level.last(view, from - start, to - start, this.#marksFromHere);
      if (found === undefined) return undefined;
      this.#check(found, level, view, from - start, to - start);
      const cut = { end: found.end + start, next: found.next + start };
      if (!this.ledger.inside(cut.end) && !this.ledger.inside(cut.next) && this.fits(start, cut.end)) return cut;
      to = cut.end - 1;
    }
    return undefined;
  }

  /** The marks by their places in a view. */
  readonly #marksFromHere: Marks = {
    last: (kind, from, to) => this.#fromHere(this.marks.last(kind, from + this.start, to + this.start)),
    first: (kind, from, to) => this.#fromHere(this.marks.first(kind, from + this.start, to + this.start)),
  };

  #fromHere(at: number | undefined): number | undefined {
    return at === undefined ? undefined : at - this.start;
  }

  /** A level of a user's own that answers beside the question would have us go round for ever. */
  #check({ end, next }: Cut, { name }: Level, view: string, from: number, to: number): void {
    if (end > from && end <= to && next >= end && next <= view.length) return;
    const sentence = `level ${name} of strategy ${this.#room.strategy.name} cut at ${end} to ${next}, asked for one past ${from} and up to ${to}`;
    throw new IngestError('config', 'bad-level', sentence);
  }

  fits(i: number, j: number): boolean {
    return this.sizeOf(i, j) <= this.#room.size;
  }

  /** What the chunk `[i, j)` measures as it would be delivered, context included. */
  sizeOf(i: number, j: number): number {
    const { text: context } = this.context;
    if (context === '') return this.measure(i, j);
    const [from, to] = this.delivered(i, j);
    return this.#room.measure.count(embedded(context, this.ledger.slice(from, to)));
  }

  /** What goes before the text of the chunk that begins here: the document's context, and what to call the place within a record. */
  get context(): Context {
    if (this.#docContext === undefined && !this.hasRecords) return NO_CONTEXT;
    if (this.#context.at !== this.start) {
      const { measure, size } = this.#room;
      const parts = [this.#docContext, this.marks.labelAt(this.start)];
      this.#context = { at: this.start, ...contextOf(parts, measure, size) };
    }
    return this.#context;
  }

  /** What `[i, j)` measures by itself. */
  measure(i: number, j: number): number {
    const [from, to] = this.delivered(i, j);
    const last = this.#lastSize;
    if (last.from === from && last.to === to) return last.size;
    const size = this.ruler.size(from, to);
    this.#lastSize = { from, to, size };
    return size;
  }

  /** What of `[i, j)` goes out: without blanks at its edges, if these are left out. */
  delivered(i: number, j: number): [number, number] {
    if (!this.#room.trim) return [i, j];
    const { text } = this.ledger;
    let from = firstShown(text, i, j);
    if (from < 0) return [i, j];
    let to = lastShown(text, from, j);
    while (from > i && this.ledger.inside(from)) from--;
    while (to < j && this.ledger.inside(to)) to++;
    return [from, to];
  }
}

/** For a level that only looks back: asked again before each answer, until there is none. */
function nearestOf(level: Level, view: string, from: number, to: number, marks: Marks): Cut | undefined {
  // Near places first, so that a far edge does not make every cut before it be found.
  for (let stretch = 256, begun = from; begun < to; begun += stretch, stretch *= 2) {
    let nearest: Cut | undefined;
    for (let end = Math.min(to, begun + stretch); ; ) {
      const found = level.last(view, begun, end, marks);
      if (found === undefined || found.end <= begun) break;
      nearest = found;
      end = found.end - 1;
      if (end <= begun) break;
    }
    if (nearest !== undefined) return nearest;
  }
  return undefined;
}
