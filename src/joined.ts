/**
 * Two machines as one. A class, for its generators are made once: an engine gives each generator function a shape of its own in
 * memory that is swept rarely, and with it all that the function can reach. One for each document would keep them all for long.
 */
import type { Machine } from './types.js';

export class Joined<A, B, C> implements Machine<A, C> {
  readonly #first: Machine<A, B>;
  readonly #then: Machine<B, C>;

  constructor(first: Machine<A, B>, then: Machine<B, C>) {
    this.#first = first;
    this.#then = then;
  }

  push(input: A): Iterable<C> {
    const outputs = this.#first.push(input);
    // A segment that passes unchanged needs no iterator.
    return Array.isArray(outputs) && outputs.length === 1 ? this.#then.push(outputs[0] as B) : this.#each(outputs);
  }

  *#each(outputs: Iterable<B>): Iterable<C> {
    for (const output of outputs) {
      const results = this.#then.push(output);
      if (!Array.isArray(results) || results.length > 0) yield* results;
    }
  }

  *end(): Iterable<C> {
    for (const output of this.#first.end()) yield* this.#then.push(output);
    yield* this.#then.end();
  }
}
