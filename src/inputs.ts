/**
 * From what the user named to sources, decompressed, in order, each once; and from one of them to its bytes again. The run's own
 * output is no input: in a directory it is passed over, named alone it is an error, whatever name it goes by.
 */
import { basename, dirname, join } from 'node:path';
import { BlockReader, type ByteReader } from './blocks.js';
import { configError, IngestError } from './errors.js';
import { ForwardReader } from './forwards.js';
import type { InputSettings } from './input-settings.js';
import { type Manifest, manifestPath } from './manifest.js';
import { inflated, inputs as inputKinds, NumberedFiles } from './registry.js';
import type { RunSettings } from './settings.js';
import type { Compression, Source } from './types.js';
import type { World } from './world.js';

/**
 * `beside`: files that are no inputs either, since other runs of the same configuration write them.
 * @throws IngestError kind source for what cannot be found, kind config for names that clash
 */
export async function openInputs(
  settings: RunSettings,
  beside: readonly string[],
  world: World,
  signal: AbortSignal = NEVER,
): Promise<Source[]> {
  const { access, sourceName } = settings;
  const isOwn = await ownFiles(settings, beside, world);
  const named = new Map<string, Source>();
  for (const input of settings.inputs) {
    const kind = inputKinds.find((each) => each.takes(input))!;
    const found = await kind.open(input, { ...access, sourceName, signal }, world);
    const opened = found.map((source) => inflated(source, access));
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
      else if (isAddress(name) && same.paths?.[0] !== source.paths?.[0])
        throw configError([
          `two addresses that differ only in their secrets are both called ${name}: read them in runs of their own`,
        ]);
    }
  }
  return [...named.values()];
}

/**
 * What a run read under one name, to be read again: by its places where it lies on disk as it is, else from its beginning on.
 * @throws IngestError kind source
 */
export async function reopenInput(
  name: string,
  access: InputSettings,
  world: World,
  signal: AbortSignal = NEVER,
): Promise<ByteReader> {
  const kind = inputKinds.find((each) => each.takes(name))!;
  if (kind.name === 'files' && access.compression === 'none') return BlockReader.open(name, world, signal);
  const [opened, another] = await kind.open(name, { ...access, sourceName: name, signal }, world);
  if (opened === undefined || another !== undefined) {
    throw new IngestError('source', 'not-a-file', 'it names more than one source, or none', { origin: name });
  }
  const source = inflated(opened, access);
  const [path] = opened.paths ?? [];
  const seeks = kind.name === 'files' && path !== undefined && (await compressionIn(source, signal)) === undefined;
  return seeks ? BlockReader.open(path, world, signal) : ForwardReader.open(source, world, signal);
}

async function compressionIn(source: Source, signal: AbortSignal): Promise<Compression | undefined> {
  for await (const item of source.read(signal)) if (!(item instanceof Uint8Array)) return item.compression;
  return undefined;
}

const NEVER = new AbortController().signal;

/** Whether a name is that of something on a server. */
export function isAddress(name: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(name);
}

/** Tells of a source whether it reads what this run writes, by whatever name. */
async function ownFiles(settings: RunSettings, beside: readonly string[], { fs }: World) {
  const { out, summary, rejects } = settings;
  const manifest = out === undefined ? undefined : manifestPath(out);
  const former = settings.output.rolls && manifest !== undefined ? await filesOf(manifest, fs) : [];
  const written = [out, manifest, summary, rejects, ...former, ...beside].filter((path) => path !== undefined);
  const real = async (path: string) => (isAddress(path) ? path : fs.promises.realpath(path).catch(() => undefined));
  const own = new Set(await Promise.all(written.map(real)));
  own.delete(undefined);
  const numbered = await numberedFiles(settings);
  const folder = (numbered === undefined ? undefined : await real(numbered.folder))?.replace(/(?<=.)\/$/, '');
  return async ({ paths = [] }: Source): Promise<boolean> => {
    if (own.size === 0 && folder === undefined) return false;
    for (const path of paths) {
      const found = await real(path);
      if (own.has(found) || (found !== undefined && numbered?.has(basename(found)) && dirname(found) === folder)) return true;
    }
    return false;
  };
}

/** What a manifest names, where there is one: also what stands beside the numbered files, such as a schema. */
async function filesOf(manifest: string, fs: World['fs']): Promise<string[]> {
  try {
    const { files } = JSON.parse(await fs.promises.readFile(manifest, 'utf8')) as Pick<Manifest, 'files'>;
    return files.map(({ path }) => join(dirname(manifest), path));
  } catch {
    return [];
  }
}

async function numberedFiles({ out, output: { rolls, sink, request } }: RunSettings): Promise<NumberedFiles | undefined> {
  if (out === undefined || !rolls) return undefined;
  return new NumberedFiles(out, await sink.ending(out, request.options));
}
