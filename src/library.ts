/**
 * The library's calls, over the same parts as the command line: chunks of any bytes or strings, and streams that stand in a
 * `stream.pipeline` or a stream-chain chain. They differ from `run` in that they name no files and write no manifest.
 */
import type { ChunkOptions } from './chunk-options.js';
import { type Engine, engineOf, type FormattedOrigin, formatOf, reportOf, splitterOf } from './engine.js';
import { configError } from './errors.js';
import type { Flow } from './flow.js';
import { nodeWorld } from './node.js';
import { checkedOutput, type OutputChoices } from './output-settings.js';
import { type Duplex, duplex, duplexOnce, endingIn, type Writable, writable } from './pipeline.js';
import { type QueryHooks, type QueryOptions, type QueryResult, query as queryIn } from './query.js';
import type { RecordChoices } from './record-settings.js';
import { normalise, placeOf, sinks, type WhitespaceMode } from './registry.js';
import { type JobOptions, type RunHooks, run as runIn, type Summary } from './run.js';
import { isHighSurrogate } from './segment.js';
import { type ChunkSettings, chunkSettings } from './settings.js';
import type { Chunk, Doc, Item, Machine, Origin, Segment, WrittenFile } from './types.js';
import { type Verdict, type VerifyOptions, verify as verifyIn } from './verify.js';

/** Bytes, or text that stands for its UTF-8 bytes. */
export type Input = Uint8Array | string;

/**
 * Chunks files into a file, or each collection of a configuration into its own, as the command line does. The summary is of all
 * together then, and `collections` in it of each.
 * @throws IngestError
 */
export function run(options: JobOptions, hooks: RunHooks = {}): Promise<Summary> {
  return runIn(options, hooks, nodeWorld);
}

/** Proves the chunks in a file, as `millrace verify` does. @throws IngestError when they cannot be read */
export function verify(options: VerifyOptions, hooks: RunHooks = {}): Promise<Verdict> {
  return verifyIn(options, hooks, nodeWorld);
}

/** The chunks of a file of chunks that fit a question best, as `millrace query` finds them. @throws IngestError */
export function query(options: QueryOptions, hooks: QueryHooks = {}): Promise<QueryResult> {
  return queryIn(options, hooks, nodeWorld);
}

/**
 * The chunks of anything that gives bytes or strings: a stream, an array, one string. Nothing is read ahead of the consumer.
 * @throws IngestError kind config, at the first step, naming all problems
 */
export async function* chunks(
  input: AsyncIterable<Input> | Iterable<Input> | Input,
  options: ChunkOptions = {},
): AsyncGenerator<Chunk> {
  const machine = await chunkMachine(settingsFor(options));
  const buffers = typeof input === 'string' || input instanceof Uint8Array ? [input] : input;
  for await (const buffer of buffers) yield* machine.push(buffer);
  yield* machine.end();
}

/** A Duplex: bytes, strings or a splitter's items in, Chunks out. Options that are wrong throw at once. */
export function chunkStream(options: ChunkOptions = {}, signal?: AbortSignal): Duplex {
  const settings = settingsFor(options);
  return duplexOnce(() => chunkMachine(settings), signal);
}

/** What a splitter's stream may be told. A faulty record is an error of the stream, unless `onError` or `onReject` is given. */
export type SplitOptions = Pick<ChunkOptions, 'encoding' | 'strictEncoding' | 'sourceName' | 'onError' | 'onReject'>;
type Fields = Omit<RecordChoices, 'records' | 'delimiter' | 'quote' | 'noHeader'>;
export type JsonSplitOptions = SplitOptions & Fields & Pick<RecordChoices, 'records'>;
export type JsonlSplitOptions = SplitOptions & Fields;
export type CsvSplitOptions = SplitOptions & Fields & Pick<RecordChoices, 'delimiter' | 'quote' | 'noHeader'>;
export type XmlSplitOptions = JsonSplitOptions;

/** A Duplex: bytes or strings in, the items of one plain-text document out (its opening, its segments, its close). */
export function textStream(options: SplitOptions = {}, signal?: AbortSignal): Duplex {
  return splitStream('text', options, signal);
}

/** A Duplex: bytes or strings of one JSON document in, the items of its records out. Options that are wrong throw at once. */
export function json(options: JsonSplitOptions = {}, signal?: AbortSignal): Duplex {
  return splitStream('json', options, signal);
}

/** The same for lines of JSON; the name `jsonl` is the sink's. */
export function jsonlRecords(options: JsonlSplitOptions = {}, signal?: AbortSignal): Duplex {
  return splitStream('jsonl', options, signal);
}

/** The same for tables. */
export function csv(options: CsvSplitOptions = {}, signal?: AbortSignal): Duplex {
  return splitStream('csv', options, signal);
}

/** The same for tables with tabs between the cells. */
export function tsv(options: CsvSplitOptions = {}, signal?: AbortSignal): Duplex {
  return splitStream('tsv', options, signal);
}

/** The same for XML. */
export function xml(options: XmlSplitOptions = {}, signal?: AbortSignal): Duplex {
  return splitStream('xml', options, signal);
}

function splitStream(
  format: 'text' | 'json' | 'jsonl' | 'csv' | 'tsv' | 'xml',
  options: ChunkOptions,
  signal?: AbortSignal,
): Duplex {
  const settings = chunkSettings({ ...options, format });
  // A chunker behind it must know what it is given: the name of the source may not tell.
  const origin: FormattedOrigin = { uri: settings.sourceName, format };
  const splitter = splitterOf(formatOf(origin, settings), settings, { onInvalid: () => {} })(origin, reportOf(settings));
  const text = new TextBytes();
  const machine: Machine<Input, Item> = {
    *push(input) {
      for (const bytes of text.push(input)) yield* splitter.push(bytes);
    },
    *end() {
      for (const bytes of text.end()) yield* splitter.push(bytes);
      yield* splitter.end();
    },
  };
  return duplex(machine, signal);
}

/** A Duplex: items in, items out, white space normalised. */
export function normaliseStream(mode: WhitespaceMode = 'tidy', signal?: AbortSignal): Duplex {
  return duplex(new NormaliseItems(mode), signal);
}

/**
 * A Writable: Chunks in, JSON lines out. To the file of that name, which has its name once all is written; or to a stream of
 * yours, which is ended with it, and destroyed when it fails.
 */
export function jsonl(target: string | Writable, onCommit?: (files: readonly WrittenFile[]) => void): Writable {
  const spec = sinks.find((sink) => sink.name === 'jsonl')!;
  const request = { options: {}, place: placeOf(nodeWorld), stdout: nodeWorld.stdout };
  if (typeof target === 'string') return writable(spec.create({ ...request, path: target }), onCommit);
  return writable(endingIn(target, spec.create({ ...request, stdout: target })), onCommit);
}

/** What a store's stream may be told: all of the output's options, and the store's own. */
export type StoreChoices = Omit<OutputChoices, 'out' | 'to' | 'fields'>;

/**
 * A Writable: Chunks in, files that a store loads out. They are numbered and named after `path`: `points.jsonl` makes
 * `points-00001.jsonl`. Options that are wrong throw at once; chunks that the store refuses fail the stream.
 */
export function store(
  name: string,
  path: string,
  options: StoreChoices = {},
  onCommit?: (files: readonly WrittenFile[]) => void,
): Writable {
  const { sink, request } = checkedOutput({ ...options, to: name, out: path });
  return writable(sink.create({ ...request, path, place: placeOf(nodeWorld), stdout: nodeWorld.stdout }), onCommit);
}

/** Settings for one source, whose name says its format unless an option does. @throws IngestError kind config */
function settingsFor(options: ChunkOptions): ChunkSettings {
  const settings = chunkSettings(options);
  const problems = settings.format === 'auto' ? settings.misfits([formatOf({ uri: settings.sourceName }, settings)]) : [];
  if (problems.length > 0) throw configError(problems);
  return settings;
}

async function chunkMachine(settings: ChunkSettings): Promise<ChunkMachine> {
  return new ChunkMachine(await engineOf(settings, nodeWorld), settings);
}

/** Bytes, strings or items to chunks. */
class ChunkMachine implements Machine<Input | Item, Chunk> {
  readonly #engine: Engine;
  readonly #settings: ChunkSettings;
  readonly #text = new TextBytes();
  #flow: Flow | undefined;
  #origin: Origin | undefined;

  constructor(engine: Engine, settings: ChunkSettings) {
    this.#engine = engine;
    this.#settings = settings;
  }

  *push(input: Input | Item): Iterable<Chunk> {
    if (typeof input === 'string' || input instanceof Uint8Array) {
      for (const bytes of this.#text.push(input)) yield* this.#bytes().push(bytes);
      return;
    }
    if ('open' in input && input.open.origin !== this.#origin) this.#begin(input.open.origin);
    yield* this.#flow!.take(input);
  }

  *end(): Iterable<Chunk> {
    if (this.#origin !== undefined) return;
    for (const bytes of this.#text.end()) yield* this.#bytes().push(bytes);
    yield* this.#bytes().end();
  }

  #bytes(): Flow {
    this.#flow ??= this.#flowOf({ uri: this.#settings.sourceName });
    return this.#flow;
  }

  #begin(origin: Origin): void {
    this.#origin = origin;
    this.#flow = this.#flowOf(origin);
  }

  #flowOf(origin: Origin): Flow {
    return this.#engine.flow(origin, { onInvalid: () => {} }, reportOf(this.#settings));
  }
}

/** Strings to their UTF-8 bytes, cut wherever they are; bytes stay. */
class TextBytes implements Machine<Input, Uint8Array> {
  readonly #encoder = new TextEncoder();
  /** A high surrogate at the end of a string: its other half begins the next. */
  #half = '';

  *push(input: Input): Iterable<Uint8Array> {
    if (typeof input !== 'string') {
      yield* this.end();
      yield input;
      return;
    }
    const whole = this.#half + input;
    this.#half = isHighSurrogate(whole.charCodeAt(whole.length - 1)) ? whole.slice(-1) : '';
    yield this.#encoder.encode(whole.slice(0, whole.length - this.#half.length));
  }

  /** The other half of what is held did not come: it is U+FFFD then. */
  *end(): Iterable<Uint8Array> {
    if (this.#half !== '') yield this.#encoder.encode(this.#half);
    this.#half = '';
  }
}

class NormaliseItems implements Machine<Item, Item> {
  readonly #mode: WhitespaceMode;
  #machine: Machine<Segment, Segment> | undefined;

  constructor(mode: WhitespaceMode) {
    this.#mode = mode;
  }

  *push(item: Item): Iterable<Item> {
    if ('text' in item) {
      yield* this.#machine!.push(item);
      return;
    }
    if ('open' in item) this.#machine = this.#made(item.open);
    else yield* this.#machine!.end();
    yield item;
  }

  end(): Iterable<Item> {
    return [];
  }

  #made(doc: Doc): Machine<Segment, Segment> {
    return normalise(this.#mode)(doc);
  }
}
