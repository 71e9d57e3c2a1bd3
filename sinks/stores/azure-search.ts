/**
 * Azure AI Search: each file is the body of one request to an index's `docs/index`, and `index.json` defines the index. A field has
 * to be defined before it is used, so metadata is a list of names with values of four types, which takes any key and can be
 * filtered by: `metadata/any(m: m/name eq 'page' and m/number gt 7)`.
 *
 * A document that is there is merged: a chunk that comes without an embedding leaves the one it has. Limits: Microsoft's "Service
 * limits" and "Naming rules" of 2026.
 */
import type { OptionSpec } from '../../src/spec.js';
import type { Json } from '../../src/types.js';
import type { Bytes } from '../bytes.js';
import { jsonOf } from '../escape.js';
import { overLimit, rowsBody, type StoreRecord, type StoreSpec } from '../store.js';

const DEFAULT_INDEX = 'chunks';
/** Of a text that can be filtered by: Lucene's longest term. */
const TERM_BYTES = 32_766;
/** Of all lists of objects of a document. */
const MOST_ELEMENTS = 3000;

const options: readonly OptionSpec[] = [
  {
    name: 'azure-index',
    type: 'string',
    group: 'output',
    value: 'NAME',
    summary: 'index that the definition beside the documents is of',
    defaultText: DEFAULT_INDEX,
  },
];

export const azureSearch: StoreSpec = {
  name: 'azure-search',
  summary: 'bodies of requests that upsert documents of Azure AI Search, with the definition of an index',
  options,
  needs: 'text',
  ending: '.json',
  limits: { fileRecords: 1000, fileBytes: 16_000_000, dimensions: 4096 },
  compress: [],
  ids: { pattern: /^[A-Za-z0-9=-][\w=-]*$/, maxBytes: 1024, words: 'letters, digits, - = and _, which does not come first' },
  metadata: { nulls: false, objects: false, lists: 'strings', keys: MOST_ELEMENTS, keyBytes: TERM_BYTES, valueBytes: TERM_BYTES },
  nul: 'keep',
  problems({ azureIndex = DEFAULT_INDEX }, spelling) {
    const isName = /^(?=.{2,128}$)[a-z0-9]+(?:[_-][a-z0-9]+)*$/.test(String(azureIndex));
    const wanted = '2 to 128 lower-case letters and digits, with single - or _ between them';
    return isName ? [] : [`${spelling('azure-index')} ${JSON.stringify(azureIndex)} is no name of an index: give ${wanted}`];
  },
  encoder({ azureIndex = DEFAULT_INDEX }) {
    return {
      body: () => rowsBody({ head: '{"value":[\n', between: ',\n', tail: '\n]}\n', row: writeDocument }),
      beside({ dimensions }) {
        const index = { name: azureIndex, ...(dimensions === undefined ? { fields: FIELDS } : withVectors(dimensions)) };
        return [{ name: 'index.json', text: `${JSON.stringify(index, null, 2)}\n` }];
      },
    };
  },
};

/* ------------------------------------------------------------------ a document */

function writeDocument(record: StoreRecord, bytes: Bytes): void {
  // What is merged keeps what it had, unless it is told that there is nothing.
  const {
    id,
    source,
    index,
    start,
    end,
    tokens = null,
    context = null,
    record: within = null,
    metadata,
    text,
    embedding,
  } = record;
  if (source.length * 3 > TERM_BYTES && Buffer.byteLength(source) > TERM_BYTES)
    throw overLimit(record, `has a source longer than the ${TERM_BYTES} bytes that azure-search takes in a field to filter by`);
  const own = {
    '@search.action': 'mergeOrUpload',
    id,
    source,
    index,
    start,
    end,
    tokens,
    context,
    record: within && jsonOf(within),
  };
  bytes.text(`${jsonOf(own).slice(0, -1)},"metadata":[${valuesOf(metadata)}],"text":`);
  bytes.string(text);
  if (embedding !== undefined) {
    bytes.ascii(',"embedding":[');
    bytes.floats(embedding);
    bytes.ascii(']');
  }
  bytes.ascii('}');
}

function valuesOf(metadata: StoreRecord['metadata']): string {
  return Object.entries(metadata)
    .map(([name, value]) => `{"name":${jsonOf(name)},"${memberOf(value)}":${jsonOf(value)}}`)
    .join(',');
}

function memberOf(value: Json): keyof typeof VALUES {
  if (Array.isArray(value)) return 'texts';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'flag' : 'text';
}

/* ------------------------------------------------------------------ the index */

const VALUES = { text: 'Edm.String', texts: 'Collection(Edm.String)', number: 'Edm.Double', flag: 'Edm.Boolean' } as const;

/** All that a field can be is on unless it is said not to be. */
const STORED = { searchable: false, filterable: false, sortable: false, facetable: false };
const FILTERED = { ...STORED, filterable: true };
const ORDERED = { filterable: true, sortable: true, facetable: false };

const FIELDS: readonly object[] = [
  { name: 'id', type: 'Edm.String', key: true, ...FILTERED },
  { name: 'source', type: 'Edm.String', ...FILTERED, sortable: true },
  { name: 'index', type: 'Edm.Int32', ...ORDERED },
  { name: 'start', type: 'Edm.Int64', ...ORDERED },
  { name: 'end', type: 'Edm.Int64', ...ORDERED },
  { name: 'tokens', type: 'Edm.Int32', ...ORDERED },
  { name: 'context', type: 'Edm.String', ...STORED, searchable: true },
  { name: 'record', type: 'Edm.String', ...STORED },
  {
    name: 'metadata',
    type: 'Collection(Edm.ComplexType)',
    fields: [
      { name: 'name', type: 'Edm.String', ...FILTERED },
      ...Object.entries(VALUES).map(([name, type]) => ({
        ...{ name, type, filterable: true, sortable: false, facetable: false },
        ...(type.includes('String') ? { searchable: false } : {}),
      })),
    ],
  },
  { name: 'text', type: 'Edm.String', ...STORED, searchable: true },
];

function withVectors(dimensions: number): object {
  const vectors = { dimensions, vectorSearchProfile: 'cosine' };
  return {
    fields: [...FIELDS, { name: 'embedding', type: 'Collection(Edm.Single)', ...STORED, searchable: true, ...vectors }],
    vectorSearch: {
      algorithms: [{ name: 'hnsw', kind: 'hnsw', hnswParameters: { metric: 'cosine' } }],
      profiles: [{ name: 'cosine', algorithm: 'hnsw' }],
    },
  };
}
