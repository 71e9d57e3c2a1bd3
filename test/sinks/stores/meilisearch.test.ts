import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import { meilisearch } from '../../../sinks/stores/meilisearch.js';
import type { Chunk } from '../../../src/types.js';
import { conformStore, type StoredRecord } from '../../conformance/store.js';
import { memoryWorld } from '../../support/world.js';

conformStore(meilisearch, {
  read(file) {
    const lines = Buffer.from(file).toString('utf8').split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line): StoredRecord => {
      const { id, text, metadata, _vectors } = JSON.parse(line);
      return { id, text, metadata, ...(_vectors === undefined ? {} : { embedding: _vectors.default }) };
    });
  },
});

async function made(...chunks: readonly Chunk[]) {
  const world = memoryWorld();
  const sink = batchSink(meilisearch, { path: 'out.ndjson', options: {}, place: placeOf(world), maxRecords: 1000 });
  for (const chunk of chunks) await sink.write(chunk);
  await sink.commit();
  const files = world.files();
  return { text: files['out-00001.ndjson']!, settings: JSON.parse(files['out.settings.json']!) };
}

const chunk: Chunk = { id: 'a_1', source: 'a.md', index: 0, start: 1, end: 9, metadata: {}, text: 'text' };
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0]));

describe('a document', () => {
  it('is this line', async () => {
    const { text } = await made(
      {
        ...chunk,
        tokens: 3,
        context: 'C',
        metadata: JSON.parse('{"__proto__":{"x":null},"a.b":[1,"\\ud800"],"_vectors":"none"}'),
        text: '"\\\n\0\u2028\u0085שלום😀\ud83d',
        embedding: [0.1, -1, 1e-9],
      },
      { ...chunk, id: 'b' },
    );
    expect(text).toBe(
      '{"id":"a_1","source":"a.md","index":0,"start":1,"end":9,"tokens":3,"context":"C",' +
        '"metadata":{"__proto__":{"x":null},"a.b":[1,"\ufffd"],"_vectors":"none"},' +
        '"text":"\\"\\\\\\n\\u0000\u2028\u0085שלום😀\ufffd","_vectors":{"default":[0.1,-1,1e-9]}}\n' +
        '{"id":"b","source":"a.md","index":0,"start":1,"end":9,"metadata":{},"text":"text","_vectors":{"default":null}}\n',
    );
  });

  it('of a run without embeddings says nothing of vectors', async () => {
    const { text } = await made(chunk);
    expect(text).toBe('{"id":"a_1","source":"a.md","index":0,"start":1,"end":9,"metadata":{},"text":"text"}\n');
  });

  it('with the first embedding after documents without is refused', async () => {
    const late = made(chunk, { ...chunk, id: 'b', embedding: [1] });
    await expect(late).rejects.toMatchObject({
      kind: 'sink',
      reason: 'over-limit',
      message: expect.stringContaining('chunk b '),
    });
  });

  it('is refused with more metadata than the attributes of a document', async () => {
    await made({ ...chunk, metadata: keys(65_516) });
    await expect(made({ ...chunk, metadata: keys(65_517) })).rejects.toMatchObject({ reason: 'over-limit' });
  });

  it('has an id of letters, digits, - and _, at most 511', async () => {
    await made({ ...chunk, id: 'x'.repeat(511) });
    for (const id of ['a b', 'a.b', 'é', '', 'x'.repeat(512)])
      await expect(made({ ...chunk, id })).rejects.toMatchObject({ reason: 'over-limit' });
  });
});

it('the settings name the embedder of the vectors, where there are any', async () => {
  const settings = {
    searchableAttributes: ['text', 'context', 'metadata'],
    filterableAttributes: ['id', 'source', 'index', 'record', 'metadata'],
    sortableAttributes: ['source', 'index'],
  };
  expect((await made(chunk)).settings).toEqual(settings);
  const embedders = { default: { source: 'userProvided', dimensions: 2 } };
  expect((await made({ ...chunk, embedding: [1, 2] })).settings).toEqual({ ...settings, embedders });
});
