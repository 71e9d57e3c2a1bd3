/**
 * Where an origin's bytes went, told from left to right: each is in a chunk, or in none for a reason, and counts once. The run
 * keeps such accounts for its receipt, and verify keeps its own to hold against it.
 */
import { IngestError } from './errors.js';
import { DROP_REASONS, type DropReason } from './types.js';

/** `inChunks` and the drops add up to `bytes`. Bytes in two chunks (overlap) count once. */
export interface Coverage {
  readonly bytes: number;
  readonly inChunks: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
}

/** A count for each reason, in the order they are written. */
export function nothingDropped(): Record<DropReason, number> {
  return Object.fromEntries(DROP_REASONS.map((reason) => [reason, 0])) as Record<DropReason, number>;
}

export class Accounts {
  /** Everything before this byte is accounted for. */
  upTo = 0;
  inChunks = 0;
  /** Records that were rejected. */
  rejected = 0;
  readonly dropped = nothingDropped();
  readonly #signature: () => number;

  /** @param signature its bytes; asked only once they are known */
  constructor(signature: () => number) {
    this.#signature = signature;
  }

  /** A chunk, before which everything is accounted for. */
  chunk(end: number): void {
    this.inChunks += Math.max(0, end - this.upTo);
    this.upTo = Math.max(this.upTo, end);
  }

  drop(to: number, reason: DropReason): void {
    if (to <= this.upTo) return;
    this.dropped[reason] += to - this.upTo;
    this.upTo = to;
  }

  /** What lies before `to`, between documents, is outside of them all; or it is the signature. */
  skip(to: number): void {
    this.drop(Math.min(to, this.#signature()), 'signature');
    this.drop(to, 'outside');
  }

  reject(error: Error): void {
    const range = error instanceof IngestError ? error.range : undefined;
    this.rejected++;
    if (range === undefined) return;
    this.skip(range[0]);
    this.drop(range[1], 'rejected');
  }
}
