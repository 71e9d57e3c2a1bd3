/**
 * Chunks as lines of JSON: the sinks `jsonl` and `ndjson`, which are two names for one thing. One object a line, LF, no BOM,
 * keys in the order of `Chunk`, no lone surrogate whatever the metadata holds. To a file (complete or not there: atomic.ts) or
 * to stdout. Lines are gathered into writes of some 256 KiB; the writer waits only when two of them are outstanding (law L8).
 */
import { IngestError } from '../src/errors.js';
import type { Chunk, RecordRef, Sink, WrittenFile } from '../src/types.js';
import type { Output, World } from '../src/world.js';
import { openFile, sinkError } from './atomic.js';
import { writeJsonText } from './escape.js';

export interface LinesOptions {
  /** Absent, `-` or `/dev/stdout`: stdout. */
  readonly path?: string;
  readonly world: World;
}

export interface LinesSink extends Sink {
  /** Opens the file now rather than at the first chunk, so that a path that cannot be written fails before anything is read. */
  open(): Promise<void>;
}

/** Bytes of a write. */
const BATCH_BYTES = 256 * 1024;

/** Errors: IngestError of kind `sink`, from `open`, `write` (of an earlier chunk, too) and `commit`. */
export function linesSink({ path, world }: LinesOptions): LinesSink {
  let opening: Promise<Bytes> | undefined;
  let filling = new Batch();
  let spare = new Batch();
  let sending: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let chunks = 0;

  const opened = (): Promise<Bytes> =>
    (opening ??= isStdout(path) ? Promise.resolve(stdoutBytes(world.stdout)) : openFile(path, world));
  const check = (): void => {
    if (failure !== undefined) throw failure.error;
  };
  /** Sends the filled batch and goes on with the other, which must be free: nothing is being sent. */
  const send = (): void => {
    const batch = filling;
    [filling, spare] = [spare, batch];
    sending = opened()
      .then((bytes) => bytes.write(batch.take()))
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => {
        sending = undefined;
      });
  };
  const sendThenAdd = async (chunk: Chunk): Promise<void> => {
    while (sending !== undefined) await sending;
    check();
    send();
    filling.add(chunk);
  };
  return {
    async open() {
      await opened();
    },
    write(chunk) {
      check();
      chunks++;
      if (filling.add(chunk)) return undefined;
      if (sending !== undefined) return sendThenAdd(chunk);
      send();
      filling.add(chunk);
      return undefined;
    },
    async commit() {
      while (sending !== undefined) await sending;
      check();
      if (!filling.empty) {
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

/** Lines as bytes, in memory that is used again and again. An empty batch takes a line of any length. */
class Batch {
  #bytes: Buffer | undefined;
  #end = 0;

  get empty(): boolean {
    return this.#end === 0;
  }

  /** False when there is no room for the chunk's line; it then has to go to the next batch. */
  add(chunk: Chunk): boolean {
    const before = beforeText(chunk);
    const { text } = chunk;
    // What a line may take at most: a UTF-16 unit is three bytes, or six when it is escaped. Counting would read it twice.
    const room = before.length * 3 + text.length * 6 + AFTER_TEXT.length;
    if (this.#end + room > BATCH_BYTES && !this.empty) return false;
    if (this.#bytes === undefined || this.#bytes.length < room) this.#bytes = Buffer.allocUnsafeSlow(Math.max(BATCH_BYTES, room));
    this.#end += this.#bytes.write(before, this.#end);
    this.#end = writeJsonText(text, this.#bytes, this.#end);
    this.#end += this.#bytes.write(AFTER_TEXT, this.#end, 'latin1');
    return true;
  }

  /** What is in it, valid until the next `add`. */
  take(): Uint8Array {
    const taken = this.#bytes!.subarray(0, this.#end);
    this.#end = 0;
    // Room for one giant line is not kept.
    if (this.#bytes!.length > BATCH_BYTES) this.#bytes = undefined;
    return taken;
  }
}

/* ------------------------------------------------------------------ one line */

/** The line up to its text, which comes last. Keys that are undefined or not in `Chunk` are left out. */
function beforeText({ id, source, index, start, end, tokens, context, record, metadata }: Chunk): string {
  const ordered = record === undefined ? undefined : orderedRecord(record);
  const line = JSON.stringify({ id, source, index, start, end, tokens, context, record: ordered, metadata });
  // JSON.stringify writes half a surrogate pair as \ud83d, the only escapes that begin so. Text rarely holds these letters, so
  // one search for them is cheaper than a check of every string; and here keys and nested values are reached all the same.
  const whole = line.includes('\\ud') ? line.replace(ESCAPE, (found) => (found.length > 2 ? '\ufffd' : found)) : line;
  return `${whole.slice(0, -1)},"text":"`;
}

const AFTER_TEXT = '"}\n';

/** Escapes are matched from the left, so that the second backslash of an escaped one never begins another. */
const ESCAPE = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;

function orderedRecord({ index, start, end, path, line, field, key, count }: RecordRef) {
  return { index, start, end, path, line, field, key, count };
}

/* ------------------------------------------------------------------ where the bytes go */

interface Bytes {
  write(bytes: Uint8Array): Promise<void>;
  /** Undefined: it went to no file. */
  commit(): Promise<Omit<WrittenFile, 'chunks'> | undefined>;
  abort(): Promise<void>;
}

/** Stdout stays open: it is not ours to close. */
function stdoutBytes(output: Output): Bytes {
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
