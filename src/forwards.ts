/**
 * Ranges of what can only be read from its beginning on, such as a compressed file: read once for its length and digest, and
 * again for its ranges. Two who go forwards side by side, one ahead of the other, cost a reading each; a step back that is
 * longer than what is kept costs one more. Memory is bounded by the blocks that are kept.
 */
import { Blocks, type ByteReader, blockBytes } from './blocks.js';
import { IngestError } from './errors.js';
import type { Source } from './types.js';
import type { World } from './world.js';

/** Readings under way at once. */
const CURSORS = 3;

export class ForwardReader implements ByteReader {
  readonly bytes: number;
  readonly #source: Source;
  readonly #digest: string;
  readonly #signal: AbortSignal;
  readonly #blocks: Blocks;
  /** The one that was used last is last. */
  #cursors: Cursor[] = [];

  private constructor(source: Source, bytes: number, digest: string, signal: AbortSignal) {
    this.#source = source;
    this.bytes = bytes;
    this.#digest = digest;
    this.#signal = signal;
    this.#blocks = new Blocks(bytes, (number, into) => this.#read(number, into));
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

  range(start: number, end: number): AsyncGenerator<Uint8Array> {
    return this.#blocks.range(start, end);
  }

  async #read(number: number, into: Uint8Array): Promise<void> {
    this.#signal.throwIfAborted();
    const cursor = await this.#cursorBefore(number);
    while (cursor.block < number) await cursor.next(blockBytes(cursor.block, this.bytes));
    await cursor.next(into.length, into);
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

  /**
   * Past the next block, of this length, which goes into memory where that is given.
   * @throws IngestError kind source, also when there are no more bytes
   */
  async next(length: number, into?: Uint8Array): Promise<void> {
    for (let passed = 0; passed < length; ) {
      if (this.#rest.length === 0) await this.#more();
      const piece = this.#rest.subarray(0, length - passed);
      into?.set(piece, passed);
      passed += piece.length;
      this.#rest = this.#rest.subarray(piece.length);
    }
    this.block++;
  }

  async close(): Promise<void> {
    await this.#items.return?.();
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#items.next();
    if (done === true) {
      const sentence = 'there is less of it than there was when it was read before: it has changed meanwhile';
      throw new IngestError('source', 'changed', sentence, this.#uri === undefined ? {} : { origin: this.#uri });
    }
    if (value instanceof Uint8Array) this.#rest = value;
  }
}
