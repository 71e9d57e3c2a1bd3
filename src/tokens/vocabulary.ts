/**
 * An encoding's tokens as one table from bytes to rank. Promises an exact answer (the bytes are compared, not only their hash) with
 * no allocation, and is built in about 20 ms for o200k. Everything is typed arrays: 200,000 strings in a Map would cost five times that
 * and be slower to ask.
 *
 * Texts are asked about in place: `bytes` and a DataView on the same buffer, which must have `PADDING` bytes after the last one in use.
 */

import type { Ranks } from './ranks.js';

/** UTF-8 to look into, twice: by byte, and by four bytes at a time. */
export interface Octets {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** Loads of four words may run over the end of a piece by this much. */
export const PADDING = 16;

export function octets(capacity: number): Octets {
  const bytes = new Uint8Array(capacity + PADDING);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** No token of any encoding has more bytes. */
export const LONGEST_TOKEN = 128;

const FILTER_BITS = 20;

/** Not a token. Greater than any rank. */
export const NO_RANK = 0x7fffffff;

/** Row n keeps the first n bytes of four little-endian words, n = 0 to 16. */
export const KEEP = keepMasks();

function keepMasks(): Int32Array {
  const masks = new Int32Array(17 * 4);
  const bytes = new Uint8Array(masks.buffer);
  for (let n = 0; n <= 16; n++) bytes.fill(0xff, n * 16, n * 16 + n);
  return masks;
}

/** Hash of four masked words. */
export function hashWords(a: number, b: number, c: number, d: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35) ^ Math.imul(d, 0x27d4eb2f);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return h ^ (h >>> 13);
}

/** Hash of `[s, e)`; for up to 16 bytes that of the four words. */
export function hashSpan(view: DataView, s: number, e: number): number {
  const n = e - s;
  if (n <= 16) {
    const m = n << 2;
    return hashWords(
      view.getInt32(s, true) & KEEP[m]!,
      view.getInt32(s + 4, true) & KEEP[m + 1]!,
      view.getInt32(s + 8, true) & KEEP[m + 2]!,
      view.getInt32(s + 12, true) & KEEP[m + 3]!,
    );
  }
  let h = n;
  for (let p = s; p + 4 <= e; p += 4) h = Math.imul(h ^ view.getInt32(p, true), 0x9e3779b1) ^ (h >>> 15);
  return hashWords(h, view.getInt32(e - 4, true), 0, 0);
}

export class Vocabulary {
  /** All tokens end to end; token r is [starts[r], starts[r + 1]). */
  readonly #octets: Octets;
  readonly #starts: Int32Array;
  /** Open addressing with linear probing: hash, then rank + 1; 0 is a free slot. Less than half full. */
  readonly #slots: Int32Array;
  readonly #shift: number;
  /**
   * A bit for each hash in use: most questions are about pairs of tokens that are no token, and 128 KB of bits, which stay near,
   * answer five in six of those.
   */
  readonly #seen = new Int32Array(1 << (FILTER_BITS - 5));
  /** Rank of every two-byte token, by `first << 8 | second`: where every merge begins. */
  readonly pairs: Int32Array;
  /** Rank of every one-byte token; all 256 bytes are tokens. */
  readonly singles = new Int32Array(0x100);
  readonly longest: number;
  /** One more than the highest rank. */
  readonly size: number;

  constructor(ranks: Ranks) {
    const packed = pack(ranks);
    this.size = ranks.length;
    this.#octets = packed.octets;
    this.#starts = packed.starts;
    this.longest = packed.longest;
    const bits = 33 - Math.clz32(ranks.length);
    this.#shift = 32 - bits;
    this.#slots = new Int32Array(2 << bits);
    this.pairs = new Int32Array(0x10000).fill(NO_RANK);
    this.#index();
  }

  #index(): void {
    const starts = this.#starts;
    const { bytes, view } = this.#octets;
    const slots = this.#slots;
    const wrap = slots.length - 1;
    for (let rank = 0; rank + 1 < starts.length; rank++) {
      const s = starts[rank]!;
      const e = starts[rank + 1]!;
      if (e - s === 1) this.singles[bytes[s]!] = rank;
      if (e - s === 2) this.pairs[(bytes[s]! << 8) | bytes[s + 1]!] = rank;
      if (e === s) continue;
      const hash = hashSpan(view, s, e);
      let at = (hash >>> this.#shift) << 1;
      while (slots[at + 1] !== 0) at = (at + 2) & wrap;
      this.#seen[hash >>> (37 - FILTER_BITS)]! |= 1 << (hash & 31);
      slots[at] = hash;
      slots[at + 1] = rank + 1;
    }
  }

  /** Rank of the token `[s, e)`, or `NO_RANK`. */
  rank(text: Octets, s: number, e: number): number {
    return e - s > this.longest ? NO_RANK : this.rankOf(text, s, e, hashSpan(text.view, s, e));
  }

  /** The same where the hash is known. */
  rankOf(text: Octets, s: number, e: number, hash: number): number {
    if ((this.#seen[hash >>> (37 - FILTER_BITS)]! & (1 << (hash & 31))) === 0) return NO_RANK;
    const slots = this.#slots;
    const wrap = slots.length - 1;
    let at = (hash >>> this.#shift) << 1;
    for (let found = slots[at + 1]!; found !== 0; at = (at + 2) & wrap, found = slots[at + 1]!) {
      if (slots[at] === hash && this.#equals(found - 1, text, s, e)) return found - 1;
    }
    return NO_RANK;
  }

  #equals(rank: number, text: Octets, s: number, e: number): boolean {
    const n = e - s;
    let t = this.#starts[rank]!;
    if (this.#starts[rank + 1]! - t !== n) return false;
    const mine = this.#octets.view;
    const view = text.view;
    let left = n;
    for (; left >= 4; left -= 4, t += 4, s += 4) if (mine.getInt32(t, true) !== view.getInt32(s, true)) return false;
    return ((mine.getInt32(t, true) ^ view.getInt32(s, true)) & KEEP[left << 2]!) === 0;
  }
}

function pack(ranks: Ranks): { octets: Octets; starts: Int32Array; longest: number } {
  const starts = new Int32Array(ranks.length + 1);
  let out = octets(ranks.length * 8);
  let at = 0;
  let longest = 0;
  for (let rank = 0; rank < ranks.length; rank++) {
    const token = ranks[rank];
    starts[rank] = at;
    if (token === undefined) continue;
    if (at + token.length * 3 + PADDING > out.bytes.length) out = larger(out, at);
    at = typeof token === 'string' ? writeText(out.bytes, at, token) : writeBytes(out.bytes, at, token);
    longest = Math.max(longest, at - starts[rank]!);
  }
  starts[ranks.length] = at;
  return { octets: out, starts, longest };
}

function larger(old: Octets, used: number): Octets {
  const next = octets(old.bytes.length * 2);
  next.bytes.set(old.bytes.subarray(0, used));
  return next;
}

function writeBytes(out: Uint8Array, at: number, token: readonly number[]): number {
  for (let k = 0; k < token.length; k++) out[at++] = token[k]!;
  return at;
}

/** By hand: a call of TextEncoder for each of 200,000 short strings costs three times as much. Tokens hold no lone surrogates. */
function writeText(out: Uint8Array, at: number, token: string): number {
  for (let k = 0; k < token.length; k++) {
    let c = token.charCodeAt(k);
    if (c < 0x80) {
      out[at++] = c;
      continue;
    }
    if (c < 0x800) {
      out[at++] = 0xc0 | (c >> 6);
    } else {
      if (c >= 0xd800 && c < 0xdc00) {
        c = 0x10000 + ((c & 0x3ff) << 10) + (token.charCodeAt(++k) & 0x3ff);
        out[at++] = 0xf0 | (c >> 18);
        out[at++] = 0x80 | ((c >> 12) & 0x3f);
      } else {
        out[at++] = 0xe0 | (c >> 12);
      }
      out[at++] = 0x80 | ((c >> 6) & 0x3f);
    }
    out[at++] = 0x80 | (c & 0x3f);
  }
  return at;
}
