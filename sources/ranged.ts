/**
 * One object of a server, from its first byte to its last, as dependable as a local file: either all of its bytes or an error. A
 * connection that breaks or stalls is taken up again where it broke, by a range that is bound to the very object that was begun
 * (RFC 9110, 13.1 and 14). It knows HTTP, but neither S3 nor addresses: how to ask is a function. What can be resumed, and when,
 * is decided here and nowhere else.
 *
 * A slow reader is no fault: bytes are asked for only when they are wanted, and a server that gives up meanwhile is asked again.
 */
import { endingOf } from '../src/compression.js';
import { IngestError } from '../src/errors.js';
import { contentRangeOf, HttpError, type HttpResponse, leave, type Problem, transportProblem } from '../src/http.js';
import { Patience } from '../src/retry.js';
import type { Origin } from '../src/types.js';
import type { World } from '../src/world.js';

export interface RangedObject {
  /** What a listing said of it; what is read must be just that. */
  readonly known?: { readonly bytes: number; readonly etag?: string };
  /** One exchange. @throws HttpError; IngestError, which is final; or the signal's reason */
  get(headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpResponse>;
  /** What an answer other than 200, 206, 412 and 416 means. Leaves or reads it. */
  problemOf(response: HttpResponse): Promise<Problem>;
}

type Surroundings = Pick<World, 'sleep' | 'random'>;

/** The origin once its length is known, then its bytes. @throws IngestError kind source */
export async function* ranged(
  origin: Origin,
  object: RangedObject,
  world: Surroundings,
  signal: AbortSignal,
): AsyncGenerator<Origin | Uint8Array, void, undefined> {
  const reading = new Reading(origin.uri, object);
  const patience = new Patience(world);
  let isAnnounced = false;
  while (!reading.isWhole) {
    let problem: Problem;
    try {
      const response = await reading.ask(signal);
      try {
        if (!isAnnounced) yield { ...origin, ...(reading.total === undefined ? {} : { bytes: reading.total }) };
        isAnnounced = true;
        for await (const bytes of response.body) {
          signal.throwIfAborted();
          reading.take(bytes);
          patience.progressed();
          yield bytes;
        }
      } finally {
        // Whoever wants the origin only has not begun the body.
        await leave(response);
      }
      reading.end();
      continue;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof Refusal) && !(error instanceof HttpError)) throw error;
      problem = error instanceof Refusal ? error.problem : transportProblem(error);
    }
    if (reading.hasAll) return;
    if (!problem.isTransient) throw reading.failed(problem.reason, problem.sentence);
    reading.mustBeResumable(problem);
    // A host that was never reached is more often misspelt than restarting.
    const isHopeless = !isAnnounced && problem.reason === 'unreachable' && patience.failures >= 3;
    if (isHopeless || !(await patience.again(signal, problem.afterMs))) throw reading.gaveUp(problem, patience.failures);
  }
}

/** An answer that is no success. */
class Refusal extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.sentence);
    this.problem = problem;
  }
}

/** What all answers must agree on. */
interface Pinned {
  readonly etag: string | undefined;
  readonly modified: string | undefined;
  /** How it is stored; empty: plainly. */
  readonly encoding: string;
  /** The server has said that it gives no ranges. */
  readonly isWithoutRanges: boolean;
}

class Reading {
  readonly #uri: string;
  readonly #object: RangedObject;
  #pinned: Pinned | undefined;
  /** Bytes handed on so far. */
  #at = 0;
  /** Bytes of the object; undefined: the first answer does not say. */
  #total: number | undefined;
  /** Where the answer at hand ends; undefined: where its last chunk does. */
  #end: number | undefined;
  #isWhole = false;
  /** The total was told by a listing or with a range, not only by the length of an answer. */
  #isProven: boolean;

  constructor(uri: string, object: RangedObject) {
    this.#uri = uri;
    this.#object = object;
    this.#total = object.known?.bytes;
    this.#isProven = this.#total !== undefined;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  get total(): number | undefined {
    return this.#total;
  }

  /** All bytes are here, whatever became of the connection; the length is not that of one answer alone. */
  get hasAll(): boolean {
    return this.#pinned !== undefined && this.#isProven && this.#at === this.#total;
  }

  /** The answer whose body goes on at the byte we are at. */
  async ask(signal: AbortSignal): Promise<HttpResponse> {
    const response = await this.#object.get(this.#headers(), signal);
    try {
      return await this.#accepted(response);
    } catch (error) {
      await leave(response);
      throw error;
    }
  }

  take({ length }: Uint8Array): void {
    this.#at += length;
    if (this.#end !== undefined && this.#at > this.#end)
      throw this.failed('too-long', `the server sent more than the ${this.#end} bytes that it announced`);
  }

  /** The body at hand ended as it should. It may be a part of what was asked for; then the next one is asked for. */
  end(): void {
    if (this.#end !== undefined && this.#at < this.#end) throw new HttpError('broken', 'the answer ended early');
    this.#total ??= this.#at;
    this.#isWhole = this.#at === this.#total;
    if (this.#at > this.#total) throw this.failed('too-long', `it is longer than the ${this.#total} bytes that were announced`);
  }

  failed(reason: string, sentence: string): IngestError {
    return new IngestError('source', reason, sentence, { origin: this.#uri, ...(this.#at > 0 ? { at: this.#at } : {}) });
  }

  gaveUp({ reason, sentence }: Problem, failures: number): IngestError {
    const given = this.#at > 0 && /^un/.test(reason) ? 'cut-short' : reason;
    return this.failed(given, `${sentence}; ${failures + 1} tries in a row came to nothing`);
  }

  /** A broken connection is fatal where nothing binds a second answer to the first. */
  mustBeResumable({ sentence }: Problem): void {
    if (this.#at === 0 || this.#pinned === undefined) return;
    if (this.#pinned.isWithoutRanges)
      throw this.failed('cut-short', `${sentence}, and the server offers no ranges to go on from: fetch it to a file first`);
    if (strongOf(this.#pinned.etag) === undefined && this.#pinned.modified === undefined)
      throw this.failed(
        'cut-short',
        `${sentence}, and the server gives neither ETag nor date by which to go on: fetch it to a file first`,
      );
  }

  #headers(): Record<string, string> {
    const etag = this.#pinned === undefined ? this.#object.known?.etag : this.#pinned.etag;
    const strong = strongOf(etag);
    const modified = this.#pinned?.modified;
    return {
      'accept-encoding': 'identity',
      // The first too: its answer tells the length twice, and whether there are ranges at all.
      range: `bytes=${this.#at}-`,
      ...(strong !== undefined ? { 'if-match': strong } : modified !== undefined ? { 'if-unmodified-since': modified } : {}),
    };
  }

  async #accepted(response: HttpResponse): Promise<HttpResponse> {
    const { status } = response;
    if (status === 412) throw this.failed('changed', 'it was changed while it was read, or since it was found: run again');
    if (status === 416) return this.#beyondEnd(response);
    if (status !== 200 && status !== 206) throw new Refusal(await this.#object.problemOf(response));
    if (status === 200 && this.#at > 0)
      throw this.failed(
        'range-ignored',
        'the connection broke, and the server answers with the whole where the rest was asked for',
      );
    const length = lengthOf(response);
    if (length === undefined && !/\bchunked$/i.test(response.headers['transfer-encoding']?.trim() ?? ''))
      throw this.failed('no-length', NO_LENGTH);
    if (status === 206) this.#placed(response, length);
    else this.#begun(length);
    this.#pin(response);
    return response;
  }

  /** A range answer: it must be the one that was asked for, of an object of the same length. */
  #placed(response: HttpResponse, length: number | undefined): void {
    const range = contentRangeOf(response.headers);
    if (range?.start !== this.#at || range.end === undefined)
      throw this.failed('bad-answer', `the server answers with other bytes than those from ${this.#at} on`);
    if (length !== undefined && length !== range.end - range.start)
      throw this.failed('bad-answer', `the server announces ${length} bytes of a range of ${range.end - range.start}`);
    if (range.total === undefined && this.#total === undefined) throw this.failed('no-length', NO_LENGTH);
    this.#begun(range.total);
    this.#isProven = true;
    this.#end = range.end;
  }

  #begun(total: number | undefined): void {
    if (total !== undefined && this.#total !== undefined && total !== this.#total)
      throw this.failed('changed', `it has ${total} bytes now, and had ${this.#total} when it was first looked at: run again`);
    this.#total ??= total;
    this.#end = this.#total;
  }

  /** Nothing is left: right at the end, where a connection broke just there, and for an empty object; else it is not what it was. */
  async #beyondEnd(response: HttpResponse): Promise<HttpResponse> {
    const { total = this.#total } = contentRangeOf(response.headers) ?? {};
    const isFirst = this.#pinned === undefined;
    if (isFirst && total === undefined) throw this.failed('bad-answer', 'the server refuses the range of all bytes');
    if (total === this.#at && this.#total !== undefined && total !== this.#total && !isFirst)
      throw this.failed('cut-short', `it ends here, but ${this.#total} bytes were announced`);
    if (total !== this.#at || (this.#total ?? total) !== total)
      throw this.failed('changed', 'the server has no bytes from here on any more: run again');
    this.#begun(total);
    await leave(response);
    return { ...response, body: nothing };
  }

  #pin({ status, headers }: HttpResponse): void {
    const { etag, 'last-modified': modified, 'accept-ranges': ranges } = headers;
    const expected = this.#pinned === undefined ? this.#object.known?.etag : this.#pinned.etag;
    if (expected !== undefined && etag !== undefined && opaque(etag) !== opaque(expected))
      throw this.failed('changed', 'it was changed while it was read, or since it was found: run again');
    const encoding = encodingOf(headers);
    if (this.#pinned === undefined) {
      this.#mustBeStored(encoding, status, etag);
      const isWithoutRanges = ranges?.trim().toLowerCase() === 'none';
      this.#pinned = { etag: etag ?? expected, modified, encoding, isWithoutRanges };
      return;
    }
    if (encoding !== this.#pinned.encoding)
      throw this.failed('encoded', 'the server goes on in another encoding than it began with: fetch it to a file first');
    if (expected === undefined && modified !== this.#pinned.modified)
      throw this.failed('changed', 'it was changed while it was read: run again');
    if (expected !== undefined && etag === undefined)
      throw this.failed('bad-answer', 'the server goes on without an ETag, so nobody can tell whether it is the same object');
  }

  /**
   * `identity` was asked for. An encoding all the same is how the object is stored where the server gives ranges of it under a
   * strong ETag: its bytes are then those of a compressed file, and sources/inflate.ts knows them by their first ones. Anything
   * else was encoded on the way, and neither length nor ranges can be trusted.
   */
  #mustBeStored(encoding: string, status: number, etag: string | undefined): void {
    if (encoding === '') return;
    const isKnown = /^(x-)?gzip$|^zstd$/.test(encoding) || (encoding === 'br' && endingOf(this.#uri).compression === 'br');
    if (isKnown && status === 206 && strongOf(etag) !== undefined) return;
    throw this.failed(
      'encoded',
      `the server sends it encoded (${encoding.slice(0, 40)}) where its plain bytes were asked for: fetch it to a file first, and decode it there`,
    );
  }
}

const NO_LENGTH = 'the server does not say how long it is, so nobody can tell whether it came whole: fetch it to a file first';

const nothing: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

/** All encodings but those that change nothing. */
function encodingOf({ 'content-encoding': encoding = '' }: HttpResponse['headers']): string {
  const names = encoding.toLowerCase().split(',');
  return names
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity' && name !== 'aws-chunked')
    .join(', ');
}

function lengthOf({ headers }: HttpResponse): number | undefined {
  const text = headers['content-length']?.trim() ?? '';
  // Chunks end themselves, and a length beside them is of no account (RFC 9112, 6.3).
  return /^\d{1,15}$/.test(text) && headers['transfer-encoding'] === undefined ? Number(text) : undefined;
}

/** A tag that stands for just these bytes; a weak one stands for their meaning. */
const strongOf = (etag: string | undefined) => (etag === undefined || /^W\//i.test(etag) ? undefined : etag);

const opaque = (etag: string) => etag.replace(/^W\//i, '');
