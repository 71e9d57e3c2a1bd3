/**
 * The cutter: text and boundaries in, pieces out. It decides where chunks end, and nothing else does.
 *
 * The window rule makes its output independent of buffers (L1): it decides on a full window or at the end of the document,
 * and what touches the window's edge is undecided. The window bounds what is held (L8). Each piece is measured as it will be
 * delivered, overlap included (L6), and each advances (L7); counts of parts are guides, never answers.
 */
import { embedded } from '../src/context.js';
import { Joined } from '../src/joined.js';
import type { Chunker, Cut, Doc, DropReason, Gap, Level, Machine, Piece, Segment, TokenCounter } from '../src/types.js';
import { CLUSTER_UNITS, codePoint, firstShown, grapheme, startsCharacter, startsWord } from './boundaries/levels.js';
import { CutWindow, type Room } from './window.js';

export interface Budget extends Room {
  /** Most that is repeated from the chunk before; < size. */
  readonly overlap: number;
  /** A boundary that would make a chunk smaller than this is passed over for a finer one. The last chunk may be smaller. */
  readonly minSize: number;
  /** Counts `tokens`; absent: not counted. */
  readonly tokens?: TokenCounter;
}

/** What ends a unit is looked for from so many units before a cut. */
const UNIT_END_UNITS = 64;

/** How many places an overlap may start at are measured. */
const TRIES = 32;

/** Where an overlap may start, best first, and how many places are looked at: clusters of characters are costly to find. */
type OverlapStart = readonly [isStart: (view: string, at: number) => boolean, looks: number];
const OVERLAP_STARTS: readonly OverlapStart[] = [
  [startsWord, Number.POSITIVE_INFINITY],
  [startsCharacter, CLUSTER_UNITS],
];

const NOTHING: readonly never[] = [];

export function chunker(budget: Budget): Chunker {
  const { prepare } = budget.strategy;
  if (prepare === undefined) return (doc) => new Cutter(doc, budget);
  return (doc) => new Joined(prepare(doc), new Cutter(doc, budget));
}

/** `endsUnit`: units are chunks of their own, and one ends here. */
interface Chosen extends Cut {
  readonly endsUnit?: boolean;
}

class Cutter implements Machine<Segment, Piece | Gap> {
  readonly #budget: Budget;
  readonly #held: CutWindow;
  /** Where the new text of the next chunk begins: its start plus the overlap. */
  #fresh = 0;
  /** Where the chunk before began; undefined: this is the first. */
  #before: number | undefined;
  /** Something of the document was looked at. */
  #begun = false;
  /** What became of text between the last piece and `#fresh`. */
  #gap: DropReason | undefined;

  constructor(doc: Doc, budget: Budget) {
    this.#budget = budget;
    this.#held = new CutWindow(doc, budget);
  }

  push(segment: Segment): Iterable<Piece> {
    this.#held.append(segment);
    return this.#held.isOverfull ? this.#decide(false) : NOTHING;
  }

  *end(): Iterable<Piece | Gap> {
    yield* this.#decide(true);
    if (this.#gap !== undefined && this.#gap !== 'blank') yield { gap: this.#gap };
  }

  *#decide(final: boolean): Iterable<Piece> {
    this.#slide();
    const { length } = this.#held.ledger;
    while (final ? this.#fresh < length : this.#held.isFull) {
      const piece = this.#next();
      if (piece !== undefined) yield piece;
    }
  }

  #slide(): void {
    const { strategy, maxChars } = this.#budget;
    const { start } = this.#held;
    // A last chunk may reach back to just after the beginning of the one before.
    const reaches = strategy.tail === 'backfill' ? Math.min(start - (this.#before ?? 0), maxChars, start) : 0;
    const dropped = start - reaches;
    this.#held.slide(dropped);
    this.#fresh -= dropped;
    if (this.#before !== undefined) this.#before -= dropped;
  }

  /** Makes the next piece, or passes over blank text and gives none. */
  #next(): Piece | undefined {
    const { text } = this.#held.ledger;
    const { maxChars, trim } = this.#budget;
    const limit = this.#held.edge(Math.min(text.length, this.#held.start + maxChars), this.#held.start);
    let shown = firstShown(text, this.#fresh, limit);
    if (shown < 0) {
      this.#pass(this.#held.edge(limit, this.#fresh));
      return undefined;
    }
    while (this.#held.ledger.inside(shown)) shown--;
    if (this.#mayHaveLead() && this.#dropsLead(shown)) return undefined;
    // Blanks that will not be delivered must not take up room.
    if (trim && this.#held.start === this.#fresh && shown > this.#held.start) this.#pass(shown);
    // Only at the end of the document does the text end before the window does.
    const reach = this.#held.ruler.reach(this.#held.start, this.#budget.size - this.#held.context.size, limit);
    // Text many times as long as what fits does not, and is not counted.
    const mayFit = limit === text.length && limit - this.#held.start <= 4 * (reach - this.#held.start);
    if (mayFit && !this.#mustEndBefore(limit, shown) && this.#held.fits(this.#held.start, limit)) return this.#last(limit);
    const cut = this.#choose(limit, shown, reach);
    if (cut !== undefined) return this.#give(cut);
    // Overlap and blanks leave no room for new text: go on without them.
    if (this.#held.start < shown) {
      this.#pass(shown);
      return undefined;
    }
    return this.#give(this.#oneCharacter(limit));
  }

  /** Separators begin no chunk but the first, nor that, where they are dropped; and what follows a run that is longer than a window. */
  #mayHaveLead(): boolean {
    const isFirst = !this.#begun;
    this.#begun = true;
    return this.#held.start === this.#fresh && (isFirst || this.#gap === 'separator');
  }

  /** Passes over separators that the text would begin with. */
  #dropsLead(shown: number): boolean {
    const lead = this.#budget.strategy.levels[0]?.lead?.(this.#held.view()) ?? 0;
    const end = this.#held.start + lead;
    if (lead === 0 || this.#held.ledger.inside(end)) return false;
    this.#gap = end > shown ? 'separator' : (this.#gap ?? 'blank');
    this.#held.start = this.#fresh = end;
    return true;
  }

  /** What is left of the document. It fits. */
  #last(end: number): Piece | undefined {
    const { size, maxChars, strategy } = this.#budget;
    const { tail = 'keep' } = strategy;
    const stays = tail === 'keep' || this.#before === undefined || this.#held.sizeOf(this.#held.start, end) >= size;
    if (!stays && tail === 'drop') {
      this.#gap = 'tail';
      this.#held.start = this.#fresh = end;
      return undefined;
    }
    if (!stays) {
      const begun = this.#held.start;
      const floor = Math.max(this.#before! + 1, end - maxChars);
      this.#held.start = this.#tailStart(this.#held.delivered(begun, end)[1], size, floor, begun) ?? begun;
      if (!this.#held.fits(this.#held.start, end)) this.#held.start = begun;
    }
    return this.#give({ end, next: end });
  }

  /**
   * Whether the chunk has to end before the end of the document even though all of it fits: each unit is a chunk; and what is left of
   * a record that goes on where the chunk begins is one.
   */
  #mustEndBefore(limit: number, shown: number): boolean {
    const { levels } = this.#budget.strategy;
    if (this.#enough !== undefined && this.#nearestUnit(levels[0]!, this.#held.view(), shown, limit - 1)?.isLarge) return true;
    if (!this.#held.hasRecords || this.#beginsRecord()) return false;
    return this.#held.marks.first('record', this.#held.start + 1, limit - 1) !== undefined;
  }

  #beginsRecord(): boolean {
    return this.#held.marks.first('record', this.#held.start, this.#held.start) !== undefined;
  }

  /** Leaves blank text before `at` undelivered. */
  #pass(at: number): void {
    if (at > this.#fresh) this.#gap ??= 'blank';
    this.#held.start = this.#fresh = at;
  }

  /** The cut that the strategy asks for; at last one between characters. */
  #choose(limit: number, shown: number, reach: number): Chosen | undefined {
    const { strategy } = this.#budget;
    const { levels, oversize } = strategy;
    const view = this.#held.view();
    let small: Cut | undefined;
    for (const [n, level] of levels.entries()) {
      const isUnit = n === 0 && this.#enough !== undefined;
      const cut = isUnit ? this.#nearestUnit(level, view, shown, reach)?.cut : this.#held.furthest(level, view, shown, reach);
      const keeps = n === 0 && strategy.keepsUnits === true;
      if (cut === undefined) {
        // What would have to be cut for the sake of an overlap goes without: a record, and a unit that fits by itself.
        if (level.binding === true && this.#repeatsRecords()) return undefined;
        if (keeps && this.#held.start < this.#fresh && this.#fitsFrom(shown, level, view, reach - this.#held.start, limit))
          return undefined;
        continue;
      }
      const endsUnit = isUnit && strategy.packing === 'each';
      if (endsUnit || level.binding === true || this.#isLarge(cut)) return { ...cut, endsUnit };
      if (keeps && this.#fitsFrom(cut.next, level, view, reach - this.#held.start, limit)) return cut;
      small = cut;
    }
    if (oversize === 'keep') return small ?? this.#wholeUnit(levels.at(-1), view, shown, limit);
    return this.#held.furthest(grapheme, view, shown, reach) ?? this.#held.furthest(codePoint, view, shown, reach);
  }

  /** What a chunk measures that ends at the nearest unit; undefined: it takes all that fits. */
  get #enough(): number | undefined {
    const { minSize, strategy } = this.#budget;
    return strategy.targetSize ?? (strategy.packing === 'each' ? minSize : undefined);
  }

  #isLarge({ end }: Cut, least = this.#budget.minSize): boolean {
    return least <= 1 || this.#held.sizeOf(this.#held.start, end) >= least;
  }

  /** The nearest cut that makes a chunk that is large enough; else the furthest that fits. */
  #nearestUnit(level: Level, view: string, shown: number, reach: number): { cut: Cut; isLarge: boolean } | undefined {
    const enough = this.#enough ?? 0;
    const short = enough > 1 ? this.#held.ruler.reach(this.#held.start, enough - 1 - this.#held.context.size, reach) : shown;
    let from = Math.max(shown, short - 1);
    for (;;) {
      const cut = this.#held.nearest(level, view, from, reach);
      if (cut === undefined || !this.#held.fits(this.#held.start, cut.end)) break;
      if (this.#isLarge(cut, enough)) return { cut, isLarge: true };
      from = cut.end;
    }
    const cut = this.#held.furthest(level, view, shown, reach);
    return cut && { cut, isLarge: false };
  }

  /** Whether the unit that begins here fits the budget by itself. One many times as long as what `fit` does not, and is not counted. */
  #fitsFrom(at: number, level: Level, view: string, fit: number, limit: number): boolean {
    const far = Math.min(limit, at + 4 * fit);
    const end = this.#held.nearest(level, view, at, far)?.end ?? far;
    const isWhole = end < far || (far === limit && limit === this.#held.ledger.text.length);
    return isWhole && this.#held.measure(at, end) <= this.#budget.size;
  }

  /** A unit over the budget, whole: to its end, or as far as the longest chunk goes. An overlap before it is left out. */
  #wholeUnit(level: Level | undefined, view: string, shown: number, limit: number): Cut | undefined {
    if (this.#held.start < this.#fresh) return undefined;
    return (level && this.#held.nearest(level, view, shown, limit)) ?? { end: limit, next: limit };
  }

  #repeatsRecords(): boolean {
    return this.#held.start < this.#fresh && this.#held.marks.first('record', this.#fresh, this.#fresh) !== undefined;
  }

  /** The first character, which alone is over the budget: it goes out all the same, for nothing may be lost. */
  #oneCharacter(limit: number): Cut {
    const end = Math.min(limit, this.#held.edge(this.#fresh + 1, this.#fresh));
    return { end, next: end };
  }

  /** Makes the piece that ends at the cut, and moves on. */
  #give(cut: Chosen): Piece {
    const ledger = this.#held.ledger;
    const { tokens } = this.#budget;
    const [i, j] = this.#held.delivered(this.#held.start, cut.end);
    const text = ledger.slice(i, j);
    const gap = this.#gap;
    const { text: context } = this.#held.context;
    const record = this.#held.hasRecords ? this.#held.marks.recordsIn(i, j) : undefined;
    const metadata = this.#metadataOf(i, cut.end);
    const piece = {
      text,
      start: ledger.startOf(i),
      end: ledger.endOf(j),
      ...(tokens === undefined ? {} : { tokens: this.#tokensOf(tokens, context, text, cut.end) }),
      ...(context === '' ? {} : { context }),
      ...(record === undefined ? {} : { record }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(gap === undefined ? {} : { gap }),
    };
    this.#gap = cut.next > cut.end && firstShown(ledger.text, cut.end, cut.next) >= 0 ? 'separator' : undefined;
    this.#before = this.#held.start;
    this.#held.start = this.#overlapStart(cut, i, j);
    this.#fresh = cut.next;
    return piece;
  }

  /** What the strategy knows of the chunk, and whether it was kept whole over the budget. */
  #metadataOf(i: number, end: number): Piece['metadata'] {
    const known = this.#held.marks.any ? this.#held.marks.metadataAt(i) : undefined;
    const isOver = this.#budget.strategy.oversize === 'keep' && !this.#held.fits(this.#held.start, end);
    return isOver ? { ...known, oversize: true } : known;
  }

  #tokensOf(tokens: TokenCounter, context: string, text: string, end: number): number {
    if (tokens === this.#budget.measure) return this.#held.sizeOf(this.#held.start, end);
    return tokens.count(embedded(context, text));
  }

  /**
   * Where the longest tail of the piece [begun, ended) begins that fits the overlap and starts at a word; else at a character;
   * else nowhere. Always after `begun`, so that chunks advance, and no larger a part of the window than of the budget: text
   * that counts for little must not be delivered over and over.
   */
  #overlapStart(cut: Chosen, begun: number, ended: number): number {
    const { overlap, size, maxChars } = this.#budget;
    if (overlap === 0 || cut.end === this.#held.ledger.length || this.#endsUnit(cut)) return cut.next;
    const floor = Math.max(begun + 1, cut.next - Math.floor((maxChars * overlap) / size));
    if (this.#held.hasRecords && this.#held.marks.first('record', cut.next, cut.next) !== undefined)
      return this.#wholeRecords(floor < ended ? this.#held.ruler.reachBack(ended, overlap, floor) : ended, ended) ?? cut.next;
    return this.#tailStart(ended, overlap, floor, ended) ?? cut.next;
  }

  /** Whether units are chunks of their own and one ends here, but for blanks: nothing is repeated from one to the next. */
  #endsUnit({ endsUnit, next }: Chosen): boolean {
    const { packing, levels } = this.#budget.strategy;
    if (packing !== 'each' || endsUnit === true) return endsUnit === true;
    const view = this.#held.view();
    const shown = firstShown(
      this.#held.ledger.text,
      next,
      Math.min(this.#held.ledger.text.length, this.#held.start + view.length),
    );
    if (shown <= next || levels[0] === undefined) return false;
    // What ends the unit may have begun before the cut.
    let unit: Cut | undefined;
    for (let from = Math.max(this.#held.start, next - UNIT_END_UNITS); ; from = unit.end) {
      unit = this.#held.nearest(levels[0], view, from, shown);
      if (unit === undefined || unit.end > next) return unit !== undefined;
    }
  }

  /** Where the longest tail of the text before `ended` begins that measures no more than `size`, from `floor` on and before `limit`. */
  #tailStart(ended: number, size: number, floor: number, limit: number): number | undefined {
    // A last chunk that reaches back begins before the present one.
    const start = Math.min(this.#held.start, floor);
    const view = this.#held.view(start);
    const from = floor < ended ? this.#held.ruler.reachBack(ended, size, floor) : ended;
    const { overlapStarts } = this.#budget.strategy;
    const starts: readonly OverlapStart[] =
      overlapStarts === undefined ? OVERLAP_STARTS : [[overlapStarts, Number.POSITIVE_INFINITY]];
    for (const [isStart, looks] of starts) {
      for (let at = from, tries = 0; at < Math.min(limit, from + looks) && tries < TRIES; at++) {
        if (!isStart(view, at - start) || this.#held.ledger.inside(at)) continue;
        if (this.#held.measure(at, ended) <= size) return at;
        tries++;
      }
    }
    return undefined;
  }

  /** Of chunks of whole records, only whole records are repeated. */
  #wholeRecords(from: number, ended: number): number | undefined {
    let at = this.#held.marks.first('record', from, ended - 1);
    for (let tries = 0; at !== undefined && tries < TRIES; tries++) {
      if (this.#held.measure(at, ended) <= this.#budget.overlap) return at;
      at = this.#held.marks.first('record', at + 1, ended - 1);
    }
    return undefined;
  }
}
