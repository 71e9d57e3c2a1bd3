import { describe, expect, it } from 'vitest';
import { s3 } from '../../sources/s3.js';
import { conformSource, failsAs, readAll } from '../conformance/source.js';
import { answer, type BucketOptions, bucketOf, failure as refusal } from '../support/bucket.js';
import { failure } from '../support/failure.js';
import { memoryWorld } from '../support/world.js';

const OPTIONS = { endpoint: 'http://127.0.0.1:9000', pathStyle: false, anonymous: false };
const ENV = { AWS_ACCESS_KEY_ID: 'AKIDSECRET', AWS_SECRET_ACCESS_KEY: 'SK' };

const NEVER = new AbortController().signal;

function opening(options: BucketOptions) {
  const bucket = bucketOf(options);
  const world = memoryWorld({ http: bucket.http, env: ENV });
  return { bucket, open: (input: string, signal = NEVER) => s3(input, OPTIONS, world, signal) };
}

async function uris(options: BucketOptions, input: string): Promise<string[]> {
  return (await opening(options).open(input)).map(({ origin }) => origin!.uri);
}

const ODD = ['a b', 'a+b', 'a%20b', '/lead', 'x//y', 'q?x=1&y#z', "odd(!)*'", 'ü/é', '日本', '\u{10000}', '\uffff', '<&>"'];

describe('an object', () => {
  it('keeps the laws of a source', async () => {
    const bytes = Buffer.from('line\n'.repeat(3000));
    const { open } = opening({ objects: { 'x.txt': bytes } });
    await conformSource(async () => (await open('s3://bkt/x.txt'))[0]!, [['s3://bkt/x.txt', bytes]]);
  });

  it.each(ODD)('may be called %j', async (key) => {
    const { open } = opening({ objects: { [key]: `of ${key}` } });
    // A pattern that is a key is that key.
    const [read] = await readAll((await open(`s3://bkt/${key}`))[0]!);
    expect([read!.origin.uri, Buffer.from(read!.bytes).toString()]).toEqual([`s3://bkt/${key}`, `of ${key}`]);
  });

  it.each(['s3://bkt/k', 's3://bkt/', 's3://bkt/*'])('is not looked for any more once the run is stopped: %s', async (input) => {
    const { open } = opening({ objects: { k: 'before' } });
    const stopped = new Error('stopped by the test');
    await expect(open(input, AbortSignal.abort(stopped))).rejects.toBe(stopped);
  });

  it('is found before it is read, and bound to what was found', async () => {
    const { bucket, open } = opening({ objects: { k: 'before' } });
    const [source] = await open('s3://bkt/k');
    expect(source).toMatchObject({ origin: { uri: 's3://bkt/k', bytes: 6 }, paths: ['s3://bkt/k'] });
    bucket.objects.set('k', Buffer.from('behind'));
    await failsAs(readAll(source!), 'changed', 's3://bkt/k');
    expect(bucket.asked).toEqual(['HEAD /bkt/k', 'GET /bkt/k']);
  });

  it('that is empty is read', async () => {
    const { open } = opening({ objects: { k: '' } });
    expect((await readAll((await open('s3://bkt/k'))[0]!))[0]!.bytes).toHaveLength(0);
  });

  it('that goes before it is read is an error', async () => {
    const { bucket, open } = opening({ objects: { k: 'x' } });
    const [source] = await open('s3://bkt/k');
    bucket.objects.delete('k');
    await failsAs(readAll(source!), 'not-found', 's3://bkt/k');
  });
});

describe('a prefix', () => {
  it('is all below it, by names, page after page', async () => {
    const keys = [...ODD.map((key) => `p/${key}`), ...Array.from({ length: 25 }, (_, n) => `p/n${n}`)];
    const objects = Object.fromEntries([...keys, 'q', 'p', 'pp/x'].map((key) => [key, key]));
    const { bucket, open } = opening({ objects, pageKeys: 7 });
    const found = await open('s3://bkt/p/');
    expect(found.map(({ origin }) => origin!.uri)).toEqual(keys.sort().map((key) => `s3://bkt/${key}`));
    expect(bucket.asked).toHaveLength(Math.ceil(keys.length / 7));
    for (const source of found) {
      const [read] = await readAll(source);
      expect(`s3://bkt/${Buffer.from(read!.bytes)}`).toBe(read!.origin.uri);
    }
  });

  it('leaves out what is hidden, and what stands for folders', async () => {
    const objects = { 'p/': '', 'p/sub/': '', 'p/full/': 'x', 'p/.git/a': 'x', 'p/.a': 'x', 'p/a': '', 'p/b.c': 'x' };
    expect(await uris({ objects }, 's3://bkt/p/')).toEqual(['s3://bkt/p/a', 's3://bkt/p/b.c', 's3://bkt/p/full/']);
    expect(await uris({ objects }, 's3://bkt/p/.git/')).toEqual(['s3://bkt/p/.git/a']);
  });

  it('may be the whole bucket', async () => {
    for (const input of ['s3://bkt', 's3://bkt/'])
      expect(await uris({ objects: { b: '', a: '' } }, input)).toEqual(['s3://bkt/a', 's3://bkt/b']);
  });

  it('without objects is an error', async () => {
    const { open } = opening({ objects: { 'p/': '', 'q/a': '' } });
    await failsAs(open('s3://bkt/p/'), 'no-files', 's3://bkt/p/');
  });
});

describe('a pattern', () => {
  const objects = Object.fromEntries(
    ['a1.jsonl.gz', 'a/2.jsonl.gz', 'a10.jsonl.gz', 'b.jsonl.gz', 'a1.txt'].map((key) => [key, key]),
  );

  it('is what matches, listed by what it begins with', async () => {
    const { bucket, open } = opening({ objects });
    expect((await open('s3://bkt/a*.jsonl.gz')).map(({ origin }) => origin!.uri)).toEqual([
      's3://bkt/a1.jsonl.gz',
      's3://bkt/a10.jsonl.gz',
    ]);
    expect(bucket.asked).toEqual(['GET /bkt?encoding-type=url&list-type=2&prefix=a']);
    expect(await uris({ objects }, 's3://bkt/**/*.gz')).toHaveLength(4);
  });

  it('that matches nothing is an error', async () => {
    await failsAs(opening({ objects }).open('s3://bkt/c*'), 'no-match', 's3://bkt/c*');
  });
});

describe('what goes wrong', () => {
  it('is a missing object or bucket, with a hint', async () => {
    const { open } = opening({ objects: { 'folder/x': '' } });
    const error = await failsAs(open('s3://bkt/folder'), 'not-found', 's3://bkt/folder');
    expect(error.message).toContain('end the name with /');
    await failsAs(open('s3://other/'), 'not-found', 's3://other/');
  });

  it('is a refusal, and a server that is never well', async () => {
    await failsAs(opening({ before: () => refusal(403, 'AccessDenied') }).open('s3://bkt/k'), 'denied', 's3://bkt/k');
    const { bucket, open } = opening({ before: () => answer(503) });
    await failsAs(open('s3://bkt/'), 'unavailable', 's3://bkt/');
    expect(bucket.asked).toHaveLength(9);
  });

  it.each([
    ['no listing', '<html><body>Welcome</body></html>'],
    ['no XML', 'Welcome & hello'],
    ['a listing that is cut', '<ListBucketResult><IsTruncated>false</IsTruncated>'],
    ['a listing that goes on nowhere', '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>'],
    [
      'a listing in a circle',
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>',
    ],
    ['an object without a size', '<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>'],
    [
      'a key that is cut',
      '<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%E0%A4</Key><Size>1</Size></Contents></ListBucketResult>',
    ],
  ])('is %s', async (_, text) => {
    await failsAs(opening({ before: () => answer(200, {}, text) }).open('s3://bkt/'), 'bad-answer', 's3://bkt/');
  });

  it('is a bad name', async () => {
    expect(await failure(opening({}).open('s3://'))).toMatchObject({ kind: 'config' });
    expect(await failure(opening({}).open('s3://bkt/a/../b'))).toMatchObject({ kind: 'config' });
  });
});

describe('servers that differ', () => {
  const entry = (key: string, etag: string) => `<Contents><Key>${key}</Key><Size>1</Size><ETag>${etag}</ETag></Contents>`;

  it('do not encode keys, or leave out the quotes of ETags', async () => {
    const text = `<ListBucketResult><IsTruncated>false</IsTruncated>${entry('a+b%20c &amp; d', 'abc')}</ListBucketResult>`;
    const { bucket, open } = opening({ before: ({ url }) => (url.pathname === '/bkt' ? answer(200, {}, text) : undefined) });
    const [source] = await open('s3://bkt/');
    expect(source!.origin!.uri).toBe('s3://bkt/a+b%20c & d');
    let condition: string | undefined;
    bucket.objects.set('a+b%20c & d', Buffer.from('x'));
    const world = memoryWorld({
      env: ENV,
      http: (request) => {
        condition ??= request.headers['if-match'];
        return request.url.pathname === '/bkt' ? answer(200, {}, text) : answer(200, { etag: '"abc"' }, 'x');
      },
    });
    await readAll((await s3('s3://bkt/', OPTIONS, world, NEVER))[0]!);
    expect(condition).toBe('"abc"');
  });
});
