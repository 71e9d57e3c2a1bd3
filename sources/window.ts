/**
 * The decoded text that a scanner of records looks at: what it has not finished with, and what has come since. It maps units of
 * that text to source bytes and hands out segments of it. It can also go back to where the record under way began, so that
 * one stray quote costs a line and not all that it swallowed; for that it keeps the last REWIND_BYTES and no more (law L8).
 */
import { Ledger } from '../src/ledger.js';
import { bytesWithin, widthWithin } from '../src/segment.js';
import type { Charset, Segment } from '../src/types.js';

/** How far back a scanner may go, in source bytes. */
export const REWIND_BYTES = 1 << 19;

/** Bytes that may be read again in all: so many, and besides twice what was read once. So that cost stays linear (law L12). */
const REREAD_BYTES = 1 << 22;

export class TextWindow {
  readonly charset: Charset;
  #ledger: Ledger;
  /** Where what was dropped ended, or before the first the signature. */
  #edge: number;
  /** Units that the scanner has seen already. */
  #seen = 0;
  /** Segments from the one that holds `#keptFrom` on, as they came. */
  #kept: Segment[] = [];
  #keptFrom = Number.POSITIVE_INFINITY;

  /** `start`: the byte where the text begins. */
  constructor(charset: Charset, start = 0) {
    this.charset = charset;
    this.#edge = start;
    this.#ledger = new Ledger(charset);
  }

  /** What is not finished with. */
  get text(): string {
    return this.#ledger.text;
  }

  append(segment: Segment): void {
    this.#ledger.append(segment);
    this.#kept.push(segment);
  }

  /** Whether so much has come since the last look that another is worth it: text held long must not be joined anew each time. */
  get isDue(): boolean {
    return this.#ledger.length > this.#seen * 1.5;
  }

  /** Makes all that has come part of `text`. */
  settle(): void {
    this.#ledger.settle();
    this.#seen = this.#ledger.length;
  }

  /** The scanner is done with the first `units`. */
  drop(units: number): void {
    if (units > 0) this.#edge = this.#ledger.endOf(units);
    this.#ledger.drop(units);
    this.#seen = this.#ledger.length;
    let gone = 0;
    const before = Math.min(this.#keptFrom, this.#ledger.length > 0 ? this.#ledger.startOf(0) : Number.POSITIVE_INFINITY);
    const end = this.#kept.at(-1)?.end ?? 0;
    while (gone < this.#kept.length && this.#kept[gone]!.end <= Math.max(before, end - 2 * REWIND_BYTES)) gone++;
    if (gone > 0) this.#kept.splice(0, gone);
  }

  /** The byte where unit `i` begins; at the end of the text, where the last unit ends. */
  startOf(i: number): number {
    return i < this.#ledger.length ? this.#ledger.startOf(i) : this.endOf(i);
  }

  /** The byte after unit `j - 1`, which may be gone already. */
  endOf(j: number): number {
    return j > 0 ? this.#ledger.endOf(j) : this.#edge;
  }

  /** `[i, j)` as segments of contiguous bytes; none when it is empty. */
  segments(i: number, j: number): Segment[] {
    return this.#ledger.segments(i, j);
  }

  /** Bytes read again so far. */
  #reread = 0;

  /** From now on it can go back to this byte, or to any after it, while that lies no more than REWIND_BYTES back. */
  keepFrom(byte: number): void {
    this.#keptFrom = byte;
  }

  /** Whether `rewind` can go back to this byte from unit `at`: depends on the text only, never on buffers (law L1). */
  reaches(byte: number, at: number): boolean {
    const end = this.endOf(at);
    return byte >= this.#keptFrom && end - byte <= REWIND_BYTES && this.#reread + end - byte <= REREAD_BYTES + 2 * end;
  }

  /**
   * From unit `at`, up to which it was read, the text begins at this byte again, a character's first. `unit`: where that byte
   * is in the text, if it still is there: then this costs next to nothing.
   */
  rewind(byte: number, at: number, unit = -1): void {
    this.#reread += this.endOf(at) - byte;
    if (unit >= 0) {
      this.drop(unit);
      return;
    }
    const again = this.#kept.filter(({ end }) => end > byte);
    this.#edge = byte;
    this.#ledger = new Ledger(this.charset);
    for (const segment of again) this.#ledger.append(segment.start < byte ? after(segment, byte, this.charset) : segment);
    this.settle();
  }

  /**
   * `[i, j)` as text in which escapes are undone. `text` is what it says; `escapes` are four numbers each, in order, as a
   * segment has them, but in units: the unit of `text` where one begins, its units, the unit of the window where it begins,
   * counted from `i`, and its units there. Where a unit is a byte they are the segment's.
   */
  unescaped(i: number, j: number, text: string, escapes: readonly number[]): Segment[] {
    const raw = this.segments(i, j);
    if (escapes.length === 0) return raw;
    const parts = raw.length === 1 ? raw : joined(raw);
    if (parts.length === 1) return [this.#escaped(parts[0]!, text, escapes)];
    let [at, unit, next] = [0, 0, 0];
    return parts.map((part) => {
      const end = at + part.text.length;
      const own: number[] = [];
      let units = part.text.length;
      for (; next < escapes.length && escapes[next + 2]! < end; next += 4) {
        own.push(escapes[next]! - unit, escapes[next + 1]!, escapes[next + 2]! - at, escapes[next + 3]!);
        units += escapes[next + 1]! - escapes[next + 3]!;
      }
      const said = text.slice(unit, unit + units);
      at = end;
      unit += units;
      return own.length === 0 ? part : this.#escaped(part, said, own);
    });
  }

  #escaped(raw: Segment, text: string, escapes: readonly number[]): Segment {
    const { start, end } = raw;
    const width = widthWithin(raw, this.charset);
    return { text, start, end, verbatim: true, escapes: width === 1 ? escapes : inBytes(raw.text, escapes, width) };
  }
}

/** Escapes whose places in `raw` are units, as a segment has them. */
function inBytes(raw: string, escapes: readonly number[], width: 0 | 1 | 2): number[] {
  const counted = escapes.slice();
  let [at, byte] = [0, 0];
  for (let k = 0; k < escapes.length; k += 4) {
    const begins = escapes[k + 2]!;
    const ends = begins + escapes[k + 3]!;
    byte += bytesWithin(raw, at, begins, width);
    counted[k + 2] = byte;
    counted[k + 3] = bytesWithin(raw, begins, ends, width);
    byte += counted[k + 3]!;
    at = ends;
  }
  return counted;
}

/** Verbatim segments that follow each other as one: where the decoder happened to part them may be inside an escape. */
function joined(segments: readonly Segment[]): Segment[] {
  const all: Segment[] = [];
  for (const segment of segments) {
    const last = all.at(-1);
    if (last === undefined || !last.verbatim || !segment.verbatim || last.end !== segment.start) all.push(segment);
    else all[all.length - 1] = { ...last, text: last.text + segment.text, end: segment.end };
  }
  return all;
}

/** The part of a verbatim segment from this byte on. */
function after(segment: Segment, byte: number, charset: Charset): Segment {
  const width = widthWithin(segment, charset);
  let at = 0;
  let start = segment.start;
  for (const character of segment.text) {
    if (start >= byte) break;
    start += bytesWithin(character, 0, character.length, width);
    at += character.length;
  }
  return { text: segment.text.slice(at), start, end: segment.end, verbatim: true };
}
