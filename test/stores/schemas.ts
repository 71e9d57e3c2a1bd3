/**
 * What stores say of their input, as JSON Schemas written from their documentation (in the form in which it stood in 2026), for
 * one unit of a file each: a line, a pair of lines, a body. Ours are stricter than the stores where a stray member would be lost
 * without a word. No code of the program takes part.
 */
import type { AnySchemaObject } from 'ajv';
import { DIMENSIONS } from './fixture.js';

const UUID = { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' };
const TEXT = { type: 'string' };
const WHOLE = { type: 'integer', minimum: 0 };
const VECTOR = { type: 'array', items: { type: 'number' }, minItems: DIMENSIONS, maxItems: DIMENSIONS };

/** An object of these members and no others. */
function only(properties: Record<string, object>, ...optional: string[]): AnySchemaObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Members of the program's own; tokens, context and record may be missing. */
const OWN = { source: TEXT, index: WHOLE, start: WHOLE, end: WHOLE, tokens: WHOLE, context: TEXT };
const MISSING = ['tokens', 'context', 'record'];
const ANY_OBJECT = { type: 'object' };

/** Metadata of flat stores: scalars, and lists of strings where `lists`. */
function flatMembers(key: string, lists: boolean): object {
  const scalars = [{ type: ['string', 'number', 'boolean'] }];
  const values = lists ? [...scalars, { type: 'array', items: TEXT }] : scalars;
  return { patternProperties: { [key]: { anyOf: values } }, additionalProperties: false };
}

const LINE = only({ id: UUID, ...OWN, record: ANY_OBJECT, metadata: ANY_OBJECT, text: TEXT, embedding: VECTOR }, ...MISSING);

/** OpenAI, "Batch": the request input object; "Create embeddings": its body. */
const embeddingRequest = only({
  custom_id: { type: 'string', minLength: 1 },
  method: { const: 'POST' },
  url: { const: '/v1/embeddings' },
  body: only(
    {
      model: { type: 'string', minLength: 1 },
      input: { type: 'string', minLength: 1 },
      dimensions: { type: 'integer', minimum: 1 },
      encoding_format: { enum: ['float', 'base64'] },
    },
    'dimensions',
  ),
});

/** Elasticsearch and OpenSearch, "Bulk API": an action and its document. Flattened fields take no empty key. */
const bulkPair = {
  type: 'array',
  minItems: 2,
  maxItems: 2,
  items: [
    only({ index: only({ _index: TEXT, _id: { type: 'string', minLength: 1, maxLength: 512 } }, '_index') }),
    only(
      {
        text: TEXT,
        ...OWN,
        record: ANY_OBJECT,
        metadata: { type: 'object', propertyNames: { minLength: 1 } },
        embedding: VECTOR,
      },
      ...MISSING,
    ),
  ],
};

/** Chroma, OpenAPI of API v2: UpsertCollectionRecordsPayload. A base64 embedding is four bytes a number. */
const chromaBody = only({
  ids: { type: 'array', items: { type: 'string', minLength: 1 } },
  embeddings: { type: 'array', items: { type: 'string', pattern: `^[A-Za-z0-9+/]{${(DIMENSIONS * 4 * 4) / 3}}$` } },
  documents: { type: 'array', items: TEXT },
  metadatas: {
    type: 'array',
    items: { type: 'object', minProperties: 1, ...flatMembers('^(?![#$])(?!chroma:document$)', false) },
  },
});

/** Qdrant, OpenAPI: PointsList of PointStruct. */
const qdrantBody = only({
  points: {
    type: 'array',
    minItems: 1,
    items: only({
      id: UUID,
      vector: VECTOR,
      payload: only({ text: TEXT, ...OWN, record: TEXT, metadata: ANY_OBJECT }, ...MISSING),
    }),
  },
});

/** Pinecone, "Import data" and "Data modeling": flat documents with `_id`; a key has neither `$` nor `_` first, and 64 bytes at most. */
const pineconeDocument = {
  type: 'object',
  properties: { _id: { type: 'string', minLength: 1, maxLength: 512 }, text: TEXT, values: VECTOR },
  required: ['_id', 'text', 'values'],
  ...flatMembers('^(?!values$)[^$_][^]{0,63}$', true),
};

/** Milvus, "Prepare source data": a row with a member for each field of the collection. */
const milvusRow = only({ id: TEXT, vector: VECTOR, text: TEXT, ...OWN, record: ANY_OBJECT, metadata: ANY_OBJECT }, 'tokens');

/** Weaviate, OpenAPI: the objects of a batch; a property's name is that of GraphQL; lists are of one kind. */
const weaviateBody = only({
  objects: {
    type: 'array',
    minItems: 1,
    maxItems: 1000,
    items: only({
      class: { type: 'string', pattern: '^[A-Z][_0-9A-Za-z]*$' },
      id: UUID,
      vector: VECTOR,
      properties: {
        type: 'object',
        properties: { ...OWN, text: TEXT, record: TEXT },
        required: ['text', 'source'],
        patternProperties: {
          '^meta(Texts?|Numbers?|Booleans?)?_[_0-9A-Za-z]{0,219}$': {
            anyOf: [
              { type: ['string', 'number', 'boolean'] },
              ...['string', 'number', 'boolean'].map((type) => ({ type: 'array', items: { type } })),
            ],
          },
        },
        additionalProperties: false,
      },
    }),
  },
});

/** Azure AI Search, "Index documents": a batch; keys are of few letters; members are those of the index. */
const azureBody = only({
  value: {
    type: 'array',
    minItems: 1,
    maxItems: 1000,
    items: only({
      '@search.action': { enum: ['upload', 'merge', 'mergeOrUpload', 'delete'] },
      id: { type: 'string', pattern: '^[A-Za-z0-9=-][A-Za-z0-9_=-]{0,1023}$' },
      ...OWN,
      tokens: { type: ['integer', 'null'] },
      context: { type: ['string', 'null'] },
      record: { type: ['string', 'null'] },
      metadata: {
        type: 'array',
        maxItems: 3000,
        items: only(
          {
            name: TEXT,
            text: TEXT,
            texts: { type: 'array', items: TEXT },
            number: { type: 'number' },
            flag: { type: 'boolean' },
          },
          ...['text', 'texts', 'number', 'flag'],
        ),
      },
      text: TEXT,
      embedding: VECTOR,
    }),
  },
});

/** Meilisearch, "Documents": a primary key of few letters; vectors under the name of their embedder. */
const meilisearchDocument = only(
  {
    id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,511}$' },
    ...OWN,
    record: ANY_OBJECT,
    metadata: ANY_OBJECT,
    text: TEXT,
    _vectors: only({ default: VECTOR }),
  },
  ...MISSING,
);

export const schemas: Readonly<Record<string, AnySchemaObject>> = {
  'openai-batch': embeddingRequest,
  elasticsearch: bulkPair,
  opensearch: bulkPair,
  chroma: chromaBody,
  qdrant: qdrantBody,
  pinecone: pineconeDocument,
  milvus: milvusRow,
  weaviate: weaviateBody,
  'azure-search': azureBody,
  // Typesense, "Index documents": `id` stands in URLs as it is.
  typesense: LINE,
  meilisearch: meilisearchDocument,
};

/** Most of a file, by the documentation of each: bytes that are parsed, and records. */
export const limits: Readonly<Record<string, { readonly bytes?: number; readonly records?: number }>> = {
  'openai-batch': { bytes: 200_000_000, records: 50_000 },
  // What OpenSearch advises for one request; the servers refuse 100 MB.
  elasticsearch: { bytes: 15_000_000 },
  opensearch: { bytes: 15_000_000 },
  chroma: { bytes: 40 * 2 ** 20, records: 5461 },
  qdrant: { bytes: 32 * 2 ** 20 },
  pinecone: { bytes: 10e9 },
  milvus: { bytes: 16e9 },
  weaviate: { bytes: 100e6 },
  'azure-search': { bytes: 16e6, records: 1000 },
  typesense: {},
  meilisearch: { bytes: 100e6 },
};
