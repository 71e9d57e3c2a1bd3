/**
 * The `files` source: paths, globs and directories on disk, in an order that does not depend on the disk. Everything is looked
 * up before anything is read, so that a misspelt name costs no work. It leaves what the bytes mean to the splitters.
 */
import { resolve } from 'node:path';
import { IngestError, systemCode } from '../src/errors.js';
import type { Origin, Source } from '../src/types.js';
import type { FileSystem, World } from '../src/world.js';

type Handle = Awaited<ReturnType<FileSystem['promises']['open']>>;

export interface FilesOptions {
  /** Directory that names are relative to; it is put before relative paths to open them. */
  readonly root?: string;
  /** Bytes read at once. */
  readonly bufferBytes: number;
}

/** The files an input names, as sources of one origin each. @throws IngestError kind source */
export async function files(input: string, options: FilesOptions, world: Pick<World, 'fs'>): Promise<Source[]> {
  const names = await expand(input, options, world.fs);
  return Promise.all(names.map((name) => file(name, options, world)));
}

/** `./a//b/` is `a/b`. An absolute path stays one; a path outside keeps its `..`. */
export function tidied(path: string): string {
  const absolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop();
    else if (part !== '..' || !absolute) parts.push(part);
  }
  return (absolute ? '/' : '') + parts.join('/') || '.';
}

/** Where a name is on disk. */
export function located(name: string, root: string | undefined): string {
  return root === undefined || name.startsWith('/') ? name : tidied(`${root}/${name}`);
}

async function expand(input: string, options: FilesOptions, fs: FileSystem): Promise<string[]> {
  const names = namesUnder(tidied(input), options.root);
  for (const name of names) {
    const stat = await statOf(name, options, fs);
    if (stat?.isDirectory()) return inDirectory(name, options, fs);
    if (stat !== undefined) return [name];
  }
  // Loaded only where there is something to match: most runs name files.
  const { isDynamicPattern } = await import('tinyglobby');
  if (!isDynamicPattern(input)) throw new IngestError('source', 'not-found', 'no such file or directory', { origin: input });
  for (const name of names) {
    const found = await globbed(name, options.root ?? '.', fs);
    if (found.length > 0) return found.map((path) => tidied(path));
  }
  throw new IngestError('source', 'no-match', 'no file matches this pattern', { origin: input });
}

/**
 * The names that a path may have under the root: as seen from where one stands, else as it is written. So `corpus/a.md`, `a.md`
 * and the absolute path all are `a.md` with `--root corpus`. An absolute path outside of the root keeps its name.
 */
function namesUnder(path: string, root: string | undefined): string[] {
  if (root === undefined) return [path];
  const base = resolve(root);
  const seen = resolve(path);
  const prefix = base === '/' ? base : `${base}/`;
  const inside = seen === base ? '.' : seen.startsWith(prefix) ? seen.slice(prefix.length) : path;
  return inside === path || path.startsWith('/') ? [inside] : [inside, path];
}

async function inDirectory(name: string, options: FilesOptions, fs: FileSystem): Promise<string[]> {
  const found = await globbed('**', located(name, options.root), fs);
  if (found.length === 0)
    throw new IngestError('source', 'no-files', 'the directory holds no files (hidden ones are left out)', { origin: name });
  return found.map((path) => tidied(`${name}/${path}`));
}

/** Files only, hidden ones left out, each once, ordered by UTF-16 units: the same on every disk and in every locale. */
async function globbed(pattern: string, cwd: string, fs: FileSystem): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const found = await glob(pattern, { cwd, fs: fs as object, dot: false, expandDirectories: false });
  return [...new Set(found)].sort();
}

async function statOf(name: string, { root }: FilesOptions, fs: FileSystem) {
  try {
    return await fs.promises.stat(located(name, root));
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw readError(error, name);
  }
}

async function file(name: string, options: FilesOptions, world: Pick<World, 'fs'>): Promise<Source> {
  const path = located(name, options.root);
  const stat = await statOf(name, options, world.fs);
  const origin: Origin = { uri: name, ...(stat?.isFile() ? { bytes: stat.size } : {}) };
  return { origin, paths: [path], read: (signal) => readFile(origin, path, options, world, signal) };
}

async function* readFile(
  origin: Origin,
  path: string,
  options: FilesOptions,
  { fs }: Pick<World, 'fs'>,
  signal: AbortSignal,
): AsyncIterable<Origin | Uint8Array> {
  yield origin;
  let bytes = 0;
  try {
    const room = Math.min(options.bufferBytes, Math.max(LEAST_BUFFER_BYTES, (origin.bytes ?? Number.POSITIVE_INFINITY) + 1));
    for await (const buffer of buffersOf(await fs.promises.open(path, 'r'), room)) {
      signal.throwIfAborted();
      bytes += buffer.length;
      yield buffer;
    }
  } catch (error) {
    throw signal.aborted ? error : readError(error, origin.uri);
  }
  if (origin.bytes !== undefined && bytes < origin.bytes) {
    throw new IngestError('source', 'cut-short', `the file became shorter while it was read (${origin.bytes} bytes at first)`, {
      origin: origin.uri,
      at: bytes,
    });
  }
}

/** Small files get small buffers; the system's own, which say that they are empty, get this. */
const LEAST_BUFFER_BYTES = 4096;

/** A file from its beginning, in memory that is used again: while one buffer is worked on, the other is read into. */
async function* buffersOf(handle: Handle, bufferBytes: number): AsyncGenerator<Uint8Array> {
  let [filling, spare] = [new Uint8Array(bufferBytes), new Uint8Array(bufferBytes)];
  const read = () => {
    const begun = handle.read(filling, 0, bufferBytes, null);
    // It may fail while nobody waits for it yet.
    begun.catch(() => {});
    return begun;
  };
  let reading = read();
  try {
    for (;;) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) return;
      const full = filling.subarray(0, bytesRead);
      [filling, spare] = [spare, filling];
      reading = read();
      yield full;
    }
  } finally {
    await reading.catch(() => {});
    await handle.close();
  }
}

const SENTENCES: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['not-found', 'no such file or directory'],
  EACCES: ['permission-denied', 'it may not be read: permission denied'],
  EPERM: ['permission-denied', 'it may not be read: permission denied'],
  EISDIR: ['is-a-directory', 'it is a directory'],
  EMFILE: ['too-many-files', 'too many files are open'],
  ELOOP: ['link-loop', 'its symbolic links lead in a circle'],
};

function readError(error: unknown, origin: string): IngestError {
  const [reason, sentence] = SENTENCES[systemCode(error) ?? ''] ?? [
    'read-failed',
    `it could not be read: ${error instanceof Error ? error.message : String(error)}`,
  ];
  return new IngestError('source', reason, sentence, { origin, cause: error });
}
