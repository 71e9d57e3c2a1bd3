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
  #at = 0;
  #byte: number;

  constructor(segment: Segment, charset: Charset) {
    this.#segment = segment;
    this.#byte = segment.start;
    const width = unitBytes(charset);
    this.#width = width === 0 && segment.text.length === segment.end - segment.start ? 1 : width;
  }

  /** The byte at which unit `at` begins. Never asked for a position before the last one. */
  byteAt(at: number): number {
    const width = this.#width;
    if (width > 0) return this.#segment.start + at * width;
    this.#byte += utf8Bytes(this.#segment.text, this.#at, at);
    this.#at = at;
    return this.#byte;
  }

  /** `i < j`; the whole segment comes back as itself. Only a verbatim segment may be cut. */
  slice(i: number, j: number): Segment {
    const segment = this.#segment;
    if (i === 0 && j === segment.text.length) return segment;
    const start = this.byteAt(i);
    return { text: segment.text.slice(i, j), start, end: this.byteAt(j), verbatim: true };
  }
}

/** Text put in place of everything from `start` to `end`: the hull of what it replaces. */
export function replacement(text: string, start: number, end: number): Segment {
  return { text, start, end, verbatim: false };
}
