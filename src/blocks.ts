/**
 * A file read by ranges, mostly forwards with short steps back: a few blocks are kept, so that reading what overlaps costs no
 * second read. Memory is bounded by those blocks, however long a range is. What can only be read forwards is src/forwards.ts's.
 */
import { copy, joined } from './copies.js';
import { IngestError } from './errors.js';
import type { FileSystem, World } from './world.js';

const BLOCK_BYTES = 1 << 20;
const BLOCKS = 4;

type Handle = Awaited<ReturnType<FileSystem['promises']['open']>>;

/** Bytes that may be read again, by ranges. */
export interface ByteReader {
  /** How many there are. */
  readonly bytes: number;
  /** Those of `[start, end)` in pieces. A piece is valid until the next is asked for. */
  range(start: number, end: number): AsyncIterable<Uint8Array>;
  /** Digest of all, lower-case hex. */
  sha256(): Promise<string>;
  close(): Promise<void>;
}

/** The blocks read last, of what is read a block at a time. */
export class Blocks {
  readonly #bytes: number;
  readonly #read: (number: number, into: Uint8Array) => Promise<void>;
  /** By number; the oldest is first. */
  readonly #held = new Map<number, Uint8Array>();

  /** @param bytes how many there are in all; `read` fills `into`, which is as long as the block of that number */
  constructor(bytes: number, read: (number: number, into: Uint8Array) => Promise<void>) {
    this.#bytes = bytes;
    this.#read = read;
  }

  /** The bytes of `[start, end)` in pieces. A piece is valid until the next is asked for. */
  async *range(start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; ) {
      const number = Math.floor(at / BLOCK_BYTES);
      const block = this.#held.get(number) ?? (await this.#block(number));
      const from = at - number * BLOCK_BYTES;
      const piece = block.subarray(from, Math.min(block.length, end - number * BLOCK_BYTES));
      yield piece;
      at += piece.length;
    }
  }

  async #block(number: number): Promise<Uint8Array> {
    const block = this.#memory().subarray(0, blockBytes(number, this.#bytes));
    await this.#read(number, block);
    this.#held.set(number, block);
    return block;
  }

  /** For a new block: that of the oldest, once there are enough. New memory for each would outrun the collector. */
  #memory(): Uint8Array {
    const oldest = this.#held.size < BLOCKS ? undefined : this.#held.entries().next().value;
    if (oldest === undefined) return new Uint8Array(Math.min(BLOCK_BYTES, this.#bytes));
    this.#held.delete(oldest[0]);
    return new Uint8Array(oldest[1].buffer);
  }
}

/** How long the block of this number is. */
export function blockBytes(number: number, bytes: number): number {
  return Math.min(BLOCK_BYTES, bytes - number * BLOCK_BYTES);
}

export class BlockReader implements ByteReader {
  /** Length of the file when it was opened. */
  readonly bytes: number;
  readonly #path: string;
  readonly #handle: Handle;
  readonly #world: Pick<World, 'sha256'>;
  readonly #signal: AbortSignal | undefined;
  readonly #blocks: Blocks;

  private constructor(path: string, handle: Handle, bytes: number, world: Pick<World, 'sha256'>, signal?: AbortSignal) {
    this.#path = path;
    this.#handle = handle;
    this.bytes = bytes;
    this.#world = world;
    this.#signal = signal;
    this.#blocks = new Blocks(bytes, (number, into) => this.#read(number * BLOCK_BYTES, into));
  }

  /** Reads nothing more once the signal aborts, but throws its reason. @throws IngestError kind source */
  static async open(path: string, world: Pick<World, 'fs' | 'sha256'>, signal?: AbortSignal): Promise<BlockReader> {
    let handle: Handle | undefined;
    try {
      handle = await world.fs.promises.open(path, 'r');
      const stat = await handle.stat();
      if (!stat.isFile()) throw new IngestError('source', 'not-a-file', 'it is not a regular file', { origin: path });
      return new BlockReader(path, handle, Number(stat.size), world, signal);
    } catch (error) {
      await handle?.close();
      if (error instanceof IngestError) throw error;
      throw new IngestError('source', 'read-failed', `it could not be opened: ${(error as Error).message}`, {
        origin: path,
        cause: error,
      });
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  range(start: number, end: number): AsyncGenerator<Uint8Array> {
    return this.#blocks.range(start, end);
  }

  /** Digest of the whole file, lower-case hex. */
  async sha256(): Promise<string> {
    const hash = this.#world.sha256();
    for await (const piece of this.range(0, this.bytes)) hash.update(piece);
    return hash.digest();
  }

  async #read(start: number, into: Uint8Array): Promise<void> {
    this.#signal?.throwIfAborted();
    for (let at = 0; at < into.length; ) {
      const { bytesRead } = await this.#handle.read(into, at, into.length - at, start + at).catch((error: Error) => {
        const sentence = `it could not be read: ${error.message}`;
        throw new IngestError('source', 'read-failed', sentence, { origin: this.#path, at: start + at, cause: error });
      });
      if (bytesRead === 0) {
        throw new IngestError('source', 'cut-short', 'the file became shorter while it was read', {
          origin: this.#path,
          at: start + at,
        });
      }
      at += bytesRead;
    }
  }
}

/** The lines of a file, each without its LF. One of more than `mostBytes` is not gathered: `tooLong` is told of it, and throws. */
export async function* linesOf(reader: ByteReader, mostBytes: number, tooLong: () => never): AsyncGenerator<string> {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const block of reader.range(0, reader.bytes)) {
    for (let from = 0; from < block.length; ) {
      const feed = block.indexOf(0x0a, from);
      const part = block.subarray(from, feed < 0 ? block.length : feed);
      from += part.length + 1;
      length += part.length;
      if (length > mostBytes) tooLong();
      if (feed < 0) {
        parts.push(copy(part));
        continue;
      }
      yield utf8.decode(parts.length === 0 ? part : joined([...parts, part]));
      parts = [];
      length = 0;
    }
  }
  // A last line without its LF was cut short, even if what is left of it is JSON.
  if (length > 0) yield utf8.decode(joined(parts));
}
