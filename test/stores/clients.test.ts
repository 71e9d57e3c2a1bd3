/**
 * Stores that cannot be run here: what their official clients send to a stub for the same documents is what our files hold. The
 * documents are made in this file from the chunks, member by member, and nothing of ours takes part.
 */
import { AzureKeyCredential, SearchClient } from '@azure/search-documents';
import { Client as Elasticsearch } from '@elastic/elasticsearch';
import { Client as OpenSearch } from '@opensearch-project/opensearch';
import { Pinecone } from '@pinecone-database/pinecone';
import { QdrantClient } from '@qdrant/js-client-rest';
import { Meilisearch } from 'meilisearch';
import Typesense from 'typesense';
import { afterAll, describe, expect, it } from 'vitest';
import type { Chunk, Json } from '../../src/types.js';
import { temporary } from '../support/cli.js';
import { type Answer, stub } from './stub.js';
import { digits, expectSameText, given, type Written, written } from './written.js';

const place = temporary();
afterAll(place.remove);

const chunks = given('few');
const id = ({ id }: { readonly id?: unknown }) => id as string;

/** What the client sends to a store that answers so, as one text. */
async function sent(answer: Answer, client: (url: string) => Promise<unknown>): Promise<string> {
  const store = await stub(answer);
  try {
    await client(store.url);
    return store.requests.map(({ body }) => body).join('');
  } finally {
    await store.close();
  }
}

const lines = (out: Written): string => out.files.map((name) => out.text(name)).join('');
/** Without the line breaks between records; the order of members counts. */
const compact = (json: string): string => JSON.stringify(JSON.parse(json));

function plain({ id, source, index, start, end, tokens, context, record, metadata, text, embedding }: Chunk) {
  return { id, source, index, start, end, tokens, context, record, metadata, text, embedding: digits(embedding) };
}

/** Own fields where metadata is flat or a payload: a record is JSON text there. */
function own({ source, index, start, end, tokens, context, record }: Chunk) {
  return { source, index, start, end, tokens, context, record: JSON.stringify(record) };
}

describe.each([
  ['elasticsearch', (node: string) => new Elasticsearch({ node })],
  ['opensearch', (node: string) => new OpenSearch({ node })],
] as const)('%s', (name, client) => {
  it('has the pairs of lines of helpers.bulk', async () => {
    const documents = chunks.map((chunk) => {
      const { id, text, ...others } = plain(chunk);
      // A key without a name is none that these two take.
      const { '': _, ...metadata } = others.metadata;
      const { embedding, source, index, start, end, tokens, context, record } = others;
      return { id, document: { text, context, source, index, start, end, tokens, record, metadata, embedding } };
    });
    const body = await sent(
      ({ body }) => ({
        took: 1,
        errors: false,
        items: body
          .split('\n')
          .filter((_, n) => n % 2 === 0)
          .map(() => ({ index: { status: 201 } })),
      }),
      (url) => {
        // The two clients have the same helper under different types.
        const { helpers } = client(url) as Elasticsearch;
        return helpers.bulk<(typeof documents)[number]>({
          datasource: documents,
          concurrency: 1,
          onDocument: (each) => [{ index: { _index: 'mills', _id: each.id } }, each.document] as never,
        });
      },
    );
    const out = await written(place, 'few', name, ['--index', 'mills']);
    expectSameText(lines(out), body);
  });
});

describe('qdrant', () => {
  it('has the body of upsert', async () => {
    const points = chunks.map((chunk) => ({
      id: chunk.id,
      vector: digits(chunk.embedding),
      payload: { text: chunk.text, ...own(chunk), metadata: chunk.metadata },
    }));
    const body = await sent(
      () => ({ result: { status: 'completed', operation_id: 1 }, status: 'ok', time: 0 }),
      (url) => new QdrantClient({ url, checkCompatibility: false }).upsert('mills', { points }),
    );
    const out = await written(place, 'few', 'qdrant');
    const [file, ...others] = out.files;
    expect(others).toEqual([]);
    expectSameText(compact(out.text(file!)), body);
  });
});

/** Metadata for Pinecone that needs no change by a rule, so that the test has none of its own. */
const FLAT = new Set([
  'n',
  'script',
  'title',
  'page',
  'draft',
  'weight',
  'lines',
  'quotes',
  'nul',
  'bell',
  'delete',
  'bom',
  'rtl',
  'joined',
]);
const isFlat = ({ metadata }: Chunk) => Object.entries(metadata).every(([key, value]) => FLAT.has(key) && value !== null);

describe('pinecone', () => {
  it('has the documents of documents.upsert, one a line', async () => {
    const flat = chunks.filter(isFlat);
    expect(flat.length).toBeGreaterThan(50);
    const documents = flat.map((chunk) => ({
      _id: chunk.id,
      text: chunk.text,
      values: digits(chunk.embedding),
      ...own(chunk),
      ...chunk.metadata,
    }));
    const body = await sent(
      () => ({ upsertedCount: documents.length }),
      (url) => {
        const index = new Pinecone({ apiKey: 'none' }).index({ host: url, namespace: 'mills' });
        return index.documents.upsert({ documents } as never);
      },
    );
    const wanted = new Set(flat.map(id));
    const ours = lines(await written(place, 'few', 'pinecone'))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect({ documents: ours.filter(({ _id }) => wanted.has(_id)) }).toEqual(JSON.parse(body));
  });
});

describe('typesense', () => {
  it('has the lines of import', async () => {
    const documents = chunks.map(plain);
    const body = await sent(
      ({ body }) =>
        body
          .split('\n')
          .map(() => '{"success":true}')
          .join('\n'),
      (url) =>
        new Typesense.Client({ nodes: [{ url }], apiKey: 'none' })
          .collections('mills')
          .documents()
          .import(documents, { action: 'upsert' }),
    );
    expectSameText(lines(await written(place, 'few', 'typesense')), `${body}\n`);
  });
});

describe('meilisearch', () => {
  it('has the documents of addDocuments, one a line', async () => {
    const documents = chunks.map((chunk) => {
      const { embedding, ...document } = plain(chunk);
      return { ...document, _vectors: { default: embedding } };
    });
    const body = await sent(
      () => ({ taskUid: 1 }),
      (url) => new Meilisearch({ host: url }).index('mills').addDocuments(documents),
    );
    const ours = lines(await written(place, 'few', 'meilisearch'))
      .split('\n')
      .slice(0, -1);
    expectSameText(`[${ours.join()}]`, body);
  });
});

/** What Azure's index has for values of metadata. */
function described(metadata: Chunk['metadata']): object[] {
  const member = (value: Json) =>
    Array.isArray(value) ? 'texts' : { string: 'text', number: 'number', boolean: 'flag' }[typeof value as 'string'];
  return Object.entries(metadata).map(([name, value]) => ({ name, [member(value)!]: value }));
}

describe('azure-search', () => {
  it('has the body of mergeOrUploadDocuments', async () => {
    const flat = chunks.filter(isFlat);
    const documents = flat.map((chunk) => {
      const { record = null, context = null, metadata, text, embedding, ...others } = plain(chunk);
      return { ...others, context, record: JSON.stringify(record), metadata: described(metadata), text, embedding };
    });
    const body = await sent(
      ({ body }) => ({
        value: JSON.parse(body).value.map(({ id }: { id: string }) => ({ key: id, status: true, statusCode: 200 })),
      }),
      (url) => {
        const options = { allowInsecureConnection: true } as object;
        return new SearchClient<object>(url, 'mills', new AzureKeyCredential('none'), options).mergeOrUploadDocuments(documents);
      },
    );
    const wanted = new Set(flat.map(id));
    const out = await written(place, 'few', 'azure-search');
    const ours = out.files.flatMap((name) => JSON.parse(out.text(name)).value as Record<string, Json>[]);
    expect({ value: ours.filter((document) => wanted.has(id(document))) }).toEqual(JSON.parse(body));
  });
});
