/** What the package exports. */

export type { ChunkOptions, RunOptions, Unit } from './chunk-options.js';
export type { Coverage } from './coverage.js';
export { type ErrorKind, EXIT_CODES, IngestError } from './errors.js';
export type { HistogramBar } from './histogram.js';
export {
  type CsvSplitOptions,
  chunkStream,
  chunks,
  csv,
  type Input,
  type JsonlSplitOptions,
  type JsonSplitOptions,
  json,
  jsonl,
  jsonlRecords,
  normaliseStream,
  query,
  run,
  type SplitOptions,
  type StoreChoices,
  store,
  textStream,
  tsv,
  verify,
  type XmlSplitOptions,
  xml,
} from './library.js';
export type { Manifest, SourceReceipt, Totals } from './manifest.js';
export { duplex, stage, writable } from './pipeline.js';
export type { QueryHooks, QueryOptions, QueryResult } from './query.js';
export { type Ranked, type RankOptions, rank } from './rank.js';
export type { CutFunction } from './registry.js';
export type { JobOptions, Progress, RunHooks, Summary } from './run.js';
export { loadCounter } from './tokens/index.js';
export type * from './types.js';
export type { Verdict, VerifyOptions } from './verify.js';
