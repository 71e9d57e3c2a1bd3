/**
 * DuckDB reads what millrace writes for data sets: Parquet, CSV, and lines of JSON, plain or compressed. Each table holds every
 * chunk as it was, and the nearest neighbour of a chunk's embedding is that chunk.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporary } from '../support/cli.js';
import { COUNT, DIMENSIONS } from './fixture.js';
import { type Set as ChunkSet, expectSame, given, millrace, rounded, wellFormed, written } from './written.js';

const place = temporary();
const chunks = given('chunks');
const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
let duck: DuckDBConnection;

beforeAll(async () => {
  duck = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => {
  duck.closeSync();
  place.remove();
});

const rows = async (sql: string) => (await duck.runAndReadAll(sql)).getRowObjectsJson() as Record<string, unknown>[];
const quoted = (path: string) => `'${path.replaceAll("'", "''")}'`;

/** A row with metadata, the record, and perhaps the embedding as the text of their JSON, and numbers of any kind. */
function chunkOf(row: Record<string, unknown>): object {
  const present = Object.entries(row).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return Object.fromEntries(
    present.map(([name, value]) => {
      if (name === 'embedding') return [name, rounded(typeof value === 'string' ? JSON.parse(value) : (value as number[]))];
      // As bytes: the client takes a U+FEFF at the start of a text for a signature.
      if (name === 'text') return [name, Buffer.from(value as string, 'hex').toString('utf8')];
      if (name === 'metadata' || name === 'record') return [name, JSON.parse(value as string)];
      return [name, ['index', 'start', 'end', 'tokens'].includes(name) ? Number(value) : value];
    }),
  );
}

/** Loads the files into a table, which is compared with the set. */
async function expectAll(files: string, set: ChunkSet = 'chunks'): Promise<void> {
  await duck.run(`CREATE OR REPLACE TEMP TABLE loaded AS SELECT * FROM ${files}`);
  const found = await rows(
    `SELECT id, source, index, start, "end", tokens, context, record, metadata, hex(text) AS text, embedding FROM loaded`,
  );
  const expected = new Map(
    given(set).map((chunk) => [chunk.id, { ...(wellFormed(chunk as never) as object), embedding: rounded(chunk.embedding) }]),
  );
  expect(found.length).toBe(expected.size);
  for (const row of found) expectSame(chunkOf(row), expected.get(row.id as string)!);
  expect(new Set(found.map(({ id }) => id)).size).toBe(expected.size);
}

/** In the table that was loaded last, for ten chunks all over it. */
async function expectNearest(): Promise<void> {
  for (let at = 3; at < COUNT; at += COUNT / 10) {
    const { id, embedding } = chunks[at]!;
    const vector = `[${embedding!.join()}]::FLOAT[${DIMENSIONS}]`;
    const distance = `array_cosine_distance(embedding::FLOAT[${DIMENSIONS}], ${vector})`;
    expect(await rows(`SELECT id FROM loaded ORDER BY ${distance} LIMIT 1`)).toEqual([{ id }]);
  }
}

describe('Parquet', () => {
  it.each([
    ['in one file', []],
    ['in files of 700 rows', ['--max-records', '700']],
    ['in files of a megabyte, not compressed', ['--max-bytes', '1000000', '--parquet-codec', 'none']],
  ])('%s', async (_, args) => {
    const out = await written(place, 'chunks', 'parquet', ['--overwrite', ...args]);
    if (args[0] === '--max-records') expect(out.files.length).toBe(8);
    if (args[0] === '--max-bytes') for (const name of out.files) expect(out.bytes(name).length).toBeLessThanOrEqual(1_000_000);
    await expectAll(`read_parquet(${quoted(`${out.dir}/out-*.parquet`)})`);
    await expectNearest();
  });

  it('of hostile chunks', async () => {
    const out = await written(place, 'hostile', 'parquet', ['--overwrite']);
    await expectAll(`read_parquet(${quoted(`${out.dir}/out-*.parquet`)})`, 'hostile');
  });

  it('has types that all readers know', async () => {
    const out = await written(place, 'chunks', 'parquet', ['--overwrite']);
    const schema = await rows(
      `SELECT name, type, converted_type, logical_type FROM parquet_schema(${quoted(`${out.dir}/out-00001.parquet`)})`,
    );
    const typeOf = (name: string) => schema.find((column) => column.name === name)?.type;
    expect(['id', 'source', 'text', 'metadata'].map(typeOf)).toEqual(Array(4).fill('BYTE_ARRAY'));
    expect(['index', 'start', 'end', 'tokens'].map(typeOf)).toEqual(Array(4).fill('INT64'));
    expect(await rows(`DESCRIBE SELECT * FROM ${quoted(`${out.dir}/out-00001.parquet`)}`)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ column_name: 'embedding', column_type: 'FLOAT[]' }),
        expect.objectContaining({ column_name: 'text', column_type: 'VARCHAR' }),
        expect.objectContaining({ column_name: 'start', column_type: 'BIGINT' }),
      ]),
    );
  });

  it('of the vectors that Pinecone imports: an id, its values and JSON', async () => {
    const out = await written(place, 'chunks', 'pinecone', ['--pinecone-layout', 'vectors', '--overwrite']);
    const file = quoted(`${out.dir}/${out.files[0]}`);
    expect(await rows(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${file})`)).toEqual([
      { column_name: 'id', column_type: 'VARCHAR' },
      { column_name: 'values', column_type: 'FLOAT[]' },
      { column_name: 'metadata', column_type: 'VARCHAR' },
    ]);
    const found = await rows(`SELECT * FROM ${file}`);
    expect(found.length).toBe(COUNT);
    for (const { id, values, metadata } of found) {
      const chunk = byId.get(id as string)!;
      expect(rounded(values as number[])).toEqual(rounded(chunk.embedding));
      expect(JSON.parse(metadata as string)).toMatchObject({ text: chunk.text });
    }
  });

  it('of the rows that Milvus imports: JSON is text, and no value is missing', async () => {
    const out = await written(place, 'chunks', 'milvus', ['--milvus-format', 'parquet', '--overwrite']);
    const found = await rows(`SELECT * REPLACE (hex(text) AS text) FROM ${quoted(`${out.dir}/${out.files[0]}`)}`);
    expect(found.length).toBe(COUNT);
    for (const { vector, context, ...row } of found) {
      const { context: wanted = '', metadata: all, ...chunk } = byId.get(row.id as string)!;
      // A key without a name is left out wherever there is a rule for metadata.
      const { '': _, ...metadata } = all;
      expectSame(chunkOf({ ...row, embedding: vector }), { ...chunk, metadata, embedding: rounded(chunk.embedding) });
      expect(context).toBe(wanted);
    }
  });
});

const COLUMNS =
  "{id:'VARCHAR',source:'VARCHAR',index:'BIGINT',start:'BIGINT',\"end\":'BIGINT',tokens:'BIGINT',context:'VARCHAR',record:'VARCHAR',metadata:'VARCHAR',text:'VARCHAR',embedding:'FLOAT[]'}";

describe('lines of JSON', () => {
  it.each([
    ['plain', [], 'jsonl'],
    ['gzip', ['--compress', 'gzip'], 'jsonl.gz'],
    ['zstd', ['--compress', 'zstd'], 'jsonl.zst'],
  ])('%s', async (name, args, ending) => {
    const ended = await millrace(place.dir, ['chunks', '--max-records', '3000', '-o', `${name}.${ending}`, ...args]);
    // Node 20 and 22 before 22.15 cannot write it, and say so before anything is opened.
    if (ending.endsWith('zst') && ended.code === 2) {
      expect(ended.stderr).toContain('zstd');
      return;
    }
    expect(ended).toMatchObject({ code: 0 });
    await expectAll(
      `read_json(${quoted(`${place.dir}/${name}-*.${ending}`)}, format = 'newline_delimited', columns = ${COLUMNS})`,
    );
    await expectNearest();
  });

  it('of hostile chunks', async () => {
    expect(await millrace(place.dir, ['hostile', '-o', 'hostile.jsonl'])).toMatchObject({ code: 0 });
    const path = quoted(`${place.dir}/hostile.jsonl`);
    await expectAll(
      `read_json(${path}, format = 'newline_delimited', maximum_object_size = 30000000, columns = ${COLUMNS})`,
      'hostile',
    );
  });

  it('of fields by other names', async () => {
    const fields = 'key=id,content=text,meta.src=source,meta.script=metadata.script';
    const ended = await millrace(place.dir, ['chunks', '--fields', fields, '-o', 'fields.jsonl']);
    expect(ended).toMatchObject({ code: 0 });
    const found = await rows(
      `SELECT key, content, meta.src AS src, meta.script AS script FROM read_json(${quoted(`${place.dir}/fields.jsonl`)})`,
    );
    expect(found).toEqual(
      chunks.map(({ id, text, source, metadata }) => ({ key: id, content: text, src: source, script: metadata.script })),
    );
  });
});

describe('CSV', () => {
  it.each([
    ['chunks', ['--max-records', '2000']],
    ['hostile', []],
  ] as const)('of %s', async (set, args) => {
    const out = await written(place, set, 'csv', ['--overwrite', ...args]);
    expect(out.files.length).toBe(set === 'chunks' ? 3 : 1);
    const options = "header = true, all_varchar = true, nullstr = 'never', parallel = false, max_line_size = 30000000";
    await expectAll(`read_csv(${quoted(`${out.dir}/out-*.csv`)}, ${options})`, set);
  });
});
