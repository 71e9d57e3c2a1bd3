/**
 * One exchange over HTTP as plain values, and what can be said of them without a network. What makes the exchange is the World's
 * (src/node-http.ts); redirects, retries and what an answer means are the callers'.
 */

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly url: URL;
  /** `host` and `content-length` are added where they are missing. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Ends the exchange at any point, also while the body is read; its reason is what is thrown. */
  readonly signal: AbortSignal;
  readonly connectTimeoutMs: number;
  /** Longest wait for the next bytes of the answer. Time in which nobody asks for bytes does not count. */
  readonly idleTimeoutMs: number;
  /** Asked of the address that is connected to, whatever name led there; where it says no, nothing is sent. Absent: any. */
  readonly allowAddress?: (ip: string) => boolean;
}

export interface HttpResponse {
  readonly status: number;
  /** By names in lower case. One that came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes as they are on the wire, at the pace at which they are asked for; read at most once. Leaving the loop closes the
   * connection, and so must a caller who reads nothing. It throws where the body ends before its announced length or before its
   * last chunk. Each buffer is the caller's.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Why an exchange failed, in a word; the message is for people and holds no address but the host's. */
export type HttpFault = 'no-host' | 'refused' | 'timeout' | 'broken' | 'forbidden-address' | 'tls';

/** What an exchange fails with, unless its signal aborts it. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly fault: HttpFault;

  constructor(fault: HttpFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.fault = fault;
  }
}

/** What stands in the way of a request, for whoever knows whether it is a source's or a sink's. */
export interface Problem {
  /** Stable kebab-case word. */
  readonly reason: string;
  readonly sentence: string;
  /** The same request may work a little later. */
  readonly isTransient: boolean;
  /** What the server asks to wait at least. */
  readonly afterMs?: number;
}

/** What a failed exchange means. */
export function transportProblem({ fault, message }: HttpError): Problem {
  const isTransient = fault === 'refused' || fault === 'timeout' || fault === 'broken';
  const isUnreachable = fault === 'refused' || fault === 'no-host';
  const reason = isUnreachable ? 'unreachable' : fault === 'broken' ? 'unavailable' : fault;
  return { reason, sentence: message, isTransient };
}

/** What all requests wait for at most. */
export const TIMEOUTS = { connectTimeoutMs: 10_000, idleTimeoutMs: 60_000 } as const;

/** Reads no more of an answer and lets its connection go. */
export async function leave({ body }: HttpResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

/** A short answer as text. What is longer than `maxBytes` is cut there, and the connection let go. */
export async function textOf({ body }: HttpResponse, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let room = maxBytes;
  for await (const bytes of body) {
    text += decoder.decode(bytes.subarray(0, room), { stream: true });
    if ((room -= bytes.length) <= 0) break;
  }
  return text;
}

/** Whether the same request may well be answered a little later: the server is busy, restarting, or behind one that is. */
export function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/** How long the server asks to wait, in milliseconds (RFC 9110, 10.2.3: seconds or a date); undefined: it does not say. */
export function retryAfterMs({ 'retry-after': after }: HttpResponse['headers'], now: Date): number | undefined {
  if (after === undefined) return undefined;
  if (/^\d+$/.test(after.trim())) return Number(after) * 1000;
  const until = Date.parse(after);
  return Number.isNaN(until) ? undefined : Math.max(0, until - now.getTime());
}

export interface ContentRange {
  /** First byte and the one after the last; absent where the range could not be had. */
  readonly start?: number;
  readonly end?: number;
  /** Bytes of the whole; absent where the server does not know. */
  readonly total?: number;
}

// `bytes 0-99/1234`, `bytes 0-99/*` or, of a range that is not there, `bytes */1234`. Undefined for all else.
export function contentRangeOf({ 'content-range': text }: HttpResponse['headers']): ContentRange | undefined {
  const found = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(?:(\d{1,15})|\*)$/i.exec(text?.trim() ?? '');
  if (found === null) return undefined;
  const [, first, last, total] = found;
  const whole = total === undefined ? {} : { total: Number(total) };
  if (first === undefined || last === undefined) return whole;
  const range = { start: Number(first), end: Number(last) + 1, ...whole };
  return range.start < range.end && range.end <= (range.total ?? range.end) ? range : undefined;
}

/* ------------------------------------------------------------------ addresses */

/**
 * Whether an address belongs to the public Internet. False for this machine, private and shared networks, link-local ones (where
 * clouds keep their metadata), multicast, what is reserved, and whatever is no address. An IPv4 address within an IPv6 one counts
 * as itself. The ranges are those of the IANA special-purpose registries (RFC 6890 and its successors).
 */
export function isPublic(ip: string): boolean {
  const four = bytesOfFour(ip);
  if (four !== undefined) return isPublicFour(four);
  const six = groupsOfSix(ip);
  return six !== undefined && isPublicSix(six);
}

/** First address of a block of IPv4, and how many leading bits make it. */
const PRIVATE_FOUR: readonly (readonly [number, number])[] = [
  [0x00000000, 8], // this network
  [0x0a000000, 8], // private
  [0x64400000, 10], // shared by providers, and the metadata of one cloud
  [0x7f000000, 8], // loopback
  [0xa83f8110, 32], // the metadata server of another
  [0xa9fe0000, 16], // link-local
  [0xac100000, 12], // private
  [0xc0000000, 24], // protocol assignments
  [0xc0000200, 24], // documentation
  [0xc0586300, 24], // relays of 6to4
  [0xc0a80000, 16], // private
  [0xc6120000, 15], // benchmarks
  [0xc6336400, 24], // documentation
  [0xcb007100, 24], // documentation
  [0xe0000000, 3], // multicast, reserved, broadcast
];

function isPublicFour(address: number): boolean {
  return !PRIVATE_FOUR.some(([block, bits]) => (address ^ block) >>> (32 - bits) === 0);
}

function isPublicSix(groups: readonly number[]): boolean {
  const [first, second, third, fourth, fifth, sixth] = groups as [number, number, number, number, number, number];
  const last = ((groups[6]! << 16) | groups[7]!) >>> 0;
  const isMapped = (first | second | third | fourth | fifth) === 0 && sixth === 0xffff;
  const isTranslated = first === 0x64 && second === 0xff9b && (third | fourth | fifth | sixth) === 0;
  if (isMapped || isTranslated) return isPublicFour(last);
  // Within 2000::/3: protocol assignments with Teredo (2001::/23), documentation (2001:db8::/32, 3fff::/20), 6to4 (2002::/16).
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false;
  return first >= 0x2000 && first <= 0x3fff && first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}

function bytesOfFour(ip: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(ip)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** The eight groups of an IPv6 address; a zone (`%eth0`) makes it link-local, and so is none that is public. */
function groupsOfSix(ip: string): number[] | undefined {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(ip);
  const four = dotted === null ? undefined : bytesOfFour(dotted[2]!);
  if (dotted !== null && four === undefined) return undefined;
  const text = four === undefined ? ip : `${dotted![1]}${(four >>> 16).toString(16)}:${(four & 0xffff).toString(16)}`;
  const halves = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const given = halves.flat();
  if (halves.length > 2 || given.some((group) => !/^[\da-f]{1,4}$/i.test(group))) return undefined;
  if (halves.length === 1 ? given.length !== 8 : given.length > 7) return undefined;
  const [front, back = []] = halves as [string[], string[]?];
  return [...front, ...Array<string>(8 - given.length).fill('0'), ...back].map((group) => Number.parseInt(group, 16));
}
