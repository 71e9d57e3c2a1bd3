/**
 * Where output goes, by its path: to the disk, or to S3. Sinks, the manifest, rejects and the summary are all opened through a Place, so
 * that none of them knows what is behind a path. Removing what is not there is no error.
 */
import { systemCode } from '../src/errors.js';
import type { S3Options } from '../src/s3/address.js';
import type { World } from '../src/world.js';
import { type ByteFile, openFile, sinkError } from './atomic.js';

export interface Place {
  /** Creates what the bytes go to at once. @throws IngestError kind sink */
  open(path: string): Promise<ByteFile>;
  /** Names in a folder; none where there is no such folder, or where that cannot be told. */
  names(folder: string): Promise<readonly string[]>;
  remove(path: string): Promise<void>;
}

/** `s3`: how the servers of paths such as `s3://bucket/key` are reached. */
export function placeOf(world: World, s3: S3Options = { pathStyle: false, anonymous: false }): Place {
  const disk = diskPlace(world);
  let made: Promise<Place> | undefined;
  const place = async (path: string): Promise<Place> => {
    if (!path.startsWith('s3://')) return disk;
    // Loaded only when it is needed: most runs write to the disk.
    made ??= import('./s3-object.js').then(({ objectPlace }) => objectPlace(s3, world));
    return made;
  };
  return {
    open: async (path) => (await place(path)).open(path),
    names: async (folder) => (await place(folder)).names(folder),
    remove: async (path) => (await place(path)).remove(path),
  };
}

function diskPlace(world: Pick<World, 'fs' | 'sha256'>): Place {
  return {
    open: (path) => openFile(path, world),
    async names(folder) {
      try {
        return await world.fs.promises.readdir(folder);
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return [];
        throw sinkError(error, folder);
      }
    },
    async remove(path) {
      await world.fs.promises.rm(path, { force: true }).catch((error: unknown) => {
        throw sinkError(error, path);
      });
    },
  };
}
