/**
 * The proof of one source's chunks, each read alone from its bytes by its numbers, and of what lies between them.
 */
import type { BlockReader } from './blocks.js';
import { decoder, SIGNATURE_BYTES, signatureOf } from './decode.js';
import type { Counters } from './engine.js';
import { Identifier } from './identity.js';
import type { SourceReceipt } from './manifest.js';
import { firstShown, normalise } from './registry.js';
import type { ChunkSettings } from './settings.js';
import type { Chunk, Doc, DropReason } from './types.js';
import type { World } from './world.js';

/** What is wrong with the chunks; not an error of ours. */
export class Fault extends Error {}

/** What chunks are held against. */
export interface Terms extends Counters {
  readonly settings: ChunkSettings;
}

/** The chunks of one source, in order. */
export class SourceProof {
  readonly receipt: SourceReceipt;
  readonly #reader: BlockReader;
  readonly #terms: Terms;
  readonly #identifier: Identifier;
  readonly #fail: (what: string) => never;
  readonly #doc: Doc;
  readonly #changed: boolean;
  /** Everything before this byte is accounted for; so far also the end of the last chunk. */
  #accounted = 0;
  #lastStart = -1;
  #chunks = 0;
  #tokens = 0;
  #invalid = 0;
  #inChunks = 0;
  readonly #dropped: Record<DropReason, number> = { signature: 0, blank: 0, separator: 0 };

  private constructor(
    receipt: SourceReceipt,
    reader: BlockReader,
    terms: Terms,
    world: World,
    fail: (what: string) => never,
    changed: boolean,
  ) {
    this.receipt = receipt;
    this.#reader = reader;
    this.#terms = terms;
    this.#identifier = new Identifier(receipt.source, world.sha1);
    this.#doc = { origin: { uri: receipt.source }, charset: receipt.charset, metadata: {} };
    this.#changed = changed;
    this.#fail = (what) => fail(changed ? `${what} (${receipt.source} has changed since the run)` : what);
  }

  static async open(
    receipt: SourceReceipt,
    reader: BlockReader,
    terms: Terms,
    world: World,
    fail: (what: string) => never,
  ): Promise<SourceProof> {
    try {
      const changed = reader.bytes !== receipt.coverage.bytes || (await reader.sha256()) !== receipt.sha256;
      const proof = new SourceProof(receipt, reader, terms, world, fail, changed);
      await proof.#skipSignature();
      return proof;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  get done(): number {
    return this.#accounted;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async prove(chunk: Chunk): Promise<void> {
    const { start, end, text } = chunk;
    if (chunk.index !== this.#chunks) this.#fail(`its index is ${chunk.index}, but it is chunk ${this.#chunks} of its document`);
    if (start <= this.#lastStart || end <= this.#accounted || start >= end || end > this.#reader.bytes) {
      this.#fail(`its range [${start}, ${end}) does not follow the chunk before, which ends at ${this.#accounted}`);
    }
    if (start > this.#accounted) await this.#proveGap(start);
    const invalid = await this.#proveText(chunk);
    const repeated = start < this.#accounted ? await this.#proveOverlap(start) : 0;
    this.#proveSize(chunk);
    const id = this.#identifier.idOf({ text, start });
    if (chunk.id !== id) this.#fail(`its id should be ${id}`);
    this.#invalid += invalid - repeated;
    this.#inChunks += end - this.#accounted;
    this.#accounted = end;
    this.#lastStart = start;
    this.#chunks++;
    this.#tokens += chunk.tokens ?? 0;
  }

  /** After the last chunk: the rest of the source, and the receipt as a whole. */
  async finish(): Promise<void> {
    const { receipt } = this;
    if (this.#accounted < this.#reader.bytes) await this.#proveGap(this.#reader.bytes);
    const found = {
      documents: 1,
      chunks: this.#chunks,
      tokens: receipt.tokens === undefined ? undefined : this.#tokens,
      invalid: this.#invalid,
      ...{ bytes: this.#reader.bytes, inChunks: this.#inChunks, ...this.#dropped },
    };
    const { bytes, inChunks, dropped } = receipt.coverage;
    const { documents, chunks, tokens, invalid } = receipt;
    const said = { documents, chunks, tokens, invalid, bytes, inChunks, ...dropped };
    for (const [what, value] of Object.entries(found)) {
      const claim = said[what as keyof typeof said];
      if (claim !== value) throw new Fault(`${receipt.source}: the receipt says ${what} ${claim}, but it is ${value}`);
    }
    if (this.#changed) throw new Fault(`${receipt.source} has changed since the run, though every chunk of it still holds`);
  }

  async #skipSignature(): Promise<void> {
    const head: number[] = [];
    for await (const bytes of this.#reader.range(0, Math.min(SIGNATURE_BYTES, this.#reader.bytes))) head.push(...bytes);
    const { encoding } = this.#terms.settings;
    const signature = signatureOf(Uint8Array.from(head), encoding);
    if (signature.charset !== this.receipt.charset)
      throw new Fault(`${this.receipt.source}: its encoding is not ${this.receipt.charset}`);
    this.#dropped.signature = signature.bytes;
    this.#accounted = signature.bytes;
    this.#lastStart = signature.bytes - 1;
  }

  async #proveText(chunk: Chunk): Promise<number> {
    let at = 0;
    const invalid = await this.#reread(chunk.start, chunk.end, (text) => {
      if (!chunk.text.startsWith(text, at)) this.#fail(differs(chunk, at, text));
      at += text.length;
    });
    if (at !== chunk.text.length) this.#fail(`its text goes on for ${chunk.text.length - at} characters after its bytes end`);
    return invalid;
  }

  #proveSize(chunk: Chunk): void {
    const { measure, tokens, settings } = this.#terms;
    if (tokens !== undefined) {
      const count = tokens.count(chunk.text);
      if (chunk.tokens !== count) this.#fail(`it says ${chunk.tokens} tokens, but ${tokens.name} counts ${count}`);
    }
    const size = measure === tokens ? chunk.tokens! : measure.count(chunk.text);
    if (size > settings.size && [...chunk.text].length > 1) this.#fail(`it measures ${size}, over the size of ${settings.size}`);
  }

  /** What is repeated from the chunk before must fit the overlap. Returns the bad sequences in it. */
  async #proveOverlap(start: number): Promise<number> {
    let text = '';
    const invalid = await this.#reread(start, this.#accounted, (part) => {
      text += part;
    });
    const size = this.#terms.measure.count(text);
    const { overlap } = this.#terms.settings;
    if (size > overlap) this.#fail(`it repeats ${size} of the chunk before, over the overlap of ${overlap}`);
    return invalid;
  }

  /** Bytes in no chunk: blank text, or separators where the run dropped them. */
  async #proveGap(to: number): Promise<void> {
    let shown: string | undefined;
    this.#invalid += await this.#reread(this.#accounted, to, (text) => {
      if (firstShown(text, 0, text.length) >= 0) shown ??= text;
    });
    const mayDrop = this.receipt.coverage.dropped.separator > 0;
    if (shown !== undefined && !mayDrop)
      this.#fail(`bytes ${this.#accounted} to ${to} are in no chunk, but hold ${excerpt(shown.trim())}`);
    this.#dropped[shown === undefined ? 'blank' : 'separator'] += to - this.#accounted;
    this.#accounted = to;
  }

  /** Decodes and normalises `[start, end)` alone. Returns the number of bad sequences. */
  async #reread(start: number, end: number, take: (text: string) => void): Promise<number> {
    let invalid = 0;
    const bytes = decoder(this.receipt.charset, start, () => invalid++);
    const text = normalise(this.#terms.settings.whitespace, true)(this.#doc);
    for await (const block of this.#reader.range(start, end)) {
      for (const segment of bytes.push(block)) for (const part of text.push(segment)) take(part.text);
    }
    for (const segment of bytes.end()) for (const part of text.push(segment)) take(part.text);
    for (const part of text.end()) take(part.text);
    return invalid;
  }
}

function differs(chunk: Chunk, at: number, text: string): string {
  let i = 0;
  while (i < text.length && chunk.text[at + i] === text[i]) i++;
  return `its text is not what bytes ${chunk.start} to ${chunk.end} say: at character ${at + i} it has ${excerpt(chunk.text.slice(at + i))}, the source ${excerpt(text.slice(i))}`;
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 24 ? `${text.slice(0, 24).toWellFormed()}…` : text);
}
