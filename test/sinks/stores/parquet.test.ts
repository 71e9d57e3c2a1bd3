import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import type { StoreOptions } from '../../../sinks/store.js';
import { parquet } from '../../../sinks/stores/parquet.js';
import type { Chunk } from '../../../src/types.js';
import { conformStore, type StoredRecord, storeChunks } from '../../conformance/store.js';
import { parquetColumns, parquetRows } from '../../support/parquet.js';
import { memoryWorld } from '../../support/world.js';

async function read(file: Uint8Array): Promise<StoredRecord[]> {
  return (await parquetRows(file)).map(({ id, text, metadata, embedding }) => ({
    id: id as string,
    text: text as string,
    metadata: JSON.parse(metadata as string),
    ...(embedding === undefined ? {} : { embedding: embedding as number[] }),
  }));
}

for (const parquetCodec of ['snappy', 'none']) conformStore(parquet, { options: { parquetCodec }, looseBytes: true, read });
conformStore({ ...parquet, name: 'parquet with embeddings', needs: 'vector' }, { looseBytes: true, read });

async function files(chunks: readonly Chunk[], options: StoreOptions = {}, limits: { maxRecords?: number } = {}) {
  const world = memoryWorld();
  const sink = batchSink(parquet, { path: 'out.parquet', options, place: placeOf(world), ...limits });
  for (const chunk of chunks) await sink.write(chunk);
  const written = await sink.commit();
  return Promise.all(written.map(({ path }) => world.fs.promises.readFile(path) as unknown as Promise<Uint8Array>));
}

const COLUMNS = [
  'id: BYTE_ARRAY UTF8',
  'source: BYTE_ARRAY UTF8',
  'index: INT64',
  'start: INT64',
  'end: INT64',
  'tokens: INT64?',
  'context: BYTE_ARRAY UTF8?',
  'record: BYTE_ARRAY UTF8?',
  'metadata: BYTE_ARRAY UTF8',
  'text: BYTE_ARRAY UTF8',
];

describe('a table', () => {
  it('has every key of the chunk, exactly', async () => {
    const chunks = storeChunks(40, true);
    const [file] = await files(chunks);
    const rows = await parquetRows(file!);
    rows.forEach((row, at) => {
      const { index, start, end, tokens, context, record, metadata, embedding, ...texts } = row;
      const chunk = chunks[at]!;
      expect(texts).toEqual({ id: chunk.id, source: chunk.source, text: chunk.text });
      expect([index, start, end]).toEqual([BigInt(chunk.index), BigInt(chunk.start), BigInt(chunk.end)]);
      expect(tokens ?? undefined).toBe(chunk.tokens === undefined ? undefined : BigInt(chunk.tokens));
      expect(context ?? undefined).toBe(chunk.context);
      expect(record ?? undefined).toBe(chunk.record === undefined ? undefined : JSON.stringify(chunk.record));
      expect(JSON.parse(metadata as string)).toEqual(chunk.metadata);
      expect(embedding).toEqual(chunk.embedding);
    });
  });

  it('has the same columns in all files of a run, an embedding where there are some', async () => {
    for (const file of await files(storeChunks(9, false), {}, { maxRecords: 4 })) expect(parquetColumns(file)).toEqual(COLUMNS);
    for (const file of await files(storeChunks(9, true), {}, { maxRecords: 4 }))
      expect(parquetColumns(file)).toEqual([...COLUMNS, 'embedding: LIST FLOAT']);
    for (const file of await files([])) expect(parquetColumns(file)).toEqual(COLUMNS);
  });

  it('takes one number, and another number of them is refused', async () => {
    const [first, second] = storeChunks(2, true) as [Chunk, Chunk];
    const [file] = await files([{ ...first, embedding: [0.1] }]);
    expect((await parquetRows(file!))[0]!.embedding).toEqual([Math.fround(0.1)]);
    for (const embedding of [[1, 2], [Number.NaN], [1e39], undefined])
      await expect(
        files([
          { ...first, embedding: [0.1] },
          { ...second, embedding: embedding! },
        ]),
      ).rejects.toMatchObject({
        kind: 'sink',
        reason: 'over-limit',
      });
  });

  it('is smaller with snappy', async () => {
    const chunks = storeChunks(200, false);
    const [[small], [large]] = [await files(chunks), await files(chunks, { parquetCodec: 'none' })];
    expect(small!.length).toBeLessThan(large!.length * 0.9);
  });
});
