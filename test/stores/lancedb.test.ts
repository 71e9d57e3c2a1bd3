/**
 * LanceDB takes the Parquet files as Arrow tables: counted, read back, and searched by vector.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as lancedb from '@lancedb/lancedb';
import { readParquet } from 'parquet-wasm';
import { afterAll, expect, it } from 'vitest';
import { temporary } from '../support/cli.js';
import { COUNT, DIMENSIONS } from './fixture.js';
import { expectSame, given, rounded, written } from './written.js';

// The client is CommonJS and takes the tables of that copy of Arrow only.
const arrow = createRequire(import.meta.url)('apache-arrow') as typeof import('apache-arrow');

const place = temporary();
afterAll(place.remove);

const { Field, FixedSizeList, Float32, Int64, Schema, tableFromIPC, Utf8 } = arrow;

/** A vector that can be searched is a list of fixed length, which no Parquet file can say. */
const SCHEMA = new Schema([
  ...['id', 'source'].map((name) => new Field(name, new Utf8(), false)),
  ...['index', 'start', 'end'].map((name) => new Field(name, new Int64(), false)),
  new Field('tokens', new Int64(), true),
  new Field('context', new Utf8(), true),
  new Field('record', new Utf8(), true),
  ...['metadata', 'text'].map((name) => new Field(name, new Utf8(), false)),
  new Field('embedding', new FixedSizeList(DIMENSIONS, new Field('item', new Float32(), true)), true),
]);

it('holds every chunk of the Parquet files, finds each by its vector, and takes them twice without a double', async () => {
  const out = await written(place, 'chunks', 'parquet', ['--max-records', '2000']);
  const database = await lancedb.connect(place.path('lance'));
  const table = await database.createEmptyTable('chunks', SCHEMA);
  // Its upsert turns no list into one of fixed length, as adding does.
  const copy = await database.createEmptyTable('copy', SCHEMA);
  for (const name of out.files) {
    const rows = tableFromIPC(readParquet(readFileSync(`${out.dir}/${name}`)).intoIPCStream());
    await table.add(rows);
    await copy.add(rows);
  }
  expect(await table.countRows()).toBe(COUNT);
  await table
    .mergeInsert('id')
    .whenMatchedUpdateAll()
    .whenNotMatchedInsertAll()
    .execute(await copy.toArrow());
  expect(await table.countRows()).toBe(COUNT);
  const chunks = given('chunks');
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  for (const row of await table.query().toArray()) {
    const chunk = byId.get(row.id)!;
    const found = { ...row.toJSON(), embedding: [...row.embedding] };
    for (const name of ['index', 'start', 'end', 'tokens']) found[name] = Number(found[name]);
    for (const name of ['record', 'metadata']) found[name] = JSON.parse(found[name]);
    if (found.context === null) delete found.context;
    expectSame(found, { ...chunk, embedding: rounded(chunk.embedding) });
  }
  for (let at = 3; at < COUNT; at += COUNT / 10) {
    const { id, embedding } = chunks[at]!;
    const [nearest] = await table
      .vectorSearch([...embedding!])
      .distanceType('cosine')
      .limit(1)
      .toArray();
    expect(nearest.id).toBe(id);
  }
});
