/**
 * A chunk made fit for a store before its encoder sees it: an id that the store takes, texts within its limits, well-formed and
 * without NUL where it refuses that, metadata by its rule, and an embedding that is finite and as long as all others of the run.
 * Stores that are handed anything else pad, cut or write null, some of them in silence.
 */
import { IngestError } from '../src/errors.js';
import type { Chunk, SinkReport } from '../src/types.js';
import { strangeFloat } from './floats.js';
import { MetadataFilter, type MetadataPolicy } from './metadata.js';
import { type Encoder, type Limits, overLimit, type StoreRecord, type StoreSpec } from './store.js';

const NUL = /\0/g;

export class Admission {
  /** Numbers of each embedding, once there was one. */
  dimensions: number | undefined;
  readonly #spec: StoreSpec;
  readonly #limits: Limits;
  readonly #filter: MetadataFilter | undefined;
  #nuls = 0;

  constructor(spec: StoreSpec, encoder: Encoder, limits: Limits, policy: MetadataPolicy = 'flatten') {
    this.#spec = spec;
    this.#limits = limits;
    const rule = encoder.metadata ?? spec.metadata;
    this.#filter = rule === undefined ? undefined : new MetadataFilter(rule, policy, spec.name);
  }

  get metadata(): SinkReport['metadata'] {
    return this.#filter?.report ?? {};
  }

  get notices(): string[] {
    const { name } = this.#spec;
    return this.#nuls === 0 ? [] : [`${this.#nuls} NUL characters were left out, which ${name} refuses`];
  }

  /** @throws IngestError kind sink */
  admit(chunk: Chunk): StoreRecord {
    this.#checkId(chunk);
    this.#checkEmbedding(chunk);
    const text = this.#clean(chunk.text);
    const context = chunk.context === undefined ? undefined : this.#clean(chunk.context);
    this.#checkText(chunk, text);
    if (context !== undefined) this.#checkText(chunk, context);
    const source = this.#clean(chunk.source);
    const whole = this.#filter?.apply(chunk) ?? chunk.metadata;
    const metadata = this.#spec.nul === 'drop' ? this.#withoutNul(whole) : whole;
    if (text === chunk.text && context === chunk.context && source === chunk.source && metadata === chunk.metadata) return chunk;
    return { ...chunk, text, source, metadata, ...(context === undefined ? {} : { context }) };
  }

  #checkId(chunk: Chunk): void {
    const { ids } = this.#spec;
    if (ids === undefined) return;
    const fits = ids.pattern?.test(chunk.id) !== false && (ids.maxBytes === undefined || bytesWithin(chunk.id, ids.maxBytes));
    if (fits && chunk.id !== '') return;
    const most = ids.maxBytes === undefined ? '' : `, at most ${ids.maxBytes} bytes`;
    throw overLimit(chunk, `cannot be named so: the id of a record of ${this.#spec.name} is ${ids.words}${most}`);
  }

  #checkEmbedding(chunk: Chunk): void {
    const { embedding } = chunk;
    if (embedding === undefined) {
      if (this.#spec.needs === 'vector') throw withoutEmbedding(chunk, this.#spec.name);
      return;
    }
    const { dimensions: most = Number.POSITIVE_INFINITY } = this.#limits;
    if (embedding.length === 0 || embedding.length > most)
      throw overLimit(chunk, `has an embedding of ${embedding.length} numbers: ${this.#spec.name} takes 1 to ${most}`);
    this.dimensions ??= embedding.length;
    if (embedding.length !== this.dimensions)
      throw overLimit(chunk, `has an embedding of ${embedding.length} numbers, but those before it have ${this.dimensions}`);
    const strange = strangeFloat(embedding);
    if (strange >= 0) throw overLimit(chunk, `has ${embedding[strange]} in its embedding, which is no number of 32 bits`);
  }

  #checkText(chunk: Chunk, text: string): void {
    const { textBytes } = this.#limits;
    if (textBytes !== undefined && !bytesWithin(text, textBytes))
      throw overLimit(chunk, `is longer than the ${textBytes} bytes that ${this.#spec.name} takes in a text`);
  }

  #clean(text: string): string {
    const whole = text.isWellFormed() ? text : text.toWellFormed();
    if (this.#spec.nul === 'keep' || !whole.includes('\0')) return whole;
    return whole.replace(NUL, () => {
      this.#nuls++;
      return '';
    });
  }

  /** The same object where it holds none. */
  #withoutNul(metadata: Chunk['metadata']): Chunk['metadata'] {
    if (!JSON.stringify(metadata).includes('\\u0000')) return metadata;
    return cleaned(metadata, (text) => this.#clean(text)) as Chunk['metadata'];
  }
}

/** Every string and key within. */
function cleaned(value: Chunk['metadata'][string], clean: (text: string) => string): Chunk['metadata'][string] {
  if (typeof value === 'string') return clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => cleaned(each, clean));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [clean(key), cleaned(each, clean)]));
}

function bytesWithin(text: string, most: number): boolean {
  return text.length * 3 <= most || Buffer.byteLength(text) <= most;
}

function withoutEmbedding(chunk: Chunk, store: string): IngestError {
  const sentence =
    `the chunk ${chunk.id} has no embedding, and ${store} takes none without: make requests for embeddings with ` +
    '--to openai-batch, or bring lines of chunks that have one with --format jsonl --chunks';
  return new IngestError('sink', 'no-embedding', sentence, { origin: chunk.source });
}
