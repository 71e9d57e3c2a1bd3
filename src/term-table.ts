/**
 * A table of terms by the 64 bits of their hashes, with a count and a mark each: 16 bytes a place, open addressing, at most
 * three quarters full. It holds as many terms as it is allowed, then no new ones, so its memory is bounded whatever is counted.
 * Two terms with one hash would be one; among ten million terms the chance of any such pair is one in 370,000.
 */
import { eachTerm } from './terms.js';

const FIELDS = 4;
const COUNT = 2;
const MARK = 3;

/** A power of two, as every later number of places. */
const FIRST_PLACES = 64;

export class TermTable {
  readonly #most: number;
  /** For each place: two halves of the hash (the second is never 0 where there is a term), count, mark. */
  #fields: Uint32Array;
  #mask: number;
  #size = 0;

  constructor(most: number) {
    this.#most = most;
    this.#fields = new Uint32Array(FIRST_PLACES * FIELDS);
    this.#mask = FIRST_PLACES - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** How many places there are; numbers of places are below it. Grows in `add` only. */
  get places(): number {
    return this.#mask + 1;
  }

  /** The place of a term; -1 if it is not in the table. */
  find(high: number, low: number): number {
    const place = this.#probe(high, low);
    return this.#fields[place * FIELDS + 1] === 0 ? -1 : place;
  }

  /** The place of a term, which is new with count and mark 0 if it was not there; -1 if the table may hold no more. */
  add(high: number, low: number): number {
    let place = this.#probe(high, low);
    if (this.#fields[place * FIELDS + 1] !== 0) return place;
    if (this.#size >= this.#most) return -1;
    if ((this.#size + 1) * 4 > this.places * 3) {
      this.#grow();
      place = this.#probe(high, low);
    }
    this.#fields[place * FIELDS] = high;
    this.#fields[place * FIELDS + 1] = low;
    this.#size++;
    return place;
  }

  countAt(place: number): number {
    return this.#fields[place * FIELDS + COUNT]!;
  }

  /** Counts the term once for each mark. Marks must not be 0. */
  countOnce(place: number, mark: number): void {
    const at = place * FIELDS;
    if (this.#fields[at + MARK] === mark) return;
    this.#fields[at + MARK] = mark;
    this.#fields[at + COUNT]!++;
  }

  markAt(place: number): number {
    return this.#fields[place * FIELDS + MARK]!;
  }

  setMark(place: number, mark: number): void {
    this.#fields[place * FIELDS + MARK] = mark;
  }

  clearMarks(): void {
    for (let at = MARK; at < this.#fields.length; at += FIELDS) this.#fields[at] = 0;
  }

  /** The place of the term, or the one that it would get. */
  #probe(high: number, low: number): number {
    const fields = this.#fields;
    let place = low & this.#mask;
    for (;;) {
      const at = place * FIELDS;
      const found = fields[at + 1]!;
      if (found === 0 || (found === low && fields[at] === high)) return place;
      place = (place + 1) & this.#mask;
    }
  }

  #grow(): void {
    const old = this.#fields;
    this.#mask = this.places * 2 - 1;
    this.#fields = new Uint32Array(old.length * 2);
    for (let from = 0; from < old.length; from += FIELDS) {
      if (old[from + 1] === 0) continue;
      const at = this.#probe(old[from]!, old[from + 1]!) * FIELDS;
      for (let field = 0; field < FIELDS; field++) this.#fields[at + field] = old[from + field]!;
    }
  }
}

/** Visits the hash of each term of a text, in two unsigned halves, the second never 0. */
export function eachHash(text: string, visit: (high: number, low: number) => void): void {
  eachTerm(text, (lower, start, end) => {
    let high = 0x3c6ef372;
    let low = 0x1f83d9ab;
    for (let at = start; at < end; at++) {
      const unit = lower.charCodeAt(at);
      // Each step can be undone, so texts that differ in one unit never meet; the shifts bring high bits back down.
      high = Math.imul(high ^ unit, 0x9e3779b1);
      high ^= high >>> 15;
      low = Math.imul(low + unit, 0x85ebca77);
      low ^= low >>> 13;
    }
    high = Math.imul(high ^ (low >>> 7), 0xc2b2ae3d);
    low = Math.imul(low ^ (high >>> 16), 0x27d4eb2f);
    visit((high ^ (high >>> 14)) >>> 0, (low ^ (low >>> 15)) >>> 0 || 1);
  });
}
