/**
 * The stored bytes of one origin as whoever decompresses them wants them: by the slice, by the exact number, some given back.
 * It knows where it is, so that every fault can be told with its byte, and no compression.
 */
import { copy, joined } from '../src/copies.js';
import { IngestError } from '../src/errors.js';

/** Most bytes of a slice: what is decompressed at once. */
const SLICE_BYTES = 1 << 16;

const NONE = new Uint8Array(0);

export class Feed {
  /** Bytes handed out that whoever has them has not looked at yet; it says so itself. */
  held = 0;
  readonly #uri: string;
  readonly #next: () => Promise<Uint8Array | undefined>;
  #buffer: Uint8Array = NONE;
  /** Where in `#buffer` the next byte is. */
  #at = 0;
  /** Bytes before `#buffer`. */
  #before = 0;
  #ended = false;

  /** @param next the bytes that follow; undefined: there are no more. They are done with when it is called again */
  constructor(uri: string, next: () => Promise<Uint8Array | undefined>) {
    this.#uri = uri;
    this.#next = next;
  }

  /** Bytes handed out and not given back. */
  get position(): number {
    return this.#before + this.#at;
  }

  /** The next bytes, at least one of them; undefined: that was all. They are valid until anything else is asked for. */
  async slice(most: number = SLICE_BYTES): Promise<Uint8Array | undefined> {
    while (this.#at === this.#buffer.length) if (!(await this.#more())) return undefined;
    const slice = this.#buffer.subarray(this.#at, this.#at + most);
    this.#at += slice.length;
    return slice;
  }

  /** Takes back so many bytes of the latest slice. */
  back(bytes: number): void {
    this.#at -= bytes;
  }

  /** The next so many bytes, fewer at the end only; they stay what comes next. For small numbers: they are gathered. */
  async peek(bytes: number): Promise<Uint8Array> {
    while (this.#buffer.length - this.#at < bytes) {
      const kept = copy(this.#buffer.subarray(this.#at));
      if (!(await this.#more())) {
        this.#restore(kept);
        break;
      }
      if (kept.length > 0) this.#restore(joined([kept, this.#buffer]));
    }
    return this.#buffer.subarray(this.#at, this.#at + bytes);
  }

  /** The next so many bytes, which are few, exactly. They are the caller's. @throws IngestError `cut-short` */
  async take(bytes: number, what: string): Promise<Uint8Array> {
    const taken = copy(await this.peek(bytes));
    this.#at += taken.length;
    if (taken.length < bytes) throw this.cutShort(what);
    return taken;
  }

  cutShort(what: string): IngestError {
    return this.fault('cut-short', `the compressed data ends within ${what}: it is not whole`);
  }

  /** @param at the stored byte concerned; absent: the next one */
  fault(reason: string, sentence: string, { at = this.position, cause }: { at?: number; cause?: unknown } = {}): IngestError {
    const details = { origin: this.#uri, ...(cause === undefined ? {} : { cause }) };
    return new IngestError('source', reason, `${sentence} (at byte ${at} of the compressed data)`, details);
  }

  async #more(): Promise<boolean> {
    if (this.#ended) return false;
    this.#before += this.#buffer.length;
    this.#at = 0;
    this.#buffer = NONE;
    const bytes = await this.#next();
    if (bytes === undefined) this.#ended = true;
    else this.#buffer = bytes;
    return bytes !== undefined;
  }

  /** The buffer begins with bytes that were counted as before it. */
  #restore(buffer: Uint8Array): void {
    this.#before += this.#buffer.length - buffer.length;
    this.#buffer = buffer;
    this.#at = 0;
  }
}

/** The same bytes, to be read as numbers. */
export function numbersOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
