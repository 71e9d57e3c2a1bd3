/**
 * The `text` splitter: a whole origin is one document. It takes off the charset signature and decodes; nothing else.
 */
import { HeadedDecoder, type OnInvalid } from '../src/decode.js';
import type { Charset, Doc, Head, Item, Origin, Segment, Splitting } from '../src/types.js';

export interface TextOptions {
  /** `auto`: what the signature says, else UTF-8. */
  readonly encoding: 'auto' | Charset;
  readonly onInvalid: OnInvalid;
}

export function text(origin: Origin, options: TextOptions): Splitting {
  return new WholeText(origin, options);
}

class WholeText implements Splitting {
  readonly #origin: Origin;
  readonly #decoder: HeadedDecoder;
  #doc: Doc | undefined;

  constructor(origin: Origin, { encoding, onInvalid }: TextOptions) {
    this.#origin = origin;
    this.#decoder = new HeadedDecoder(encoding, onInvalid);
  }

  get head(): Head | undefined {
    return this.#decoder.head;
  }

  push(input: Uint8Array): Iterable<Item> {
    return this.#doc === undefined ? this.#opened(this.#decoder.push(input)) : this.#decoder.push(input);
  }

  *end(): Iterable<Item> {
    yield* this.#opened(this.#decoder.end());
    yield* this.#open();
    yield { close: this.#doc! };
  }

  *#opened(segments: Iterable<Segment>): Iterable<Item> {
    for (const segment of segments) {
      yield* this.#open();
      yield segment;
    }
  }

  /** Once. */
  *#open(): Iterable<Item> {
    if (this.#doc !== undefined) return;
    const { charset } = this.head!;
    this.#doc = { origin: this.#origin, charset, metadata: {} };
    yield { open: this.#doc };
  }
}
