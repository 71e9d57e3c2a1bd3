/**
 * Node's own decompressors, pulled: bytes go in as fast as what they become is taken out, and what an engine did not use is
 * given back. That a compressed text is over, and what may follow it, is for those who know the format to judge.
 */
import * as zlib from 'node:zlib';
import type { Feed } from './feed.js';

/** Structurally one of node:zlib's. */
export interface Engine extends AsyncIterable<Uint8Array> {
  /** Bytes that it has used of those written. */
  readonly bytesWritten: number;
  write(bytes: Uint8Array, done: (error?: Error | null) => void): unknown;
  end(): unknown;
  destroy(error?: Error): unknown;
}

/** What an engine is fed with. */
export interface Slices {
  slice(): Promise<Uint8Array | undefined>;
  back(bytes: number): void;
}

const OUTPUT = { chunkSize: 1 << 16, readableHighWaterMark: 1 << 17 };

export const deflateEngine = (): Engine => zlib.createInflateRaw(OUTPUT);
export const brotliEngine = (): Engine => zlib.createBrotliDecompress(OUTPUT);

/** Of Node from 22.15 on; undefined before. */
export const zstdEngine = (zlib as { createZstdDecompress?: (options: typeof OUTPUT) => Engine }).createZstdDecompress?.bind(
  undefined,
  OUTPUT,
);

export const crc32: (bytes: Uint8Array, before: number) => number = zlib.crc32;

/** What the bytes become, until the engine says that it is over. What is left of them comes next from the feed. */
export async function* through(engine: Engine, input: Slices, feed: Feed, what: string): AsyncGenerator<Uint8Array> {
  const filling = new Filling(engine, input);
  try {
    yield* engine;
    input.back(filling.written - engine.bytesWritten);
  } catch (error) {
    if (filling.failed !== undefined) throw filling.failed.error;
    if (codeOf(error) === 'Z_BUF_ERROR') throw feed.cutShort(what);
    const sentence = `${what} is damaged: ${(error as Error).message}`;
    throw feed.fault('damaged', sentence, { cause: error });
  } finally {
    engine.destroy();
  }
}

/** Writes until the engine has enough, or there is nothing more. */
class Filling {
  written = 0;
  /** What went wrong with the input, not with the engine. */
  failed: { readonly error: unknown } | undefined;

  constructor(engine: Engine, input: Slices) {
    this.#fill(engine, input).catch((error: unknown) => {
      this.failed = { error };
      engine.destroy(error as Error);
    });
  }

  async #fill(engine: Engine, input: Slices): Promise<void> {
    for (let slice = await input.slice(); slice !== undefined; slice = await input.slice()) {
      this.written += slice.length;
      const bytes = slice;
      const error = await new Promise<Error | null | undefined>((resolve) => engine.write(bytes, resolve));
      // An error is told to the reader of the engine; what the engine left over is the end.
      if (error || engine.bytesWritten < this.written) return;
    }
    engine.end();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
