/**
 * The proof of one source's chunks: the source is split again beside them, so that each chunk is found to belong to the next
 * document that there is text of, and all that is in no chunk to be what the receipt says.
 */
import type { ByteReader } from './blocks.js';
import { Accounts } from './coverage.js';
import { SIGNATURE_BYTES, signatureOf } from './decode.js';
import { DocumentProof, type Terms } from './document-proof.js';
import { formatOf, splitterOf, whitespaceOf } from './engine.js';
import { IngestError } from './errors.js';
import { Identifier } from './identity.js';
import type { SourceReceipt } from './manifest.js';
import { wantedIn } from './only.js';
import type { FormatSpec } from './registry.js';
import { Replay, type Replayed } from './replay.js';
import type { Chunk, Doc, Head, Segment } from './types.js';
import type { World } from './world.js';

/** What is wrong with the chunks; not an error of ours. */
export class Fault extends Error {}

/** The chunks of one source, in order. */
export class SourceProof {
  readonly receipt: SourceReceipt;
  readonly #reader: ByteReader;
  readonly #terms: Terms;
  readonly #format: FormatSpec;
  readonly #identifier: Identifier;
  readonly #fail: (what: string) => never;
  readonly #changed: boolean;
  readonly #head: Head;
  readonly #replay: Replay;
  #document: DocumentProof | undefined;
  readonly #accounts = new Accounts(() => this.#head.bytes);
  #lastStart = -1;
  #documents = 0;
  #chunks = 0;
  #tokens = 0;
  #invalid = 0;

  private constructor(
    receipt: SourceReceipt,
    reader: ByteReader,
    terms: Terms,
    world: World,
    fail: (what: string) => never,
    changed: boolean,
    head: Head,
  ) {
    this.receipt = receipt;
    this.#reader = reader;
    this.#terms = terms;
    this.#identifier = new Identifier(receipt.source, world.sha1);
    this.#changed = changed;
    this.#fail = (what) => fail(changed ? `${what} (${receipt.source} has changed since the run)` : what);
    this.#head = head;
    const origin = { uri: receipt.source };
    this.#format = formatOf(origin, terms.settings);
    const hooks = { onInvalid: () => this.#invalid++, ...(receipt.only === undefined ? {} : { wanted: wantedIn(receipt.only) }) };
    const splitter = splitterOf(this.#format, terms.settings, hooks);
    this.#replay = new Replay(reader, (report) => splitter(origin, report));
  }

  static async open(
    receipt: SourceReceipt,
    reader: ByteReader,
    terms: Terms,
    world: World,
    fail: (what: string) => never,
  ): Promise<SourceProof> {
    try {
      const changed = reader.bytes !== receipt.coverage.bytes || (await reader.sha256()) !== receipt.sha256;
      const head = await headOf(reader, terms);
      if (head.charset !== receipt.charset) throw new Fault(`${receipt.source}: its encoding is not ${receipt.charset}`);
      return new SourceProof(receipt, reader, terms, world, fail, changed, head);
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  get done(): number {
    return this.#accounts.upTo;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async prove(chunk: Chunk): Promise<void> {
    const { start, end, text } = chunk;
    const inOrder = start > this.#lastStart && start < end && end <= this.#reader.bytes;
    const document = inOrder ? await this.#documentAt(start) : undefined;
    if (document === undefined || end <= this.#accounts.upTo)
      this.#fail(`its range [${start}, ${end}) does not follow what is before it, which ends at ${this.#accounts.upTo}`);
    await document.prove(chunk);
    const id = this.#identifier.idOf({ text, start }, document.doc.field);
    if (chunk.id !== id) this.#fail(`its id should be ${id}`);
    this.#accounts.chunk(end);
    this.#lastStart = start;
    this.#chunks++;
    this.#tokens += chunk.tokens ?? 0;
  }

  /** After the last chunk: the rest of the source, and the receipt as a whole. */
  async finish(): Promise<void> {
    const { receipt } = this;
    if (this.#document !== undefined) await this.#pass(this.#document, Number.POSITIVE_INFINITY);
    for (let more = await this.#open(); more !== undefined; more = await this.#open()) {
      await this.#pass(more, Number.POSITIVE_INFINITY);
    }
    this.#accounts.skip(this.#reader.bytes);
    this.#compare(receipt, {
      format: this.#format.name,
      documents: this.#documents,
      chunks: this.#chunks,
      tokens: receipt.tokens === undefined ? undefined : this.#tokens,
      rejected: this.#accounts.rejected,
      invalid: this.#invalid,
    });
    this.#compare(receipt.coverage, { bytes: this.#reader.bytes, inChunks: this.#accounts.inChunks });
    this.#compare(receipt.coverage.dropped, this.#accounts.dropped);
    if (this.#changed) throw new Fault(`${receipt.source} has changed since the run, though every chunk of it still holds`);
  }

  #compare<Part extends object>(said: Part, found: { readonly [key in keyof Part]?: unknown }): void {
    for (const [what, value] of Object.entries(found)) {
      const claim = said[what as keyof Part];
      if (claim !== value) throw new Fault(`${this.receipt.source}: the receipt says ${what} ${claim}, but it is ${value}`);
    }
  }

  /** The document that has text at this byte; what is in no chunk before it is proved to show nothing. */
  async #documentAt(byte: number): Promise<DocumentProof | undefined> {
    for (;;) {
      this.#document ??= await this.#open();
      if (this.#document === undefined) return undefined;
      await this.#pass(this.#document, byte);
      if (await this.#document.reaches(byte + 1)) return this.#document;
      this.#document = undefined;
    }
  }

  async #pass(document: DocumentProof, to: number): Promise<void> {
    const shows = await document.passes(to);
    const isTail = shows && this.#terms.licence.dropsTail && !(await document.reaches(to + 1));
    this.#accounts.drop(Math.min(to, document.end), isTail ? 'tail' : shows ? 'separator' : 'blank');
  }

  /** The next document that has text; undefined: there is none. */
  async #open(): Promise<DocumentProof | undefined> {
    for (let item = await this.#next(); item !== undefined; item = await this.#next()) {
      if ('rejected' in item) this.#accounts.reject(item.rejected);
      if (!('open' in item)) continue;
      this.#documents++;
      const document = this.#proofOf(item.open);
      const start = await document.begins();
      if (start === undefined) continue;
      this.#accounts.skip(start);
      return document;
    }
    return undefined;
  }

  #proofOf(doc: Doc): DocumentProof {
    const { settings } = this.#terms;
    return new DocumentProof(doc, {
      reader: this.#reader,
      terms: this.#terms,
      whitespace: whitespaceOf(doc, this.#format, settings),
      unescape: (raw) => this.#format.unescape?.(raw, settings.records.quote),
      mayDrop: this.receipt.coverage.dropped.separator > 0 || this.#terms.licence.dropsTail,
      fail: this.#fail,
      more: () => this.#segment(),
    });
  }

  /** The next of the open document; undefined: it is over. */
  async #segment(): Promise<Segment | undefined> {
    for (;;) {
      const item = await this.#next();
      if (item === undefined || 'close' in item) return undefined;
      if ('text' in item) return item;
      if ('rejected' in item) this.#accounts.reject(item.rejected);
    }
  }

  async #next(): Promise<Replayed | undefined> {
    try {
      return await this.#replay.next();
    } catch (error) {
      if (!(error instanceof IngestError) || error.kind !== 'record') throw error;
      return this.#fail(`the source cannot be split as it was: ${error.message}`);
    }
  }
}

async function headOf(reader: ByteReader, { settings }: Terms): Promise<Head> {
  const head: number[] = [];
  for await (const bytes of reader.range(0, Math.min(SIGNATURE_BYTES, reader.bytes))) head.push(...bytes);
  return signatureOf(Uint8Array.from(head), settings.encoding);
}
