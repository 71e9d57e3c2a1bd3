/**
 * The offset algebra for one segment: how many source bytes a stretch of text came from, and slices that keep exact spans.
 * Positions are carried forward, never searched for (law L2). What a window of many segments needs is in ledger.ts.
 */
import type { Charset, Segment } from './types.js';

/** Source bytes for each UTF-16 unit of verbatim text, or 0 where that depends on the character (UTF-8). */
export function unitBytes(charset: Charset): 0 | 1 | 2 {
  if (charset === 'utf-8') return 0;
  return charset.startsWith('utf-16') ? 2 : 1;
}

const encoder = new TextEncoder();

/** Units encoded at once to learn their length, and what that takes at most. */
const ENCODED_UNITS = 1 << 13;
const scratch = new Uint8Array(ENCODED_UNITS * 3);

/** From so many units on, encoding a text and throwing it away is quicker than looking at each unit here. */
const FEW_UNITS = 40;

/** UTF-8 bytes of `text.slice(i, j)`; neither edge inside a surrogate pair. A lone surrogate counts three, as U+FFFD does. */
export function utf8Bytes(text: string, i: number, j: number): number {
  let bytes = 0;
  let at = i;
  while (j - at > FEW_UNITS) {
    let to = Math.min(j, at + ENCODED_UNITS);
    if (to < j && splitsPair(text, to)) to--;
    bytes += encoder.encodeInto(text.slice(at, to), scratch).written;
    at = to;
  }
  for (; at < j; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isHighSurrogate(unit) && at + 1 < j && isLowSurrogate(text.charCodeAt(at + 1))) {
      bytes += 4;
      at++;
    } else bytes += 3;
  }
  return bytes;
}

export function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

export function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/** True when a cut at `at` would part the two halves of one character. */
export function splitsPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1));
}

/** Slices of one segment, asked for in order. Walks forward once, so that any number of slices costs one pass. */
export class Slicer {
  readonly #segment: Segment;
  readonly #width: 0 | 1 | 2;
  readonly #escapes: readonly number[];
  /** The first escape that is not passed yet, as an index into `#escapes`. */
  #next = 0;
  #at = 0;
  #byte: number;

  constructor(segment: Segment, charset: Charset) {
    this.#segment = segment;
    this.#escapes = segment.escapes ?? NO_ESCAPES;
    this.#byte = segment.start;
    this.#width = widthWithin(segment, charset);
  }

  /** The byte at which unit `at` begins. Never asked for a position before the last one, nor inside an escape. */
  byteAt(at: number): number {
    const escapes = this.#escapes;
    while (this.#next < escapes.length && escapes[this.#next]! < at) {
      const next = this.#next;
      this.#at = escapes[next]! + escapes[next + 1]!;
      this.#byte = this.#segment.start + escapes[next + 2]! + escapes[next + 3]!;
      this.#next += 4;
    }
    if (at > this.#at) {
      this.#byte += bytesWithin(this.#segment.text, this.#at, at, this.#width);
      this.#at = at;
    }
    return this.#byte;
  }

  /** `i < j`; the whole segment comes back as itself. Only a verbatim segment may be cut. */
  slice(i: number, j: number): Segment {
    const segment = this.#segment;
    const { text, escapes, mark } = segment;
    if (i === 0 && j === text.length) return segment;
    const start = this.byteAt(i);
    const from = this.#next;
    const end = this.byteAt(j);
    const inner = escapes === undefined ? NO_ESCAPES : rebased(escapes, from, this.#next, i, start - segment.start);
    return {
      text: text.slice(i, j),
      start,
      end,
      verbatim: true,
      ...(inner.length === 0 ? {} : { escapes: inner }),
      ...(i === 0 && mark !== undefined ? { mark } : {}),
    };
  }
}

const NO_ESCAPES: readonly number[] = [];

function rebased(escapes: readonly number[], from: number, to: number, unit: number, byte: number): number[] {
  const inner: number[] = [];
  for (let at = from; at < to; at += 4) {
    inner.push(escapes[at]! - unit, escapes[at + 1]!, escapes[at + 2]! - byte, escapes[at + 3]!);
  }
  return inner;
}

/** Bytes for each unit of a segment's verbatim text, or 0 where that must be looked up character by character. */
export function widthWithin({ text, start, end, escapes = NO_ESCAPES }: Segment, charset: Charset): 0 | 1 | 2 {
  const width = unitBytes(charset);
  if (width > 0) return width;
  let units = text.length;
  let bytes = end - start;
  for (let at = 0; at < escapes.length; at += 4) {
    units -= escapes[at + 1]!;
    bytes -= escapes[at + 3]!;
  }
  return units === bytes ? 1 : 0;
}

/** Bytes of verbatim `text.slice(i, j)`. */
export function bytesWithin(text: string, i: number, j: number, width: 0 | 1 | 2): number {
  return width > 0 ? (j - i) * width : utf8Bytes(text, i, j);
}

/** A segment as what it is made of: verbatim stretches, and a replacement for each escape. The mark is left out. */
export function* simpleParts(segment: Segment, charset: Charset): Iterable<Segment> {
  const { text, start, end, verbatim, escapes } = segment;
  if (escapes === undefined) {
    yield { text, start, end, verbatim };
    return;
  }
  const slicer = new Slicer(segment, charset);
  let at = 0;
  for (let k = 0; k < escapes.length; k += 4) {
    const [unit, units, byte, bytes] = [escapes[k]!, escapes[k + 1]!, escapes[k + 2]!, escapes[k + 3]!];
    if (unit > at) yield { text: text.slice(at, unit), start: slicer.byteAt(at), end: slicer.byteAt(unit), verbatim: true };
    yield replacement(text.slice(unit, unit + units), start + byte, start + byte + bytes);
    at = unit + units;
  }
  if (at < text.length) yield { text: text.slice(at), start: slicer.byteAt(at), end, verbatim: true };
}

/** Text put in place of everything from `start` to `end`: the hull of what it replaces. */
export function replacement(text: string, start: number, end: number): Segment {
  return { text, start, end, verbatim: false };
}
