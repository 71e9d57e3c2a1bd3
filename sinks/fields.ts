/**
 * Lines with fields of choice: `content=text,meta.src=source,meta.title=metadata.title`. On the left what a field is called, with
 * points between the names of objects within; on the right what of the chunk it holds; a name alone stands for both. What a chunk
 * does not have is left out. A point that belongs to a name is written `\.`, a comma `\,`, an equals sign `\=`, a backslash `\\`.
 */
import type { Chunk, Json } from '../src/types.js';
import { CHUNK_KEYS } from './store.js';

/** These hold fields of their own, so a path may go on. */
const DEEP: readonly string[] = ['metadata', 'record'];

export interface FieldMap {
  /** The object that is written in place of the chunk. */
  of(chunk: Chunk): Readonly<Record<string, unknown>>;
}

interface Field {
  readonly to: readonly string[];
  readonly from: readonly string[];
}

/** What is wrong with the fields adds to `problems`, as sentences that begin with `called`. */
export function fieldMap(given: readonly string[], problems: string[], called: string): FieldMap {
  const fields = given.flatMap((each) => split(each, ',')).map((each) => fieldOf(each, problems, called));
  const names = fields.map(({ to }) => JSON.stringify(to));
  names.forEach((name, at) => {
    if (names.indexOf(name) < at) problems.push(`${called} names ${fields[at]!.to.join('.')} twice`);
  });
  for (const { to } of fields) {
    const above = fields.find((other) => other.to.length < to.length && other.to.every((name, at) => name === to[at]));
    if (above !== undefined) problems.push(`${called} makes ${above.to.join('.')} both a value and an object that holds others`);
  }
  return { of: (chunk) => mapped(chunk, fields) };
}

function fieldOf(given: string, problems: string[], called: string): Field {
  const [left, right, ...more] = split(given, '=');
  const to = split(left ?? '', '.').map(plain);
  const from = right === undefined ? to : split(right, '.').map(plain);
  const shown = JSON.stringify(given);
  if (more.length > 0 || to.includes('') || from.includes(''))
    problems.push(`${called} takes NAME=FIELD, such as content=text, not ${shown}`);
  else if (!CHUNK_KEYS.some((name) => name === from[0]))
    problems.push(`${called} ${shown}: a chunk has no ${from[0]} (it has ${CHUNK_KEYS.join(', ')})`);
  else if (from.length > 1 && !DEEP.includes(from[0]!))
    problems.push(`${called} ${shown}: ${from[0]} is one value; only ${DEEP.join(' and ')} hold others`);
  return { to, from };
}

/** At the mark, where no backslash stands before it. */
function split(text: string, mark: ',' | '=' | '.'): string[] {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < text.length; at++) {
    if (text[at] === mark) {
      parts.push(part);
      part = '';
    } else part += text[at] === '\\' ? text.slice(at, ++at + 1) : text[at];
  }
  return [...parts, part];
}

const plain = (name: string): string => name.replace(/\\(.)/gs, '$1');

function mapped(chunk: Chunk, fields: readonly Field[]): Readonly<Record<string, unknown>> {
  const whole: Record<string, unknown> = {};
  for (const { to, from } of fields) {
    const value = valueAt(chunk, from);
    if (value === undefined) continue;
    let place = whole;
    for (const name of to.slice(0, -1)) {
      if (!Object.hasOwn(place, name)) define(place, name, {});
      place = place[name] as Record<string, unknown>;
    }
    define(place, to.at(-1)!, value);
  }
  return whole;
}

/** Also a `__proto__`, which an assignment would take for something else. */
function define(place: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(place, name, { value, enumerable: true, configurable: true, writable: true });
}

function valueAt(chunk: Chunk, path: readonly string[]): unknown {
  let value: unknown = chunk;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, Json>>)[name];
  }
  return value;
}
