/**
 * The chunk job: inputs in, one output, a manifest, a summary; or one such job for each collection of a configuration. Finds and
 * loads what a job needs, so that what is wrong is told before anything is read; src/job.ts does the work.
 */
import { type Collections, collectionsOf, inCollection, type JobOptions, Problems, totalOf } from './collections.js';
import { engineOf, formatOf } from './engine.js';
import { configError, IngestError } from './errors.js';
import { openInputs } from './inputs.js';
import { Job, type Numbers, type Prepared, type Progress, type RunHooks, type Summary, totalBytes } from './job.js';
import { type Only, readOnly } from './only.js';
import { asKey, type Spelling } from './options.js';
import { type Place, placeOf } from './registry.js';
import { type RunSettings, runSettings } from './settings.js';
import type { Source } from './types.js';
import type { World } from './world.js';

export type { RunOptions } from './chunk-options.js';
export type { JobOptions } from './collections.js';
export type { Progress, RunHooks, Summary } from './job.js';

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
