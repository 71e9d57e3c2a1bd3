/**
 * Bodies for `_bulk` of Elasticsearch and of OpenSearch: pairs of lines, an action and a document, in files that one request may
 * carry, and the mapping of an index that takes them beside. A record that is sent again replaces the one of its id. Metadata
 * keeps its shape: the mapping makes it one `flattened` (`flat_object`) field, so that a key whose type changes from chunk to chunk
 * is no error. Sources: Elasticsearch 9 reference (docs-bulk, dense_vector: at most 4,096 dimensions; ids of 512 bytes),
 * OpenSearch 3 documentation (bulk: 5 to 15 MB a request advised; knn_vector: at most 16,000; ids of 512 bytes since 2.9).
 */
import type { OptionSpec } from '../../src/spec.js';
import type { Bytes } from '../bytes.js';
import { jsonOf } from '../escape.js';
import { type Facts, type IdRule, type MetadataRule, rowsBody, type StoreRecord, type StoreSpec } from '../store.js';

const options: readonly OptionSpec[] = [
  {
    name: 'index',
    type: 'string',
    group: 'output',
    value: 'NAME',
    summary: 'index that each action names',
    defaultText: 'none: the address that the files are sent to names it',
  },
];

/** Of a `flattened` field: twenty levels, and no NUL in a key, since it parts key and value in the index. */
const metadata: MetadataRule = { levels: 20, keyName: (key) => (key.includes('\0') ? key.replaceAll('\0', '') : key) };

const ids: IdRule = { maxBytes: 512, words: 'any text' };

/** What the documentation advises for one request; servers take 100 MB unless set up otherwise. */
const FILE_BYTES = 10_000_000;

export const elasticsearch: StoreSpec = {
  name: 'elasticsearch',
  summary: 'bodies of _bulk requests, with the mapping of the index',
  options,
  needs: 'text',
  ending: '.ndjson',
  limits: { fileBytes: FILE_BYTES, dimensions: 4096 },
  compress: ['gzip'],
  ids,
  metadata,
  nul: 'keep',
  encoder: ({ index }) => ({
    body: () => rowsBody({ row: (record, bytes) => writePair(record, bytes, index) }),
    beside: (facts) => [{ name: 'mapping.json', text: mapping(facts, 'flattened', denseVector) }],
  }),
};

export const opensearch: StoreSpec = {
  ...elasticsearch,
  name: 'opensearch',
  limits: { fileBytes: FILE_BYTES, dimensions: 16_000 },
  encoder: ({ index }) => ({
    body: () => rowsBody({ row: (record, bytes) => writePair(record, bytes, index) }),
    beside: (facts) => [{ name: 'mapping.json', text: mapping(facts, 'flat_object', knnVector) }],
  }),
};

function writePair(record: StoreRecord, bytes: Bytes, index: unknown): void {
  bytes.ascii('{"index":{');
  if (index !== undefined) bytes.text(`"_index":${jsonOf(index)},`);
  bytes.ascii('"_id":');
  bytes.string(record.id);
  bytes.ascii('}}\n{"text":');
  bytes.string(record.text);
  const { source, index: number, start, end, tokens, context, record: from, metadata } = record;
  const others = jsonOf({ context, source, index: number, start, end, tokens, record: from, metadata });
  bytes.text(`,${others.slice(1, -1)}`);
  if (record.embedding !== undefined) {
    bytes.ascii(',"embedding":[');
    bytes.floats(record.embedding);
    bytes.ascii(']');
  }
  bytes.ascii('}\n');
}

type VectorField = (dimensions: number) => { readonly field: object; readonly settings?: object };

const denseVector: VectorField = (dims) => ({ field: { type: 'dense_vector', dims, index: true, similarity: 'cosine' } });

const knnVector: VectorField = (dimension) => ({
  field: { type: 'knn_vector', dimension, space_type: 'cosinesimil' },
  settings: { index: { knn: true } },
});

function mapping({ dimensions }: Facts, flat: string, vectorField: VectorField): string {
  const vector = dimensions === undefined ? undefined : vectorField(dimensions);
  const number = { type: 'long' };
  const properties = {
    text: { type: 'text' },
    context: { type: 'text' },
    // No key is longer than 32,766 bytes.
    source: { type: 'keyword', ignore_above: 8191 },
    ...{ index: number, start: number, end: number, tokens: number },
    record: { type: 'object', enabled: false },
    metadata: { type: flat, ...(flat === 'flattened' ? { ignore_above: 8191 } : {}) },
    ...(vector === undefined ? {} : { embedding: vector.field }),
  };
  const settings = vector?.settings === undefined ? {} : { settings: vector.settings };
  return `${JSON.stringify({ ...settings, mappings: { dynamic: false, properties } }, null, 2)}\n`;
}
