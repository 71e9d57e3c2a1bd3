import { describe, expect, it } from 'vitest';
import { addressOf, type S3Server, s3Name } from '../../../src/s3/address.js';

describe('names', () => {
  it.each([
    ['s3://bkt/a/b.txt', 'bkt', 'a/b.txt'],
    ['s3://bkt', 'bkt', ''],
    ['s3://bkt/', 'bkt', ''],
    ['s3://bkt//a', 'bkt', '/a'],
    ['s3://bkt/a b?c#d%20\ne', 'bkt', 'a b?c#d%20\ne'],
    ['s3://my.bucket_1/k/', 'my.bucket_1', 'k/'],
  ])('%j', (uri, bucket, key) => {
    expect(s3Name(uri)).toEqual({ bucket, key });
  });

  it.each(['s3://', 's3:///a', 's3://b', 's3://user@host/a', 's3://a..b/c', 's3://b*/c', 's3://b:80/c'])('refuses %j', (uri) => {
    expect(() => s3Name(uri)).toThrow(/names no bucket/);
  });
});

describe('addresses', () => {
  const aws: S3Server = { region: 'eu-west-1', pathStyle: false };
  const at = (endpoint: string, pathStyle = false): S3Server => ({ endpoint: new URL(endpoint), region: 'r', pathStyle });

  it.each([
    [aws, 'bkt', 'k', 'https://bkt.s3.eu-west-1.amazonaws.com/k'],
    [{ ...aws, pathStyle: true }, 'bkt', 'k', 'https://s3.eu-west-1.amazonaws.com/bkt/k'],
    [aws, 'a.b', 'k', 'https://s3.eu-west-1.amazonaws.com/a.b/k'],
    [aws, 'Old_Bucket', 'k', 'https://s3.eu-west-1.amazonaws.com/Old_Bucket/k'],
    [{ region: 'cn-north-1', pathStyle: false }, 'bkt', 'k', 'https://bkt.s3.cn-north-1.amazonaws.com.cn/k'],
    [aws, 'bkt', '', 'https://bkt.s3.eu-west-1.amazonaws.com/'],
    [at('http://127.0.0.1:9000'), 'bkt', 'k', 'http://127.0.0.1:9000/bkt/k'],
    [at('http://127.0.0.1:9000'), 'bkt', '', 'http://127.0.0.1:9000/bkt'],
    [at('http://[::1]:9000'), 'bkt', 'k', 'http://[::1]:9000/bkt/k'],
    [at('http://localhost:9000/'), 'bkt', 'k', 'http://localhost:9000/bkt/k'],
    [at('http://minio:9000'), 'bkt', 'k', 'http://minio:9000/bkt/k'],
    [at('https://r2.example/sub/'), 'bkt', 'k', 'https://bkt.r2.example/sub/k'],
    [at('https://r2.example', true), 'bkt', 'k', 'https://r2.example/bkt/k'],
  ])('%j %s %s', (server, bucket, key, expected) => {
    expect(addressOf({ bucket, key }, server).href).toBe(expected);
  });

  it('hold any key as it is', () => {
    for (const key of ['a b+c%20d?e#f&g=h!\'()*;:@,$[]^`{}|\\"<>~', '/lead', 'x//y/', 'ü/日本/😀', '\n\t', '...', 'a/..b/c.']) {
      const { pathname, search, hash } = addressOf({ bucket: 'bkt', key }, at('http://127.0.0.1'));
      expect(decodeURIComponent(pathname)).toBe(`/bkt/${key}`);
      expect(pathname).toMatch(/^[A-Za-z0-9\-._~%/]*$/);
      expect(search + hash).toBe('');
    }
  });

  it.each(['.', '..', 'a/./b', 'a/../b', 'a/..'])('cannot hold %j', (key) => {
    expect(() => addressOf({ bucket: 'bkt', key }, aws)).toThrow(/cannot be asked for/);
  });

  it('have their query as it is signed', () => {
    const { search } = addressOf({ bucket: 'bkt', key: '' }, aws, { prefix: 'a b/+é*', uploads: '' });
    expect(search).toBe('?prefix=a%20b%2F%2B%C3%A9%2A&uploads=');
  });
});
