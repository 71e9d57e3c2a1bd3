import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HttpError, type HttpRequest, type HttpResponse } from '../../../src/http.js';
import type { S3Server } from '../../../src/s3/address.js';
import type { Credentials } from '../../../src/s3/credentials.js';
import { S3Client, S3Error, type S3Request } from '../../../src/s3/request.js';
import { answer, failure } from '../../support/bucket.js';
import { memoryWorld } from '../../support/world.js';

const signal = new AbortController().signal;
const KEYS: Credentials = { accessKeyId: 'AKIDSECRET', secretAccessKey: 'SK/+=', sessionToken: 'TOKEN' };
const LOCAL: S3Server = { endpoint: new URL('http://127.0.0.1:9000'), region: 'eu-west-1', pathStyle: false };
const get = (key = 'k', more: Partial<S3Request> = {}): S3Request => ({
  method: 'GET',
  name: { bucket: 'bkt', key },
  signal,
  ...more,
});

function clientOf(
  http: (request: HttpRequest, nth: number) => HttpResponse,
  server = LOCAL,
  credentials: Credentials | undefined = KEYS,
) {
  const asked: HttpRequest[] = [];
  const world = memoryWorld({ http: (request) => http(request, asked.push(request) - 1) });
  return { asked, client: new S3Client({ server, credentials }, world) };
}

async function failed(work: Promise<unknown>): Promise<S3Error> {
  const error = await work.then(
    () => expect.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(S3Error);
  return error as S3Error;
}

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** By the description of AWS Signature Version 4, from the request as it goes out. */
function signatureOf({ method, url, headers }: HttpRequest, names: string): string {
  const [, day, region] = /\/(\d{8})\/([^/]+)\/s3\/aws4_request/.exec(headers.authorization!)!;
  const values = names.split(';').map((name) => `${name}:${name === 'host' ? url.host : headers[name]}\n`);
  const query = url.search.slice(1).split('&').sort().join('&');
  const request = [method, url.pathname, query, values.join(''), names, headers['x-amz-content-sha256']].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], `${day}/${region}/s3/aws4_request`, sha256(request)].join('\n');
  const key = [day!, region!, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${KEYS.secretAccessKey}`);
  return hmac(key, text).toString('hex');
}

describe('signatures', () => {
  it.each(['plain', "a b+c%20d?e#f&g=h!'()*;:@,$[]", '/lead//x/', 'ü/日本/😀'])('are right for the key %j', async (key) => {
    const { asked, client } = clientOf(() => answer(200));
    const body = new TextEncoder().encode('the body');
    await client.whole({
      method: 'PUT',
      name: { bucket: 'bkt', key },
      query: { partNumber: '1', uploadId: 'a+b/ c' },
      body,
      headers: { 'if-match': '"e"' },
      signal,
    });
    await client.whole(get(key, { headers: { range: 'bytes=5-' } }));
    for (const request of asked) {
      const { authorization } = request.headers;
      const [, names, signature] =
        /^AWS4-HMAC-SHA256 Credential=AKIDSECRET\/20260102\/eu-west-1\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w{64})$/.exec(
          authorization!,
        )!;
      expect(signature).toBe(signatureOf(request, names!));
      for (const name of ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'])
        expect(names!.split(';')).toContain(name);
    }
    expect(asked[0]!.headers).toMatchObject({
      'x-amz-content-sha256': sha256('the body'),
      'x-amz-security-token': 'TOKEN',
      'if-match': '"e"',
    });
    expect(asked[1]!.headers).toMatchObject({ 'x-amz-content-sha256': sha256(''), range: 'bytes=5-' });
  });

  it('leave the hash of a body out where TLS guards it', async () => {
    const { asked, client } = clientOf(() => answer(200), { region: 'eu-west-1', pathStyle: false });
    await client.whole(get('k', { method: 'PUT', body: new Uint8Array(3) }));
    expect(asked[0]!.headers['x-amz-content-sha256']).toBe('UNSIGNED-PAYLOAD');
    expect(asked[0]!.url.href).toBe('https://bkt.s3.eu-west-1.amazonaws.com/k');
  });

  it('are left out without keys', async () => {
    const world = memoryWorld({ http: ({ headers }) => answer(200, {}, JSON.stringify(headers)) });
    const { text } = await new S3Client({ server: LOCAL, credentials: undefined }, world).whole(get());
    expect(JSON.parse(text)).toEqual({ 'user-agent': expect.any(String) });
  });
});

describe('the region of a bucket', () => {
  it.each([
    [301, 'PermanentRedirect'],
    [307, 'TemporaryRedirect'],
    [400, 'AuthorizationHeaderMalformed'],
  ])('is learnt from a %i, once', async (status, code) => {
    const { asked, client } = clientOf(
      ({ url }) =>
        url.host.includes('ap-south-1')
          ? answer(200, {}, 'ok')
          : { ...failure(status, code), headers: { 'x-amz-bucket-region': 'ap-south-1' } },
      { region: 'us-east-1', pathStyle: false },
    );
    for (let k = 0; k < 2; k++) expect((await client.whole(get())).text).toBe('ok');
    expect(asked.map(({ url }) => url.host.split('.').at(-3))).toEqual(['us-east-1', 'ap-south-1', 'ap-south-1']);
    expect(asked[1]!.headers.authorization).toContain('/ap-south-1/s3/');
  });

  it('is not followed in a circle, nor to a name that is none', async () => {
    for (const region of ['eu-west-1', 'evil.example/']) {
      const { asked, client } = clientOf(() => ({
        ...failure(301, 'PermanentRedirect'),
        headers: { 'x-amz-bucket-region': region },
      }));
      expect((await failed(client.whole(get()))).message).toContain('another region');
      expect(asked).toHaveLength(1);
    }
  });
});

describe('a request that fails', () => {
  it('is tried again where that may help', async () => {
    const troubles = [
      () => answer(503),
      () => failure(400, 'RequestTimeout'),
      () => failure(200, 'InternalError'),
      () => {
        throw new HttpError('broken', '127.0.0.1 broke the connection');
      },
      () => answer(200, {}, 'x'.repeat(5000), 2000),
    ];
    const { asked, client } = clientOf((_, nth) => troubles[nth]?.() ?? answer(200, {}, 'ok'));
    expect((await client.whole(get())).text).toBe('ok');
    expect(asked).toHaveLength(6);
  });

  it('is given up in the end', async () => {
    const { asked, client } = clientOf(() => failure(503, 'SlowDown'));
    expect(await failed(client.whole(get()))).toMatchObject({ reason: 'unavailable', status: 503, isUnsure: true });
    expect(asked).toHaveLength(9);
  });

  it('is given up soon where the server was never reached, and later where it was', async () => {
    const refused = (): never => {
      throw new HttpError('refused', '127.0.0.1 refuses the connection');
    };
    const never = clientOf(refused);
    expect(await failed(never.client.whole(get()))).toMatchObject({ reason: 'unreachable' });
    expect(never.asked).toHaveLength(4);
    const restarting = clientOf((_, nth) => (nth === 0 || nth === 6 ? answer(200, {}, 'ok') : refused()));
    for (let k = 0; k < 2; k++) expect((await restarting.client.whole(get())).text).toBe('ok');
  });

  it('by an error after success fails', async () => {
    const { client } = clientOf(() => failure(200, 'InvalidPart'));
    expect(await failed(client.whole(get()))).toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('InvalidPart'),
    });
  });

  it.each([
    [403, 'AccessDenied', 'denied', 's3-anonymous'],
    [403, 'RequestTimeTooSkewed', 'denied', 'clock'],
    [403, 'SignatureDoesNotMatch', 'denied', 'secret key'],
    [403, 'InvalidAccessKeyId', 'denied', 'access key'],
    [400, 'ExpiredToken', 'denied', 'session token'],
    [403, 'InvalidObjectState', 'archived', 'restore'],
    [404, 'NoSuchBucket', 'not-found', 'no such bucket'],
    [404, 'NoSuchKey', 'not-found', 'no such object'],
    [404, '', 'not-found', 'no such object'],
    [412, 'PreconditionFailed', 'changed', 'changed'],
    [418, 'Teapot', 'bad-answer', '418 Teapot'],
    [400, '<b>', 'bad-answer', '400'],
  ])('says why, and no secret: %i %s', async (status, code, reason, hint) => {
    const { asked, client } = clientOf(() => failure(status, code));
    const error = await failed(client.whole(get()));
    expect(error).toMatchObject({ reason, status, message: expect.stringContaining(hint) });
    expect(error.message).not.toMatch(/AKIDSECRET|<b>/);
    expect(asked).toHaveLength(1);
  });

  it('ends with its signal', async () => {
    const abort = new AbortController();
    const { client } = clientOf(() => {
      abort.abort(new Error('enough'));
      throw new HttpError('broken', 'gone');
    });
    await expect(client.whole(get('k', { signal: abort.signal }))).rejects.toThrow('enough');
  });
});
