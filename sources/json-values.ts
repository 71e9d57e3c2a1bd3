/**
 * Values of JSON that are kept, built from the reader's tokens: metadata, and numbers without loss of a digit. Bounded: by the
 * room that the collector gives, and in depth, since what comes after (JSON.stringify) recurses.
 */
import type { Json } from '../src/types.js';
import { define } from './collector.js';
import type { JsonReader, Token } from './json-reader.js';

/** Containers this deep within a kept value are kept as their JSON text. */
export const KEPT_DEPTH = 64;

/** Says whether there is room for so many more UTF-16 units. */
export type Spend = (units: number) => boolean;

interface Frame {
  readonly container: Json[] | Record<string, Json>;
  name: string;
  /** Something of it was left out. */
  omits: boolean;
  /** Names that came more than once: their values are a list. */
  repeated?: Set<string>;
}

/** One value, while its tokens come. */
export class KeptValue {
  /** Once complete; undefined when there was no room, or when nothing is left of it. */
  value: Json | undefined;
  isOver = false;
  readonly #reader: JsonReader;
  readonly #spend: Spend;
  /** Of the reader, outside of the value. */
  readonly #depth: number;
  readonly #frames: Frame[] = [];
  #hasRoom = true;
  #string = '';
  /** The JSON text of a container that is too deep, and the reader's depth outside of it. */
  #deep: { readonly parts: string[]; readonly depth: number; isFirst: boolean } | undefined;

  /** `depth`: the reader's, outside of the value. */
  constructor(reader: JsonReader, spend: Spend, depth: number) {
    this.#reader = reader;
    this.#spend = spend;
    this.#depth = depth;
  }

  /** Takes the reader's next token; true: the value is complete. */
  take(token: Token): boolean {
    if (this.#hasRoom) this.#build(token);
    this.isOver = this.#reader.depth === this.#depth && token !== 'part';
    return this.isOver;
  }

  /** The value that begins is none of it: it is elsewhere. */
  omit(): void {
    const top = this.#frames.at(-1);
    if (top !== undefined) top.omits = true;
  }

  #build(token: Token): void {
    const reader = this.#reader;
    this.#hasRoom = this.#spend(reader.at - reader.start + (reader.begins ? 1 : 0));
    if (!this.#hasRoom) this.#frames.length = 0;
    else if (this.#deep !== undefined) this.#buildDeep(token);
    else if (token === 'name') this.#frames.at(-1)!.name = reader.said();
    else if (token === 'object' || token === 'array') this.#open(token);
    else if (token === 'close') this.#close();
    else this.#scalar(token);
  }

  #open(token: 'object' | 'array'): void {
    if (this.#frames.length === KEPT_DEPTH) {
      this.#deep = { parts: [], depth: this.#reader.depth - 1, isFirst: true };
      this.#buildDeep(token);
    } else this.#frames.push({ container: token === 'object' ? {} : [], name: '', omits: false });
  }

  #close(): void {
    const { container, omits } = this.#frames.pop()!;
    const isEmpty = omits && (Array.isArray(container) ? container : Object.keys(container)).length === 0;
    if (!isEmpty) this.#add(container);
    else this.omit();
  }

  #scalar(token: Token): void {
    const reader = this.#reader;
    if (token === 'part') this.#string += reader.said();
    else if (token === 'string' && !reader.begins) {
      const string = this.#string + reader.said();
      this.#string = '';
      this.#add(string);
    } else this.#add(scalarOf(reader, token));
  }

  #add(value: Json): void {
    const top = this.#frames.at(-1);
    if (top === undefined) this.value = value;
    else if (Array.isArray(top.container)) top.container.push(value);
    else addMember(top as Frame & { readonly container: Record<string, Json> }, value);
  }

  /** JSON text without blanks. */
  #buildDeep(token: Token): void {
    const deep = this.#deep!;
    const reader = this.#reader;
    if (reader.begins && !deep.isFirst) deep.parts.push(',');
    deep.isFirst = token === 'name' || token === 'object' || token === 'array';
    deep.parts.push(reader.source());
    if (token === 'name') deep.parts.push(':');
    if (token !== 'close' || reader.depth > deep.depth) return;
    this.#deep = undefined;
    this.#add(deep.parts.join(''));
  }
}

/** A name that comes again makes a list of its values. */
function addMember(frame: Frame & { readonly container: Record<string, Json> }, value: Json): void {
  const { container, name } = frame;
  if (!Object.hasOwn(container, name)) {
    define(container, name, value);
    return;
  }
  frame.repeated ??= new Set();
  if (frame.repeated.has(name)) (container[name] as Json[]).push(value);
  else define(container, name, [container[name]!, value]);
  frame.repeated.add(name);
}

/** What a scalar says that is all in the reader's token. */
export function scalarOf(reader: JsonReader, token: Token): Json {
  if (token === 'string') return reader.said();
  if (token === 'number') return exactNumber(reader.source());
  return token === 'null' ? null : token === 'true';
}

/** A double tells any two decimal numbers of so many digits apart. */
const ALWAYS_EXACT = 15;

/** As a number where a double says exactly the same, its sign included; else its digits, as they stand in the source. */
export function exactNumber(source: string): number | string {
  const short = source.length <= ALWAYS_EXACT ? whole(source) : -1;
  if (short >= 0) return short;
  const value = Number(source);
  const size = Math.abs(value);
  if (source.length <= ALWAYS_EXACT && size > 1e-99 && size < 1e99) return value;
  const said = String(value);
  if (said === source) return value;
  if (!Number.isFinite(value) || Object.is(value, -0)) return source;
  return decimal(said) === decimal(source) ? value : source;
}

/** What digits alone say, which is read much faster here than by `Number`; -1: there is something else among them. */
function whole(source: string): number {
  let value = 0;
  for (let at = 0; at < source.length; at++) {
    const digit = source.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The one way to write a number: its significant digits, and a power of ten. */
function decimal(number: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = DECIMAL.exec(number)!;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return end === 0 ? '0' : `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
