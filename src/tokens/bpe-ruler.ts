/**
 * Measures slices of a sliding window without counting text again. It keeps the window as UTF-8 and a *track*: the pieces found in it so
 * far, with the tokens before each. The track grows only as far as a question needs, and stays across slides.
 *
 * Why `size(i, j)` equals a fresh count of the slice. A scanner has no left context (./pieces), so pieces that begin at a
 * known boundary are the known ones: from `i` we scan only until a piece ends on the track (the *head*). A scanner looks ahead, but a piece
 * that three more pieces follow within the slice was decided by text inside the slice (`SETTLED_BY`), so all track pieces
 * up to three before `j` are pieces of the slice too. From there to `j` we scan again with `j` as the end of the text (the *tail*).
 * Head, difference of two sums and tail are then the slice's own pieces, and tokens are counted piece by piece.
 *
 * The same rule makes answers independent of the window: the track takes the end of the window for the end of the text, and its last three
 * pieces are forgotten when more text arrives. `reach` and `reachBack` use only pieces that are settled before `limit` or
 * lie between `floor` and `j`, so they depend on that text alone, not on what was asked before nor on what follows.
 */

import { isHighSurrogate, isLowSurrogate, splitsPair } from '../segment.js';
import type { Ruler } from '../types.js';
import type { BpeCounter } from './bpe-counter.js';
import { SETTLED_BY } from './pieces.js';
import { LONGEST_TOKEN, octets, PADDING } from './vocabulary.js';

/** A head that does not meet the track within so many pieces (a long run of digits) makes a new track. */
const HEAD_PIECES = 64;

/**
 * A piece of more bytes than this is not counted for the track as long as no question reaches beyond it: in a window that is one run of
 * letters, each chunk would count the whole window otherwise.
 */
const BIG = 2048;

/** Where a big piece is to be expected, no more than so many bytes are scanned: see `#probe`. */
const PROBE = 2 * BIG;

/** So many bytes for each token of a budget are scanned at least: more than most tokens have. */
const PROBE_PER_TOKEN = 16;

/** The widest white space in bytes. */
const WIDEST_BLANK = 3;

/** No position: it lies inside a surrogate pair. */
const SPLIT = -1;

/** No position: more text must be looked at. */
const UNTOLD = 0;

const BYTES_PER_UNIT = 3;
const encoder = new TextEncoder();

export class BpeRuler implements Ruler {
  readonly #counter: BpeCounter;
  #text = '';
  /** The window's start in track units: window position i is unit `i + #origin`. */
  #origin = 0;

  /** The text from unit 0 on in UTF-8; `#filled` bytes, the first `#stable` of which no later text can change. */
  #octets = octets(1 << 14);
  #filled = 0;
  #stable = 0;
  /** From this byte on all are ASCII, where bytes and units are the same. */
  #asciiFrom = 0;

  /**
   * The track: boundary k is at byte `#at8[k]` and unit `#at16[k]`, with `#sum[k]` tokens before it. Pieces are contiguous from boundary
   * `#anchor` to `#last`; boundaries before the anchor only help to find positions.
   */
  #at8 = new Int32Array(1024);
  #at16 = new Int32Array(1024);
  #sum = new Int32Array(1024);
  #anchor = 0;
  #last = 0;
  /** The last boundary that ends a big piece. */
  #big = 0;
  /** The big piece met last, in what is stable now: `[#bigFrom, #bigTo)`, of `#bigUnits`; none if negative. */
  #bigFrom = -1;
  #bigTo = 0;
  #bigUnits = 0;
  /** Up to this byte pieces are expected to be big, since a big one was seen to go so far. Only speed depends on it. */
  #wary = 0;
  /** The last `#probe`: of the piece at, by how many bytes, and what it told; none if negative. */
  #probedAt = -1;
  #probedSize = 0;
  #probed = UNTOLD;

  /** The last head found: from unit `#headAt` the track is met at boundary `#headMeets` after `#headTokens`. */
  #headAt = -1;
  #headMeets = 0;
  #headTokens = 0;

  /** The last slice of which `reach` learnt the exact size: units from, to, and tokens. */
  #reachedFrom = -1;
  #reachedTo = -1;
  #reachedTokens = 0;

  /** Where a piece that overflows a budget lies, and what of the budget was left for it. */
  #pieceStart = 0;
  #pieceEnd = 0;
  #left = 0;
  /** Where a search for it has cut it already, or -1. */
  #cut = -1;
  /** Whether the last cut was found without looking at the whole piece. */
  #isInside = false;

  constructor(counter: BpeCounter) {
    this.#counter = counter;
  }

  slide(text: string, dropped: number): void {
    const known = this.#text.length - dropped;
    this.#reachedFrom = -1;
    const broken =
      dropped > 0 && known > 0 && isHighSurrogate(this.#text.charCodeAt(dropped - 1)) && isLowSurrogate(text.charCodeAt(0));
    // Text that was passed over unmeasured is not on the track, and must not be held until it is.
    const unmeasured = this.#origin + dropped > this.#at16[this.#last]!;
    if (known <= 0 || broken || unmeasured) {
      const wary = known > 0 && !broken ? this.#wary - this.#byteAt(this.#last, this.#origin + dropped) : 0;
      this.#clear();
      this.#wary = Math.max(0, wary);
      this.#append(text);
    } else {
      this.#origin += dropped;
      this.#append(text.slice(this.#retract(text, known)));
    }
    this.#text = text;
  }

  size(i: number, j: number): number {
    if (j <= i) return 0;
    if (i + this.#origin === this.#reachedFrom && j + this.#origin === this.#reachedTo) return this.#reachedTokens;
    const first = this.#locate(i);
    const last = this.#locate(j);
    const i8 = this.#byteAt(first, i + this.#origin);
    const j8 = this.#byteAt(last, j + this.#origin);
    if (i8 === SPLIT || j8 === SPLIT) return this.#counter.count(this.#text.slice(i, j));
    if (last - SETTLED_BY < first) return this.#counter.span(this.#octets, i8, j8);
    const meets = this.#enter(first, i + this.#origin, i8);
    const tail = this.#locate(j) - SETTLED_BY;
    if (tail < meets) return this.#counter.span(this.#octets, i8, j8);
    return this.#headTokens + this.#sum[tail]! - this.#sum[meets]! + this.#counter.span(this.#octets, this.#at8[tail]!, j8);
  }

  reach(i: number, budget: number, limit: number): number {
    this.#cut = -1;
    limit = Math.min(limit, this.#text.length);
    if (limit > i && this.#splits(limit)) limit--;
    if (limit <= i) return i;
    if (this.#splits(i)) return i + this.#afresh(i, limit).reach(0, budget, limit - i);
    const first = this.#locate(i);
    const i8 = this.#byteAt(first, i + this.#origin);
    const limit16 = limit + this.#origin;
    const isFound =
      this.#overflowOnTrack(first, i + this.#origin, i8, budget, limit16) ||
      (i8 < this.#wary && this.#overflowSoon(i8, budget, i8 + limit - i));
    if (!isFound) {
      // Near the limit, or all fits: cut the text as if it ended there.
      const limit8 = this.#byteAt(this.#locate(limit), limit16);
      if (!this.#overflow(i8, budget, limit8)) return limit;
    }
    const cut8 = this.#cut >= 0 ? this.#cut : this.#cutFront();
    const cut = this.#unitOf(cut8);
    if (this.#pieceStart === i8 && cut8 < this.#pieceEnd) this.#learn(i + this.#origin, cut, i8, cut8);
    return cut - this.#origin;
  }

  /**
   * A slice within one endless piece costs a merge to measure, and `reach` has just done it: it ends after the first `#left` tokens of
   * the piece, which by themselves are merged to the same tokens (./merge), if by itself it is one piece too.
   */
  #learn(from: number, to: number, from8: number, to8: number): void {
    const isWhole = to8 > from8 && this.#counter.merger.endOf(this.#left) === to8 - from8;
    if (!isWhole || to8 - from8 <= LONGEST_TOKEN || this.#counter.scan(this.#octets.bytes, from8, to8) !== to8) return;
    this.#reachedFrom = from;
    this.#reachedTo = to;
    this.#reachedTokens = this.#left;
  }

  reachBack(j: number, budget: number, floor: number): number {
    this.#cut = -1;
    if (floor < j && this.#splits(floor)) floor++;
    if (floor >= j) return j;
    if (this.#splits(j)) return floor + this.#afresh(floor, j).reachBack(j - floor, budget, 0);
    const first = this.#locate(floor);
    const floor8 = this.#byteAt(first, floor + this.#origin);
    const meets = this.#enter(first, floor + this.#origin, floor8);
    const last = this.#locate(j);
    const j8 = this.#byteAt(last, j + this.#origin);
    if (!this.#overflowBack(floor8, meets, last - SETTLED_BY, j8, budget)) return floor;
    return this.#unitOf(this.#cut >= 0 ? this.#cut : this.#cutBack()) - this.#origin;
  }

  // ---- budgets: each finds the piece that overflows one, going on from `i8` or back from `j8`; false if there is none ----

  /** On the track, and only if the piece is settled before unit `limit16`. */
  #overflowOnTrack(k: number, at16: number, i8: number, budget: number, limit16: number): boolean {
    const meets = this.#enter(k, at16, i8);
    // Big pieces are told to overflow by their beginning, whether the track has them or not.
    if (this.#big > meets) return false;
    if (this.#headTokens > budget) {
      this.#overflow(i8, budget, this.#stable);
    } else {
      const goal = this.#sum[meets]! + budget - this.#headTokens;
      this.#extend(limit16, goal);
      if (this.#sum[this.#last]! <= goal) return false;
      this.#setPiece(lastNotAbove(this.#sum, goal, meets, this.#last), goal);
    }
    let p = this.#pieceEnd;
    for (let more = 0; more < SETTLED_BY; more++) {
      if (p >= this.#stable) return false;
      p = this.#counter.scan(this.#octets.bytes, p, this.#stable);
    }
    return this.#unitOf(p) <= limit16;
  }

  #setPiece(k: number, goal: number): void {
    this.#pieceStart = this.#at8[k]!;
    this.#pieceEnd = this.#at8[k + 1]!;
    this.#left = goal - this.#sum[k]!;
  }

  /** In the text that ends at `end`. */
  #overflow(i8: number, budget: number, end: number): boolean {
    this.#cut = -1;
    this.#left = budget;
    for (let p = i8; p < end; p = this.#pieceEnd) {
      this.#pieceStart = p;
      const known = p === this.#bigFrom && end === this.#stable;
      this.#pieceEnd = known ? this.#bigTo : this.#counter.scan(this.#octets.bytes, p, end);
      if (this.#pieceEnd - p > BIG && (this.#cut = this.#cutFront()) < this.#pieceEnd) return true;
      this.#cut = -1;
      const tokens = this.#counter.piece(this.#octets, p, this.#pieceEnd);
      if (tokens > this.#left) return true;
      this.#left -= tokens;
    }
    return false;
  }

  /**
   * The same for a text that ends at `soonest` or later, as far as that can be told by bounded looks; else false. Finds what
   * `#overflow` finds: only the end of a big piece is not the true one, and only if no more than its beginning is asked for.
   */
  #overflowSoon(i8: number, budget: number, soonest: number): boolean {
    this.#cut = -1;
    this.#left = budget;
    const size = Math.max(PROBE, PROBE_PER_TOKEN * budget);
    for (let p = i8; p + size < soonest; p = this.#pieceEnd) {
      const e = this.#probe(p, size, soonest);
      if (e === UNTOLD) return false;
      this.#pieceStart = p;
      this.#pieceEnd = Math.abs(e);
      if (e < 0) return (this.#cut = this.#cutFront()) < this.#pieceEnd && this.#isInside;
      const tokens = this.#counter.piece(this.#octets, p, e);
      if (tokens > this.#left) return true;
      this.#left -= tokens;
    }
    return false;
  }

  /** Back through the tail, the track from boundary `tail` to `meets`, and the head. */
  #overflowBack(floor8: number, meets: number, tail: number, j8: number, budget: number): boolean {
    this.#left = budget;
    if (tail < meets) return this.#overflowBackAfresh(floor8, j8, j8);
    if (this.#overflowBackAfresh(this.#at8[tail]!, j8, j8)) return true;
    const goal = this.#sum[tail]! - this.#left;
    if (this.#sum[meets]! < goal) {
      // The first boundary with no less than `goal` before it: back to there the budget lasts.
      const k = lastNotAbove(this.#sum, goal - 1, meets, tail);
      this.#pieceStart = this.#at8[k]!;
      this.#pieceEnd = this.#at8[k + 1]!;
      this.#left = this.#sum[k + 1]! - goal;
      return true;
    }
    this.#left = this.#sum[meets]! - goal;
    return this.#overflowBackAfresh(floor8, this.#at8[meets]!, this.#stable);
  }

  /** Back from `to` through the pieces that begin in `[from, to)` of the text that ends at `end`; uses up `#left`. */
  #overflowBackAfresh(from: number, to: number, end: number): boolean {
    const starts: number[] = [];
    for (let p = from; p < to; p = this.#counter.scan(this.#octets.bytes, p, end)) starts.push(p);
    for (let k = starts.length - 1, e = to; k >= 0; k--) {
      const s = starts[k]!;
      this.#pieceStart = s;
      this.#pieceEnd = e;
      // The end of a long piece tells as well as all of it.
      if (e - s > 4 * this.#left && (this.#cut = this.#cutBack()) > s) return true;
      this.#cut = -1;
      const tokens = this.#counter.piece(this.#octets, s, e);
      if (tokens > this.#left) return true;
      this.#left -= tokens;
      e = s;
    }
    return false;
  }

  /**
   * How far into the overflowing piece the rest of the budget goes: to the end of as many of its tokens, for these alone are merged to
   * the same tokens (./merge). Tries beginnings of the piece, since a piece may be much longer than any budget.
   */
  #cutFront(): number {
    const s = this.#pieceStart;
    const e = this.#pieceEnd;
    const left = this.#left;
    const { merger } = this.#counter;
    this.#isInside = true;
    if (left <= 0) return s;
    for (let size = Math.max(64, 2 * left); ; ) {
      const to = size < e - s ? this.#floorOf(s + size) : e;
      this.#isInside = to < e;
      const tokens = merger.merge(this.#octets, s, to);
      if (tokens > left) return this.#floorOf(s + merger.endOf(left));
      if (to === e) return e;
      size = enlarged(size, tokens, left);
    }
  }

  #cutBack(): number {
    const s = this.#pieceStart;
    const e = this.#pieceEnd;
    const left = this.#left;
    const { merger } = this.#counter;
    if (left <= 0) return e;
    for (let size = Math.max(64, 2 * left); ; ) {
      const from = size < e - s ? this.#ceilingOf(e - size) : s;
      const tokens = merger.merge(this.#octets, from, e);
      if (tokens > left) return this.#ceilingOf(from + merger.startOf(left));
      if (from === s) return s;
      size = enlarged(size, tokens, left);
    }
  }

  /** The character edge at or before byte `p`. */
  #floorOf(p: number): number {
    while (p < this.#filled && (this.#octets.bytes[p]! & 0xc0) === 0x80) p--;
    return p;
  }

  #ceilingOf(p: number): number {
    while (p < this.#filled && (this.#octets.bytes[p]! & 0xc0) === 0x80) p++;
    return p;
  }

  // ---- the window ----

  #clear(): void {
    this.#origin = 0;
    this.#filled = 0;
    this.#stable = 0;
    this.#asciiFrom = 0;
    this.#wary = 0;
    this.#probedAt = -1;
    this.#anchor = 0;
    this.#last = 0;
    this.#big = 0;
    this.#at8[0] = 0;
    this.#at16[0] = 0;
    this.#sum[0] = 0;
  }

  /** Takes back what new text may change: three pieces, and a high surrogate at the end. Where in `text` the new text begins. */
  #retract(text: string, known: number): number {
    if (known === text.length) return known;
    this.#last = Math.max(this.#anchor, this.#last - SETTLED_BY);
    if (this.#big > this.#last) this.#big = 0;
    if (this.#filled === this.#stable) return known;
    this.#filled = this.#stable;
    return known - 1;
  }

  #append(text: string): void {
    this.#headAt = -1;
    if (text === '') return;
    this.#bigFrom = -1;
    this.#reserve(text.length * BYTES_PER_UNIT);
    const { written } = encoder.encodeInto(text, this.#octets.bytes.subarray(this.#filled));
    this.#filled += written;
    if (written !== text.length) this.#asciiFrom = this.#filled;
    this.#stable = this.#filled - (isHighSurrogate(text.charCodeAt(text.length - 1)) ? 3 : 0);
  }

  /** Room for `more` bytes: first by giving up what lies before the window, then by growing. */
  #reserve(more: number): void {
    if (this.#filled + more + PADDING <= this.#octets.bytes.length) return;
    this.#forget();
    const need = this.#filled + more;
    // Half must stay free, or the next slide would have to move everything again.
    if (2 * need <= this.#octets.bytes.length) return;
    const old = this.#octets.bytes;
    this.#octets = octets(3 * need);
    this.#octets.bytes.set(old.subarray(0, this.#filled));
  }

  /** Drops the boundaries and bytes before the window, and counts bytes and units from the boundary at or before its start. */
  #forget(): void {
    const k = this.#search(this.#origin);
    const [at8, at16, tokens] = [this.#at8[k]!, this.#at16[k]!, this.#sum[k]!];
    this.#octets.bytes.copyWithin(0, at8, this.#filled);
    this.#filled -= at8;
    this.#stable -= at8;
    this.#asciiFrom = Math.max(0, this.#asciiFrom - at8);
    this.#wary = Math.max(0, this.#wary - at8);
    this.#probedAt = -1;
    this.#origin -= at16;
    this.#last -= k;
    this.#big = Math.max(0, this.#big - k);
    this.#anchor = Math.max(0, this.#anchor - k);
    for (let to = 0; to <= this.#last; to++) {
      this.#at8[to] = this.#at8[to + k]! - at8;
      this.#at16[to] = this.#at16[to + k]! - at16;
      this.#sum[to] = this.#sum[to + k]! - tokens;
    }
  }

  /** Whether window position `i` lies inside a surrogate pair. */
  #splits(i: number): boolean {
    return splitsPair(this.#text, i);
  }

  /** A ruler on a slice by itself, for the rare slice that begins or ends inside a surrogate pair. */
  #afresh(i: number, j: number): BpeRuler {
    const ruler = new BpeRuler(this.#counter);
    ruler.slide(this.#text.slice(i, j), 0);
    return ruler;
  }

  // ---- the track ----

  /**
   * Adds pieces until the track has got to unit `at16`, or has more than `goal` tokens, or ends with what is stable, or comes to a big
   * piece that need not be counted.
   */
  #extend(at16: number, goal: number): void {
    const text = this.#octets;
    const counter = this.#counter;
    const stable = this.#stable;
    const wary = this.#wary;
    let k = this.#last;
    let s = this.#at8[k]!;
    let unit = this.#at16[k]!;
    let tokens = this.#sum[k]!;
    while (unit < at16 && tokens <= goal && s < stable) {
      if (s < wary && s !== this.#bigFrom && this.#isEnoughOfBig(s, at16 - unit, goal)) break;
      const e = s === this.#bigFrom ? this.#bigTo : counter.scan(text.bytes, s, stable);
      const ascii =
        s >= this.#asciiFrom || (e - s <= 8 && ((text.view.getInt32(s) | text.view.getInt32(s + 4)) & 0x80808080) === 0);
      unit += ascii ? e - s : e - s > BIG ? this.#unitsOfBig(s, e) : this.#units(s, e);
      if (e - s > BIG) {
        this.#wary = Math.max(this.#wary, e);
        if (unit >= at16 || goal < Number.POSITIVE_INFINITY) break;
        this.#big = k + 1;
      }
      tokens += counter.piece(text, s, e);
      s = e;
      if (++k >= this.#at8.length) this.#growTrack();
      this.#at8[k] = s;
      this.#at16[k] = unit;
      this.#sum[k] = tokens;
    }
    this.#last = k;
  }

  /** Whether the piece at `s` is sure to be big, and need not be counted: `units` from there lie in it, or there is a goal. */
  #isEnoughOfBig(s: number, units: number, goal: number): boolean {
    if (s + PROBE >= this.#stable) return false;
    const e = -this.#probe(s, PROBE, this.#stable);
    if (e <= 0) return false;
    return goal < Number.POSITIVE_INFINITY || units * BYTES_PER_UNIT <= e - s || units <= this.#units(s, e);
  }

  /**
   * The end of the piece at `s`, told by the next `size` bytes, whatever follows them: `PROBE` or more, and before `end`, beyond
   * which nothing is looked at. Of a piece that is sure to be big, a place in it, negated; `UNTOLD` if its end depends on what follows.
   *
   * Why so few bytes tell, by what a scanner looks at (./pieces). Let `to` be where we cut the text, and `e` where the piece ends then.
   * More text only ever makes the piece longer, for runs go on and the last caseless letter or line end comes later at the
   * earliest; except that a run of blanks to `to` gives back its last character if a non-blank follows. So the true end is not
   * before `e - WIDEST_BLANK`.
   * And it is `e` if the scanner did not come to `to`. If it did, either `e` is at `to`, but for a contraction that was cut; then the
   * piece is big. Or `e` comes after the last caseless letter or line end, and from `e` on there are but capitals, or but
   * blanks: then these are the next piece, up to `to`.
   */
  #probe(s: number, size: number, end: number): number {
    if (s === this.#probedAt && size <= this.#probedSize && s + this.#probedSize < end) return this.#probed;
    const { bytes } = this.#octets;
    const { scan } = this.#counter;
    const to = this.#floorOf(s + size);
    const e = scan(bytes, s, to);
    this.#probedAt = s;
    this.#probedSize = size;
    if (e - s > BIG + WIDEST_BLANK) this.#probed = -this.#floorOf(e - WIDEST_BLANK);
    else this.#probed = scan(bytes, e, to) < to ? e : UNTOLD;
    return this.#probed;
  }

  #unitsOfBig(s: number, e: number): number {
    if (s !== this.#bigFrom) {
      this.#bigFrom = s;
      this.#bigTo = e;
      this.#bigUnits = this.#units(s, e);
    }
    return this.#bigUnits;
  }

  #growTrack(): void {
    const size = this.#at8.length * 2;
    const grown = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const next = new Int32Array(size);
      next.set(old);
      return next;
    };
    this.#at8 = grown(this.#at8);
    this.#at16 = grown(this.#at16);
    this.#sum = grown(this.#sum);
  }

  /** The last boundary at or before window position `i`, after extending the track to it. */
  #locate(i: number): number {
    const at16 = i + this.#origin;
    this.#extend(at16, Number.POSITIVE_INFINITY);
    return this.#search(at16);
  }

  /** The last boundary at or before unit `at16`. */
  #search(at16: number): number {
    return lastNotAbove(this.#at16, at16, 0, this.#last);
  }

  /** Byte of unit `at16`, which lies in the piece at boundary k; `SPLIT` inside a surrogate pair. */
  #byteAt(k: number, at16: number): number {
    const { bytes } = this.#octets;
    let unit = this.#at16[k]!;
    let p = this.#at8[k]!;
    if (p >= this.#asciiFrom) return p + at16 - unit;
    while (unit < at16) {
      const c = bytes[p]!;
      p += c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
      unit += c < 0xf0 ? 1 : 2;
    }
    return unit === at16 ? p : SPLIT;
  }

  /** UTF-16 units of `[s, e)`. */
  #units(s: number, e: number): number {
    const { bytes } = this.#octets;
    let units = e - s;
    if (s >= this.#asciiFrom) return units;
    for (let p = s; p < e; p++) {
      const c = bytes[p]!;
      if (c >= 0x80) units += (c & 0xc0) === 0x80 ? -1 : c >= 0xf0 ? 1 : 0;
    }
    return units;
  }

  /** Unit of byte `p`, which lies on the track or beyond it. */
  #unitOf(p: number): number {
    const k = lastNotAbove(this.#at8, p, 0, this.#last);
    return this.#at16[k]! + this.#units(this.#at8[k]!, p);
  }

  /**
   * The boundary at which pieces from unit `at16`, in the piece at boundary k, meet the track; `#headTokens` lie before it. If they do
   * not meet it soon, a new track begins at `at16`, and that is the boundary.
   */
  #enter(k: number, at16: number, at8: number): number {
    if (at16 === this.#headAt) return this.#headMeets;
    this.#headAt = at16;
    this.#headTokens = 0;
    if (k < this.#anchor) return (this.#headMeets = this.#restart(k, at16, at8));
    let meets = k;
    for (let p = at8, pieces = 0; pieces <= HEAD_PIECES; pieces++) {
      while (this.#at8[meets]! < p && meets <= this.#last) {
        if (meets === this.#last) this.#extend(this.#at16[meets]! + 1, Number.POSITIVE_INFINITY);
        meets++;
      }
      if (meets > this.#last) break;
      if (this.#at8[meets] === p) return (this.#headMeets = meets);
      if (p < this.#wary && this.#isEnoughOfBig(p, 0, 0)) break;
      const e = this.#counter.scan(this.#octets.bytes, p, this.#stable);
      if (e - p > BIG) break;
      this.#headTokens += this.#counter.piece(this.#octets, p, e);
      p = e;
    }
    this.#headTokens = 0;
    return (this.#headMeets = this.#restart(this.#search(at16), at16, at8));
  }

  /** Begins a new track at unit `at16`, which lies in the piece at boundary k or at its start. */
  #restart(k: number, at16: number, at8: number): number {
    const anchor = this.#at8[k] === at8 ? k : k + 1;
    if (anchor >= this.#at8.length) this.#growTrack();
    this.#at8[anchor] = at8;
    this.#at16[anchor] = at16;
    this.#sum[anchor] = 0;
    this.#anchor = anchor;
    this.#last = anchor;
    if (this.#big > anchor) this.#big = 0;
    return anchor;
  }
}

/** The bytes to try next where `size` gave no more than `left` tokens: as many as that rate asks for, and some more. */
function enlarged(size: number, tokens: number, left: number): number {
  return Math.ceil((size * (left + 1) * 1.0625) / Math.max(1, tokens)) + 16;
}

/** The last k in [low, high] with `values[k] <= bound`, or `low`; values ascend. */
function lastNotAbove(values: Int32Array, bound: number, low: number, high: number): number {
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (values[middle]! <= bound) low = middle;
    else high = middle - 1;
  }
  return low;
}
