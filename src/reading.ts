/**
 * One origin of a run while its bytes arrive: its flow, its digest, its counts, and the receipt they make.
 */
import { type Engine, formatOf } from './engine.js';
import type { Flow } from './flow.js';
import type { SourceReceipt } from './manifest.js';
import { type ByteRange, wantedIn } from './only.js';
import type { ChunkSettings } from './settings.js';
import type { Chunk, Origin, Report } from './types.js';
import type { Hash } from './world.js';

export interface Readers {
  readonly engine: Engine;
  readonly settings: ChunkSettings;
  /** Told of each faulty record; throws to stop at it. */
  readonly report: Report;
}

export class Reading {
  readonly origin: Origin;
  readonly #flow: Flow;
  readonly #hash: Hash;
  readonly #counted: boolean;
  readonly #format: string;
  readonly #only: readonly ByteRange[] | undefined;
  #invalid = 0;
  #chunks = 0;
  #tokens = 0;

  /** `only`: where the records begin that are wanted; absent: everywhere. */
  constructor(origin: Origin, { engine, settings, report }: Readers, hash: Hash, only?: readonly ByteRange[]) {
    this.origin = origin;
    this.#hash = hash;
    this.#counted = engine.tokens !== undefined;
    this.#format = formatOf(origin, settings).name;
    this.#only = only;
    const wanted = only === undefined ? {} : { wanted: wantedIn(only) };
    this.#flow = engine.flow(origin, { onInvalid: () => this.#invalid++, ...wanted }, report);
  }

  push(bytes: Uint8Array): Iterable<Chunk> {
    this.#hash.update(bytes);
    return this.#flow.push(bytes);
  }

  end(): Iterable<Chunk> {
    return this.#flow.end();
  }

  note(chunk: Chunk): void {
    this.#chunks++;
    this.#tokens += chunk.tokens ?? 0;
  }

  receipt(): SourceReceipt {
    return {
      source: this.origin.uri,
      ...(this.origin.compression === undefined ? {} : { compression: this.origin.compression }),
      sha256: this.#hash.digest(),
      charset: this.#flow.charset,
      format: this.#format,
      documents: this.#flow.documents,
      chunks: this.#chunks,
      ...(this.#counted ? { tokens: this.#tokens } : {}),
      rejected: this.#flow.rejected,
      invalid: this.#invalid,
      ...(this.#only === undefined ? {} : { only: this.#only }),
      coverage: this.#flow.coverage,
    };
  }
}
