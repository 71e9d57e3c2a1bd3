/**
 * The table of sinks: where chunks can go, by the name given to `--to`. Adding a sink is one file, one row here, one test.
 */
import type { Spec } from '../src/spec.js';
import type { Sink } from '../src/types.js';
import type { Output } from '../src/world.js';
import { type BatchRequest, batchSink } from './batch.js';
import type { FieldMap } from './fields.js';
import { linesSink, linesStore } from './lines.js';
import type { StoreOptions, StoreSpec } from './store.js';
import { factLines } from './store-facts.js';
import { azureSearch } from './stores/azure-search.js';
import { chroma } from './stores/chroma.js';
import { csv } from './stores/csv.js';
import { elasticsearch, opensearch } from './stores/elasticsearch.js';
import { meilisearch } from './stores/meilisearch.js';
import { milvus } from './stores/milvus.js';
import { openaiBatch } from './stores/openai-batch.js';
import { parquet } from './stores/parquet.js';
import { pgvector } from './stores/pgvector.js';
import { pinecone } from './stores/pinecone.js';
import { qdrant } from './stores/qdrant.js';
import { typesense } from './stores/typesense.js';
import { weaviate } from './stores/weaviate.js';

/** In the order in which help shows them. */
const stores: readonly StoreSpec[] = [
  openaiBatch,
  pgvector,
  typesense,
  meilisearch,
  azureSearch,
  weaviate,
  elasticsearch,
  opensearch,
  csv,
  parquet,
  chroma,
  qdrant,
  pinecone,
  milvus,
];

export interface SinkSpec extends Spec {
  /** Absent: it writes lines of chunks. */
  readonly store?: StoreSpec;
  /** Of files that are numbered: what their names end with, not compressed. `path`: what they are named after. */
  ending(path: string, options: StoreOptions): Promise<string>;
  /** Makes a sink that is not open yet. */
  create(request: SinkRequest): Sink;
}

export interface SinkRequest extends Omit<BatchRequest, 'path'> {
  /** As given to `--out`; absent: stdout. */
  readonly path?: string;
  /** Whether files are numbered; those of stores always are. */
  readonly rolls?: boolean;
  /** Of lines: what they hold in place of chunks. */
  readonly fields?: FieldMap;
  readonly stdout: Output;
}

export const sinks: readonly SinkSpec[] = [
  { name: 'jsonl', summary: 'one JSON object a line', ending: linesEnding, create: lines },
  { name: 'ndjson', summary: 'the same under its other name', ending: linesEnding, create: lines },
  ...stores.map(storeSink),
];

async function linesEnding(path: string): Promise<string> {
  return linesStore(path).ending;
}

function lines(request: SinkRequest): Sink {
  const { path, fields, rolls = false } = request;
  return rolls ? batchSink(linesStore(path!, fields), { ...request, path: path! }) : linesSink(request);
}

function storeSink(store: StoreSpec): SinkSpec {
  const { name, summary, options = [] } = store;
  return {
    ...{ name, summary, options, store, facts: factLines(store) },
    ending: async (_, given) => (await store.encoder(given)).ending ?? store.ending,
    create: (request) => batchSink(store, { ...request, path: request.path! }),
  };
}
