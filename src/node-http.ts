/**
 * The World's `http`: one exchange over node:http or node:https. Not `fetch`, which undoes content encodings behind one's back and
 * keeps reading when nobody asks. Pace, timeouts, the check of addresses and the proof that a body came whole are here; what
 * answers mean is not.
 */
import { type LookupAddress, type LookupOptions, lookup as resolve } from 'node:dns';
import * as plain from 'node:http';
import * as secure from 'node:https';
import { isIP } from 'node:net';
import { systemCode } from './errors.js';
import { HttpError, type HttpFault, type HttpRequest, type HttpResponse } from './http.js';

/** Connections that are kept for the next request to the same server. */
const KEPT = { keepAlive: true, maxFreeSockets: 4 };
const plainAgent = new plain.Agent(KEPT);
const secureAgent = new secure.Agent(KEPT);

/** Bytes read ahead of who asks for them. Larger buffers cost fewer turns, and the server has work while ours is done. */
const READ_AHEAD = 256 * 1024;

/** Bytes of a request's body that are sent at once: how finely progress is seen. */
const SENT_AT_ONCE = 256 * 1024;

/** @throws HttpError; or the signal's reason */
export async function exchange(request: HttpRequest): Promise<HttpResponse> {
  const { url, signal, allowAddress } = request;
  signal.throwIfAborted();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (allowAddress !== undefined && isIP(host) !== 0 && !allowAddress(host)) throw forbidden(host);
  const failure = new Failure(request);
  const sent = requestOf(request);
  sent.on('error', (error) => failure.note(error));
  const abort = () => sent.destroy();
  signal.addEventListener('abort', abort, { once: true });
  sent.once('close', () => signal.removeEventListener('abort', abort));
  const watch = new Watch((message) => {
    failure.note(new HttpError('timeout', `${url.host} ${message}`));
    sent.destroy();
  });
  try {
    const answered = answerOf(sent, failure);
    // It may fail while the body is still being sent.
    answered.catch(() => {});
    await connected(sent, watch, request, failure);
    await send(sent, request, watch);
    watch.wait(request.idleTimeoutMs, 'sent no answer');
    const answer = await answered;
    watch.rest();
    return { status: answer.statusCode!, headers: headersOf(answer), body: new Body(answer, request, watch, failure) };
  } catch (error) {
    watch.end();
    sent.destroy();
    throw failure.of(error);
  }
}

function requestOf({ url, method, headers, body, allowAddress }: HttpRequest): plain.ClientRequest {
  const isSecure = url.protocol === 'https:';
  // A kept connection was made without a look at its address, so who wants one gets a new one.
  const agent = allowAddress === undefined ? (isSecure ? secureAgent : plainAgent) : false;
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  const options = {
    method,
    agent,
    headers: { ...headers, ...length },
    // Of the socket, and so of the answer.
    highWaterMark: READ_AHEAD,
    ...(allowAddress && { lookup: checked(allowAddress) }),
  };
  const bare = new URL(url);
  bare.username = bare.password = '';
  return isSecure ? secure.request(bare, options) : plain.request(bare, options);
}

/** Resolves names as the system does, and drops the addresses that are not allowed. */
function checked(allow: (ip: string) => boolean) {
  return (
    host: string,
    options: LookupOptions,
    done: (error: NodeJS.ErrnoException | null, found: string | LookupAddress[], family?: number) => void,
  ): void =>
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      const allowed = found.filter(({ address }) => allow(address));
      const [first] = allowed;
      if (first === undefined) return done(forbidden(host), []);
      if (options.all === true) done(null, allowed);
      else done(null, first.address, first.family);
    });
}

const forbidden = (host: string) => new HttpError('forbidden-address', `${host} is a private or loopback address`);

/** One timer for the whole exchange: it runs only while something is waited for. */
class Watch {
  readonly #late: (message: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #milliseconds = 0;
  #waiting: string | undefined;

  constructor(late: (message: string) => void) {
    this.#late = late;
  }

  wait(milliseconds: number, message: string): void {
    this.#waiting = message;
    if (this.#timer !== undefined && milliseconds === this.#milliseconds) this.#timer.refresh();
    else {
      clearTimeout(this.#timer);
      this.#milliseconds = milliseconds;
      this.#timer = setTimeout(() => {
        if (this.#waiting !== undefined) this.#late(`${this.#waiting} for ${milliseconds / 1000} s`);
      }, milliseconds);
      // While something is waited for there is a socket, which keeps the process up.
      this.#timer.unref();
    }
  }

  rest(): void {
    this.#waiting = undefined;
  }

  end(): void {
    this.rest();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** The first thing that went wrong, in our words. */
class Failure {
  readonly #request: HttpRequest;
  #first: Error | undefined;

  constructor(request: HttpRequest) {
    this.#request = request;
  }

  note(error: Error): void {
    this.#first ??= error;
  }

  get noted(): boolean {
    return this.#first !== undefined || this.#request.signal.aborted;
  }

  of(error: unknown): unknown {
    const { signal, url } = this.#request;
    if (signal.aborted) return signal.reason;
    const first = this.#first ?? error;
    if (first instanceof HttpError) return first;
    const [fault, sentence] = faultOf(systemCode(first) ?? '', first instanceof Error ? first.message : String(first));
    return new HttpError(fault, `${url.host} ${sentence}`, first);
  }
}

const TLS_CODE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/;

function faultOf(code: string, message: string): readonly [HttpFault, string] {
  if (code === 'ENOTFOUND') return ['no-host', 'is not known: no such host'];
  if (code === 'ECONNREFUSED') return ['refused', 'refuses the connection'];
  if (TLS_CODE.test(code)) return ['tls', `has no certificate that can be trusted (${code})`];
  if (code === 'ETIMEDOUT') return ['timeout', 'does not answer'];
  return ['broken', `broke the connection (${/^[A-Z][A-Z0-9_]+$/.test(code) ? code : message})`];
}

function connected(sent: plain.ClientRequest, watch: Watch, request: HttpRequest, failure: Failure): Promise<void> {
  watch.wait(request.connectTimeoutMs, 'did not take the connection');
  return new Promise((resolve, reject) => {
    const ready = () => {
      watch.rest();
      resolve();
    };
    sent.once('close', () => reject(failure.of(new Error('closed before it was open'))));
    sent.once('socket', (socket) => {
      if (sent.reusedSocket) ready();
      else socket.once(request.url.protocol === 'https:' ? 'secureConnect' : 'connect', ready);
    });
    // Node connects before there is anything to send.
    sent.flushHeaders();
  });
}

async function send(sent: plain.ClientRequest, { body, idleTimeoutMs }: HttpRequest, watch: Watch): Promise<void> {
  // A server may answer, and close, without having taken all: that answer tells why.
  let isOver = false;
  const over = new Promise<void>((resolve) => {
    for (const event of ['close', 'response'])
      sent.once(event, () => {
        isOver = true;
        resolve();
      });
  });
  for (let at = 0; body !== undefined && at < body.length && !isOver; at += SENT_AT_ONCE) {
    watch.wait(idleTimeoutMs, 'took no bytes');
    const taken = new Promise<void>((resolve) => {
      sent.write(body.subarray(at, at + SENT_AT_ONCE), () => resolve());
    });
    await Promise.race([taken, over]);
  }
  sent.end();
}

function answerOf(sent: plain.ClientRequest, failure: Failure): Promise<plain.IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', (answer) => {
      answer.on('error', (error) => failure.note(error));
      resolve(answer);
    });
    sent.once('close', () => reject(failure.of(new Error('closed without an answer'))));
  });
}

function headersOf({ headers }: plain.IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** The bytes of an answer, on demand. */
class Body implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #answer: plain.IncomingMessage;
  readonly #request: HttpRequest;
  readonly #watch: Watch;
  readonly #failure: Failure;
  #closed = false;
  #ended = false;
  #wake = () => {};

  constructor(answer: plain.IncomingMessage, request: HttpRequest, watch: Watch, failure: Failure) {
    this.#answer = answer;
    this.#request = request;
    this.#watch = watch;
    this.#failure = failure;
    answer.on('readable', () => this.#wake());
    answer.once('end', () => {
      this.#ended = true;
      this.#wake();
    });
    answer.once('close', () => {
      this.#closed = true;
      this.#wake();
    });
    answer.on('error', () => this.#wake());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const bytes = this.#answer.read() as Buffer | null;
      if (bytes !== null) return { done: false, value: bytes };
      // What comes after the announced end is a failure too: the length was wrong.
      if (this.#failure.noted) throw this.#failed('broke the connection');
      if (this.#ended) {
        this.#watch.end();
        if (!this.#answer.complete) throw this.#failed('closed the connection before the end');
        return { done: true, value: undefined };
      }
      if (this.#closed) throw this.#failed('closed the connection before the end');
      this.#watch.wait(this.#request.idleTimeoutMs, 'sent nothing');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#watch.rest();
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#watch.end();
    // A body that was read to its end leaves a connection that others may use.
    if (!this.#ended) this.#answer.destroy();
    return { done: true, value: undefined };
  }

  #failed(sentence: string): unknown {
    this.#watch.end();
    this.#answer.destroy();
    return this.#failure.of(new Error(sentence));
  }
}
