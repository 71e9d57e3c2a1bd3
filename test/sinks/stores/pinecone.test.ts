import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import type { StoreOptions } from '../../../sinks/store.js';
import { pinecone } from '../../../sinks/stores/pinecone.js';
import { asFlag } from '../../../src/options.js';
import type { Chunk } from '../../../src/types.js';
import { conformStore, type StoredRecord } from '../../conformance/store.js';
import { parquetColumns, parquetRows } from '../../support/parquet.js';
import { memoryWorld } from '../../support/world.js';

const textOf = (file: Uint8Array) => Buffer.from(file).toString('utf8');

/** Flat, of strings, numbers, booleans and lists of strings, 40 KB, keys of 64 bytes that do not begin with `$` or `_`. */
function expectMetadata(metadata: Readonly<Record<string, unknown>>): void {
  expect(Buffer.byteLength(JSON.stringify(metadata))).toBeLessThanOrEqual(40_000);
  for (const [key, value] of Object.entries(metadata)) {
    expect(key).not.toMatch(/^[$_]|^$/);
    expect(Buffer.byteLength(key)).toBeLessThanOrEqual(64);
    for (const each of Array.isArray(value) ? value : []) expect(typeof each).toBe('string');
    if (!Array.isArray(value)) expect(['string', 'number', 'boolean']).toContain(typeof value);
  }
}

conformStore(pinecone, {
  read(file) {
    const lines = textOf(file).split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line): StoredRecord => {
      const { _id: id, text, values: embedding, ...metadata } = JSON.parse(line);
      expectMetadata(metadata);
      return { id, text, embedding, metadata };
    });
  },
});
conformStore(pinecone, {
  options: { pineconeLayout: 'vectors' },
  looseBytes: true,
  read: async (file) =>
    (await parquetRows(file)).map((row): StoredRecord => {
      const all = JSON.parse(row.metadata as string);
      expectMetadata(all);
      const { text, ...metadata } = all;
      return { id: row.id as string, text, embedding: row.values as number[], metadata };
    }),
});

async function written(chunks: readonly Chunk[], options: StoreOptions = {}) {
  const world = memoryWorld();
  const sink = batchSink(pinecone, { path: 'out', options, place: placeOf(world) });
  for (const chunk of chunks) await sink.write(chunk);
  const path = (await sink.commit())[0]!.path;
  return { path, file: (await world.fs.promises.readFile(path)) as unknown as Uint8Array, report: sink.report!() };
}

const chunk: Chunk = {
  ...{ id: 'a', source: 's', index: 0, start: 1, end: 2, tokens: 3, context: 'C' },
  ...{ metadata: { _k: 1, values: 2, tags: ['x'], text: 'other' }, text: 't', embedding: [1, -0.1] },
};

describe('documents', () => {
  it('are these lines', async () => {
    const { path, file, report } = await written([chunk, { ...chunk, metadata: {} }]);
    expect(path).toBe('out-00001.jsonl');
    const own = '"source":"s","index":0,"start":1,"end":2,"tokens":3,"context":"C"';
    expect(textOf(file)).toBe(
      `{"_id":"a","text":"t","values":[1,-0.1],${own},"k":1,"values_":2,"tags":["x"],"text_":"other"}\n` +
        `{"_id":"a","text":"t","values":[1,-0.1],${own}}\n`,
    );
    expect(report.metadata).toEqual({ _k: { renamed: 1 }, values: { renamed: 1 }, text: { renamed: 1 } });
  });

  it('have the names of the schema', async () => {
    const { file } = await written([chunk], { textField: 'body', vectorField: 'dense' });
    expect(JSON.parse(textOf(file))).toMatchObject({ _id: 'a', body: 't', dense: [1, -0.1], values: 2, text_: 'other' });
    expect(pinecone.problems!({ textField: 'body', vectorField: 'dense' }, asFlag)).toEqual([]);
    expect(pinecone.problems!({ textField: 'values' }, asFlag)).toHaveLength(1);
    expect(pinecone.problems!({ vectorField: '_id' }, asFlag)).toHaveLength(1);
    expect(pinecone.problems!({ vectorField: 'dense', pineconeLayout: 'vectors' }, asFlag)).toEqual([
      '--vector-field has no meaning with --pinecone-layout vectors',
    ]);
  });

  it.each([
    ['zeros', { embedding: [0, 1e-60] }],
    ['a text of more than 100 KB', { text: 'x'.repeat(100_001) }],
    ['metadata of more than 40 KB with the context', { context: 'x'.repeat(39_950) }],
    ['an id of more than 512 bytes', { id: 'é'.repeat(257) }],
    ['too many numbers', { embedding: Array.from({ length: 20_001 }, () => 1) }],
  ])('%s are refused', async (_, change) => {
    await expect(written([{ ...chunk, ...change }])).rejects.toMatchObject({ kind: 'sink', reason: 'over-limit' });
  });

  it('lose what is too large of metadata', async () => {
    const metadata = { a: 'x'.repeat(31_000), b: 'x'.repeat(2000), c: 1 };
    const { file, report } = await written([{ ...chunk, metadata }]);
    expect(JSON.parse(textOf(file))).toMatchObject({ b: metadata.b, c: 1 });
    expect(report.metadata).toEqual({ a: { dropped: 1 } });
  });
});

describe('vectors', () => {
  it('are this table', async () => {
    const { path, file } = await written([chunk], { pineconeLayout: 'vectors', textField: 'body' });
    expect(path).toBe('out-00001.parquet');
    expect(parquetColumns(file)).toEqual(['id: BYTE_ARRAY UTF8', 'values: LIST FLOAT', 'metadata: BYTE_ARRAY UTF8']);
    expect(await parquetRows(file)).toEqual([
      {
        id: 'a',
        values: [1, Math.fround(-0.1)],
        metadata:
          '{"body":"t","source":"s","index":0,"start":1,"end":2,"tokens":3,"context":"C","k":1,"values_":2,"tags":["x"],"text_":"other"}',
      },
    ]);
  });

  it('with more than 40 KB of metadata, the text included, are refused', async () => {
    const { file } = await written([{ ...chunk, text: 'x'.repeat(39_000) }], { pineconeLayout: 'vectors' });
    expect(await parquetRows(file)).toHaveLength(1);
    const long = { ...chunk, text: 'x'.repeat(40_000) };
    await expect(written([long], { pineconeLayout: 'vectors' })).rejects.toMatchObject({ reason: 'over-limit' });
  });
});
