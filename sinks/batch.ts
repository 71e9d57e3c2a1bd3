/**
 * The sink of all stores, and of lines that roll: files `points-00001.jsonl`, `points-00002.jsonl` … for `--out points.jsonl`.
 * A file is closed before a record would take it past a limit, in records or in bytes of what the store parses, to the byte; it
 * is complete under its name or not there (L11, sinks/atomic.ts). Chunks are made fit for the store first: texts, metadata,
 * embeddings (sinks/admission.ts). The encoders know none of this. Names, and what is there already: sinks/numbered-files.ts.
 */
import { IngestError } from '../src/errors.js';
import type { Chunk, Sink, SinkReport, WrittenFile } from '../src/types.js';
import { Admission } from './admission.js';
import type { ByteFile } from './atomic.js';
import type { MetadataPolicy } from './metadata.js';
import { NumberedFiles } from './numbered-files.js';
import type { Place } from './place.js';
import { squeezed } from './squeeze.js';
import { type Body, type Encoder, type Limits, overLimit, type Squeezing, type StoreRecord, type StoreSpec } from './store.js';

export interface BatchRequest {
  readonly path: string;
  /** The store's own options, checked, under their camelCase keys. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly place: Place;
  /** These lower the store's limits; one that is higher changes nothing. */
  readonly maxRecords?: number;
  readonly maxBytes?: number;
  readonly squeeze?: Squeezing;
  /** `flatten` when absent. */
  readonly metadata?: MetadataPolicy;
  readonly overwrite?: boolean;
}

/** Bytes of a write. */
const WRITE_BYTES = 256 * 1024;
/** More would not sort: names have five digits. */
const MOST_FILES = 99_999;

/** Errors: IngestError of kind `sink` from every call. */
export function batchSink(spec: StoreSpec, request: BatchRequest): Sink {
  const batch = new Batch(spec, request);
  return {
    open: () => batch.open(),
    write: (chunk) => batch.write(chunk),
    commit: () => batch.commit(),
    abort: () => batch.abort(),
    report: () => batch.report,
  };
}

/** A file that is being filled. */
interface Current {
  readonly file: ByteFile;
  readonly body: Body;
  records: number;
}

class Batch {
  readonly #spec: StoreSpec;
  readonly #request: BatchRequest;
  #opening: Promise<void> | undefined;
  #encoder!: Encoder;
  #limits: Limits = {};
  #admission!: Admission;
  #names!: NumberedFiles;
  #current: Current | undefined;
  #sending: Promise<void> | undefined;
  /** The file before, while it gets its name: syncing takes longer than filling a small one. */
  #ended: ByteFile | undefined;
  #naming: Promise<void> = Promise.resolve();
  /** Files begun. */
  #number = 0;
  /** A file being ended and the next begun: an abort waits for it, to know what there is to remove. */
  #turning: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #isCommitted = false;
  #records = 0;
  readonly #files: WrittenFile[] = [];

  constructor(spec: StoreSpec, request: BatchRequest) {
    this.#spec = spec;
    this.#request = request;
  }

  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<void> {
    const { options, path, place, squeeze, overwrite = false } = this.#request;
    this.#encoder = await this.#spec.encoder(options);
    this.#limits = lowered(this.#encoder.limits ?? this.#spec.limits, this.#request);
    this.#admission = new Admission(this.#spec, this.#encoder, this.#limits, this.#request.metadata);
    this.#names = new NumberedFiles(path, this.#encoder.ending ?? this.#spec.ending, squeeze);
    await this.#names.clear(place, overwrite);
    await this.#begin();
  }

  write(chunk: Chunk): void | Promise<void> {
    this.#check();
    if (this.#current === undefined) return this.open().then(() => this.write(chunk));
    const record = this.#admission.admit(chunk);
    if (!this.#add(record)) return this.#turn(this.#roll(record));
    if (this.#current.body.pending < WRITE_BYTES) return undefined;
    if (this.#sending !== undefined) return this.#sendLater();
    this.#send();
    return undefined;
  }

  async commit(): Promise<readonly WrittenFile[]> {
    this.#check();
    if (this.#current === undefined) await this.open();
    await this.#turn(this.#complete());
    return this.#files;
  }

  async #complete(): Promise<void> {
    await this.#finish();
    await this.#naming;
    this.#check();
    await this.#writeBeside();
    await this.#names.removeOthers(this.#request.place, this.#files);
    this.#isCommitted = true;
  }

  #turn(work: Promise<void>): Promise<void> {
    this.#turning = work.catch(() => {});
    return work;
  }

  async abort(): Promise<void> {
    if (this.#isCommitted) return;
    this.#failure ??= { error: new IngestError('bug', 'sink-closed', 'a chunk was written after the output was aborted') };
    await this.#opening?.catch(() => {});
    await this.#current?.file.abort();
    await this.#turning;
    await this.#naming;
    if (this.#isCommitted) return;
    await this.#current?.file.abort();
    await this.#ended?.abort();
    for (const { path } of this.#files.splice(0)) await this.#request.place.remove(path);
  }

  get report(): SinkReport {
    const { notices = () => [] } = this.#encoder;
    return { metadata: this.#admission.metadata, notices: [...this.#admission.notices, ...notices()] };
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #begin(): Promise<void> {
    if (++this.#number > MOST_FILES) {
      const sentence = `cannot write ${this.#request.path}: it would be more than ${MOST_FILES} files; allow more in each`;
      throw new IngestError('sink', 'too-many-files', sentence);
    }
    const file = await this.#request.place.open(this.#names.numbered(this.#number));
    this.#current = { file: squeezed(file, this.#request.squeeze), body: this.#encoder.body(), records: 0 };
    if (this.#failure !== undefined) await this.#current.file.abort();
    this.#check();
  }

  #add(record: StoreRecord): boolean {
    const { body, records } = this.#current!;
    const { fileRecords = INFINITE, fileBytes = INFINITE, recordBytes } = this.#limits;
    if (records >= fileRecords) return false;
    const before = body.pending;
    if (!body.add(record, fileBytes)) return false;
    const bytes = body.pending - before;
    if (recordBytes !== undefined && bytes > recordBytes)
      throw overLimit(record, `takes ${bytes} bytes: ${this.#spec.name} takes at most ${recordBytes} in a record`);
    this.#current!.records++;
    this.#records++;
    this.#encoder.written?.(record);
    return true;
  }

  /** The record goes into the next file. One that a file of its own cannot hold is an error before this one is touched. */
  async #roll(record: StoreRecord): Promise<void> {
    const { fileBytes = INFINITE } = this.#limits;
    if (this.#current!.records === 0 || !this.#encoder.body().add(record, fileBytes))
      throw overLimit(record, `takes more than the ${fileBytes} bytes that a file for ${this.#spec.name} may have`);
    await this.#finish();
    await this.#begin();
    this.#add(record);
  }

  async #sendLater(): Promise<void> {
    await this.#sending;
    this.#check();
    this.#send();
  }

  /** Nothing is being sent now. */
  #send(): void {
    const { file, body } = this.#current!;
    this.#sending = file
      .write(body.take())
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#sending = undefined;
      });
  }

  async #finish(): Promise<void> {
    const { file, body, records } = this.#current!;
    await this.#sending;
    this.#check();
    for (const bytes of body.end()) {
      await file.write(bytes);
      this.#check();
    }
    await this.#naming;
    this.#check();
    if (this.#files.length === 0) await this.#names.forgetManifest(this.#request.place);
    this.#ended = file;
    this.#naming = this.#name(file, records);
  }

  /** Never rejects: the next who looks is told. */
  async #name(file: ByteFile, chunks: number): Promise<void> {
    try {
      this.#files.push({ ...(await file.commit()), chunks });
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  async #writeBeside(): Promise<void> {
    const facts = {
      files: this.#files.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)),
      records: this.#records,
      dimensions: this.#admission.dimensions,
      stem: this.#names.stem,
    };
    for (const { name, text } of this.#encoder.beside?.(facts) ?? []) {
      const file = await this.#request.place.open(this.#names.beside(name));
      try {
        await file.write(new TextEncoder().encode(text));
        this.#files.push({ ...(await file.commit()), chunks: 0 });
      } catch (error) {
        await file.abort();
        throw error;
      }
    }
  }
}

const INFINITE = Number.POSITIVE_INFINITY;

function lowered(limits: Limits, { maxRecords = INFINITE, maxBytes = INFINITE }: BatchRequest): Limits {
  const { fileRecords = INFINITE, fileBytes = INFINITE } = limits;
  return { ...limits, fileRecords: Math.min(fileRecords, maxRecords), fileBytes: Math.min(fileBytes, maxBytes) };
}
