import { describe, expect, it } from 'vitest';
import { METADATA_POLICIES, MetadataFilter, type MetadataPolicy } from '../../sinks/metadata.js';
import type { MetadataRule } from '../../sinks/store.js';
import type { Chunk, Json } from '../../src/types.js';
import { HOSTILE } from '../conformance/store.js';
import { seeded, troubleText } from '../support/random.js';

type Metadata = Readonly<Record<string, Json>>;

const FLAT: MetadataRule = {
  nulls: false,
  objects: false,
  lists: 'strings',
  keyName: (key) => key.replace(/^[$_]+/, '').replaceAll('"', '_'),
  keyBytes: 12,
};

const chunkWith = (metadata: Metadata): Chunk => ({ id: 'i', source: 's', index: 0, start: 3, end: 9, metadata, text: '' });

function filtered(metadata: Metadata, rule: MetadataRule, policy: MetadataPolicy = 'flatten') {
  const filter = new MetadataFilter(rule, policy, 'shop');
  const result = filter.apply(chunkWith(metadata));
  return { result, report: filter.report };
}

const SAMPLE: Metadata = {
  title: 'T',
  none: null,
  deep: { a: { b: 1 }, c: [1, 2], empty: {} },
  words: ['a', 'b'],
  mixed: ['a', 1],
  objects: [{ x: 1 }],
};

describe('what a store refuses', () => {
  it('is flattened, or where that cannot be, encoded', () => {
    const { result, report } = filtered(SAMPLE, FLAT);
    expect(result).toEqual({
      title: 'T',
      'deep.a.b': 1,
      'deep.c': '[1,2]',
      words: ['a', 'b'],
      mixed: '["a",1]',
      objects: '[{"x":1}]',
    });
    expect(report).toEqual({
      none: { dropped: 1 },
      deep: { flattened: 2, encoded: 1, dropped: 1 },
      mixed: { encoded: 1 },
      objects: { encoded: 1 },
    });
  });

  it('is encoded', () => {
    const { result } = filtered(SAMPLE, FLAT, 'encode');
    expect(result).toEqual({
      title: 'T',
      deep: '{"a":{"b":1},"c":[1,2],"empty":{}}',
      words: ['a', 'b'],
      mixed: '["a",1]',
      objects: '[{"x":1}]',
    });
  });

  it('is dropped', () => {
    const { result, report } = filtered({ ...SAMPLE, $key: 1 }, FLAT, 'drop');
    expect(result).toEqual({ title: 'T', words: ['a', 'b'] });
    expect(Object.keys(report)).toEqual(['none', 'deep', 'mixed', 'objects', '$key']);
  });

  it.each(['none', 'deep', 'mixed', 'objects'])('stops the run: %s', (key) => {
    expect(() => filtered({ [key]: SAMPLE[key]! }, FLAT, 'stop')).toThrow(
      expect.objectContaining({
        kind: 'sink',
        reason: 'refused-metadata',
        message: expect.stringContaining(`"${key}" of the chunk i (bytes 3 to 9)`),
      }),
    );
  });

  it('stops the run for a key, too, but not for what is taken', () => {
    expect(() => filtered({ _id: 1 }, FLAT, 'stop')).toThrow('_id');
    expect(filtered({ title: 'T', words: [], n: 1, b: false }, FLAT, 'stop')).toEqual({
      result: { title: 'T', words: [], n: 1, b: false },
      report: {},
    });
  });

  it('is joined as the rule says', () => {
    expect(filtered({ a: { b: 1 } }, { objects: false, joint: '_' }).result).toEqual({ a_b: 1 });
  });
});

describe('keys', () => {
  it('become the nearest that are taken, and never one another', () => {
    const { result, report } = filtered({ $a: 1, a: 2, __a: 3, 'q"': 4, '': 5, $: 6 }, FLAT);
    expect(result).toEqual({ a: 1, a_2: 2, a_3: 3, q_: 4 });
    expect(report).toMatchObject({ $a: { renamed: 1 }, a: { renamed: 1 }, '': { dropped: 1 }, $: { dropped: 1 } });
  });

  it('are cut to bytes, at a whole character', () => {
    expect(filtered({ ééééééé: 1, 'abcdefghijk😀': 2, éééééééé: 3 }, FLAT).result).toEqual({
      éééééé: 1,
      abcdefghijk: 2,
      ééééé_2: 3,
    });
  });

  it('that all become one take no longer than others', () => {
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`${'$'.repeat((at % 50) + 1)}x${'"'.repeat(at % 3)}${at}`, at]),
    );
    const all = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`same-beginning-${at}`, at]));
    expect(Object.values(filtered(many, FLAT).result)).toHaveLength(10_000);
    expect(Object.values(filtered(all, FLAT).result)).toHaveLength(10_000);
  });

  it('may be __proto__', () => {
    const { result } = filtered(JSON.parse('{"__proto__":{"__proto__":1},"constructor":null}'), { objects: false, nulls: false });
    expect(Object.entries(result)).toEqual([['__proto__.__proto__', 1]]);
  });

  it('within objects that are taken must be taken, too', () => {
    expect(filtered({ a: { $b: 1 }, c: { d: [{ ok: 1 }] } }, { keyName: (key) => key.replace('$', '') }).result).toEqual({
      'a.b': 1,
      c: { d: [{ ok: 1 }] },
    });
  });
});

describe('sizes', () => {
  it('of a value, of the number of keys, of the whole are kept', () => {
    expect(filtered({ a: 'ééé', b: 'xxxxx', c: 12345 }, { valueBytes: 5 }).result).toEqual({ b: 'xxxxx', c: 12345 });
    expect(filtered({ a: 1, b: 2, c: 3 }, { keys: 2 }).result).toEqual({ a: 1, b: 2 });
    expect(filtered({ a: 1, b: 'x'.repeat(50), c: 2 }, { totalBytes: 20 }).result).toEqual({ a: 1, c: 2 });
  });

  it('of the whole are kept to the byte', () => {
    const metadata = { a: 'é"', b: [1, 'x'], c: true };
    const bytes = Buffer.byteLength(JSON.stringify(metadata));
    expect(filtered(metadata, { totalBytes: bytes }).result).toEqual(metadata);
    expect(Object.keys(filtered(metadata, { totalBytes: bytes - 1 }).result)).toHaveLength(2);
  });

  it('of levels are kept', () => {
    const deep = { a: { b: { c: { d: 1 } } } };
    expect(filtered(deep, { levels: 4 }).result).toEqual(deep);
    expect(filtered(deep, { levels: 3 }).result).toEqual({ 'a.b': { c: { d: 1 } } });
    const list = { a: [[[[1]]]] };
    expect(filtered(list, { levels: 3 }).result).toEqual({ a: '[[[[1]]]]' });
  });
});

it.each(METADATA_POLICIES)('%s: what comes out is what the rule takes, whatever goes in', (policy) => {
  const rule: MetadataRule = { ...FLAT, keys: 40, valueBytes: 100, totalBytes: 1500 };
  const samples = Object.values(HOSTILE);
  const check = (metadata: Metadata) => {
    let result: Metadata;
    try {
      ({ result } = filtered(metadata, rule, policy));
    } catch (error) {
      expect(policy).toBe('stop');
      expect(error).toMatchObject({ reason: 'refused-metadata' });
      return;
    }
    for (const [key, value] of Object.entries(result)) {
      expect(key).not.toBe('');
      expect(rule.keyName!(key)).toBe(key);
      expect(Buffer.byteLength(key)).toBeLessThanOrEqual(12);
      const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
      expect(isList || ['string', 'number', 'boolean'].includes(typeof value)).toBe(true);
    }
    expect(Object.keys(result).length).toBeLessThanOrEqual(40);
    expect(Buffer.byteLength(JSON.stringify(result).replaceAll(/\\ud[89a-f]../g, '\ufffd'))).toBeLessThanOrEqual(1500);
    // What is fit already stays as it is.
    expect(filtered(result, rule, 'stop').result).toEqual(result);
  };
  samples.forEach(check);
  seeded(40, (rng) => {
    const value = (depth: number): Json => {
      if (depth > 3 || rng.chance(0.5)) return rng.pick<Json>([null, true, 1.5, '', troubleText(rng, 8)]);
      const size = rng.between(0, 4);
      if (rng.chance(0.5)) return Array.from({ length: size }, () => value(depth + 1));
      return Object.fromEntries(
        Array.from({ length: size }, () => [rng.pick(['a', '$a', '"', '', 'b.c', troubleText(rng, 5)]), value(depth + 1)]),
      );
    };
    check(
      Object.fromEntries(
        Array.from({ length: rng.between(0, 60) }, (_, at) => [
          rng.pick([`k${at}`, '_k', 'long key that is cut', '$']),
          value(0),
        ]),
      ),
    );
  });
});

it('tells of a thousand keys by name, and of the others together', () => {
  const filter = new MetadataFilter({ nulls: false }, 'flatten', 'shop');
  for (let at = 0; at < 1500; at++) filter.apply(chunkWith({ [`key${at}`]: null, always: null }));
  expect(Object.keys(filter.report)).toHaveLength(1001);
  expect(filter.report).toMatchObject({ key0: { dropped: 1 }, always: { dropped: 1500 }, '(other keys)': { dropped: 501 } });
});
