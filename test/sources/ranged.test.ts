import { describe, expect, it } from 'vitest';
import { type RangedObject, ranged } from '../../sources/ranged.js';
import { HttpError, type HttpFault, type HttpResponse } from '../../src/http.js';
import type { Origin } from '../../src/types.js';
import { failsAs } from '../conformance/source.js';
import { answer, etagOf, served } from '../support/bucket.js';
import { seeded } from '../support/random.js';

const BYTES = Buffer.from(Array.from({ length: 10_000 }, (_, n) => (n * 7 + (n >> 8)) & 255));

type Headers = Readonly<Record<string, string>>;
/** What answers the n-th request, from 0. */
type Script = (headers: Headers, nth: number) => HttpResponse | HttpFault;

const URI = 'https://data.example/x.jsonl';

function scripted(script: Script, known?: RangedObject['known']) {
  const asked: Headers[] = [];
  const waits: number[] = [];
  const object: RangedObject = {
    ...(known === undefined ? {} : { known }),
    async get(headers) {
      asked.push(headers);
      const answered = script(headers, asked.length - 1);
      if (typeof answered === 'string') throw new HttpError(answered, 'data.example is not well');
      return answered;
    },
    async problemOf({ status, headers: { 'retry-after': after } }) {
      const isTransient = status >= 500;
      return {
        reason: isTransient ? 'unavailable' : 'not-found',
        sentence: `answers ${status}`,
        isTransient,
        ...(after === undefined ? {} : { afterMs: Number(after) * 1000 }),
      };
    },
  };
  const world = { random: () => 0.5, sleep: async (milliseconds: number) => void waits.push(milliseconds) };
  const read = async (signal = new AbortController().signal, uri = URI) => {
    const parts: Uint8Array[] = [];
    let origin: Origin | undefined;
    for await (const item of ranged({ uri }, object, world, signal)) {
      if (item instanceof Uint8Array) parts.push(Uint8Array.from(item));
      else origin = item;
    }
    const bytes = Buffer.concat(parts);
    return { origin, bytes: bytes.length, isWhole: bytes.equals(BYTES) };
  };
  return { asked, waits, read };
}

/** Breaks each of the first connections after so many bytes. */
const breaking =
  (after: readonly number[], more: Headers = {}): Script =>
  (headers, nth) =>
    served(BYTES, { headers }, more, after[nth]);

describe('an object that is read whole', () => {
  it('asks once, for plain bytes from the first on', async () => {
    const { asked, read } = scripted((headers) => served(BYTES, { headers }));
    expect(await read()).toEqual({ origin: { uri: URI, bytes: BYTES.length }, bytes: BYTES.length, isWhole: true });
    expect(asked).toEqual([{ 'accept-encoding': 'identity', range: 'bytes=0-' }]);
  });

  it.each([
    ['without ranges', () => answer(200, {}, BYTES)],
    ['in chunks, of unknown length', () => ({ ...answer(200, {}, BYTES), headers: { 'transfer-encoding': 'chunked' } })],
  ])('may come %s', async (_, script) => {
    const { read } = scripted(script);
    expect((await read()).isWhole).toBe(true);
  });

  it.each([
    ['416 with its length', () => answer(416, { 'content-range': 'bytes */0' }), undefined],
    ['416, known to be empty', () => answer(416), { bytes: 0 }],
    ['200', () => answer(200), undefined],
  ])('may be empty: %s', async (_, script, known) => {
    const { asked, read } = scripted(script, known);
    expect(await read()).toMatchObject({ origin: { uri: URI, bytes: 0 }, bytes: 0 });
    expect(asked).toHaveLength(1);
  });

  it('may be given in smaller parts than were asked for', async () => {
    const { asked, waits, read } = scripted(({ range }) => {
      const start = Number(/\d+/.exec(range!)![0]);
      const end = Math.min(BYTES.length, start + 3000);
      return answer(
        206,
        { etag: '"a"', 'content-range': `bytes ${start}-${end - 1}/${BYTES.length}` },
        BYTES.subarray(start, end),
      );
    });
    expect((await read()).isWhole).toBe(true);
    expect(asked.map(({ range }) => range)).toEqual(['bytes=0-', 'bytes=3000-', 'bytes=6000-', 'bytes=9000-']);
    expect(waits).toEqual([]);
  });
});

describe('a connection that breaks', () => {
  it('is taken up where it broke, bound to the same object', async () => {
    const { asked, waits, read } = scripted(breaking([2500, 1, 0, 4000]));
    expect((await read()).isWhole).toBe(true);
    const etag = etagOf(BYTES);
    expect(asked.map((headers) => [headers.range, headers['if-match']])).toEqual([
      ['bytes=0-', undefined],
      ['bytes=2500-', etag],
      ['bytes=2501-', etag],
      ['bytes=2501-', etag],
      ['bytes=6501-', etag],
    ]);
    expect(waits).toEqual([100, 100, 200, 100]);
  });

  it('seeded: breaks, refusals and silence at any place never change the bytes', async () => {
    await seeded(100, async (chance) => {
      let inARow = 0;
      const { read } = scripted((headers) => {
        if (inARow < 7 && chance.chance(0.7)) {
          inARow++;
          const kind = chance.pick(['broken', 'timeout', '503', 'cut'] as const);
          if (kind === '503') return answer(503, chance.chance(0.5) ? { 'retry-after': '1' } : {});
          if (kind !== 'cut') return kind;
          const cut = chance.between(0, 3000);
          if (cut > 0) inARow = 0;
          return served(BYTES, { headers }, {}, cut);
        }
        inARow = 0;
        return served(BYTES, { headers });
      });
      expect((await read()).isWhole).toBe(true);
    });
  });

  it('is bound by the date where there is no strong ETag', async () => {
    for (const etag of [{}, { etag: 'W/"w"' }]) {
      const modified = 'Wed, 21 Oct 2026 07:28:00 GMT';
      const { asked, read } = scripted((headers, nth) => {
        const { etag: _, ...plain } = served(BYTES, { headers: { range: headers.range! } }, {}, [3000][nth]).headers;
        const response = served(BYTES, { headers: { range: headers.range! } }, {}, [3000][nth]);
        return { ...response, headers: { ...plain, ...etag, 'last-modified': modified } };
      });
      expect((await read()).isWhole).toBe(true);
      expect(asked[1]).toMatchObject({ range: 'bytes=3000-', 'if-unmodified-since': modified });
      expect(asked[1]).not.toHaveProperty('if-match');
    }
  });

  it('is an error where nothing binds what follows, or where there are no ranges', async () => {
    const bare = (headers: Headers) => ({ ...answer(200, headers, BYTES, 2000) });
    const unbound = await failsAs(scripted(() => bare({})).read(), 'cut-short', URI);
    expect(unbound).toMatchObject({ at: 2000, message: expect.stringContaining('neither ETag nor date') });
    const weak = scripted(() => bare({ etag: 'W/"w"' }));
    await failsAs(weak.read(), 'cut-short', URI);
    const none = await failsAs(scripted(() => bare({ etag: '"a"', 'accept-ranges': 'none' })).read(), 'cut-short', URI);
    expect(none.message).toContain('no ranges');
    expect(weak.asked).toHaveLength(1);
  });

  it('after the last byte is no loss, once it is known that this is the end', async () => {
    const known = { bytes: BYTES.length, etag: etagOf(BYTES) };
    const whole = (headers: Headers) => answer(200, { etag: known.etag }, BYTES, headers.range === 'bytes=0-' ? BYTES.length : 0);
    const ofRange = scripted((headers) => served(BYTES, { headers }, {}, BYTES.length));
    const ofList = scripted(whole, known);
    for (const { asked, read } of [ofRange, ofList]) {
      expect((await read()).isWhole).toBe(true);
      expect(asked).toHaveLength(1);
    }
    // Here the length of one answer is all there is, and that may be wrong: the next one tells.
    for (const range of [{}, { 'content-range': 'bytes */10000' }]) {
      const { read } = scripted((headers, nth) => (nth === 0 ? whole(headers) : answer(416, range)));
      expect((await read()).isWhole).toBe(true);
    }
    const chunked = scripted((headers, nth) => {
      if (nth > 0) return answer(416, { 'content-range': 'bytes */10000' });
      return { ...whole(headers), headers: { 'transfer-encoding': 'chunked', etag: known.etag } };
    });
    expect((await chunked.read()).isWhole).toBe(true);
    const longer = Buffer.concat([BYTES, BYTES]);
    const { read } = scripted((headers, nth) =>
      nth === 0 ? answer(200, { etag: etagOf(longer) }, BYTES, BYTES.length) : served(longer, { headers }),
    );
    await failsAs(read(), 'changed', URI);
  });

  it('is no end of an empty object before its answer', async () => {
    await failsAs(scripted(() => answer(404), { bytes: 0 }).read(), 'not-found', URI);
    await failsAs(scripted(() => 'broken', { bytes: 0 }).read(), 'unavailable', URI);
  });

  it('before the first byte costs nothing, whatever the server offers', async () => {
    const { read } = scripted((_, nth) => (nth < 3 ? answer(200, {}, BYTES, 0) : answer(200, {}, BYTES)));
    expect((await read()).isWhole).toBe(true);
  });

  it('is given up after eight tries without a byte', async () => {
    const { asked, read } = scripted((headers, nth) => (nth === 0 ? served(BYTES, { headers }, {}, 2000) : 'broken'));
    const error = await failsAs(read(), 'cut-short', URI);
    expect(error).toMatchObject({ at: 2000, message: expect.stringContaining('9 tries') });
    expect(asked).toHaveLength(9);
    await failsAs(scripted(() => 'timeout').read(), 'timeout', URI);
    await failsAs(scripted(() => answer(503)).read(), 'unavailable', URI);
  });

  it('is not tried for long where nobody was ever reached, and not at all where no try can help', async () => {
    const refused = scripted(() => 'refused');
    await failsAs(refused.read(), 'unreachable', URI);
    expect(refused.asked).toHaveLength(4);
    for (const [fault, reason] of [
      ['no-host', 'unreachable'],
      ['tls', 'tls'],
      ['forbidden-address', 'forbidden-address'],
    ] as const) {
      const once = scripted(() => fault);
      await failsAs(once.read(), reason, URI);
      expect(once.asked).toHaveLength(1);
    }
    const missing = scripted(() => answer(404));
    await failsAs(missing.read(), 'not-found', URI);
    expect(missing.asked).toHaveLength(1);
  });

  it('waits as long as the server asks, but not for ever', async () => {
    const { waits, read } = scripted((headers, nth) =>
      nth === 0 ? answer(503, { 'retry-after': '7' }) : served(BYTES, { headers }),
    );
    await read();
    expect(waits).toEqual([7100]);
    const patient = scripted(() => answer(503, { 'retry-after': '86400' }));
    await failsAs(patient.read(), 'unavailable', URI);
    expect(patient.asked).toHaveLength(1);
  });
});

describe('an answer that does not go with the first', () => {
  const OTHER = Buffer.from(BYTES).reverse();
  /** The first is cut after 3000 bytes. */
  const then =
    (second: (headers: Headers) => HttpResponse): Script =>
    (headers, nth) =>
      nth === 0 ? served(BYTES, { headers }, {}, 3000) : second(headers);
  const etag = etagOf(BYTES);
  const rest = BYTES.subarray(3000);
  const range = `bytes 3000-9999/10000`;

  it.each<[string, string, (headers: Headers) => HttpResponse]>([
    ['an object that was replaced (412)', 'changed', (headers) => served(OTHER, { headers })],
    ['another ETag in spite of the condition', 'changed', () => answer(206, { etag: '"other"', 'content-range': range }, rest)],
    ['no ETag any more', 'bad-answer', () => answer(206, { 'content-range': range }, rest)],
    ['another length', 'changed', () => answer(206, { etag, 'content-range': 'bytes 3000-9999/10001' }, rest)],
    ['the whole', 'range-ignored', () => answer(200, { etag }, BYTES)],
    ['another place', 'bad-answer', () => answer(206, { etag, 'content-range': 'bytes 2999-9999/10000' }, BYTES.subarray(2999))],
    ['no place', 'bad-answer', () => answer(206, { etag }, rest)],
    [
      'a length that is not that of the range',
      'bad-answer',
      () => answer(206, { etag, 'content-range': range }, rest.subarray(1)),
    ],
    ['nothing left, where more was announced', 'cut-short', () => answer(416, { 'content-range': 'bytes */3000' })],
    ['nothing left, of something shorter', 'changed', () => answer(416, { 'content-range': 'bytes */17' })],
    ['nothing left', 'changed', () => answer(416)],
    [
      'another encoding than before',
      'encoded',
      () => answer(206, { etag, 'content-range': range, 'content-encoding': 'gzip' }, rest),
    ],
    ['an encoding', 'encoded', () => answer(200, { etag, 'content-encoding': 'gzip' }, 'x')],
  ])('%s', async (name, reason, second) => {
    if (name === 'an encoding') return void (await failsAs(scripted(second).read(), reason, URI));
    const { read, asked } = scripted(then(second));
    expect((await failsAs(read(), reason, URI)).at).toBe(3000);
    expect(asked).toHaveLength(2);
  });

  it('in its date, where that is all there is', async () => {
    const dated = (date: string, more: Headers = {}, cut?: number) =>
      answer(206, { 'last-modified': date, ...more }, more['content-range'] === range ? rest : BYTES, cut);
    const { read } = scripted((_, nth) =>
      nth === 0 ? dated('Monday', { 'content-range': 'bytes 0-9999/10000' }, 3000) : dated('Tuesday', { 'content-range': range }),
    );
    await failsAs(read(), 'changed', URI);
  });
});

describe('what was listed', () => {
  it('is what must be read', async () => {
    const known = { bytes: BYTES.length, etag: etagOf(BYTES) };
    const same = scripted((headers) => served(BYTES, { headers }), known);
    expect((await same.read()).isWhole).toBe(true);
    expect(same.asked[0]).toMatchObject({ 'if-match': known.etag });
    const other = Buffer.concat([BYTES, BYTES]);
    await failsAs(scripted((headers) => served(other, { headers }), known).read(), 'changed', URI);
    await failsAs(scripted(({ range }) => served(other, { headers: { range: range! } }), known).read(), 'changed', URI);
    await failsAs(scripted(() => answer(200, {}, other), { bytes: 5 }).read(), 'changed', URI);
    await failsAs(scripted(() => answer(416, { 'content-range': 'bytes */0' }), known).read(), 'changed', URI);
    const chunked = (bytes: Buffer) => ({ ...answer(200, {}, bytes), headers: { 'transfer-encoding': 'chunked' } });
    await failsAs(scripted(() => chunked(other), { bytes: 5 }).read(), 'too-long', URI);
  });

  it('is no end where the last chunk comes early', async () => {
    const known = { bytes: BYTES.length, etag: etagOf(BYTES) };
    const chunked = () => ({
      ...answer(200, { etag: known.etag }, BYTES.subarray(0, 100)),
      headers: { 'transfer-encoding': 'chunked', etag: known.etag },
    });
    const { read } = scripted((headers, nth) => (nth === 0 ? chunked() : served(BYTES, { headers })), known);
    expect((await read()).isWhole).toBe(true);
  });
});

describe('lengths', () => {
  it('must be known, or chunked', async () => {
    const bare = { ...answer(200, {}, BYTES), headers: {} };
    await failsAs(scripted(() => bare).read(), 'no-length', URI);
    const open = () => answer(206, { etag: '"a"', 'content-range': 'bytes 0-9999/*' }, BYTES);
    await failsAs(scripted(open).read(), 'no-length', URI);
    await failsAs(scripted(() => ({ ...bare, headers: { 'content-length': '10, 10' } })).read(), 'no-length', URI);
  });

  it('bound what is taken', async () => {
    const long = { ...answer(200, {}, BYTES), headers: { 'content-length': '9999' } };
    await failsAs(scripted(() => long).read(), 'too-long', URI);
  });
});

describe('an encoding that nobody asked for', () => {
  const whole = (headers: Headers, status = 206) =>
    answer(status, { etag: '"a"', ...(status === 206 ? { 'content-range': `bytes 0-9999/10000` } : {}), ...headers }, BYTES);

  it.each([
    ['gzip', 'x.jsonl', true],
    ['x-gzip', 'x.jsonl.gz', true],
    ['zstd', 'x.jsonl', true],
    ['br', 'x.jsonl.br', true],
    ['br', 'x.jsonl', false],
    ['deflate', 'x.jsonl', false],
    ['gzip, gzip', 'x.jsonl', false],
    ['aws-chunked', 'x.jsonl', true],
    ['identity', 'x.jsonl', true],
    ['aws-chunked, gzip', 'x.jsonl', true],
  ])('%s of %s is how it is stored: %s', async (encoding, name, isStored) => {
    const uri = `https://data.example/${name}`;
    const { read } = scripted(() => whole({ 'content-encoding': encoding }));
    if (isStored) expect((await read(undefined, uri)).isWhole).toBe(true);
    else await failsAs(read(undefined, uri), 'encoded', uri);
  });

  it.each<[string, Headers, number]>([
    ['in an answer that is no range', {}, 200],
    ['under a weak ETag', { etag: 'W/"a"' }, 206],
  ])('is refused %s: it was made on the way', async (_, headers, status) => {
    await failsAs(scripted(() => whole({ 'content-encoding': 'gzip', ...headers }, status)).read(), 'encoded', URI);
  });
});

describe('an end', () => {
  it('by the signal is its reason, also while it waits for the next try', async () => {
    const reason = new Error('enough');
    const abort = new AbortController();
    const { read } = scripted(() => {
      abort.abort(reason);
      return 'broken';
    });
    await expect(read(abort.signal)).rejects.toBe(reason);
  });

  it.each([
    ['at the origin', (item: Origin | Uint8Array) => !(item instanceof Uint8Array)],
    ['at the first bytes', (item: Origin | Uint8Array) => item instanceof Uint8Array],
  ])('by its reader lets the connection go: %s', async (_, isLast) => {
    let isClosed = false;
    const iterator = {
      next: async () => ({ done: false as const, value: new Uint8Array(10) }),
      return: async () => {
        isClosed = true;
        return { done: true as const, value: undefined };
      },
    };
    const object: RangedObject = {
      get: async () => ({
        status: 200,
        headers: { 'content-length': '1000000' },
        body: { [Symbol.asyncIterator]: () => iterator },
      }),
      problemOf: () => expect.fail('there is no problem'),
    };
    const world = { random: () => 0, sleep: () => expect.fail('there is nothing to wait for') };
    for await (const item of ranged({ uri: URI }, object, world, new AbortController().signal)) if (isLast(item)) break;
    expect(isClosed).toBe(true);
  });
});
