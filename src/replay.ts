/**
 * A source split again as the run split it, a little at a time: what verify holds chunks against. It says which documents there
 * are and where their text lies; that the text is there, verify reads for itself. Holds no more than what a stretch of
 * STRETCH_BYTES gives, besides what the splitter holds (law L8).
 */
import type { ByteReader } from './blocks.js';
import type { Item, Report, Splitting } from './types.js';

/** An item of the splitter, or a record it gave up, in its place among them. */
export type Replayed = Item | { readonly rejected: Error };

/** Bytes split at once. Divides a reader's blocks, so that each is read once. */
const STRETCH_BYTES = 1 << 16;

export class Replay {
  readonly #reader: ByteReader;
  readonly #splitting: Splitting;
  #found: Replayed[] = [];
  /** Of `#found`, those handed out. */
  #given = 0;
  /** Bytes split so far. */
  #at = 0;
  #ended = false;
  /** What the splitter threw; it is over then. */
  #thrown: { readonly error: unknown } | undefined;

  constructor(reader: ByteReader, splitting: (report: Report) => Splitting) {
    this.#reader = reader;
    this.#splitting = splitting((error) => this.#found.push({ rejected: error }));
  }

  /** Undefined: that was all. @throws what the splitter throws, after all that came before; and what reading does */
  async next(): Promise<Replayed | undefined> {
    while (this.#given === this.#found.length) {
      if (this.#thrown !== undefined) throw this.#thrown.error;
      if (this.#ended) return undefined;
      this.#found = [];
      this.#given = 0;
      await this.#split();
    }
    return this.#found[this.#given++];
  }

  async #split(): Promise<void> {
    const { bytes } = this.#reader;
    for await (const stretch of this.#reader.range(this.#at, Math.min(bytes, this.#at + STRETCH_BYTES))) {
      this.#gather(() => this.#splitting.push(stretch));
      this.#at += stretch.length;
    }
    if (this.#at < bytes) return;
    this.#ended = true;
    this.#gather(() => this.#splitting.end());
  }

  /** Takes all at once: the reader may use the bytes' memory for what is read next. */
  #gather(items: () => Iterable<Item>): void {
    if (this.#thrown !== undefined) return;
    try {
      for (const item of items()) this.#found.push(item);
    } catch (error) {
      this.#thrown = { error };
    }
  }
}
