/**
 * Listings of a bucket: page after page, in an order that depends on the names alone. A listing that cannot be read, or that goes
 * in a circle, is an error and never a short one.
 */
import type { S3Name } from './address.js';
import { type S3Client, S3Error } from './request.js';
import { childText, type XmlElement, xmlRoot } from './xml.js';

/** What a listing says of an object. */
export interface Listed {
  readonly key: string;
  readonly bytes: number;
  readonly etag?: string;
}

/** All objects whose keys begin with that of `prefix`, by UTF-16 units. @throws S3Error; IngestError; or the signal's reason */
export async function listed(prefix: S3Name, client: S3Client, signal: AbortSignal): Promise<readonly Listed[]> {
  const found = new Map<string, Listed>();
  const pages = new Set<string>();
  for (let page: string | undefined; ; ) {
    const query = {
      ...(page === undefined ? {} : { 'continuation-token': page }),
      'encoding-type': 'url',
      'list-type': '2',
      prefix: prefix.key,
    };
    const { text } = await client.whole({ method: 'GET', name: { bucket: prefix.bucket, key: '' }, query, signal });
    const { objects, next } = pageIn(text);
    for (const each of objects) if (each.key.startsWith(prefix.key)) found.set(each.key, each);
    if (next === undefined) return [...found.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
    if (pages.has(next)) throw new S3Error('bad-answer', 'the server lists the same page again and again');
    pages.add((page = next));
  }
}

interface Page {
  readonly objects: readonly Listed[];
  readonly next: string | undefined;
}

function pageIn(text: string): Page {
  try {
    const root = xmlRoot(text);
    if (root.name !== 'ListBucketResult') throw new SyntaxError(`a listing that is called ${root.name}`);
    const isEncoded = childText(root, 'EncodingType') === 'url';
    const objects = root.children.filter(({ name }) => name === 'Contents').map((each) => listedIn(each, isEncoded));
    if (childText(root, 'IsTruncated') !== 'true') return { objects, next: undefined };
    return { objects, next: needed(root, 'NextContinuationToken') };
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof URIError)) throw error;
    throw new S3Error('bad-answer', 'the server gives a listing that cannot be read: is the endpoint one of S3?');
  }
}

function listedIn(element: XmlElement, isEncoded: boolean): Listed {
  const key = needed(element, 'Key');
  const size = needed(element, 'Size');
  const etag = childText(element, 'ETag');
  if (!/^\d{1,15}$/.test(size)) throw new SyntaxError('an object without a size');
  return {
    // Encoded as forms are: a plus sign is a space.
    key: isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key,
    bytes: Number(size),
    // Some servers leave the quotes out, which are a part of it.
    ...(etag === undefined || etag === '' ? {} : { etag: /^(W\/)?"/.test(etag) ? etag : `"${etag}"` }),
  };
}

function needed(element: XmlElement, name: string): string {
  const text = childText(element, name);
  if (text === undefined || text === '') throw new SyntaxError(`an element ${element.name} without ${name}`);
  return text;
}
