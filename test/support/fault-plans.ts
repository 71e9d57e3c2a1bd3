/**
 * What may go wrong between us and a server, as seeded lists of faults, and what must come of each: judged from what the server
 * was asked and how it answered, by rules that know nothing of our client. A run is *safe* when its output is that of the local
 * file, or there is none and the error is the source's; the rules say which of the two a plan leaves room for.
 */
import type { Rng } from './random.js';

/** What happens to one request for an object. `at` is the share of the body that is sent before, below 0: not even the head. */
export type Fault =
  | { readonly kind: 'none' }
  /** Nobody listens. */
  | { readonly kind: 'refused' }
  /** The connection breaks, ends as if all were well, or falls silent. */
  | { readonly kind: 'reset' | 'end' | 'stall'; readonly at: number }
  | { readonly kind: 'busy'; readonly status: number; readonly retryAfter?: string }
  /** So many bytes at a time. */
  | { readonly kind: 'drip'; readonly bytes: number }
  /** A proper answer to a range, with less than was asked for. */
  | { readonly kind: 'part'; readonly share: number }
  /** `to`: where the last of them leads; absent: back to where it began. */
  | { readonly kind: 'redirect'; readonly hops: number; readonly to?: string }
  /** 200 and all of it, whatever range was asked for. */
  | { readonly kind: 'whole' }
  /** So many bytes more, or fewer, are announced than there are. */
  | { readonly kind: 'longer' | 'shorter'; readonly by: number }
  /** Another object of the same length, from now on; `denied` where the server checks If-Match and its like. */
  | { readonly kind: 'changed'; readonly denied: boolean }
  /** The same bytes under another ETag; no precondition is checked. */
  | { readonly kind: 'retagged' }
  /** The range begins elsewhere, and says so; or its total is another, or it tells nothing. */
  | { readonly kind: 'shifted' | 'regrown'; readonly by: number }
  | { readonly kind: 'unplaced' }
  /** Compressed on the way, though nobody asked for it; or said to be. */
  | { readonly kind: 'encoded' | 'labelled' }
  | { readonly kind: 'unsatisfiable' }
  /** Redirected to itself, from now on. */
  | { readonly kind: 'loop' }
  | { readonly kind: 'gone'; readonly status: number }
  /** No HTTP at all. */
  | { readonly kind: 'noise' }
  /** Of a list: XML that ends early, with a length that says otherwise. */
  | { readonly kind: 'torn' };

export type FaultKind = Fault['kind'];

/** All of them: a campaign that never met one has shown nothing about it. */
export const FAULT_KINDS: readonly FaultKind[] = [
  ...(['none', 'refused', 'reset', 'end', 'stall', 'busy', 'drip', 'part', 'redirect', 'whole', 'longer', 'shorter'] as const),
  ...(['changed', 'retagged', 'shifted', 'regrown', 'unplaced', 'encoded', 'labelled', 'unsatisfiable'] as const),
  ...(['loop', 'gone', 'noise', 'torn'] as const),
];

/** How the server answers when nothing goes wrong. */
export interface Traits {
  readonly ranges: boolean;
  readonly validator: 'etag' | 'weak' | 'modified' | 'none';
  /** How the end of a body is told. */
  readonly framing: 'length' | 'chunked' | 'close';
}

export interface FaultPlan {
  readonly seed: number;
  readonly by: 'http' | 's3';
  readonly traits: Traits;
  /** One for each request for an object; later ones are answered honestly. */
  readonly steps: readonly Fault[];
  /** The same for requests for a list, and for those that only look whether an object is there. */
  readonly lists: readonly Fault[];
}

/** One request as the server saw it, and what it did. */
export interface Answered {
  readonly key: string;
  readonly list: boolean;
  readonly fault: Fault;
  /** First byte asked for: 0 where no range was. */
  readonly from: number;
  readonly status: number;
  /** The client had given up waiting: what was sent is not what was received. */
  missed?: boolean;
}

export const HONEST: Fault = { kind: 'none' };

export const SOUND: Traits = { ranges: true, validator: 'etag', framing: 'length' };

/** What a client must get over, one kind as likely as another. */
const MILD: readonly ((rng: Rng) => Fault)[] = [
  (rng) => ({ kind: 'reset', at: rng.next() }),
  (rng) => ({ kind: 'reset', at: rng.pick([-1, 0, 0.999]) }),
  (rng) => ({ kind: 'end', at: rng.next() }),
  (rng) => ({ kind: 'end', at: rng.pick([-1, 0, 0.999]) }),
  (rng) => ({ kind: 'stall', at: rng.pick([-1, 0, rng.next()]) }),
  (rng) => ({ kind: 'busy', status: rng.pick([500, 502, 503, 504, 429]) }),
  (rng) => ({ kind: 'busy', status: rng.pick([503, 429]), retryAfter: rng.pick(['3', '7', 'Tue, 01 Dec 2015 10:00:00 GMT']) }),
  () => ({ kind: 'refused' }),
  (rng) => ({ kind: 'drip', bytes: rng.between(1, 2000) }),
  (rng) => ({ kind: 'part', share: rng.next() }),
];

/** What no client can get over once it has begun, and what one may refuse; and how many of them a lot holds. */
const GRAVE: readonly (readonly [lots: number, make: (rng: Rng) => Fault])[] = [
  [6, (rng) => ({ kind: 'changed', denied: rng.chance(0.3) })],
  [3, () => ({ kind: 'whole' })],
  [3, (rng) => ({ kind: 'shorter', by: rng.between(1, 5000) })],
  [3, () => ({ kind: 'encoded' })],
  [2, (rng) => ({ kind: 'longer', by: rng.between(1, 5000) })],
  [2, () => ({ kind: 'retagged' })],
  [2, (rng) => ({ kind: 'shifted', by: rng.pick([-1, 1, 100, -100]) })],
  [2, (rng) => ({ kind: 'regrown', by: rng.pick([-1, 1, 4096]) })],
  [1, () => ({ kind: 'unplaced' })],
  [1, () => ({ kind: 'labelled' })],
  [1, () => ({ kind: 'unsatisfiable' })],
  [2, () => ({ kind: 'loop' })],
  [2, (rng) => ({ kind: 'gone', status: rng.pick([400, 401, 403, 404, 410]) })],
  [1, () => ({ kind: 'noise' })],
];

const GRAVE_LOT = GRAVE.flatMap(([lots, make]) => Array.from({ length: lots }, () => make));

const LISTS: readonly ((rng: Rng) => Fault)[] = [
  () => HONEST,
  () => HONEST,
  (rng) => ({ kind: 'busy', status: 503, ...(rng.chance(0.5) ? { retryAfter: '4' } : {}) }),
  (rng) => ({ kind: rng.pick(['reset', 'end']), at: rng.next() }),
  () => ({ kind: 'torn' }),
  () => ({ kind: 'gone', status: 403 }),
];

/** Few enough in a row that no client has given up: bytes come between them. */
const MOST_IN_A_ROW = 2;

export function faultPlan(rng: Rng): FaultPlan {
  const by = rng.seed % 2 === 0 ? 'http' : 's3';
  const mild = (): Fault[] => Array.from({ length: rng.between(0, MOST_IN_A_ROW) }, () => rng.pick(MILD)(rng));
  const hops: Fault[] = by === 'http' && rng.chance(0.15) ? [{ kind: 'redirect', hops: rng.between(1, 4) }] : [];
  // What is wrong with an answer to a range shows only to one who has begun.
  const grave: Fault[] = rng.chance(0.5) ? [...(rng.chance(0.8) ? [begun(rng)] : []), rng.pick(GRAVE_LOT)(rng)] : [];
  const groups = Array.from({ length: rng.between(0, grave.length > 0 ? 1 : 3) }, () => [...mild(), begun(rng)]);
  return {
    ...{ seed: rng.seed, by },
    traits: traits(rng, by),
    steps: [...hops, ...groups.flat(), ...(grave.length > 0 ? grave : mild())],
    lists: Array.from({ length: 3 }, () => rng.pick(LISTS)(rng)),
  };
}

/** A connection that ends early, with bytes that came. */
function begun(rng: Rng): Fault {
  return { kind: 'end', at: 0.1 + 0.8 * rng.next() };
}

function traits(rng: Rng, by: 'http' | 's3'): Traits {
  if (by === 's3' || rng.chance(0.4)) return SOUND;
  return {
    ranges: rng.chance(0.75),
    validator: rng.pick(['etag', 'etag', 'etag', 'modified', 'weak', 'none']),
    framing: rng.pick(['length', 'length', 'chunked', 'chunked', 'close']),
  };
}

/* ------------------------------------------------------------------ what must come of it */

/** `whole`: the output of the local file. `error`: none. `safe`: one of them. */
export interface Judgement {
  readonly must: 'whole' | 'error' | 'safe';
  /** What decided it. */
  readonly because: string;
  /** What the error must be, where only one is right. */
  readonly reason?: string;
}

const SAFE: Judgement = { must: 'safe', because: 'a client may refuse it' };

/** What must come of a run whose requests were answered so. */
export function judged({ traits, by }: FaultPlan, answered: readonly Answered[]): Judgement {
  const judgements = answered.map((each) => (each.list ? ofList(each) : ofObject(each, traits, by)));
  return (
    judgements.find(({ must }) => must === 'error') ??
    judgements.find(({ must }) => must === 'safe') ?? { must: 'whole', because: 'nothing that a client cannot get over' }
  );
}

function ofList({ fault: { kind }, status, missed }: Answered): Judgement {
  const because = `a list: ${kind} ${status}`;
  if (missed) return { must: 'whole', because };
  // To ask again for what cannot be read is as good as to give up.
  return { must: kind === 'torn' ? 'safe' : kind === 'gone' ? 'error' : 'whole', because };
}

function ofObject({ fault, from, status, missed }: Answered, traits: Traits, by: 'http' | 's3'): Judgement {
  const because = `${fault.kind} ${status} from ${from}`;
  const error = (reason?: string): Judgement => ({ must: 'error', because, ...(reason === undefined ? {} : { reason }) });
  const fine: Judgement = { must: traits.framing === 'close' ? 'safe' : 'whole', because };
  const resumable = traits.ranges && (traits.validator === 'etag' || traits.validator === 'modified');
  // Of these the server, or the noise, stays as it is.
  if (missed && !['noise', 'changed', 'loop'].includes(fault.kind)) return fine;
  // A server without ranges answers a request for one with all of it.
  if (from > 0 && status === 200) return error('range-ignored');
  switch (fault.kind) {
    case 'none':
    case 'refused':
    case 'busy':
    case 'drip':
      return fine;
    case 'part':
      return resumable || status === 200 ? fine : SAFE;
    case 'redirect':
      return by === 's3' ? SAFE : fine;
    case 'whole':
      return fine;
    case 'end':
      // Nothing tells it from the end of the body.
      if (traits.framing === 'close' && fault.at >= 0) return error();
      return resumable || fault.at < 0 ? fine : SAFE;
    case 'reset':
    case 'stall':
      return resumable || fault.at < 0 ? fine : SAFE;
    case 'longer':
      return from === 0 && status === 200 && traits.framing === 'length' ? error() : SAFE;
    case 'retagged':
      if (traits.validator === 'modified') return fine;
      return from > 0 ? error('changed') : SAFE;
    case 'changed':
      return from > 0 ? error('changed') : SAFE;
    case 'regrown':
      return from > 0 ? error() : SAFE;
    case 'loop':
      return error();
    case 'gone':
      return error(status === 404 ? 'not-found' : status === 401 || status === 403 ? 'denied' : undefined);
    default:
      return SAFE;
  }
}
