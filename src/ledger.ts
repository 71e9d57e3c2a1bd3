/**
 * A sliding window of text that can say which source bytes any part of it came from. Segments go in at the end, text is
 * forgotten at the front; positions are UTF-16 indexes into the present window. It never searches (law L2), costs one
 * forward walk over text that is not plain ASCII (law L12), and holds no more than its user appends and does not drop (L8).
 */
import { bytesWithin, widthWithin } from './segment.js';
import type { Charset, Segment } from './types.js';

/** Bytes per unit of a run: 0 = UTF-8, walk it; -1 = replaced text, which has no inside. */
type Width = 0 | 1 | 2 | -1;

/** A stretch of text with contiguous bytes. `at` and `to` count units from the beginning of the document. */
interface Run {
  at: number;
  to: number;
  start: number;
  end: number;
  readonly width: Width;
  /** Of a segment that has escapes: these, and where its text and its bytes began. */
  readonly escaped?: { readonly escapes: readonly number[]; readonly at: number; readonly start: number };
}

/** A place found by walking, kept so that the next search in order goes on from it. Run -1: none yet. */
interface Cursor {
  run: number;
  at: number;
  byte: number;
}

/** Forgotten runs that may stay in the array: each may hold a long list of escapes. */
const DEAD_RUNS = 32;

export class Ledger {
  /** The settled window. Appended text is in it only after `settle`. */
  text = '';
  readonly #charset: Charset;
  /** Units of the document before the window. */
  #base = 0;
  /**
   * The segments' own strings, of which `text` is joined, and where each begins. They are kept because an engine stores a
   * string that holds one wide character, and every slice of it, at two bytes a unit; a slice of a segment stays narrow.
   */
  #pieces: string[] = [];
  #pieceAt: number[] = [];
  /** Units appended since the last `settle`: joining at every append would be quadratic for small segments. */
  #unsettled = 0;
  #units = 0;
  #runs: Run[] = [];
  /** Runs before this one are forgotten; the array is shortened now and then. */
  #first = 0;
  #starts: Cursor = { run: -1, at: 0, byte: 0 };
  #ends: Cursor = { run: -1, at: 0, byte: 0 };

  constructor(charset: Charset) {
    this.#charset = charset;
  }

  /** Units held, settled or not. */
  get length(): number {
    return this.#units;
  }

  append(segment: Segment): void {
    const { text, start, end } = segment;
    const at = this.#base + this.#units;
    const width = this.#widthOf(segment);
    const last = this.#runs.length > this.#first ? this.#runs[this.#runs.length - 1] : undefined;
    const { escapes } = segment;
    if (escapes !== undefined) {
      this.#runs.push({ at, to: at + text.length, start, end, width, escaped: { escapes, at, start } });
    } else if (last !== undefined && width !== -1 && last.width === width && last.end === start && !last.escaped) {
      last.to += text.length;
      last.end = end;
    } else this.#runs.push({ at, to: at + text.length, start, end, width });
    this.#pieces.push(text);
    this.#pieceAt.push(at);
    this.#unsettled += text.length;
    this.#units += text.length;
  }

  /** Makes all appended text part of `text`. */
  settle(): void {
    if (this.#unsettled === 0) return;
    this.#unsettled = 0;
    const joined = this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join('');
    this.text = joined.slice(this.#base - this.#pieceAt[0]!);
  }

  /** `text.slice(i, j)`, taken from a segment's own string where it lies in one. */
  slice(i: number, j: number): string {
    const at = this.#base + i;
    let low = 0;
    let high = this.#pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#pieceAt[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    const piece = this.#pieces[low]!;
    const from = at - this.#pieceAt[low]!;
    return from + j - i <= piece.length ? piece.slice(from, from + j - i) : this.text.slice(i, j);
  }

  /** Forgets the first `units` of the settled text. */
  drop(units: number): void {
    if (units === 0) return;
    const at = this.#base + units;
    const byte = units < this.#units ? this.startOf(units) : 0;
    while (this.#first < this.#runs.length && this.#runs[this.#first]!.to <= at) this.#first++;
    const run = this.#runs[this.#first];
    if (run !== undefined && run.at < at) {
      run.at = at;
      run.start = byte;
    }
    this.text = this.text.slice(units);
    this.#base = at;
    this.#units -= units;
    let gone = 0;
    while (gone < this.#pieces.length && this.#pieceAt[gone]! + this.#pieces[gone]!.length <= at) gone++;
    this.#pieces.splice(0, gone);
    this.#pieceAt.splice(0, gone);
    if (this.#first > DEAD_RUNS && this.#first * 2 > this.#runs.length) this.#shorten();
  }

  /** The source byte at which unit `i` begins; `i` is inside the window. Cheapest when asked in order. */
  startOf(i: number): number {
    const at = this.#base + i;
    const index = this.#find(this.#starts, at);
    const run = this.#runs[index]!;
    return run.at === at ? run.start : this.#walk(this.#starts, index, at);
  }

  /** The source byte just after unit `j - 1`, so that `[startOf(i), endOf(j))` are the bytes of `[i, j)`. `j > 0`. */
  endOf(j: number): number {
    const at = this.#base + j;
    const index = this.#find(this.#ends, at - 1);
    const run = this.#runs[index]!;
    return run.to === at ? run.end : this.#walk(this.#ends, index, at);
  }

  /**
   * The settled text `[i, j)` as segments again: one for each run of it that has contiguous bytes. None for an empty range.
   * Only for ledgers of segments without escapes.
   */
  segments(i: number, j: number): Segment[] {
    const segments: Segment[] = [];
    const to = this.#base + j;
    let at = this.#base + i;
    for (let index = i < j ? this.#find(this.#starts, at) : this.#runs.length; at < to; index++) {
      const run = this.#runs[index]!;
      const stop = Math.min(run.to, to);
      const [from, until] = [at - this.#base, stop - this.#base];
      const text = this.slice(from, until);
      const whole = run.at === at && run.to === stop;
      const [start, end] = whole ? [run.start, run.end] : [this.startOf(from), this.endOf(until)];
      segments.push({ text, start, end, verbatim: run.width !== -1 });
      at = stop;
    }
    return segments;
  }

  /** True when a cut at `at` would fall inside text that stands for its bytes as a whole. */
  inside(at: number): boolean {
    if (at <= 0 || at >= this.#units) return false;
    const unit = this.#base + at;
    const run = this.#runs[this.#find(this.#ends, unit)]!;
    return run.width === -1 && run.at < unit;
  }

  #widthOf(segment: Segment): Width {
    return segment.verbatim ? widthWithin(segment, this.#charset) : -1;
  }

  /** The run that holds unit `at`: at the cursor, just after it, or else by bisection. */
  #find(cursor: Cursor, at: number): number {
    const near = Math.max(cursor.run, this.#first);
    for (let index = near; index < Math.min(near + 4, this.#runs.length); index++) {
      const run = this.#runs[index]!;
      if (at >= run.at && at < run.to) return index;
    }
    let low = this.#first;
    let high = this.#runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#runs[middle]!.at <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #walk(cursor: Cursor, index: number, at: number): number {
    const run = this.#runs[index]!;
    const width = run.width as 0 | 1 | 2;
    let from = run.at;
    let byte = run.start;
    if (run.escaped !== undefined) {
      const { escapes, at: zero, start } = run.escaped;
      const k = lastEscape(escapes, at - zero);
      const ended = k < 0 ? -1 : zero + escapes[k]! + escapes[k + 1]!;
      if (ended > from) {
        from = ended;
        byte = start + escapes[k + 2]! + escapes[k + 3]!;
      }
    }
    if (width === 0 && cursor.run === index && cursor.at <= at && cursor.at >= from) {
      from = cursor.at;
      byte = cursor.byte;
    }
    cursor.run = index;
    cursor.at = at;
    cursor.byte = byte + bytesWithin(this.text, from - this.#base, at - this.#base, width);
    return cursor.byte;
  }

  #shorten(): void {
    this.#runs.splice(0, this.#first);
    for (const cursor of [this.#starts, this.#ends]) cursor.run = Math.max(0, cursor.run - this.#first);
    this.#first = 0;
  }
}

/** The last escape that begins before unit `at`, as an index into `escapes`; -1: none does. */
function lastEscape(escapes: readonly number[], at: number): number {
  let low = 0;
  let high = escapes.length / 4;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (escapes[middle * 4]! < at) low = middle + 1;
    else high = middle;
  }
  return low * 4 - 4;
}
