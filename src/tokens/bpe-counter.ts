/**
 * Counts a text in one pass: encode to UTF-8, cut into pieces, look each piece up. Nearly every piece of real text was seen before, so
 * its count comes from a table of one cache line per lookup; else from the vocabulary, if the whole piece is a token; else by merging.
 * Memory is fixed: the tables never grow, and a text is encoded a block at a time (a single piece larger than a block
 * excepted, which is held whole).
 */

import { splitsPair } from '../segment.js';
import type { Ruler, TokenCounter } from '../types.js';
import { BpeRuler } from './bpe-ruler.js';
import { Merger } from './merge.js';
import { type Scanner, SETTLED_BY, scannerOf } from './pieces.js';
import type { BpeEncoding, Ranks } from './ranks.js';
import { hashSpan, hashWords, KEEP, LONGEST_TOKEN, NO_RANK, type Octets, octets, PADDING, Vocabulary } from './vocabulary.js';

/**
 * Pieces seen before, in three tables by length. The first two are sets of two entries: a new piece takes the second place, and the first once
 * it is met again, so that words met once cannot drive out the common ones.
 *
 * Up to 8 bytes, nine pieces in ten: 1 MB, so that all of it stays in a core's own cache. An entry: two words of bytes,
 * `length | count << 8`, one unused.
 */
const TINY_BITS = 15;
const TINY_ENTRY = 4;

/** Up to 16 bytes: 1 MB. An entry: four words of bytes, `length | count << 8`, three unused. */
const SHORT_BITS = 14;
const SHORT_ENTRY = 8;

/** Up to the longest token: 2 MB, one entry to a place: `length | count << 8`, the hash, the bytes as words. */
const LONG_BITS = 14;
const LONG_ENTRY = 2 + LONGEST_TOKEN / 4;

/** UTF-16 units encoded at a time, and the most bytes that one can become. */
const BLOCK = 1 << 15;
const BYTES_PER_UNIT = 3;

/** So near to a block's end, pieces are not final: see `#countBlocks`. */
const TAIL = 256;

const encoder = new TextEncoder();

export class BpeCounter implements TokenCounter {
  readonly name: BpeEncoding;
  readonly scan: Scanner;
  readonly merger: Merger;
  readonly #vocabulary: Vocabulary;
  readonly #tiny = new Int32Array((2 * TINY_ENTRY) << TINY_BITS);
  readonly #short = new Int32Array((2 * SHORT_ENTRY) << SHORT_BITS);
  readonly #long = new Int32Array(LONG_ENTRY << LONG_BITS);
  #scratch = octets(BLOCK * BYTES_PER_UNIT);

  constructor(encoding: BpeEncoding, ranks: Ranks) {
    this.name = encoding;
    this.scan = scannerOf(encoding);
    this.#vocabulary = new Vocabulary(ranks);
    this.merger = new Merger(this.#vocabulary);
  }

  count(text: string): number {
    if (text.length > BLOCK) return this.#countBlocks(text);
    const { written } = encoder.encodeInto(text, this.#scratch.bytes);
    return this.span(this.#scratch, 0, written);
  }

  ruler(): Ruler {
    return new BpeRuler(this);
  }

  /** Tokens in `[s, end)` by itself: `end` is the end of the text. */
  span(text: Octets, s: number, end: number): number {
    const { bytes } = text;
    const { scan } = this;
    let tokens = 0;
    for (let p = s; p < end; ) {
      const e = scan(bytes, p, end);
      tokens += this.piece(text, p, e);
      p = e;
    }
    return tokens;
  }

  /** Tokens in the piece `[s, e)`. */
  piece(text: Octets, s: number, e: number): number {
    const n = e - s;
    if (n > 8) return n > 16 ? this.#longPiece(text, s, e) : this.#shortPiece(text, s, e);
    const m = n << 2;
    const a = text.view.getInt32(s, true) & KEEP[m]!;
    const b = text.view.getInt32(s + 4, true) & KEEP[m + 1]!;
    const hash = hashWords(a, b, 0, 0);
    const table = this.#tiny;
    const at = (hash >>> (32 - TINY_BITS)) * (2 * TINY_ENTRY);
    const first = table[at + 2]!;
    if (((table[at]! ^ a) | (table[at + 1]! ^ b) | ((first & 0xff) ^ n)) === 0) return first >> 8;
    const second = table[at + 6]!;
    if (((table[at + 4]! ^ a) | (table[at + 5]! ^ b) | ((second & 0xff) ^ n)) === 0) {
      table[at + 4] = table[at]!;
      table[at + 5] = table[at + 1]!;
      table[at + 6] = first;
      table[at] = a;
      table[at + 1] = b;
      table[at + 2] = second;
      return second >> 8;
    }
    const tokens = this.#tokens(text, s, e, hash);
    table[at + 4] = a;
    table[at + 5] = b;
    table[at + 6] = n | (tokens << 8);
    return tokens;
  }

  #shortPiece(text: Octets, s: number, e: number): number {
    const n = e - s;
    const m = n << 2;
    const { view } = text;
    const a = view.getInt32(s, true);
    const b = view.getInt32(s + 4, true);
    const c = view.getInt32(s + 8, true) & KEEP[m + 2]!;
    const d = view.getInt32(s + 12, true) & KEEP[m + 3]!;
    const hash = hashWords(a, b, c, d);
    const table = this.#short;
    const first = (hash >>> (32 - SHORT_BITS)) * (2 * SHORT_ENTRY);
    for (let at = first; at <= first + SHORT_ENTRY; at += SHORT_ENTRY) {
      const found = table[at + 4]!;
      const other = (table[at]! ^ a) | (table[at + 1]! ^ b) | (table[at + 2]! ^ c) | (table[at + 3]! ^ d) | ((found & 0xff) ^ n);
      if (other === 0) {
        if (at !== first) this.#swap(first);
        return found >> 8;
      }
    }
    const tokens = this.#tokens(text, s, e, hash);
    const at = first + SHORT_ENTRY;
    table[at] = a;
    table[at + 1] = b;
    table[at + 2] = c;
    table[at + 3] = d;
    table[at + 4] = n | (tokens << 8);
    return tokens;
  }

  /** Exchanges the two entries of the set at `at`. */
  #swap(at: number): void {
    const table = this.#short;
    for (let k = at; k < at + 5; k++) {
      const value = table[k]!;
      table[k] = table[k + SHORT_ENTRY]!;
      table[k + SHORT_ENTRY] = value;
    }
  }

  #longPiece(text: Octets, s: number, e: number): number {
    const n = e - s;
    if (n > LONGEST_TOKEN) return this.#vocabulary.rank(text, s, e) !== NO_RANK ? 1 : this.merger.merge(text, s, e);
    const hash = hashSpan(text.view, s, e);
    const table = this.#long;
    const at = (hash >>> (32 - LONG_BITS)) * LONG_ENTRY;
    const found = table[at]!;
    if ((found & 0xff) === n && table[at + 1] === hash && this.#sameLong(at + 2, text.view, s, e)) return found >> 8;
    const tokens = this.#tokens(text, s, e, hash);
    table[at] = n | (tokens << 8);
    table[at + 1] = hash;
    let slot = at + 2;
    for (let p = s; p + 4 <= e; p += 4) table[slot++] = text.view.getInt32(p, true);
    table[slot] = text.view.getInt32(e - 4, true);
    return tokens;
  }

  #sameLong(slot: number, view: DataView, s: number, e: number): boolean {
    const table = this.#long;
    for (let p = s; p + 4 <= e; p += 4) if (table[slot++] !== view.getInt32(p, true)) return false;
    return (e - s) % 4 === 0 || table[slot] === view.getInt32(e - 4, true);
  }

  /** A piece that is not in the tables. One that is a token counts 1 even where merging would not lead to it. */
  #tokens(text: Octets, s: number, e: number, hash: number): number {
    if (e - s === 1 || this.#vocabulary.rankOf(text, s, e, hash) !== NO_RANK) return 1;
    return this.merger.merge(text, s, e);
  }

  /**
   * A long text, block by block. Pieces near a block's end may yet change, so the next block begins with them: the last three
   * pieces of a block are never counted in it (`SETTLED_BY`).
   */
  #countBlocks(text: string): number {
    let tokens = 0;
    let carried = 0;
    for (let units = 0; units < text.length; ) {
      const to = wholeCharacters(text, units + Math.max(BLOCK, carried));
      this.#reserve(carried, (to - units) * BYTES_PER_UNIT);
      const block = this.#scratch;
      const end = carried + encoder.encodeInto(text.slice(units, to), block.bytes.subarray(carried)).written;
      units = to;
      if (to === text.length) tokens += this.span(block, 0, end);
      else {
        const settled = this.#settled(block, end);
        tokens += settled.tokens;
        block.bytes.copyWithin(0, settled.at, end);
        carried = end - settled.at;
      }
    }
    if (this.#scratch.bytes.length > 4 * BLOCK * BYTES_PER_UNIT) this.#scratch = octets(BLOCK * BYTES_PER_UNIT);
    return tokens;
  }

  /** Room for `more` bytes after the first `used`, which stay. */
  #reserve(used: number, more: number): void {
    const old = this.#scratch.bytes;
    if (used + more + PADDING <= old.length) return;
    this.#scratch = octets(2 * (used + more));
    this.#scratch.bytes.set(old.subarray(0, used));
  }

  /**
   * The tokens before the last three pieces of `[0, end)`, and where those begin. If the pieces near the end are too large to
   * tell, nothing is settled, and the caller comes back with twice the text.
   */
  #settled(block: Octets, end: number): { readonly tokens: number; readonly at: number } {
    const soft = end - TAIL;
    let tokens = 0;
    let p = 0;
    while (p < soft) {
      const e = this.scan(block.bytes, p, end);
      tokens += this.piece(block, p, e);
      p = e;
    }
    const starts: number[] = [];
    const before: number[] = [];
    while (p < end) {
      const e = this.scan(block.bytes, p, end);
      starts.push(p);
      before.push(tokens);
      tokens += this.piece(block, p, e);
      p = e;
    }
    const k = starts.length - SETTLED_BY;
    return k < 0 ? { tokens: 0, at: 0 } : { tokens: before[k]!, at: starts[k]! };
  }
}

/** `to` or one less, so as not to cut a surrogate pair; the text's end at most. */
function wholeCharacters(text: string, to: number): number {
  if (to >= text.length) return text.length;
  return splitsPair(text, to) ? to - 1 : to;
}
