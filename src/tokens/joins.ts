/**
 * The rank of two neighbouring tokens joined, with a memory of the pairs asked about before. A pair of tokens stands for its bytes, so the memory
 * is exact; it is of fixed size, one pair to a place.
 */

import { NO_RANK, type Octets, type Vocabulary } from './vocabulary.js';

/** 256 KB, so that the common pairs answer from a core's own cache. */
const PAIR_BITS = 15;

/** Ranks have 18 bits. */
const RANK_BITS = 18;
const NONE = 0x80000000 | 0;

export class Joins {
  readonly #vocabulary: Vocabulary;
  /** Two numbers to an entry: left token and low bits of the right one; its high bits and the rank, negative for none. */
  readonly #table = new Int32Array(2 << PAIR_BITS).fill(-1);

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Rank of tokens `left` and `right` joined, whose bytes are `[s, e)`, or `NO_RANK`. */
  rank(left: number, right: number, text: Octets, s: number, e: number): number {
    const table = this.#table;
    const at = ((Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> (32 - PAIR_BITS)) << 1;
    const key = left | (right << RANK_BITS);
    const high = right >>> (32 - RANK_BITS);
    const rest = table[at + 1]!;
    if (table[at] === key && (rest & 0xf) === high) return rest < 0 ? NO_RANK : rest >> 4;
    const rank = this.#vocabulary.rank(text, s, e);
    table[at] = key;
    table[at + 1] = high | (rank === NO_RANK ? NONE : rank << 4);
    return rank;
  }
}
