/**
 * Pre-tokenisation: where OpenAI's splitting patterns cut a text, written out as state machines over UTF-8. A scanner is a pure
 * function of the bytes from `s` on, up to `end`, which it takes for the end of the text: it looks at nothing before `s`.
 * Bytes must be whole UTF-8 characters, as TextEncoder writes them. Kinds of characters come from ./classes.
 *
 * How far a scanner looks beyond the piece it returns, which is what the ruler rests on: a piece that is followed by three more
 * whole pieces was decided by text before the end of the third one, so any text may follow without changing it. Proof by
 * cases. (1) Contractions: at most three bytes past the piece are read, and three pieces have at least three bytes. (2) A run of one
 * class: one character past the piece is read. (3) o200k's letters: the capitals after the last caseless letter are read, and
 * one character more; if they did not join, they are the next piece. (4) White space: the rest of the run is read, and one
 * character more; the rest is at most two more pieces, the second beginning with its last character.
 */

import { DIGIT, kinds, LOWERED, MARK_BIT, NEWLINE_BIT, OTHER, RAISED, SPACE } from './classes.js';
import type { BpeEncoding } from './ranks.js';

/** The end of the piece that begins at `s`; `s < end`. Always beyond `s`. */
export type Scanner = (bytes: Uint8Array, s: number, end: number) => number;

/** How many further pieces settle a piece: see above. */
export const SETTLED_BY = 3;

export function scannerOf(encoding: BpeEncoding): Scanner {
  switch (encoding) {
    case 'o200k_base':
      return o200k;
    case 'cl100k_base':
      return cl100k;
    case 'p50k_base':
    case 'r50k_base':
      return r50k;
  }
}

const BLANK = 0x20;
const SLASH = 0x2f;
const APOSTROPHE = 0x27;
const CASED_OR_MARK = RAISED | LOWERED;

const KIND = kinds();

/** Kind by first byte, where that alone tells: one load, and one comparison, for each byte of most text. */
const WIDE = 0x80;
const BYTE_KIND = Uint8Array.from({ length: 0x100 }, (_, c) => (c < 0x80 ? KIND[c]! : WIDE));

/** Kind of the character that begins at `p`. */
function kindAt(b: Uint8Array, p: number): number {
  const c = b[p]!;
  const kind = BYTE_KIND[c]!;
  return kind === WIDE ? wideKindAt(b, p, c) : kind;
}

function wideKindAt(b: Uint8Array, p: number, c: number): number {
  if (c < 0xe0) return KIND[((c & 0x1f) << 6) | (b[p + 1]! & 0x3f)]!;
  const low = ((b[p + 1]! & 0x3f) << 6) | (b[p + 2]! & 0x3f);
  if (c < 0xf0) return KIND[((c & 0x0f) << 12) | low]!;
  return KIND[((c & 0x07) << 18) | (low << 6) | (b[p + 3]! & 0x3f)]!;
}

/** Bytes of the character whose first byte is `c`. */
function widthOf(c: number): number {
  return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

function isLetter(kind: number): boolean {
  return (kind & CASED_OR_MARK) !== 0 && (kind & MARK_BIT) === 0;
}

/**
 * o200k_base:
 * ```
 * [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 * |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 * |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
 * ```
 */
function o200k(b: Uint8Array, s: number, end: number): number {
  const kind = kindAt(b, s);
  if (kind === DIGIT) return threeDigits(b, s, end);
  // A mark counts as a letter here even where the pattern could take it as the character before the word: both end alike.
  let word = s;
  if ((kind & CASED_OR_MARK) === 0) word += (kind & NEWLINE_BIT) === 0 ? widthOf(b[s]!) : end;
  if (word < end) {
    const first = BYTE_KIND[b[word]!]!;
    const e =
      first === LOWERED ? loweredRun(b, word + 1, end) : first === RAISED || first === WIDE ? casedWord(b, word, end) : word;
    if (e > word) return e < end && b[e] === APOSTROPHE ? contraction(b, e, end) : e;
    if (kind === SPACE && first === OTHER && b[s] === BLANK) return symbols(b, word, end, true);
    if (first === WIDE && b[s] === BLANK && kindAt(b, word) === OTHER) return symbols(b, word, end, true);
  }
  return kind === OTHER ? symbols(b, s, end, true) : blanks(b, s, end, true);
}

/**
 * The letters of o200k's first two alternatives, tried in order: `[RAISED]*[LOWERED]+`, then `[RAISED]+[LOWERED]*`; the end, or
 * `q` where neither fits. The first is greedy: it takes all raised letters, then lowered ones; where none follow it gives back
 * raised letters until the last it keeps is caseless, hence both. So "中AB" is "中" and "AB", but "中ABc" is one word.
 */
function casedWord(b: Uint8Array, q: number, end: number): number {
  let p = q;
  let caseless = -1;
  while (p < end) {
    const kind = kindAt(b, p);
    if ((kind & RAISED) === 0) {
      if (kind === LOWERED) return loweredRun(b, p + widthOf(b[p]!), end);
      break;
    }
    p += widthOf(b[p]!);
    if (kind !== RAISED) caseless = p;
  }
  return caseless < 0 ? p : caseless;
}

function loweredRun(b: Uint8Array, p: number, end: number): number {
  for (;;) {
    while (p < end && BYTE_KIND[b[p]!] === LOWERED) p++;
    if (p === end || b[p]! < 0x80 || (wideKindAt(b, p, b[p]!) & LOWERED) === 0) return p;
    p += widthOf(b[p]!);
  }
}

/**
 * cl100k_base:
 * ```
 * (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 * ```
 * gpt-tokenizer has the newer spelling with `\s+$` before `\s*[\r\n]`: at the end of a text it keeps "\n  " in one piece. No token
 * joins a line end to blanks after it, so the counts are the same.
 */
function cl100k(b: Uint8Array, s: number, end: number): number {
  const kind = kindAt(b, s);
  if (kind === DIGIT) return threeDigits(b, s, end);
  if (b[s] === APOSTROPHE) {
    const e = contraction(b, s, end);
    if (e > s) return e;
  }
  let word = s;
  if (!isLetter(kind)) word += (kind & NEWLINE_BIT) === 0 ? widthOf(b[s]!) : end;
  if (word < end && isLetter(kindAt(b, word))) return letters(b, word, end);
  if (isSymbol(kind)) return symbols(b, s, end, false);
  if (b[s] === BLANK && s + 1 < end && isSymbol(kindAt(b, s + 1))) return symbols(b, s + 1, end, false);
  return blanks(b, s, end, true);
}

/**
 * p50k_base and r50k_base, which is GPT-2's:
 * ```
 * 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 * ```
 */
function r50k(b: Uint8Array, s: number, end: number): number {
  const first = b[s]!;
  if (first === APOSTROPHE) {
    const e = smallContraction(b, s, end);
    if (e > s) return e;
  }
  const q = first === BLANK && s + 1 < end ? s + 1 : s;
  const kind = kindAt(b, q);
  if (isLetter(kind)) return letters(b, q, end);
  if (kind === DIGIT) return digits(b, q, end);
  if (isSymbol(kind)) return symbolRun(b, q, end);
  return blanks(b, s, end, false);
}

/** `[^\s\p{L}\p{N}]`: a mark is neither a letter nor a digit to these patterns. */
function isSymbol(kind: number): boolean {
  return kind === OTHER || (kind & MARK_BIT) !== 0;
}

/** `\p{L}+` */
function letters(b: Uint8Array, p: number, end: number): number {
  while (p < end && isLetter(kindAt(b, p))) p += widthOf(b[p]!);
  return p;
}

/** `\p{N}+` */
function digits(b: Uint8Array, p: number, end: number): number {
  while (p < end && kindAt(b, p) === DIGIT) p += widthOf(b[p]!);
  return p;
}

/** `\p{N}{1,3}` */
function threeDigits(b: Uint8Array, s: number, end: number): number {
  let p = s + widthOf(b[s]!);
  if (p < end && kindAt(b, p) === DIGIT) p += widthOf(b[p]!);
  else return p;
  if (p < end && kindAt(b, p) === DIGIT) p += widthOf(b[p]!);
  return p;
}

/** `[^\s\p{L}\p{N}]+` */
function symbolRun(b: Uint8Array, p: number, end: number): number {
  while (p < end && isSymbol(kindAt(b, p))) p += widthOf(b[p]!);
  return p;
}

/** `[^\s\p{L}\p{N}]+[\r\n]*`, or with `slash`, `[^\s\p{L}\p{N}]+[\r\n/]*` */
function symbols(b: Uint8Array, s: number, end: number, slash: boolean): number {
  let p = symbolRun(b, s, end);
  while (p < end && ((KIND[b[p]!]! & NEWLINE_BIT) !== 0 || (slash && b[p] === SLASH))) p++;
  return p;
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+`, or without `lines`, `\s+(?!\S)|\s+`: for a run up to the next non-space or the end of the text. */
function blanks(b: Uint8Array, s: number, end: number, lines: boolean): number {
  let p = s;
  let last = s;
  let lineEnd = -1;
  while (p < end) {
    const kind = kindAt(b, p);
    if ((kind & SPACE) === 0) break;
    last = p;
    p += widthOf(b[p]!);
    if ((kind & NEWLINE_BIT) !== 0) lineEnd = p;
  }
  if (lines && lineEnd > 0) return lineEnd;
  return p === end || last === s ? p : last;
}

/**
 * `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `p`: its end, or `p`. Ignoring case by Unicode's rule, as tiktoken's engine does, makes U+017F
 * (long s) an `s`; gpt-tokenizer leaves it out, but no count can show it, since no token joins a long s to anything.
 */
function contraction(b: Uint8Array, p: number, end: number): number {
  if (p + 1 >= end || b[p] !== APOSTROPHE) return p;
  if (b[p + 1] === 0xc5 && b[p + 2] === 0xbf) return p + 3;
  return p + contractionLength(b[p + 1]! | 0x20, p + 2 < end ? b[p + 2]! | 0x20 : 0);
}

/** `'s|'t|'re|'ve|'m|'ll|'d` at `p`: its end, or `p`. */
function smallContraction(b: Uint8Array, p: number, end: number): number {
  if (p + 1 >= end) return p;
  return p + contractionLength(b[p + 1]!, p + 2 < end ? b[p + 2]! : 0);
}

/** Length with the apostrophe, or 0. `first` and `second` are folded to lower case where case is to be ignored. */
function contractionLength(first: number, second: number): number {
  switch (first) {
    case 0x73: // s
    case 0x74: // t
    case 0x6d: // m
    case 0x64: // d
      return 2;
    case 0x72: // re
    case 0x76: // ve
      return second === 0x65 ? 3 : 0;
    case 0x6c: // ll
      return second === 0x6c ? 3 : 0;
    default:
      return 0;
  }
}
