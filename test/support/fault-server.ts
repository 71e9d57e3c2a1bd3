/**
 * A server on loopback that goes wrong as a plan says. It speaks HTTP/1.1 by hand, since a server that keeps the rules cannot
 * break them, and answers for the same objects as a web server and as S3 with path-style addresses (GET of an object, list of a
 * bucket; no signature is checked). Each request names its plan in the header `x-plan`; those without one are served by the plan
 * that `others` has. One request, one connection.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Answered, type Fault, type FaultPlan, HONEST, SOUND, type Traits } from './fault-plans.js';

/** What is under a path before and after it changes; of one length, where that is not to tell them apart. */
export type Versions = readonly [before: Buffer, after: Buffer];

/** A plan under way. */
export interface Session {
  readonly id: string;
  readonly plan: FaultPlan;
  readonly answered: Answered[];
  /** From the first step again. */
  restart(): void;
  /** The next step, taken: for the faults that happen before a request comes here. */
  refuses(key: string): boolean;
}

export interface FaultServer {
  /** `http://127.0.0.1:port`, the endpoint of its S3 too. */
  readonly url: string;
  begin(plan: FaultPlan): Session;
  /** Serves requests without a plan from now on. */
  others(session: Session): void;
  close(): Promise<void>;
}

/** `objects` by their path: `/bucket/key`. */
export async function faultServer(objects: ReadonlyMap<string, Versions>): Promise<FaultServer> {
  const sessions = new Map<string, Run>();
  const sockets = new Set<Socket>();
  let rest = new Run('', { seed: 0, by: 'http', traits: SOUND, steps: [], lists: [] });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => {});
    // Nothing is to be held back that a fault lets through.
    socket.setNoDelay(true);
    void headOf(socket).then((request) => {
      if (request === undefined) return void socket.destroy();
      const run = sessions.get(request.headers['x-plan'] ?? '') ?? rest;
      return send(socket, run.answer(request, objects), request.method);
    });
  });
  await listening(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const begin = (plan: FaultPlan): Session => {
    const run = new Run(String(sessions.size + 1), plan);
    sessions.set(run.id, run);
    return run;
  };
  return {
    url,
    begin,
    others(session) {
      rest = session as Run;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listening(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/* ------------------------------------------------------------------ requests */

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
}

/** The head of the one request that comes; undefined when none does. Requests here have no body. */
function headOf(socket: Socket): Promise<Request | undefined> {
  let text = '';
  return new Promise((resolve) => {
    socket.once('close', () => resolve(undefined));
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end >= 0) resolve(parsed(text.slice(0, end)));
    });
  });
}

function parsed(head: string): Request {
  const [first = '', ...lines] = head.split('\r\n');
  const [method = '', target = ''] = first.split(' ');
  const { pathname, searchParams } = new URL(target, 'http://server');
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]);
  return { method, path: decodeURIComponent(pathname), query: searchParams, headers: Object.fromEntries(headers) };
}

/* ------------------------------------------------------------------ answers */

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly framing: Traits['framing'];
  /** Said of the body's length when it is another. */
  readonly announced?: number;
  readonly fault: Fault;
}

/** Keys in a page of a list: few, so that there are several pages. */
const PAGE_KEYS = 2;

class Run implements Session {
  readonly id: string;
  readonly plan: FaultPlan;
  readonly answered: Answered[] = [];
  #steps = 0;
  #lists = 0;
  #hops = 0;
  #leadsTo: string | undefined;
  #loops = false;
  #changed = false;

  constructor(id: string, plan: FaultPlan) {
    this.id = id;
    this.plan = plan;
  }

  restart(): void {
    this.answered.length = 0;
    this.#steps = this.#lists = this.#hops = 0;
    this.#loops = this.#changed = false;
  }

  refuses(key: string): boolean {
    const fault = this.plan.steps[this.#steps];
    if (fault?.kind !== 'refused') return false;
    this.#steps++;
    this.answered.push({ key, list: false, fault, from: 0, status: 0 });
    return true;
  }

  answer(request: Request, objects: ReadonlyMap<string, Versions>): Answer {
    if (request.query.get('list-type') === '2') return this.#list(request, objects);
    const versions = objects.get(request.path);
    if (versions === undefined) return problem(404, 'NoSuchKey');
    if (request.method === 'HEAD') return this.#head(request, versions);
    if (this.#hops > 0) {
      this.#hops--;
      return this.#redirect(request);
    }
    const fault = this.#loops ? ({ kind: 'loop' } as const) : (this.plan.steps[this.#steps++] ?? HONEST);
    if (fault.kind === 'loop') this.#loops = true;
    if (fault.kind === 'redirect') {
      this.#hops = fault.hops - 1;
      this.#leadsTo = fault.to;
    }
    if (fault.kind === 'changed') this.#changed = true;
    const answer = this.#faulty(request, versions, fault);
    this.answered.push({ key: request.path, list: false, fault, from: rangeOf(request)?.[0] ?? 0, status: answer.status });
    return answer;
  }

  /** To look whether an object is there goes wrong as a list does. */
  #head(request: Request, versions: Versions): Answer {
    const planned = this.plan.lists[this.#lists++] ?? HONEST;
    const fault = planned.kind === 'torn' ? HONEST : planned;
    const answer =
      fault.kind === 'busy' || fault.kind === 'gone'
        ? this.#faulty(request, versions, fault)
        : this.#honest(request, versions, fault);
    this.answered.push({ key: request.path, list: true, fault, from: 0, status: answer.status });
    return answer;
  }

  #faulty(request: Request, versions: Versions, fault: Fault): Answer {
    const honest = () => this.#honest(request, versions, fault);
    switch (fault.kind) {
      case 'busy':
        return problem(fault.status, 'SlowDown', fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter });
      case 'gone':
        return problem(fault.status, fault.status === 404 ? 'NoSuchKey' : 'AccessDenied');
      case 'unsatisfiable':
        return problem(416, 'InvalidRange', { 'content-range': `bytes */${versions[0].length}` });
      case 'loop':
      case 'redirect':
        return this.#redirect(request);
      case 'whole': {
        const { range: _, ...headers } = request.headers;
        return this.#honest({ ...request, headers }, versions, fault);
      }
      case 'shifted':
        return this.#honest(shifted(request, fault.by), versions, fault);
      default:
        return altered(honest(), fault);
    }
  }

  #honest(request: Request, versions: Versions, fault: Fault): Answer {
    const { traits } = this.plan;
    const content = versions[this.#changed ? 1 : 0];
    const validators = this.#validators(fault);
    const common = { fault, framing: traits.framing };
    const checks = fault.kind !== 'retagged' && !(fault.kind === 'changed' && !fault.denied);
    if (checks && !this.#met(request, validators)) return problem(412, 'PreconditionFailed');
    const headers = { ...validators, 'accept-ranges': traits.ranges ? 'bytes' : 'none', 'content-type': 'text/plain' };
    const range = traits.ranges ? rangeOf(request) : undefined;
    if (range === undefined) return { ...common, status: 200, headers, body: content };
    const [start, last = content.length - 1] = range;
    if (start >= content.length) return problem(416, 'InvalidRange', { 'content-range': `bytes */${content.length}` });
    const share = fault.kind === 'part' ? fault.share : 1;
    const end = Math.max(start + 1, Math.ceil(start + (Math.min(last + 1, content.length) - start) * share));
    const place = { 'content-range': `bytes ${start}-${end - 1}/${content.length}` };
    return { ...common, status: 206, headers: { ...headers, ...place }, body: content.subarray(start, end) };
  }

  #validators(fault: Fault): Record<string, string> {
    const name = `${this.#changed ? 'second' : 'first'}${fault.kind === 'retagged' ? '-again' : ''}`;
    const { validator } = this.plan.traits;
    if (validator === 'none') return {};
    if (validator === 'modified') return { 'last-modified': `Tue, 0${this.#changed ? 2 : 1} Dec 2015 10:00:00 GMT` };
    return { etag: `${validator === 'weak' ? 'W/' : ''}"${name}"` };
  }

  #met({ headers }: Request, { etag, 'last-modified': modified }: Record<string, string>): boolean {
    // A weak one never matches: RFC 9110 §13.1.1.
    if (headers['if-match'] !== undefined && (headers['if-match'] !== etag || etag.startsWith('W/'))) return false;
    const since = headers['if-unmodified-since'];
    return since === undefined || modified === undefined || Date.parse(modified) <= Date.parse(since);
  }

  #redirect({ path, headers }: Request): Answer {
    // Whole and relative addresses by turns.
    const back = this.#hops % 2 === 0 ? encodeURI(path) : `http://${headers.host}${encodeURI(path)}`;
    const location = this.#hops === 0 ? (this.#leadsTo ?? back) : back;
    return { ...problem(302, 'Found', { location }), fault: HONEST };
  }

  #list(request: Request, objects: ReadonlyMap<string, Versions>): Answer {
    const fault = this.plan.lists[this.#lists++] ?? HONEST;
    const answer = ((): Answer => {
      if (fault.kind === 'busy')
        return problem(fault.status, 'SlowDown', fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter });
      if (fault.kind === 'gone') return problem(fault.status, 'AccessDenied');
      const xml = Buffer.from(page(request, objects));
      const body = fault.kind === 'torn' ? xml.subarray(0, xml.length * 0.8) : xml;
      return { status: 200, headers: { 'content-type': 'application/xml' }, body, framing: 'length', fault };
    })();
    this.answered.push({ key: request.path, list: true, fault, from: 0, status: answer.status });
    return answer;
  }
}

/** `[first, last]` of `bytes=first-last` or `bytes=first-`. */
function rangeOf({ headers }: Request): [start: number, last?: number] | undefined {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (first === undefined) return undefined;
  return last === undefined || last === '' ? [Number(first)] : [Number(first), Number(last)];
}

function shifted(request: Request, by: number): Request {
  const [start, last] = rangeOf(request) ?? [0];
  if (start === 0) return request;
  const moved = Math.max(0, start + by);
  return { ...request, headers: { ...request.headers, range: `bytes=${moved}-${last ?? ''}` } };
}

function altered(answer: Answer, fault: Fault): Answer {
  const { body, headers } = answer;
  switch (fault.kind) {
    case 'longer':
      return { ...answer, announced: body.length + fault.by };
    case 'shorter':
      return { ...answer, announced: Math.max(1, body.length - fault.by) };
    case 'regrown': {
      const range = headers['content-range']?.replace(/\d+$/, (total) => String(Number(total) + fault.by));
      return range === undefined ? answer : { ...answer, headers: { ...headers, 'content-range': range } };
    }
    case 'unplaced': {
      const { 'content-range': _, ...others } = headers;
      return { ...answer, headers: others };
    }
    case 'encoded':
      return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body) };
    case 'labelled':
      return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' } };
    default:
      return answer;
  }
}

/** As S3 words it; web clients do not look. */
function problem(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const body = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>by plan</Message></Error>`,
  );
  return { status, headers: { 'content-type': 'application/xml', ...headers }, body, framing: 'length', fault: HONEST };
}

function page({ path, query }: Request, objects: ReadonlyMap<string, Versions>): string {
  const bucket = path.replaceAll('/', '');
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()]
    .filter((each) => each.startsWith(`/${bucket}/`))
    .map((each) => each.slice(bucket.length + 2))
    .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
    .sort();
  const more = keys.length > PAGE_KEYS;
  const shown = keys.slice(0, PAGE_KEYS);
  const contents = shown.map((key) => {
    const bytes = objects.get(`/${bucket}/${key}`)![0].length;
    return `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>2015-12-01T10:00:00.000Z</LastModified><ETag>&quot;first&quot;</ETag><Size>${bytes}</Size></Contents>`;
  });
  const next = more ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : '';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name><EncodingType>url</EncodingType><KeyCount>${shown.length}</KeyCount><IsTruncated>${more}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
}

/* ------------------------------------------------------------------ the wire */

const LAST_CHUNK = '0\r\n\r\n';

async function send(socket: Socket, { status, headers, body, framing, announced, fault }: Answer, method: string): Promise<void> {
  if (method === 'HEAD' && (fault.kind === 'reset' || fault.kind === 'end')) return void socket.destroy();
  const cut = fault.kind === 'reset' || fault.kind === 'end' || fault.kind === 'stall' ? fault : undefined;
  if (fault.kind === 'noise') return void socket.end('SSH-2.0-OpenSSH_9.9\r\n');
  const framed = framing === 'chunked' ? chunked(body) : body;
  const length = framing === 'length' ? { 'content-length': String(announced ?? body.length) } : {};
  const coding = framing === 'chunked' ? { 'transfer-encoding': 'chunked' } : {};
  const lines = Object.entries({ ...headers, ...length, ...coding, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const wire = [`HTTP/1.1 ${status} As-Planned\r\n${lines.join('')}\r\n`, method === 'HEAD' ? Buffer.alloc(0) : framed] as const;
  if (cut === undefined) {
    if (fault.kind === 'drip') await drip(socket, wire, fault.bytes);
    // In one: bytes past the announced end come with those before.
    else socket.end(Buffer.concat([Buffer.from(wire[0]), wire[1]]));
    return;
  }
  // The last byte is never sent, nor the whole of a last chunk.
  const most = wire[1].length - (framing === 'chunked' ? LAST_CHUNK.length : 1);
  if (cut.at >= 0) await written(socket, Buffer.concat([Buffer.from(wire[0]), wire[1].subarray(0, Math.floor(cut.at * most))]));
  if (cut.kind === 'reset') socket.resetAndDestroy();
  else if (cut.kind === 'end') socket.end();
}

function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += 5000) {
    const part = body.subarray(at, at + 5000);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from(LAST_CHUNK)]);
}

/** The first stretch in small pieces, so that heads and characters come apart; the rest faster, or it would take for ever. */
async function drip(socket: Socket, [head, body]: readonly [string, Buffer], bytes: number): Promise<void> {
  const wire = Buffer.concat([Buffer.from(head), body]);
  let at = 0;
  for (let pieces = 0; at < wire.length && !socket.destroyed; pieces++) {
    const size = pieces < 300 ? bytes : 20_000;
    await written(socket, wire.subarray(at, at + size));
    at += size;
  }
  socket.end();
}

/** Resolves when the system has them; also when the connection is gone. */
function written(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    socket.once('close', resolve);
    socket.write(bytes, () => {
      socket.off('close', resolve);
      resolve();
    });
  });
}
