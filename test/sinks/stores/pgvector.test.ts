import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import { pgvector } from '../../../sinks/stores/pgvector.js';
import { asFlag } from '../../../src/options.js';
import type { Chunk } from '../../../src/types.js';
import { conformStore, HOSTILE, storeChunks } from '../../conformance/store.js';
import { memoryWorld } from '../../support/world.js';

const COLUMNS = ['id', 'source', 'index', 'start', 'end', 'tokens', 'context', 'record', 'metadata', 'text', 'embedding'];

/** PostgreSQL's documentation, COPY, "Text Format": escapes, `\N`, one row a line. Undefined stands for null. */
function rowsIn(file: string): Record<string, string | undefined>[] {
  const lines = file.split('\n');
  expect(lines.pop()).toBe('');
  expect(file).not.toContain('\r');
  expect(file).not.toContain('\0');
  return lines.map((line) => {
    const fields = line.split('\t').map((field) => (field === '\\N' ? undefined : unescaped(field)));
    expect(fields).toHaveLength(COLUMNS.length);
    return Object.fromEntries(fields.map((field, at) => [COLUMNS[at], field]));
  });
}

const LETTERS: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const unescaped = (field: string): string => field.replace(/\\([\s\S])/g, (_, letter: string) => LETTERS[letter] ?? letter);

conformStore(pgvector, {
  read: (file) =>
    rowsIn(Buffer.from(file).toString('utf8')).map(({ id, text, metadata, embedding }) => ({
      id: id!,
      text: text!,
      metadata: JSON.parse(metadata!),
      ...(embedding === undefined ? {} : { embedding: JSON.parse(embedding) }),
    })),
});

async function made(options: Record<string, unknown>, chunks: readonly Chunk[], request: object = {}) {
  const world = memoryWorld();
  const sink = batchSink(pgvector, { path: "o'ut", options, place: placeOf(world), ...request });
  for (const chunk of chunks) await sink.write(chunk);
  await sink.commit();
  const files = world.files();
  return {
    rows: files["o'ut-00001.copy"]!,
    schema: files["o'ut.schema.sql"]!,
    load: files["o'ut.load.sql"]!,
    notices: sink.report!().notices,
  };
}

const chunk: Chunk = { id: 'one', source: 'a.md', index: 0, start: 1, end: 9, metadata: {}, text: 'text' };
const withEmbedding = (length: number, value = 0.5): Chunk => ({ ...chunk, embedding: Array.from({ length }, () => value) });

describe('a row', () => {
  it('is this line', async () => {
    const { rows, notices } = await made({}, [
      {
        ...chunk,
        source: 'a\tb\\c',
        tokens: 3,
        context: '',
        record: { index: 2, start: 4, field: 'f\0"' },
        metadata: JSON.parse('{"__proto__":"\\u0000q\\"\\\\n\\n","n":null,"deep":[{"a":1}]}'),
        text: '\\.\n\\N\r\n\ta\u2028\v\f\0😀\ud83d',
        embedding: [0.1, -1, 1e-9],
      },
      { ...chunk, id: 'two', text: '' },
    ]);
    expect(rows).toBe(
      'one\ta\\tb\\\\c\t0\t1\t9\t3\t\t{"index":2,"start":4,"field":"f\\\\""}\t' +
        '{"__proto__":"q\\\\"\\\\\\\\n\\\\n","n":null,"deep":[{"a":1}]}\t' +
        '\\\\.\\n\\\\N\\r\\n\\ta\u2028\v\f😀\ufffd\t[0.1,-1,1e-9]\n' +
        'two\ta.md\t0\t1\t9\t\\N\t\\N\t\\N\t{}\t\t\\N\n',
    );
    expect(notices).toEqual(['2 NUL characters were left out, which pgvector refuses']);
  });

  it('keeps hostile metadata as it is, but for NUL', async () => {
    const { rows } = await made(
      {},
      Object.values(HOSTILE).map((metadata) => ({ ...chunk, metadata })),
    );
    const whole = JSON.stringify(Object.values(HOSTILE))
      .replaceAll('\\u0000', '')
      .replace(/\\ud[89a-f]../g, '\ufffd');
    expect(rowsIn(rows).map(({ metadata }) => JSON.parse(metadata!))).toEqual(JSON.parse(whole));
  });

  it('is refused when its id is too long for an index, or holds NUL', async () => {
    await made({}, [{ ...chunk, id: 'é'.repeat(1346) }]);
    for (const id of ['x'.repeat(2693), 'é'.repeat(1347), 'a\0b', ''])
      await expect(made({}, [{ ...chunk, id }])).rejects.toMatchObject({ kind: 'sink', reason: 'over-limit' });
  });

  it('is refused when its embedding is longer than 16,000 numbers', async () => {
    await made({}, [withEmbedding(16_000)]);
    await expect(made({}, [withEmbedding(16_001)])).rejects.toMatchObject({ reason: 'over-limit' });
  });
});

describe('the SQL', () => {
  it.each([
    [1, 0.5, 'vector(1)', 'vector_cosine_ops'],
    [2000, 0.5, 'vector(2000)', 'vector_cosine_ops'],
    [2001, 0.5, 'halfvec(2001)', 'halfvec_cosine_ops'],
    [4000, 65_519, 'halfvec(4000)', 'halfvec_cosine_ops'],
    [4000, 65_520, 'vector(4000)', undefined],
    [4001, 0.5, 'vector(4001)', undefined],
  ])('for %d numbers of %d has a column %s and an index of %s', async (length, value, type, operators) => {
    const { schema, load } = await made({}, [withEmbedding(length, value)]);
    expect(schema).toContain(`  embedding ${type}\n);\n`);
    const index = `create index if not exists "chunks_embedding" on "chunks" using hnsw (embedding ${operators});\n`;
    if (operators === undefined) expect(load).not.toContain('create index');
    else expect(load.endsWith(`\ncommit;\n\n${index}`)).toBe(true);
  });

  it('without embeddings has a column for them, and no index', async () => {
    const { schema, load } = await made({}, [chunk]);
    expect(schema).toContain('  embedding vector\n);\n');
    expect(load).not.toContain('create index');
  });

  it('names the table that was asked for, quoted', async () => {
    const { schema, load } = await made({ pgTable: 'docs.a"b' }, [withEmbedding(3)]);
    expect(schema).toContain('create table if not exists "docs"."a""b" (');
    expect(load).toContain('(like "docs"."a""b") on commit drop;');
    expect(load).toContain('create index if not exists "a""b_embedding" on "docs"."a""b" using');
  });

  it('loads each file, which may be compressed, through the staging table', async () => {
    const from = (load: string) =>
      [...load.matchAll(/^\\copy millrace_staging \(.*\) from (.*) with .*$/gm)].map(([, file]) => file);
    const chunks = storeChunks(3, false);
    expect(from((await made({}, chunks, { maxRecords: 2 })).load)).toEqual(["'./o''ut-00001.copy'", "'./o''ut-00002.copy'"]);
    const { load } = await made({}, chunks, { squeeze: 'gzip' });
    expect(from(load)).toEqual(["program 'gzip -dc ''./o''\\''''ut-00001.copy.gz'''"]);
    expect(load.match(/on conflict \(id\) do update set .*/g)).toHaveLength(1);
    expect(load).toContain('embedding = coalesce(excluded.embedding, old.embedding);');
  });

  it('is for one table, with a schema at most', () => {
    const problems = (pgTable: string) => pgvector.problems!({ pgTable }, asFlag);
    for (const name of ['chunks', 'a.b', 'x'.repeat(63), 'Ünï "q"']) expect(problems(name)).toEqual([]);
    for (const name of ['', '.', 'a.', 'a.b.c', 'x'.repeat(64), 'a\nb', 'a\0']) {
      expect(problems(name)).toEqual([
        `--pg-table ${JSON.stringify(name)} is no name of a table: give one of 1 to 63 bytes, or two such with a dot between them`,
      ]);
    }
    expect(pgvector.problems!({}, asFlag)).toEqual([]);
  });
});
