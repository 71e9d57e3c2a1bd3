/**
 * How the sizes of chunks are spread: what a dry run shows.
 */

/** How many chunks measure from `from` to `to`, both included, in the run's unit. */
export interface HistogramBar {
  readonly from: number;
  readonly to: number;
  readonly chunks: number;
}

/** Bars up to the size; one more holds chunks of a single character over it. */
const BARS = 10;

export class Histogram {
  readonly #size: number;
  readonly #counts = new Array<number>(BARS + 1).fill(0);

  /** @param size most that a chunk measures */
  constructor(size: number) {
    this.#size = size;
  }

  add(measured: number): void {
    this.#counts[Math.min(BARS, Math.floor(((measured - 1) * BARS) / this.#size))]!++;
  }

  /** From small to large; the last one only if there is something in it. */
  get bars(): HistogramBar[] {
    const size = this.#size;
    return this.#counts
      .map((chunks, bar) => ({
        from: Math.ceil((bar * size) / BARS) + 1,
        to: bar === BARS ? Number.MAX_SAFE_INTEGER : Math.ceil(((bar + 1) * size) / BARS),
        chunks,
      }))
      .filter(({ from, to, chunks }) => from <= to && (to <= size || chunks > 0));
  }
}
