/**
 * One origin of a run while its bytes arrive: its flow, its digest, its counts, and the receipt they make.
 */
import type { Engine } from './engine.js';
import type { Flow } from './flow.js';
import type { SourceReceipt } from './manifest.js';
import type { Chunk, Origin } from './types.js';
import type { Hash } from './world.js';

export class Reading {
  readonly origin: Origin;
  readonly #flow: Flow;
  readonly #hash: Hash;
  readonly #counted: boolean;
  #invalid = 0;
  #chunks = 0;
  #tokens = 0;

  constructor(origin: Origin, engine: Engine, hash: Hash) {
    this.origin = origin;
    this.#hash = hash;
    this.#counted = engine.tokens !== undefined;
    this.#flow = engine.flow(origin, () => this.#invalid++);
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
      sha256: this.#hash.digest(),
      charset: this.#flow.charset,
      documents: this.#flow.documents,
      chunks: this.#chunks,
      ...(this.#counted ? { tokens: this.#tokens } : {}),
      invalid: this.#invalid,
      coverage: this.#flow.coverage,
    };
  }
}
