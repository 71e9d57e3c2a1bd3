/**
 * Compressed inputs as if they were not: a layer over any source. What an origin is compressed with is what the user says, else
 * what its name ends like, else what its first bytes are (but for brotli, which has no mark). Whatever is not whole is an
 * error, never an end. Bounds what may come of few bytes. Each compression is a file of its own, which pulls what it needs.
 */
import { beginningOf, endingOf } from '../src/compression.js';
import { IngestError } from '../src/errors.js';
import type { Compression, Origin, Source } from '../src/types.js';
import { Feed } from './feed.js';

export interface InflateOptions {
  /** `auto`: what the name of a source, or its first bytes, say. */
  readonly compression: 'auto' | 'none' | Compression;
  /** Most bytes that a compressed one may become, on average, past the first 64 MiB. */
  readonly maxRatio: number;
  /** Most bytes of one source, decompressed; undefined: any number. */
  readonly maxInputBytes: number | undefined;
}

type Decompress = (feed: Feed) => AsyncGenerator<Uint8Array>;

/** How each is undone: loaded by those who need it. */
const DECOMPRESSORS: Readonly<Record<Compression, () => Promise<Decompress>>> = {
  gzip: async () => (await import('./gzip.js')).gunzipped,
  br: async () => (await import('./brotli.js')).unbrotlied,
  zstd: async () => (await import('./zstd.js')).unzstd,
  bzip2: async () => (await import('./bzip2.js')).unbzip2,
};

/** What a few bytes become is nobody's business. */
const FREE_BYTES = 2 ** 26;

/** The same source, decompressed. */
export function inflated(source: Source, options: InflateOptions): Source {
  const { origin, paths } = source;
  return {
    ...(origin === undefined ? {} : { origin }),
    ...(paths === undefined ? {} : { paths }),
    read: (signal) => inflate(source.read(signal), options, signal),
  };
}

async function* inflate(
  items: AsyncIterable<Origin | Uint8Array>,
  options: InflateOptions,
  signal: AbortSignal,
): AsyncGenerator<Origin | Uint8Array> {
  const stored = new Stored(items);
  try {
    for (let origin = await stored.origin(); origin !== undefined; origin = await stored.origin()) {
      const feed = new Feed(origin.uri, () => stored.bytes());
      const compression = await compressionOf(origin, feed, options);
      const used = () => feed.position - feed.held;
      yield compression === undefined ? origin : { ...origin, compression, done: used };
      const decompressed = compression === undefined ? plain : await DECOMPRESSORS[compression]();
      yield* limited(decompressed(feed), { ...options, origin, signal, used });
    }
  } finally {
    await stored.close();
  }
}

/** Undefined: none. */
async function compressionOf({ uri }: Origin, feed: Feed, { compression }: InflateOptions): Promise<Compression | undefined> {
  if (compression !== 'auto') return compression === 'none' ? undefined : compression;
  const { compression: named } = endingOf(uri);
  if (named !== undefined) return named;
  for (let length = 1; ; length++) {
    const start = await feed.peek(length);
    const found = beginningOf(start);
    if (found !== 'undecided') return found;
    if (start.length < length) return undefined;
  }
}

async function* plain(feed: Feed): AsyncGenerator<Uint8Array> {
  for (let bytes = await feed.slice(MOST); bytes !== undefined; bytes = await feed.slice(MOST)) yield bytes;
}

const MOST = Number.POSITIVE_INFINITY;

interface Limits extends InflateOptions {
  readonly origin: Origin;
  readonly signal: AbortSignal;
  /** Stored bytes that were used so far. */
  readonly used: () => number;
}

async function* limited(pieces: AsyncIterable<Uint8Array>, limits: Limits): AsyncGenerator<Uint8Array> {
  const { origin, signal, used, maxRatio, maxInputBytes = MOST } = limits;
  let bytes = 0;
  for await (const piece of pieces) {
    signal.throwIfAborted();
    bytes += piece.length;
    if (bytes > maxInputBytes) {
      throw new IngestError('source', 'too-large', `it is more than ${maxInputBytes} bytes (raise --max-input-bytes)`, {
        origin: origin.uri,
        at: maxInputBytes,
      });
    }
    if (bytes > FREE_BYTES && bytes > used() * maxRatio) {
      const sentence =
        `${used()} compressed bytes have become more than ${maxRatio} times as many: it may be made to fill the disk ` +
        '(if it is not, raise --max-ratio)';
      throw new IngestError('source', 'ratio', sentence, { origin: origin.uri, at: bytes });
    }
    yield piece;
  }
}

/** The items of a source, an origin and its bytes at a time. */
class Stored {
  readonly #items: AsyncIterator<Origin | Uint8Array>;
  /** Of the next origin, met while bytes were asked for. */
  #ahead: Origin | undefined;
  #waiting = false;

  constructor(items: AsyncIterable<Origin | Uint8Array>) {
    this.#items = items[Symbol.asyncIterator]();
  }

  /** The next origin, past all bytes of the one before. */
  async origin(): Promise<Origin | undefined> {
    while (this.#ahead === undefined) if ((await this.bytes()) === undefined && this.#ahead === undefined) return undefined;
    const origin = this.#ahead;
    this.#ahead = undefined;
    return origin;
  }

  /** The next bytes of the origin. */
  async bytes(): Promise<Uint8Array | undefined> {
    if (this.#ahead !== undefined) return undefined;
    this.#waiting = true;
    const { done, value } = await this.#items.next();
    this.#waiting = false;
    if (done === true) return undefined;
    if (value instanceof Uint8Array) return value;
    this.#ahead = value;
    return undefined;
  }

  async close(): Promise<void> {
    const closing = this.#items.return?.().catch(() => {});
    // A source that waits for a silent pipe cannot close before something comes.
    if (!this.#waiting) await closing;
  }
}
