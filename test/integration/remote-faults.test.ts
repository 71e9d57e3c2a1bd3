/**
 * Objects behind a network that fails as seeded plans say (test/support/fault-plans.ts): each run's output is that of the local
 * file, or the run fails with the source's error and leaves nothing. Never anything in between. `MILLRACE_FAULT_PLANS=2000` makes
 * the campaign longer, `MILLRACE_SEED=n` runs one plan.
 */
import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IngestError } from '../../src/errors.js';
import { HttpError, type HttpRequest, type HttpResponse } from '../../src/http.js';
import { nodeWorld } from '../../src/node.js';
import { type JobOptions, run } from '../../src/run.js';
import { millrace, workspace } from '../support/cli.js';
import { FAULT_KINDS, type FaultKind, type FaultPlan, faultPlan, HONEST, judged, SOUND } from '../support/fault-plans.js';
import { type FaultServer, faultServer, type Session, type Versions } from '../support/fault-server.js';
import { type Rng, rng } from '../support/random.js';
import { ARGS, local, OPTIONS, prose, records } from '../support/remote.js';
import { type MemoryWorld, memoryWorld } from '../support/world.js';

const PLANS = Number(process.env.MILLRACE_FAULT_PLANS ?? 320);
const ONLY = process.env.MILLRACE_SEED;

/** Plans in one test, and those under way at once: the silent ones cost time, not work. */
const PLANS_TOGETHER = 40;
const AT_ONCE = 8;

/** How long the client waits for a silent server: shortest where that is to happen, never because the machine is busy elsewhere. */
const IDLE_MS = { silent: 150, answering: 20_000 };

const isSilent = ({ plan }: Session): boolean => plan.steps.some(({ kind }) => kind === 'stall');

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDOFTHETEST', AWS_SECRET_ACCESS_KEY: 'not/a+secret-but-kept-as-one' };

/* ------------------------------------------------------------------ the corpus */

/** By path, before any compression. */
const TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  '/corpus/plain.txt': [prose(4000, 0), prose(4000, 1)],
  '/corpus/prose.txt.gz': [prose(6000, 0), prose(6000, 1)],
  '/corpus/packed.jsonl.gz': [records(1200, 0), records(1200, 1)],
  ...Object.fromEntries(
    ['a.txt', 'b.txt.gz', 'deep/c.txt', 'odd näme+(1).txt', 'z.txt.gz'].map((name, n) => [
      `/corpus/many/${name}`,
      [prose(300 + n, 0), prose(300 + n, 1)] as const,
    ]),
  ),
};

const PATHS = Object.keys(TEXTS);
const MANY = PATHS.filter((path) => path.startsWith('/corpus/many/')).sort();

const stored = (path: string, text: string): Buffer => (path.endsWith('.gz') ? gzipSync(text, { level: 1 }) : Buffer.from(text));

const objects: ReadonlyMap<string, Versions> = new Map(
  Object.entries(TEXTS).map(([path, [before, after]]) => [path, [stored(path, before), stored(path, after)]]),
);

/* ------------------------------------------------------------------ runs */

let server: FaultServer;
/** The output of each object in each version, by the name it is read under. */
const expected = new Map<string, readonly [string, string]>();

beforeAll(async () => {
  server = await faultServer(objects);
  for (const path of PATHS) {
    for (const uri of [`${server.url}${path}`, `s3:/${path}`]) {
      const [before, after] = TEXTS[path]!;
      expected.set(uri, [await local(uri, before), await local(uri, after)]);
    }
  }
});

afterAll(() => server.close());

/** A world whose requests go by a plan, whose waits take no time, and which knows silence soon. */
function planned(session: Session): MemoryWorld & { readonly waits: readonly number[] } {
  const waits: number[] = [];
  const http = async (request: HttpRequest): Promise<HttpResponse> => {
    const { url, method, headers } = request;
    const before = session.answered.length;
    const refused = method === 'GET' && !url.searchParams.has('list-type') && session.refuses(url.pathname);
    const sent = nodeWorld.http({
      ...request,
      ...(refused ? { url: new URL('http://127.0.0.1:1/') } : {}),
      headers: { ...headers, 'x-plan': session.id },
      idleTimeoutMs: IDLE_MS[isSilent(session) ? 'silent' : 'answering'],
    });
    return sent.catch((error: unknown) => {
      const last = session.answered.at(-1);
      if (session.answered.length > before && last !== undefined) last.missed = true;
      throw error;
    });
  };
  const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    waits.push(milliseconds);
  };
  return { ...memoryWorld({ env: KEYS }), http, sleep, waits };
}

/** What a plan reads: one object, or several from a list. */
function inputOf(chance: Rng, by: FaultPlan['by']): { readonly input: string; readonly uris: readonly string[] } {
  const path = chance.pick(['/corpus/plain.txt', '/corpus/prose.txt.gz', '/corpus/packed.jsonl.gz']);
  const kind = chance.next();
  if (by === 'http') return { input: `${server.url}${path}`, uris: [`${server.url}${path}`] };
  if (kind < 0.6) return { input: `s3:/${path}`, uris: [`s3:/${path}`] };
  const glob = kind > 0.8;
  const uris = MANY.filter((each) => !glob || each.endsWith('.gz')).map((each) => `s3:/${each}`);
  return { input: `s3://corpus/many/${glob ? '*.gz' : ''}`, uris };
}

interface Outcome {
  readonly must: string;
  readonly whole: boolean;
  readonly kinds: readonly FaultKind[];
}

/** One plan, held to what must come of it. */
async function tried(plan: FaultPlan, { input, uris } = inputOf(rng(plan.seed + 1e6), plan.by)): Promise<Outcome> {
  const session = server.begin(plan);
  const world = planned(session);
  const options: JobOptions = { ...OPTIONS, input, out: 'out.jsonl', s3Endpoint: server.url, s3PathStyle: true };
  const error = await run(options, {}, world).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const told = () =>
    `${input}, ${JSON.stringify(plan)}\nanswered ${session.answered.map((each) => JSON.stringify(each)).join('\n  ')}`;
  const { must, because, reason } = judged(plan, session.answered);
  if (error === undefined) {
    const changed = session.answered.some(({ fault }) => fault.kind === 'changed');
    expect(must, `it succeeded in spite of ${because}: ${told()}`).not.toBe('error');
    expect(isOneOf(world.files()['out.jsonl'] ?? '', uris, changed), `output is not that of the file: ${told()}`).toBe(true);
    expect(Object.keys(world.files()).sort()).toEqual(['out.jsonl', 'out.jsonl.manifest.json']);
    if (!isSilent(session)) expectPatience(session, world.waits);
  } else {
    const kind = error instanceof IngestError ? error.kind : String((error as Error).stack);
    expect(kind, told()).toBe('source');
    expect(must, `${(error as IngestError).reason}: ${(error as Error).message}: ${told()}`).not.toBe('whole');
    if (reason !== undefined) expect((error as IngestError).reason, `${because}: ${told()}`).toBe(reason);
    expect(Object.keys(world.files()), told()).toEqual([]);
    expect((error as Error).message).not.toContain(KEYS.AWS_SECRET_ACCESS_KEY);
  }
  return { must, whole: error === undefined, kinds: session.answered.map(({ fault }) => fault.kind) };
}

/** The objects one after the other, each as it was before or, where it changed, as it was after: never a mixture. */
function isOneOf(output: string, uris: readonly string[], changed: boolean): boolean {
  let at = 0;
  for (const uri of uris) {
    const [before, after] = expected.get(uri)!;
    if (output.startsWith(before, at)) at += before.length;
    else if (changed && output.startsWith(after, at)) at += after.length;
    else return false;
  }
  return at === output.length;
}

/** A server that said when to come again was not asked before. */
function expectPatience({ answered }: Session, waits: readonly number[]): void {
  for (const { fault } of answered) {
    if (fault.kind !== 'busy' || !/^\d+$/.test(fault.retryAfter ?? '')) continue;
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(Number(fault.retryAfter) * 1000);
  }
}

/** All of them, a few at a time. @throws the first error, the seed in its message */
async function triedAll(seeds: readonly number[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const left = [...seeds];
  const worker = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      try {
        outcomes.push(await tried(faultPlan(rng(seed))));
      } catch (error) {
        left.length = 0;
        (error as Error).message = `[MILLRACE_SEED=${seed}] ${(error as Error).message}`;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcomes;
}

describe('seeded faults', () => {
  const outcomes: Outcome[] = [];
  const seeds = ONLY === undefined ? Array.from({ length: PLANS }, (_, n) => n + 1) : [Number(ONLY)];
  const groups = Array.from({ length: Math.ceil(seeds.length / PLANS_TOGETHER) }, (_, n) =>
    seeds.slice(n * PLANS_TOGETHER, (n + 1) * PLANS_TOGETHER),
  );

  it.each(groups.map((group) => [group[0], group.at(-1), group] as const))(
    'plans %i to %i: the output of the local file, or the source is at fault and nothing is left',
    async (_first, _last, group) => {
      outcomes.push(...(await triedAll(group)));
    },
  );

  it.skipIf(ONLY !== undefined || PLANS < 200)(
    'the campaign is no formality: all faults were met, and both ends came often',
    () => {
      const share = (of: (each: Outcome) => boolean) => outcomes.filter(of).length / outcomes.length;
      const tally = {
        whole: share(({ must }) => must === 'whole'),
        error: share(({ must }) => must === 'error'),
        came: share(({ whole }) => whole),
      };
      if (process.env.MILLRACE_FAULT_PLANS !== undefined) console.log(tally);
      expect(tally.whole).toBeGreaterThan(0.3);
      expect(tally.error).toBeGreaterThan(0.15);
      expect(tally.came).toBeGreaterThan(0.35);
      const met = new Set(outcomes.flatMap(({ kinds }) => kinds));
      expect(FAULT_KINDS.filter((kind) => !met.has(kind))).toEqual([]);
    },
  );
});

/* ------------------------------------------------------------------ found by longer campaigns */

describe('once a fault', () => {
  const end = { kind: 'end', at: 0.5 } as const;
  const cases: readonly (readonly [string, Partial<FaultPlan['traits']>, FaultPlan['steps'], string])[] = [
    [
      'an encoding that begins in the middle, where no length gives it away',
      { framing: 'chunked' },
      [end, { kind: 'encoded' }],
      'safe',
    ],
    ['a break after the last byte, before the last chunk', { framing: 'chunked' }, [{ kind: 'end', at: 1 }], 'whole'],
    ['more bytes than are announced, where there are no ranges', { ranges: false }, [{ kind: 'shorter', by: 900 }], 'safe'],
    [
      'another object of the same length, where nothing tells versions apart',
      { validator: 'none' },
      [end, { kind: 'changed', denied: false }],
      'safe',
    ],
    ['the same, told by its date alone', { validator: 'modified' }, [end, { kind: 'changed', denied: false }], 'error'],
  ];

  it.each(cases)('%s', async (_, traits, steps, must) => {
    const uri = `${server.url}/corpus/plain.txt`;
    const plan: FaultPlan = { seed: 0, by: 'http', traits: { ...SOUND, ...traits }, steps, lists: [] };
    expect((await tried(plan, { input: uri, uris: [uri] })).must).toBe(must);
  });
});

/* ------------------------------------------------------------------ redirects to private addresses */

describe('a redirect from a public server', () => {
  const PUBLIC = '93.184.216.34';

  /** `corpus.example` is a public host here, though it is the server on loopback that answers. */
  async function redirected(to: string, options: JobOptions = {}): Promise<MemoryWorld> {
    const session = server.begin({ seed: 0, by: 'http', traits: SOUND, steps: [{ kind: 'redirect', hops: 1, to }], lists: [] });
    const world = planned(session);
    const http = (request: HttpRequest): Promise<HttpResponse> => {
      if (!request.url.hostname.endsWith('.example')) return world.http(request);
      const { allowAddress, ...rest } = request;
      if (allowAddress?.(PUBLIC) === false) throw new HttpError('forbidden-address', 'not allowed');
      return world.http({
        ...rest,
        url: new URL(request.url.pathname, server.url),
        headers: { ...request.headers, host: request.url.host },
      });
    };
    await run(
      { ...OPTIONS, input: 'http://corpus.example/corpus/plain.txt', out: 'out.jsonl', ...options },
      {},
      { ...world, http },
    );
    return world;
  }

  it('to a private address is refused', async () => {
    for (const to of [
      `${server.url}/corpus/plain.txt`,
      'http://10.0.0.1/',
      'http://[::1]:9/',
      'http://169.254.169.254/latest/',
    ]) {
      const error = await redirected(to).catch((reason: unknown) => reason);
      expect(error, to).toBeInstanceOf(IngestError);
      expect((error as IngestError).kind).toBe('source');
      expect((error as IngestError).message).toContain('allow');
    }
  });

  it('to a private address is followed when that is allowed', async () => {
    const world = await redirected(`${server.url}/corpus/plain.txt`, { allowPrivate: true });
    expect(world.files()['out.jsonl']).toContain('Line 003999');
  });

  it('to another public one is followed', async () => {
    expect((await redirected('http://mirror.example/corpus/plain.txt')).files()['out.jsonl']).toContain('Line 003999');
  });
});

/* ------------------------------------------------------------------ the command line */

describe('the command line', () => {
  const TO = [...ARGS, '-o', 'out.jsonl'];
  const end = { kind: 'end', at: 0.5 } as const;
  const cases: readonly (readonly [string, FaultPlan['steps'], number, string])[] = [
    ['comes through a break', [end], 0, 'chunks'],
    ['fails when the object changes', [end, { kind: 'changed', denied: true }], 3, 'changed'],
    ['fails when a range is ignored', [end, { kind: 'whole' }], 3, 'whole'],
    ['fails when it is denied', [{ kind: 'gone', status: 403 }], 3, '403'],
  ];

  it.each(cases)('%s', async (_, steps, code, word) => {
    const session = server.begin({ seed: 0, by: 'http', traits: SOUND, steps, lists: [] });
    server.others(session);
    for (const by of ['http', 's3']) {
      const place = workspace();
      session.restart();
      const address = `${server.url.replace('://', '://user:pass%C3%A9word@')}/corpus/plain.txt?X-Amz-Signature=5ec2e7&token=53c2e7`;
      const input = by === 'http' ? address : 's3://corpus/plain.txt';
      const { stderr, ...ended } = await millrace([input, ...TO, ...(by === 's3' ? ['--s3-endpoint', server.url] : [])], {
        cwd: place.dir,
        env: KEYS,
      });
      expect(ended.code, stderr).toBe(code);
      expect(ended.stdout.length).toBe(0);
      expect(stderr).toContain(word);
      expect(readdirSync(place.dir).sort()).toEqual(code === 0 ? ['out.jsonl', 'out.jsonl.manifest.json'] : []);
      const written = code === 0 ? place.read('out.jsonl').toString() + place.read('out.jsonl.manifest.json') : '';
      for (const secret of ['pass', '5ec2e7', '53c2e7', KEYS.AWS_SECRET_ACCESS_KEY])
        expect(stderr + written).not.toContain(secret);
      if (code === 0) expect(written).toContain('Line 003999');
    }
  });
});

/* ------------------------------------------------------------------ the server itself */

describe('the fault server', () => {
  const get = async (session: Session, path: string, headers: Record<string, string> = {}) => {
    const answer = await nodeWorld.http({
      method: 'GET',
      url: new URL(path, server.url),
      headers: { ...headers, 'x-plan': session.id },
      signal: new AbortController().signal,
      connectTimeoutMs: 5000,
      idleTimeoutMs: IDLE_MS.answering,
    });
    const parts: Uint8Array[] = [];
    let broke = false;
    try {
      for await (const part of answer.body) parts.push(part);
    } catch {
      broke = true;
    }
    return { ...answer, bytes: Buffer.concat(parts), broke };
  };

  const begin = (...steps: FaultPlan['steps']) => server.begin({ seed: 0, by: 'http', traits: SOUND, steps, lists: [] });
  const [before, after] = objects.get('/corpus/plain.txt')!;

  it('gives objects, ranges of them, and 412 or 416 where it must', async () => {
    const session = begin();
    const whole = await get(session, '/corpus/plain.txt');
    expect(whole.bytes.equals(before)).toBe(true);
    const part = await get(session, '/corpus/plain.txt', { range: 'bytes=10-19', 'if-match': whole.headers.etag! });
    expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 10-19/${before.length}`]);
    expect(part.bytes.equals(before.subarray(10, 20))).toBe(true);
    expect((await get(session, '/corpus/plain.txt', { 'if-match': '"another"' })).status).toBe(412);
    expect((await get(session, '/corpus/plain.txt', { range: `bytes=${before.length}-` })).status).toBe(416);
    expect((await get(session, '/corpus/none')).status).toBe(404);
  });

  it('does what its plan says, step by step, and keeps a record', async () => {
    const session = begin(
      ...[{ kind: 'end', at: 0.5 } as const, { kind: 'busy', status: 503, retryAfter: '3' } as const],
      ...[{ kind: 'whole' } as const, { kind: 'encoded' } as const, { kind: 'changed', denied: false } as const, HONEST],
    );
    const half = await get(session, '/corpus/plain.txt');
    expect([half.broke, half.bytes.equals(before.subarray(0, half.bytes.length))]).toEqual([true, true]);
    expect(half.bytes.length).toBe(Math.floor((before.length - 1) / 2));
    const busy = await get(session, '/corpus/plain.txt');
    expect([busy.status, busy.headers['retry-after']]).toEqual([503, '3']);
    expect((await get(session, '/corpus/plain.txt', { range: 'bytes=9-' })).bytes.equals(before)).toBe(true);
    expect((await get(session, '/corpus/plain.txt')).headers['content-encoding']).toBe('gzip');
    expect(
      (await get(session, '/corpus/plain.txt', { range: 'bytes=9-', 'if-match': '"first"' })).bytes.equals(after.subarray(9)),
    ).toBe(true);
    expect((await get(session, '/corpus/plain.txt')).bytes.equals(after)).toBe(true);
    expect(session.answered.map(({ fault, from, status }) => [fault.kind, from, status])).toEqual([
      ...[['end', 0, 200] as const, ['busy', 0, 503] as const, ['whole', 9, 200] as const],
      ...[['encoded', 0, 200] as const, ['changed', 9, 206] as const, ['none', 0, 200] as const],
    ]);
  });

  it('makes the same plan of the same seed, and many kinds of plans', () => {
    const plans = Array.from({ length: 200 }, (_, seed) => faultPlan(rng(seed)));
    expect(plans.map((_, seed) => faultPlan(rng(seed)))).toEqual(plans);
    expect(new Set(plans.map((plan) => JSON.stringify({ ...plan, seed: 0 }))).size).toBe(200);
  });
});
