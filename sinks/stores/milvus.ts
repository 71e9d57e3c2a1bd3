/**
 * Milvus and Zilliz Cloud: files for their bulk import, with a field for each key of the chunk line, to be named like the
 * collection's: `.jsonl` (Zilliz Cloud, Milvus 3), `.json` (one list of rows: any Milvus) or Parquet, where JSON fields are text.
 * A chunk without a context has an empty one, since fields there are rarely nullable.
 */
import type { Bytes } from '../bytes.js';
import { jsonOf } from '../escape.js';
import { type ParquetColumn, parquetBody } from '../parquet-file.js';
import { rowsBody, type StoreOptions, type StoreRecord, type StoreSpec } from '../store.js';
import { nameProblems, textField, vectorField, vectorOf, zeroVectors } from '../vectors.js';

const OTHER_FIELDS = new Set(['id', 'context', 'source', 'index', 'start', 'end', 'tokens', 'record', 'metadata']);
/** Of a VARCHAR field, and of a JSON field. */
const VARCHAR_BYTES = 65_535;
const JSON_BYTES = 65_536;
const FORMATS = ['jsonl', 'json', 'parquet'] as const;

export const milvus: StoreSpec = {
  name: 'milvus',
  summary: "rows for the bulk import of Milvus and Zilliz Cloud, with fields named like the chunk's keys",
  options: [
    {
      name: 'milvus-format',
      type: 'choice',
      group: 'output',
      choices: FORMATS,
      summary: 'jsonl: lines; json: one list of rows, for Milvus 2; parquet: the smallest',
      defaultText: 'jsonl',
    },
    textField,
    vectorField,
  ],
  needs: 'vector',
  ending: '.jsonl',
  limits: { fileBytes: 16_000_000_000, textBytes: VARCHAR_BYTES, dimensions: 32_768 },
  compress: [],
  ids: { maxBytes: VARCHAR_BYTES, words: 'any text' },
  metadata: { totalBytes: JSON_BYTES },
  nul: 'keep',
  problems: (options, spelling) => nameProblems({ textField: 'text', vectorField: 'vector', ...options }, OTHER_FIELDS, spelling),
  encoder(options) {
    const { milvusFormat: format = 'jsonl' } = options;
    const zeros = zeroVectors();
    if (format === 'parquet') {
      const columns = columnsOf(options);
      return { body: () => parquetBody(() => columns, 'snappy'), ending: '.parquet', ...zeros };
    }
    const row = rowOf(options);
    if (format === 'json')
      return { body: () => rowsBody({ head: '[\n', between: ',\n', tail: '\n]\n', row }), ending: '.json', ...zeros };
    const line = (record: StoreRecord, bytes: Bytes) => {
      row(record, bytes);
      bytes.ascii('\n');
    };
    return { body: () => rowsBody({ row: line }), ...zeros };
  },
};

function columnsOf({ textField: text = 'text', vectorField: vector = 'vector' }: StoreOptions): readonly ParquetColumn[] {
  return [
    { name: 'id', text: ({ id }) => id },
    { name: vector as string, floats: vectorOf },
    { name: text as string, text: (record) => record.text },
    { name: 'context', text: ({ context = '' }) => context },
    { name: 'source', text: ({ source }) => source },
    { name: 'index', whole: ({ index }) => index },
    { name: 'start', whole: ({ start }) => start },
    { name: 'end', whole: ({ end }) => end },
    { name: 'tokens', someWhole: ({ tokens }) => tokens },
    { name: 'record', written: ({ record = {} }, bytes) => bytes.json(record) },
    { name: 'metadata', written: ({ metadata }, bytes) => bytes.json(metadata) },
  ];
}

function rowOf({ textField: text = 'text', vectorField: vector = 'vector' }: StoreOptions) {
  const beforeVector = `,${jsonOf(vector)}:[`;
  const beforeText = `],${jsonOf(text)}:`;
  return (record: StoreRecord, bytes: Bytes): void => {
    bytes.ascii('{"id":');
    bytes.string(record.id);
    bytes.text(beforeVector);
    bytes.floats(vectorOf(record));
    bytes.text(beforeText);
    bytes.string(record.text);
    bytes.ascii(',"context":');
    bytes.string(record.context ?? '');
    bytes.ascii(',"source":');
    bytes.string(record.source);
    bytes.ascii(`,"index":${record.index},"start":${record.start},"end":${record.end}`);
    if (record.tokens !== undefined) bytes.ascii(`,"tokens":${record.tokens}`);
    bytes.ascii(',"record":');
    bytes.json(record.record ?? {});
    bytes.ascii(',"metadata":');
    bytes.json(record.metadata);
    bytes.ascii('}');
  };
}
