/**
 * Meilisearch: documents as lines, and `settings.json` for the index. A document is a line of a chunk, whose embedding is where
 * Meilisearch looks for vectors of the user's own. Metadata is stored as it is; all of it can be filtered by.
 *
 * Limits: Meilisearch's documentation of 2026, "known limitations"; http-payload-size-limit unless it was changed.
 */
import type { Bytes } from '../bytes.js';
import { writeLine } from '../lines.js';
import { overLimit, rowsBody, type StoreRecord, type StoreSpec } from '../store.js';

/** What the settings call the user's own vectors. */
const EMBEDDER = 'default';
/** Of a document. */
const MOST_ATTRIBUTES = 65_536;
/** With those of the record. */
const OWN_ATTRIBUTES = 20;

export const meilisearch: StoreSpec = {
  name: 'meilisearch',
  summary: 'documents for Meilisearch, with the settings of an index',
  needs: 'text',
  ending: '.ndjson',
  limits: { fileBytes: 100_000_000 },
  compress: ['gzip'],
  ids: { pattern: /^[A-Za-z0-9_-]+$/, maxBytes: 511, words: 'letters, digits, - and _' },
  nul: 'keep',
  encoder() {
    let isFirst = true;
    let hasVectors = false;
    return {
      body: () =>
        rowsBody({
          row(record, bytes) {
            if (record.embedding !== undefined && !hasVectors && !isFirst) throw overLimit(record, LATE);
            writeDocument(record, bytes, hasVectors);
          },
        }),
      written({ embedding }) {
        isFirst = false;
        hasVectors ||= embedding !== undefined;
      },
      beside({ dimensions }) {
        const embedders = dimensions === undefined ? {} : { embedders: { [EMBEDDER]: { source: 'userProvided', dimensions } } };
        return [{ name: 'settings.json', text: `${JSON.stringify({ ...SETTINGS, ...embedders }, null, 2)}\n` }];
      },
    };
  },
};

const LATE =
  'has an embedding, but those before it have none: an index with embeddings refuses documents that do not say so; ' +
  'begin with a chunk that has one';

const SETTINGS = {
  searchableAttributes: ['text', 'context', 'metadata'],
  filterableAttributes: ['id', 'source', 'index', 'record', 'metadata'],
  sortableAttributes: ['source', 'index'],
};

/** Beside documents with vectors, one without has to say that it has none. */
function writeDocument(record: StoreRecord, bytes: Bytes, hasVectors: boolean): void {
  const { embedding, ...rest } = record;
  if (Object.keys(record.metadata).length > MOST_ATTRIBUTES - OWN_ATTRIBUTES)
    throw overLimit(record, `has more metadata than the ${MOST_ATTRIBUTES} attributes of a document of meilisearch`);
  writeLine(rest, bytes);
  if (embedding === undefined && !hasVectors) return;
  bytes.cut(bytes.length - '}\n'.length);
  bytes.ascii(`,"_vectors":{"${EMBEDDER}":`);
  if (embedding === undefined) {
    bytes.ascii('null');
  } else {
    bytes.ascii('[');
    bytes.floats(embedding);
    bytes.ascii(']');
  }
  bytes.ascii('}}\n');
}
