/**
 * The chunk job: inputs in, one output, a manifest, a summary; or one such job for each collection of a configuration. Drives each source's Flow with its bytes and hands the chunks to
 * the sink, waiting when the sink says so. On any error or interruption nothing stays under a final name (L11).
 */

import { ChunkLines, Ids } from './chunk-lines.js';
import { type Collections, collectionsOf, inCollection, type JobOptions, Problems, totalOf } from './collections.js';
import { type Counters, type Engine, engineOf, formatOf } from './engine.js';
import { configError, IngestError } from './errors.js';
import { Histogram, type HistogramBar } from './histogram.js';
import { openInputs } from './inputs.js';
import { Interruption } from './interruption.js';
import { added, NOTHING_YET, type Totals } from './manifest.js';
import { ManifestFile } from './manifest-file.js';
import { type Only, readOnly } from './only.js';
import { asKey, type Spelling } from './options.js';
import { Reading } from './reading.js';
import { type Place, placeOf } from './registry.js';
import { Rejects } from './rejects.js';
import { type RunSettings, runSettings } from './settings.js';
import { unitCounter } from './tokens/index.js';
import type { Chunk, Origin, Sink, SinkReport, Source, WrittenFile } from './types.js';
import type { World } from './world.js';

export type { JobOptions } from './collections.js';
export type { RunOptions } from './settings.js';

/** How far a run is. Bytes are those read so far over all inputs, compressed where these are; the total is absent when an input's length is unknown. */
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
type Numbers = Omit<Summary, 'seconds' | 'peakMemory'>;

export interface RunHooks {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** How messages about options spell their names. */
  readonly spelling?: Spelling;
}

/** @throws IngestError; or the signal's reason when it aborts */
export async function run(options: JobOptions, hooks: RunHooks, world: World): Promise<Summary> {
  const began = world.now();
  const [configuration, caller] =
    options.config === undefined ? [options, {}] : [await configured(options.config, world), options];
  const { collections, collection, ...plain } = { ...configuration, ...caller };
  if (collections !== undefined) return runCollections(collectionsOf(configuration, caller, hooks.spelling), hooks, world);
  if (collection !== undefined) {
    const { spelling = asKey } = hooks;
    throw configError([`${spelling('collection')} chooses among the collections of a configuration, but there are none`]);
  }
  return perform(await prepared(runSettings(plain, hooks.spelling), [], hooks, world), began, hooks, world);
}

/** All that a run needs, found and loaded. */
interface Prepared {
  readonly settings: RunSettings;
  readonly only: Only | undefined;
  readonly sources: readonly Source[];
  /** Undefined: inputs are chunks already. */
  readonly engine: Engine | undefined;
}

/** `beside`: files that others write, and so no inputs. */
async function prepared(given: RunSettings, beside: readonly string[], hooks: RunHooks, world: World): Promise<Prepared> {
  const settings = await placed(given, world);
  const only = settings.only === undefined ? undefined : await readOnly(settings.only, world, hooks.signal);
  const sources = wantedSources(await openInputs(settings, beside, world, hooks.signal), settings, only, hooks.spelling);
  return { settings, only, sources, engine: settings.chunks ? undefined : await engineOf(settings, world) };
}

/** Where files are numbered, a folder stands for files in it that are named after the sink. */
async function placed(settings: RunSettings, { fs }: World): Promise<RunSettings> {
  const { out, output } = settings;
  if (out === undefined || !output.rolls) return settings;
  const isFolder = out.endsWith('/') || (await fs.promises.stat(out).catch(() => undefined))?.isDirectory() === true;
  const name = output.sink.store === undefined ? 'chunks' : output.sink.name;
  return isFolder ? { ...settings, out: `${out.replace(/\/+$/, '')}/${name}` } : settings;
}

async function perform(parts: Prepared, began: number, hooks: RunHooks, world: World): Promise<Summary> {
  const job = new Job(parts, world, hooks);
  const totals = await job.perform(parts.sources);
  return summaryIn(parts.settings, job.summaryOf(totals), began, world);
}

/** The file of a summary, and how it is reached. */
interface SummaryPlace {
  readonly summary: string | undefined;
  readonly access: RunSettings['access'] | undefined;
}

/** The summary with what only the end can tell, written to the file that it is to be in, if any. */
async function summaryIn(to: SummaryPlace, numbers: Numbers, began: number, world: World): Promise<Summary> {
  const summary: Summary = { ...numbers, seconds: (world.now() - began) / 1000, peakMemory: world.peakMemory() };
  if (to.summary !== undefined)
    await writeWhole(to.summary, `${JSON.stringify(summary, null, 2)}\n`, placeOf(world, to.access?.s3));
  return summary;
}

/**
 * One after the other, each all or nothing. What can be found out before is: a missing file of the last is told before the
 * first is written. Where one fails the run ends; those that are complete stay.
 */
async function runCollections({ chosen, written, summary }: Collections, hooks: RunHooks, world: World): Promise<Summary> {
  const began = world.now();
  const problems = new Problems();
  const ready: (readonly [name: string, parts: Prepared])[] = [];
  for (const { name, settings } of chosen) {
    try {
      ready.push([name, await prepared(settings, written, hooks, world)]);
    } catch (error) {
      problems.take(name, error);
    }
  }
  if (problems.told.length > 0) throw configError(problems.told);
  const total = totalBytes(ready.flatMap(([, { sources }]) => sources));
  const summaries = new Map<string, Summary>();
  for (const [name, parts] of ready) {
    try {
      const within = { ...hooks, onProgress: progressAfter([...summaries.values()], total, hooks) };
      summaries.set(name, await perform(parts, world.now(), within, world));
    } catch (error) {
      throw inCollection(error, name, [...summaries.keys()]);
    }
  }
  const access = chosen[0]?.settings.access;
  return summaryIn({ summary, access }, totalOf(Object.fromEntries(summaries)), began, world);
}

/** Tells how far all are, not the one. */
function progressAfter(complete: readonly Summary[], totalBytes: number | undefined, { onProgress }: RunHooks) {
  const bytesBefore = complete.reduce((sum, { bytes }) => sum + bytes, 0);
  const chunksBefore = complete.reduce((sum, { chunks }) => sum + chunks, 0);
  return ({ bytes, chunks, source }: Progress): void =>
    onProgress?.({
      bytes: bytesBefore + bytes,
      ...(totalBytes === undefined ? {} : { totalBytes }),
      chunks: chunksBefore + chunks,
      source,
    });
}

/** What a configuration says. */
async function configured(path: string, world: World): Promise<JobOptions> {
  let text: string;
  try {
    text = await world.fs.promises.readFile(path, 'utf8');
  } catch (error) {
    throw new IngestError('config', 'no-config', `the configuration ${path} could not be read: ${(error as Error).message}`);
  }
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw configError([`the configuration ${path} is not JSON: ${(error as Error).message}`]);
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw configError([`the configuration ${path} must hold an object of options, such as {"size": 256}`]);
  }
  return found;
}

/** The sources that will be read. What is wrong with the options for their formats is known only now. */
function wantedSources(
  sources: readonly Source[],
  settings: RunSettings,
  only: Only | undefined,
  spelling: Spelling = asKey,
): readonly Source[] {
  const uriOf = ({ origin }: Source) => origin?.uri ?? settings.sourceName;
  const wanted = only === undefined ? sources : sources.filter((source) => only.has(uriOf(source)));
  if (only !== undefined && only.size > 0 && wanted.length === 0) {
    const [named] = only.keys();
    throw configError([
      `${spelling('only')} ${settings.only} names none of the inputs, but ${JSON.stringify(named)} (name them as that run did)`,
    ]);
  }
  const used = [...new Set(wanted.map((source) => formatOf({ uri: uriOf(source) }, settings)))];
  const problems = settings.format === 'auto' && used.length > 0 ? [...settings.misfits(used)] : [];
  for (const source of only === undefined ? [] : wanted) {
    const { isRecords, name } = formatOf({ uri: uriOf(source) }, settings);
    if (!isRecords) problems.push(`${spelling('only')} means nothing to ${uriOf(source)}: the format ${name} has no records`);
  }
  if (problems.length > 0) throw configError(problems);
  return wanted;
}

async function writeWhole(path: string, text: string, place: Place): Promise<void> {
  const file = await place.open(path);
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
    return measure.count(context === undefined ? text : `${context}\n\n${text}`);
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

function totalBytes(sources: readonly Source[]): number | undefined {
  let total = 0;
  for (const { origin } of sources) {
    if (origin?.bytes === undefined) return undefined;
    total += origin.bytes;
  }
  return total;
}
