/**
 * Byte-pair merging of long pieces. The parts are a linked list. The lowest pair is found by way of the lowest of each block of
 * positions: for as many bytes as it is used for, quicker than a heap, since it reads in order and is easily foretold.
 *
 * Very long pieces, such as a megabyte of one letter, must cost O(n log n). There the pairs wait in a queue for each
 * rank, in order of position, and the lowest rank's queue is worked off from left to right. That is the defined order as long as no join
 * makes a pair of lower rank than its own, and none does with ranks that were learnt in their order (a token is learnt after its
 * parts). It is checked at each join all the same: should it happen, a heap of pairs takes over from that state.
 */

import type { Joins } from './joins.js';
import { NO_RANK, type Octets, type Vocabulary } from './vocabulary.js';

/** A heap entry is `rank * POSITIONS + position`: it sorts by rank, then leftmost first. Exact in a double: ranks have 18 bits. */
const POSITIONS = 2 ** 34;

/** From so many bytes on, queues are quicker than blocks. A multiple of a block. */
const VERY_LONG = 2048;

/** Positions in a block, as a power of two. */
const BLOCK_BITS = 5;
const BLOCK = 1 << BLOCK_BITS;

/** Scratch for more than so many bytes of piece is given back after use. */
const KEEP_SCRATCH = 1 << 16;

const NOTHING = new Int32Array(0);

export class LongMerger {
  readonly #vocabulary: Vocabulary;
  readonly #joins: Joins;
  /** By position of a part's first byte: the next and previous part, its token, and the rank of it joined to the next. */
  #next = NOTHING;
  #previous = NOTHING;
  #tokenAt = NOTHING;
  #rankAt = NOTHING;
  /** Queue entries: a position and the entry after it. An entry is stale if its position's rank has changed since. */
  #entryAt = NOTHING;
  #entryNext = NOTHING;
  #entries = 0;
  /** By rank: the queue's first and last entry; empty where the first is negative. */
  #first = NOTHING;
  #last = NOTHING;
  /** By block: the lowest rank at its positions. */
  readonly #lowest = new Int32Array(VERY_LONG >> BLOCK_BITS);
  readonly #unordered = new Set<number>();
  /** Of pairs; with queues, of the ranks whose queues are not empty. */
  #heap = new Float64Array(0);
  #heapSize = 0;
  #length = 0;
  steps = 0;

  constructor(vocabulary: Vocabulary, joins: Joins) {
    this.#vocabulary = vocabulary;
    this.#joins = joins;
  }

  /** Number of tokens that `[s, e)`, one piece of two bytes or more, is merged to. */
  merge(text: Octets, s: number, e: number): number {
    const n = e - s;
    this.#open(text.bytes, s, n);
    const joined = n < VERY_LONG ? this.#joinByBlock(text, s) : this.#joinByRank(text, s);
    if (n > KEEP_SCRATCH) this.#giveBack();
    return n - joined;
  }

  /** End of the first `count` parts of the piece last merged, from its beginning. */
  endOf(count: number): number {
    let at = 0;
    for (let k = 0; k < count; k++) at = this.#next[at]!;
    return at;
  }

  #open(bytes: Uint8Array, s: number, n: number): void {
    const { pairs, singles } = this.#vocabulary;
    this.#reserve(n);
    this.#length = n;
    for (let k = 0; k < n; k++) {
      this.#next[k] = k + 1;
      this.#previous[k] = k - 1;
      this.#tokenAt[k] = singles[bytes[s + k]!]!;
      this.#rankAt[k] = k + 1 < n ? pairs[(bytes[s + k]! << 8) | bytes[s + k + 1]!]! : NO_RANK;
    }
  }

  #reserve(n: number): void {
    if (this.#rankAt.length > n) return;
    const size = Math.max(VERY_LONG, n + 1);
    this.#next = new Int32Array(size);
    this.#previous = new Int32Array(size);
    this.#tokenAt = new Int32Array(size);
    this.#rankAt = new Int32Array(size);
    // A join takes one pair out and puts two in at most, and there are fewer than n.
    this.#heap = new Float64Array(2 * size);
    if (size <= VERY_LONG) return;
    // Queue entries stay.
    this.#entryAt = new Int32Array(3 * size);
    this.#entryNext = new Int32Array(3 * size);
  }

  /** The links stay for `endOf`. */
  #giveBack(): void {
    this.#previous = this.#tokenAt = this.#rankAt = this.#entryAt = this.#entryNext = this.#first = this.#last = NOTHING;
    this.#heap = new Float64Array(0);
  }

  /** By looking for the lowest block, and there for the pair. How many were joined. */
  #joinByBlock(text: Octets, s: number): number {
    const rankAt = this.#rankAt;
    const lowest = this.#lowest;
    const blocks = (this.#length + BLOCK - 1) >> BLOCK_BITS;
    rankAt.fill(NO_RANK, this.#length, blocks << BLOCK_BITS);
    for (let block = 0; block < blocks; block++) this.#lookAt(block);
    for (let joined = 0; ; joined++) {
      let rank = NO_RANK;
      let block = 0;
      for (let k = 0; k < blocks; k++) {
        if (lowest[k]! < rank) {
          rank = lowest[k]!;
          block = k;
        }
      }
      if (rank === NO_RANK) return joined;
      let at = block << BLOCK_BITS;
      while (rankAt[at] !== rank) at++;
      const before = this.#previous[at]!;
      const gone = this.#next[at]!;
      this.#join(text, s, at, rank);
      this.steps++;
      this.#lookAt(block);
      if (gone >> BLOCK_BITS !== block) this.#lookAt(gone >> BLOCK_BITS);
      if (before >= 0 && before >> BLOCK_BITS !== block) this.#lookAt(before >> BLOCK_BITS);
    }
  }

  #lookAt(block: number): void {
    const rankAt = this.#rankAt;
    const from = block << BLOCK_BITS;
    let rank = NO_RANK;
    for (let at = from; at < from + BLOCK; at++) {
      const other = rankAt[at]!;
      if (other < rank) rank = other;
    }
    this.#lowest[block] = rank;
  }

  /** By queues, until they are empty or the order fails. How many were joined. */
  #joinByRank(text: Octets, s: number): number {
    this.#openQueues();
    let joined = 0;
    while (this.#heapSize > 0) {
      const rank = this.#heap[0]!;
      this.#dropLowest();
      const now = this.#joinAll(text, s, rank);
      joined += Math.abs(now);
      if (now < 0) return joined + this.#joinSingly(text, s);
    }
    return joined;
  }

  #openQueues(): void {
    if (this.#last.length === 0) this.#last = new Int32Array(this.#vocabulary.size);
    this.#first = new Int32Array(this.#vocabulary.size).fill(-1);
    this.#unordered.clear();
    this.#entries = 0;
    this.#heapSize = 0;
    for (let at = 0; at < this.#length; at++) if (this.#rankAt[at] !== NO_RANK) this.#enqueue(this.#rankAt[at]!, at);
  }

  #enqueue(rank: number, at: number): void {
    const entry = this.#entries++;
    this.#entryAt[entry] = at;
    this.#entryNext[entry] = -1;
    const last = this.#last[rank]!;
    if (this.#first[rank]! < 0) {
      this.#first[rank] = entry;
      this.#add(rank);
    } else {
      if (this.#entryAt[last]! > at) this.#unordered.add(rank);
      this.#entryNext[last] = entry;
    }
    this.#last[rank] = entry;
  }

  /** Joins all pairs of this rank, the lowest there is. How many; negated if a pair of lower rank came up and the rest must wait. */
  #joinAll(text: Octets, s: number, rank: number): number {
    const rankAt = this.#rankAt;
    let joined = 0;
    let entry = this.#first[rank]!;
    this.#first[rank] = -1;
    if (this.#unordered.size > 0 && this.#unordered.delete(rank)) this.#order(entry);
    for (; entry >= 0; entry = this.#entryNext[entry]!) {
      const at = this.#entryAt[entry]!;
      this.steps++;
      if (rankAt[at] !== rank) continue;
      joined++;
      const before = this.#previous[at]!;
      this.#join(text, s, at, rank);
      const right = rankAt[at]!;
      const left = before < 0 ? NO_RANK : rankAt[before]!;
      if (right < rank || left < rank) return -joined;
      if (left !== NO_RANK) this.#enqueue(left, before);
      if (right !== NO_RANK) this.#enqueue(right, at);
    }
    return joined;
  }

  /** Joins the part at `at` to the next, and finds the new ranks on either side. */
  #join(text: Octets, s: number, at: number, rank: number): void {
    const next = this.#next;
    const rankAt = this.#rankAt;
    const tokenAt = this.#tokenAt;
    const gone = next[at]!;
    const after = next[gone]!;
    const before = this.#previous[at]!;
    next[at] = after;
    tokenAt[at] = rank;
    rankAt[gone] = NO_RANK;
    rankAt[at] = NO_RANK;
    if (after < this.#length) {
      this.#previous[after] = at;
      rankAt[at] = this.#joins.rank(rank, tokenAt[after]!, text, s + at, s + next[after]!);
    }
    if (before >= 0) rankAt[before] = this.#joins.rank(tokenAt[before]!, rank, text, s + before, s + after);
  }

  /** Puts a queue's positions in order. */
  #order(first: number): void {
    const positions: number[] = [];
    for (let entry = first; entry >= 0; entry = this.#entryNext[entry]!) positions.push(this.#entryAt[entry]!);
    const ordered = positions.length > 16 ? Int32Array.from(positions).sort() : insertionSort(positions);
    let k = 0;
    for (let entry = first; entry >= 0; entry = this.#entryNext[entry]!) this.#entryAt[entry] = ordered[k++]!;
  }

  /** By a heap of pairs, from whatever state the parts are in. How many were joined. */
  #joinSingly(text: Octets, s: number): number {
    this.#heapSize = 0;
    const rankAt = this.#rankAt;
    for (let at = 0; at < this.#length; at = this.#next[at]!) {
      if (rankAt[at] !== NO_RANK) this.#add(rankAt[at]! * POSITIONS + at);
    }
    let joined = 0;
    while (this.#heapSize > 0) {
      const entry = this.#heap[0]!;
      this.#dropLowest();
      this.steps++;
      const rank = Math.floor(entry * (1 / POSITIONS));
      const at = entry - rank * POSITIONS;
      if (rankAt[at] !== rank) continue;
      joined++;
      const before = this.#previous[at]!;
      this.#join(text, s, at, rank);
      if (rankAt[at] !== NO_RANK) this.#add(rankAt[at]! * POSITIONS + at);
      if (before >= 0 && rankAt[before] !== NO_RANK) this.#add(rankAt[before]! * POSITIONS + before);
    }
    return joined;
  }

  #dropLowest(): void {
    const heap = this.#heap;
    const size = --this.#heapSize;
    const entry = heap[size]!;
    let k = 0;
    for (let child = 1; child < size; child = 2 * k + 1) {
      if (child + 1 < size && heap[child + 1]! < heap[child]!) child++;
      if (heap[child]! >= entry) break;
      heap[k] = heap[child]!;
      k = child;
    }
    heap[k] = entry;
  }

  #add(entry: number): void {
    const heap = this.#heap;
    let k = this.#heapSize++;
    while (k > 0) {
      const parent = (k - 1) >> 1;
      if (heap[parent]! <= entry) break;
      heap[k] = heap[parent]!;
      k = parent;
    }
    heap[k] = entry;
  }
}

function insertionSort(values: number[]): number[] {
  for (let k = 1; k < values.length; k++) {
    const value = values[k]!;
    let to = k;
    for (; to > 0 && values[to - 1]! > value; to--) values[to] = values[to - 1]!;
    values[to] = value;
  }
  return values;
}
