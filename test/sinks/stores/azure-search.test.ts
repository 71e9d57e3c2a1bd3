import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import { azureSearch } from '../../../sinks/stores/azure-search.js';
import { asFlag } from '../../../src/options.js';
import type { Chunk } from '../../../src/types.js';
import { conformStore, type StoredRecord } from '../../conformance/store.js';
import { memoryWorld } from '../../support/world.js';

conformStore(azureSearch, {
  read(file) {
    const { value, ...others } = JSON.parse(Buffer.from(file).toString('utf8'));
    expect(others).toEqual({});
    return value.map((document: Record<string, unknown>): StoredRecord => {
      const { '@search.action': action, id, text, metadata, embedding } = document;
      expect(action).toBe('mergeOrUpload');
      expect(Object.keys(document).filter((name) => !FIELDS.includes(name))).toEqual(['@search.action']);
      return {
        ...{ id: id as string, text: text as string, metadata: metadataIn(metadata as Value[]) },
        ...(embedding === undefined ? {} : { embedding: embedding as number[] }),
      };
    });
  },
});

interface Value {
  readonly name: string;
}

/** Each has its name and one value, of the type that the index has for it. */
function metadataIn(values: readonly Value[]): Record<string, unknown> {
  const pairs = values.map(({ name, ...rest }) => {
    const [[member, value], ...others] = Object.entries(rest) as [[string, unknown], ...unknown[]];
    expect(others).toEqual([]);
    if (member === 'texts') for (const text of value as unknown[]) expect(text).toBeTypeOf('string');
    else expect(typeof value).toBe({ text: 'string', number: 'number', flag: 'boolean' }[member]);
    return [name, value];
  });
  expect(pairs.length).toBeLessThanOrEqual(3000);
  return Object.fromEntries(pairs);
}

const FIELDS = ['id', 'source', 'index', 'start', 'end', 'tokens', 'context', 'record', 'metadata', 'text', 'embedding'];

async function made(options: Record<string, unknown>, ...chunks: readonly Chunk[]) {
  const world = memoryWorld();
  const sink = batchSink(azureSearch, { path: 'out.json', options, place: placeOf(world) });
  for (const chunk of chunks) await sink.write(chunk);
  const files = await sink.commit();
  const texts = world.files();
  return {
    counts: files.map(({ chunks: count }) => count),
    text: texts['out-00001.json']!,
    index: JSON.parse(texts['out.index.json']!),
    report: sink.report!(),
  };
}

const chunk: Chunk = { id: 'a=1', source: 'a.md', index: 0, start: 1, end: 9, metadata: {}, text: 'text' };

describe('a body', () => {
  it('is this', async () => {
    const { text, report } = await made(
      {},
      {
        ...chunk,
        tokens: 3,
        context: 'C',
        record: { index: 2, start: 0, field: 'f"' },
        metadata: JSON.parse(
          '{"__proto__":"p","page":7.5,"draft":false,"tags":["a","\\ud800"],"sizes":[1],"in":{"x":null,"y":"z"}}',
        ),
        text: '"\\\n\0\u2028\u0085שלום😀\ud83d',
        embedding: [0.1, -1],
      },
      { ...chunk, id: 'b' },
    );
    expect(text).toBe(
      '{"value":[\n' +
        '{"@search.action":"mergeOrUpload","id":"a=1","source":"a.md","index":0,"start":1,"end":9,"tokens":3,"context":"C",' +
        '"record":"{\\"index\\":2,\\"start\\":0,\\"field\\":\\"f\\\\\\"\\"}","metadata":[{"name":"__proto__","text":"p"},' +
        '{"name":"page","number":7.5},{"name":"draft","flag":false},{"name":"tags","texts":["a","\ufffd"]},' +
        '{"name":"sizes","text":"[1]"},{"name":"in.y","text":"z"}],' +
        '"text":"\\"\\\\\\n\\u0000\u2028\u0085שלום😀\ufffd","embedding":[0.1,-1]},\n' +
        '{"@search.action":"mergeOrUpload","id":"b","source":"a.md","index":0,"start":1,"end":9,"tokens":null,"context":null,' +
        '"record":null,"metadata":[],"text":"text"}\n' +
        ']}\n',
    );
    expect(report.metadata).toEqual({ sizes: { encoded: 1 }, in: { flattened: 1, dropped: 1 } });
  });

  it('has at most 1,000 documents', async () => {
    const { counts } = await made({}, ...Array.from({ length: 1001 }, (_, at) => ({ ...chunk, id: `${at}` })));
    expect(counts).toEqual([1000, 1, 0]);
  });

  it('has at most 16 MB', async () => {
    const empty = Buffer.byteLength((await made({}, { ...chunk, text: '' })).text);
    const text = 'x'.repeat(16_000_000 - empty);
    expect((await made({}, { ...chunk, text })).text).toHaveLength(16_000_000);
    await expect(made({}, { ...chunk, text: `${text}x` })).rejects.toMatchObject({ kind: 'sink', reason: 'over-limit' });
  });
});

it('what can be filtered by is at most 32,766 bytes', async () => {
  const value = 'é'.repeat(16_383);
  expect((await made({}, { ...chunk, metadata: { value, long: `${value}x` } })).report.metadata).toEqual({
    long: { dropped: 1 },
  });
  await made({}, { ...chunk, source: value });
  await expect(made({}, { ...chunk, source: `${value}x` })).rejects.toMatchObject({ reason: 'over-limit' });
});

it.each(['_a', 'a b', 'a.b', 'é', '', 'x'.repeat(1025)])('no document is named %j', async (id) => {
  await expect(made({}, { ...chunk, id })).rejects.toMatchObject({ reason: 'over-limit' });
});

describe('the index', () => {
  it('defines what documents have, and a way to search by vectors where they have some', async () => {
    const { index } = await made({}, chunk);
    expect(index.name).toBe('chunks');
    expect(index.fields.map(({ name }: Value) => name)).toEqual(FIELDS.filter((name) => name !== 'embedding'));
    expect(index.fields.filter(({ key }: { key?: true }) => key === true)).toHaveLength(1);
    expect(index.vectorSearch).toBeUndefined();

    const other = (await made({ azureIndex: 'docs-1' }, { ...chunk, embedding: [1, 2, 3] })).index;
    expect(other.name).toBe('docs-1');
    expect(other.fields.at(-1)).toEqual({
      ...{
        name: 'embedding',
        type: 'Collection(Edm.Single)',
        searchable: true,
        filterable: false,
        sortable: false,
        facetable: false,
      },
      ...{ dimensions: 3, vectorSearchProfile: 'cosine' },
    });
    const [profile] = other.vectorSearch.profiles;
    expect(profile.name).toBe('cosine');
    expect(other.vectorSearch.algorithms.map(({ name }: Value) => name)).toEqual([profile.algorithm]);
  });

  it('has a name by the rules', () => {
    const problems = (azureIndex: string) => azureSearch.problems!({ azureIndex }, asFlag);
    for (const name of ['chunks', 'a-b_c', '1a', 'x'.repeat(128)]) expect(problems(name)).toEqual([]);
    for (const name of ['a', '', 'A1', '-a', 'a--b', 'a_', 'x'.repeat(129), 'a.b'])
      expect(problems(name)).toEqual([expect.stringContaining(`--azure-index ${JSON.stringify(name)} is no name of an index`)]);
    expect(azureSearch.problems!({}, asFlag)).toEqual([]);
  });
});
