import { describe, expect, it } from 'vitest';
import { openFile, sinkError, targetOf } from '../../sinks/atomic.js';
import { IngestError } from '../../src/errors.js';
import type { Sink } from '../../src/types.js';
import type { FileSystem, World } from '../../src/world.js';
import { conformSink } from '../conformance/sink.js';
import { memoryWorld } from '../support/world.js';

/** One write a chunk, so that every one of them can fail. */
function plainSink(path: string, world: World): Sink {
  let chunks = 0;
  let opening: ReturnType<typeof openFile> | undefined;
  const file = () => (opening ??= openFile(path, world));
  return {
    write: async (chunk) => {
      chunks++;
      await (await file()).write(utf8(`${JSON.stringify(chunk)}\n`));
    },
    commit: async () => [{ ...(await (await file()).commit()), chunks }],
    abort: async () => (await opening?.catch(() => undefined))?.abort(),
  };
}

conformSink('a file written aside', plainSink);

const utf8 = (text: string) => new TextEncoder().encode(text);
const coded = (code: string) => Object.assign(new Error(`${code}, said the system`), { code });

type Handle = Awaited<ReturnType<FileSystem['promises']['open']>>;
type Promises = FileSystem['promises'];

/** The same world, but for some functions of its disk and of the files opened there. */
function altered<W extends World>(
  world: W,
  functions: Partial<Promises>,
  handle: (real: Handle) => Partial<Handle> = () => ({}),
): W {
  const real = world.fs.promises;
  const open = async (...args: Parameters<Promises['open']>) => {
    const opened = await (functions.open ?? real.open)(...args);
    return withMembers(opened, handle(opened));
  };
  return { ...world, fs: { ...world.fs, promises: withMembers(real, { ...functions, open }) } };
}

function withMembers<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      const member: unknown = key in members ? members[key as keyof T] : Reflect.get(target, key);
      return typeof member === 'function' && !(key in members) ? member.bind(target) : member;
    },
  });
}

describe('writing', () => {
  it('goes on where the system took less than it was given', async () => {
    const base = memoryWorld();
    const world = altered(base, {}, (real) => ({
      write: ((data: Uint8Array, at: number, length: number) =>
        real.write(data, at, Math.min(length, 3), null)) as Handle['write'],
    }));
    const file = await openFile('out', world);
    await file.write(utf8('hello, '));
    await file.write(utf8('world'));
    expect(await file.commit()).toMatchObject({ path: 'out', bytes: 12 });
    expect(base.files().out).toBe('hello, world');
  });

  it('does not try for ever when the system takes nothing', async () => {
    const world = altered(memoryWorld(), {}, () => ({
      write: (async () => ({ bytesWritten: 0 })) as unknown as Handle['write'],
    }));
    const file = await openFile('out', world);
    await expect(file.write(utf8('x'))).rejects.toMatchObject({ kind: 'sink', reason: 'write-failed' });
    await file.abort();
  });

  it.each([
    ['ENOSPC', 'no-space'],
    ['EDQUOT', 'no-space'],
    ['EIO', 'write-failed'],
    ['EPIPE', 'closed-pipe'],
  ])('that fails with %s is told as %s', async (code, reason) => {
    const world = altered(memoryWorld(), {}, () => ({ write: () => Promise.reject(coded(code)) }));
    const file = await openFile('out', world);
    await expect(file.write(utf8('x'))).rejects.toMatchObject({ kind: 'sink', reason, message: expect.stringContaining('out') });
    await file.abort();
    expect(world.files()).toEqual({});
  });

  it('after the end is a bug of the caller', async () => {
    const file = await openFile('out', memoryWorld());
    await file.commit();
    await expect(file.write(utf8('x'))).rejects.toMatchObject({ kind: 'bug' });
    await expect(file.commit()).rejects.toMatchObject({ kind: 'bug' });
  });
});

describe('the commit', () => {
  it('flushes to the disk before the file gets its name', async () => {
    const steps: string[] = [];
    const base = memoryWorld();
    const world = altered(
      base,
      {
        rename: async (from, to) => {
          steps.push(`rename to ${String(to)}`);
          await base.fs.promises.rename(from, to);
        },
      },
      (real) => ({
        sync: async () => {
          steps.push('sync');
          await real.sync();
        },
      }),
    );
    await (await openFile('out', world)).commit();
    expect(steps[0]).toBe('sync');
    expect(steps.indexOf('rename to out')).toBeGreaterThan(0);
    expect(steps.at(-1)).toBe('sync'); // of the directory
  });

  it('that cannot flush fails, and leaves the old file', async () => {
    const world = altered(memoryWorld({ files: { out: 'old' } }), {}, () => ({ sync: () => Promise.reject(coded('EIO')) }));
    const file = await openFile('out', world);
    await expect(file.commit()).rejects.toMatchObject({ kind: 'sink', reason: 'write-failed' });
    await file.abort();
    expect(world.files()).toEqual({ out: 'old' });
  });

  it('does not depend on a directory that can be flushed', async () => {
    const base = memoryWorld();
    const world = altered(base, {
      open: (path, flags, mode) => (flags === 'r' ? Promise.reject(coded('EISDIR')) : base.fs.promises.open(path, flags, mode)),
    });
    await (await openFile('out', world)).commit();
    expect(world.files()).toEqual({ out: '' });
  });

  it('keeps the permissions of the file that it replaces', async () => {
    const world = memoryWorld({ files: { out: 'secret' } });
    const handle = await world.fs.promises.open('out', 'r+');
    await handle.chmod(0o600);
    await handle.close();
    await (await openFile('out', world)).commit();
    expect(Number((await world.fs.promises.stat('out')).mode) & 0o777).toBe(0o600);
  });
});

describe('two runs with one target', () => {
  it('a partial that a killed run left is replaced', async () => {
    const world = memoryWorld({ files: { '.out.partial': 'half of a li' } });
    const file = await openFile('out', world);
    await file.write(utf8('whole\n'));
    await file.commit();
    expect(world.files()).toEqual({ out: 'whole\n' });
  });

  it('the later one has the name; the former fails and spoils nothing', async () => {
    const world = memoryWorld();
    const former = await openFile('out', world);
    await former.write(utf8('for'));
    const later = await openFile('out', world);
    await later.write(utf8('lat'));
    await former.write(utf8('mer\n'));
    await expect(former.commit()).rejects.toMatchObject({ kind: 'sink', reason: 'taken-over' });
    await former.abort();
    expect(world.files().out).toBeUndefined();
    await later.write(utf8('er\n'));
    await later.commit();
    expect(world.files()).toEqual({ out: 'later\n' });
  });

  it('also when the later one ends first', async () => {
    const world = memoryWorld();
    const former = await openFile('out', world);
    const later = await openFile('out', world);
    await later.write(utf8('later\n'));
    await later.commit();
    await expect(former.commit()).rejects.toMatchObject({ reason: 'taken-over' });
    await former.abort();
    expect(world.files()).toEqual({ out: 'later\n' });
  });

  it('an abort of the former leaves the later one its file', async () => {
    const world = memoryWorld();
    const former = await openFile('out', world);
    const later = await openFile('out', world);
    await former.abort();
    await later.commit();
    expect(world.files()).toEqual({ out: '' });
  });

  it('a third that starts in the midst of a commit gets no half of a file under the final name', async () => {
    const base = memoryWorld();
    let third: ReturnType<typeof openFile> | undefined;
    const world = altered(base, {
      rename: async (from, to) => {
        // The moment between the last look and the final name.
        if (to === 'out') third ??= openFile('out', base);
        await third;
        await base.fs.promises.rename(from, to);
      },
    });
    const first = await openFile('out', world);
    await first.write(utf8('first\n'));
    await first.commit();
    expect(base.files().out).toBe('first\n');
    await (await third!).write(utf8('third\n'));
    await (await third!).commit();
    expect(base.files()).toEqual({ out: 'third\n' });
  });
});

describe('a target', () => {
  it.each([
    ['no/such/out', 'missing-directory'],
    ['file/out', 'not-a-directory'],
    ['folder', 'is-a-directory'],
    ['', 'no-name'],
  ])('%j is refused when it is opened: %s', async (path, reason) => {
    const world = memoryWorld({ files: { file: 'x', 'folder/x': 'x' } });
    await expect(openFile(path, world)).rejects.toMatchObject({ kind: 'sink', reason, message: expect.stringContaining(path) });
    expect(world.files()).toEqual({ file: 'x', 'folder/x': 'x' });
  });

  it('that may not be written is told at once', async () => {
    const world = altered(memoryWorld(), { open: () => Promise.reject(coded('EACCES')) });
    await expect(openFile('out', world)).rejects.toMatchObject({ kind: 'sink', reason: 'permission-denied' });
  });

  it('that is no regular file is written directly and never removed', async () => {
    const base = memoryWorld({ files: { device: '' } });
    const stat = (async (path: string) =>
      withMembers(await base.fs.promises.stat(path), { isFile: () => false })) as Promises['stat'];
    const world = altered(base, { stat }, () => ({ sync: () => Promise.reject(coded('EINVAL')) }));
    expect(await targetOf('device', world)).toEqual({ path: 'device', direct: true });
    const kept = await openFile('device', world);
    await kept.write(utf8('all '));
    expect(base.files()).toEqual({ device: 'all ' });
    expect(await kept.commit()).toMatchObject({ path: 'device', bytes: 4 });
    const dropped = await openFile('device', world);
    await dropped.write(utf8('and half'));
    await dropped.abort();
    expect(base.files()).toEqual({ device: 'all and half' });
  });

  it('behind a descriptor of the shell is not replaced', async () => {
    const base = memoryWorld();
    const stat = (async () => ({ isDirectory: () => false, isFile: () => true, mode: 0o644 })) as unknown as Promises['stat'];
    const world = altered(base, { stat });
    for (const path of ['/dev/fd/3', '/proc/self/fd/1', '/dev/stderr']) expect((await targetOf(path, world)).direct).toBe(true);
  });

  it('that is a link is written where it leads', async () => {
    const base = memoryWorld({ files: { 'deep/real': 'old' } });
    const world = altered(base, {
      stat: (async () => base.fs.promises.stat('deep/real')) as unknown as Promises['stat'],
      realpath: (async () => 'deep/real') as unknown as Promises['realpath'],
    });
    const file = await openFile('link', world);
    await file.write(utf8('new'));
    expect(await file.commit()).toMatchObject({ path: 'link' });
    expect(base.files()).toEqual({ 'deep/real': 'new' });
  });
});

it('errors that are told already are not told again', () => {
  const error = new IngestError('sink', 'x', 'y');
  expect(sinkError(error, 'out')).toBe(error);
  expect(sinkError('odd', 'out')).toMatchObject({ reason: 'write-failed', message: 'cannot write out: the system reports: odd' });
});
