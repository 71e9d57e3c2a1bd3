import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import { weaviate } from '../../../sinks/stores/weaviate.js';
import { asFlag } from '../../../src/options.js';
import type { Chunk, Json } from '../../../src/types.js';
import { conformStore, type StoredRecord } from '../../conformance/store.js';
import { memoryWorld } from '../../support/world.js';

conformStore(weaviate, {
  read(file) {
    const { objects, ...others } = JSON.parse(Buffer.from(file).toString('utf8'));
    expect(others).toEqual({});
    return objects.map(({ class: made, id, properties, vector, ...rest }: Record<string, Json>): StoredRecord => {
      expect([made, rest]).toEqual(['Chunk', {}]);
      const entries = Object.entries(properties as Record<string, Json>);
      for (const [name] of entries) expect(name).toMatch(/^[_A-Za-z][_0-9A-Za-z]{0,230}$/);
      const metadata = entries.filter(([name]) => name.startsWith('meta_')).map(([name, value]) => [name.slice(5), value]);
      return {
        ...{ id: id as string, text: (properties as { text: string }).text, metadata: Object.fromEntries(metadata) },
        ...(vector === undefined ? {} : { embedding: vector as number[] }),
      };
    });
  },
});

async function made(options: Record<string, unknown>, chunks: readonly Chunk[], request: object = {}) {
  const world = memoryWorld();
  const sink = batchSink(weaviate, { path: 'out.json', options, place: placeOf(world), ...request });
  for (const chunk of chunks) await sink.write(chunk);
  const written = await sink.commit();
  const files = world.files();
  return {
    text: files['out-00001.json']!,
    made: JSON.parse(files['out.class.json']!),
    objects: written.filter(({ chunks: count }) => count > 0).flatMap(({ path }) => JSON.parse(files[path]!).objects),
    report: sink.report!(),
  };
}

const id = '00000000-0000-5000-8000-000000000001';
const chunk: Chunk = { id, source: 'a.md', index: 0, start: 1, end: 9, metadata: {}, text: 'text' };
const withMetadata = (...all: readonly Chunk['metadata'][]) => all.map((metadata) => ({ ...chunk, metadata }));

describe('a batch', () => {
  it('is this', async () => {
    const { text } = await made({ weaviateClass: 'Page' }, [
      {
        ...chunk,
        tokens: 3,
        context: 'C',
        record: { index: 2, start: 0 },
        metadata: JSON.parse('{"__proto__":"p","page":7.5,"draft":false,"tags":["a","\\ud800"],"in":{"x":null,"y z":"q"}}'),
        text: '"\\\n\0\u2028\u0085שלום😀\ud83d',
        embedding: [0.1, -1],
      },
      chunk,
    ]);
    expect(text).toBe(
      '{"objects":[\n' +
        `{"class":"Page","id":"${id}","properties":{"source":"a.md","index":0,"start":1,"end":9,"tokens":3,"context":"C",` +
        '"record":"{\\"index\\":2,\\"start\\":0}","text":"\\"\\\\\\n\\u0000\u2028\u0085שלום😀\ufffd","meta___proto__":"p",' +
        '"meta_page":7.5,"meta_draft":false,"meta_tags":["a","\ufffd"],"meta_in_y_z":"q"},"vector":[0.1,-1]},\n' +
        `{"class":"Page","id":"${id}","properties":{"source":"a.md","index":0,"start":1,"end":9,"text":"text"}}\n` +
        ']}\n',
    );
  });

  it('has at most 1,000 objects', async () => {
    const { text, objects } = await made(
      {},
      Array.from({ length: 1001 }, () => chunk),
    );
    expect(JSON.parse(text).objects).toHaveLength(1000);
    expect(objects).toHaveLength(1001);
  });

  it('is of objects that are named by UUIDs', async () => {
    await expect(made({}, [{ ...chunk, id: 'a' }])).rejects.toMatchObject({ kind: 'sink', reason: 'over-limit' });
  });
});

describe('the properties of metadata', () => {
  it('have one type each: values of another go elsewhere, and are told of', async () => {
    const all = withMetadata(
      { page: 1, tags: [], sizes: [1], empty: [] },
      { page: 'two', tags: ['a'], sizes: [] },
      { page: [3], tags: [true], sizes: 4, empty: [5] },
    );
    // One in a file, so that each but the first is tried in a full file before it is written.
    const { objects, made: definition, report } = await made({}, all, { maxRecords: 1 });
    expect(objects.map(({ properties }) => metadataOf(properties))).toEqual([
      { meta_page: 1, meta_tags: [], meta_sizes: [1], meta_empty: [] },
      { metaText_page: 'two', meta_tags: ['a'], meta_sizes: [] },
      { metaNumbers_page: [3], metaBooleans_tags: [true], metaNumber_sizes: 4, metaNumbers_empty: [5] },
    ]);
    expect(Object.fromEntries(definition.properties.map(({ name, dataType }: Property) => [name, ...dataType]))).toEqual({
      ...{ source: 'text', index: 'int', start: 'int', end: 'int', tokens: 'int', context: 'text', record: 'text', text: 'text' },
      ...{ meta_page: 'number', meta_tags: 'text[]', meta_sizes: 'number[]', meta_empty: 'text[]' },
      ...{ metaText_page: 'text', metaNumbers_page: 'number[]', metaBooleans_tags: 'boolean[]' },
      ...{ metaNumber_sizes: 'number', metaNumbers_empty: 'number[]' },
    });
    expect(report.notices).toEqual([
      '5 values of metadata are of another type than the first of their key: see metaText_, metaNumber_ … in class.json',
    ]);
  });

  it('are none that is named twice in an object', async () => {
    const { text, report } = await made(
      {},
      withMetadata({ 'a b': 1, a_b: 2, 'a.b': 'x', ['k'.repeat(300)]: 1, ['k'.repeat(301)]: 2 }),
    );
    const names = [...text.matchAll(/"(meta\w*)":/g)].map(([, name]) => name);
    expect(names).toEqual(['meta_a_b', 'meta_a_b_2', 'meta_a_b_3', `meta_${'k'.repeat(218)}`, `meta_${'k'.repeat(216)}_2`]);
    expect(report.notices).toEqual([]);
  });

  it('are at most 10,000 in a run', async () => {
    const keys = (from: number) => Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${from + at}`, at]));
    const full = withMetadata(...Array.from({ length: 10 }, (_, at) => keys(at * 1000)));
    expect((await made({}, full)).made.properties).toHaveLength(10_008);
    await expect(made({}, [...full, ...withMetadata({ one: 1 })])).rejects.toMatchObject({
      ...{ kind: 'sink', reason: 'over-limit', message: expect.stringContaining('more than 10000 in all') },
    });
  });
});

interface Property {
  readonly name: string;
  readonly dataType: readonly string[];
}

const metadataOf = (properties: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => name.startsWith('meta')));

describe('the collection', () => {
  it('has vectors of its own only where chunks have embeddings', async () => {
    const { made: without } = await made({}, [chunk]);
    expect(Object.keys(without)).toEqual(['class', 'properties']);
    const { made: definition } = await made({ weaviateClass: 'Page' }, [{ ...chunk, embedding: [1, 2] }]);
    expect(definition).toMatchObject({ class: 'Page', vectorizer: 'none', vectorIndexConfig: { distance: 'cosine' } });
  });

  it('has a name by the rules', () => {
    const problems = (weaviateClass: string) => weaviate.problems!({ weaviateClass }, asFlag);
    for (const name of ['Chunk', 'A', 'A_1', `A${'x'.repeat(254)}`]) expect(problems(name)).toEqual([]);
    for (const name of ['', 'chunk', 'A b', 'É', `A${'x'.repeat(255)}`])
      expect(problems(name)).toEqual([
        expect.stringContaining(`--weaviate-class ${JSON.stringify(name)} is no name of a collection`),
      ]);
    expect(weaviate.problems!({}, asFlag)).toEqual([]);
  });
});
