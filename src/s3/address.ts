/**
 * Names of objects, `s3://bucket/key`, and the addresses that they have on a server. A key is taken as it is written: nothing in
 * it is percent-decoded, `?` and `#` are characters like others.
 */
import { configError } from '../errors.js';

/** What a user may say of where objects are and who asks for them. What is left open, the environment says. */
export interface S3Options {
  /** Address of the server; absent: AWS. */
  readonly endpoint?: string;
  /** The bucket goes into the path; false: into the host's name where it can. */
  readonly pathStyle: boolean;
  readonly region?: string;
  /** Whose keys, in the files of the AWS tools. */
  readonly profile?: string;
  /** No keys: requests are not signed. */
  readonly anonymous: boolean;
}

export interface S3Name {
  readonly bucket: string;
  /** Empty: the whole bucket. */
  readonly key: string;
}

/** @throws IngestError kind config */
export function s3Name(uri: string): S3Name {
  const found = /^s3:\/\/([^/]*)\/?(.*)$/s.exec(uri);
  const [, bucket = '', key = ''] = found ?? [];
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket) || bucket.includes('..'))
    throw configError([`${JSON.stringify(uri)} names no bucket: write s3://bucket/key`]);
  return { bucket, key };
}

export interface S3Server {
  /** Absent: AWS. */
  readonly endpoint?: URL;
  readonly region: string;
  readonly pathStyle: boolean;
}

/**
 * The address of a key, or of the bucket when it is empty, with its query.
 * @throws IngestError kind config for a key that no address can hold
 */
export function addressOf({ bucket, key }: S3Name, server: S3Server, query: Readonly<Record<string, string>> = {}): URL {
  if (key.split('/').some((part) => part === '.' || part === '..'))
    throw configError([
      `s3://${bucket}/${key}: a key with a part "." or ".." cannot be asked for: addresses leave such parts out`,
    ]);
  const base =
    server.endpoint ?? new URL(`https://s3.${server.region}.amazonaws.com${server.region.startsWith('cn-') ? '.cn' : ''}`);
  const inPath = server.pathStyle || !canBeHost(bucket, base);
  const url = new URL(base);
  if (!inPath) url.hostname = `${bucket}.${base.hostname}`;
  const folder = base.pathname.replace(/\/$/, '');
  url.pathname = `${folder}/${inPath ? `${bucket}/` : ''}${key.split('/').map(encoded).join('/')}`;
  if (inPath && key === '') url.pathname = `${folder}/${bucket}`;
  // By hand: what is signed has %20 where URLSearchParams writes a plus sign.
  const pairs = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  url.search = pairs.join('&');
  return url;
}

/** A name with dots does not match the certificate of `*.host`; an IP address or `localhost` has no names below it. */
function canBeHost(bucket: string, { hostname }: URL): boolean {
  const isName = !/^[\d.]+$|^\[/.test(hostname) && hostname !== 'localhost' && hostname.includes('.');
  return isName && /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket);
}

/** Percent-encoded as the signature wants it (RFC 3986: all but letters, digits and `-._~`). */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
