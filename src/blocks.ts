/**
 * A file read by ranges, mostly forwards with short steps back: a few blocks are kept, so that reading what overlaps costs no
 * second read. Memory is bounded by those blocks, however long a range is.
 */
import { IngestError } from './errors.js';
import type { FileSystem, World } from './world.js';

const BLOCK_BYTES = 1 << 20;
const BLOCKS = 4;

type Handle = Awaited<ReturnType<FileSystem['promises']['open']>>;

export class BlockReader {
  /** Length of the file when it was opened. */
  readonly bytes: number;
  readonly #path: string;
  readonly #handle: Handle;
  readonly #world: Pick<World, 'sha256'>;
  readonly #signal: AbortSignal | undefined;
  /** The latest blocks by number; the oldest is first. */
  readonly #blocks = new Map<number, Uint8Array>();

  private constructor(path: string, handle: Handle, bytes: number, world: Pick<World, 'sha256'>, signal?: AbortSignal) {
    this.#path = path;
    this.#handle = handle;
    this.bytes = bytes;
    this.#world = world;
    this.#signal = signal;
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

  /** The bytes of `[start, end)` in pieces. A piece is valid until the next is asked for. */
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

  /** Digest of the whole file, lower-case hex. */
  async sha256(): Promise<string> {
    const hash = this.#world.sha256();
    for await (const piece of this.range(0, this.bytes)) hash.update(piece);
    return hash.digest();
  }

  async #read(number: number): Promise<Uint8Array> {
    this.#signal?.throwIfAborted();
    const start = number * BLOCK_BYTES;
    const block = new Uint8Array(Math.min(BLOCK_BYTES, this.bytes - start));
    for (let at = 0; at < block.length; ) {
      const { bytesRead } = await this.#handle.read(block, at, block.length - at, start + at);
      if (bytesRead === 0) {
        throw new IngestError('source', 'cut-short', 'the file became shorter while it was read', {
          origin: this.#path,
          at: start + at,
        });
      }
      at += bytesRead;
    }
    this.#blocks.set(number, block);
    if (this.#blocks.size > BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value!);
    return block;
  }
}
