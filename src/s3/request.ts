/**
 * Signed requests to S3. One exchange each, in the region that the bucket turns out to be in; `whole` also tries again, for answers
 * that are short. What a refusal means is put into words here, without keys, signatures or what the server wrote about them.
 */
import {
  HttpError,
  type HttpRequest,
  type HttpResponse,
  isTransient,
  leave,
  type Problem,
  retryAfterMs,
  TIMEOUTS,
  textOf,
  transportProblem,
} from '../http.js';
import { Patience } from '../retry.js';
import { VERSION } from '../version.js';
import type { World } from '../world.js';
import { addressOf, type S3Name } from './address.js';
import type { S3Access } from './credentials.js';
import { childText, type XmlElement, xmlRoot } from './xml.js';

export interface S3Request {
  readonly method: HttpRequest['method'];
  readonly name: S3Name;
  readonly query?: Readonly<Record<string, string>>;
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** An answer that was read to its end. */
export interface S3Answer {
  readonly headers: HttpResponse['headers'];
  readonly text: string;
}

/** A request that was refused, or that failed too often. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly reason: string;
  /** Absent where there was no answer. */
  readonly status: number | undefined;
  /** Whether a try before the last one failed in a way that leaves open what became of it. */
  readonly isUnsure: boolean;

  constructor(reason: string, sentence: string, status?: number, isUnsure = false) {
    super(sentence);
    this.reason = reason;
    this.status = status;
    this.isUnsure = isUnsure;
  }
}

type Surroundings = Pick<World, 'http' | 'date' | 'sleep' | 'random' | 'sha256'>;

/** A listing of 1,000 keys of 1,024 bytes, each percent-encoded, is some 4 MiB. */
const MOST_ANSWER_BYTES = 16 * 2 ** 20;

export class S3Client {
  readonly #access: S3Access;
  readonly #world: Surroundings;
  /** Where a bucket turned out to be. */
  readonly #regions = new Map<string, string>();
  /** The server has answered at least once. */
  #isReached = false;

  constructor(access: S3Access, world: Surroundings) {
    this.#access = access;
    this.#world = world;
  }

  /** One exchange, or a second one where the bucket is in another region. @throws HttpError; or the signal's reason */
  async exchange(request: S3Request): Promise<HttpResponse> {
    const { bucket } = request.name;
    const response = await this.#send(request);
    const region = response.headers['x-amz-bucket-region'];
    const before = this.#regionOf(bucket);
    if (![301, 307, 400].includes(response.status) || region === undefined || region === before || !/^[a-z0-9-]+$/.test(region))
      return response;
    this.#regions.set(bucket, region);
    await leave(response);
    return this.#send(request);
  }

  /** Tries again what is worth it, and reads the answer. @throws S3Error; or the signal's reason */
  async whole(request: S3Request): Promise<S3Answer> {
    const patience = new Patience(this.#world);
    let isUnsure = false;
    for (;;) {
      const { answer, problem, status } = await this.#attempt(request);
      if (answer !== undefined) return answer;
      // A host that was never reached is more often misspelt than restarting.
      const isHopeless = !this.#isReached && problem.reason === 'unreachable' && patience.failures >= 3;
      if (!problem.isTransient || isHopeless || !(await patience.again(request.signal, problem.afterMs)))
        throw new S3Error(problem.reason, problem.sentence, status, isUnsure);
      isUnsure = true;
    }
  }

  /** What an answer without success means. Reads it. */
  async problemOf(response: HttpResponse): Promise<Problem> {
    const { status, headers } = response;
    const code = await codeIn(response);
    const [reason, sentence] = sentenceOf(status, code, this.#access.credentials === undefined);
    const afterMs = retryAfterMs(headers, this.#world.date());
    const again = isTransient(status) || TRANSIENT_CODES.has(code);
    return { reason, sentence, isTransient: again, ...(afterMs === undefined ? {} : { afterMs }) };
  }

  async #attempt(
    request: S3Request,
  ): Promise<{ answer: S3Answer; problem?: never; status: number } | { answer?: never; problem: Problem; status?: number }> {
    try {
      const response = await this.exchange(request);
      const { status, headers } = response;
      if (status < 200 || status > 299) return { problem: await this.problemOf(response), status };
      const text = await textOf(response, MOST_ANSWER_BYTES);
      // A copy or the end of an upload may fail after the server has said 200.
      const code = text.includes('<Error>') ? codeOf(text) : '';
      if (code === '') return { answer: { headers, text }, status };
      const again = TRANSIENT_CODES.has(code);
      return { problem: { reason: 'unavailable', sentence: `the server says ${code}`, isTransient: again }, status };
    } catch (error) {
      request.signal.throwIfAborted();
      if (!(error instanceof HttpError)) throw error;
      return { problem: transportProblem(error) };
    }
  }

  #regionOf(bucket: string): string {
    return this.#regions.get(bucket) ?? this.#access.server.region;
  }

  async #send({ method, name, query, headers = {}, body, signal }: S3Request): Promise<HttpResponse> {
    const { credentials, server } = this.#access;
    const region = this.#regionOf(name.bucket);
    const url = addressOf(name, { ...server, region }, query);
    const plain = { 'user-agent': `millrace/${VERSION}`, ...headers };
    const signed = credentials === undefined ? plain : await this.#signed(url, method, plain, body, region);
    const answered = await this.#world.http({ method, url, headers: signed, signal, ...TIMEOUTS, ...(body && { body }) });
    this.#isReached = true;
    return answered;
  }

  async #signed(url: URL, method: string, headers: Record<string, string>, body: Uint8Array | undefined, region: string) {
    const { AwsV4Signer } = await import('aws4fetch');
    // Over TLS nobody can change the body; hashing it would cost a core's second for each gigabyte.
    const isPlain = url.protocol === 'http:' || body === undefined;
    const signer = new AwsV4Signer({
      ...this.#access.credentials!,
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': isPlain ? this.#hashOf(body) : 'UNSIGNED-PAYLOAD' },
      service: 's3',
      region,
      datetime: this.#world
        .date()
        .toISOString()
        .replace(/[:-]|\.\d{3}/g, ''),
    });
    const { headers: all } = await signer.sign();
    return Object.fromEntries(all.entries());
  }

  #hashOf(body: Uint8Array = new Uint8Array(0)): string {
    const hash = this.#world.sha256();
    hash.update(body);
    return hash.digest();
  }
}

/** The error's code of an answer; empty: it has none. */
async function codeIn(response: HttpResponse): Promise<string> {
  try {
    return codeOf(await textOf(response, 64 * 1024));
  } catch {
    // The status says enough.
    return '';
  }
}

function codeOf(text: string): string {
  let root: XmlElement;
  try {
    root = xmlRoot(text);
  } catch {
    return '';
  }
  const code = root.name === 'Error' ? (childText(root, 'Code') ?? '') : '';
  return /^[A-Za-z][A-Za-z0-9.]{0,63}$/.test(code) ? code : '';
}

const TRANSIENT_CODES: ReadonlySet<string> = new Set(['RequestTimeout', 'SlowDown', 'InternalError', 'ServiceUnavailable']);

const SENTENCES: Readonly<Record<string, readonly [reason: string, sentence: string]>> = {
  NoSuchBucket: ['not-found', 'there is no such bucket'],
  NoSuchKey: ['not-found', 'there is no such object; end the name with / for all below it'],
  NoSuchUpload: ['upload-gone', 'the upload under way is not known any more'],
  InvalidObjectState: ['archived', 'it lies in an archive: restore it first'],
  RequestTimeTooSkewed: ['denied', "this machine's clock is wrong by more than the server accepts: set it"],
  ExpiredToken: ['denied', 'the session token has expired: fetch new keys'],
  InvalidAccessKeyId: ['denied', 'the server does not know the access key'],
  SignatureDoesNotMatch: [
    'denied',
    'the secret key does not belong to the access key, or something on the way changed the request',
  ],
};

function sentenceOf(status: number, code: string, isAnonymous: boolean): readonly [string, string] {
  const known = SENTENCES[code];
  const said = code === '' ? `${status}` : `${status} ${code}`;
  if (known !== undefined) return [known[0], `${known[1]} (${said})`];
  if (status === 404) return ['not-found', `there is no such object or bucket; end the name with / for all below it (${said})`];
  if (status === 401 || status === 403) {
    const hint = isAnonymous
      ? 'it is not public: leave out s3-anonymous'
      : 'these keys may not; a public bucket takes s3-anonymous';
    return ['denied', `the server refuses: ${hint}; who may not list a bucket is refused missing objects too (${said})`];
  }
  if (status === 412) return ['changed', 'it has changed since it was first looked at'];
  if (status === 301 || status === 307) return ['bad-answer', `the bucket is in another region or at another endpoint (${said})`];
  return [isTransient(status) ? 'unavailable' : 'bad-answer', `the server answers ${said}`];
}
