/**
 * Ranks the chunks of a file by how close they are to a query, as rank.ts does, but in bounded memory whatever the file's size.
 * One pass over the file counts in how many chunks each term is; a second scores the chunks that have a term of the query, and
 * keeps the places of the best; their lines are then read again.
 *
 * The table of terms holds three million, which is 64 MiB. When there are more, the second pass gives each chunk two scores
 * between which its own lies, and keeps all that may be among the best; a third pass counts the missing terms of these few. The
 * scores are exact all the same. Only if more than 65,536 chunks are too close to call, or they have three million further
 * terms, is the result not: `exact` says so, and the scores are then the lower ends of their ranges.
 */
import { BlockReader } from './blocks.js';
import { copy, joined } from './copies.js';
import { configError, IngestError } from './errors.js';
import { type Contender, Leaders } from './leaders.js';
import { checkOptions } from './options.js';
import { type Ranked, type RankOptions, rankOptions } from './rank.js';
import type { OptionSpec } from './spec.js';
import { eachHash, TermTable } from './term-table.js';
import type { Chunk } from './types.js';
import { Frequencies, Scorer } from './weights.js';
import type { World } from './world.js';

export interface QueryOptions extends RankOptions {
  /** A file of chunks: a JSON object a line. */
  readonly path: string;
  readonly query: string;
}

export interface QueryHooks {
  readonly signal?: AbortSignal;
  /** Bytes are those of all passes. */
  readonly onProgress?: (progress: {
    readonly bytes: number;
    readonly totalBytes: number;
    readonly chunks: number;
    readonly source: string;
  }) => void;
}

export interface QueryResult {
  /** The best first. */
  readonly matches: readonly Ranked<Chunk>[];
  /** How many there are in the file. */
  readonly chunks: number;
  readonly exact: boolean;
}

const DEFAULT_TOP = 10;
const MOST_TOP = 10_000;
const MOST_QUERY_UNITS = 100_000;

/** `top` is bounded here, since the matches are held. */
export const queryOptions: readonly OptionSpec[] = rankOptions.map((option) =>
  option.name === 'top' ? { ...option, max: MOST_TOP, defaultText: String(DEFAULT_TOP) } : option,
);

/** What bounds memory; tests make it small. */
export interface QueryLimits {
  readonly terms: number;
  readonly lineBytes: number;
  readonly closeCalls?: number;
}

const LIMITS: QueryLimits = { terms: 3_000_000, lineBytes: 2 ** 24 };

/** @throws IngestError; or the signal's reason when it aborts */
export async function query(
  options: QueryOptions,
  hooks: QueryHooks,
  world: Pick<World, 'fs' | 'sha256'>,
  limits: QueryLimits = LIMITS,
): Promise<QueryResult> {
  const { path, query: question, ...ranking } = options;
  const problems: string[] = [];
  checkOptions(ranking, queryOptions, problems);
  if (question.length > MOST_QUERY_UNITS) problems.push(`the query is longer than ${MOST_QUERY_UNITS} characters`);
  if (problems.length > 0) throw configError(problems);
  const reader = await BlockReader.open(path, world, hooks.signal);
  try {
    return await new Search(options, reader, hooks, limits).perform();
  } finally {
    await reader.close();
  }
}

/** A chunk by the bytes of its line. */
interface Place extends Contender {
  readonly start: number;
  readonly end: number;
}

class Search {
  readonly #path: string;
  readonly #top: number;
  readonly #minScore: number;
  readonly #reader: BlockReader;
  readonly #hooks: QueryHooks;
  readonly #limits: QueryLimits;
  readonly #frequencies: Frequencies;
  readonly #flags = new Flags();
  readonly #utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  #passes = 2;
  #passed = 0;

  constructor({ path, query, top, minScore }: QueryOptions, reader: BlockReader, hooks: QueryHooks, limits: QueryLimits) {
    this.#path = path;
    this.#top = top ?? DEFAULT_TOP;
    this.#minScore = minScore ?? 0;
    this.#reader = reader;
    this.#hooks = hooks;
    this.#limits = limits;
    this.#frequencies = new Frequencies(query, limits.terms);
  }

  async perform(): Promise<QueryResult> {
    const chunks = await this.#eachLine((line) => {
      if (this.#frequencies.add(this.#parsed(line).text)) this.#flags.set(line.index);
    });
    let leaders = await this.#score(chunks);
    const isClose = leaders.ranked().some(({ least, most }) => least < most);
    const { missed } = leaders;
    if (isClose) leaders = await this.#decide(leaders.ranked());
    const best = leaders.ranked().slice(0, this.#top);
    const bar = best.length < this.#top ? this.#minScore : best.at(-1)!.least;
    const exact = missed < bar && leaders.ranked().every(({ least, most }) => least === most);
    return { matches: await this.#matches(best), chunks, exact };
  }

  /** Second pass. Chunks without a term of the query score 0, so they need not be looked into. */
  async #score(chunks: number): Promise<Leaders<Place>> {
    const scorer = new Scorer(this.#frequencies);
    const leaders = new Leaders<Place>(this.#top, this.#limits.closeCalls);
    const found = await this.#eachLine((line) => {
      const { index, start, bytes } = line;
      if (!this.#flags.has(index) && !(leaders.wants(0) && this.#minScore === 0)) return;
      const score = this.#flags.has(index) ? scorer.score(this.#parsed(line).text) : { least: 0, most: 0 };
      if (score.most >= this.#minScore) leaders.offer({ index, start, end: start + bytes.length, ...score });
    });
    if (found !== chunks) throw this.#changed();
    return leaders;
  }

  /** Third pass: counts the terms that only some of these have, and scores these anew. */
  async #decide(places: readonly Place[]): Promise<Leaders<Place>> {
    this.#passes = 3;
    const inOrder = places.toSorted((a, b) => a.index - b.index);
    const counted = new TermTable(this.#limits.terms);
    for (const place of inOrder) this.#frequencies.collectStrangers((await this.#chunkAt(place)).text, counted);
    await this.#eachLine((line) => {
      eachHash(this.#parsed(line).text, (high, low) => {
        const place = counted.find(high, low);
        if (place >= 0) counted.countOnce(place, line.index + 1);
      });
    });
    const scorer = new Scorer(this.#frequencies, counted);
    const leaders = new Leaders<Place>(this.#top, places.length);
    for (const place of inOrder) {
      const score = scorer.score((await this.#chunkAt(place)).text);
      if (score.most >= this.#minScore) leaders.offer({ ...place, ...score });
    }
    return leaders;
  }

  async #matches(best: readonly Place[]): Promise<Ranked<Chunk>[]> {
    const chunks = new Map<number, Chunk>();
    // In the file's order, so that each block is read once.
    for (const place of best.toSorted((a, b) => a.index - b.index)) chunks.set(place.index, await this.#chunkAt(place));
    return best.map(({ index, least }) => ({ chunk: chunks.get(index)!, index, score: least }));
  }
  async #chunkAt({ start, end, index }: Place): Promise<Chunk> {
    const parts: Uint8Array[] = [];
    for await (const part of this.#reader.range(start, end)) parts.push(copy(part));
    return this.#parsed({ bytes: joined(parts), start, index });
  }

  /** Calls `take` for each line, whose bytes are valid until it returns. Gives how many there are. */
  async #eachLine(take: (line: Line) => void): Promise<number> {
    let index = 0;
    let start = 0;
    let parts: Uint8Array[] = [];
    let held = 0;
    const end = (part: Uint8Array) => {
      const bytes = held === 0 ? part : joined([...parts, part]);
      take({ bytes, start, index: index++ });
      start += bytes.length + 1;
      parts = [];
      held = 0;
    };
    for await (const block of this.#reader.range(0, this.#reader.bytes)) {
      for (let from = 0; from < block.length; ) {
        const feed = block.indexOf(LINE_FEED, from);
        const part = block.subarray(from, feed < 0 ? block.length : feed);
        from += part.length + 1;
        if (held + part.length > this.#limits.lineBytes) throw this.#tooLong(index, start);
        if (feed >= 0) {
          end(part);
          continue;
        }
        parts.push(copy(part));
        held += part.length;
      }
      this.#tell(block.length, index);
    }
    if (held > 0) end(new Uint8Array(0));
    return index;
  }

  #parsed({ bytes, start, index }: Line): Chunk {
    let chunk: unknown;
    try {
      chunk = JSON.parse(this.#utf8.decode(bytes));
    } catch {
      throw this.#bad(index, start, 'is not JSON');
    }
    const lacks = missingFrom(chunk);
    if (lacks !== undefined) throw this.#bad(index, start, `is no chunk: ${lacks}`);
    return chunk as Chunk;
  }

  #tell(bytes: number, chunks: number): void {
    this.#passed += bytes;
    const totalBytes = this.#passes * this.#reader.bytes;
    this.#hooks.onProgress?.({ bytes: this.#passed, totalBytes, chunks, source: this.#path });
  }

  #bad(index: number, at: number, what: string): IngestError {
    return new IngestError('record', 'bad-line', `line ${index + 1} ${what}`, { origin: this.#path, at, record: index });
  }

  #tooLong(index: number, at: number): IngestError {
    const sentence = `line ${index + 1} is longer than ${this.#limits.lineBytes} bytes`;
    return new IngestError('record', 'line-too-long', sentence, { origin: this.#path, at, record: index });
  }

  #changed(): IngestError {
    return new IngestError('source', 'changed', 'the file was changed while it was read', { origin: this.#path });
  }
}

const LINE_FEED = 0x0a;

interface Line {
  readonly bytes: Uint8Array;
  /** Byte of the file. */
  readonly start: number;
  /** From 0. */
  readonly index: number;
}

/** What a chunk has and this has not; undefined when nothing is missing. */
function missingFrom(found: unknown): string | undefined {
  if (typeof found !== 'object' || found === null) return 'it is no object';
  const { id, source, start, end, text } = found as { readonly [key in keyof Chunk]?: unknown };
  if (typeof text !== 'string') return 'it has no text';
  if (typeof id !== 'string') return 'it has no id';
  if (typeof source !== 'string') return 'it has no source';
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) ? undefined : 'it has no byte range';
}

/** A bit for each of the first 67 million indexes, in at most 8 MiB; later ones count as set. */
class Flags {
  #bits = new Uint8Array(2 ** 13);

  set(index: number): void {
    if (index >= MOST_FLAGS) return;
    while (index >= this.#bits.length * 8) {
      const bits = new Uint8Array(this.#bits.length * 2);
      bits.set(this.#bits);
      this.#bits = bits;
    }
    this.#bits[index >>> 3]! |= 1 << (index & 7);
  }

  has(index: number): boolean {
    return index >= MOST_FLAGS || (((this.#bits[index >>> 3] ?? 0) >> (index & 7)) & 1) === 1;
  }
}

const MOST_FLAGS = 2 ** 26;
