/**
 * Every file for a store whose bodies are JSON: as its documentation says (schemas.ts), within its limits by a count of our own,
 * with every chunk in it once, its text and its embedding as they were. Hostile chunks are taken, or refused by name with nothing
 * left behind.
 */
import { Ajv } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import { temporary } from '../support/cli.js';
import { limits, schemas } from './schemas.js';
import { attempted, type Set as ChunkSet, expectSame, given, rounded, type Written, written } from './written.js';

const place = temporary();
afterAll(place.remove);

const ajv = new Ajv({ strict: false, allowUnionTypes: true });

/** What a store would have of a chunk. */
interface Found {
  readonly id: string;
  readonly text: string;
  readonly embedding?: readonly number[];
}

// biome-ignore lint/suspicious/noExplicitAny: what the schemas say of it is checked before it is looked at.
type Unit = any;

interface Form {
  /** The units that the schema is of, in the text of a file. */
  readonly units: (text: string) => Unit[];
  readonly found: (unit: Unit) => Found[];
}

function lines(text: string): Unit[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
}
const body = (text: string): Unit[] => [JSON.parse(text)];
const line: Form = { units: lines, found: ({ id, text, embedding }) => [{ id, text, embedding }] };
const pairs: Form = {
  units: (text) => {
    const all = lines(text);
    return all.filter((_, n) => n % 2 === 0).map((action, n) => [action, all[n * 2 + 1]]);
  },
  found: ([{ index }, { text, embedding }]) => [{ id: index._id, text, embedding }],
};

function floatsIn(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readFloatLE(n * 4));
}

const forms: Readonly<Record<string, Form>> = {
  'openai-batch': { units: lines, found: ({ custom_id, body: { input } }) => [{ id: custom_id, text: input }] },
  elasticsearch: pairs,
  opensearch: pairs,
  chroma: {
    units: body,
    found: ({ ids, documents, embeddings }) =>
      ids.map((id: string, n: number) => ({ id, text: documents[n], embedding: floatsIn(embeddings[n]) })),
  },
  qdrant: {
    units: body,
    found: ({ points }) => points.map(({ id, vector, payload: { text } }: Unit) => ({ id, text, embedding: vector })),
  },
  pinecone: { units: lines, found: ({ _id, text, values }) => [{ id: _id, text, embedding: values }] },
  milvus: { units: lines, found: ({ id, text, vector }) => [{ id, text, embedding: vector }] },
  weaviate: {
    units: body,
    found: ({ objects }) => objects.map(({ id, vector, properties: { text } }: Unit) => ({ id, text, embedding: vector })),
  },
  'azure-search': { units: body, found: ({ value }) => value },
  typesense: line,
  meilisearch: { units: lines, found: ({ id, text, _vectors }) => [{ id, text, embedding: _vectors.default }] },
};

/** All files of the run hold the set, each as the store wants it. */
function expectFit(store: string, out: Written, set: ChunkSet): void {
  const { units, found } = forms[store]!;
  const fits = ajv.compile(schemas[store]!);
  const { bytes = Number.POSITIVE_INFINITY, records = Number.POSITIVE_INFINITY } = limits[store]!;
  const byId = new Map(given(set).map((chunk) => [chunk.id, chunk]));
  for (const name of out.files) {
    const text = out.text(name);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes);
    const all = units(text);
    for (const unit of all) if (!fits(unit)) expect(fits.errors).toEqual(null);
    const chunks = all.flatMap(found);
    expect(chunks.length).toBeLessThanOrEqual(records);
    expect(out.manifest.files.find(({ path }) => path === name)?.chunks).toBe(chunks.length);
    for (const { id, text, embedding } of chunks) {
      const chunk = byId.get(id)!;
      byId.delete(id);
      const context = store === 'openai-batch' && chunk.context !== undefined ? `${chunk.context}\n\n` : '';
      const vector = store === 'openai-batch' ? undefined : rounded(chunk.embedding);
      const got = { text, embedding: embedding === undefined ? undefined : rounded(embedding) };
      expectSame(got, { text: `${context}${chunk.text}`.toWellFormed(), embedding: vector });
    }
  }
  expect([...byId.keys()]).toEqual([]);
}

/** These refuse some metadata, so that there is a choice of what becomes of it. */
const CHOOSY = ['elasticsearch', 'opensearch', 'chroma', 'pinecone', 'milvus', 'weaviate', 'azure-search'];

/** These have a limit that a text or a value of ten megabytes is over. */
const SMALL = new Set(['elasticsearch', 'opensearch', 'pinecone', 'milvus']);

describe.each(Object.keys(schemas))('%s', (store) => {
  it('takes 5,000 chunks, in files within its limits', async () => {
    expectFit(store, await written(place, 'chunks', store), 'chunks');
  });

  it('takes few in files of any size', async () => {
    const out = await written(place, 'few', store, ['--overwrite', '--max-records', '7']);
    expect(out.files.length).toBe(Math.ceil(given('few').length / 7));
    expectFit(store, out, 'few');
    const small = await written(place, 'few', store, ['--overwrite', '--max-bytes', '100000']);
    for (const name of small.files) expect(small.bytes(name).length).toBeLessThanOrEqual(100_000);
    expectFit(store, small, 'few');
  });

  it('takes odd texts and metadata, and those beside them unharmed', async () => {
    expectFit(store, await written(place, 'odd', store, ['--overwrite']), 'odd');
  });

  it('takes texts of ten megabytes, or refuses them by name and leaves nothing', async () => {
    const ended = await attempted(place, 'hostile', `huge/${store}`, ['--to', store]);
    expect(ended.code).toBe(SMALL.has(store) ? 5 : 0);
    if (ended.code === 0) return;
    expect(ended.stderr).toMatch(/the chunk 00000000-0000-4000-8000-\d{12} /);
    expect(place.list(`huge/${store}`)).toEqual([]);
  });
});

describe.each(CHOOSY)('%s', (store) => {
  it.each(['drop', 'encode'])('takes what --metadata %s leaves', async (policy) => {
    expectFit(store, await written(place, 'few', store, ['--overwrite', '--metadata', policy]), 'few');
    expectFit(store, await written(place, 'odd', store, ['--overwrite', '--metadata', policy]), 'odd');
  });
});
