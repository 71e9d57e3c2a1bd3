/**
 * One origin's way from bytes to chunks: splitter, then for each document its transforms and its chunker, then names. Keeps
 * the receipt that accounts for every byte. Pure and synchronous like all that it joins; knows no streams.
 */
import { Identifier, type Sha1 } from './identity.js';
import type {
  Charset,
  Chunk,
  Chunker,
  Doc,
  DropReason,
  Gap,
  Item,
  Machine,
  Origin,
  Piece,
  Report,
  Segment,
  Splitter,
  Transform,
} from './types.js';

export interface Parts {
  readonly splitter: Splitter;
  readonly transforms: readonly Transform[];
  readonly chunker: Chunker;
  readonly sha1: Sha1;
}

/** Where an origin's bytes went: `inChunks` and the drops add up to `bytes`. Bytes in two chunks (overlap) count once. */
export interface Coverage {
  readonly bytes: number;
  readonly inChunks: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
}

export class Flow implements Machine<Uint8Array, Chunk> {
  readonly #parts: Parts;
  readonly #splitter: Machine<Uint8Array, Item>;
  readonly #identifier: Identifier;
  readonly #source: string;
  #document: OpenDocument | undefined;
  #documents = 0;
  #charset: Charset = 'utf-8';
  #bytes = 0;
  /** Everything before this byte is accounted for. */
  #accounted = 0;
  /** Why bytes before the next piece are in none, unless it says so itself. */
  #gap: DropReason = 'blank';
  #inChunks = 0;
  readonly #dropped: Record<DropReason, number> = { signature: 0, blank: 0, separator: 0 };

  constructor(origin: Origin, parts: Parts, report: Report) {
    this.#parts = parts;
    this.#source = origin.uri;
    this.#splitter = parts.splitter(origin, report);
    this.#identifier = new Identifier(origin.uri, parts.sha1);
  }

  /** Complete after `end`. */
  get coverage(): Coverage {
    return { bytes: this.#bytes, inChunks: this.#inChunks, dropped: { ...this.#dropped } };
  }

  /** Of the last document opened. */
  get charset(): Charset {
    return this.#charset;
  }

  get documents(): number {
    return this.#documents;
  }

  *push(input: Uint8Array): Iterable<Chunk> {
    this.#bytes += input.length;
    for (const item of this.#splitter.push(input)) yield* this.take(item);
  }

  *end(): Iterable<Chunk> {
    for (const item of this.#splitter.end()) yield* this.take(item);
    this.#drop(this.#bytes, this.#gap);
  }

  /** For items that come from a splitter elsewhere, in place of `push`; the coverage then knows no bytes. */
  *take(item: Item): Iterable<Chunk> {
    if ('open' in item) {
      this.#open(item.open);
      return;
    }
    const document = this.#document!;
    for (const output of 'text' in item ? document.push(item) : document.end()) {
      if ('text' in output) yield this.#deliver(output);
      else this.#gap = output.gap;
    }
    if ('close' in item) this.#document = undefined;
  }

  #open(doc: Doc): void {
    this.#documents++;
    this.#charset = doc.charset;
    this.#document = new OpenDocument(doc, this.#parts);
    this.#drop(this.#accounted + (doc.signature ?? 0), 'signature');
  }

  #deliver(piece: Piece): Chunk {
    this.#account(piece);
    const { doc } = this.#document!;
    return {
      id: this.#identifier.idOf(piece, doc.field),
      source: this.#source,
      index: this.#document!.index++,
      start: piece.start,
      end: piece.end,
      ...(piece.tokens === undefined ? {} : { tokens: piece.tokens }),
      ...(piece.context === undefined ? {} : { context: piece.context }),
      ...(doc.record === undefined ? {} : { record: doc.record }),
      metadata: piece.metadata === undefined ? doc.metadata : { ...doc.metadata, ...piece.metadata },
      text: piece.text,
    };
  }

  #account(piece: Piece): void {
    this.#drop(piece.start, piece.gap ?? this.#gap);
    this.#gap = 'blank';
    this.#inChunks += Math.max(0, piece.end - this.#accounted);
    this.#accounted = Math.max(this.#accounted, piece.end);
  }

  #drop(to: number, reason: DropReason): void {
    if (to <= this.#accounted) return;
    this.#dropped[reason] += to - this.#accounted;
    this.#accounted = to;
  }
}

/** A document between its opening and its end: its own transforms and chunker, and the number of the next chunk. */
class OpenDocument implements Machine<Segment, Piece | Gap> {
  readonly doc: Doc;
  index = 0;
  readonly #machine: Machine<Segment, Piece | Gap>;

  constructor(doc: Doc, parts: Parts) {
    this.doc = doc;
    this.#machine = parts.transforms.reduceRight<Machine<Segment, Piece | Gap>>(
      (after, transform) => joined(transform(doc), after),
      parts.chunker(doc),
    );
  }

  push(segment: Segment): Iterable<Piece | Gap> {
    return this.#machine.push(segment);
  }

  end(): Iterable<Piece | Gap> {
    return this.#machine.end();
  }
}

/** Two machines as one. */
function joined<A, B, C>(first: Machine<A, B>, then: Machine<B, C>): Machine<A, C> {
  return {
    *push(input) {
      for (const output of first.push(input)) {
        // Most pushes give nothing, and say so with an empty array: not even an iterator is made for them.
        const results = then.push(output);
        if (!Array.isArray(results) || results.length > 0) yield* results;
      }
    },
    *end() {
      for (const output of first.end()) yield* then.push(output);
      yield* then.end();
    },
  };
}
