/**
 * Pinecone: files for its bulk import. Documents, one a line, for a document index, whose schema names the fields of the text and
 * the vector; or the Parquet table of id, values and metadata of the older vector index, where the text is part of the metadata.
 * The files go into a folder named after the namespace. Limits: the vendor's pages of August 2026, with KB and MB as powers of ten.
 */
import type { Bytes } from '../bytes.js';
import { jsonOf } from '../escape.js';
import { freeKeys, writeMembers, writeOwn } from '../flat-metadata.js';
import { type ParquetColumn, parquetBody } from '../parquet-file.js';
import {
  type Encoder,
  type Limits,
  type MetadataRule,
  overLimit,
  rowsBody,
  type StoreOptions,
  type StoreRecord,
  type StoreSpec,
} from '../store.js';
import { isZero, nameProblems, textField, vectorField, vectorOf } from '../vectors.js';

const LAYOUTS = ['documents', 'vectors'] as const;
/** Of metadata, the own fields included. */
const MOST_METADATA = 40_000;
const FILE: Limits = { fileBytes: 10_000_000_000, dimensions: 20_000 };

const OTHER_FIELDS = new Set(['_id', 'context', 'source', 'index', 'start', 'end', 'tokens', 'record']);

export const pinecone: StoreSpec = {
  name: 'pinecone',
  summary: "documents for Pinecone's bulk import, or its table of vectors; a chunk's fields are metadata",
  options: [
    {
      name: 'pinecone-layout',
      type: 'choice',
      group: 'output',
      choices: LAYOUTS,
      summary: 'documents: lines for a document index; vectors: Parquet for the older vector index',
      defaultText: 'documents',
    },
    textField,
    vectorField,
  ],
  needs: 'vector',
  ending: '.jsonl',
  limits: { ...FILE, recordBytes: 2_000_000, textBytes: 100_000 },
  compress: ['gzip'],
  ids: { maxBytes: 512, words: 'any text' },
  metadata: ruleOf({}, 32_000),
  nul: 'keep',
  problems(options, spelling) {
    const problems = nameProblems({ textField: 'text', vectorField: 'values', ...options }, OTHER_FIELDS, spelling);
    if (options.pineconeLayout !== 'vectors' || options.vectorField === undefined) return problems;
    return [...problems, `${spelling(vectorField.name)} has no meaning with ${spelling('pinecone-layout')} vectors`];
  },
  encoder: (options) => (options.pineconeLayout === 'vectors' ? vectorsOf(options) : documentsOf(options)),
};

/** `most`: bytes of the chunk's metadata alone. */
function ruleOf({ textField: text = 'text', vectorField: vector = 'values' }: StoreOptions, most: number): MetadataRule {
  const free = freeKeys(text as string, vector as string);
  return {
    nulls: false,
    objects: false,
    lists: 'strings',
    keyName: (key) => free(key.replace(/^[$_]+/, '')),
    keyBytes: 64,
    totalBytes: most,
  };
}

/* ------------------------------------------------------------------ documents */

function documentsOf(options: StoreOptions): Encoder {
  const { textField: text = 'text', vectorField: vector = 'values' } = options;
  const beforeText = `,${jsonOf(text)}:`;
  const beforeVector = `,${jsonOf(vector)}:[`;
  return {
    metadata: ruleOf(options, 32_000),
    body: () =>
      rowsBody({
        row(record, bytes) {
          bytes.ascii('{"_id":');
          bytes.string(record.id);
          bytes.text(beforeText);
          bytes.string(record.text);
          bytes.text(beforeVector);
          bytes.floats(directed(record));
          bytes.ascii('],');
          const before = bytes.length;
          writeOwn(record, bytes);
          writeMembers(record, bytes);
          checkMetadata(record, bytes.length - before + 2);
          bytes.ascii('}\n');
        },
      }),
  };
}

/** Of `bytes`, the braces included. */
function checkMetadata(record: StoreRecord, bytes: number): void {
  if (bytes > MOST_METADATA)
    throw overLimit(record, `has ${bytes} bytes of metadata, its context and source included: pinecone takes ${MOST_METADATA}`);
}

function directed(record: StoreRecord): readonly number[] {
  const vector = vectorOf(record);
  if (isZero(vector)) throw overLimit(record, 'has an embedding of zeros only, which pinecone refuses');
  return vector;
}

/* ------------------------------------------------------------------ vectors */

function vectorsOf(options: StoreOptions): Encoder {
  const { textField: text = 'text' } = options;
  const head = `{${jsonOf(text)}:`;
  const written = (record: StoreRecord, bytes: Bytes) => {
    const before = bytes.length;
    bytes.text(head);
    bytes.string(record.text);
    bytes.ascii(',');
    writeOwn(record, bytes);
    writeMembers(record, bytes);
    bytes.ascii('}');
    checkMetadata(record, bytes.length - before);
  };
  const columns: readonly ParquetColumn[] = [
    { name: 'id', text: ({ id }) => id },
    { name: 'values', floats: directed },
    { name: 'metadata', written },
  ];
  return {
    body: () => parquetBody(() => columns, 'snappy'),
    ending: '.parquet',
    limits: FILE,
    metadata: ruleOf(options, 20_000),
    compress: [],
  };
}
