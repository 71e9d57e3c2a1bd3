/** What the package exports. */
export { type ErrorKind, EXIT_CODES, IngestError } from './errors.js';
export type { Coverage } from './flow.js';
export type { HistogramBar } from './histogram.js';
export { chunkStream, chunks, type Input, jsonl, normaliseStream, run, textStream, verify } from './library.js';
export type { Manifest, SourceReceipt, Totals } from './manifest.js';
export { duplex, stage, writable } from './pipeline.js';
export type { Progress, RunHooks, Summary } from './run.js';
export type { ChunkOptions, RunOptions, Unit } from './settings.js';
export { loadCounter } from './tokens/index.js';
export type * from './types.js';
export type { Verdict, VerifyOptions } from './verify.js';
