/**
 * What becomes of metadata that a store refuses. A rule (sinks/store.ts) says what it takes; the user's policy says what is done
 * with the rest, the same for every store:
 *
 * | refused | `flatten` (default) | `encode` | `drop` |
 * |---|---|---|---|
 * | null | left out | left out | left out |
 * | object within (also one that is too deep, or has keys that it does not take) | its members, under joined keys; more than 16 levels as JSON text | JSON text | left out |
 * | empty object within | left out | JSON text | left out |
 * | list that it does not take (of numbers, mixed, of objects …) | JSON text | JSON text | left out |
 * | key that it does not take, or too long | the nearest that it takes | the same | left out |
 * | value too large, too many keys, whole too large | left out: the last keys; the largest values first where the whole is too large | the same | the same |
 *
 * `stop` makes the first of them an error. Where two keys become one, the later gets `_2` behind it. Each key is told of once
 * with a count, under its own name; of at most a thousand names, the others together.
 */
import { IngestError } from '../src/errors.js';
import type { Chunk, Json } from '../src/types.js';
import { jsonOf } from './escape.js';
import type { MetadataRule } from './store.js';

export const METADATA_POLICIES = ['flatten', 'encode', 'drop', 'stop'] as const;
export type MetadataPolicy = (typeof METADATA_POLICIES)[number];

type Metadata = Chunk['metadata'];
type Deed = 'dropped' | 'flattened' | 'encoded' | 'renamed';

const INFINITE = Number.POSITIVE_INFINITY;
const MOST_NAMES = 1000;
const MOST_LEVELS = 16;
/** What keys beyond the thousand are told of under. No own key: those come with their quotes where they are shown. */
const OTHERS = '(other keys)';

export class MetadataFilter {
  readonly #rule: MetadataRule;
  readonly #policy: MetadataPolicy;
  readonly #store: string;
  readonly #counts = new Map<string, Partial<Record<Deed, number>>>();

  constructor(rule: MetadataRule, policy: MetadataPolicy, store: string) {
    this.#rule = rule;
    this.#policy = policy;
    this.#store = store;
  }

  /** By key, in the order in which they were met. */
  get report(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    return Object.fromEntries(this.#counts) as Readonly<Record<string, Readonly<Record<string, number>>>>;
  }

  /** @throws IngestError kind sink where the policy is to stop at what is refused */
  apply(chunk: Chunk): Metadata {
    const entries = Object.entries(chunk.metadata);
    if (this.#fits(entries)) return chunk.metadata;
    const kept: Kept = { values: new Map(), numbers: new Map() };
    for (const [key, value] of entries) this.#take({ chunk, key }, kept, key, value, 0);
    this.#fit(chunk, kept.values);
    return Object.fromEntries(kept.values);
  }

  /** Whether the store takes all of it as it is, which is so for most. */
  #fits(entries: readonly (readonly [key: string, value: Json])[]): boolean {
    const { keys = INFINITE, valueBytes, totalBytes } = this.#rule;
    if (entries.length > keys) return false;
    for (const [key, value] of entries) {
      if (!this.#isTaken(value) || this.#nameOf(key) !== key) return false;
      if (valueBytes !== undefined && bytesOf(value) > valueBytes) return false;
    }
    return totalBytes === undefined || entries.reduce((sum, entry) => sum + memberBytes(entry), 1) <= totalBytes;
  }

  /** `name`: what the value would be called, were the store to take that. */
  #take(owner: Owner, kept: Kept, name: string, value: Json, level: number): void {
    if (this.#isTaken(value)) {
      this.#put(owner, kept, name, value);
    } else if (value === null || typeof value !== 'object') {
      this.#did(owner, 'dropped', 'is null');
    } else if (this.#policy === 'stop' || this.#policy === 'drop') {
      this.#did(owner, 'dropped', Array.isArray(value) ? 'is a list that it does not take' : 'is an object');
    } else if (this.#policy === 'flatten' && !Array.isArray(value) && level < MOST_LEVELS) {
      const members = Object.entries(value as Metadata);
      this.#did(owner, members.length === 0 ? 'dropped' : 'flattened', 'is an object');
      const { joint = '.' } = this.#rule;
      for (const [key, member] of members) this.#take(owner, kept, `${name}${joint}${key}`, member, level + 1);
    } else {
      this.#did(owner, 'encoded', 'is a list or an object');
      this.#put(owner, kept, name, jsonOf(value));
    }
  }

  #isTaken(value: Json): boolean {
    const { nulls = true, objects = true, lists } = this.#rule;
    if (value === null) return nulls;
    // Such a number is no JSON: a program's own.
    if (typeof value === 'number') return Number.isFinite(value);
    if (typeof value !== 'object') return true;
    if (!Array.isArray(value)) return objects && this.#isTakenWithin(value);
    if (lists === undefined || lists === 'none') return lists === undefined && this.#isTakenWithin(value);
    const kind = lists === 'strings' ? 'string' : typeof value[0];
    return kind !== 'object' && value.every((each) => typeof each === kind);
  }

  /** Level by level, since what is deep must not be walked by calls within calls. */
  #isTakenWithin(value: object): boolean {
    const { levels = INFINITE, keyName } = this.#rule;
    let level: readonly object[] = [value];
    for (let depth = 2; level.length > 0; depth++) {
      if (depth > levels) return false;
      if (keyName !== undefined && level.some((each) => !Array.isArray(each) && !Object.keys(each).every(isKept(keyName))))
        return false;
      level = level.flatMap((each) => Object.values(each).filter((inner) => typeof inner === 'object' && inner !== null));
    }
    return true;
  }

  #put(owner: Owner, kept: Kept, name: string, value: Json): void {
    const { keys = INFINITE, valueBytes = INFINITE } = this.#rule;
    const near = this.#nameOf(name);
    if (near === undefined || (near !== name && this.#policy !== 'flatten' && this.#policy !== 'encode')) {
      this.#did(owner, 'dropped', 'is no key that it takes');
    } else if (kept.values.size >= keys) {
      this.#did(owner, 'dropped', `is one of more than ${keys} keys`);
    } else if (bytesOf(value) > valueBytes) {
      this.#did(owner, 'dropped', `is larger than ${valueBytes} bytes`);
    } else {
      const free = this.#freeName(kept, near);
      if (free !== name) this.#did(owner, 'renamed', 'is no key that it takes');
      kept.values.set(free, value);
    }
  }

  /** The nearest that the store takes; undefined: there is none. */
  #nameOf(name: string): string | undefined {
    const { keyName, keyBytes = INFINITE } = this.#rule;
    if (name === '') return undefined;
    const near = cutTo(keyName?.(name) ?? name, keyBytes);
    return near === '' ? undefined : near;
  }

  #freeName({ values, numbers }: Kept, name: string): string {
    const { keyBytes = INFINITE } = this.#rule;
    let free = name;
    // From where the last search for this name ended: ten thousand keys may become one.
    for (let number = numbers.get(name) ?? 2; values.has(free); number++) {
      free = `${cutTo(name, keyBytes - `_${number}`.length)}_${number}`;
      numbers.set(name, number);
    }
    return free;
  }

  #fit(chunk: Chunk, kept: Map<string, Json>): void {
    const { totalBytes } = this.#rule;
    if (totalBytes === undefined) return;
    const sizes = [...kept].map((entry) => [entry[0], memberBytes(entry)] as const);
    let total = sizes.reduce((sum, [, bytes]) => sum + bytes, 1);
    if (total <= totalBytes) return;
    for (const [key, bytes] of sizes.toSorted(([, a], [, b]) => b - a)) {
      if (total <= totalBytes) return;
      this.#did({ chunk, key }, 'dropped', `is a part of more than ${totalBytes} bytes of metadata`);
      kept.delete(key);
      total -= bytes;
    }
  }

  #did(owner: Owner, deed: Deed, what: string): void {
    if (this.#policy === 'stop') throw this.#refusal(owner, what);
    const told = shortened(owner.key);
    const name = this.#counts.has(told) || this.#counts.size < MOST_NAMES ? told : OTHERS;
    const counts = this.#counts.get(name) ?? {};
    counts[deed] = (counts[deed] ?? 0) + 1;
    this.#counts.set(name, counts);
  }

  #refusal({ chunk: { id, source, start, end }, key }: Owner, what: string): IngestError {
    const sentence =
      `the metadata ${JSON.stringify(shortened(key))} of the chunk ${id} (bytes ${start} to ${end}) ${what}: ${this.#store} refuses it ` +
      '(another --metadata than stop says what to do with such)';
    return new IngestError('sink', 'refused-metadata', sentence, { origin: source });
  }
}

/** The chunk, and the key of its metadata that a value is in, however deep. */
interface Owner {
  readonly chunk: Chunk;
  readonly key: string;
}

interface Kept {
  readonly values: Map<string, Json>;
  /** Of names that several keys became: the last number behind one. */
  readonly numbers: Map<string, number>;
}

const isKept = (keyName: (key: string) => string) => (key: string) => key !== '' && keyName(key) === key;

const MOST_SHOWN = 100;

const shortened = (key: string): string => (key.length > MOST_SHOWN ? `${key.slice(0, MOST_SHOWN).toWellFormed()}…` : key);

function bytesOf(value: Json): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : jsonBytes(value);
}

/** With its colon and comma; of a whole object, the two braces are one more than the comma that is too many. */
function memberBytes([key, value]: readonly [key: string, value: Json]): number {
  return jsonBytes(key) + jsonBytes(value) + 2;
}

const jsonBytes = (value: Json): number => Buffer.byteLength(jsonOf(value));

/** The longest beginning of at most so many bytes of UTF-8. */
function cutTo(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  let end = Math.max(0, Math.min(text.length, Math.floor(bytes)));
  while (end > 0 && Buffer.byteLength(text.slice(0, end)) > bytes) end--;
  const cut = text.slice(0, end);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
