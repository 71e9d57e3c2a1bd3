/**
 * The `text` splitter: a whole origin is one document. It takes off the charset signature and decodes; nothing else.
 */
import { decoder, type OnInvalid, SIGNATURE_BYTES, signatureOf } from '../src/decode.js';
import type { Charset, Doc, Item, Machine, Origin, Segment } from '../src/types.js';

export interface TextOptions {
  /** `auto`: what the signature says, else UTF-8. */
  readonly encoding: 'auto' | Charset;
  readonly onInvalid: OnInvalid;
}

export function text(origin: Origin, options: TextOptions): Machine<Uint8Array, Item> {
  return new WholeText(origin, options);
}

class WholeText implements Machine<Uint8Array, Item> {
  readonly #origin: Origin;
  readonly #options: TextOptions;
  /** Bytes held until the signature is decided, at most SIGNATURE_BYTES - 1. */
  #head: Uint8Array = new Uint8Array(0);
  #doc: Doc | undefined;
  #decoder: Machine<Uint8Array, Segment> | undefined;

  constructor(origin: Origin, options: TextOptions) {
    this.#origin = origin;
    this.#options = options;
  }

  *push(input: Uint8Array): Iterable<Item> {
    if (this.#decoder !== undefined) {
      yield* this.#decoder.push(input);
      return;
    }
    const head = new Uint8Array(this.#head.length + input.length);
    head.set(this.#head);
    head.set(input, this.#head.length);
    this.#head = head;
    if (head.length >= SIGNATURE_BYTES) yield* this.#open();
  }

  *end(): Iterable<Item> {
    if (this.#decoder === undefined) yield* this.#open();
    yield* this.#decoder!.end();
    yield { close: this.#doc! };
  }

  *#open(): Iterable<Item> {
    const { charset, bytes } = signatureOf(this.#head, this.#options.encoding);
    this.#doc = { origin: this.#origin, charset, signature: bytes, metadata: {} };
    this.#decoder = decoder(charset, bytes, this.#options.onInvalid);
    yield { open: this.#doc };
    yield* this.#decoder.push(this.#head.subarray(bytes));
    this.#head = new Uint8Array(0);
  }
}
