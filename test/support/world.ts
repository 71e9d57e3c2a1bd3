import { createFsFromVolume, Volume } from 'memfs';
import { HttpError, type HttpRequest, type HttpResponse } from '../../src/http.js';
import { nodeWorld } from '../../src/node.js';
import type { FileSystem, Output, World } from '../../src/world.js';

export interface Faults {
  /** Reading any file fails after so many bytes. */
  readonly readAfterBytes?: number;
  /** The n-th write to a file whose path ends in `of` fails; the first is 1. */
  readonly write?: { readonly nth: number; readonly of: string };
  /** Giving a file the name that ends so fails. */
  readonly renameTo?: string;
  /** Opening a file whose path ends so for writing fails. */
  readonly open?: string;
}

export interface MemoryWorld extends World {
  /** All that is on the disk, by path relative to the current directory: hidden files too. */
  files(): Record<string, string>;
  put(path: string, content: string | Uint8Array): void;
  printed(): string;
}

export interface MemoryOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly stdin?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly faults?: Faults;
  /** What answers requests; absent: nothing is reached. */
  readonly http?: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
  readonly env?: Readonly<Record<string, string>>;
}

export function memoryWorld({ files = {}, stdin = [], faults = {}, http = nowhere, env = {} }: MemoryOptions = {}): MemoryWorld {
  const volume = new Volume();
  const cwd = process.cwd();
  volume.mkdirSync(cwd, { recursive: true });
  const put = (path: string, content: string | Uint8Array) => {
    const at = `${cwd}/${path}`;
    volume.mkdirSync(at.slice(0, at.lastIndexOf('/')), { recursive: true });
    volume.writeFileSync(at, Buffer.from(content as string));
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  let printed = '';
  let time = 0;
  const output: Output = {
    write: (data) => {
      printed += typeof data === 'string' ? data : new TextDecoder().decode(data);
      return true;
    },
    once: () => {},
    off: () => {},
  };
  return {
    ...nodeWorld,
    fs: withFaults(createFsFromVolume(volume) as unknown as FileSystem, faults),
    stdin: (async function* () {
      yield* stdin;
    })(),
    stdout: output,
    stderr: output,
    now: () => time++,
    date: () => new Date(Date.UTC(2026, 0, 2, 3, 4, 5)),
    // The waits of retries take no time here.
    sleep: async (_, signal) => signal?.throwIfAborted(),
    random: () => 0.5,
    env,
    home: '/nobody',
    http: async (request) => {
      request.signal.throwIfAborted();
      return http(request);
    },
    peakMemory: () => 1,
    put,
    printed: () => printed,
    files: () =>
      Object.fromEntries(
        Object.entries(volume.toJSON())
          .filter((entry): entry is [string, string] => entry[1] !== null)
          .map(([path, text]) => [path.replace(`${cwd}/`, ''), text]),
      ),
  };
}

const nowhere = ({ url }: HttpRequest): never => {
  throw new HttpError('refused', `${url.host} is not there: the test has no network`);
};

type Handle = Awaited<ReturnType<FileSystem['promises']['open']>>;

const fault = (code: string) => Object.assign(new Error(`${code}: put in by the test`), { code });

function withFaults(fs: FileSystem, { readAfterBytes, write, renameTo, open }: Faults): FileSystem {
  let writes = 0;
  let read = 0;
  const handleWith = (handle: Handle, path: string): Handle =>
    new Proxy(handle, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        if (key === 'read' && readAfterBytes !== undefined)
          return async (buffer: Uint8Array, offset: number, length: number, position: number | null) => {
            if (read >= readAfterBytes) throw fault('EIO');
            const result = await target.read(buffer, offset, Math.min(length, readAfterBytes - read), position);
            read += result.bytesRead;
            return result;
          };
        if (key === 'write' && write !== undefined && path.includes(write.of))
          return async (...args: unknown[]) => {
            if (++writes === write.nth) throw fault('ENOSPC');
            return Reflect.apply(member, target, args);
          };
        return member.bind(target);
      },
    });
  const promises: FileSystem['promises'] = Object.assign(Object.create(fs.promises) as typeof fs.promises, {
    async open(path: string, flags: string, mode?: number) {
      if (open !== undefined && flags !== 'r' && path.includes(open)) throw fault('EACCES');
      return handleWith(await fs.promises.open(path, flags, mode), path);
    },
    async rename(from: string, to: string) {
      if (renameTo !== undefined && to.endsWith(renameTo)) throw fault('EIO');
      return fs.promises.rename(from, to);
    },
  });
  // What globs call is there too.
  return Object.assign(Object.create(fs) as FileSystem, { promises });
}
