/**
 * JSON for tests: random values with all that is odd about JSON, written in many ways, with what each scalar in them is. It
 * knows nothing of the scanners.
 */
import type { Json } from '../../src/types.js';
import { type Rng, troubleText } from './random.js';

const NAMES = [
  ...['a', 'b', 'body', 'meta', 'id', '', '__proto__', 'odd.name', 'odd name', '0', '[0]', '$', '*', 'naïve', '漢'],
  ...['"', '\\', '\u0000', '😀', 'constructor', 'a]'],
];

/** Numbers as they are written, and as they are kept: without the loss of a digit, or of a sign. */
const NUMBERS: Readonly<Record<string, number | string>> = {
  '0': 0,
  '1': 1,
  '-1': -1,
  '1.5': 1.5,
  '1e3': 1000,
  '1E+3': 1000,
  '-0': '-0',
  '-0.0': '-0.0',
  '0.1': 0.1,
  '1.10': 1.1,
  '1e-7': 1e-7,
  '1e400': '1e400',
  '1e-400': '1e-400',
  '9007199254740991': 9007199254740991,
  '9007199254740993': '9007199254740993',
  '123456789012345678901234567890': '123456789012345678901234567890',
  '3.14159265358979323846': '3.14159265358979323846',
};

const WORDS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** A scalar in a value: where it is, its text as a field, and what is kept of it as metadata. */
export interface Scalar {
  readonly steps: readonly (string | number)[];
  readonly text: string;
  readonly kept: Json;
}

/** JSON text, and the scalars in it in order. */
export interface Written {
  readonly json: string;
  readonly scalars: readonly Scalar[];
}

export function randomJson(rng: Rng, depth: number): Written {
  const kind = rng.between(0, depth > 0 ? 7 : 4);
  if (kind === 0) return scalar(...rng.pick(WORDS));
  if (kind === 1) return scalar(...rng.pick(Object.entries(NUMBERS)));
  if (kind <= 4) return randomString(rng);
  if (kind === 5)
    return joined(
      rng,
      '[]',
      Array.from({ length: rng.between(0, 4) }, () => randomJson(rng, depth - 1)),
    );
  return randomObject(rng, depth);
}

/** No name comes twice. */
export function randomObject(rng: Rng, depth: number): Written {
  const names = rng.shuffle(NAMES).slice(0, rng.between(0, 5));
  return joined(
    rng,
    '{}',
    Array.from(names, () => randomJson(rng, depth - 1)),
    names,
  );
}

function scalar(json: string, kept: Json, text = json): Written {
  return { json, scalars: [{ steps: [], text, kept }] };
}

function randomString(rng: Rng): Written {
  const text = troubleText(rng, rng.between(0, 30));
  return scalar(writtenString(rng, text), text.toWellFormed(), text.toWellFormed());
}

function joined(rng: Rng, [open, close]: string, parts: readonly Written[], names?: readonly string[]): Written {
  const blank = () => (rng.chance(0.2) ? rng.pick([' ', '\n', '\r\n', '\t ']) : '');
  const inner = parts.map(({ json }, i) => {
    const name = names === undefined ? '' : `${writtenString(rng, names[i]!)}${blank()}:`;
    return `${blank()}${name}${blank()}${json}${blank()}`;
  });
  const scalars = parts.flatMap((part, i) => part.scalars.map((each) => ({ ...each, steps: [names?.[i] ?? i, ...each.steps] })));
  return { json: `${open}${inner.join(',') || blank()}${close}`, scalars };
}

/** A string in quotes, its characters escaped where they must be, and here and there besides. */
function writtenString(rng: Rng, text: string): string {
  const rate = rng.pick([0, 0.1, 1]);
  let written = '';
  for (const character of text) {
    const escaped = Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    if (!character.isWellFormed() || rng.chance(rate)) written += escaped;
    else written += character === '/' && rng.chance(0.5) ? '\\/' : JSON.stringify(character).slice(1, -1);
  }
  return `"${written}"`;
}

/** The scalars in a value, each with the names and indexes that lead to it. */
export function scalarsIn(value: Json, steps: readonly (string | number)[] = []): { steps: typeof steps; kept: Json }[] {
  if (value === null || typeof value !== 'object') return [{ steps, kept: value }];
  const entries = Array.isArray(value) ? value.map((each: Json, i) => [i, each] as const) : Object.entries(value);
  return entries.flatMap(([name, each]) => scalarsIn(each as Json, [...steps, name]));
}
