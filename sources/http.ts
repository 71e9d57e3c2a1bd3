/**
 * The `http` source: one address, by sources/ranged.ts. Here are redirects, which hosts may be reached through them, and what of
 * an address may be told: neither users and passwords nor what signs it are in a name, a message or an id.
 */
import { configError, IngestError } from '../src/errors.js';
import { HttpError, type HttpResponse, isPublic, isTransient, leave, type Problem, retryAfterMs, TIMEOUTS } from '../src/http.js';
import type { Source } from '../src/types.js';
import { VERSION } from '../src/version.js';
import type { World } from '../src/world.js';
import { ranged } from './ranged.js';

export interface HttpOptions {
  /** A public server may send us to a private or loopback address. */
  readonly allowPrivate: boolean;
}

type Surroundings = Pick<World, 'http' | 'sleep' | 'random' | 'date'>;

const MOST_REDIRECTS = 5;

/** @throws IngestError kind config for what is no address */
export async function http(input: string, { allowPrivate }: HttpOptions, world: Surroundings): Promise<Source[]> {
  if (!URL.canParse(input)) throw configError([`an input that begins with http is no address: check its host and port`]);
  const url = new URL(input);
  const uri = tellable(url);
  const object = {
    get: (headers: Readonly<Record<string, string>>, signal: AbortSignal) =>
      new Route(url, uri, allowPrivate, world).get(headers, signal),
    problemOf: (response: HttpResponse) => problemOf(response, world),
  };
  // The whole address tells inputs apart that have one name; it is compared, never shown.
  return [{ origin: { uri }, paths: [url.href], read: (signal) => ranged({ uri }, object, world, signal) }];
}

/* ------------------------------------------------------------------ names */

/** Parameters that make a signature: without it they mean nothing, and they are others each time. */
const SIGNING =
  /^(x-(amz|goog)-.*|signature|sig|awsaccesskeyid|googleaccessid|key-pair-id|policy|expires|s[eprtv]|sdd|si[gp]?|spr|skoid|sktid|sk[estv])$/i;

/** Marks of a signed address: only then are its other short names, such as `sp`, part of a signature. */
const SIGNED = /^(x-(amz|goog)-signature|signature|sig)$/i;

/** Parameters whose values are secrets. */
const SECRET =
  /^(access_?token|id_?token|auth(_?token|orization)?|token|api_?key|key|password|passwd|pwd|secret|client_?secret|credentials?|session|jwt|x-amz-security-token)$/i;

/** The name of an address: without user, password, fragment and signature, secrets as `***`. */
export function tellable(url: URL): string {
  const told = new URL(url);
  told.username = told.password = told.hash = '';
  const pairs = url.search === '' ? [] : url.search.slice(1).split('&');
  const nameOf = (pair: string) => new URLSearchParams(pair).keys().next().value ?? '';
  const isSigned = pairs.some((pair) => SIGNED.test(nameOf(pair)));
  const kept = pairs
    .filter((pair) => !(isSigned && SIGNING.test(nameOf(pair))))
    .map((pair) => (SECRET.test(nameOf(pair)) && pair.includes('=') ? pair.replace(/=.*$/s, '=***') : pair));
  told.search = kept.join('&');
  return told.href;
}

/* ------------------------------------------------------------------ redirects */

/** The way of one request from the user's address to where its answer comes from. */
class Route {
  readonly #first: URL;
  readonly #uri: string;
  readonly #allowPrivate: boolean;
  readonly #world: Surroundings;
  /** Some host so far has been one of the public Internet. */
  #cameByPublic = false;

  constructor(first: URL, uri: string, allowPrivate: boolean, world: Surroundings) {
    this.#first = first;
    this.#uri = uri;
    this.#allowPrivate = allowPrivate;
    this.#world = world;
  }

  async get(headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpResponse> {
    let url = this.#first;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#exchange(url, headers, signal);
      if (![301, 302, 303, 307, 308].includes(response.status)) return response;
      await leave(response);
      if (redirects === MOST_REDIRECTS)
        throw this.#failed('too-many-redirects', `more than ${MOST_REDIRECTS} redirects in a row`);
      url = this.#next(url, response);
    }
  }

  async #exchange(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpResponse> {
    const mustBePublic = this.#cameByPublic && !this.#allowPrivate;
    const allowAddress = (ip: string): boolean => {
      const isOpen = isPublic(ip);
      this.#cameByPublic ||= isOpen;
      return isOpen || !mustBePublic;
    };
    const all = { 'user-agent': `millrace/${VERSION}`, accept: '*/*', ...this.#authorization(url), ...headers };
    try {
      return await this.#world.http({ method: 'GET', url, headers: all, signal, allowAddress, ...TIMEOUTS });
    } catch (error) {
      if (!(error instanceof HttpError) || error.fault !== 'forbidden-address') throw error;
      const sentence = `the server redirects to ${url.host}, a private or loopback address; the option allow-private follows it there`;
      throw this.#failed('private-address', sentence);
    }
  }

  /** Sent only where the user sent it. */
  #authorization(url: URL): Record<string, string> {
    const { username, password, origin } = this.#first;
    if (url.origin !== origin || (username === '' && password === '')) return {};
    const bytes = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`);
    return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
  }

  #next(from: URL, { headers: { location } }: HttpResponse): URL {
    if (location === undefined || !URL.canParse(location, from.href))
      throw this.#failed('bad-answer', 'the server redirects, but not to an address');
    const to = new URL(location, from.href);
    if (to.protocol !== 'http:' && to.protocol !== 'https:')
      throw this.#failed('bad-redirect', `the server redirects to ${to.protocol} which is neither http nor https`);
    if (from.protocol === 'https:' && to.protocol === 'http:')
      throw this.#failed(
        'bad-redirect',
        `the server redirects from https to http (${to.host}): name that address if you trust the way to it`,
      );
    to.username = to.password = '';
    return to;
  }

  #failed(reason: string, sentence: string): IngestError {
    return new IngestError('source', reason, sentence, { origin: this.#uri });
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function problemOf(response: HttpResponse, world: Pick<World, 'date'>): Promise<Problem> {
  const { status, headers } = response;
  await leave(response);
  const afterMs = retryAfterMs(headers, world.date());
  const again = isTransient(status);
  const [reason, sentence] = SENTENCES[status] ?? [again ? 'unavailable' : 'bad-answer', `the server answers ${status}`];
  return { reason, sentence, isTransient: again, ...(afterMs === undefined ? {} : { afterMs }) };
}

const DENIED = 'the server refuses: it wants other credentials, or none of these addresses is open';
const SENTENCES: Readonly<Record<number, readonly [reason: string, sentence: string]>> = {
  401: ['denied', `${DENIED} (401)`],
  403: ['denied', `${DENIED} (403)`],
  404: ['not-found', 'there is nothing at this address (404)'],
  407: ['denied', 'a proxy wants credentials (407)'],
  410: ['not-found', 'it is gone from this address (410)'],
};
