import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import type { StoreOptions } from '../../../sinks/store.js';
import { milvus } from '../../../sinks/stores/milvus.js';
import { asFlag } from '../../../src/options.js';
import type { Chunk } from '../../../src/types.js';
import { conformStore, type StoredRecord, storeChunks } from '../../conformance/store.js';
import { parquetColumns, parquetRows } from '../../support/parquet.js';
import { memoryWorld } from '../../support/world.js';

interface Row {
  readonly id: string;
  readonly text: string;
  readonly vector: readonly number[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

const stored = ({ id, text, vector, metadata }: Row): StoredRecord => ({ id, text, metadata, embedding: vector });
const textOf = (file: Uint8Array) => Buffer.from(file).toString('utf8');

conformStore(milvus, {
  read(file) {
    const lines = textOf(file).split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line) => stored(JSON.parse(line)));
  },
});
conformStore(milvus, { options: { milvusFormat: 'json' }, read: (file) => (JSON.parse(textOf(file)) as Row[]).map(stored) });
conformStore(milvus, {
  options: { milvusFormat: 'parquet' },
  looseBytes: true,
  read: async (file) =>
    ((await parquetRows(file)) as unknown as Row[]).map((row) =>
      stored({ ...row, metadata: JSON.parse(row.metadata as unknown as string) }),
    ),
});

async function written(chunks: readonly Chunk[], options: StoreOptions = {}) {
  const world = memoryWorld();
  const sink = batchSink(milvus, { path: 'out', options, place: placeOf(world) });
  for (const chunk of chunks) await sink.write(chunk);
  const path = (await sink.commit())[0]!.path;
  return { path, file: (await world.fs.promises.readFile(path)) as unknown as Uint8Array };
}

const chunk: Chunk = {
  ...{ id: 'a"', source: 's', index: 0, start: 1, end: 2, metadata: { k: null } },
  ...{ text: 't', embedding: [1, -0.1] },
};

describe('rows', () => {
  it('are these lines', async () => {
    const record = { index: 4, start: 0, end: 9 };
    const { path, file } = await written([chunk, { ...chunk, tokens: 5, context: 'C', record }]);
    expect(path).toBe('out-00001.jsonl');
    expect(textOf(file)).toBe(
      '{"id":"a\\"","vector":[1,-0.1],"text":"t","context":"","source":"s","index":0,"start":1,"end":2,"record":{},"metadata":{"k":null}}\n' +
        '{"id":"a\\"","vector":[1,-0.1],"text":"t","context":"C","source":"s","index":0,"start":1,"end":2,"tokens":5,' +
        '"record":{"index":4,"start":0,"end":9},"metadata":{"k":null}}\n',
    );
  });

  it('have the names of a schema, in every format', async () => {
    const names = { textField: 'body "1"', vectorField: 'emb' };
    const row = { id: 'a"', emb: [1, -0.1], 'body "1"': 't', context: '' };
    expect(JSON.parse(textOf((await written([chunk], names)).file))).toMatchObject(row);
    const list = await written([chunk], { ...names, milvusFormat: 'json' });
    expect([list.path, JSON.parse(textOf(list.file))]).toMatchObject(['out-00001.json', [row]]);
    const table = await written([chunk], { ...names, milvusFormat: 'parquet' });
    expect(table.path).toBe('out-00001.parquet');
    expect((await parquetRows(table.file))[0]).toMatchObject({
      ...row,
      emb: [1, Math.fround(-0.1)],
      record: '{}',
      metadata: '{"k":null}',
    });
    expect(parquetColumns(table.file)).toEqual([
      ...[
        'id: BYTE_ARRAY UTF8',
        'emb: LIST FLOAT',
        'body "1": BYTE_ARRAY UTF8',
        'context: BYTE_ARRAY UTF8',
        'source: BYTE_ARRAY UTF8',
      ],
      ...['index: INT64', 'start: INT64', 'end: INT64', 'tokens: INT64?', 'record: BYTE_ARRAY UTF8', 'metadata: BYTE_ARRAY UTF8'],
    ]);
  });

  it('have names that differ', () => {
    expect(milvus.problems!({}, asFlag)).toEqual([]);
    expect(milvus.problems!({ vectorField: 'text' }, asFlag)).toEqual(['--text-field and --vector-field name the same field']);
    expect(milvus.problems!({ textField: 'source' }, asFlag)).toHaveLength(1);
  });

  it('keep a text within what a field holds', async () => {
    await expect(written([{ ...chunk, text: 'é'.repeat(32_768) }])).rejects.toMatchObject({ reason: 'over-limit' });
    await expect(written([{ ...chunk, text: `${'é'.repeat(32_767)}x` }])).resolves.toBeDefined();
    await expect(written(storeChunks(3, false))).rejects.toMatchObject({ reason: 'no-embedding' });
  });
});
