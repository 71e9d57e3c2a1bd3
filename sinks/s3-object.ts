/**
 * Objects of S3 as a Place of output. An object is there whole or not at all (law L11): its bytes go up as the parts of an upload
 * that nobody sees before it is completed. What fits one part is put in one request. At most two parts are in memory, one that is
 * filled and one that is sent.
 *
 * The upload is begun at once, so that a bucket that cannot be written fails before anything is read. A process that is killed
 * leaves one behind; buckets have a rule that removes such uploads (AbortIncompleteMultipartUpload).
 */
import { IngestError } from '../src/errors.js';
import { type S3Name, type S3Options, s3Name } from '../src/s3/address.js';
import { accessOf } from '../src/s3/credentials.js';
import { listed } from '../src/s3/listing.js';
import { S3Client, S3Error } from '../src/s3/request.js';
import { childText, type XmlElement, xmlRoot } from '../src/s3/xml.js';
import type { World } from '../src/world.js';
import type { ByteFile } from './atomic.js';
import type { Place } from './place.js';

type Surroundings = Pick<World, 'fs' | 'env' | 'home' | 'http' | 'date' | 'sleep' | 'random' | 'sha256'>;

/** For paths that begin with `s3://`. Errors: IngestError of kind `sink`, or `config` where it is the keys or names. */
export function objectPlace(options: S3Options, world: Surroundings): Place {
  let made: Promise<S3Client> | undefined;
  const client = () => (made ??= accessOf(options, world).then((access) => new S3Client(access, world)));
  return {
    async open(path) {
      const name = s3Name(path);
      if (name.key === '' || name.key.endsWith('/'))
        throw new IngestError('sink', 'no-name', `cannot write ${path}: it is a folder; name an object in it`);
      const to = await client();
      return named(path, () => Upload.begin(path, name, to, world));
    },
    async names(folder) {
      const { bucket, key } = s3Name(folder);
      const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
      const to = await client();
      const found = await named(folder, () => listed({ bucket, key: prefix }, to, NEVER));
      return found.map((each) => each.key.slice(prefix.length)).filter((rest) => rest !== '' && !rest.includes('/'));
    },
    async remove(path) {
      const to = await client();
      // That there is none is said with a success, too.
      await named(path, () => to.whole({ method: 'DELETE', name: s3Name(path), signal: NEVER }));
    },
  };
}

/** Failures as errors that name what was to be written. */
async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    throw new IngestError('sink', error.reason, `cannot write ${path}: ${error.message}`, { cause: error });
  }
}

/* ------------------------------------------------------------------ parts */

const MIB = 2 ** 20;
const PART_BYTES = 8 * MIB;

/** What a server takes: parts of an object. */
const MOST_PARTS = 10_000;

/** Equal parts, as some servers want them, up to here: 39 GiB. */
const EQUAL_PARTS = 5_000;

/** Then they double every thousand, so that an object may have half a TiB before the parts run out. */
export function partBytes(number: number): number {
  return PART_BYTES * 2 ** Math.max(0, Math.ceil((number - EQUAL_PARTS) / 1000));
}

class Upload implements ByteFile {
  readonly #path: string;
  readonly #name: S3Name;
  readonly #client: S3Client;
  readonly #id: string;
  readonly #hash: ReturnType<World['sha256']>;
  readonly #abort = new AbortController();
  /** What is filled, and how far. */
  #part = new Uint8Array(MIB);
  #filled = 0;
  /** A part that was sent and may be filled again. */
  #spare: Uint8Array<ArrayBuffer> | undefined;
  /** Of the parts that are up, in order. */
  readonly #etags: string[] = [];
  #sending: Promise<void> = Promise.resolve();
  #bytes = 0;
  #state: 'open' | 'committed' | 'aborted' = 'open';
  #underWay: Promise<unknown> = Promise.resolve();
  #isCompleting = false;

  static async begin(path: string, name: S3Name, client: S3Client, world: Surroundings): Promise<Upload> {
    const headers = { 'content-type': 'application/octet-stream' };
    const { text } = await client.whole({ method: 'POST', name, query: { uploads: '' }, headers, signal: NEVER });
    const begun = rootOf(text, 'InitiateMultipartUploadResult');
    const id = begun && childText(begun, 'UploadId');
    if (!id) throw new S3Error('bad-answer', 'the server begins no upload: is the endpoint one of S3?');
    return new Upload(path, name, client, id, world);
  }

  private constructor(path: string, name: S3Name, client: S3Client, id: string, world: Surroundings) {
    this.#path = path;
    this.#name = name;
    this.#client = client;
    this.#id = id;
    this.#hash = world.sha256();
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#work(async () => {
      this.#hash.update(bytes);
      this.#bytes += bytes.length;
      for (let at = 0; at < bytes.length; ) {
        const most = partBytes(this.#etags.length + this.#inFlight + 1);
        const taken = bytes.subarray(at, at + most - this.#filled);
        this.#fill(taken, most);
        at += taken.length;
        if (this.#filled === most && at < bytes.length) await this.#flush();
      }
    });
  }

  commit(): ReturnType<ByteFile['commit']> {
    return this.#work(async () => {
      await (this.#etags.length + this.#inFlight === 0 ? this.#put() : this.#complete());
      this.#state = 'committed';
      return { path: this.#path, bytes: this.#bytes, sha256: this.#hash.digest() };
    });
  }

  async abort(): Promise<void> {
    // Once the server was asked to complete it, only its answer tells what there is to be taken back.
    if (!this.#isCompleting) this.#abort.abort(new Error('the upload was given up'));
    await this.#underWay;
    await this.#sending.catch(() => {});
    if (this.#state !== 'open') return;
    this.#state = 'aborted';
    await this.#forget();
  }

  get #inFlight(): number {
    return this.#isSending ? 1 : 0;
  }

  #isSending = false;

  /** One call at a time, each with its failure put into words. */
  #work<T>(work: () => Promise<T>): Promise<T> {
    if (this.#state !== 'open') throw new IngestError('bug', 'sink-closed', `${this.#path} was used after it was ${this.#state}`);
    const working = named(this.#path, work);
    this.#underWay = working.catch(() => {});
    return working;
  }

  #fill(bytes: Uint8Array, most: number): void {
    const needed = this.#filled + bytes.length;
    if (needed > this.#part.length) {
      const larger = new Uint8Array(Math.min(most, Math.max(needed, this.#part.length * 4)));
      larger.set(this.#part.subarray(0, this.#filled));
      this.#part = larger;
    }
    this.#part.set(bytes, this.#filled);
    this.#filled = needed;
  }

  /** Sends the part that is full, once the one before is up. */
  async #flush(): Promise<void> {
    await this.#sending;
    const number = this.#etags.length + 1;
    if (number > MOST_PARTS) throw new S3Error('too-big', `it is larger than the ${MOST_PARTS} parts that an object may have`);
    const full = this.#part;
    const body = full.subarray(0, this.#filled);
    this.#part = this.#spare ?? new Uint8Array(MIB);
    this.#filled = 0;
    this.#isSending = true;
    this.#sending = this.#send(number, body).then((etag) => {
      this.#etags.push(etag);
      this.#spare = full;
      this.#isSending = false;
    });
    // Told by the next call.
    this.#sending.catch(() => {});
  }

  async #send(number: number, body: Uint8Array): Promise<string> {
    const query = { partNumber: String(number), uploadId: this.#id };
    const { headers } = await this.#client.whole({ method: 'PUT', name: this.#name, query, body, signal: this.#abort.signal });
    if (headers.etag === undefined) throw new S3Error('bad-answer', `the server gives no ETag for part ${number}`);
    return headers.etag;
  }

  /** All in one request; the upload that was begun is not needed. */
  async #put(): Promise<void> {
    const body = this.#part.subarray(0, this.#filled);
    const headers = { 'content-type': 'application/octet-stream' };
    this.#isCompleting = true;
    await this.#client.whole({ method: 'PUT', name: this.#name, headers, body, signal: NEVER }).finally(() => {
      this.#isCompleting = false;
    });
    await this.#forget();
  }

  async #complete(): Promise<void> {
    if (this.#filled > 0) await this.#flush();
    await this.#sending;
    const parts = this.#etags.map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`);
    const body = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    this.#isCompleting = true;
    const query = { uploadId: this.#id };
    const headers = { 'content-type': 'application/xml' };
    try {
      const { text } = await this.#client.whole({ method: 'POST', name: this.#name, query, headers, body, signal: NEVER });
      if (rootOf(text, 'CompleteMultipartUploadResult') === undefined)
        throw new S3Error('bad-answer', 'the server does not say whether the upload is complete');
    } catch (error) {
      if (!(await this.#isThere(error))) throw error;
    } finally {
      this.#isCompleting = false;
    }
  }

  /** An answer may get lost on its way; the next try is then told that the upload is gone, since it is complete. */
  async #isThere(error: unknown): Promise<boolean> {
    if (!(error instanceof S3Error) || !error.isUnsure || error.status !== 404) return false;
    const { headers } = await this.#client.whole({ method: 'HEAD', name: this.#name, signal: NEVER });
    const { 'content-length': length, etag = '' } = headers;
    // The tag of such an object ends with the number of its parts.
    return length === String(this.#bytes) && etag.replaceAll('"', '').endsWith(`-${this.#etags.length}`);
  }

  /** What is left behind costs money and is never seen; but it is no reason to fail. */
  async #forget(): Promise<void> {
    const query = { uploadId: this.#id };
    await this.#client.whole({ method: 'DELETE', name: this.#name, query, signal: NEVER }).catch(() => {});
  }
}

/** A single short request is not given up half-way: least of all what ends an output, or takes it back. */
const NEVER = new AbortController().signal;

/** The root of an answer, if it is the one that is wanted. */
function rootOf(text: string, name: string): XmlElement | undefined {
  try {
    const root = xmlRoot(text);
    return root.name === name ? root : undefined;
  } catch {
    return undefined;
  }
}

const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
