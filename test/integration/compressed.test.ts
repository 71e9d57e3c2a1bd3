/**
 * One text in every compression, by every way in, through the program: the same texts and the same ranges of bytes as from the
 * plain file. What each decompressor refuses: test/sources/.
 */
import { startFauxqs } from 'fauxqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Chunk } from '../../src/types.js';
import { chunksIn, type Ended, manifestIn, millrace, temporary } from '../support/cli.js';
import { dayBook, forms } from '../support/compressed.js';
import { type FaultServer, faultServer } from '../support/fault-server.js';
import { ARGS, local } from '../support/remote.js';
import { store } from '../support/s3-gate.js';

const NAMES = forms.map(({ name }) => name);
const KEYS = { id: 'millrace-test', secret: 'millrace-test-secret' };

const place = temporary();
afterAll(place.remove);

/** What is the same whatever the source is called. */
const bare = ({ index, start, end, text, metadata }: Chunk) => ({ index, start, end, text, metadata });

let plain: readonly ReturnType<typeof bare>[];

/** Each of these sources gave what the plain file gives. */
function expectPlain(ended: Ended, sources: readonly string[]): void {
  expect(ended.code, ended.stderr).toBe(0);
  const chunks = chunksIn(ended.stdout);
  expect([...new Set(chunks.map(({ source }) => source))]).toEqual(sources);
  for (const source of sources) expect(chunks.filter((chunk) => chunk.source === source).map(bare), source).toEqual(plain);
}

beforeAll(async () => {
  place.write('book.txt', dayBook);
  for (const { name, bytes } of forms) place.write(`packed/${name}`, bytes);
  plain = chunksIn(await local('book.txt', new TextDecoder().decode(dayBook))).map(bare);
});

describe('the same texts and ranges come', () => {
  it('from a plain file, which is worth the trouble', async () => {
    expectPlain(await millrace(['book.txt', ...ARGS], { cwd: place.dir }), ['book.txt']);
    expect(plain.length).toBeGreaterThan(200);
    expect(plain.at(-1)!.end).toBeGreaterThan(dayBook.length - 3);
  });

  it('from compressed files, and verify reads them the same way', async () => {
    const ended = await millrace(['packed/', ...ARGS, '-o', 'out.jsonl'], { cwd: place.dir });
    expectPlain({ ...ended, stdout: place.read('out.jsonl') }, NAMES.map((name) => `packed/${name}`).sort());
    const receipts = manifestIn(place, 'out.jsonl').sources;
    expect(new Set(receipts.map(({ sha256 }) => sha256)).size).toBe(1);
    expect(receipts.map(({ compression }) => compression).sort()).toEqual(forms.map(({ compression }) => compression).sort());
    const proof = await millrace(['verify', 'out.jsonl'], { cwd: place.dir });
    expect(proof.code, proof.stderr).toBe(0);
  });

  it.each(forms.map(({ name, compression, bytes }) => [name, compression, bytes] as const))(
    'from standard input that is %s',
    async (_, compression, bytes) => {
      // brotli has no sign by which to know it.
      const told = compression === 'br' ? ['--compression', 'br'] : [];
      expectPlain(await millrace(['-', ...ARGS, ...told], { stdin: [bytes] }), ['-']);
    },
  );

  it('by HTTP', async () => {
    const paths = ['book.txt', ...NAMES].map((name) => `/shelf/${name}`);
    const bytes = [Buffer.from(dayBook), ...forms.map((form) => Buffer.from(form.bytes))];
    const server: FaultServer = await faultServer(new Map(paths.map((path, n) => [path, [bytes[n]!, bytes[n]!]])));
    try {
      const addresses = paths.map((path) => server.url + path);
      expectPlain(await millrace([...addresses, ...ARGS]), addresses);
    } finally {
      await server.close();
    }
  });

  it('from S3', async () => {
    const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
    try {
      const endpoint = `http://127.0.0.1:${server.port}`;
      const shelf = store(endpoint, KEYS);
      await shelf.createBucket('shelf');
      await shelf.put('shelf', 'in/book.txt', Buffer.from(dayBook));
      for (const { name, bytes } of forms) await shelf.put('shelf', `in/${name}`, Buffer.from(bytes));
      const env = { AWS_ACCESS_KEY_ID: KEYS.id, AWS_SECRET_ACCESS_KEY: KEYS.secret };
      const ended = await millrace(['s3://shelf/in/', ...ARGS, '--s3-endpoint', endpoint], { env });
      expectPlain(ended, ['book.txt', ...NAMES].map((name) => `s3://shelf/in/${name}`).sort());
    } finally {
      await server.stop();
    }
  });
});
