/**
 * The cutter: text and boundaries in, pieces out. It decides where chunks end, and nothing else does.
 *
 * The window rule makes its output independent of buffers (L1): it decides on a full window or at the end of the document,
 * and what touches the window's edge is undecided. The window bounds what is held (L8). Each piece is measured as it will be
 * delivered, overlap included (L6), and each advances (L7); counts of parts are guides, never answers.
 */
import { type Context, contextOf, embedded, NO_CONTEXT } from '../src/context.js';
import { IngestError } from '../src/errors.js';
import { Joined } from '../src/joined.js';
import { Ledger } from '../src/ledger.js';
import { MarkedPlaces } from '../src/marks.js';
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
  Mark,
  Marks,
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

/** What ends a unit is looked for from so many units before a cut. */
const UNIT_END_UNITS = 64;

/** How often a level is asked again after a cut of its that does not do. */
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
  readonly #ledger: Ledger;
  readonly #marks = new MarkedPlaces();
  /** Whether any of them is of a record or names a place: a strategy's own need no looking for these. */
  #hasRecords = false;
  readonly #ruler: Ruler;
  /** Before every chunk's text, as the document says. */
  readonly #docContext: string | undefined;
  /** Units beyond `#start` that make a full window. */
  readonly #window: number;
  /** Where the next chunk begins, overlap included. */
  #start = 0;
  /** Where its new text begins: `#start` plus the overlap. */
  #fresh = 0;
  /** Where the chunk before began; undefined: this is the first. */
  #before: number | undefined;
  /** Something of the document was looked at. */
  #begun = false;
  /** What goes before the text of a chunk that begins at `at`, '' for nothing, and what that measures. */
  #context = { at: -1, text: '', size: 0 };
  /** What was measured last: the cut that is chosen is mostly the one tried last. */
  #lastSize = { from: -1, to: -1, size: 0 };
  /** What became of text between the last piece and `#fresh`. */
  #gap: DropReason | undefined;

  constructor(doc: Doc, budget: Budget) {
    this.#budget = budget;
    this.#ledger = new Ledger(doc.charset);
    this.#docContext = doc.context;
    this.#ruler = rulerOf(budget.measure);
    this.#window = budget.maxChars + EDGE_UNITS;
  }

  push(segment: Segment): Iterable<Piece> {
    if (segment.mark !== undefined) this.#mark(segment.mark);
    this.#ledger.append(segment);
    return this.#ledger.length - this.#start >= this.#window + SLACK_UNITS ? this.#decide(false) : NOTHING;
  }

  #mark(mark: Mark): void {
    this.#marks.add(this.#ledger.length, mark);
    if (mark.kind !== 'unit' || mark.label !== undefined) this.#hasRecords = true;
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
    const { strategy, maxChars } = this.#budget;
    // A last chunk may reach back to just after the beginning of the one before.
    const reaches = strategy.tail === 'backfill' ? Math.min(this.#start - (this.#before ?? 0), maxChars, this.#start) : 0;
    const dropped = this.#start - reaches;
    ledger.drop(dropped);
    ledger.settle();
    this.#marks.drop(dropped);
    this.#context.at -= dropped;
    this.#fresh -= dropped;
    this.#start -= dropped;
    if (this.#before !== undefined) this.#before -= dropped;
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
    if (this.#mayHaveLead() && this.#dropsLead(shown)) return undefined;
    // Blanks that will not be delivered must not take up room.
    if (trim && this.#start === this.#fresh && shown > this.#start) this.#pass(shown);
    // Only at the end of the document does the text end before the window does.
    const reach = this.#ruler.reach(this.#start, this.#budget.size - this.#contextHere().size, limit);
    // Text many times as long as what fits does not, and is not counted.
    const mayFit = limit === text.length && limit - this.#start <= 4 * (reach - this.#start);
    if (mayFit && !this.#mustEndBefore(limit, shown) && this.#fits(this.#start, limit)) return this.#last(limit);
    const cut = this.#choose(limit, shown, reach);
    if (cut !== undefined) return this.#give(cut);
    // Overlap and blanks leave no room for new text: go on without them.
    if (this.#start < shown) {
      this.#pass(shown);
      return undefined;
    }
    return this.#give(this.#oneCharacter(limit));
  }

  /** Separators begin no chunk but the first, nor that, where they are dropped; and what follows a run that is longer than a window. */
  #mayHaveLead(): boolean {
    const isFirst = !this.#begun;
    this.#begun = true;
    return this.#start === this.#fresh && (isFirst || this.#gap === 'separator');
  }

  /** Passes over separators that the text would begin with. */
  #dropsLead(shown: number): boolean {
    const lead = this.#budget.strategy.levels[0]?.lead?.(this.#view()) ?? 0;
    const end = this.#start + lead;
    if (lead === 0 || this.#ledger.inside(end)) return false;
    this.#gap = end > shown ? 'separator' : (this.#gap ?? 'blank');
    this.#start = this.#fresh = end;
    return true;
  }

  /** What is left of the document. It fits. */
  #last(end: number): Piece | undefined {
    const { size, maxChars, strategy } = this.#budget;
    const { tail = 'keep' } = strategy;
    const stays = tail === 'keep' || this.#before === undefined || this.#sizeOf(this.#start, end) >= size;
    if (!stays && tail === 'drop') {
      this.#gap = 'tail';
      this.#start = this.#fresh = end;
      return undefined;
    }
    if (!stays) {
      const begun = this.#start;
      const floor = Math.max(this.#before! + 1, end - maxChars);
      this.#start = this.#tailStart(this.#delivered(begun, end)[1], size, floor, begun) ?? begun;
      if (!this.#fits(this.#start, end)) this.#start = begun;
    }
    return this.#give({ end, next: end });
  }

  /**
   * Whether the chunk has to end before the end of the document even though all of it fits: each unit is a chunk; and what is left of
   * a record that goes on where the chunk begins is one.
   */
  #mustEndBefore(limit: number, shown: number): boolean {
    const { levels } = this.#budget.strategy;
    if (this.#enough !== undefined && this.#nearestUnit(levels[0]!, this.#view(), shown, limit - 1)?.isLarge) return true;
    if (!this.#hasRecords || this.#beginsRecord()) return false;
    return this.#marks.first('record', this.#start + 1, limit - 1) !== undefined;
  }

  #beginsRecord(): boolean {
    return this.#marks.first('record', this.#start, this.#start) !== undefined;
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

  /** The cut that the strategy asks for; at last one between characters. */
  #choose(limit: number, shown: number, reach: number): Chosen | undefined {
    const { strategy } = this.#budget;
    const { levels, oversize } = strategy;
    const view = this.#view();
    let small: Cut | undefined;
    for (const [n, level] of levels.entries()) {
      const isUnit = n === 0 && this.#enough !== undefined;
      const cut = isUnit ? this.#nearestUnit(level, view, shown, reach)?.cut : this.#furthest(level, view, shown, reach);
      const keeps = n === 0 && strategy.keepsUnits === true;
      if (cut === undefined) {
        // What would have to be cut for the sake of an overlap goes without: a record, and a unit that fits by itself.
        if (level.binding === true && this.#repeatsRecords()) return undefined;
        if (keeps && this.#start < this.#fresh && this.#fitsFrom(shown, level, view, reach - this.#start, limit))
          return undefined;
        continue;
      }
      const endsUnit = isUnit && strategy.packing === 'each';
      if (endsUnit || level.binding === true || this.#isLarge(cut)) return { ...cut, endsUnit };
      if (keeps && this.#fitsFrom(cut.next, level, view, reach - this.#start, limit)) return cut;
      small = cut;
    }
    if (oversize === 'keep') return small ?? this.#wholeUnit(levels.at(-1), view, shown, limit);
    return this.#furthest(grapheme, view, shown, reach) ?? this.#furthest(codePoint, view, shown, reach);
  }

  /** What a chunk measures that ends at the nearest unit; undefined: it takes all that fits. */
  get #enough(): number | undefined {
    const { minSize, strategy } = this.#budget;
    return strategy.targetSize ?? (strategy.packing === 'each' ? minSize : undefined);
  }

  #isLarge({ end }: Cut, least = this.#budget.minSize): boolean {
    return least <= 1 || this.#sizeOf(this.#start, end) >= least;
  }

  /** The nearest cut that makes a chunk that is large enough; else the furthest that fits. */
  #nearestUnit(level: Level, view: string, shown: number, reach: number): { cut: Cut; isLarge: boolean } | undefined {
    const enough = this.#enough ?? 0;
    const short = enough > 1 ? this.#ruler.reach(this.#start, enough - 1 - this.#contextHere().size, reach) : shown;
    let from = Math.max(shown, short - 1);
    for (;;) {
      const cut = this.#nearest(level, view, from, reach);
      if (cut === undefined || !this.#fits(this.#start, cut.end)) break;
      if (this.#isLarge(cut, enough)) return { cut, isLarge: true };
      from = cut.end;
    }
    const cut = this.#furthest(level, view, shown, reach);
    return cut && { cut, isLarge: false };
  }

  /** Whether the unit that begins here fits the budget by itself. One many times as long as what `fit` does not, and is not counted. */
  #fitsFrom(at: number, level: Level, view: string, fit: number, limit: number): boolean {
    const far = Math.min(limit, at + 4 * fit);
    const end = this.#nearest(level, view, at, far)?.end ?? far;
    const isWhole = end < far || (far === limit && limit === this.#ledger.text.length);
    return isWhole && this.#measure(at, end) <= this.#budget.size;
  }

  /** A unit over the budget, whole: to its end, or as far as the longest chunk goes. An overlap before it is left out. */
  #wholeUnit(level: Level | undefined, view: string, shown: number, limit: number): Cut | undefined {
    if (this.#start < this.#fresh) return undefined;
    return (level && this.#nearest(level, view, shown, limit)) ?? { end: limit, next: limit };
  }

  #nearest(level: Level, view: string, from: number, reach: number): Cut | undefined {
    const start = this.#start;
    for (let after = from; after < reach; ) {
      const found =
        level.first === undefined
          ? nearestOf(level, view, after - start, reach - start, this.#marksFromHere)
          : level.first(view, after - start, reach - start, this.#marksFromHere);
      if (found === undefined) return undefined;
      this.#check(found, level, view, after - start, reach - start);
      const cut = { end: found.end + start, next: found.next + start };
      if (!this.#ledger.inside(cut.end) && !this.#ledger.inside(cut.next)) return cut;
      after = cut.end;
    }
    return undefined;
  }

  #repeatsRecords(): boolean {
    return this.#start < this.#fresh && this.#marks.first('record', this.#fresh, this.#fresh) !== undefined;
  }

  #furthest(level: Level, view: string, from: number, reach: number): Cut | undefined {
    const start = this.#start;
    let to = reach;
    for (let tries = 0; tries < TRIES && to > from; tries++) {
      const found = level.last(view, from - start, to - start, this.#marksFromHere);
      if (found === undefined) return undefined;
      this.#check(found, level, view, from - start, to - start);
      const cut = { end: found.end + start, next: found.next + start };
      if (!this.#ledger.inside(cut.end) && !this.#ledger.inside(cut.next) && this.#fits(start, cut.end)) return cut;
      to = cut.end - 1;
    }
    return undefined;
  }

  /** The marks by their places in a view. */
  readonly #marksFromHere: Marks = {
    last: (kind, from, to) => this.#fromHere(this.#marks.last(kind, from + this.#start, to + this.#start)),
    first: (kind, from, to) => this.#fromHere(this.#marks.first(kind, from + this.#start, to + this.#start)),
  };

  #fromHere(at: number | undefined): number | undefined {
    return at === undefined ? undefined : at - this.#start;
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

  /** What the chunk `[#start, j)` measures as it would be delivered, context included. */
  #sizeOf(i: number, j: number): number {
    const { text: context } = this.#contextHere();
    if (context === '') return this.#measure(i, j);
    const [from, to] = this.#delivered(i, j);
    return this.#budget.measure.count(embedded(context, this.#ledger.slice(from, to)));
  }

  /** What goes before the text of the chunk that begins here: the document's context, and what to call the place within a record. */
  #contextHere(): Context {
    if (this.#docContext === undefined && !this.#hasRecords) return NO_CONTEXT;
    if (this.#context.at !== this.#start) {
      const { measure, size } = this.#budget;
      const parts = [this.#docContext, this.#marks.labelAt(this.#start)];
      this.#context = { at: this.#start, ...contextOf(parts, measure, size) };
    }
    return this.#context;
  }

  /** What `[i, j)` measures by itself. */
  #measure(i: number, j: number): number {
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
  #give(cut: Chosen): Piece {
    const ledger = this.#ledger;
    const { tokens } = this.#budget;
    const [i, j] = this.#delivered(this.#start, cut.end);
    const text = ledger.slice(i, j);
    const gap = this.#gap;
    const { text: context } = this.#contextHere();
    const record = this.#hasRecords ? this.#marks.recordsIn(i, j) : undefined;
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
    this.#before = this.#start;
    this.#start = this.#overlapStart(cut, i, j);
    this.#fresh = cut.next;
    return piece;
  }

  /** What the strategy knows of the chunk, and whether it was kept whole over the budget. */
  #metadataOf(i: number, end: number): Piece['metadata'] {
    const known = this.#marks.any ? this.#marks.metadataAt(i) : undefined;
    const isOver = this.#budget.strategy.oversize === 'keep' && !this.#fits(this.#start, end);
    return isOver ? { ...known, oversize: true } : known;
  }

  #tokensOf(tokens: TokenCounter, context: string, text: string, end: number): number {
    if (tokens === this.#budget.measure) return this.#sizeOf(this.#start, end);
    return tokens.count(embedded(context, text));
  }

  /**
   * Where the longest tail of the piece [begun, ended) begins that fits the overlap and starts at a word; else at a character;
   * else nowhere. Always after `begun`, so that chunks advance, and no larger a part of the window than of the budget: text
   * that counts for little must not be delivered over and over.
   */
  #overlapStart(cut: Chosen, begun: number, ended: number): number {
    const { overlap, size, maxChars } = this.#budget;
    if (overlap === 0 || cut.end === this.#ledger.length || this.#endsUnit(cut)) return cut.next;
    const floor = Math.max(begun + 1, cut.next - Math.floor((maxChars * overlap) / size));
    if (this.#hasRecords && this.#marks.first('record', cut.next, cut.next) !== undefined)
      return this.#wholeRecords(floor < ended ? this.#ruler.reachBack(ended, overlap, floor) : ended, ended) ?? cut.next;
    return this.#tailStart(ended, overlap, floor, ended) ?? cut.next;
  }

  /** Whether units are chunks of their own and one ends here, but for blanks: nothing is repeated from one to the next. */
  #endsUnit({ endsUnit, next }: Chosen): boolean {
    const { packing, levels } = this.#budget.strategy;
    if (packing !== 'each' || endsUnit === true) return endsUnit === true;
    const view = this.#view();
    const shown = firstShown(this.#ledger.text, next, Math.min(this.#ledger.text.length, this.#start + view.length));
    if (shown <= next || levels[0] === undefined) return false;
    // What ends the unit may have begun before the cut.
    let unit: Cut | undefined;
    for (let from = Math.max(this.#start, next - UNIT_END_UNITS); ; from = unit.end) {
      unit = this.#nearest(levels[0], view, from, shown);
      if (unit === undefined || unit.end > next) return unit !== undefined;
    }
  }

  /** Where the longest tail of the text before `ended` begins that measures no more than `size`, from `floor` on and before `limit`. */
  #tailStart(ended: number, size: number, floor: number, limit: number): number | undefined {
    // A last chunk that reaches back begins before the present one.
    const start = Math.min(this.#start, floor);
    const view = this.#view(start);
    const from = floor < ended ? this.#ruler.reachBack(ended, size, floor) : ended;
    const { overlapStarts } = this.#budget.strategy;
    const starts: readonly OverlapStart[] =
      overlapStarts === undefined ? OVERLAP_STARTS : [[overlapStarts, Number.POSITIVE_INFINITY]];
    for (const [isStart, looks] of starts) {
      for (let at = from, tries = 0; at < Math.min(limit, from + looks) && tries < TRIES; at++) {
        if (!isStart(view, at - start) || this.#ledger.inside(at)) continue;
        if (this.#measure(at, ended) <= size) return at;
        tries++;
      }
    }
    return undefined;
  }

  /** Of chunks of whole records, only whole records are repeated. */
  #wholeRecords(from: number, ended: number): number | undefined {
    let at = this.#marks.first('record', from, ended - 1);
    for (let tries = 0; at !== undefined && tries < TRIES; tries++) {
      if (this.#measure(at, ended) <= this.#budget.overlap) return at;
      at = this.#marks.first('record', at + 1, ended - 1);
    }
    return undefined;
  }

  /** What boundaries may look at: the window and no more, however much has arrived, and nothing before the chunk. */
  #view(from = this.#start): string {
    return this.#ledger.text.slice(from, this.#start + this.#window);
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
