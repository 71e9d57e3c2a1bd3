/**
 * Chunks read back from lines of JSON, as this program writes them: perhaps with an embedding that somebody has put to each.
 * Nothing is cut, counted or named anew. Each line is checked by itself; one that is no chunk is reported with its place, and the
 * next is read. Keys that no chunk has are passed over. At most one line is held (law L8), and eight bytes of each id.
 */
import { copy, joined } from './copies.js';
import { nothingDropped } from './coverage.js';
import { IngestError } from './errors.js';
import type { SourceReceipt } from './manifest.js';
import { Seen } from './seen.js';
import type { Chunk, Origin, Report } from './types.js';
import type { Hash } from './world.js';

/** Of a line: a longer one is not gathered. */
const MOST_LINE_BYTES = 32 * 2 ** 20;
/** Lists and objects within each other, in metadata and records. */
const MOST_LEVELS = 100;
const EXCERPT_UNITS = 80;

const FEED = 0x0a;

/** The lines of one origin while they arrive. */
export class ChunkLines {
  readonly origin: Origin;
  readonly #report: Report;
  readonly #ids: Ids;
  readonly #hash: Hash;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #dropped = nothingDropped();
  #parts: Uint8Array[] = [];
  /** Bytes of the line under way, whether they are held or not. */
  #length = 0;
  /** Where the line under way begins. */
  #start = 0;
  /** 0-based, of the line under way. */
  #line = 0;
  #chunks = 0;
  #tokens = 0;
  #uncounted = 0;
  #rejected = 0;

  constructor(origin: Origin, report: Report, ids: Ids, hash: Hash) {
    this.origin = origin;
    this.#report = report;
    this.#ids = ids;
    this.#hash = hash;
  }

  *push(bytes: Uint8Array): Iterable<Chunk> {
    this.#hash.update(bytes);
    for (let from = 0; from < bytes.length; ) {
      const feed = bytes.indexOf(FEED, from);
      const part = bytes.subarray(from, feed < 0 ? bytes.length : feed);
      from += part.length + 1;
      this.#length += part.length;
      if (feed >= 0) yield* this.#complete(part, 1);
      else if (this.#length <= MOST_LINE_BYTES) this.#parts.push(copy(part));
      else this.#parts = [];
    }
  }

  /** A last line without its LF may have been cut short: it is a chunk only if it is whole JSON. */
  *end(): Iterable<Chunk> {
    if (this.#length > 0) yield* this.#complete(new Uint8Array(0), 0);
  }

  note({ tokens }: Chunk): void {
    this.#chunks++;
    if (tokens === undefined) this.#uncounted++;
    else this.#tokens += tokens;
  }

  receipt(): SourceReceipt {
    const dropped = Object.values(this.#dropped).reduce((sum, bytes) => sum + bytes, 0);
    return {
      source: this.origin.uri,
      sha256: this.#hash.digest(),
      charset: 'utf-8',
      format: 'jsonl',
      documents: 1,
      chunks: this.#chunks,
      ...(this.#uncounted === 0 && this.#chunks > 0 ? { tokens: this.#tokens } : {}),
      rejected: this.#rejected,
      invalid: 0,
      coverage: { bytes: this.#start, inChunks: this.#start - dropped, dropped: this.#dropped },
    };
  }

  /** @param feed bytes of the line end */
  *#complete(last: Uint8Array, feed: number): Iterable<Chunk> {
    const [start, length, line] = [this.#start, this.#length, this.#line];
    const parts = [...this.#parts, last];
    this.#parts = [];
    this.#length = 0;
    this.#line++;
    this.#start = start + length + feed;
    try {
      const chunk = this.#chunkIn(parts, length, start, line);
      if (chunk === undefined) this.#dropped.blank += length + feed;
      else yield chunk;
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      this.#rejected++;
      this.#dropped.rejected += length + feed;
      const { message, reason, excerpt } = error;
      const details = { origin: this.origin.uri, at: start, record: line, range: [start, start + length] as const, excerpt };
      this.#report(new IngestError('record', reason, `line ${line + 1}: ${message}`, details));
    }
  }

  /** Undefined: the line is blank. */
  #chunkIn(parts: readonly Uint8Array[], length: number, start: number, line: number): Chunk | undefined {
    if (length > MOST_LINE_BYTES) throw new LineFault('too-long', `it is longer than ${MOST_LINE_BYTES} bytes`, '');
    const text = this.#decoded(parts);
    const json = start === 0 && line === 0 && text.startsWith('\ufeff') ? text.slice(1) : text;
    if (json.trim() === '') return undefined;
    const chunk = chunkOf(parsed(json), (reason, what): never => {
      throw new LineFault(reason, what, json);
    });
    if (!this.#ids.add(chunk.id))
      throw new LineFault('repeated-id', `another chunk has the id ${JSON.stringify(chunk.id)}`, json);
    return chunk;
  }

  #decoded(parts: readonly Uint8Array[]): string {
    try {
      return this.#utf8.decode(parts.length === 1 ? parts[0] : joined(parts));
    } catch {
      throw new LineFault('invalid-bytes', 'its bytes are no UTF-8', '');
    }
  }
}

/** What is wrong with one line. */
class LineFault extends Error {
  readonly reason: string;
  readonly excerpt: string;

  constructor(reason: string, message: string, line: string) {
    super(message);
    this.reason = reason;
    this.excerpt = line.slice(0, EXCERPT_UNITS).toWellFormed();
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new LineFault('bad-json', 'it is not JSON', json);
  }
}

/* ------------------------------------------------------------------ what a line must be */

type Refuse = (reason: string, what: string) => never;

/** The keys of a chunk, and no others. */
function chunkOf(found: unknown, refuse: Refuse): Chunk {
  if (!isObject(found)) return refuse('not-a-chunk', 'it is no object, but a chunk is one');
  const { id, source, index, start, end, tokens, context, record, metadata, text, embedding } = found;
  const { name, what } = wrongText(found) ?? wrongNumber(found) ?? FITTING;
  if (name !== '') return refuse('not-a-chunk', `its ${name} is ${what}`);
  if (!isObject(metadata)) return refuse('not-a-chunk', 'its metadata is no object');
  if (record !== undefined && !isObject(record)) return refuse('not-a-chunk', 'its record is no object');
  if (isDeep(metadata)) return refuse('too-deep', `its metadata has more than ${MOST_LEVELS} levels`);
  if (embedding !== undefined) checkEmbedding(embedding, refuse);
  // Not in the order of keys, but in one shape for most: the engine is faster so, and sinks write keys in an order of their own.
  const chunk = { id, source, index, start, end, metadata, text } as Record<string, unknown>;
  if (tokens !== undefined) chunk.tokens = tokens;
  if (context !== undefined) chunk.context = context;
  if (record !== undefined) chunk.record = record;
  if (embedding !== undefined) chunk.embedding = embedding;
  return chunk as unknown as Chunk;
}

interface Wrong {
  readonly name: string;
  readonly what: string;
}

const FITTING: Wrong = { name: '', what: '' };

function wrongText({ id, source, text, context }: Readonly<Record<string, unknown>>): Wrong | undefined {
  const what = 'no text';
  if (typeof id !== 'string' || id === '') return { name: 'id', what: 'no text, or empty' };
  if (typeof source !== 'string') return { name: 'source', what };
  if (typeof text !== 'string') return { name: 'text', what };
  if (context !== undefined && typeof context !== 'string') return { name: 'context', what };
  return undefined;
}

function wrongNumber({ index, start, end, tokens }: Readonly<Record<string, unknown>>): Wrong | undefined {
  const what = 'no whole number from 0';
  if (!isCount(index)) return { name: 'index', what };
  if (!isCount(start)) return { name: 'start', what };
  if (!isCount(end)) return { name: 'end', what };
  if (tokens !== undefined && !isCount(tokens)) return { name: 'tokens', what };
  return start > end ? { name: 'end', what: 'before its start' } : undefined;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function checkEmbedding(embedding: unknown, refuse: Refuse): void {
  const numbers: readonly unknown[] = Array.isArray(embedding) ? embedding : [];
  if (numbers.length === 0) refuse('bad-embedding', 'its embedding is no list of numbers');
  const strange = numbers.findIndex((each) => typeof each !== 'number' || !Number.isFinite(Math.fround(each)));
  if (strange >= 0) refuse('bad-embedding', `number ${strange + 1} of its embedding is none that fits 32 bits`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Level by level, since what is deep must not be walked by calls within calls. */
function isDeep(value: object): boolean {
  let level = innerOf(value, []);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MOST_LEVELS) return true;
    const next: object[] = [];
    for (const each of level) innerOf(each, next);
    level = next;
  }
  return false;
}

function innerOf(value: object, into: object[]): object[] {
  for (const key in value) {
    const inner: unknown = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof inner === 'object' && inner !== null) into.push(inner);
  }
  return into;
}

/* ------------------------------------------------------------------ ids that come twice */

/** Ids told apart by 64 bits of a hash; two that differ are taken for one with a chance of one in a hundred million for a million ids. */
const MOST_IDS = 2 ** 21;

/** The ids of a run: the last two million of them at least, then from the beginning again (law L8). */
export class Ids {
  #seen = new Seen();

  /** False: it is there already. */
  add(id: string): boolean {
    if (this.#seen.size >= MOST_IDS) this.#seen = new Seen();
    let high = 0x811c9dc5;
    let low = 0x9e3779b9;
    for (let i = 0; i < id.length; i++) {
      const unit = id.charCodeAt(i);
      high = Math.imul(high ^ unit, 0x01000193);
      low = Math.imul(low ^ unit, 0x85ebca6b) ^ (low >>> 15);
    }
    return this.#seen.add(high >>> 0, (low ^ (low >>> 13)) >>> 0) === 0;
  }
}
