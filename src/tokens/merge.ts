/**
 * Byte-pair merging: a piece begins as single bytes, and the neighbouring pair whose joined bytes have the lowest rank is joined, the
 * leftmost first, until no pair is a token. That order is the definition, so it is kept to the letter; only how the lowest pair is found
 * differs. Short pieces look at all pairs each time; longer ones are left to ./merge-long, which is O(n log n) whatever the bytes are,
 * where looking each time is quadratic (100,000 × "a" takes gpt-tokenizer 7 s).
 *
 * Two properties that the ruler rests on: the first r parts of a piece are, by themselves, merged to the same r parts, and so are the
 * last r. For no merge ever crossed the edge between two final parts, so those on either side happened in the same order without
 * the other side.
 */

import { Joins } from './joins.js';
import { LongMerger } from './merge-long.js';
import { NO_RANK, type Octets, type Vocabulary } from './vocabulary.js';

/** Up to so many bytes looking at all pairs is quicker. */
const SHORT = 24;

export class Merger {
  readonly #vocabulary: Vocabulary;
  readonly #joins: Joins;
  readonly #long: LongMerger;
  /** Part k is [starts[k], starts[k + 1]), the token ids[k]; ranks[k] is that of parts k and k + 1 joined. */
  readonly #starts = new Int32Array(SHORT + 1);
  readonly #ranks = new Int32Array(SHORT + 1);
  readonly #ids = new Int32Array(SHORT + 1);
  #parts = 0;
  #wasLong = false;
  #steps = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#joins = new Joins(vocabulary);
    this.#long = new LongMerger(vocabulary, this.#joins);
  }

  /** Pairs looked at since the beginning: what merging costs, without a clock. */
  get steps(): number {
    return this.#steps + this.#long.steps;
  }

  /** Number of tokens that `[s, e)`, one piece, is merged to. */
  merge(text: Octets, s: number, e: number): number {
    this.#wasLong = e - s > SHORT;
    return (this.#parts = this.#wasLong ? this.#long.merge(text, s, e) : this.#mergeShort(text, s, e));
  }

  /** End of the first `count` parts of the piece last merged, from its beginning. */
  endOf(count: number): number {
    return this.#wasLong ? this.#long.endOf(count) : this.#starts[count]!;
  }

  /** Beginning of the last `count` parts of the piece last merged. */
  startOf(count: number): number {
    return this.endOf(this.#parts - count);
  }

  #mergeShort(text: Octets, s: number, e: number): number {
    const starts = this.#starts;
    const ranks = this.#ranks;
    const ids = this.#ids;
    let parts = this.#open(text.bytes, s, e - s);
    for (;;) {
      let lowest = NO_RANK;
      let at = 0;
      for (let k = 0; k + 1 < parts; k++) {
        if (ranks[k]! < lowest) {
          lowest = ranks[k]!;
          at = k;
        }
      }
      this.#steps += parts;
      if (lowest === NO_RANK) return parts;
      parts--;
      ids[at] = lowest;
      for (let k = at + 1; k <= parts; k++) {
        starts[k] = starts[k + 1]!;
        ranks[k] = ranks[k + 1]!;
        ids[k] = ids[k + 1]!;
      }
      ranks[at] = at + 1 < parts ? this.#rank(text, s, at) : NO_RANK;
      if (at > 0) ranks[at - 1] = this.#rank(text, s, at - 1);
    }
  }

  #open(bytes: Uint8Array, s: number, n: number): number {
    const { pairs, singles } = this.#vocabulary;
    for (let k = 0; k < n; k++) {
      this.#starts[k] = k;
      this.#ids[k] = singles[bytes[s + k]!]!;
      this.#ranks[k] = k + 1 < n ? pairs[(bytes[s + k]! << 8) | bytes[s + k + 1]!]! : NO_RANK;
    }
    this.#starts[n] = n;
    return n;
  }

  #rank(text: Octets, s: number, k: number): number {
    const starts = this.#starts;
    return this.#joins.rank(this.#ids[k]!, this.#ids[k + 1]!, text, s + starts[k]!, s + starts[k + 2]!);
  }
}
