/**
 * The chunk job on a disk in memory: what it writes, and that whatever fails, and whenever, nothing stays under a final name
 * and every part is told to let go (L11).
 */
import { describe, expect, it } from 'vitest';
import { nothingDropped } from '../../src/coverage.js';
import type { IngestError } from '../../src/errors.js';
import type { Manifest } from '../../src/manifest.js';
import { type Progress, type RunOptions, run } from '../../src/run.js';
import type { Chunk, Strategy, TokenCounter } from '../../src/types.js';
import type { World } from '../../src/world.js';
import { bucketOf } from '../support/bucket.js';
import { failure } from '../support/failure.js';
import { type MemoryWorld, memoryWorld } from '../support/world.js';

const TEXT = Array.from({ length: 400 }, (_, n) => `Sentence ${n} says nothing new.`).join(' ');
/** Enough for several writes of 256 KiB. */
const LONG = Array<string>(60).fill(TEXT).join(' ');
const OPTIONS: RunOptions = { input: 'a.txt', out: 'out.jsonl', unit: 'characters', size: 200, overlap: 20 };

const linesOf = (text = ''): Chunk[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Chunk);

const manifestOf = (world: MemoryWorld): Manifest => JSON.parse(world.files()['out.jsonl.manifest.json']!) as Manifest;

describe('a run', () => {
  it('writes chunks and a manifest whose numbers agree with the summary', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEXT, 'b.txt': '', 'c.txt': '\ufeff  \n' } });
    const summary = await run({ ...OPTIONS, input: ['a.txt', 'b.txt', 'c.txt'] }, {}, world);
    const chunks = linesOf(world.files()['out.jsonl']);
    const { totals, sources, files } = manifestOf(world);
    expect(summary).toMatchObject({
      chunks: chunks.length,
      sources: 3,
      documents: 3,
      bytes: TEXT.length + 6,
      unit: 'characters',
    });
    expect(summary.tokens).toBe(chunks.reduce((sum, { tokens = 0 }) => sum + tokens, 0));
    expect(totals).toMatchObject({ chunks: chunks.length, sources: 3, tokens: summary.tokens, dropped: summary.dropped });
    expect(sources.map(({ source, coverage }) => [source, coverage.bytes, coverage.inChunks])).toEqual([
      ['a.txt', TEXT.length, TEXT.length],
      ['b.txt', 0, 0],
      ['c.txt', 6, 0],
    ]);
    expect(sources[2]!.coverage.dropped).toEqual({ ...nothingDropped(), signature: 3, blank: 3 });
    expect(files).toEqual(summary.files.map((file) => ({ ...file })));
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
  });

  it('leaves no line out and adds none when the sink makes it wait', async () => {
    const world = memoryWorld({ files: { 'a.txt': LONG } });
    const summary = await run(OPTIONS, {}, world);
    const chunks = linesOf(world.files()['out.jsonl']);
    expect(chunks.length).toBe(summary.chunks);
    expect(chunks.at(-1)!.end).toBe(LONG.length);
    expect(world.files()['out.jsonl']!.length).toBeGreaterThan(1e6);
  });

  it('tells how far it is after each buffer, with the total where the lengths are known', async () => {
    const told: Progress[] = [];
    const world = memoryWorld({ files: { 'a.txt': TEXT, 'b.txt': 'end' } });
    await run({ ...OPTIONS, input: ['a.txt', 'b.txt'], bufferBytes: 1000 }, { onProgress: (each) => told.push(each) }, world);
    expect(told.map(({ bytes }) => bytes)).toEqual(
      told
        .map((_, n) => Math.min((n + 1) * 1000, TEXT.length))
        .map((bytes, n) => (n === told.length - 1 ? TEXT.length + 3 : bytes)),
    );
    expect(new Set(told.map(({ totalBytes }) => totalBytes))).toEqual(new Set([TEXT.length + 3]));
    expect(told.at(-1)).toMatchObject({ source: 'b.txt' });
  });

  it('names no total when an input has no known length', async () => {
    const told: Progress[] = [];
    const world = memoryWorld({ stdin: [new TextEncoder().encode(TEXT)] });
    await run({ ...OPTIONS, input: '-', sourceName: 'piped' }, { onProgress: (each) => told.push(each) }, world);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ bytes: TEXT.length, source: 'piped' });
    expect(told[0]).not.toHaveProperty('totalBytes');
  });

  it('on standard output writes the same lines and no file', async () => {
    const { out: _, ...options } = OPTIONS;
    const world = memoryWorld({ files: { 'a.txt': TEXT } });
    await run(OPTIONS, {}, world);
    const printing = memoryWorld({ files: { 'a.txt': TEXT } });
    const summary = await run(options, {}, printing);
    expect(printing.printed()).toBe(world.files()['out.jsonl']);
    expect(printing.files()).toEqual({ 'a.txt': TEXT });
    expect(summary.files).toEqual([]);
  });

  it('that is dry opens no output and counts every chunk in one bar', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEXT }, faults: { open: '.partial' } });
    const summary = await run({ ...OPTIONS, dryRun: true }, {}, world);
    const bars = summary.histogram!;
    expect(bars.reduce((sum, { chunks }) => sum + chunks, 0)).toBe(summary.chunks);
    expect(bars[0]!.from).toBe(1);
    expect(bars.at(-1)!.to).toBe(200);
    for (const [n, bar] of bars.entries()) if (n > 0) expect(bar.from).toBe(bars[n - 1]!.to + 1);
    expect(Object.keys(world.files())).toEqual(['a.txt']);
  });

  it('that is dry shows a character that is over the size in a bar of its own', async () => {
    const world = memoryWorld({ files: { 'a.txt': '水車' } });
    const summary = await run({ input: 'a.txt', unit: 'bytes', size: 2, overlap: 0, dryRun: true }, {}, world);
    expect(summary.histogram!.at(-1)).toEqual({ from: 3, to: Number.MAX_SAFE_INTEGER, chunks: 2 });
  });

  it('takes options from the file that config names, under those it is given', async () => {
    const config = JSON.stringify({ ...OPTIONS, size: 50, overlap: 0 });
    const world = memoryWorld({ files: { 'a.txt': TEXT, 'c.json': config } });
    const small = await run({ config: 'c.json' }, {}, world);
    const large = await run({ config: 'c.json', size: 500 }, {}, world);
    expect(large.chunks).toBeLessThan(small.chunks / 4);
  });

  it('counts and cuts with parts that are passed as values, and the manifest names them', async () => {
    const vowels: TokenCounter = {
      name: 'vowels',
      count: (text) => (text === '' ? 0 : 1 + text.replace(/[^aeiou]/g, '').length),
    };
    const everyStop: Strategy = {
      name: 'every-stop',
      packing: 'fill',
      levels: [
        {
          name: 'stop',
          last(view, from, to) {
            const at = view.lastIndexOf('. ', to - 2) + 2;
            return at > from && at > 1 ? { end: at, next: at } : undefined;
          },
        },
      ],
    };
    const world = memoryWorld({ files: { 'a.txt': TEXT } });
    await run({ input: 'a.txt', out: 'out.jsonl', tokenizer: vowels, strategy: everyStop, size: 40, overlap: 0 }, {}, world);
    for (const { text, tokens } of linesOf(world.files()['out.jsonl'])) {
      expect(tokens).toBe(vowels.count(text));
      expect(tokens).toBeLessThanOrEqual(40);
      expect(text).toMatch(/\. ?$/);
    }
    expect(manifestOf(world).options).toMatchObject({ tokenizer: 'vowels', strategy: 'every-stop' });
  });

  it('names files in the manifest from where that stands, so that both can be moved', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEXT, 'deep/er/x': '' } });
    await run({ ...OPTIONS, out: 'deep/er/out.jsonl' }, {}, world);
    const manifest = JSON.parse(world.files()['deep/er/out.jsonl.manifest.json']!) as Manifest;
    expect(manifest.files[0]!.path).toBe('out.jsonl');
  });

  it('writes a manifest without clock, machine or order of options: two runs give the same', async () => {
    const texts = await Promise.all(
      [OPTIONS, Object.fromEntries(Object.entries(OPTIONS).reverse()) as RunOptions].map(async (options) => {
        const world = memoryWorld({ files: { 'a.txt': TEXT } });
        await run(options, {}, world);
        return world.files()['out.jsonl.manifest.json'];
      }),
    );
    expect(texts[0]).toBe(texts[1]);
  });
});

/** A table of which every other row is faulty. */
const HALF_BAD = `a,b\n${Array.from({ length: 600 }, (_, n) => (n % 2 === 0 ? `text ${n},${n}\n` : `"x" y,${n}\n`)).join('')}`;

describe('a run over records', () => {
  const options: RunOptions = { input: 't.csv', out: 'out.jsonl', unit: 'characters', text: 'a', rejects: 'bad.jsonl' };

  it('leaves faulty ones out, counts them, and lists them in their order, whatever the buffers', async () => {
    const outputs = await Promise.all(
      [1, 777, 2 ** 20].map(async (bufferBytes) => {
        const world = memoryWorld({ files: { 't.csv': HALF_BAD } });
        const summary = await run({ ...options, bufferBytes }, {}, world);
        expect(summary).toMatchObject({
          documents: 300,
          rejected: 300,
          reasons: { 'stray-quote': 300 },
          rejects: 'bad.jsonl',
        });
        return world.files();
      }),
    );
    expect(outputs[1]).toEqual(outputs[0]);
    expect(outputs[2]).toEqual(outputs[0]);
    const { 'bad.jsonl': bad, 'out.jsonl': out } = outputs[0]!;
    const rejects = linesOf(bad) as unknown as { start: number; end: number; index: number }[];
    expect(rejects.map(({ index }) => index)).toEqual(Array.from({ length: 300 }, (_, n) => 2 * n + 1));
    for (const { start, end, index } of rejects) expect(HALF_BAD.slice(start, end)).toBe(`"x" y,${index}`);
    expect(linesOf(out).map(({ text }) => text)).toEqual(Array.from({ length: 300 }, (_, n) => `text ${2 * n}`));
  });

  it('writes rejects as they come: no more are gathered than some 64 KiB of the source hold', async () => {
    let largest = 0;
    const memory = memoryWorld({ files: { 't.csv': `a,b\n${'"x" y,1\n'.repeat(100_000)}` } });
    const { fs } = memory;
    const open: World['fs']['promises']['open'] = async (path, ...rest) => {
      const handle = await fs.promises.open(path, ...rest);
      if (!String(path).includes('bad.jsonl')) return handle;
      return new Proxy(handle, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key, target);
          if (key !== 'write') return typeof member === 'function' ? member.bind(target) : member;
          return (...args: Parameters<typeof target.write>) => {
            largest = Math.max(largest, (args[0] as unknown as Uint8Array).length);
            return target.write(...args);
          };
        },
      });
    };
    const promises = new Proxy(fs.promises, { get: (target, key) => (key === 'open' ? open : Reflect.get(target, key, target)) });
    const { rejected } = await run(options, {}, { ...memory, fs: { promises } });
    expect(rejected).toBe(100_000);
    expect(largest).toBeGreaterThan(0);
    expect(largest).toBeLessThan(2 ** 23);
  });

  it('tells its caller of each', async () => {
    const told: Error[] = [];
    const { rejects: _, ...others } = options;
    const summary = await run(
      { ...others, onReject: (error) => told.push(error) },
      {},
      memoryWorld({ files: { 't.csv': HALF_BAD } }),
    );
    expect([told.length, summary.rejected]).toEqual([300, 300]);
    expect(summary).not.toHaveProperty('rejects');
  });

  it('that is limited gives what is in the ranges, and reads no other source', async () => {
    const only = '{"source":"t.csv","start":4,"end":5}\n{"source":"t.csv","start":20,"end":40}\n';
    const files = { 't.csv': 'a,b\nfirst,1\nsecond,2\nthird,3\n', 'u.csv': 'a\nu\n', 'r.jsonl': only };
    const world = memoryWorld({ files });
    const summary = await run({ ...options, input: ['t.csv', 'u.csv'], only: 'r.jsonl' }, {}, world);
    expect(summary).toMatchObject({ sources: 1, chunks: 2, dropped: { rejected: 0 } });
    expect(linesOf(world.files()['out.jsonl']).map(({ text, record }) => [text, record!.index])).toEqual([
      ['first', 0],
      ['third', 2],
    ]);
    expect(manifestOf(world).sources[0]!.only).toEqual([
      [4, 5],
      [20, 40],
    ]);
  });

  it('passes its own rejects over where they lie among the inputs', async () => {
    const world = memoryWorld({ files: { 'in/t.csv': HALF_BAD, 'in/bad.jsonl': 'of before', 'in/out.jsonl': 'of before' } });
    const summary = await run({ ...options, input: 'in', out: 'in/out.jsonl', rejects: 'in/bad.jsonl' }, {}, world);
    expect(summary.sources).toBe(1);
  });

  it('that fails leaves no rejects, whatever failed', async () => {
    for (const faults of [
      { readAfterBytes: 3000 },
      { write: { nth: 1, of: '.out.jsonl.partial' } },
      { write: { nth: 1, of: '.bad.jsonl.partial' } },
      { renameTo: '/bad.jsonl' },
      { open: '.bad.jsonl.partial' },
    ]) {
      const world = memoryWorld({ files: { 't.csv': HALF_BAD, 'bad.jsonl': 'of before', 'out.jsonl': 'of before' }, faults });
      const was = world.files();
      const { kind } = await failure(run({ ...options, bufferBytes: 1000 }, {}, world));
      expect(kind).toBe('readAfterBytes' in faults ? 'source' : 'sink');
      if (faults.write?.of === '.out.jsonl.partial') expect(world.files()).toMatchObject({ 'out.jsonl': 'of before' });
      else expect(world.files(), JSON.stringify(faults)).toEqual(was);
    }
  });

  it('that stops at a faulty one says where and leaves the disk as it was', async () => {
    const world = memoryWorld({ files: { 't.csv': HALF_BAD } });
    const was = world.files();
    const error = await failure(run({ ...options, onError: 'stop' }, {}, world));
    expect([error.kind, error.origin, error.record]).toEqual(['record', 't.csv', 1]);
    expect(world.files()).toEqual(was);
  });

  it('measures contexts with the texts they go before', async () => {
    const world = memoryWorld({ files: { 't.csv': 'name,colour\na,b\nc,d\n' } });
    const summary = await run({ input: 't.csv', unit: 'characters', size: 100, pack: true, dryRun: true }, {}, world);
    expect(summary.histogram!.filter(({ chunks }) => chunks > 0)).toMatchObject([{ chunks: 1 }]);
    const [bar] = summary.histogram!.filter(({ chunks }) => chunks > 0);
    expect(bar!.from <= 20 && bar!.to >= 20, JSON.stringify(bar)).toBe(true);
  });
});

describe('a run that fails', () => {
  const before = { 'out.jsonl': 'from last time', 'out.jsonl.manifest.json': 'its manifest' };

  /** Fails with this kind and reason, and leaves the disk as it was. */
  async function fails(world: MemoryWorld, options: RunOptions, kind: string, reason: string): Promise<IngestError> {
    const was = world.files();
    const error = await failure(run(options, {}, world));
    expect([error.kind, error.reason], error.message).toEqual([kind, reason]);
    expect(world.files()).toEqual(was);
    return error;
  }

  it('because reading fails midway leaves the disk as it was', async () => {
    for (const after of [0, 1, 5000, LONG.length - 1]) {
      const world = memoryWorld({ files: { 'a.txt': LONG, ...before }, faults: { readAfterBytes: after } });
      const error = await fails(world, OPTIONS, 'source', 'read-failed');
      expect(error.origin).toBe('a.txt');
    }
  });

  it('because standard input fails leaves the disk as it was', async () => {
    const stdin = (async function* () {
      yield new TextEncoder().encode(LONG);
      throw new Error('the pipe broke');
    })();
    await fails(memoryWorld({ stdin, files: before }), { ...OPTIONS, input: '-' }, 'source', 'read-failed');
  });

  it('because the first, a middle or the last write fails leaves the disk as it was', async () => {
    for (const nth of [1, 2, 4]) {
      const world = memoryWorld({ files: { 'a.txt': LONG, ...before }, faults: { write: { nth, of: '.out.jsonl.partial' } } });
      await fails(world, OPTIONS, 'sink', 'no-space');
    }
  });

  it('because the chunks cannot get their name leaves the disk as it was', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEXT, ...before }, faults: { renameTo: '/out.jsonl' } });
    const relative = memoryWorld({ files: { 'a.txt': TEXT }, faults: { renameTo: 'out.jsonl' } });
    await fails(world, OPTIONS, 'sink', 'write-failed');
    await fails(relative, OPTIONS, 'sink', 'write-failed');
  });

  it('because the output or its manifest cannot be opened reads nothing', async () => {
    for (const open of ['.out.jsonl.partial', '.out.jsonl.manifest.json.partial']) {
      let read = false;
      const stdin = (async function* () {
        read = true;
        yield new Uint8Array(1);
      })();
      await fails(
        memoryWorld({ stdin, files: before, faults: { open } }),
        { ...OPTIONS, input: '-' },
        'sink',
        'permission-denied',
      );
      expect(read).toBe(false);
    }
  });

  it('because the manifest cannot be written leaves no manifest that belongs to no output', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEXT }, faults: { write: { nth: 1, of: 'manifest.json.partial' } } });
    const error = await failure(run(OPTIONS, {}, world));
    expect(error.kind).toBe('sink');
    expect(Object.keys(world.files()).filter((name) => name.includes('manifest') || name.includes('partial'))).toEqual([]);
  });

  it('because the counter throws leaves the disk as it was and passes the error on', async () => {
    let counts = 0;
    const counter: TokenCounter = {
      name: 'tired',
      count(text) {
        if (++counts > 50) throw new TypeError('tired of counting');
        return text.length;
      },
    };
    const world = memoryWorld({ files: { 'a.txt': LONG, ...before } });
    const was = world.files();
    const { unit: _, ...options } = OPTIONS;
    await expect(run({ ...options, tokenizer: counter }, {}, world)).rejects.toThrow('tired of counting');
    expect(world.files()).toEqual(was);
  });

  it('because a listener to its progress throws leaves the disk as it was', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEXT, ...before } });
    const was = world.files();
    const onProgress = () => {
      throw new RangeError('no more room on the screen');
    };
    await expect(run(OPTIONS, { onProgress }, world)).rejects.toThrow('no more room');
    expect(world.files()).toEqual(was);
  });

  it('because of bytes that are no text, when that is asked for, says which', async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode(TEXT), 0xe2, 0x82, 0x20]);
    const world = memoryWorld({ files: { 'a.txt': bytes, ...before } });
    const error = await fails(world, { ...OPTIONS, strictEncoding: true }, 'record', 'invalid-bytes');
    expect([error.origin, error.at]).toEqual(['a.txt', TEXT.length]);
  });

  it('because of its options says all that is wrong and touches nothing', async () => {
    const world = memoryWorld({ faults: { open: '' } });
    const wrong = { input: [], size: 0, overlap: -1, unit: 'pages', colour: 'red' } as unknown as RunOptions;
    const error = await failure(run(wrong, {}, world));
    expect(error.kind).toBe('config');
    expect(error.message.split('\n').length).toBeGreaterThanOrEqual(5);
  });

  it('because the output is an input, by whatever name, leaves it as it was', async () => {
    for (const out of ['a.txt', './a.txt', `${process.cwd()}/a.txt`]) {
      const world = memoryWorld({ files: { 'a.txt': TEXT } });
      await fails(world, { ...OPTIONS, out }, 'config', 'bad-options');
    }
  });
});

describe('a run that is interrupted', () => {
  const reason = new Error('enough');

  it('before it begins reads nothing and writes nothing', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEXT } });
    await expect(run(OPTIONS, { signal: AbortSignal.abort(reason) }, world)).rejects.toBe(reason);
    expect(Object.keys(world.files())).toEqual(['a.txt']);
  });

  it('in its middle rejects with the reason of the signal and leaves nothing', async () => {
    const abort = new AbortController();
    const world = memoryWorld({ files: { 'a.txt': LONG } });
    let told = 0;
    const onProgress = () => {
      if (++told === 3) abort.abort(reason);
    };
    await expect(run({ ...OPTIONS, bufferBytes: 10_000 }, { signal: abort.signal, onProgress }, world)).rejects.toBe(reason);
    expect(told).toBe(3);
    expect(Object.keys(world.files())).toEqual(['a.txt']);
  });

  it('while it waits for a source that says nothing leaves nothing', async () => {
    const abort = new AbortController();
    const stdin = (async function* () {
      yield new TextEncoder().encode(TEXT);
      setImmediate(() => abort.abort(reason));
      await new Promise(() => {});
    })();
    const world = memoryWorld({ stdin });
    await expect(run({ ...OPTIONS, input: '-' }, { signal: abort.signal }, world)).rejects.toBe(reason);
    expect(world.files()).toEqual({});
  });

  it('while its reader takes nothing leaves nothing', async () => {
    const abort = new AbortController();
    const memory = memoryWorld({ files: { 'a.txt': LONG } });
    const stalled: World = {
      ...memory,
      stdout: {
        write: () => {
          setImmediate(() => abort.abort(reason));
          return false;
        },
        once: () => {},
        off: () => {},
      },
    };
    const { out: _, ...options } = OPTIONS;
    await expect(run(options, { signal: abort.signal }, stalled)).rejects.toBe(reason);
  });

  it('leaves no listener on the signal, however it ends', async () => {
    const abort = new AbortController();
    let listeners = 0;
    const signal = new Proxy(abort.signal, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key, target);
        if (key === 'addEventListener') listeners++;
        if (key === 'removeEventListener') listeners--;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    await run({ ...OPTIONS, input: '-' }, { signal }, memoryWorld({ stdin: [new Uint8Array([65])] }));
    expect(listeners).toBe(0);
  });
});

describe('objects of a server', () => {
  const env = { AWS_ACCESS_KEY_ID: 'AKIDSECRET', AWS_SECRET_ACCESS_KEY: 'SK' };
  const remote: RunOptions = {
    ...OPTIONS,
    input: 's3://bkt/in/',
    out: 's3://bkt/in/out.jsonl',
    s3Endpoint: 'http://127.0.0.1:9000',
  };

  it('are read and written like files, the manifest last, and the output of the last run is no input', async () => {
    const bucket = bucketOf({ objects: { 'in/a.txt': TEXT, 'in/b.txt': 'short' } });
    const world = memoryWorld({ env, http: bucket.http });
    const chunks = async () => {
      await run(remote, {}, world);
      return bucket.objects.get('in/out.jsonl')!.toString();
    };
    const first = await chunks();
    const ofFiles = memoryWorld({ files: { 's3:/bkt/in/a.txt': TEXT, 's3:/bkt/in/b.txt': 'short' } });
    await run({ ...OPTIONS, input: ['s3:/bkt/in/a.txt', 's3:/bkt/in/b.txt'] }, {}, ofFiles);
    const texts = (lines: string) => linesOf(lines).map(({ text, start, end }) => [text, start, end]);
    expect(texts(first)).toEqual(texts(ofFiles.files()['out.jsonl']!));
    expect(await chunks()).toBe(first);
    const written = bucket.asked.filter((each) => /^PUT/.test(each));
    expect(written.slice(0, 2)).toEqual(['PUT /bkt/in/out.jsonl', 'PUT /bkt/in/out.jsonl.manifest.json']);
    expect(bucket.uploads.size).toBe(0);
    expect(`${first}${bucket.objects.get('in/out.jsonl.manifest.json')}`).not.toContain('AKIDSECRET');
    expect(world.files()).toEqual({});
  });

  it('that fail leave nothing behind', async () => {
    const bucket = bucketOf({
      objects: { 'in/a.txt': LONG, 'in/b.txt': LONG },
      // What is found is gone when it is to be read.
      before: ({ method, url }) =>
        method === 'GET' && url.pathname.endsWith('b.txt') ? void bucket.objects.delete('in/b.txt') : undefined,
    });
    const error = await failure(run(remote, {}, memoryWorld({ env, http: bucket.http })));
    expect(error).toMatchObject({ kind: 'source', reason: 'not-found', origin: 's3://bkt/in/b.txt' });
    expect([...bucket.objects.keys()]).toEqual(['in/a.txt']);
    expect(bucket.uploads.size).toBe(0);
  });

  it('whose addresses differ in their secrets only are not taken for one', async () => {
    const input = ['https://data.example/a?key=1', 'https://data.example/a?key=2'];
    const error = await failure(run({ ...OPTIONS, input }, {}, memoryWorld()));
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining('https://data.example/a?key=***') });
    expect(error.message).not.toMatch(/key=[12]/);
  });
});
