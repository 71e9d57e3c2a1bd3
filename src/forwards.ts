/**
 * Ranges of what can only be read from its beginning on, such as a compressed file: read once for its length and digest, and
 * again for its ranges. Two who go forwards side by side, one ahead of the other, cost a reading each; a step back that is
 * longer than what is kept costs one more. Memory is bounded by the blocks that are kept.
 */
import type { ByteReader } from './blocks.js';
import { IngestError } from './errors.js';
import type { Source } from './types.js';
import type { World } from './world.js';

const BLOCK_BYTES = 1 << 20;
const BLOCKS = 4;
/** Readings under way at once. */
const CURSORS = 3;

export class ForwardReader implements ByteReader {
  readonly bytes: number;
  readonly #source: Source;
  readonly #digest: string;
  readonly #signal: AbortSignal;
  /** The latest blocks by number; the oldest is first. */
  readonly #blocks = new Map<number, Uint8Array>();
  /** The one that was used last is last. */
  #cursors: Cursor[] = [];

  private constructor(source: Source, bytes: number, digest: string, signal: AbortSignal) {
    this.#source = source;
    this.bytes = bytes;
    this.#digest = digest;
    this.#signal = signal;
  }

  /** Reads it through. @throws IngestError kind source, as reading the source does */
  static async open(
    source: Source,
    world: Pick<World, 'sha256'>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ForwardReader> {
    const hash = world.sha256();
    let bytes = 0;
    for await (const item of source.read(signal)) {
      if (!(item instanceof Uint8Array)) continue;
      hash.update(item);
      bytes += item.length;
    }
    return new ForwardReader(source, bytes, hash.digest(), signal);
  }

  async close(): Promise<void> {
    const cursors = this.#cursors;
    this.#cursors = [];
    await Promise.all(cursors.map((cursor) => cursor.close()));
  }

  async sha256(): Promise<string> {
    return this.#digest;
  }

  async *range(start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; ) {
      const number = Math.floor(at / BLOCK_BYTES);
      const block = this.#blocks.get(number) ?? (await this.#read(number));
      const from = at - number * BLOCK_BYTES;
      const piece = block.subarray(from, Math.min(block.length, end - number * BLOCK_BYTES));
      yield piece;
      at += piece.length;
    }
  }

  async #read(number: number): Promise<Uint8Array> {
    this.#signal.throwIfAborted();
    const cursor = await this.#cursorBefore(number);
    const memory = this.#memory();
    while (cursor.block < number) await cursor.fill(this.#lengthOf(cursor.block), memory);
    const block = await cursor.fill(this.#lengthOf(number), memory);
    this.#blocks.set(number, block);
    return block;
  }

  #lengthOf(number: number): number {
    return Math.min(BLOCK_BYTES, this.bytes - number * BLOCK_BYTES);
  }

  /** The reading that is nearest before this block, else a new one. */
  async #cursorBefore(number: number): Promise<Cursor> {
    const before = this.#cursors.filter(({ block }) => block <= number);
    let cursor = before.reduce<Cursor | undefined>((best, each) => (best && best.block >= each.block ? best : each), undefined);
    const others = this.#cursors.filter((each) => each !== cursor);
    if (cursor === undefined && others.length === CURSORS) await others.shift()!.close();
    cursor ??= new Cursor(this.#source, this.#signal);
    this.#cursors = [...others, cursor];
    return cursor;
  }

  /** For a new block: that of the oldest, once there are enough. */
  #memory(): Uint8Array {
    const oldest = this.#blocks.size < BLOCKS ? undefined : this.#blocks.entries().next().value;
    if (oldest === undefined) return new Uint8Array(Math.min(BLOCK_BYTES, this.bytes));
    this.#blocks.delete(oldest[0]);
    return new Uint8Array(oldest[1].buffer);
  }
}

/** One reading under way. */
class Cursor {
  /** The number of the block that is next. */
  block = 0;
  readonly #uri: string | undefined;
  readonly #items: AsyncIterator<unknown>;
  /** Read, and of the next block. */
  #rest: Uint8Array = new Uint8Array(0);

  constructor(source: Source, signal: AbortSignal) {
    this.#uri = source.origin?.uri;
    this.#items = source.read(signal)[Symbol.asyncIterator]();
  }

  /** The next block, of this length, in this memory. @throws IngestError kind source, also when the bytes end before */
  async fill(length: number, memory: Uint8Array): Promise<Uint8Array> {
    for (let filled = 0; filled < length; ) {
      if (this.#rest.length === 0) await this.#next();
      const piece = this.#rest.subarray(0, length - filled);
      memory.set(piece, filled);
      filled += piece.length;
      this.#rest = this.#rest.subarray(piece.length);
    }
    this.block++;
    return memory.subarray(0, length);
  }

  async close(): Promise<void> {
    await this.#items.return?.();
  }

  async #next(): Promise<void> {
    const { done, value } = await this.#items.next();
    if (done === true) {
      const sentence = 'there is less of it than there was when it was read before: it has changed meanwhile';
      throw new IngestError('source', 'changed', sentence, this.#uri === undefined ? {} : { origin: this.#uri });
    }
    if (value instanceof Uint8Array) this.#rest = value;
  }
}
