/**
 * A server of S3 in memory, as a World's `http`: objects with ranges and conditions, listings in pages, uploads in parts. It knows
 * no signatures; what it was asked is kept. A test may step in before each request: answer it, or fail.
 */
import { createHash } from 'node:crypto';
import { contentRangeOf, HttpError, type HttpRequest, type HttpResponse } from '../../src/http.js';

export interface BucketOptions {
  readonly objects?: Readonly<Record<string, string | Uint8Array>>;
  /** Keys on a page of a listing. */
  readonly pageKeys?: number;
  /** Returns an answer in place of the bucket's, throws, or does nothing. */
  readonly before?: (request: HttpRequest, asked: readonly string[]) => HttpResponse | undefined;
}

export interface Bucket {
  readonly objects: Map<string, Buffer>;
  /** Of uploads that are neither complete nor given up. */
  readonly uploads: Map<string, Map<number, Buffer>>;
  /** Method, path and query of each request. */
  readonly asked: string[];
  readonly http: (request: HttpRequest) => HttpResponse;
}

/** The bucket is called `bkt` and is in the path. */
export function bucketOf({ objects = {}, pageKeys = 1000, before }: BucketOptions = {}): Bucket {
  const bucket: Bucket = {
    objects: new Map(Object.entries(objects).map(([key, bytes]) => [key, Buffer.from(bytes as string)])),
    uploads: new Map(),
    asked: [],
    http(request) {
      const { method, url } = request;
      bucket.asked.push(`${method} ${url.pathname}${url.search}`);
      const own = before?.(request, bucket.asked);
      if (own !== undefined) return own;
      const key = decodeURIComponent(url.pathname.replace(/^\/bkt\/?/, ''));
      if (!url.pathname.startsWith('/bkt')) return failure(404, 'NoSuchBucket');
      if (key === '') return listing(bucket, url.searchParams, pageKeys);
      return url.searchParams.has('uploads') || url.searchParams.has('uploadId')
        ? upload(bucket, key, request)
        : object(bucket, key, request);
    },
  };
  return bucket;
}

/** An answer with a body of one buffer, or of those given; `cutAfter`: the connection breaks after so many bytes of it. */
export function answer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = '',
  cutAfter?: number,
): HttpResponse {
  const bytes = Buffer.from(body as string);
  const sent = cutAfter === undefined ? bytes : bytes.subarray(0, cutAfter);
  return {
    status,
    headers: { 'content-length': String(bytes.length), ...headers },
    body: {
      async *[Symbol.asyncIterator]() {
        for (let at = 0; at < sent.length; at += 1000) yield Uint8Array.from(sent.subarray(at, at + 1000));
        if (cutAfter !== undefined) throw new HttpError('broken', 'the.host broke the connection (ECONNRESET)');
      },
    },
  };
}

export function failure(status: number, code: string): HttpResponse {
  return answer(status, {}, `<?xml version="1.0"?><Error><Code>${code}</Code><Message>AKIDSECRET</Message></Error>`);
}

export const etagOf = (bytes: Uint8Array) => `"${createHash('md5').update(bytes).digest('hex')}"`;

/** Answers a GET as a server of files does. */
export function served(
  bytes: Uint8Array,
  { headers }: Pick<HttpRequest, 'headers'>,
  more: Readonly<Record<string, string>> = {},
  cutAfter?: number,
): HttpResponse {
  const etag = etagOf(bytes);
  if ((headers['if-match'] ?? etag) !== etag) return failure(412, 'PreconditionFailed');
  const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? -1);
  if (start < 0) return answer(200, { etag, ...more }, bytes, cutAfter);
  if (start >= bytes.length) return answer(416, { 'content-range': `bytes */${bytes.length}` });
  const range = `bytes ${start}-${bytes.length - 1}/${bytes.length}`;
  if (contentRangeOf({ 'content-range': range }) === undefined) throw new Error(`the test made the range ${range}`);
  return answer(206, { etag, 'content-range': range, ...more }, bytes.subarray(start), cutAfter);
}

function object({ objects }: Bucket, key: string, request: HttpRequest): HttpResponse {
  const found = objects.get(key);
  if (request.method === 'PUT') {
    const bytes = Buffer.from(request.body!);
    objects.set(key, bytes);
    return answer(200, { etag: etagOf(bytes) });
  }
  if (request.method === 'DELETE') {
    objects.delete(key);
    return answer(204);
  }
  if (found === undefined) return failure(404, 'NoSuchKey');
  if (request.method === 'HEAD') return { ...answer(200, { etag: etagOf(found), 'content-length': String(found.length) }) };
  return served(found, request);
}

function upload({ objects, uploads }: Bucket, key: string, { method, url, body }: HttpRequest): HttpResponse {
  if (url.searchParams.has('uploads')) {
    const id = `upload-${uploads.size + 1}`;
    uploads.set(id, new Map());
    return answer(200, {}, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }
  const id = url.searchParams.get('uploadId')!;
  const parts = uploads.get(id);
  if (parts === undefined) return failure(404, 'NoSuchUpload');
  if (method === 'PUT') {
    const bytes = Buffer.from(body!);
    parts.set(Number(url.searchParams.get('partNumber')), bytes);
    return answer(200, { etag: etagOf(bytes) });
  }
  uploads.delete(id);
  if (method === 'DELETE') return answer(204);
  const named = [
    ...Buffer.from(body!)
      .toString()
      .matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g),
  ];
  if (named.some(([, number, etag]) => etagOf(parts.get(Number(number))!) !== etag)) return failure(400, 'InvalidPart');
  objects.set(key, Buffer.concat(named.map(([, number]) => parts.get(Number(number))!)));
  return answer(200, {}, '<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>');
}

/** Keys are encoded as forms are, and come in the order of their bytes, as those of AWS do. */
function listing({ objects }: Bucket, query: URLSearchParams, pageKeys: number): HttpResponse {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const from = after === '' ? 0 : Number(after.slice('page '.length));
  const page = keys.slice(from, from + pageKeys);
  const isCut = from + pageKeys < keys.length;
  const contents = page.map((key) => {
    const bytes = objects.get(key)!;
    const encoded = new URLSearchParams({ k: key }).toString().slice(2);
    return `<Contents><Key>${encoded}</Key><Size>${bytes.length}</Size><ETag>${etagOf(bytes).replaceAll('"', '&quot;')}</ETag></Contents>`;
  });
  const next = isCut ? `<NextContinuationToken>page ${from + pageKeys}</NextContinuationToken>` : '';
  return answer(
    200,
    {},
    `<?xml version="1.0"?><ListBucketResult xmlns="urn:x"><EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  );
}
