import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { objectPlace, partBytes } from '../../sinks/s3-object.js';
import { HttpError, type HttpRequest } from '../../src/http.js';
import { answer, type BucketOptions, bucketOf, failure as refusal } from '../support/bucket.js';
import { failure } from '../support/failure.js';
import { memoryWorld } from '../support/world.js';

const OPTIONS = { endpoint: 'http://127.0.0.1:9000', pathStyle: false, anonymous: false };
const ENV = { AWS_ACCESS_KEY_ID: 'AKIDSECRET', AWS_SECRET_ACCESS_KEY: 'SK' };
const PATH = 's3://bkt/out/x.jsonl';
const KEY = 'out/x.jsonl';
const MIB = 2 ** 20;

function placeOf(options: BucketOptions = {}) {
  const bucket = bucketOf(options);
  return { bucket, place: objectPlace(OPTIONS, memoryWorld({ http: bucket.http, env: ENV })) };
}

/** Bytes in which no place is like another nearby. */
const bytesOf = (length: number) =>
  Buffer.alloc(
    length,
    Uint8Array.from({ length: 257 }, (_, n) => (n * 31) & 255),
  );
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** In pieces of one buffer that is used again. */
async function writeAll(
  file: Awaited<ReturnType<ReturnType<typeof objectPlace>['open']>>,
  bytes: Buffer,
  piece = 300_000,
): Promise<void> {
  const buffer = Buffer.alloc(piece);
  for (let at = 0; at < bytes.length; at += piece) {
    const length = bytes.copy(buffer, 0, at);
    await file.write(buffer.subarray(0, length));
    buffer.fill(0xee);
  }
}

describe('an object', () => {
  it.each([
    [0, 0],
    [1, 0],
    [8 * MIB, 0],
    [8 * MIB + 1, 2],
    [16 * MIB, 2],
    [20 * MIB + 17, 3],
  ])('of %i bytes goes up in one request, or in parts of 8 MiB, and is seen when it is whole', async (length, parts) => {
    const { bucket, place } = placeOf({ objects: { [KEY]: 'of the last run' } });
    const bytes = bytesOf(length);
    const file = await place.open(PATH);
    await writeAll(file, bytes);
    expect(bucket.objects.get(KEY)!.toString()).toBe('of the last run');
    expect(await file.commit()).toEqual({ path: PATH, bytes: length, sha256: digest(bytes) });
    expect(bucket.objects.get(KEY)!.equals(bytes)).toBe(true);
    expect(bucket.uploads.size).toBe(0);
    expect(bucket.asked.filter((each) => each.includes('partNumber'))).toHaveLength(parts);
  });

  it('may be written in one piece that is many parts', async () => {
    const { bucket, place } = placeOf();
    const bytes = bytesOf(17 * MIB);
    const file = await place.open(PATH);
    await file.write(bytes);
    await file.commit();
    expect(bucket.objects.get(KEY)!.equals(bytes)).toBe(true);
  });

  it('holds two parts at most: one is filled while one is sent', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const bucket = bucketOf();
    const http = async (request: HttpRequest) => {
      if (request.url.searchParams.has('partNumber')) await held;
      return bucket.http(request);
    };
    const file = await objectPlace(OPTIONS, memoryWorld({ http, env: ENV })).open(PATH);
    const bytes = bytesOf(MIB);
    // The first part is under way, the second is full.
    for (let k = 0; k < 16; k++) await file.write(bytes);
    let isTaken = false;
    const next = file.write(bytes).then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isTaken).toBe(false);
    release();
    await next;
    expect(await file.commit()).toMatchObject({ bytes: 17 * MIB });
  });

  it('is given up without a trace, at any point', async () => {
    for (const length of [0, 100, 9 * MIB]) {
      const { bucket, place } = placeOf({ objects: { [KEY]: 'of the last run' } });
      const file = await place.open(PATH);
      await writeAll(file, bytesOf(length));
      await file.abort();
      await file.abort();
      expect([...bucket.objects.keys()]).toEqual([KEY]);
      expect(bucket.objects.get(KEY)!.toString()).toBe('of the last run');
      expect(bucket.uploads.size).toBe(0);
      expect(() => file.write(bytesOf(1))).toThrow(/after it was aborted/);
    }
  });

  it('stays when it is given up after it was committed', async () => {
    const { bucket, place } = placeOf();
    const file = await place.open(PATH);
    await writeAll(file, bytesOf(9 * MIB));
    await file.commit();
    await file.abort();
    expect(bucket.objects.has(KEY)).toBe(true);
  });

  it('is given up without waiting for a part that hangs', async () => {
    const bucket = bucketOf();
    const http = (request: HttpRequest) =>
      request.url.searchParams.has('partNumber')
        ? new Promise<never>((_, reject) => {
            const { signal } = request;
            const end = () => reject(signal.reason);
            if (signal.aborted) end();
            else signal.addEventListener('abort', end);
          })
        : bucket.http(request);
    const file = await objectPlace(OPTIONS, memoryWorld({ http, env: ENV })).open(PATH);
    await file.write(bytesOf(9 * MIB));
    await file.abort();
    expect([bucket.uploads.size, bucket.objects.size]).toEqual([0, 0]);
  });
});

describe('parts', () => {
  it('are enough for half a TiB, and equal for long', () => {
    let total = 0;
    for (let number = 1; number <= 10_000; number++) total += partBytes(number);
    expect(total).toBeGreaterThan(500 * 2 ** 30);
    expect(partBytes(1)).toBe(8 * MIB);
    expect(partBytes(5000)).toBe(8 * MIB);
    expect(partBytes(5001)).toBe(16 * MIB);
    expect(partBytes(10_000)).toBe(256 * MIB);
  });
});

describe('what goes wrong', () => {
  it('is told before anything is written', async () => {
    const error = await failure(placeOf().place.open('s3://other/x'));
    expect(error).toMatchObject({ kind: 'sink', reason: 'not-found', message: expect.stringContaining('s3://other/x') });
    expect(await failure(placeOf({ before: () => refusal(403, 'AccessDenied') }).place.open(PATH))).toMatchObject({
      kind: 'sink',
      reason: 'denied',
    });
    expect(await failure(placeOf({ before: () => answer(200, {}, '<html/>') }).place.open(PATH))).toMatchObject({
      reason: 'bad-answer',
    });
    expect(await failure(placeOf().place.open('s3://bkt/folder/'))).toMatchObject({ kind: 'sink', reason: 'no-name' });
    const keyless = objectPlace(OPTIONS, memoryWorld());
    expect(await failure(keyless.open(PATH))).toMatchObject({ kind: 'config', reason: 'no-credentials' });
  });

  const isPart = ({ url }: HttpRequest) => url.searchParams.has('partNumber');
  const isEnd = ({ url, method }: HttpRequest) => method === 'POST' && url.searchParams.has('uploadId');
  const isPut = ({ url, method }: HttpRequest) => method === 'PUT' && url.search === '';

  it.each([
    ['a part', isPart, 9 * MIB],
    ['the end', isEnd, 9 * MIB],
    ['the one request', isPut, 100],
  ])('is forgiven a few times: %s', async (_, which, length) => {
    let failures = 0;
    const { bucket, place } = placeOf({
      before: (request) => {
        if (!which(request) || failures === 4) return undefined;
        failures++;
        if (failures % 2 === 0) throw new HttpError('broken', 'gone');
        return answer(503);
      },
    });
    const file = await place.open(PATH);
    await writeAll(file, bytesOf(length));
    expect(await file.commit()).toMatchObject({ bytes: length });
    expect(bucket.objects.get(KEY)!.equals(bytesOf(length))).toBe(true);
    expect(failures).toBe(4);
  });

  it.each([
    ['a part that is refused', isPart, () => refusal(403, 'AccessDenied'), 9 * MIB],
    ['a part without an ETag', isPart, () => answer(200), 9 * MIB],
    ['an end that fails after its success', isEnd, () => refusal(200, 'InvalidPart'), 9 * MIB],
    ['an end that says nothing', isEnd, () => answer(200), 9 * MIB],
    ['the one request that is refused', isPut, () => refusal(403, 'AccessDenied'), 100],
    ['a server that is never well', isEnd, () => answer(503), 9 * MIB],
  ])('leaves nothing: %s', async (_, which, outcome, length) => {
    const { bucket, place } = placeOf({ before: (request) => (which(request) ? outcome() : undefined) });
    const file = await place.open(PATH);
    const error = await failure(writeAll(file, bytesOf(length)).then(() => file.commit()));
    expect(error).toMatchObject({ kind: 'sink', message: expect.stringContaining(`cannot write ${PATH}`) });
    await file.abort();
    expect([bucket.uploads.size, bucket.objects.size]).toEqual([0, 0]);
  });

  it('is an answer that gets lost: what is there tells', async () => {
    let isLost = false;
    const bucket = bucketOf();
    const http = (request: HttpRequest) => {
      const answered = bucket.http(request);
      if (request.method === 'HEAD' && isLost) {
        const length = String(bucket.objects.get(KEY)!.length);
        return answer(200, { etag: '"0123-2"', 'content-length': length });
      }
      if (!isEnd(request) || isLost) return answered;
      isLost = true;
      throw new HttpError('broken', 'gone');
    };
    const file = await objectPlace(OPTIONS, memoryWorld({ http, env: ENV })).open(PATH);
    await writeAll(file, bytesOf(9 * MIB));
    expect(await file.commit()).toMatchObject({ bytes: 9 * MIB });
    // Without a lost answer, an upload that is gone is no success.
    const { bucket: other, place } = placeOf({
      before: (request) => (isEnd(request) ? refusal(404, 'NoSuchUpload') : undefined),
    });
    const second = await place.open(PATH);
    await writeAll(second, bytesOf(9 * MIB));
    expect(await failure(second.commit())).toMatchObject({ reason: 'upload-gone' });
    expect(other.objects.size).toBe(0);
  });
});

describe('a folder', () => {
  it('is told by names, and what is in it can be removed', async () => {
    const { bucket, place } = placeOf({
      objects: { 'out/a': '', 'out/b c': '', 'out/sub/d': '', outer: '', 'out/': '' },
      pageKeys: 2,
    });
    expect(await place.names('s3://bkt/out')).toEqual(['a', 'b c']);
    expect(await place.names('s3://bkt/out/')).toEqual(['a', 'b c']);
    expect(await place.names('s3://bkt')).toEqual(['outer']);
    expect(await place.names('s3://bkt/none')).toEqual([]);
    await place.remove('s3://bkt/out/b c');
    await place.remove('s3://bkt/out/b c');
    expect([...bucket.objects.keys()]).toEqual(['out/a', 'out/sub/d', 'outer', 'out/']);
    expect(await failure(place.remove('s3://other/x'))).toMatchObject({ kind: 'sink' });
  });
});
