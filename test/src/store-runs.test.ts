/**
 * Runs that write files for stores, and runs that read chunks back: what is refused before anything is opened, what becomes of a
 * former output, and that nothing of it is taken for an input. What the files hold is for test/sinks/stores/ to see.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { chunkStream, store } from '../../src/index.js';
import { sinks } from '../../src/registry.js';
import { type RunOptions, run } from '../../src/run.js';
import type { Chunk } from '../../src/types.js';
import { bucketOf } from '../support/bucket.js';
import { type MemoryWorld, memoryWorld } from '../support/world.js';

const TEXT = Array.from({ length: 60 }, (_, n) => `Sentence ${n} says nothing new.`).join(' ');
const OPTIONS: RunOptions = { input: 'a.txt', unit: 'characters', size: 200, overlap: 20 };

const worldWith = (files: Record<string, string> = {}) => memoryWorld({ files: { 'a.txt': TEXT, ...files } });
const names = (world: MemoryWorld) => Object.keys(world.files()).sort();
const lineOf = (parts: object) =>
  `${JSON.stringify({ id: 'i', source: 's', index: 0, start: 0, end: 1, metadata: {}, text: 't', ...parts })}\n`;

describe('a run to a store', () => {
  it('writes numbered files and their manifest, and tells of them', async () => {
    const world = worldWith();
    const summary = await run({ ...OPTIONS, out: 'b.jsonl', to: 'openai-batch', maxRecords: 4 }, {}, world);
    const count = summary.files.length;
    expect(count).toBe(Math.ceil(summary.chunks / 4));
    expect(names(world)).toEqual(['a.txt', ...summary.files.map(({ path }) => path), 'b.jsonl.manifest.json']);
    const { options, files, totals } = JSON.parse(world.files()['b.jsonl.manifest.json']!);
    expect(options).toMatchObject({ to: 'openai-batch', maxRecords: 4, strategy: 'recursive' });
    expect(files).toEqual(summary.files);
    expect(totals.chunks).toBe(summary.chunks);
    expect(summary).toMatchObject({ metadata: {}, notices: [] });
  });

  it('is as if each chunk were a line, rolled or not', async () => {
    const world = worldWith();
    await run({ ...OPTIONS, out: 'one.jsonl' }, {}, world);
    const { files } = await run({ ...OPTIONS, out: 'many.jsonl', maxBytes: 1000 }, {}, world);
    expect(files.length).toBeGreaterThan(1);
    for (const { bytes } of files) expect(bytes).toBeLessThanOrEqual(1000);
    expect(files.map(({ path }) => world.files()[path]).join('')).toBe(world.files()['one.jsonl']);
  });

  it('goes into a folder under the name of the store', async () => {
    const world = worldWith({ 'f/x': '' });
    await run({ ...OPTIONS, out: 'f', to: 'csv' }, {}, world);
    await run({ ...OPTIONS, out: 'f/', maxRecords: 100 }, {}, world);
    expect(names(world)).toEqual([
      'a.txt',
      'f/chunks-00001.jsonl',
      'f/chunks.manifest.json',
      'f/csv-00001.csv',
      'f/csv.manifest.json',
      'f/x',
    ]);
  });

  it('is refused over a former output, and replaces it whole when it is asked to', async () => {
    const world = worldWith();
    const options = { ...OPTIONS, out: 'b.csv', to: 'csv' };
    await run({ ...options, maxRecords: 2 }, {}, world);
    const before = world.files();
    await expect(run({ ...options, maxRecords: 4 }, {}, world)).rejects.toMatchObject({ kind: 'sink', reason: 'output-exists' });
    expect(world.files()).toEqual(before);
    const { files } = await run({ ...options, maxRecords: 4, overwrite: true }, {}, world);
    expect(names(world)).toEqual(['a.txt', ...files.map(({ path }) => path), 'b.csv.manifest.json']);
    expect(Object.keys(before).length).toBeGreaterThan(names(world).length);
  });

  it('that fails leaves nothing, and a former output is whole until the first new file is', async () => {
    const stop = new AbortController();
    const world = worldWith();
    const options = { ...OPTIONS, out: 'b.csv', to: 'csv', maxRecords: 2 };
    const abort = { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) };
    await expect(run(options, abort, world)).rejects.toThrow('enough');
    expect(names(world)).toEqual(['a.txt']);
    await run({ ...options, maxRecords: 100 }, {}, world);
    const before = world.files();
    const failing = { ...options, maxBytes: 50, overwrite: true };
    await expect(run(failing, {}, world)).rejects.toMatchObject({ reason: 'over-limit' });
    expect(world.files()).toEqual(before);
  });

  it('goes on over what a killed run has left', async () => {
    const killed = {
      'b-00001.csv': 'old',
      'b-00007.csv': 'old',
      '.b-00008.csv.partial': '',
      '.b.csv.manifest.json.partial': '{',
    };
    const world = worldWith(killed);
    const { files } = await run({ ...OPTIONS, out: 'b.csv', to: 'csv' }, {}, world);
    expect(names(world)).toEqual(['a.txt', ...files.map(({ path }) => path), 'b.csv.manifest.json']);
  });

  it('does not read its own files, nor those of the run before', async () => {
    const world = memoryWorld({ files: { 'docs/a.txt': TEXT } });
    const options: RunOptions = { ...OPTIONS, input: 'docs', out: 'docs/out', to: 'elasticsearch' };
    const first = await run(options, {}, world);
    expect(first.files.map(({ path }) => path)).toEqual(['docs/out-00001.ndjson', 'docs/out.mapping.json']);
    const second = await run({ ...options, overwrite: true }, {}, world);
    expect(second).toMatchObject({ sources: 1, chunks: first.chunks });
    expect(second.files).toEqual(first.files);
  });

  it('counts without writing', async () => {
    const world = worldWith();
    const summary = await run({ ...OPTIONS, out: 'b.csv', to: 'csv', dryRun: true }, {}, world);
    expect(summary.chunks).toBeGreaterThan(0);
    expect(names(world)).toEqual(['a.txt']);
  });

  it('sums what was done with metadata over collections', async () => {
    const world = memoryWorld({ files: { 'a.csv': 'text,n\nhello,1\n', 'b.csv': 'text,n\nworld,2\n' } });
    const collections = Object.fromEntries(
      ['a', 'b'].map((name) => [name, { input: `${name}.csv`, text: 'text', out: `${name}.out`, to: 'openai-batch' }]),
    );
    const summary = await run({ unit: 'characters', collections }, {}, world);
    expect(summary).toMatchObject({ metadata: {}, notices: [] });
    expect(summary.files).toHaveLength(2);
  });
});

describe('a run to a bucket', () => {
  const SERVER: RunOptions = { s3Endpoint: 'https://s3.example', s3PathStyle: true, s3Anonymous: true };

  it('writes the same objects as files, is refused over them, and does not read them', async () => {
    const bucket = bucketOf({ objects: { 'k/a.txt': TEXT } });
    const world = memoryWorld({ files: { 'k/a.txt': TEXT }, http: bucket.http });
    const options: RunOptions = { ...OPTIONS, ...SERVER, to: 'csv', maxRecords: 4 };
    await run({ ...options, input: 'k/a.txt', out: 'k/out.csv' }, {}, world);
    await run({ ...options, input: 'k/a.txt', out: 's3://bkt/k/out.csv' }, {}, world);
    const objects = Object.fromEntries([...bucket.objects].map(([key, bytes]) => [key, bytes.toString()]));
    expect(objects).toEqual(world.files());
    expect(bucket.uploads.size).toBe(0);
    const again: RunOptions = { ...options, input: 's3://bkt/k/', out: 's3://bkt/k/out.csv', maxRecords: 100 };
    await expect(run(again, {}, world)).rejects.toMatchObject({ kind: 'sink', reason: 'output-exists' });
    const summary = await run({ ...again, overwrite: true }, {}, world);
    expect(summary.sources).toBe(1);
    expect([...bucket.objects.keys()].sort()).toEqual(['k/a.txt', 'k/out-00001.csv', 'k/out.csv.manifest.json']);
  });
});

describe('chunks that are read back', () => {
  it('are what they were, whatever made them', async () => {
    const world = worldWith();
    await run({ ...OPTIONS, out: 'c.jsonl' }, {}, world);
    const summary = await run({ input: 'c.jsonl', format: 'jsonl', chunks: true, out: 'd.jsonl' }, {}, world);
    expect(world.files()['d.jsonl']).toBe(world.files()['c.jsonl']);
    const { options, sources } = JSON.parse(world.files()['d.jsonl.manifest.json']!);
    expect(options).toEqual({ chunks: true, onError: 'stop' });
    expect(sources).toMatchObject([
      { source: 'c.jsonl', chunks: summary.chunks, coverage: { bytes: world.files()['c.jsonl']!.length } },
    ]);
  });

  it('carry an embedding to where it is needed', async () => {
    const lines = [lineOf({ id: 'a', embedding: [0.25, -1] }), lineOf({ id: 'b', embedding: [0.5, 1e-9] })];
    const world = memoryWorld({ stdin: [new TextEncoder().encode(lines.join(''))] });
    await run({ input: '-', format: 'jsonl', chunks: true, to: 'elasticsearch', out: 'e' }, {}, world);
    const documents = world
      .files()
      ['e-00001.ndjson']!.trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each));
    expect(documents[1].embedding).toEqual([0.25, -1]);
    expect(documents[3].embedding).toEqual([0.5, 1e-9]);
  });

  it('that are none stop the run, or are left out and told of', async () => {
    const world = memoryWorld({ files: { 'c.jsonl': `${lineOf({ id: 'a' })}{"id":1}\n${lineOf({ id: 'b' })}` } });
    const options: RunOptions = { input: 'c.jsonl', format: 'jsonl', chunks: true, out: 'd.jsonl' };
    await expect(run(options, {}, world)).rejects.toMatchObject({ kind: 'record', reason: 'not-a-chunk' });
    const summary = await run({ ...options, rejects: 'r.jsonl' }, {}, world);
    expect(summary).toMatchObject({ chunks: 2, rejected: 1, reasons: { 'not-a-chunk': 1 } });
    expect(JSON.parse(world.files()['r.jsonl']!)).toMatchObject({ source: 'c.jsonl', index: 1, reason: 'not-a-chunk' });
  });

  it('have no use for what says how to cut', async () => {
    const wrong: RunOptions = {
      input: 'c.jsonl',
      chunks: true,
      size: 100,
      strategy: 'words',
      records: '[*]',
      only: 'x',
      out: 'd',
    };
    const problems = await run(wrong, {}, worldWith()).catch((error: Error) => error.message.split('\n'));
    expect(problems).toEqual([
      'chunks reads lines of JSON: give format jsonl too',
      ...['strategy', 'size', 'records', 'only'].map((name) => `${name} means nothing to chunks: they are cut already`),
    ]);
  });

  it('or have an embedding, are all that some stores take: text is refused before anything is opened', async () => {
    const needy = sinks.filter(({ store: spec }) => spec?.needs === 'vector');
    expect(needy.length).toBeGreaterThan(0);
    for (const { name } of needy) {
      const world = memoryWorld();
      await expect(run({ ...OPTIONS, input: 'not-there', out: 'b', to: name }, {}, world)).rejects.toMatchObject({
        kind: 'config',
        message: expect.stringMatching(/openai-batch.*format jsonl chunks/),
      });
      const lines = [new TextEncoder().encode(lineOf({ id: '00000000-0000-5000-8000-000000000000' }))];
      const bare = memoryWorld({ stdin: lines });
      await expect(run({ input: '-', format: 'jsonl', chunks: true, to: name, out: 'b' }, {}, bare)).rejects.toMatchObject({
        ...{ kind: 'sink', reason: 'no-embedding' },
      });
      expect(bare.files()).toEqual({});
    }
  });
});

it('a library has the same as a stream', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-store-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const out = join(folder, 'out.jsonl');
  const embed = async function* (chunks: AsyncIterable<Chunk>) {
    for await (const chunk of chunks) yield { ...chunk, embedding: [1, 2, 3] };
  };
  let paths: string[] = [];
  const told = (files: readonly { readonly path: string }[]) => {
    paths = files.map(({ path }) => path);
  };
  await pipeline(
    [TEXT],
    chunkStream({ unit: 'characters', size: 200 }),
    embed,
    store('elasticsearch', out, { maxRecords: 5 }, told),
  );
  expect(readdirSync(folder).sort()).toEqual(paths.map((path) => path.slice(folder.length + 1)).sort());
  expect(readFileSync(paths[0]!, 'utf8')).toContain('"embedding":[1,2,3]');
  expect(() => store('elasticsearch', out, { embedModel: 'm' })).toThrow('embedModel means nothing');
  expect(() => store('nowhere', out)).toThrow('takes one of');
  // It is there already.
  await expect(pipeline([TEXT], chunkStream(), store('elasticsearch', out))).rejects.toMatchObject({ reason: 'output-exists' });
});
