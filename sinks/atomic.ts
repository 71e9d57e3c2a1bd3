/**
 * A file that is either complete under its name or not there at all (law L11). Bytes go to a hidden neighbour,
 * `.<name>.partial`, which gets the final name once everything is on the disk. What is no regular file (a device, a pipe) has
 * nothing to be renamed and is written directly. What the bytes mean is the caller's affair.
 *
 * Two runs with the same target: the one that starts later takes the partial's name over (the partial may as well have been
 * left behind by a run that was killed, and nothing portable tells the two apart: process ids mean nothing across containers
 * and network disks, Node has no file locks, and a lock file would itself be left behind). The former run goes on writing to a
 * file that has no name any more, notices at its commit, and fails with `taken-over`; the target is the later run's, whole.
 */
import { basename, dirname, join } from 'node:path';
import { IngestError, systemCode } from '../src/errors.js';
import type { WrittenFile } from '../src/types.js';
import type { FileSystem, World } from '../src/world.js';

export interface ByteFile {
  /** Resolves when `bytes` may be reused. One call at a time. */
  write(bytes: Uint8Array): Promise<void>;
  /** Gives the file its name. What it returns describes the bytes written. */
  commit(): Promise<Omit<WrittenFile, 'chunks'>>;
  /** Removes what was written; after a commit, or a second time, it does nothing. Waits for a write or commit under way. */
  abort(): Promise<void>;
}

type FileHandle = Awaited<ReturnType<FileSystem['promises']['open']>>;
type Disk = Pick<World, 'fs' | 'sha256'>;

/** Where the bytes of a path go. */
export interface Target {
  /** The path itself, or what a symbolic link leads to: the link stays a link. */
  readonly path: string;
  /** No regular file: written as it goes, visible at once, never removed. */
  readonly direct: boolean;
  /** Permission bits of the file that is there already; the new one gets them too. */
  readonly mode?: number;
}

/** Looks at what is under the path now. Errors: IngestError of kind `sink`. */
export async function targetOf(path: string, { fs }: Pick<World, 'fs'>): Promise<Target> {
  if (path === '') throw new IngestError('sink', 'no-name', 'cannot write to a file without a name: the path is empty');
  try {
    const found = await fs.promises.stat(path);
    if (found.isDirectory())
      throw new IngestError('sink', 'is-a-directory', `cannot write ${path}: it is a directory; name a file in it`);
    // Opened descriptors have names too, and the file behind one is the shell's to replace, not ours.
    if (!found.isFile() || /^\/(dev\/fd|proc)\/|^\/dev\/std(out|err)$/.test(path)) return { path, direct: true };
    return { path: await fs.promises.realpath(path), direct: false, mode: Number(found.mode) & 0o777 };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { path, direct: false };
    throw error instanceof IngestError ? error : sinkError(error, path);
  }
}

/** Creates the partial file, so that a path that cannot be written fails here. Errors: IngestError of kind `sink`, from every call. */
export async function openFile(path: string, world: Disk): Promise<ByteFile> {
  const target = await targetOf(path, world);
  const placed = target.direct ? await openDirect(target.path, world) : await openAside(target, world);
  return hashedFile(path, placed, world);
}

/** An open file and what makes it final or makes it go. */
interface PlacedFile {
  readonly handle: FileHandle;
  /** Closes the handle. */
  settle(): Promise<void>;
  /** The handle is still open. Must not throw because of something that is gone already. */
  discard(): Promise<void>;
}

/** Counting, hashing and the order of calls are the same for all files. */
function hashedFile(path: string, placed: PlacedFile, world: Disk): ByteFile {
  const hash = world.sha256();
  let bytes = 0;
  let state: 'open' | 'committed' | 'aborted' = 'open';
  let underWay: Promise<unknown> = Promise.resolve();
  const named = async <T>(work: () => Promise<T>): Promise<T> => {
    if (state !== 'open') throw new IngestError('bug', 'sink-closed', `${path} was used after it was ${state}`);
    const working = work().catch((error: unknown) => {
      throw sinkError(error, path);
    });
    underWay = working.catch(() => {});
    return working;
  };
  return {
    write: (data) =>
      named(async () => {
        const writing = writeFully(placed.handle, data);
        // While the system writes.
        hash.update(data);
        await writing;
        bytes += data.length;
      }),
    commit: () =>
      named(async () => {
        await placed.settle();
        state = 'committed';
        return { path, bytes, sha256: hash.digest() };
      }),
    async abort() {
      await underWay;
      if (state !== 'open') return;
      state = 'aborted';
      await placed.discard().catch((error: unknown) => {
        throw sinkError(error, path);
      });
    },
  };
}

/** The system may take less than it is given, for instance just before a disk is full; the rest then tells why. */
async function writeFully(handle: FileHandle, data: Uint8Array): Promise<void> {
  for (let at = 0; at < data.length; ) {
    const { bytesWritten } = await handle.write(data, at, data.length - at, null);
    if (bytesWritten === 0) throw new Error('the system wrote none of the bytes and named no reason');
    at += bytesWritten;
  }
}

async function openDirect(path: string, { fs }: Disk): Promise<PlacedFile> {
  try {
    // Appending: a file behind /dev/fd/3 keeps what others wrote to it; to devices and pipes it is all the same.
    const handle = await fs.promises.open(path, 'a');
    const close = () => handle.close();
    return { handle, settle: close, discard: close };
  } catch (error) {
    throw sinkError(error, path);
  }
}

async function openAside({ path, mode = 0o666 }: Target, { fs }: Disk): Promise<PlacedFile> {
  const folder = dirname(path);
  const partial = join(folder, `.${basename(path)}.partial`);
  const { handle, held } = await createNew(fs, partial, mode)
    .then(async (created) => ({ handle: created, held: await created.stat() }))
    .catch((error: unknown) => {
      throw sinkError(error, path);
    });
  const ours = async (name: string): Promise<boolean> => {
    const found = await fs.promises.lstat(name);
    return found.ino === held.ino && found.dev === held.dev;
  };
  // No other file has the number of one that is open, so nobody else uses this name.
  const own = join(folder, `.${basename(path)}.${held.ino}.partial`);
  return {
    handle,
    async settle() {
      await handle.sync();
      // Renamed twice, and closed only then. Between a look at the partial and the giving of the final name, another run could
      // take the partial's name; under a name of our own we look at leisure.
      await fs.promises.rename(partial, own).catch((error: unknown) => {
        throw systemCode(error) === 'ENOENT' ? takenOver(path) : error;
      });
      if (!(await ours(own))) {
        await fs.promises.rename(own, partial);
        throw takenOver(path);
      }
      await fs.promises.rename(own, path);
      // The bytes are on the disk: closing has nothing more to lose.
      await handle.close().catch(() => {});
      await syncFolder(fs, folder);
    },
    async discard() {
      for (const name of [partial, own]) if (await ours(name).catch(() => false)) await fs.promises.rm(name, { force: true });
      await handle.close().catch(() => {});
    },
  };
}

/** Never an existing file, nor through a link: what is in the way is removed first, and only once. */
async function createNew(fs: FileSystem, partial: string, mode: number): Promise<FileHandle> {
  try {
    return await fs.promises.open(partial, 'wx', mode);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  await fs.promises.rm(partial, { force: true });
  return fs.promises.open(partial, 'wx', mode);
}

/** Makes the new name last through a power cut. Not every system can; the file itself is safe by then. */
async function syncFolder(fs: FileSystem, folder: string): Promise<void> {
  try {
    const handle = await fs.promises.open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {}
}

const takenOver = (path: string): IngestError =>
  new IngestError(
    'sink',
    'taken-over',
    `cannot write ${path}: another run that started later is writing it, or its directory is gone`,
  );

/* ------------------------------------------------------------------ errors of the system */

const FAULTS: Readonly<Record<string, readonly [reason: string, sentence: string]>> = {
  ENOSPC: ['no-space', 'no space is left on the disk'],
  EDQUOT: ['no-space', 'the disk quota is used up'],
  EACCES: ['permission-denied', 'permission denied'],
  EPERM: ['permission-denied', 'the operation is not permitted'],
  EROFS: ['read-only', 'the disk is read-only'],
  ENOENT: ['missing-directory', 'its directory does not exist; create it first'],
  ENOTDIR: ['not-a-directory', 'a part of its path is a file, not a directory'],
  EISDIR: ['is-a-directory', 'it is a directory; name a file in it'],
  EEXIST: ['busy', 'another run is starting to write it'],
  ENAMETOOLONG: ['name-too-long', 'its name is too long'],
  EFBIG: ['file-too-big', 'the file is larger than the disk or a limit allows'],
  EMFILE: ['too-many-files', 'too many files are open'],
  ENFILE: ['too-many-files', 'too many files are open'],
  EPIPE: ['closed-pipe', 'its reader has closed it'],
  ECONNRESET: ['closed-pipe', 'its reader has closed it'],
};

/** Whatever went wrong while writing, as an IngestError of kind `sink` that names the file. One that is it already is kept. */
export function sinkError(error: unknown, name: string): IngestError {
  if (error instanceof IngestError) return error;
  const known = FAULTS[systemCode(error) ?? ''];
  const said = error instanceof Error ? error.message : String(error);
  const [reason, sentence] = known ?? ['write-failed', `the system reports: ${said}`];
  return new IngestError('sink', reason, `cannot write ${name}: ${sentence}`, { cause: error });
}
