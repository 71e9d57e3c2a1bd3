import { describe, expect, it } from 'vitest';
import {
  contentRangeOf,
  HttpError,
  type HttpFault,
  isPublic,
  isTransient,
  leave,
  retryAfterMs,
  textOf,
  transportProblem,
} from '../../src/http.js';

describe('isPublic', () => {
  // The first and the last of each block, and its neighbours.
  it.each([
    ['0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['10.0.0.0', '10.255.255.255', '11.0.0.0', '9.255.255.255'],
    ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['127.0.0.1', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
    ['169.254.0.0', '169.254.169.254', '169.253.255.255', '169.255.0.0'],
    ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['224.0.0.0', '255.255.255.255', '223.255.255.255'],
    ['::', '::1', '2000::'],
    ['64:ff9b:1::', '64:ff9b:1:ffff::1'],
    ['2001::', '2001:1ff:ffff::1', '2001:200::', '2001:4860:4860::8888'],
    ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7::1', '2001:db9::1'],
    ['2002::', '2002:7f00:1::', '2003::1'],
    ['3fff::', '3fff:fff:ffff::1', '3fff:1000::1', '3ffe::1'],
    ['4000::', 'fbff::1'],
    ['fc00::', 'fd00:ec2::254'],
    ['fe80::1', 'febf::1'],
    ['fe80::1%eth0', 'fec0::1'],
    ['ff00::', 'ff02::1'],
    ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:808:808'],
    ['64:ff9b::169.254.169.254', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8'],
    ['::127.0.0.1', '::8.8.8.8'],
  ])('knows the block that begins with %s', (first, last, ...others) => {
    for (const ip of [first, last]) expect(isPublic(ip), ip).toBe(false);
    for (const ip of others) expect(isPublic(ip), ip).toBe(true);
  });

  it.each([
    '',
    'localhost',
    '1.2.3',
    '1.2.3.256',
    '01.2.3.4.5',
    '1:2:3',
    '1::2::3',
    '12345::',
    ':::',
    '2000:::1',
    '8.8.8.8.',
    '2600::1.2.3.900',
  ])('calls %j no address, and so not public', (text) => expect(isPublic(text)).toBe(false));

  it('agrees with itself about how an address is written', () => {
    expect(isPublic('2606:4700:0:0:0:0:0:1111')).toBe(true);
    expect(isPublic('2606:4700::1111')).toBe(true);
    expect(isPublic('FE80::1')).toBe(false);
    expect(isPublic('0:0:0:0:0:FFFF:7F00:1')).toBe(false);
  });
});

describe('headers', () => {
  it.each([
    ['bytes 0-99/1234', { start: 0, end: 100, total: 1234 }],
    ['bytes 5-5/6', { start: 5, end: 6, total: 6 }],
    ['Bytes 0-99/*', { start: 0, end: 100 }],
    ['bytes */10', { total: 10 }],
    ['bytes 5-4/10', undefined],
    ['bytes 0-10/10', undefined],
    ['bytes 0-9', undefined],
    ['lines 0-9/10', undefined],
    [undefined, undefined],
  ])('Content-Range %j', (text, expected) => {
    expect(contentRangeOf(text === undefined ? {} : { 'content-range': text })).toEqual(expected);
  });

  it.each([
    ['3', 3000],
    ['0', 0],
    ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
    ['Wed, 21 Oct 2026 07:20:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('Retry-After %j', (text, expected) => {
    const now = new Date('2026-10-21T07:28:00Z');
    expect(retryAfterMs(text === undefined ? {} : { 'retry-after': text }, now)).toBe(expected);
  });
});

it('tries again what may be better later', () => {
  expect([200, 301, 400, 401, 403, 404, 408, 412, 416, 425, 429, 500, 501, 502, 503, 504, 505].filter(isTransient)).toEqual([
    408, 425, 429, 500, 502, 503, 504,
  ]);
  const again = (fault: HttpFault) => transportProblem(new HttpError(fault, 'so')).isTransient;
  expect((['no-host', 'refused', 'timeout', 'broken', 'forbidden-address', 'tls'] as const).filter(again)).toEqual([
    'refused',
    'timeout',
    'broken',
  ]);
});

describe('a body', () => {
  const bodyOf = (parts: readonly string[], closed: () => void) => ({
    async *[Symbol.asyncIterator]() {
      try {
        for (const part of parts) yield new TextEncoder().encode(part);
      } finally {
        closed();
      }
    },
  });

  it('is read as text up to a bound, and closed there', async () => {
    let closed = 0;
    const response = (parts: readonly string[]) => ({ status: 200, headers: {}, body: bodyOf(parts, () => closed++) });
    expect(await textOf(response(['ab', 'cd']), 100)).toBe('abcd');
    expect(await textOf(response(['ab', 'cd', 'ef']), 3)).toBe('abc');
    expect(await textOf(response(['\ud83d\ude00'.slice(0, 2)]), 100)).toBe('😀');
    expect(closed).toBe(3);
  });

  it('is left', async () => {
    let isLeft = false;
    const end = async () => {
      isLeft = true;
      return { done: true as const, value: undefined };
    };
    const body = { [Symbol.asyncIterator]: () => ({ next: () => expect.fail('it was read'), return: end }) };
    await leave({ status: 200, headers: {}, body });
    expect(isLeft).toBe(true);
  });
});
