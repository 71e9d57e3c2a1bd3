/**
 * Chunks as lines of JSON: the sinks `jsonl` and `ndjson`, which are two names for one thing. One object a line, LF, no BOM,
 * keys in the order of `Chunk` (or fields of choice: sinks/fields.ts), no lone surrogate whatever the metadata holds. To one file
 * (complete or not there: atomic.ts), which is replaced, or to stdout; where files roll, sinks/batch.ts writes these lines. Lines
 * are gathered into writes of some 256 KiB; the writer waits only when two of them are outstanding (law L8).
 */
import { IngestError } from '../src/errors.js';
import type { Chunk, RecordRef, Sink, WrittenFile } from '../src/types.js';
import type { Output } from '../src/world.js';
import { sinkError } from './atomic.js';
import { Bytes } from './bytes.js';
import { jsonOf } from './escape.js';
import type { FieldMap } from './fields.js';
import { strangeFloat } from './floats.js';
import type { Place } from './place.js';
import { type ByteEnd, squeezed } from './squeeze.js';
import { overLimit, rowsBody, type Squeezing, type StoreSpec } from './store.js';

export interface LinesRequest {
  /** Absent, `-` or `/dev/stdout`: stdout. */
  readonly path?: string;
  readonly place: Place;
  readonly stdout: Output;
  /** Absent: the whole chunk. */
  readonly fields?: FieldMap;
  readonly squeeze?: Squeezing;
}

export interface LinesSink extends Sink {
  /** Opens the file now rather than at the first chunk, so that a path that cannot be written fails before anything is read. */
  open(): Promise<void>;
}

/** Bytes of a write. */
const BATCH_BYTES = 256 * 1024;

/** Errors: IngestError of kind `sink`, from `open`, `write` (of an earlier chunk, too) and `commit`. */
export function linesSink({ path, place, stdout, fields, squeeze }: LinesRequest): LinesSink {
  const lines = new Bytes();
  let opening: Promise<ByteEnd<File>> | undefined;
  let sending: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let chunks = 0;

  const opened = (): Promise<ByteEnd<File>> => {
    opening ??= (async () => squeezed<File>(isStdout(path) ? stdoutBytes(stdout) : await place.open(path), squeeze))();
    return opening;
  };
  const check = (): void => {
    if (failure !== undefined) throw failure.error;
  };
  /** Nothing is being sent now: what was sent before may be written over. */
  const send = (): void => {
    const bytes = lines.take();
    sending = opened()
      .then((end) => end.write(bytes))
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => {
        sending = undefined;
      });
  };
  const sendLater = async (): Promise<void> => {
    while (sending !== undefined) await sending;
    check();
    send();
  };
  return {
    async open() {
      await opened();
    },
    write(chunk) {
      check();
      chunks++;
      writeLine(chunk, lines, fields);
      if (lines.length < BATCH_BYTES) return undefined;
      if (sending !== undefined) return sendLater();
      send();
      return undefined;
    },
    async commit() {
      while (sending !== undefined) await sending;
      check();
      if (lines.length > 0) {
        send();
        await sending;
        check();
      }
      const file = await (await opened()).commit();
      return file === undefined ? [] : [{ ...file, chunks }];
    },
    async abort() {
      failure ??= { error: new IngestError('bug', 'sink-closed', 'a chunk was written after the output was aborted') };
      const bytes = await opening?.catch(() => undefined);
      await bytes?.abort();
    },
  };
}

const isStdout = (path: string | undefined): path is undefined => path === undefined || path === '-' || path === '/dev/stdout';

/** The same lines as a store, for files that roll. They keep the ending of `path`, compressed or not. */
export function linesStore(path: string, fields?: FieldMap): StoreSpec {
  return {
    name: 'jsonl',
    summary: 'one JSON object a line',
    needs: 'text',
    ending: /\.[^./]+$/.exec(path.replace(/\.(gz|zst)$/, ''))?.[0] ?? '.jsonl',
    limits: {},
    compress: ['gzip', 'zstd'],
    nul: 'keep',
    encoder: () => ({ body: () => rowsBody({ row: (chunk, bytes) => writeLine(chunk, bytes, fields) }) }),
  };
}

/* ------------------------------------------------------------------ one line */

export function writeLine(chunk: Chunk, lines: Bytes, fields?: FieldMap): void {
  if (fields !== undefined) {
    lines.json(fields.of(chunk));
    lines.ascii('\n');
    return;
  }
  lines.text(beforeText(chunk));
  lines.string(chunk.text);
  if (chunk.embedding !== undefined) writeEmbedding(chunk, chunk.embedding, lines);
  lines.ascii('}\n');
}

/** The line up to its text. Keys that are undefined or not in `Chunk` are left out. */
function beforeText({ id, source, index, start, end, tokens, context, record, metadata }: Chunk): string {
  const ordered = record === undefined ? undefined : orderedRecord(record);
  const line = jsonOf({ id, source, index, start, end, tokens, context, record: ordered, metadata });
  return `${line.slice(0, -1)},"text":`;
}

function writeEmbedding(chunk: Chunk, embedding: readonly number[], lines: Bytes): void {
  const strange = strangeFloat(embedding);
  if (strange >= 0) throw overLimit(chunk, `has ${embedding[strange]} in its embedding, which is no number of 32 bits`);
  lines.ascii(',"embedding":[');
  lines.floats(embedding);
  lines.ascii(']');
}

function orderedRecord({ index, start, end, path, line, field, key, count }: RecordRef) {
  return { index, start, end, path, line, field, key, count };
}

/* ------------------------------------------------------------------ where the bytes go */

/** Undefined: it went to no file. */
type File = Omit<WrittenFile, 'chunks'> | undefined;

/** Stdout stays open: it is not ours to close. */
function stdoutBytes(output: Output): ByteEnd<File> {
  let failure: IngestError | undefined;
  let wake = (): void => {};
  const fail = (error: unknown): void => {
    failure ??= sinkError(error ?? Object.assign(new Error('closed'), { code: 'EPIPE' }), 'stdout');
    wake();
  };
  const check = (): void => {
    if (failure !== undefined) throw failure;
  };
  const leave = (): void => {
    output.off('error', fail);
    output.off('close', fail);
  };
  output.once('error', fail);
  output.once('close', fail);

  return {
    async write(bytes) {
      check();
      // A copy, since an Output does not tell when it has read the bytes.
      if (output.write(new Uint8Array(bytes))) return;
      await new Promise<void>((resolve) => {
        wake = () => resolve();
        output.once('drain', wake);
        if (failure !== undefined) wake();
      });
      output.off('drain', wake);
      check();
    },
    async commit() {
      // A failed write is reported after the call: once the event loop has gone round, it is known.
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 0);
      });
      leave();
      check();
      return undefined;
    },
    async abort() {
      leave();
    },
  };
}
