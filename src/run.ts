/**
 * The chunk job: inputs in, one output, a manifest, a summary. Drives each source's Flow with its bytes and hands the chunks to
 * the sink, waiting when the sink says so. On any error or interruption nothing stays under a final name (L11).
 */

import { type Engine, engineOf } from './engine.js';
import { configError, IngestError } from './errors.js';
import type { Flow } from './flow.js';
import { added, manifestPath, manifestText, NOTHING_YET, type SourceReceipt, type Totals } from './manifest.js';
import type { Spelling } from './options.js';
import { type ByteFile, inputs as inputKinds, openFile, sinks, targetOf } from './registry.js';
import { type RunOptions, type RunSettings, runSettings } from './settings.js';
import type { Chunk, Origin, Sink, Source, WrittenFile } from './types.js';
import { VERSION } from './version.js';
import type { Hash, World } from './world.js';

export type { RunOptions } from './settings.js';

/** How far a run is. Bytes are those read so far over all inputs; the total is absent when an input's length is unknown. */
export interface Progress {
  readonly bytes: number;
  readonly totalBytes?: number;
  readonly chunks: number;
  readonly source: string;
}

/** How many chunks measure from `from` to `to`, both included, in the run's unit. */
export interface HistogramBar {
  readonly from: number;
  readonly to: number;
  readonly chunks: number;
}

export interface Summary {
  readonly chunks: number;
  readonly documents: number;
  readonly sources: number;
  readonly tokens?: number;
  readonly tokenizer?: string;
  readonly unit: string;
  readonly bytes: number;
  readonly seconds: number;
  /** Highest resident memory of the process, in bytes. */
  readonly peakMemory: number;
  /** Bad byte sequences that became U+FFFD. */
  readonly invalid: number;
  /** Bytes in no chunk, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly files: readonly WrittenFile[];
  /** Dry runs only. */
  readonly histogram?: readonly HistogramBar[];
}

export interface RunHooks {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** How messages about options spell their names. */
  readonly spelling?: Spelling;
}

/** @throws IngestError; or the signal's reason when it aborts */
export async function run(options: RunOptions, hooks: RunHooks, world: World): Promise<Summary> {
  const began = world.now();
  const settings = runSettings(await withConfig(options, world), hooks.spelling);
  const sources = await openInputs(settings, world);
  const engine = await engineOf(settings, world);
  const job = new Job(settings, engine, world, hooks);
  const totals = await job.perform(sources);
  const summary: Summary = {
    ...job.summaryOf(totals),
    seconds: (world.now() - began) / 1000,
    peakMemory: world.peakMemory(),
  };
  if (settings.summary !== undefined) await writeWhole(settings.summary, `${JSON.stringify(summary, null, 2)}\n`, world);
  return summary;
}

/** What the file named by `config` says, under what the caller says. */
async function withConfig(options: RunOptions, world: World): Promise<RunOptions> {
  if (options.config === undefined) return options;
  let text: string;
  try {
    text = await world.fs.promises.readFile(options.config, 'utf8');
  } catch (error) {
    throw new IngestError(
      'config',
      'no-config',
      `the configuration ${options.config} could not be read: ${(error as Error).message}`,
    );
  }
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw configError([`the configuration ${options.config} is not JSON: ${(error as Error).message}`]);
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw configError([`the configuration ${options.config} must hold an object of options, such as {"size": 256}`]);
  }
  return { ...(found as RunOptions), ...options };
}

/** All sources in the order of the inputs, each name once, the output itself left out. */
async function openInputs(settings: RunSettings, world: World): Promise<Source[]> {
  const { root, bufferBytes, sourceName } = settings;
  const options = { bufferBytes, sourceName, ...(root === undefined ? {} : { root }) };
  const isOwn = await ownFiles(settings, world);
  const named = new Map<string, Source>();
  for (const input of settings.inputs) {
    const kind = inputKinds.find((each) => each.takes(input))!;
    const opened = await kind.open(input, options, world);
    const others: Source[] = [];
    for (const source of opened) if (!(await isOwn(source))) others.push(source);
    // In a directory the output of the last run is passed over; an input that is nothing else would be lost.
    if (opened.length > 0 && others.length === 0) throw configError([`${input} is both input and output`]);
    for (const source of others) {
      const name = source.origin?.uri ?? sourceName;
      const same = named.get(name);
      if (same === undefined) named.set(name, source);
      else if (same.origin === undefined || source.origin === undefined)
        throw configError([`${name} is the name of a file and of standard input: give that another`]);
    }
  }
  return [...named.values()];
}

/** Tells of a source whether it reads what this run writes, by whatever name. */
async function ownFiles({ out, summary }: RunSettings, { fs }: World): Promise<(source: Source) => Promise<boolean>> {
  const written = [...(out === undefined ? [] : [out, manifestPath(out)]), ...(summary === undefined ? [] : [summary])];
  const real = (path: string) => fs.promises.realpath(path).catch(() => undefined);
  const own = new Set(await Promise.all(written.map(real)));
  own.delete(undefined);
  return async ({ paths = [] }) => {
    if (own.size === 0) return false;
    for (const path of paths) if (own.has(await real(path))) return true;
    return false;
  };
}

async function writeWhole(path: string, text: string, world: World): Promise<void> {
  const file = await openFile(path, world);
  try {
    await file.write(new TextEncoder().encode(text));
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** One run under way. */
class Job {
  readonly #settings: RunSettings;
  readonly #engine: Engine;
  readonly #world: World;
  readonly #hooks: RunHooks;
  readonly #interruption: Interruption;
  readonly #histogram: number[] | undefined;
  #files: readonly WrittenFile[] = [];
  #bytes = 0;
  #chunks = 0;
  #totalBytes: number | undefined;
  #totals: Totals = NOTHING_YET;

  constructor(settings: RunSettings, engine: Engine, world: World, hooks: RunHooks) {
    this.#settings = settings;
    this.#engine = engine;
    this.#world = world;
    this.#hooks = hooks;
    this.#interruption = new Interruption(hooks.signal ?? new AbortController().signal);
    this.#histogram = settings.dryRun ? new Array<number>(BARS + 1).fill(0) : undefined;
  }

  async perform(sources: readonly Source[]): Promise<Totals> {
    this.#totalBytes = totalBytes(sources);
    const sink = this.#settings.dryRun ? nowhere : this.#sink();
    let manifest: ManifestFile | undefined;
    try {
      await sink.open?.();
      manifest = await ManifestFile.open(this.#settings, this.#world);
      for (const source of sources) await this.#read(source, sink, manifest);
      this.#files = await sink.commit();
      await manifest?.commit(this.#totals, this.#files);
    } catch (error) {
      await Promise.allSettled([sink.abort(), manifest?.abort()]);
      throw error;
    } finally {
      this.#interruption.release();
    }
    return this.#totals;
  }

  summaryOf(totals: Totals): Omit<Summary, 'seconds' | 'peakMemory'> {
    const { chunks, documents, sources, tokens, bytes, invalid, dropped } = totals;
    const { tokens: counter } = this.#engine;
    return {
      ...{ chunks, documents, sources, bytes, invalid, dropped },
      ...(tokens === undefined || counter === undefined ? {} : { tokens, tokenizer: counter.name }),
      unit: this.#settings.unit,
      files: this.#files,
      ...(this.#histogram === undefined ? {} : { histogram: bars(this.#histogram, this.#settings.size) }),
    };
  }

  #sink(): Sink {
    const { out, to } = this.#settings;
    const spec = sinks.find((each) => each.name === to)!;
    return spec.create({ ...(out === undefined ? {} : { path: out }), options: {}, world: this.#world });
  }

  async #read(source: Source, sink: Sink, manifest: ManifestFile | undefined): Promise<void> {
    const { signal } = this.#interruption;
    const items = source.read(signal)[Symbol.asyncIterator]();
    let reading: Reading | undefined;
    let whole = false;
    try {
      for (;;) {
        const { done, value: item } = await this.#interruption.or(items.next());
        signal.throwIfAborted();
        if (done === true) break;
        if (item instanceof Uint8Array) {
          await this.#deliver(reading!.push(item), reading!, sink);
          this.#bytes += item.length;
          this.#tell(reading!.origin);
        } else {
          if (reading !== undefined) await this.#finish(reading, sink, manifest);
          reading = new Reading(item, this.#engine, this.#world.sha256());
        }
      }
      whole = true;
    } finally {
      const closing = whole ? undefined : items.return?.().catch(() => {});
      // A source that waits for a silent pipe cannot close before something comes.
      if (!signal.aborted) await closing;
    }
    if (reading !== undefined) await this.#finish(reading, sink, manifest);
  }

  async #finish(reading: Reading, sink: Sink, manifest: ManifestFile | undefined): Promise<void> {
    await this.#deliver(reading.end(), reading, sink);
    const receipt = reading.receipt();
    this.#totals = added(this.#totals, receipt);
    await manifest?.add(receipt);
  }

  async #deliver(chunks: Iterable<Chunk>, reading: Reading, sink: Sink): Promise<void> {
    for (const chunk of chunks) {
      reading.note(chunk);
      this.#chunks++;
      if (this.#histogram !== undefined) this.#measure(chunk, this.#histogram);
      const wait = sink.write(chunk);
      if (wait !== undefined) await this.#interruption.or(wait);
    }
  }

  #measure(chunk: Chunk, histogram: number[]): void {
    const { measure, tokens } = this.#engine;
    const size = measure === tokens && chunk.tokens !== undefined ? chunk.tokens : measure.count(chunk.text);
    histogram[Math.min(BARS, Math.floor(((size - 1) * BARS) / this.#settings.size))]!++;
  }

  #tell(origin: Origin): void {
    const total = this.#totalBytes === undefined ? {} : { totalBytes: this.#totalBytes };
    this.#hooks.onProgress?.({ bytes: this.#bytes, ...total, chunks: this.#chunks, source: origin.uri });
  }
}

/** Ends a wait when the run is interrupted, whether or not what is waited for heeds the signal: a silent pipe does not. */
class Interruption {
  readonly signal: AbortSignal;
  /** One listener for the whole run, for there may be a wait for each byte. */
  readonly #stop: () => void;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(signal: AbortSignal) {
    this.signal = signal;
    this.#stop = () => this.#reject?.(signal.reason);
    signal.addEventListener('abort', this.#stop);
  }

  /** One wait at a time. */
  or<T>(wait: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.signal.aborted) this.#stop();
      wait.then(resolve, reject);
    });
  }

  release(): void {
    this.signal.removeEventListener('abort', this.#stop);
  }
}

/** Bars of a histogram up to the size; one more holds chunks of a single character over it. */
const BARS = 10;

function bars(counts: readonly number[], size: number): HistogramBar[] {
  return counts
    .map((chunks, bar) => ({
      from: Math.ceil((bar * size) / BARS) + 1,
      to: bar === BARS ? Number.MAX_SAFE_INTEGER : Math.ceil(((bar + 1) * size) / BARS),
      chunks,
    }))
    .filter(({ from, to, chunks }) => from <= to && (to <= size || chunks > 0));
}

/** Where a dry run's chunks go. */
const nowhere: Sink = { write: () => undefined, commit: async () => [], abort: async () => {} };

function totalBytes(sources: readonly Source[]): number | undefined {
  let total = 0;
  for (const { origin } of sources) {
    if (origin?.bytes === undefined) return undefined;
    total += origin.bytes;
  }
  return total;
}

/** One origin while its bytes arrive. */
class Reading {
  readonly origin: Origin;
  readonly #flow: Flow;
  readonly #hash: Hash;
  readonly #counted: boolean;
  #invalid = 0;
  #chunks = 0;
  #tokens = 0;

  constructor(origin: Origin, engine: Engine, hash: Hash) {
    this.origin = origin;
    this.#hash = hash;
    this.#counted = engine.tokens !== undefined;
    this.#flow = engine.flow(origin, () => this.#invalid++);
  }

  push(bytes: Uint8Array): Iterable<Chunk> {
    this.#hash.update(bytes);
    return this.#flow.push(bytes);
  }

  end(): Iterable<Chunk> {
    return this.#flow.end();
  }

  note(chunk: Chunk): void {
    this.#chunks++;
    this.#tokens += chunk.tokens ?? 0;
  }

  receipt(): SourceReceipt {
    return {
      source: this.origin.uri,
      sha256: this.#hash.digest(),
      charset: this.#flow.charset,
      documents: this.#flow.documents,
      chunks: this.#chunks,
      ...(this.#counted ? { tokens: this.#tokens } : {}),
      invalid: this.#invalid,
      coverage: this.#flow.coverage,
    };
  }
}

/** Named from where the manifest stands, so that the two may be moved together. */
function besideManifest(file: WrittenFile): WrittenFile {
  return { ...file, path: file.path.slice(file.path.lastIndexOf('/') + 1) };
}

/** The manifest while it is written: bounded however many sources there are. */
class ManifestFile {
  readonly #file: ByteFile;
  #pending: string;
  #sources = 0;

  private constructor(file: ByteFile, head: string) {
    this.#file = file;
    this.#pending = head;
  }

  /** None where the output is no file that stays: a dry run's, standard output, a device. */
  static async open(settings: RunSettings, world: World): Promise<ManifestFile | undefined> {
    const { out, dryRun } = settings;
    if (out === undefined || out === '-' || dryRun || (await targetOf(out, world)).direct) return undefined;
    const file = await openFile(manifestPath(out), world);
    return new ManifestFile(file, manifestText.head(VERSION, settings.described));
  }

  async add(receipt: SourceReceipt): Promise<void> {
    this.#pending += manifestText.source(receipt, this.#sources++ === 0);
    if (this.#pending.length > 65_536) await this.#flush();
  }

  async commit(totals: Totals, files: readonly WrittenFile[]): Promise<void> {
    this.#pending += manifestText.tail(totals, files.map(besideManifest));
    await this.#flush();
    await this.#file.commit();
  }

  abort(): Promise<void> {
    return this.#file.abort();
  }

  async #flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    await this.#file.write(new TextEncoder().encode(text));
  }
}
