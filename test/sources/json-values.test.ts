/** Values of JSON that are kept as metadata: exact, bounded, and equal to what JSON.parse says wherever that is exact. */
import { describe, expect, it } from 'vitest';
import { JsonReader } from '../../sources/json-reader.js';
import { exactNumber, KEPT_DEPTH, KeptValue } from '../../sources/json-values.js';
import { TextWindow } from '../../sources/window.js';
import type { Json } from '../../src/types.js';
import { randomJson, scalarsIn } from '../support/json.js';
import { seeded } from '../support/random.js';

/** The value of a JSON text that comes in pieces of this size. */
function kept(source: string, size = source.length, spend: (units: number) => boolean = () => true): Json | undefined {
  const window = new TextWindow('utf-16le');
  const reader = new JsonReader(window);
  const value = new KeptValue(reader, spend, 0);
  for (let at = 0; ; at += size) {
    const piece = source.slice(at, at + size);
    if (piece !== '') window.append({ text: piece, start: at * 2, end: (at + piece.length) * 2, verbatim: true });
    window.settle();
    reader.read(window.text, at + size >= source.length);
    for (let token = reader.next(); token !== 'more'; token = reader.next()) {
      if (token === 'fault') expect.fail(reader.fault!.sentence);
      if (value.take(token)) return value.value;
    }
    window.drop(reader.at);
  }
}

describe('a number', () => {
  it.each([
    ...([
      ['0', 0],
      ['-1', -1],
      ['1.0', 1],
      ['1e3', 1000],
      ['0.0', 0],
      ['0e9', 0],
      ['1E+2', 100],
      ['100e-2', 1],
    ] as const),
    ...([
      ['0.1', 0.1],
      ['0.3333333333333333', 0.3333333333333333],
      ['1e23', 1e23],
      ['5e-324', 5e-324],
      ['1.7976931348623157e308', Number.MAX_VALUE],
    ] as const),
    ...([
      ['9007199254740991', 9007199254740991],
      ['9007199254740992', 9007199254740992],
      ['0.000001', 1e-6],
      ['123456789.123456', 123456789.123456],
    ] as const),
  ])('%s is one', (source, value) => {
    expect(exactNumber(source)).toBe(value);
  });

  it.each([
    ...[
      '-0',
      '-0.0',
      '-0e1',
      '9007199254740993',
      '1e400',
      '-1e400',
      '1e-400',
      '4e-324',
      '0.1000000000000000055',
      '3.14159265358979323846',
    ],
    ...['123456789012345678901', '1e99999999999999999999', '1e-99999999999999999999', '0.30000000000000001'],
  ])('%s keeps its digits', (source) => {
    expect(exactNumber(source)).toBe(source);
  });

  it('is the double only if that says the same', () => {
    seeded(2000, (rng) => {
      const digits = Array.from({ length: rng.between(1, 22) }, () => rng.between(0, 9)).join('');
      const whole = rng.between(0, digits.length);
      const source = `${rng.pick(['', '-'])}${digits.slice(0, whole).replace(/^0+(?=.)/, '') || '0'}${whole < digits.length ? `.${digits.slice(whole)}` : ''}`;
      const value = exactNumber(source);
      const isSame = scaled(String(Number(source))) === scaled(source) && !(Number(source) === 0 && source.startsWith('-'));
      expect(value).toBe(isSame ? Number(source) : source);
    });
  });

  it('of any length costs little', () => {
    const long = `1${'0'.repeat(60_000)}1`;
    expect(exactNumber(long)).toBe(long);
    expect(exactNumber(`0.${'0'.repeat(60_000)}`)).toBe(0);
  });
});

describe('a kept value', () => {
  it('is what JSON.parse says, however it comes', () => {
    seeded(150, (rng) => {
      const written = randomJson(rng, 4);
      const value = kept(written.json, rng.pick([1, 3, 50, 10_000]));
      const entry = ({ steps, kept: said }: { steps: unknown; kept: Json }) => JSON.stringify([steps, said]);
      expect(scalarsIn(value!).map(entry).toSorted()).toEqual(written.scalars.map(entry).toSorted());
      const parsed: Json = JSON.parse(written.json, (_, each) =>
        typeof each === 'string' ? each.toWellFormed() : typeof each === 'number' ? 0 : each,
      );
      const plain: Json = JSON.parse(JSON.stringify(value));
      expect(shape(plain)).toEqual(shape(parsed));
    });
  });

  it('keeps odd names, and makes a list of what comes again', () => {
    expect(JSON.stringify(kept('{"__proto__":{"a":1},"":2,"constructor":3}'))).toBe('{"__proto__":{"a":1},"":2,"constructor":3}');
    expect(kept('{"a":1,"b":{"c":1,"c":[2],"c":3},"a":[4],"a":5}')).toEqual({ a: [1, [4], 5], b: { c: [1, [2], 3] } });
    expect(Object.getPrototypeOf(kept('{"__proto__":{"a":1}}'))).toBe(Object.prototype);
  });

  it('that is too deep is JSON text from there on, without blanks', () => {
    const inner = '{ "a" : [ 1.50 , "\\u00e9\\n" , { } , [ ] , null ] , "b" : true }';
    const deep = '['.repeat(KEPT_DEPTH) + inner + ']'.repeat(KEPT_DEPTH);
    for (const size of [1, 2, 1000]) {
      let value = kept(deep, size);
      for (let level = 0; level < KEPT_DEPTH; level++) value = (value as Json[])[0];
      expect(value).toBe('{"a":[1.50,"\\u00e9\\n",{},[],null],"b":true}');
    }
    const deeper = kept(`${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`);
    expect(() => JSON.stringify(deeper)).not.toThrow();
  });

  it('asks for room before it keeps, the same however it comes, and keeps nothing once there is none', () => {
    const source = '{"names":["a","longer","\\u00e9"],"n":[1,2,[true,{}]]}';
    const asked = [source.length, 1, 7].map((size) => {
      let units = 0;
      kept(source, size, (more) => (units += more) > 0);
      return units;
    });
    expect(new Set(asked).size).toBe(1);
    expect(asked[0]).toBeGreaterThan(30);
    for (let room = 0; room < asked[0]!; room++) {
      let left = room;
      expect(kept(source, 5, (units) => (left -= units) >= 0)).toBeUndefined();
    }
  });
});

/** A decimal number times 10^60, as a whole number. */
function scaled(number: string): bigint {
  const [digits, exponent = '0'] = number.split('e') as [string, string?];
  const [whole, fraction = ''] = digits.split('.') as [string, string?];
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(60 - fraction.length + Number(exponent));
}

/** Names and kinds, without the values. */
function shape(value: Json): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (value !== null && typeof value === 'object')
    return Object.entries(value).map(([name, each]) => [name, shape(each as Json)]);
  return 0;
}
