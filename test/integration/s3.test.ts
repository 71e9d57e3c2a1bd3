/**
 * Objects in a real S3 server: read whole and again after a break, listed, matched, written by multipart upload, proved. The server
 * is fauxqs in this process; or another, if MILLRACE_S3_ENDPOINT says where (an http:// address, path-style), with the keys
 * MILLRACE_S3_KEY_ID and MILLRACE_S3_SECRET, which may make buckets. It stands behind a gate that checks every signature and may
 * break what passes (test/support/s3-gate.ts).
 */
import { once } from 'node:events';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../src/http.js';
import { nodeWorld } from '../../src/node.js';
import { type JobOptions, run, type Summary } from '../../src/run.js';
import { verify } from '../../src/verify.js';
import { chunksIn, millrace, type Running, start } from '../support/cli.js';
import { failure } from '../support/failure.js';
import { ARGS, local, OPTIONS, prose, records } from '../support/remote.js';
import { type Gate, gate, type Keys, problem, type Seen, type Store, store } from '../support/s3-gate.js';
import { type MemoryWorld, memoryWorld } from '../support/world.js';

const {
  MILLRACE_S3_ENDPOINT: ELSEWHERE,
  MILLRACE_S3_KEY_ID = 'millrace-test',
  MILLRACE_S3_SECRET = 'millrace-test-secret',
} = process.env;
const KEYS: Keys = { id: MILLRACE_S3_KEY_ID, secret: MILLRACE_S3_SECRET };
const ENV = { AWS_ACCESS_KEY_ID: KEYS.id, AWS_SECRET_ACCESS_KEY: KEYS.secret, AWS_REGION: 'us-east-1' };

let fauxqs: FauxqsServer | undefined;
let door: Gate;
let objects: Store;
let buckets = 0;

beforeAll(async () => {
  fauxqs = ELSEWHERE === undefined ? await startFauxqs({ port: 0, host: '127.0.0.1', logger: false }) : undefined;
  const endpoint = ELSEWHERE ?? `http://127.0.0.1:${fauxqs!.port}`;
  objects = store(endpoint, KEYS);
  door = await gate({ endpoint, keys: KEYS, open: ['millrace-open'] });
});

afterEach(() => {
  door.step = () => undefined;
  door.seen.length = 0;
});

afterAll(async () => {
  await door.close();
  await fauxqs?.stop();
});

/** A new bucket with these in it. */
async function bucket(contents: Readonly<Record<string, Buffer | string>> = {}): Promise<string> {
  // Servers that outlive a run of the tests know those of the last one.
  const name = `millrace-${process.pid}-${Date.now().toString(36)}-${++buckets}`;
  await objects.createBucket(name);
  for (const [key, content] of Object.entries(contents)) expect(await objects.put(name, key, content), key).toBe(true);
  return name;
}

interface WorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** A disk in memory, the gate as the only network, no waiting between attempts. */
function world({ env = ENV, files = {} }: WorldOptions = {}): MemoryWorld {
  const http = (request: HttpRequest) => nodeWorld.http({ ...request, idleTimeoutMs: 5000 });
  return { ...memoryWorld({ env, files }), http, date: nodeWorld.date };
}

const AT: () => JobOptions = () => ({ ...OPTIONS, s3Endpoint: door.url, s3PathStyle: true });

/** Into memory; gives the lines. */
async function read(input: string | readonly string[], options: JobOptions = {}, from = world()): Promise<string> {
  await run({ ...AT(), input, out: 'out.jsonl', ...options }, {}, from);
  return from.files()['out.jsonl']!;
}

/** It fails, and nothing is left. */
async function refused(input: string | readonly string[], options: JobOptions = {}, from = world()) {
  const error = await failure(read(input, options, from));
  expect(Object.keys(from.files()).filter((name) => name.includes('out.jsonl'))).toEqual([]);
  expect(error.message).not.toContain(KEYS.secret);
  return error;
}

const sourcesOf = (lines: string): string[] => [...new Set(chunksIn(lines).map(({ source }) => source))];
const gets = (): Seen[] => door.seen.filter(({ method, query }) => method === 'GET' && !query.has('list-type'));
const lists = (): Seen[] => door.seen.filter(({ query }) => query.has('list-type'));

/* ------------------------------------------------------------------ objects */

describe('an object', () => {
  it('gives what a local file gives: text, records, compressed or not', async () => {
    const texts = { 'a/plain.txt': prose(3000), 'a/rows.jsonl': records(400), 'a/none.txt': '' };
    const name = await bucket({
      ...texts,
      'a/rows.jsonl.gz': gzipSync(texts['a/rows.jsonl']),
      'a/plain.txt.br': brotliCompressSync(texts['a/plain.txt']),
    });
    for (const [key, text] of Object.entries({
      ...texts,
      'a/rows.jsonl.gz': texts['a/rows.jsonl'],
      'a/plain.txt.br': texts['a/plain.txt'],
    })) {
      const uri = `s3://${name}/${key}`;
      expect(await read(uri), key).toBe(await local(uri, text));
    }
  });

  it('is read on after breaks, by a range of the same object', async () => {
    const text = prose(20_000);
    const name = await bucket({ 'long.txt': text });
    const bytes = Buffer.byteLength(text);
    // Gets on, then three times not, then to the end.
    const cuts = [bytes * 0.3, bytes * 0.3, 0, 0, 0, Infinity];
    door.step = ({ method }) => (method === 'GET' ? { cutAfter: Math.ceil(cuts.shift()!) } : undefined);
    expect(await read(`s3://${name}/long.txt`)).toBe(await local(`s3://${name}/long.txt`, text));
    const [, ...later] = gets();
    expect(later.length).toBe(5);
    for (const { headers } of later) {
      expect(headers.range).toMatch(/^bytes=\d+-/);
      expect(headers['if-match']).toMatch(/^".+"$/);
    }
  });

  it('that is overwritten under us is an error, also where it is of the same length', async () => {
    const name = await bucket({ 'a.txt': prose(8000, 0) });
    door.step = async ({ method }) => {
      if (method === 'HEAD') return undefined;
      if (gets().length === 1) return { cutAfter: 200_000 };
      await objects.put(name, 'a.txt', prose(8000, 1));
      return undefined;
    };
    expect(await refused(`s3://${name}/a.txt`)).toMatchObject({
      kind: 'source',
      reason: 'changed',
      origin: `s3://${name}/a.txt`,
    });
    expect(gets().length).toBe(2);
  });

  it('that is not there, or whose bucket is not, is an error that says so', async () => {
    const name = await bucket({ 'a.txt': 'x' });
    for (const input of [`s3://${name}/b.txt`, `s3://${name}-none/a.txt`])
      expect(await refused(input)).toMatchObject({ kind: 'source', reason: 'not-found' });
  });

  it('has a key of any characters, whether it is named or listed', async () => {
    const keys = [
      'a b+c.txt',
      'ünï/漢字.txt',
      '100%.txt',
      'x%2Fy.txt',
      "q'u!o(te)~.txt",
      'a&b=c#d.txt',
      'dir//x.txt',
      '/lead.txt',
      'b<c>"d".txt',
      'e\\f.txt',
    ];
    const name = await bucket();
    const text = (key: string) => `The text of ${key}.`;
    for (const key of keys) await objects.put(name, key, text(key));
    const stored = await objects.keys(name);
    const same = keys.filter((key) => stored.includes(key));
    // Some servers tidy keys that look like paths; fauxqs and most others take any.
    expect(same.length).toBeGreaterThanOrEqual(ELSEWHERE === undefined ? keys.length : 7);
    const listed = chunksIn(await read(`s3://${name}/`));
    expect(listed.map(({ source }) => source)).toEqual(stored.map((key) => `s3://${name}/${key}`).sort());
    for (const key of same) {
      const uri = `s3://${name}/${key}`;
      const [named, ...more] = chunksIn(await read(uri));
      expect([named?.text, more.length], key).toEqual([text(key), 0]);
      expect(
        listed.find(({ source }) => source === uri),
        key,
      ).toEqual(named);
    }
  });
});

/* ------------------------------------------------------------------ lists */

describe('a list', () => {
  it('of more than a page comes whole, in one order', async () => {
    const count = 1050;
    const keys = Array.from({ length: count }, (_, n) => `page/${String(n).padStart(5, '0')}.txt`);
    const name = await bucket();
    const left = [...keys].reverse();
    const worker = async () => {
      for (let key = left.pop(); key !== undefined; key = left.pop()) await objects.put(name, key, `Text of ${key}`);
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    // Both pages are looked through for it, which is cheaper than to read them all.
    const lines = await read(`s3://${name}/page/*7.txt`);
    expect(chunksIn(lines).map(({ text }) => text)).toEqual(
      keys.filter((key) => key.endsWith('7.txt')).map((key) => `Text of ${key}`),
    );
    expect(lists().length).toBe(2);
    expect(lists()[1]!.query.get('continuation-token')).not.toBe('');
  });

  const TREE = ['a1.jsonl', 'a2.jsonl', 'b1.jsonl', 'docs/a3.jsonl', 'docs/deep/a4.jsonl', 'docs/x.txt', 'docs2/y.txt', 'B.txt'];
  const tree = () =>
    bucket(Object.fromEntries(TREE.map((key) => [key, key.endsWith('.txt') ? `text of ${key}` : `{"key":"${key}"}\n`])));

  it('of a prefix is what is below it', async () => {
    const name = await tree();
    const found = async (input: string) =>
      sourcesOf(await read(`s3://${name}/${input}`)).map((uri) => uri.slice(`s3://${name}/`.length));
    expect(await found('docs/')).toEqual(['docs/a3.jsonl', 'docs/deep/a4.jsonl', 'docs/x.txt']);
    expect(await found('')).toEqual([...TREE].sort());
  });

  it.each([
    ['a*.jsonl', ['a1.jsonl', 'a2.jsonl']],
    ['?1.jsonl', ['a1.jsonl', 'b1.jsonl']],
    ['**/*.txt', ['B.txt', 'docs/x.txt', 'docs2/y.txt']],
    ['docs/**/a[0-9].jsonl', ['docs/a3.jsonl', 'docs/deep/a4.jsonl']],
    ['{a1,docs2/y}.{jsonl,txt}', ['a1.jsonl', 'docs2/y.txt']],
  ])('is matched by %s', async (pattern, keys) => {
    const name = await tree();
    expect(sourcesOf(await read(`s3://${name}/${pattern}`))).toEqual(keys.map((key) => `s3://${name}/${key}`));
  });

  it('leaves out what only marks a folder', async () => {
    const name = await bucket({ 'docs/x.txt': 'text' });
    // Some servers keep folders of their own and refuse it.
    await objects.put(name, 'docs/', '');
    expect(sourcesOf(await read(`s3://${name}/docs/`))).toEqual([`s3://${name}/docs/x.txt`]);
  });

  it.each(['none/', 'none*.txt'])('of nothing (%s) is an error', async (input) => {
    const name = await tree();
    expect((await refused(`s3://${name}/${input}`)).kind).toMatch(/^(source|config)$/);
  });

  it('of one that changes before it is read is an error, or gives the new one whole', async () => {
    const name = await bucket({ 'a.txt': prose(50, 0) });
    door.step = async ({ query }) => {
      if (!query.has('list-type')) await objects.put(name, 'a.txt', prose(50, 1));
      return undefined;
    };
    const uri = `s3://${name}/a.txt`;
    const lines = await read(`s3://${name}/*.txt`).catch((error: unknown) => {
      expect(error).toMatchObject({ kind: 'source', reason: 'changed' });
    });
    if (lines !== undefined) expect(lines).toBe(await local(uri, prose(50, 1)));
  });
});

/* ------------------------------------------------------------------ keys */

describe('signatures', () => {
  it('with the wrong secret, or an id that is not known, are refused with a hint, and without the secret', async () => {
    const name = await bucket({ 'a.txt': 'text' });
    for (const wrong of [{ AWS_SECRET_ACCESS_KEY: 'another-secret' }, { AWS_ACCESS_KEY_ID: 'NOBODY' }]) {
      const error = await refused(`s3://${name}/a.txt`, {}, world({ env: { ...ENV, ...wrong } }));
      expect(error).toMatchObject({ kind: 'source', reason: 'denied' });
      expect(error.message).not.toContain('another-secret');
    }
    const ended = await millrace([`s3://${name}/a.txt`, '--s3-endpoint', door.url], {
      env: { ...ENV, AWS_SECRET_ACCESS_KEY: 'another-secret' },
    });
    expect([ended.code, ended.stdout.length]).toEqual([3, 0]);
    expect(ended.stderr).not.toContain('another-secret');
  });

  it('that cannot be made, for want of keys, are an error that says where keys were looked for', async () => {
    const name = await bucket({ 'a.txt': 'text' });
    const error = await refused(`s3://${name}/a.txt`, {}, world({ env: {} }));
    expect(error.message).toContain('AWS_ACCESS_KEY_ID');
    expect(error.message).toMatch(/s3-?anonymous/i);
    expect(door.seen.length).toBe(0);
  });

  it('are made with the keys of a profile, and its session token', async () => {
    const name = await bucket({ 'a.txt': 'text' });
    const lines = [
      '[other]',
      `aws_access_key_id = ${KEYS.id}`,
      `aws_secret_access_key = ${KEYS.secret}`,
      'aws_session_token = passing',
    ];
    const files = { credentials: `[default]\naws_access_key_id = WRONG\naws_secret_access_key = wrong\n${lines.join('\n')}\n` };
    const env = { AWS_SHARED_CREDENTIALS_FILE: `${process.cwd()}/credentials`, AWS_CONFIG_FILE: `${process.cwd()}/none` };
    // Other servers know no session of that name; the gate has checked that it is signed.
    if (ELSEWHERE !== undefined)
      door.step = () => ({ answer: { status: 200, body: 'text', headers: { etag: '"e"', 'content-length': '4' } } });
    expect(
      chunksIn(await read(`s3://${name}/a.txt`, { s3Profile: 'other' }, world({ env, files }))).map(({ text }) => text),
    ).toEqual(['text']);
    expect(gets()[0]!.headers['x-amz-security-token']).toBe('passing');
  });

  it('are left out where the bucket is open to all', async () => {
    await objects.createBucket('millrace-open').catch(() => {});
    await objects.put('millrace-open', 'a.txt', 'text');
    // fauxqs answers anyone; others need a policy, which is theirs to test.
    if (ELSEWHERE !== undefined)
      door.step = () => ({ answer: { status: 200, body: 'text', headers: { etag: '"e"', 'content-length': '4' } } });
    const lines = await read('s3://millrace-open/a.txt', { s3Anonymous: true }, world({ env: {} }));
    expect(chunksIn(lines).map(({ text }) => text)).toEqual(['text']);
    expect(gets().map(({ headers }) => headers.authorization)).toEqual([undefined]);
    const name = await bucket({ 'a.txt': 'text' });
    expect(await refused(`s3://${name}/a.txt`, { s3Anonymous: true }, world({ env: {} }))).toMatchObject({ reason: 'denied' });
  });
});

/* ------------------------------------------------------------------ output */

/** More than a part of an upload. */
const LONG = prose(160_000);

/** Into a bucket; what is in it then. */
async function write(to: string, options: JobOptions, from: MemoryWorld): Promise<Summary> {
  return run({ ...AT(), out: to, ...options }, {}, from);
}

const uploads = (): string[] =>
  door.seen
    .filter(({ method }) => method !== 'GET' && method !== 'HEAD')
    .map(({ method, path, query }) => {
      const name = path.split('/').slice(2).join('/');
      if (query.has('uploads')) return `begin ${name}`;
      if (!query.has('uploadId')) return `${method.toLowerCase()} ${name}`;
      return `${{ PUT: `part ${query.get('partNumber')}`, POST: 'complete', DELETE: 'abort' }[method]} ${name}`;
    });

describe('output', () => {
  const OUT = 'runs/1/out.jsonl';

  /** Nothing is visible, and no upload is left open. */
  async function untouched(name: string): Promise<void> {
    expect(await objects.keys(name)).toEqual([]);
    expect(await objects.openUploads(name)).toBe(0);
  }

  it('of a few lines is one request, the manifest after it, the same bytes as on a disk', async () => {
    const name = await bucket();
    const text = prose(100);
    const summary = await write(`s3://${name}/${OUT}`, { input: 'a.txt' }, world({ files: { 'a.txt': text } }));
    expect(uploads().filter((each) => !/^(begin|abort) /.test(each))).toEqual([`put ${OUT}`, `put ${OUT}.manifest.json`]);
    expect((await objects.get(name, OUT))!.toString()).toBe(await local('a.txt', text));
    const manifest = JSON.parse((await objects.get(name, `${OUT}.manifest.json`))!.toString());
    expect(manifest.files).toEqual(summary.files.map((file) => ({ ...file, path: 'out.jsonl' })));
    expect(await objects.openUploads(name)).toBe(0);
  });

  it('of many goes up in parts, and is there when it is complete, the manifest last', async () => {
    const name = await bucket();
    let seenEarly: readonly string[] = [];
    door.step = async ({ method, query }) => {
      if (method === 'POST' && query.has('uploadId')) seenEarly = await objects.keys(name);
      return undefined;
    };
    await write(`s3://${name}/${OUT}`, { input: 'a.txt' }, world({ files: { 'a.txt': LONG } }));
    expect(seenEarly).toEqual([]);
    const order = uploads().filter((each) => !/^(begin|abort) /.test(each));
    expect(order.slice(0, -2).sort()).toEqual([`part 1 ${OUT}`, `part 2 ${OUT}`]);
    expect(order.slice(-2)).toEqual([`complete ${OUT}`, `put ${OUT}.manifest.json`]);
    expect((await objects.get(name, OUT))!.equals(Buffer.from(await local('a.txt', LONG)))).toBe(true);
    expect(await objects.keys(name)).toEqual([OUT, `${OUT}.manifest.json`]);
    expect(await objects.openUploads(name)).toBe(0);
  });

  it('gets over parts that are refused or broken for a moment', async () => {
    const name = await bucket();
    let count = 0;
    door.step = ({ method, query }) => {
      if (method !== 'PUT' || !query.has('partNumber')) return undefined;
      count++;
      if (count === 1) return { ...problem(503, 'SlowDown') };
      return count === 3 ? { cutAfter: 0 } : undefined;
    };
    await write(`s3://${name}/${OUT}`, { input: 'a.txt' }, world({ files: { 'a.txt': LONG } }));
    expect(count).toBeGreaterThanOrEqual(4);
    expect((await objects.get(name, OUT))!.equals(Buffer.from(await local('a.txt', LONG)))).toBe(true);
  });

  it('of a run that fails leaves nothing: no object, no upload', async () => {
    const name = await bucket();
    const files = { 'a.txt': LONG, 'b.jsonl': '{"a":1}\n{"a":' };
    const error = await failure(write(`s3://${name}/${OUT}`, { input: ['a.txt', 'b.jsonl'] }, world({ files })));
    expect(error.kind).toBe('record');
    expect(uploads()).toContain(`abort ${OUT}`);
    await untouched(name);
  });

  it('that is refused is an error of the sink, and leaves nothing', async () => {
    const name = await bucket();
    const refusals: readonly (readonly [text: string, refusal: (seen: Seen) => boolean])[] = [
      ['text', ({ query }) => query.has('uploads')],
      ['text', ({ method, query }) => method === 'PUT' && !query.has('partNumber')],
      [LONG, ({ method, query }) => method === 'PUT' && query.get('partNumber') === '2'],
      [LONG, ({ method, query }) => method === 'POST' && query.has('uploadId')],
    ];
    for (const [text, refusal] of refusals) {
      door.step = (seen) => (refusal(seen) ? problem(403, 'AccessDenied') : undefined);
      const error = await failure(write(`s3://${name}/${OUT}`, { input: 'a.txt' }, world({ files: { 'a.txt': text } })));
      expect(error.kind).toBe('sink');
      expect(error.message).not.toContain(KEYS.secret);
      expect(await objects.keys(name)).toEqual([]);
    }
    await untouched(name);
  });

  it('that is complete only in the status of the answer is not taken for complete', async () => {
    const name = await bucket();
    door.step = ({ method, query }) =>
      method === 'POST' && query.has('uploadId')
        ? { answer: { ...problem(200, 'InternalError').answer!, status: 200 } }
        : undefined;
    const error = await failure(write(`s3://${name}/${OUT}`, { input: 'a.txt' }, world({ files: { 'a.txt': LONG } })));
    expect(error.kind).toBe('sink');
    door.step = () => undefined;
    await untouched(name);
  });

  it('to a bucket that is not there is an error of the sink', async () => {
    const files = { 'a.txt': 'text' };
    expect((await failure(write('s3://millrace-there-is-none/out.jsonl', { input: 'a.txt' }, world({ files })))).kind).toBe(
      'sink',
    );
  });

  it('beside the input is no input of the next run', async () => {
    const name = await bucket({ 'b.txt': prose(40) });
    const out = `s3://${name}/out.jsonl`;
    await write(out, { input: `s3://${name}/` }, world());
    const first = (await objects.get(name, 'out.jsonl'))!.toString();
    expect(sourcesOf(first)).toEqual([`s3://${name}/b.txt`]);
    await write(out, { input: `s3://${name}/` }, world());
    expect((await objects.get(name, 'out.jsonl'))!.toString()).toBe(first);
  });

  /** A run that has sent a part and waits for more input. */
  async function halfWay(name: string): Promise<Running> {
    const args = ['-', ...ARGS, '-o', `s3://${name}/${OUT}`, '--s3-endpoint', door.url];
    const sent = new Promise<void>((resolve) => {
      door.step = ({ query }) => {
        if (query.get('partNumber') === '1') resolve();
        return undefined;
      };
    });
    const running = start(args, { env: ENV });
    running.child.stdin.write(LONG);
    await Promise.race([sent, once(running.child, 'exit')]);
    if (running.child.exitCode !== null) throw new Error(`it ended early, with ${running.child.exitCode}`);
    return running;
  }

  it('of a run that is killed is not visible', async () => {
    const name = await bucket();
    const running = await halfWay(name);
    running.child.kill('SIGKILL');
    expect((await running.endedUnread()).signal).toBe('SIGKILL');
    expect(await objects.keys(name)).toEqual([]);
  });

  it('of a run that is interrupted is taken back', async () => {
    const name = await bucket();
    const running = await halfWay(name);
    running.child.kill('SIGINT');
    expect((await running.endedUnread()).code).toBe(130);
    await untouched(name);
  });
});

/* ------------------------------------------------------------------ verify */

describe('verify', () => {
  it('proves chunks of objects, plain and compressed, through breaks, and finds what has changed', async () => {
    const name = await bucket({ 'a/plain.txt': prose(1500), 'a/rows.jsonl.gz': gzipSync(records(200)) });
    const from = world();
    await read(`s3://${name}/a/`, {}, from);
    const proof = () => verify({ path: 'out.jsonl', s3Endpoint: door.url, s3PathStyle: true }, {}, from);
    let asked = 0;
    door.step = ({ method }) => (method === 'GET' && ++asked % 2 === 1 ? { cutAfter: 1000 } : undefined);
    expect(await proof()).not.toHaveProperty('fault');
    expect(asked).toBeGreaterThan(2);
    door.step = () => undefined;
    await objects.put(name, 'a/plain.txt', prose(1500, 1));
    expect((await proof()).fault).toContain('plain.txt');
  });
});
