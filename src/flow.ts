/**
 * One origin's way from bytes to chunks: splitter, then for each document its transforms and its chunker, then names. Keeps
 * the receipt that accounts for every byte. Pure and synchronous like all that it joins; knows no streams.
 */
import { Accounts, type Coverage } from './coverage.js';
import { Identifier, type Sha1 } from './identity.js';
import { Joined } from './joined.js';
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
  RecordRef,
  Report,
  Segment,
  Splitter,
  Splitting,
  Transform,
} from './types.js';

export interface Parts {
  readonly splitter: Splitter;
  readonly transforms: readonly Transform[];
  readonly chunker: Chunker;
  readonly sha1: Sha1;
}

const NOTHING: readonly never[] = [];

export class Flow implements Machine<Uint8Array, Chunk> {
  readonly #parts: Parts;
  readonly #splitter: Splitting;
  readonly #identifier: Identifier;
  readonly #source: string;
  #document: OpenDocument | undefined;
  readonly #accounts: Accounts;
  #documents = 0;
  #bytes = 0;
  /** Why bytes before the next piece are in none, unless it says so itself. */
  #gap: DropReason = 'blank';

  constructor(origin: Origin, parts: Parts, report: Report) {
    this.#parts = parts;
    this.#source = origin.uri;
    this.#splitter = parts.splitter(origin, (error) => {
      report(error);
      this.#accounts.reject(error);
    });
    this.#accounts = new Accounts(() => this.#splitter.head?.bytes ?? 0);
    this.#identifier = new Identifier(origin.uri, parts.sha1);
  }

  /** Complete after `end`. */
  get coverage(): Coverage {
    const { inChunks, dropped } = this.#accounts;
    return { bytes: this.#bytes, inChunks, dropped: { ...dropped } };
  }

  /** Known after `end`. */
  get charset(): Charset {
    return this.#splitter.head?.charset ?? 'utf-8';
  }

  get documents(): number {
    return this.#documents;
  }

  /** Records that were reported as faulty. */
  get rejected(): number {
    return this.#accounts.rejected;
  }

  *push(input: Uint8Array): Iterable<Chunk> {
    this.#bytes += input.length;
    for (const item of this.#splitter.push(input)) {
      const chunks = this.take(item);
      if (chunks !== NOTHING) yield* chunks;
    }
  }

  *end(): Iterable<Chunk> {
    for (const item of this.#splitter.end()) yield* this.take(item);
    this.#accounts.skip(this.#bytes);
  }

  /** For items that come from a splitter elsewhere, in place of `push`; the coverage then knows no bytes. */
  take(item: Item): Iterable<Chunk> {
    if ('open' in item) {
      this.#open(item.open);
      return NOTHING;
    }
    const document = this.#document!;
    if ('close' in item) return this.#finished(document);
    if (document.end === 0) this.#accounts.skip(item.start);
    document.end = item.end;
    const outputs = document.push(item);
    // Most segments give nothing, and say so with an empty array.
    return Array.isArray(outputs) && outputs.length === 0 ? NOTHING : this.#delivered(outputs);
  }

  *#finished(document: OpenDocument): Iterable<Chunk> {
    yield* this.#delivered(document.finish());
    this.#close(document);
  }

  *#delivered(outputs: Iterable<Piece | Gap>): Iterable<Chunk> {
    for (const output of outputs) {
      if ('text' in output) yield this.#deliver(output);
      else this.#gap = output.gap;
    }
  }

  #close(document: OpenDocument): void {
    this.#accounts.drop(document.end, this.#gap);
    this.#gap = 'blank';
    this.#document = undefined;
  }

  #open(doc: Doc): void {
    this.#documents++;
    this.#document = new OpenDocument(doc, this.#parts);
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
      ...this.#document!.recordOf(piece),
      metadata: piece.metadata === undefined ? doc.metadata : { ...doc.metadata, ...piece.metadata },
      text: piece.text,
    };
  }

  #account(piece: Piece): void {
    this.#accounts.drop(piece.start, piece.gap ?? this.#gap);
    this.#accounts.chunk(piece.end);
    this.#gap = 'blank';
  }
}

/** A document between its opening and its end: its own transforms and chunker, and the number of the next chunk. */
class OpenDocument {
  readonly doc: Doc;
  index = 0;
  /** Where its last segment ended. */
  end = 0;
  readonly #machine: Machine<Segment, Piece | Gap>;
  readonly #record: { readonly record?: RecordRef };

  constructor(doc: Doc, parts: Parts) {
    this.doc = doc;
    this.#record = recordOf(doc.record, doc);
    this.#machine = parts.transforms.reduceRight<Machine<Segment, Piece | Gap>>(
      (after, transform) => new Joined(transform(doc), after),
      parts.chunker(doc),
    );
  }

  push(segment: Segment): Iterable<Piece | Gap> {
    return this.#machine.push(segment);
  }

  recordOf({ record }: Piece): { readonly record?: RecordRef } {
    return record === undefined ? this.#record : recordOf(record, this.doc);
  }

  finish(): Iterable<Piece | Gap> {
    return this.#machine.end();
  }
}

const NO_RECORD = {};

/** A chunk's record: the document's or the piece's own, and the field. */
function recordOf(record: RecordRef | undefined, { field }: Doc): { readonly record?: RecordRef } {
  if (record === undefined) return NO_RECORD;
  return { record: field === undefined || record.field === field ? record : { ...record, field } };
}
