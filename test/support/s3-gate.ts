/**
 * A gate before an S3 server: what passes is written down, signatures are checked by our own reading of AWS Signature Version 4
 * (which shares no code with the client's), and a test may step in between. Behind it stands whatever server is there: fauxqs,
 * which believes any signature, or another.
 */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestTo, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Keys {
  readonly id: string;
  readonly secret: string;
}

/** One request that came to the gate. */
export interface Seen {
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
}

/** What a test may do to a request: answer it, or let so many bytes of the answer's body pass before the connection breaks; 0: no answer. */
export interface Step {
  readonly answer?: { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> };
  readonly cutAfter?: number;
}

export interface Gate {
  readonly url: string;
  readonly seen: Seen[];
  /** Asked before a request is passed on, in the order of requests. */
  step: (seen: Seen) => Step | undefined | Promise<Step | undefined>;
  close(): Promise<void>;
}

export interface GateOptions {
  /** Where the server is. */
  readonly endpoint: string;
  readonly keys: Keys;
  /** Buckets that need no signature. */
  readonly open?: readonly string[];
}

export async function gate({ endpoint, keys, open = [] }: GateOptions): Promise<Gate> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  const self: Gate = {
    url: '',
    seen,
    step: () => undefined,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await whole(request);
    const each = seenOf(request, body);
    seen.push(each);
    const isOpen = open.some((bucket) => each.path.startsWith(`/${bucket}/`)) && each.headers.authorization === undefined;
    const refusal = isOpen ? undefined : refused(each, body, keys);
    const step = refusal ?? (await self.step(each));
    if (step?.answer === undefined) return forward(endpoint, request, body, response, step?.cutAfter);
    const { status, headers, body: text } = step.answer;
    response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(text);
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(self, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** An answer of S3 that says no. */
export const problem = (status: number, code: string): Step => ({
  answer: {
    status,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>by the test</Message></Error>`,
  },
});

async function whole(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function seenOf(request: IncomingMessage, body: Buffer): Seen {
  // Not by URL, which tidies paths.
  const [path = '', search] = request.url!.split('?');
  return {
    method: request.method!,
    path: decodeURIComponent(path),
    query: new URLSearchParams(search),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    bytes: body.length,
  };
}

/** Host and path stay as they came, since they are signed. */
function forward(endpoint: string, request: IncomingMessage, body: Buffer, response: ServerResponse, cutAfter = Infinity): void {
  const { hostname, port } = new URL(endpoint);
  const { method, url: path, headers } = request;
  const onward = requestTo({ hostname, port, method, path, headers: { ...headers, connection: 'close' } }, (answer) => {
    // The server has done what it was asked to, though nobody learns of it.
    if (cutAfter === 0) return void answer.resume().on('end', () => response.destroy());
    response.writeHead(answer.statusCode!, { ...answer.headers, connection: 'close' });
    let left = cutAfter;
    answer.on('data', (bytes: Buffer) => {
      if (left < 0) return;
      const passed = bytes.subarray(0, left);
      left -= bytes.length;
      // The head is gone by then, and all that was to pass.
      response.write(passed, () => left < 0 && response.destroy());
    });
    answer.on('end', () => response.end());
    answer.on('error', () => response.destroy());
  });
  onward.on('error', () => response.destroy());
  onward.end(body);
}

/* ------------------------------------------------------------------ signatures */

/** Names of headers that are signed, the day and place they are signed for, and the rest of an Authorization header. */
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<id>[^/]+)\/(?<scope>\d{8}\/[\w-]+\/s3\/aws4_request), ?SignedHeaders=(?<names>[\w;-]+), ?Signature=(?<signature>[0-9a-f]{64})$/;

function refused(seen: Seen, body: Buffer, keys: Keys): Step | undefined {
  const { authorization, 'x-amz-content-sha256': content = '', 'x-amz-date': time = '' } = seen.headers;
  if (authorization === undefined) return problem(403, 'AccessDenied');
  const { id, scope = '', names = '', signature } = AUTHORIZATION.exec(authorization)?.groups ?? {};
  if (id !== keys.id) return problem(403, 'InvalidAccessKeyId');
  if (content !== 'UNSIGNED-PAYLOAD' && content !== sha256(body)) return problem(400, 'XAmzContentSHA256Mismatch');
  const { method, path, query, headers } = seen;
  const must = [
    'host',
    'x-amz-content-sha256',
    'x-amz-date',
    ...(headers['x-amz-security-token'] ? ['x-amz-security-token'] : []),
  ];
  const signed = names.split(';');
  if (must.some((name) => !signed.includes(name)) || !time.startsWith(scope.slice(0, 8))) return problem(403, 'AccessDenied');
  const right = signatureOf({ method, path, query, headers, names: signed, content, time, scope }, keys.secret);
  return signature === right ? undefined : problem(403, 'SignatureDoesNotMatch');
}

interface ToSign {
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly names: readonly string[];
  /** Digest of the body, or that it has none. */
  readonly content: string;
  readonly time: string;
  readonly scope: string;
}

/** As "Create a signed AWS API request" in the IAM User Guide has it, with the path of S3: encoded once, nothing tidied. */
function signatureOf({ method, path, query, headers, names, content, time, scope }: ToSign, secret: string): string {
  const pairs = [...query].map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const lines = names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`);
  const place = path.split('/').map(encoded).join('/');
  const request = [method, place, pairs.sort(byBytes).join('&'), lines.join(''), names.join(';'), content].join('\n');
  const key = [...scope.split('/')].reduce<Buffer | string>((with_, part) => hmac(with_, part), `AWS4${secret}`);
  return hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')).toString('hex');
}

const byBytes = (a: string, b: string): number => (a < b ? -1 : 1);

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/* ------------------------------------------------------------------ what a test does itself */

/** Objects in buckets, for what comes before a run and after it. It goes past the gate. */
export interface Store {
  createBucket(bucket: string): Promise<void>;
  /** False where the server will not have such a key. */
  put(bucket: string, key: string, bytes: Buffer | string): Promise<boolean>;
  /** Undefined where there is none. */
  get(bucket: string, key: string): Promise<Buffer | undefined>;
  /** At most a page of them, in order. */
  keys(bucket: string): Promise<readonly string[]>;
  /** Uploads that were begun and neither completed nor aborted; the bucket is empty and may be gone after it. */
  openUploads(bucket: string): Promise<number>;
}

export function store(endpoint: string, keys: Keys): Store {
  const send = async (method: string, path: string, query: Readonly<Record<string, string>> = {}, body = Buffer.alloc(0)) => {
    const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
    const scope = `${time.slice(0, 8)}/us-east-1/s3/aws4_request`;
    const content = sha256(body);
    const headers = { host: new URL(endpoint).host, 'x-amz-content-sha256': content, 'x-amz-date': time };
    const names = Object.keys(headers);
    const search = new URLSearchParams(query);
    const signature = signatureOf({ method, path, query: search, headers, names, content, time, scope }, keys.secret);
    const authorization = `AWS4-HMAC-SHA256 Credential=${keys.id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
    const pairs = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
    const target = `${path.split('/').map(encoded).join('/')}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
    return exchanged(endpoint, { method, path: target, headers: { ...headers, authorization } }, body);
  };
  const list = async (bucket: string): Promise<string[]> => {
    const { body } = await send('GET', `/${bucket}`, { 'list-type': '2' });
    return [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => unescaped(key!));
  };
  return {
    createBucket: async (bucket) => ok(await send('PUT', `/${bucket}`)),
    put: async (bucket, key, bytes) => (await send('PUT', `/${bucket}/${key}`, {}, Buffer.from(bytes))).status === 200,
    get: async (bucket, key) => {
      const { status, body } = await send('GET', `/${bucket}/${key}`);
      return status === 200 ? body : undefined;
    },
    keys: list,
    async openUploads(bucket) {
      const { status, body } = await send('GET', `/${bucket}`, { uploads: '' });
      const listed = body.toString();
      if (status === 200 && listed.includes('<ListMultipartUploadsResult')) return listed.split('<UploadId>').length - 1;
      // A server that lists none refuses to delete a bucket that has any.
      for (const key of await list(bucket)) await send('DELETE', `/${bucket}/${key}`);
      return (await send('DELETE', `/${bucket}`)).status === 204 ? 0 : 1;
    },
  };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (_, hex: string, decimal: string, name: string) =>
    name === undefined ? String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)) : ENTITIES[name]!,
  );

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

function ok({ status, body }: Answer): void {
  if (status >= 300) throw new Error(`the server answered ${status}: ${body}`);
}

/** Not by fetch, which rewrites paths. */
function exchanged(
  endpoint: string,
  { method, path, headers }: { method: string; path: string; headers: Record<string, string> },
  body: Buffer,
): Promise<Answer> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve, reject) => {
    // Without a type fauxqs does not see an empty body.
    const ofBody = { 'content-length': body.length, 'content-type': 'application/octet-stream' };
    const request = requestTo({ hostname, port, method, path, headers: { ...headers, ...ofBody } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve({ status: answer.statusCode!, body: Buffer.concat(parts) }));
      answer.on('error', reject);
    });
    request.on('error', reject).end(body);
  });
}
