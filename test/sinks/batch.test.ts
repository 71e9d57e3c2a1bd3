/** The sink of stores over stores of the test's own, so that what is seen is its doing and no encoder's. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type BatchRequest, batchSink } from '../../sinks/batch.js';
import { placeOf } from '../../sinks/place.js';
import { rowsBody, type StoreSpec, UUIDS } from '../../sinks/store.js';
import type { Chunk } from '../../src/types.js';
import { storeChunks } from '../conformance/store.js';
import { seeded } from '../support/random.js';
import { type Faults, type MemoryWorld, memoryWorld } from '../support/world.js';

/** A line of the text for each, `<` before all and `>` behind. */
const plain: StoreSpec = {
  ...{ name: 'plain', summary: '', needs: 'text', ending: '.txt', limits: {}, compress: ['gzip'], nul: 'keep' },
  encoder: () => ({
    body: () =>
      rowsBody({
        head: '<',
        between: ',',
        tail: '>',
        row: ({ text }, bytes) => bytes.text(text),
      }),
  }),
};

const chunk = (parts: Partial<Chunk> = {}): Chunk => ({ ...storeChunks(1, false)[0]!, metadata: {}, ...parts });
const texts = (...all: string[]): Chunk[] => all.map((text) => chunk({ text }));

async function write(
  chunks: readonly Chunk[],
  request: Partial<BatchRequest> = {},
  spec = plain,
  world: MemoryWorld = memoryWorld(),
) {
  const sink = batchSink(spec, { path: 'out.txt', options: {}, place: placeOf(world), ...request });
  try {
    await sink.open?.();
    for (const each of chunks) await sink.write(each);
    const files = await sink.commit();
    return { world, files, report: sink.report!() };
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

describe('files', () => {
  it('are ended before a record would take them past the bytes, to the byte', async () => {
    // `<aaa,bb>` has eight bytes.
    expect((await write(texts('aaa', 'bb', 'c'), { maxBytes: 8 })).world.files()).toEqual({
      'out-00001.txt': '<aaa,bb>',
      'out-00002.txt': '<c>',
    });
    expect((await write(texts('aaa', 'bb', 'c'), { maxBytes: 7 })).world.files()).toEqual({
      'out-00001.txt': '<aaa>',
      'out-00002.txt': '<bb,c>',
    });
    // Bytes of UTF-8, not characters.
    expect(Object.keys((await write(texts('éé', 'é'), { maxBytes: 8 })).world.files())).toHaveLength(2);
  });

  it('hold as many records as may be', async () => {
    expect((await write(texts('a', 'b', 'c', 'd', 'e'), { maxRecords: 2 })).files.map(({ chunks }) => chunks)).toEqual([2, 2, 1]);
  });

  it('have the smaller of the limits of the store and of the user', async () => {
    const spec: StoreSpec = { ...plain, limits: { fileRecords: 3, fileBytes: 1000 } };
    expect((await write(texts('a', 'b', 'c', 'd'), { maxRecords: 50 }, spec)).files.map(({ chunks }) => chunks)).toEqual([3, 1]);
    expect((await write(texts('a', 'b', 'c', 'd'), { maxRecords: 2 }, spec)).files.map(({ chunks }) => chunks)).toEqual([2, 2]);
  });

  it('keep both limits, and all records in order, whatever the sizes', async () => {
    const cases: [string[], number, number][] = [];
    seeded(60, (rng) => {
      const all = Array.from({ length: rng.between(0, 30) }, () => 'xé'.repeat(rng.between(0, 20)));
      cases.push([all, rng.between(1, 8), rng.between(62, 200)]);
    });
    for (const [all, maxRecords, maxBytes] of cases) {
      const { world, files } = await write(texts(...all), { maxRecords, maxBytes });
      const found = files.flatMap(({ path, bytes, sha256, chunks }) => {
        const content = world.files()[path]!;
        expect(bytes).toBe(Buffer.byteLength(content));
        expect(bytes).toBeLessThanOrEqual(maxBytes);
        expect(sha256).toBe(createHash('sha256').update(content).digest('hex'));
        expect(chunks).toBeLessThanOrEqual(maxRecords);
        return chunks === 0 ? [] : content.slice(1, -1).split(',');
      });
      expect(found).toEqual(all);
    }
  });

  it('are written whole, however large, with the writer made to wait', async () => {
    const long = Array.from({ length: 40 }, (_, at) => String(at % 10).repeat(100_000));
    const { world } = await write(texts(...long), { maxBytes: 1_500_000 });
    const files = Object.entries(world.files()).sort();
    expect(files.map(([, content]) => content.slice(1, -1)).join(',')).toBe(long.join(','));
    expect(files).toHaveLength(3);
  });

  it('may be compressed; limits are on what is in them', async () => {
    const { world, files } = await write(texts('a'.repeat(5000), 'b'.repeat(5000), 'c'), { squeeze: 'gzip', maxBytes: 10_003 });
    expect(files.map(({ path }) => path)).toEqual(['out-00001.txt.gz', 'out-00002.txt.gz']);
    const [first] = await Promise.all(files.map(({ path }) => world.fs.promises.readFile(path) as unknown as Promise<Buffer>));
    expect(gunzipSync(first!).toString()).toBe(`<${'a'.repeat(5000)},${'b'.repeat(5000)}>`);
    expect(files[0]!.bytes).toBe(first!.length);
    // What a gzip header may tell of the machine.
    expect([...first!.subarray(4, 8), first![9]]).toEqual([0, 0, 0, 0, 255]);
  });

  it('beside them are written last, and know their names', async () => {
    const spec: StoreSpec = {
      ...plain,
      encoder: () => ({
        body: () => rowsBody({ row: () => {} }),
        beside: (facts) => [{ name: 'facts.json', text: JSON.stringify(facts) }],
      }),
    };
    const { world, files } = await write(
      texts('a', 'b').map((each) => ({ ...each, embedding: [1, 2] })),
      { path: 'a/out.txt', maxRecords: 1 },
      spec,
      memoryWorld({ files: { 'a/x': '' } }),
    );
    expect(files.map(({ path, chunks }) => [path, chunks])).toEqual([
      ['a/out-00001.txt', 1],
      ['a/out-00002.txt', 1],
      ['a/out.facts.json', 0],
    ]);
    expect(JSON.parse(world.files()['a/out.facts.json']!)).toEqual({
      files: ['out-00001.txt', 'out-00002.txt'],
      ...{ records: 2, dimensions: 2, stem: 'out' },
    });
  });
});

describe('a record that no file can hold', () => {
  it.each([0, 1, 3])('is an error that names it, and the limit; %s before it', async (before) => {
    const world = memoryWorld();
    const long = chunk({ id: 'the-long-one', text: 'x'.repeat(99) });
    const failed = write([...texts('a', 'b', 'c').slice(0, before), long], { maxBytes: 100 }, plain, world);
    await expect(failed).rejects.toMatchObject({
      kind: 'sink',
      reason: 'over-limit',
      message: expect.stringMatching(/the-long-one.*100 bytes/),
    });
    expect(world.files()).toEqual({});
  });

  it('nor the store', async () => {
    const spec: StoreSpec = { ...plain, limits: { recordBytes: 10 } };
    await expect(write(texts('x'.repeat(10)), {}, spec)).resolves.toBeDefined();
    await expect(write(texts('a', 'x'.repeat(10)), {}, spec)).rejects.toMatchObject({ reason: 'over-limit' });
  });
});

describe('all or nothing (L11)', () => {
  const chunks = texts(...Array.from({ length: 9 }, (_, at) => String(at).repeat(120_000)));

  it.each<[string, Faults]>([
    ['a partial that cannot be made', { open: 'out-00003' }],
    ['a name that cannot be given', { renameTo: 'out-00002.txt' }],
    ['a write that fails', { write: { nth: 4, of: 'out-' } }],
    ['a last write that fails', { write: { nth: 5, of: 'out-' } }],
  ])('%s fails the run, and what it had completed is gone', async (_, faults) => {
    const world = memoryWorld({ files: { neighbour: 'stays' }, faults });
    await expect(write(chunks, { maxRecords: 2 }, plain, world)).rejects.toMatchObject({ kind: 'sink' });
    expect(world.files()).toEqual({ neighbour: 'stays' });
  });

  it('an abort while a file is ended and the next begun leaves nothing', async () => {
    for (let turns = 0; turns < 40; turns++) {
      const world = memoryWorld();
      const sink = batchSink(plain, { path: 'out.txt', options: {}, place: placeOf(world), maxRecords: 1 });
      await sink.open?.();
      await sink.write(chunks[0]!);
      const writing = Promise.resolve(sink.write(chunks[1]!)).catch(() => {});
      for (let left = turns; left > 0; left--) await null;
      if (turns % 2 === 1) await new Promise((resolve) => setImmediate(resolve));
      await sink.abort();
      await writing;
      expect(world.files()).toEqual({});
    }
  });

  it('files have their names as they are complete, and stay so when the process is killed', async () => {
    const world = memoryWorld();
    const sink = batchSink(plain, { path: 'out.txt', options: {}, place: placeOf(world), maxRecords: 2 });
    await sink.open?.();
    for (const each of texts('a', 'b', 'c')) await sink.write(each);
    expect(world.files()).toEqual({ 'out-00001.txt': '<a,b>', '.out-00002.txt.partial': '' });
  });
});

describe('a chunk is made fit', () => {
  it('or refused, for its id', async () => {
    const spec: StoreSpec = { ...plain, ids: UUIDS };
    await expect(write(texts('a'), {}, spec)).resolves.toBeDefined();
    await expect(write([chunk({ id: 'page#3' })], {}, spec)).rejects.toMatchObject({
      message: expect.stringContaining('is a UUID'),
    });
  });

  it('or refused, for its embedding', async () => {
    const embedded = (...embedding: number[]) => chunk({ text: 'a', embedding });
    const limited: StoreSpec = { ...plain, limits: { dimensions: 3 } };
    const fails = async (message: string, ...chunks: Chunk[]) =>
      expect(write(chunks, {}, limited)).rejects.toMatchObject({ kind: 'sink', message: expect.stringContaining(message) });
    await fails('an embedding of 4 numbers: plain takes 1 to 3', embedded(1, 2, 3, 4));
    await fails('an embedding of 0 numbers', embedded());
    await fails('an embedding of 1 numbers, but those before it have 2', embedded(1, 2), embedded(1));
    await fails('has NaN in its embedding', embedded(1, Number.NaN));
    await fails('has 1e+39 in its embedding', embedded(1e39));
    await expect(write([embedded(1, 2), chunk(), embedded(0, 0)], {}, limited)).resolves.toBeDefined();
    await expect(write([chunk()], {}, { ...plain, needs: 'vector' })).rejects.toMatchObject({
      reason: 'no-embedding',
      message: expect.stringContaining('--to openai-batch'),
    });
  });

  it('without NUL where the store refuses it, and told of', async () => {
    const spec: StoreSpec = {
      ...{ ...plain, nul: 'drop' },
      encoder: () => ({ body: () => rowsBody({ row: (record, bytes) => bytes.json(record) }) }),
    };
    const hostile = chunk({
      text: 'a\0b\0',
      context: '\0',
      source: 's\0',
      metadata: { 'k\0': ['\0v', { x: '\0' }], n: 1, 'no\\u0000': '' },
    });
    const { world, report } = await write([hostile], {}, spec);
    expect(JSON.parse(world.files()['out-00001.txt']!)).toMatchObject({
      ...{ text: 'ab', context: '', source: 's', metadata: { k: ['v', { x: '' }], n: 1, 'no\\u0000': '' } },
    });
    expect(report.notices).toEqual(['7 NUL characters were left out, which plain refuses']);
  });

  it('without half a surrogate pair', async () => {
    expect((await write(texts('a\ud83d'))).world.files()['out-00001.txt']).toBe('<a\ufffd>');
  });

  it('with metadata as the policy says', async () => {
    const spec: StoreSpec = {
      ...{ ...plain, metadata: { objects: false } },
      encoder: () => ({ body: () => rowsBody({ row: ({ metadata }, bytes) => bytes.json(metadata) }) }),
    };
    const nested = chunk({ metadata: { a: { b: 1 } } });
    const { world, report } = await write([nested], {}, spec);
    expect(world.files()['out-00001.txt']).toBe('{"a.b":1}');
    expect(report.metadata).toEqual({ a: { flattened: 1 } });
    expect((await write([nested], { metadata: 'encode' }, spec)).world.files()['out-00001.txt']).toBe('{"a":"{\\"b\\":1}"}');
  });
});

it('an encoder may say what the spec says otherwise, and be loaded first', async () => {
  const spec: StoreSpec = {
    ...plain,
    encoder: async () => ({ ...(await plain.encoder({})), ending: '.other', limits: { fileRecords: 1 }, metadata: { keys: 0 } }),
  };
  const { files, report } = await write([chunk({ text: 'a', metadata: { x: 1 } }), chunk({ text: 'b' })], {}, spec);
  expect(files.map(({ path }) => path)).toEqual(['out.txt-00001.other', 'out.txt-00002.other']);
  expect(report.metadata).toEqual({ x: { dropped: 1 } });
});
