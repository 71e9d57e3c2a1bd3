/**
 * PostgreSQL 18 with pgvector, as WebAssembly in this process, runs the generated SQL: `schema.sql`, then `load.sql`, which copies
 * our files. Only the clause that names a file is replaced, since this one has no psql to read them.
 */
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../src/types.js';
import { temporary } from '../support/cli.js';
import { COUNT } from './fixture.js';
import { expectSame, given, rounded, type Written, wellFormed, written } from './written.js';

const place = temporary();
let database: PGlite;

beforeAll(async () => {
  database = await PGlite.create({ extensions: { vector } });
});
afterAll(async () => {
  await database.close();
  place.remove();
});

/** psql's own command, on one line. */
const COPY = /^\\copy (.+) from '([^']+)'(.*?);?$/i;

/** Statement by statement; those that psql itself would carry out are `\copy` and settings of psql. */
async function psql(out: Written, name: string): Promise<void> {
  let sql = '';
  for (const line of out.text(name).split('\n')) {
    const copy = COPY.exec(line);
    if (copy === null) {
      if (!line.startsWith('\\')) sql += `${line}\n`;
      continue;
    }
    await database.exec(sql);
    sql = '';
    const [, what, file, how] = copy;
    await database.query(`COPY ${what} FROM '/dev/blob'${how}`, [], { blob: new Blob([new Uint8Array(out.bytes(file!))]) });
  }
  await database.exec(sql);
}

interface Row {
  readonly id: string;
  readonly source: string;
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  readonly context: string | null;
  readonly record: Json;
  readonly metadata: Json;
  readonly text: string;
  readonly embedding: string;
}

/** PostgreSQL holds no NUL. */
const withoutNul = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', ''));

async function expectAll(set: 'chunks' | 'hostile', table: string): Promise<void> {
  const { rows } = await database.query<Row>(
    `select *, embedding::text as embedding, encode(convert_to(text, 'UTF8'), 'hex') as text from ${table}`,
  );
  const byId = new Map(given(set).map((chunk) => [chunk.id, chunk]));
  expect(rows.length).toBe(byId.size);
  for (const row of rows) {
    const chunk = byId.get(row.id)!;
    const { embedding, context = null, text, source, tokens = null, record = null, metadata, ...rest } = chunk;
    const strings = withoutNul({ text: text.toWellFormed(), context, source, record, metadata: wellFormed(metadata) }) as object;
    const found = {
      ...row,
      ...{ index: Number(row.index), start: Number(row.start), end: Number(row.end) },
      // As bytes: the client takes a U+FEFF at the start of a text for a signature.
      text: Buffer.from(row.text, 'hex').toString('utf8'),
      embedding: rounded(JSON.parse(row.embedding)),
    };
    expectSame(found, { ...rest, tokens, ...strings, embedding: rounded(embedding) });
  }
}

it('loads 5,000 chunks as they were, and finds each by its vector', async () => {
  const out = await written(place, 'chunks', 'pgvector', ['--max-records', '2000']);
  expect(out.files.length).toBe(3);
  await database.exec('create extension vector');
  await psql(out, 'out.schema.sql');
  await psql(out, 'out.load.sql');
  expect((await database.query('select count(*)::int as count from chunks')).rows).toEqual([{ count: COUNT }]);
  await expectAll('chunks', 'chunks');
  const chunks = given('chunks');
  for (let at = 3; at < COUNT; at += COUNT / 10) {
    const { id, embedding } = chunks[at]!;
    const { rows } = await database.query('select id from chunks order by embedding <=> $1 limit 1', [JSON.stringify(embedding)]);
    expect(rows).toEqual([{ id }]);
  }
});

it('takes hostile chunks, those beside them unharmed, and all of them twice without a double', async () => {
  const out = await written(place, 'hostile', 'pgvector', ['--pg-table', 'other."; drop table chunks; --', '--overwrite']);
  await database.exec('create schema other');
  await psql(out, 'out.schema.sql');
  await psql(out, 'out.load.sql');
  await psql(out, 'out.load.sql');
  await expectAll('hostile', 'other."""; drop table chunks; --"');
  expect(out.stderr).toContain('NUL');
});
