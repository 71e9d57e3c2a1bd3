/**
 * Parquet for datasets, DuckDB, LanceDB and whatever reads tables: a column for each key of the chunk line. Metadata and the
 * record are JSON text, since their shapes differ; an embedding is a list of 32-bit floats, and the column is there when the
 * run's chunks have one. All files of a run have the same columns. Pages are compressed, so the files as a whole need not be.
 */
import { jsonOf } from '../escape.js';
import { type ParquetColumn, parquetBody } from '../parquet-file.js';
import type { StoreSpec } from '../store.js';
import { vectorOf } from '../vectors.js';

const COLUMNS: readonly ParquetColumn[] = [
  { name: 'id', text: ({ id }) => id },
  { name: 'source', text: ({ source }) => source },
  { name: 'index', whole: ({ index }) => index },
  { name: 'start', whole: ({ start }) => start },
  { name: 'end', whole: ({ end }) => end },
  { name: 'tokens', someWhole: ({ tokens }) => tokens },
  { name: 'context', someText: ({ context }) => context },
  { name: 'record', someText: ({ record }) => (record === undefined ? undefined : jsonOf(record)) },
  { name: 'metadata', written: ({ metadata }, bytes) => bytes.json(metadata) },
  { name: 'text', text: ({ text }) => text },
];

const CODECS = ['snappy', 'none'] as const;

export const parquet: StoreSpec = {
  name: 'parquet',
  summary: 'tables with a column for each key of a chunk; metadata is JSON text, an embedding a list of 32-bit floats',
  options: [
    {
      name: 'parquet-codec',
      type: 'choice',
      group: 'output',
      choices: CODECS,
      summary: 'how pages are compressed; embeddings are not, since nothing comes of it',
      defaultText: 'snappy',
    },
  ],
  needs: 'text',
  ending: '.parquet',
  limits: {},
  compress: [],
  nul: 'keep',
  encoder({ parquetCodec: codec = 'snappy' }) {
    const withEmbedding: readonly ParquetColumn[] = [...COLUMNS, { name: 'embedding', floats: vectorOf }];
    let columns: readonly ParquetColumn[] | undefined;
    return {
      body: () =>
        parquetBody(
          (first) => (columns ??= first?.embedding === undefined ? COLUMNS : withEmbedding),
          codec === 'none' ? 'none' : 'snappy',
        ),
    };
  },
};
