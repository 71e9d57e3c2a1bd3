/**
 * The `s3` source: an object, all objects below a prefix, or those that a pattern matches, each by sources/ranged.ts. As with
 * files, everything is found before anything is read, in an order that depends on the names alone; what is found is bound to its
 * ETag, so that what is read is what was found.
 */
import { IngestError } from '../src/errors.js';
import type { HttpResponse } from '../src/http.js';
import { type S3Name, type S3Options, s3Name } from '../src/s3/address.js';
import { accessOf } from '../src/s3/credentials.js';
import { type Listed, listed } from '../src/s3/listing.js';
import { S3Client, S3Error } from '../src/s3/request.js';
import type { Source } from '../src/types.js';
import type { World } from '../src/world.js';
import { keyPattern } from './key-pattern.js';
import { ranged } from './ranged.js';

type Surroundings = Pick<World, 'fs' | 'env' | 'home' | 'http' | 'date' | 'sleep' | 'random' | 'sha256'>;

/** @throws IngestError kind config for names and keys, kind source for all else; or the signal's reason */
export async function s3(input: string, options: S3Options, world: Surroundings, signal: AbortSignal): Promise<Source[]> {
  const name = s3Name(input);
  const client = new S3Client(await accessOf(options, world), world);
  try {
    const found = await objectsOf(input, name, client, signal);
    return found.map((each) => object({ ...name, key: each.key }, each, client, world));
  } catch (error) {
    throw error instanceof S3Error ? new IngestError('source', error.reason, error.message, { origin: input }) : error;
  }
}

function object(name: S3Name, listed: Listed, client: S3Client, world: Surroundings): Source {
  const origin = { uri: `s3://${name.bucket}/${name.key}`, bytes: listed.bytes };
  const { bytes, etag } = listed;
  const asked = {
    known: { bytes, ...(etag === undefined ? {} : { etag }) },
    get: (headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpResponse> =>
      client.exchange({ method: 'GET', name, headers, signal }),
    problemOf: (response: HttpResponse) => client.problemOf(response),
  };
  return { origin, paths: [origin.uri], read: (signal) => ranged(origin, asked, world, signal) };
}

async function objectsOf(input: string, name: S3Name, client: S3Client, signal: AbortSignal): Promise<readonly Listed[]> {
  const { bucket, key } = name;
  if (key === '' || key.endsWith('/')) {
    const found = (await listed({ bucket, key }, client, signal)).filter((each) => isShown(each, key));
    if (found.length === 0)
      throw new IngestError('source', 'no-files', 'there are no objects below it (hidden ones are left out)', { origin: input });
    return found;
  }
  const pattern = keyPattern(key);
  if (pattern === undefined) return [await looked(name, client, signal)];
  const found = await listed({ bucket, key: pattern.prefix }, client, signal);
  const same = found.find((each) => each.key === key);
  if (same !== undefined) return [same];
  const matching = found.filter((each) => pattern.matches(each.key));
  if (matching.length === 0) throw new IngestError('source', 'no-match', 'no object matches this pattern', { origin: input });
  return matching;
}

/** As in a directory: what begins with a dot is hidden, and a key that stands for a folder is no object. */
function isShown({ key, bytes }: Listed, prefix: string): boolean {
  const isFolder = key.endsWith('/') && bytes === 0;
  return !isFolder && !/(^|\/)\./.test(key.slice(prefix.length));
}

/** Finds one object, so that a misspelt name costs no work. */
async function looked(name: S3Name, client: S3Client, signal: AbortSignal): Promise<Listed> {
  const { headers } = await client.whole({ method: 'HEAD', name, signal });
  const bytes = headers['content-length'] ?? '';
  if (!/^\d{1,15}$/.test(bytes)) throw new S3Error('no-length', 'the server does not say how long it is');
  return { key: name.key, bytes: Number(bytes), ...(headers.etag === undefined ? {} : { etag: headers.etag }) };
}
