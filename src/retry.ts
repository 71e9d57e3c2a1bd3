/**
 * How often, and after what wait, something is tried again: full jitter between nothing and a bound that doubles each time, so
 * that many who were cut off together do not come back together (M. Brooker, "Exponential backoff and jitter", 2015). A server's
 * own Retry-After goes before it. What is worth another try is the caller's affair.
 */
import type { World } from './world.js';

const FIRST_MS = 200;
const LONGEST_MS = 10_000;

/** A server that wants more patience than this is not there for us now. */
const MOST_ASKED_MS = 120_000;

export interface RetryLimits {
  /** Failures in a row, without any progress between them, that are forgiven. */
  readonly inARow: number;
  /** Failures that are forgiven in all. */
  readonly inAll: number;
}

const RETRY_LIMITS: RetryLimits = { inARow: 8, inAll: 1000 };

export class Patience {
  readonly #world: Pick<World, 'sleep' | 'random'>;
  readonly #limits: RetryLimits;
  #inARow = 0;
  #inAll = 0;

  constructor(world: Pick<World, 'sleep' | 'random'>, limits: RetryLimits = RETRY_LIMITS) {
    this.#world = world;
    this.#limits = limits;
  }

  /** Failures since the last progress. */
  get failures(): number {
    return this.#inARow;
  }

  /** Something was gained: failures in a row are counted anew. */
  progressed(): void {
    this.#inARow = 0;
  }

  /**
   * After a failure: waits and says true, or says false at once because it is not to be tried again.
   * @param askedMs what the server asks to wait at least
   * @throws the signal's reason
   */
  async again(signal: AbortSignal, askedMs = 0): Promise<boolean> {
    const { inARow, inAll } = this.#limits;
    if (this.#inARow >= inARow || this.#inAll >= inAll || askedMs > MOST_ASKED_MS) return false;
    const bound = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#inARow);
    this.#inARow++;
    this.#inAll++;
    await this.#world.sleep(askedMs + this.#world.random() * bound, signal);
    signal.throwIfAborted();
    return true;
  }
}
