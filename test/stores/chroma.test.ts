/**
 * A Chroma server takes each file as the body of one request: counted, read back, searched. What becomes of metadata that it
 * refuses is written out here, key by key.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Chunk, Json } from '../../src/types.js';
import { temporary } from '../support/cli.js';
import { type Chroma, chromaServer } from './chroma-server.js';
import { COUNT, FEW, METADATA } from './fixture.js';
import { attempted, expectSame, given, rounded, type Written, written } from './written.js';

const place = temporary();
let chroma: Chroma;

beforeAll(async () => {
  place.write('server/.keep', '');
  chroma = await chromaServer(place.path('server'));
});
afterAll(async () => {
  await chroma?.stop();
  place.remove();
});

interface Got {
  readonly ids: readonly string[];
  readonly documents: readonly string[];
  readonly metadatas: readonly Readonly<Record<string, Json>>[];
  readonly embeddings: readonly (readonly number[])[];
}

async function upsert(at: string, out: Written): Promise<void> {
  for (const name of out.files) await chroma.post(`${at}/upsert`, out.text(name));
}

async function everything(at: string): Promise<Got> {
  return (await chroma.post(`${at}/get`, { limit: 100_000, include: ['documents', 'metadatas', 'embeddings'] })) as Got;
}

/** With what a chunk has beside its text and its vector. */
function ownFields({ source, index, start, end, tokens, context, record }: Chunk): Record<string, Json> {
  return {
    ...{ source, index, start, end },
    ...(tokens === undefined ? {} : { tokens }),
    ...(context === undefined ? {} : { context }),
    ...(record === undefined ? {} : { record: JSON.stringify(record) }),
  };
}

/** What becomes of each of the fixture's lists of members, in its order; null: it stays as it is. */
const FLAT: readonly (Readonly<Record<string, Json>> | null)[] = [
  null,
  { page: 8 },
  { 'nested.deep.deeper': '[1,{"none":null}]', 'nested.list': '["x","y"]', page: 9 },
  { tags: '["a","b, \\"c\\"",""]', sizes: '[1,2.5,-3]', mixed: '[1,"a",null]', none: '[]' },
  null,
  { 'nested.__proto__.polluted': true },
  { where: 'dollar', _private: 'line', tag: 'hash', 'a.b': 'dot', 'a"b\\c': 'quote', 'with space': 'x' },
  null,
  { id_: 'not the id', _id: 'nor this', vector: 'not a vector', embedding: 'nor this', source_: 'elsewhere', context_: 'none' },
  null,
  null,
  null,
  null,
];

/** `at`: of the chunk in the fixture. */
function flat({ metadata }: Chunk, at: number): Readonly<Record<string, Json>> {
  const { n, script } = metadata;
  const changed = FLAT[Math.floor(at / 10) % FLAT.length]!;
  return changed === null
    ? metadata
    : { ...(n === undefined ? {} : { n }), ...(script === undefined ? {} : { script }), ...changed };
}

describe('5,000 chunks', () => {
  let at = '';
  let out: Written;
  beforeAll(async () => {
    out = await written(place, 'chunks', 'chroma', ['--max-records', '900']);
    at = await chroma.collection('chunks');
    await upsert(at, out);
  });

  it('are there once, however often they are sent', async () => {
    expect(FLAT.length).toBe(METADATA.length);
    expect(await chroma.get(`${at}/count`)).toBe(COUNT);
    await chroma.post(`${at}/upsert`, out.text(out.files.at(-1)!));
    expect(await chroma.get(`${at}/count`)).toBe(COUNT);
  });

  it('are as they were', async () => {
    const { ids, documents, metadatas, embeddings } = await everything(at);
    const places = new Map(ids.map((id, row) => [id, row]));
    given('chunks').forEach((chunk, n) => {
      const row = places.get(chunk.id)!;
      const found = { text: documents[row], metadata: metadatas[row], embedding: rounded(embeddings[row]) };
      const metadata = { ...flat(chunk, n), ...ownFields(chunk) };
      expectSame(found, { text: chunk.text, metadata, embedding: rounded(chunk.embedding) });
    });
  });

  it('are found by their vectors', async () => {
    const chunks = given('chunks');
    for (let n = 3; n < COUNT; n += COUNT / 10) {
      const { id, embedding } = chunks[n]!;
      expect(await chroma.post(`${at}/query`, { query_embeddings: [embedding], n_results: 1 })).toMatchObject({ ids: [[id]] });
    }
  });
});

it('takes hostile chunks, and those beside them unharmed', async () => {
  const out = await written(place, 'hostile', 'chroma', ['--overwrite']);
  const at = await chroma.collection('hostile');
  await upsert(at, out);
  const { ids, documents, metadatas } = await everything(at);
  const places = new Map(ids.map((id, row) => [id, row]));
  const chunks = given('hostile');
  expect(ids.length).toBe(chunks.length);
  for (const chunk of chunks) {
    const row = places.get(chunk.id)!;
    expect(documents[row]).toBe(chunk.text.toWellFormed());
    expect(metadatas[row]).toMatchObject({ name: chunk.metadata.name, source: chunk.source });
  }
  expect(metadatas[places.get(chunks.find(({ metadata }) => metadata.name === '__proto__')!.id)!]).toMatchObject(
    JSON.parse('{"__proto__.x":1,"constructor.prototype":1}'),
  );
});

it.each(['drop', 'encode'])('takes what --metadata %s leaves', async (policy) => {
  const out = await written(place, 'few', 'chroma', ['--overwrite', '--metadata', policy]);
  const at = await chroma.collection(policy);
  await upsert(at, out);
  expect(await chroma.get(`${at}/count`)).toBe(FEW);
  const { metadatas } = await everything(at);
  const nested = metadatas.filter((metadata) => typeof metadata.nested === 'string');
  expect(nested.length).toBe(policy === 'drop' ? 0 : given('few').filter(({ metadata }) => 'nested' in metadata).length);
});

it('stops at metadata that Chroma refuses where that was asked for, and leaves nothing', async () => {
  const ended = await attempted(place, 'chunks', 'stopped', ['--metadata', 'stop', '--to', 'chroma']);
  expect(ended.code).toBe(5);
  expect(ended.stderr).toContain('chroma refuses it');
  expect(place.list('stopped')).toEqual([]);
});
