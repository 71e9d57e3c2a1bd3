import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import { typesense } from '../../../sinks/stores/typesense.js';
import type { Chunk } from '../../../src/types.js';
import { conformStore, type StoredRecord } from '../../conformance/store.js';
import { memoryWorld } from '../../support/world.js';

conformStore(typesense, {
  read(file) {
    const lines = Buffer.from(file).toString('utf8').split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line): StoredRecord => JSON.parse(line));
  },
});

async function made(options: Record<string, unknown>, ...chunks: readonly Chunk[]) {
  const world = memoryWorld();
  const sink = batchSink(typesense, { path: 'out.jsonl', options, place: placeOf(world) });
  for (const chunk of chunks) await sink.write(chunk);
  await sink.commit();
  const files = world.files();
  return { text: files['out-00001.jsonl']!, schema: JSON.parse(files['out.schema.json']!) };
}

const chunk: Chunk = { id: 'a~1', source: 'a.md', index: 0, start: 1, end: 9, metadata: {}, text: 'text' };

describe('a document', () => {
  it('is this line', async () => {
    const { text } = await made(
      {},
      {
        ...chunk,
        tokens: 3,
        context: 'C',
        record: { index: 2, start: 0 },
        metadata: JSON.parse('{"__proto__":{"x":null},"a.b":[1,"\\ud800"],"q\\"\\\\":"\\n"}'),
        text: '"\\\n\0\u2028\u0085שלום😀\ud83d',
        embedding: [0.1, -1, 1e-9],
      },
    );
    expect(text).toBe(
      '{"id":"a~1","source":"a.md","index":0,"start":1,"end":9,"tokens":3,"context":"C","record":{"index":2,"start":0},' +
        '"metadata":{"__proto__":{"x":null},"a.b":[1,"\ufffd"],"q\\"\\\\":"\\n"},' +
        '"text":"\\"\\\\\\n\\u0000\u2028\u0085שלום😀\ufffd","embedding":[0.1,-1,1e-9]}\n',
    );
  });

  it.each(['a b', 'a/b', 'é', 'a#1', ''])('cannot be named %j', async (id) => {
    await expect(made({}, { ...chunk, id })).rejects.toMatchObject({ kind: 'sink', reason: 'over-limit' });
  });
});

describe('the schema', () => {
  const fieldsOf = async (...all: readonly Chunk['metadata'][]) => {
    const { schema } = await made({}, ...all.map((metadata) => ({ ...chunk, metadata })));
    const fields = schema.fields as { name: string; type: string; optional?: boolean }[];
    const own = fields.filter(({ name }) => name.startsWith('metadata.'));
    for (const { optional } of own) expect(optional).toBe(true);
    return Object.fromEntries(own.map(({ name, type }) => [name.slice('metadata.'.length), type]));
  };

  it('has the fields of every chunk, and of the embedding where there is one', async () => {
    const own = [
      { name: 'source', type: 'string' },
      { name: 'index', type: 'int32' },
      { name: 'start', type: 'int64' },
      { name: 'end', type: 'int64' },
      { name: 'tokens', type: 'int32', optional: true },
      { name: 'context', type: 'string', optional: true },
      { name: 'text', type: 'string' },
    ];
    expect((await made({}, chunk)).schema).toEqual({ name: 'chunks', enable_nested_fields: true, fields: own });
    const { schema } = await made({ typesenseCollection: 'docs' }, { ...chunk, embedding: [1, 2] });
    const embedding = { name: 'embedding', type: 'float[]', num_dim: 2, optional: true };
    expect(schema).toEqual({ name: 'docs', enable_nested_fields: true, fields: [...own, embedding] });
  });

  it('has keys of metadata whose values are of one kind', async () => {
    const first = { title: 'a', page: 1, weight: 1, draft: true, tags: ['a'], sizes: [1], none: [], ключ: 'x', late: [] };
    const second = { page: 2, weight: 0.5, tags: [], sizes: [1, 0.5], late: ['x'] };
    expect(await fieldsOf(first, second)).toEqual({
      ...{ title: 'string', page: 'int64', weight: 'float', draft: 'bool', tags: 'string[]', sizes: 'float[]' },
      ...{ ключ: 'string', late: 'string[]' },
    });
  });

  it('has none of the others', async () => {
    const others = {
      mixed: [1, 'a'],
      nothing: null,
      object: { a: 1 },
      objects: [{ a: 1 }],
      huge: 1e300,
      'a.b': 1,
      'a*': 1,
      '': 1,
    };
    expect(await fieldsOf({ ...others, turns: 1, lists: 1 }, { turns: 'a', lists: [1] }, { turns: 1 })).toEqual({});
  });

  it('has a hundred keys at most', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, at]));
    expect(Object.keys(await fieldsOf(many))).toEqual(Object.keys(many).slice(0, 100));
  });
});
