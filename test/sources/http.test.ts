import { describe, expect, it } from 'vitest';
import { http, tellable } from '../../sources/http.js';
import { HttpError, type HttpRequest, type HttpResponse } from '../../src/http.js';
import { conformSource, failsAs, readAll } from '../conformance/source.js';
import { answer, served } from '../support/bucket.js';
import { failure } from '../support/failure.js';
import { memoryWorld } from '../support/world.js';

const BYTES = Buffer.from('{"a":1}\n{"a":2}\n'.repeat(200));

/** Hosts by what they are reached at; a test's servers look at the address as the real exchange does. */
const ADDRESSES: Readonly<Record<string, string>> = {
  'data.example': '93.184.216.34',
  'cdn.example': '151.101.1.69',
  'minio.local': '192.168.1.7',
  'metadata.example': '169.254.169.254',
  '127.0.0.1': '127.0.0.1',
};

type Site = (request: HttpRequest) => HttpResponse;

function worldOf(site: Site) {
  const asked: HttpRequest[] = [];
  const world = memoryWorld({
    http(request) {
      asked.push(request);
      const ip = ADDRESSES[request.url.hostname];
      if (ip === undefined) throw new HttpError('no-host', `${request.url.host} is not known: no such host`);
      if (request.allowAddress?.(ip) === false)
        throw new HttpError('forbidden-address', `${request.url.host} is a private or loopback address`);
      return site(request);
    },
  });
  return { world, asked };
}

const plainSite: Site = (request) => served(BYTES, request);
const options = { allowPrivate: false };

/** Sends each path of the map to where it says; gives the bytes elsewhere. */
const redirecting =
  (to: Readonly<Record<string, string>>, status = 302): Site =>
  (request) => {
    const location = to[request.url.pathname];
    return location === undefined ? plainSite(request) : answer(status, { location });
  };

async function reading(url: string, site: Site, more = options) {
  const { world, asked } = worldOf(site);
  const [source] = await http(url, more, world);
  return { asked, read: () => readAll(source!) };
}

it('keeps the laws of a source', async () => {
  const uri = 'https://data.example/x.jsonl.gz?part=1';
  await conformSource(async () => (await http(uri, options, worldOf(plainSite).world))[0]!, [[uri, BYTES]]);
});

it('asks for plain bytes, and says who asks', async () => {
  const { asked, read } = await reading('http://data.example/x', plainSite);
  await read();
  expect(asked[0]!.headers).toMatchObject({ 'accept-encoding': 'identity', 'user-agent': expect.stringMatching(/^millrace\//) });
  expect(asked[0]!.headers).not.toHaveProperty('authorization');
});

it('takes up a broken connection by the way it came', async () => {
  let nth = 0;
  const { asked, read } = await reading('https://data.example/old', (request) =>
    request.url.pathname === '/old'
      ? answer(302, { location: 'https://cdn.example/new' })
      : served(BYTES, request, {}, [700][nth++]),
  );
  expect(Buffer.from((await read())[0]!.bytes).equals(BYTES)).toBe(true);
  expect(asked.map(({ url, headers }) => `${url.href} ${headers.range}`)).toEqual([
    'https://data.example/old bytes=0-',
    'https://cdn.example/new bytes=0-',
    'https://data.example/old bytes=700-',
    'https://cdn.example/new bytes=700-',
  ]);
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('are followed: %i', async (status) => {
    const { asked, read } = await reading('https://data.example/a', redirecting({ '/a': 'b', '/b': '//cdn.example/c' }, status));
    const [found] = await read();
    expect(found!.origin.uri).toBe('https://data.example/a');
    expect(asked.map(({ url }) => url.href)).toEqual([
      'https://data.example/a',
      'https://data.example/b',
      'https://cdn.example/c',
    ]);
  });

  it('are followed five times', async () => {
    const chain = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`/${n}`, `/${n + 1}`]));
    expect(await (await reading('https://data.example/1', redirecting(chain))).read()).toHaveLength(1);
    const { asked, read } = await reading('https://data.example/1', redirecting({ ...chain, '/6': '/1' }));
    await failsAs(read(), 'too-many-redirects', 'https://data.example/1');
    expect(asked).toHaveLength(6);
  });

  it.each([
    ['from https to http', 'http://cdn.example/b', 'bad-redirect'],
    ['to another protocol', 'file:///etc/passwd', 'bad-redirect'],
    ['to nowhere', 'http://', 'bad-answer'],
    ['to a private address', 'https://minio.local/b', 'private-address'],
    ['to where clouds keep keys', 'https://metadata.example/b', 'private-address'],
    ['to this machine', 'https://127.0.0.1/b', 'private-address'],
  ])('are refused %s', async (_, location, reason) => {
    const { asked, read } = await reading('https://data.example/a', redirecting({ '/a': location }));
    await failsAs(read(), reason, 'https://data.example/a');
    expect(asked.filter(({ url }) => url.pathname === '/b')).toHaveLength(reason === 'private-address' ? 1 : 0);
  });

  it('are refused without a place to go to', async () => {
    const { read } = await reading('https://data.example/a', () => answer(302));
    await failsAs(read(), 'bad-answer', 'https://data.example/a');
  });

  it('go to a private address where the user was at one, or allows it', async () => {
    const toPrivate = redirecting({ '/a': 'http://minio.local/b' });
    expect(await (await reading('http://127.0.0.1/a', toPrivate)).read()).toHaveLength(1);
    expect(await (await reading('http://data.example/a', toPrivate, { allowPrivate: true })).read()).toHaveLength(1);
    expect(await (await reading('http://minio.local/x', plainSite)).read()).toHaveLength(1);
  });

  it('do not come back from the public to the private', async () => {
    const { read } = await reading(
      'http://127.0.0.1/a',
      redirecting({ '/a': 'http://data.example/b', '/b': 'http://127.0.0.1/c' }),
    );
    const error = await failsAs(read(), 'private-address', 'http://127.0.0.1/a');
    expect(error.message).toContain('allow-private');
  });
});

describe('secrets', () => {
  const url = 'https://me:pa%20ss@data.example/a.jsonl?token=hidden&X-Amz-Signature=hidden&X-Amz-Date=1&part=2#frag';

  it('are sent where the user sent them, and nowhere else', async () => {
    const { asked, read } = await reading(url, redirecting({ '/a.jsonl': '/b', '/b': 'https://cdn.example/c' }));
    await read();
    const basic = `Basic ${Buffer.from('me:pa ss').toString('base64')}`;
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([basic, basic, undefined]);
    expect(asked[0]!.url.search).toBe('?token=hidden&X-Amz-Signature=hidden&X-Amz-Date=1&part=2');
  });

  it('are in no name and no message', async () => {
    const { read } = await reading(url, () => answer(403));
    const error = await failsAs(read(), 'denied', 'https://data.example/a.jsonl?token=***&part=2');
    expect(`${error.message} ${JSON.stringify(error)}`).not.toMatch(/hidden|me:|pa%20ss|frag/);
    const bad = await failure(http('https://me:secret@data.example:99999999/', options, worldOf(plainSite).world));
    expect(bad).toMatchObject({ kind: 'config', message: expect.not.stringContaining('secret') });
  });

  it.each([
    ['https://h/a?b=c&d', 'https://h/a?b=c&d'],
    ['https://h/a', 'https://h/a'],
    ['https://h/a?', 'https://h/a'],
    ['HTTPS://H/a%20b?Key=1', 'https://h/a%20b?Key=***'],
    ['https://h/a?api_key=1&access_token=2&q=3', 'https://h/a?api_key=***&access_token=***&q=3'],
    ['https://h/a?AWSAccessKeyId=1&Expires=2&Signature=3&versionId=4', 'https://h/a?versionId=4'],
    ['https://h/a?sv=1&sp=r&se=2&sig=3&snapshot=4', 'https://h/a?snapshot=4'],
    ['https://h/a?sp=1&expires=2&se=3', 'https://h/a?sp=1&expires=2&se=3'],
    ['https://h/a?X-Goog-Signature=1&X-Goog-Date=2', 'https://h/a'],
    ['https://h/a?%73ignature=3', 'https://h/a'],
  ])('%s is called %s', (address, name) => {
    expect(tellable(new URL(address))).toBe(name);
  });

  it('tell addresses apart that have one name', async () => {
    const { world } = worldOf(plainSite);
    const [one, other] = await Promise.all(['1', '2'].map((key) => http(`https://data.example/a?key=${key}`, options, world)));
    expect(one![0]!.origin).toEqual(other![0]!.origin);
    expect(one![0]!.paths).not.toEqual(other![0]!.paths);
  });
});

describe('what goes wrong', () => {
  it.each([
    [401, 'denied'],
    [403, 'denied'],
    [404, 'not-found'],
    [410, 'not-found'],
    [400, 'bad-answer'],
    [304, 'bad-answer'],
    [503, 'unavailable'],
    [429, 'unavailable'],
  ])('is told: %i as %s', async (status, reason) => {
    const { asked, read } = await reading('https://data.example/a', () => answer(status));
    await failsAs(read(), reason, 'https://data.example/a');
    expect(asked).toHaveLength(status === 503 || status === 429 ? 9 : 1);
  });

  it('is a host that is not there', async () => {
    const { read } = await reading('https://dta.example/a', plainSite);
    await failsAs(read(), 'unreachable', 'https://dta.example/a');
  });
});
