/**
 * A run under way: drives each source's Flow with its bytes and hands the chunks to the sink, waiting when the sink says so. On any
 * error or interruption nothing stays under a final name (L11). What it needs is found and loaded by src/run.ts.
 */
import { ChunkLines, Ids } from './chunk-lines.js';
import { embedded } from './context.js';
import type { Counters, Engine } from './engine.js';
import { Histogram, type HistogramBar } from './histogram.js';
import { Interruption } from './interruption.js';
import { added, NOTHING_YET, type Totals } from './manifest.js';
import { ManifestFile } from './manifest-file.js';
import type { Only } from './only.js';
import type { Spelling } from './options.js';
import { Reading } from './reading.js';
import { type Place, placeOf } from './registry.js';
import { Rejects } from './rejects.js';
import type { RunSettings } from './settings.js';
import { unitCounter } from './tokens/index.js';
import type { Chunk, Origin, Sink, SinkReport, Source, WrittenFile } from './types.js';
import type { World } from './world.js';

/**
 * How far a run is. Bytes are those read so far over all inputs, compressed where these are; the total is absent when an input's
 * length is unknown.
 */
export interface Progress {
  readonly bytes: number;
  readonly totalBytes?: number;
  readonly chunks: number;
  readonly source: string;
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
  /** Faults that were left out, in all and by reason; and the file that tells of each. */
  readonly rejected: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly rejects?: string;
  /** Bad byte sequences that became U+FFFD. */
  readonly invalid: number;
  /** Bytes in no chunk, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly files: readonly WrittenFile[];
  /** Of stores: metadata that they refuse and what was done with it, by key, each with how often. */
  readonly metadata?: SinkReport['metadata'];
  /** What else a user should know of what was written, as sentences without a full stop. */
  readonly notices?: readonly string[];
  /** Dry runs only. */
  readonly histogram?: readonly HistogramBar[];
  /** Of a configuration with collections: that of each, by name. All else is their total. */
  readonly collections?: Readonly<Record<string, Summary>>;
}

/** What is known of a run apart from its time and memory. */
export type Numbers = Omit<Summary, 'seconds' | 'peakMemory'>;

export interface RunHooks {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** How messages about options spell their names. */
  readonly spelling?: Spelling;
}

/** All that a run needs, found and loaded. */
export interface Prepared {
  readonly settings: RunSettings;
  readonly only: Only | undefined;
  readonly sources: readonly Source[];
  /** Undefined: inputs are chunks already. */
  readonly engine: Engine | undefined;
}

/** One run under way. */
export class Job {
  readonly #settings: RunSettings;
  readonly #engine: Engine | undefined;
  readonly #counters: Counters;
  readonly #ids = new Ids();
  readonly #only: Only | undefined;
  readonly #world: World;
  readonly #place: Place;
  readonly #hooks: RunHooks;
  readonly #interruption: Interruption;
  readonly #histogram: Histogram | undefined;
  #files: readonly WrittenFile[] = [];
  #report: SinkReport | undefined;
  #bytes = 0;
  #chunks = 0;
  #totalBytes: number | undefined;
  #totals: Totals = NOTHING_YET;
  #reasons: Readonly<Record<string, number>> = {};

  constructor({ settings, engine, only }: Prepared, world: World, hooks: RunHooks) {
    this.#settings = settings;
    this.#engine = engine;
    this.#counters = engine ?? OF_CHUNKS;
    this.#only = only;
    this.#world = world;
    this.#place = placeOf(world, settings.access.s3);
    this.#hooks = hooks;
    this.#interruption = new Interruption(hooks.signal ?? new AbortController().signal);
    this.#histogram = settings.dryRun ? new Histogram(settings.size) : undefined;
  }

  async perform(sources: readonly Source[]): Promise<Totals> {
    this.#totalBytes = totalBytes(sources);
    const sink = this.#settings.dryRun ? nowhere : this.#sink();
    let manifest: ManifestFile | undefined;
    let rejects: Rejects | undefined;
    try {
      await sink.open?.();
      manifest = await ManifestFile.open(this.#settings, this.#place, this.#world);
      rejects = await Rejects.open(this.#settings, this.#place);
      const ends: Ends = { sink, manifest, rejects };
      for (const source of sources) await this.#read(source, ends);
      // Before the output: what it tells is true whether or not that can be given its name, and output without it is not whole.
      await rejects.commit();
      this.#reasons = rejects.reasons;
      this.#files = await sink.commit();
      this.#report = sink.report?.();
      await manifest?.commit(this.#totals, this.#files);
    } catch (error) {
      await Promise.allSettled([sink.abort(), manifest?.abort(), rejects?.abort()]);
      throw error;
    } finally {
      this.#interruption.release();
    }
    return this.#totals;
  }

  summaryOf(totals: Totals): Numbers {
    const { chunks, documents, sources, tokens, bytes, rejected, invalid, dropped } = totals;
    const { tokens: counter } = this.#counters;
    const { rejects, dryRun } = this.#settings;
    return {
      ...{ chunks, documents, sources, bytes, rejected, reasons: this.#reasons, invalid, dropped },
      ...(rejects === undefined || dryRun ? {} : { rejects }),
      ...(tokens === undefined || counter === undefined ? {} : { tokens, tokenizer: counter.name }),
      unit: this.#engine === undefined ? OF_CHUNKS.measure.name : this.#settings.unit,
      files: this.#files,
      ...this.#report,
      ...(this.#histogram === undefined ? {} : { histogram: this.#histogram.bars }),
    };
  }

  #sink(): Sink {
    const { out, output } = this.#settings;
    const path = out === undefined ? {} : { path: out };
    return output.sink.create({ ...output.request, ...path, place: this.#place, stdout: this.#world.stdout });
  }

  async #read(source: Source, ends: Ends): Promise<void> {
    const { signal } = this.#interruption;
    const items = source.read(signal)[Symbol.asyncIterator]();
    let reading: OriginReading | undefined;
    let whole = false;
    /** Bytes of the origin read so far, as they are stored. */
    let stored = 0;
    try {
      for (;;) {
        const { done, value: item } = await this.#interruption.or(items.next());
        signal.throwIfAborted();
        if (done === true) break;
        if (item instanceof Uint8Array) {
          for (let at = 0; at < item.length; at += STRETCH_BYTES) {
            await this.#deliver(reading!.push(item.subarray(at, at + STRETCH_BYTES)), reading!, ends);
          }
          const read = Math.max(stored, reading!.origin.done?.() ?? stored + item.length);
          this.#bytes += read - stored;
          stored = read;
          this.#tell(reading!.origin);
        } else {
          if (reading !== undefined) await this.#finish(reading, ends);
          reading = this.#begin(item, ends.rejects);
          stored = 0;
        }
      }
      whole = true;
    } finally {
      const closing = whole ? undefined : items.return?.().catch(() => {});
      // A source that waits for a silent pipe cannot close before something comes.
      if (!signal.aborted) await closing;
    }
    if (reading !== undefined) await this.#finish(reading, ends);
  }

  #begin(origin: Origin, { report }: Rejects): OriginReading {
    if (this.#engine === undefined) return new ChunkLines(origin, report, this.#ids, this.#world.sha256());
    const ranges = this.#only?.get(origin.uri);
    const readers = { engine: this.#engine, settings: this.#settings, report };
    return new Reading(origin, readers, this.#world.sha256(), ranges === 'all' ? undefined : ranges);
  }

  async #finish(reading: OriginReading, ends: Ends): Promise<void> {
    await this.#deliver(reading.end(), reading, ends);
    const receipt = reading.receipt();
    this.#totals = added(this.#totals, receipt);
    await ends.manifest?.add(receipt);
  }

  async #deliver(chunks: Iterable<Chunk>, reading: OriginReading, { sink, rejects }: Ends): Promise<void> {
    for (const chunk of chunks) {
      reading.note(chunk);
      this.#chunks++;
      this.#histogram?.add(this.#sizeOf(chunk));
      const wait = sink.write(chunk);
      if (wait !== undefined) await this.#interruption.or(wait);
    }
    await rejects.flush();
  }

  #sizeOf({ tokens: counted, context, text }: Chunk): number {
    const { measure, tokens } = this.#counters;
    if (measure === tokens && counted !== undefined) return counted;
    return measure.count(embedded(context ?? '', text));
  }

  #tell(origin: Origin): void {
    const total = this.#totalBytes === undefined ? {} : { totalBytes: this.#totalBytes };
    this.#hooks.onProgress?.({ bytes: this.#bytes, ...total, chunks: this.#chunks, source: origin.uri });
  }
}

/** One origin whose bytes become chunks. */
type OriginReading = Pick<Reading, 'origin' | 'push' | 'end' | 'note' | 'receipt'>;

/** How chunks that were read back are measured: what counted their tokens is not known. */
const OF_CHUNKS: Counters = { measure: unitCounter('characters'), tokens: undefined };

/** What a run writes to. */
interface Ends {
  readonly sink: Sink;
  readonly manifest: ManifestFile | undefined;
  readonly rejects: Rejects;
}

/** Bytes after which rejects are written, however few chunks come of them. */
const STRETCH_BYTES = 1 << 16;

/** Where a dry run's chunks go. */
const nowhere: Sink = { write: () => undefined, commit: async () => [], abort: async () => {} };

export function totalBytes(sources: readonly Source[]): number | undefined {
  let total = 0;
  for (const { origin } of sources) {
    if (origin?.bytes === undefined) return undefined;
    total += origin.bytes;
  }
  return total;
}
