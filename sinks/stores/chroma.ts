/**
 * Chroma: each file is the body of one request to a collection's `upsert` (API v2), in columns. Embeddings are base64 of 32-bit
 * floats, a third of what their digits take, and more of them fit a request. The server's limits; Chroma Cloud's where asked for.
 */
import type { Bytes } from '../bytes.js';
import { freeKeys, writeMembers, writeOwn } from '../flat-metadata.js';
import {
  type Column,
  columnsBody,
  type Limits,
  type MetadataRule,
  overLimit,
  type StoreRecord,
  type StoreSpec,
} from '../store.js';
import { floatBase64, vectorOf, zeroVectors } from '../vectors.js';

/** 40 MiB a request; as many records as the server tells its clients to send. */
const SERVER: Limits = { fileRecords: 5461, fileBytes: 41_943_040 };
const CLOUD: Limits = { fileRecords: 300, fileBytes: 41_943_040, textBytes: 16_384, dimensions: 4096 };
const CLOUD_ID_BYTES = 128;
/** Keys of a record that the program's own fields may be. */
const OWN_KEYS = 7;
/**
 * Of one record: its SQLite has 32,766 variables for a statement, and takes six for each key and for the text. With more the
 * server 1.0.5 fails, and answers nothing more of that collection.
 */
const SERVER_KEYS = 5460;
const CLOUD_KEYS = { keyBytes: 36, valueBytes: 8182, keys: 32 - OWN_KEYS };

const free = freeKeys('chroma:document');

// Lists are refused by servers up to 1.0.5 at least.
const RULE: MetadataRule = {
  nulls: false,
  objects: false,
  lists: 'none',
  keys: SERVER_KEYS - OWN_KEYS,
  keyName: (key) => free(key.replace(/^[#$]+/, '')),
};

export const chroma: StoreSpec = {
  name: 'chroma',
  summary: "bodies for the upsert of a Chroma collection, each of one request; a chunk's fields are in its metadata",
  options: [
    {
      name: 'chroma-cloud',
      type: 'flag',
      group: 'output',
      summary: 'keep the limits of Chroma Cloud: 300 records a request, texts of 16,384 bytes, small metadata',
    },
  ],
  needs: 'vector',
  ending: '.json',
  limits: SERVER,
  compress: [],
  ids: { words: 'any text' },
  metadata: RULE,
  nul: 'keep',
  encoder({ chromaCloud }) {
    const isCloud = chromaCloud === true;
    const columns: readonly Column[] = [
      { head: '{"ids":[', value: (record, bytes) => bytes.string(isCloud ? cloudId(record) : record.id) },
      { head: '],\n"embeddings":[', value: (record, bytes) => bytes.ascii(`"${floatBase64(vectorOf(record))}"`) },
      { head: '],\n"documents":[', value: ({ text }, bytes) => bytes.string(text) },
      { head: '],\n"metadatas":[', value: writeMetadata },
    ];
    return {
      body: () => columnsBody(columns, ']}\n'),
      ...zeroVectors(),
      ...(isCloud ? { limits: CLOUD, metadata: { ...RULE, ...CLOUD_KEYS } } : {}),
    };
  },
};

function writeMetadata(record: StoreRecord, bytes: Bytes): void {
  bytes.ascii('{');
  writeOwn(record, bytes);
  writeMembers(record, bytes);
  bytes.ascii('}');
}

/** What the rules of metadata do not reach. */
function cloudId(record: StoreRecord): string {
  const { id, context = '', source } = record;
  if (Buffer.byteLength(id) > CLOUD_ID_BYTES)
    throw overLimit(record, `has an id of more than the ${CLOUD_ID_BYTES} bytes that Chroma Cloud takes`);
  for (const value of [context, source])
    if (Buffer.byteLength(value) > CLOUD_KEYS.valueBytes)
      throw overLimit(record, `has a context or source of more than the ${CLOUD_KEYS.valueBytes} bytes that Chroma Cloud takes`);
  return id;
}
