import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import { elasticsearch, opensearch } from '../../../sinks/stores/elasticsearch.js';
import { conformStore, storeChunks } from '../../conformance/store.js';
import { memoryWorld } from '../../support/world.js';

for (const spec of [elasticsearch, opensearch]) {
  conformStore(spec, {
    read(file) {
      const lines = Buffer.from(file).toString('utf8').split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.length % 2).toBe(0);
      return Array.from({ length: lines.length / 2 }, (_, at) => {
        const action = JSON.parse(lines[at * 2]!);
        const { text, metadata, embedding } = JSON.parse(lines[at * 2 + 1]!);
        expect(action).toEqual({ index: { _id: expect.any(String) } });
        return { id: action.index._id, text, metadata, ...(embedding === undefined ? {} : { embedding }) };
      });
    },
  });
}

const [chunk] = storeChunks(1, true) as [ReturnType<typeof storeChunks>[0]];

async function written(spec: typeof elasticsearch, options: Record<string, unknown>, ...chunks: ReturnType<typeof storeChunks>) {
  const world = memoryWorld();
  const sink = batchSink(spec, { path: 'out', options, place: placeOf(world) });
  for (const each of chunks) await sink.write(each);
  await sink.commit();
  return world.files();
}

describe('a pair of lines', () => {
  it('is an action and a document, all of which come back', async () => {
    const hostile = {
      ...chunk,
      metadata: JSON.parse('{"__proto__":1,"a\\u2028":[null,{"b":"\\u0000"}]}'),
      text: '"\\\u2029\0',
      context: 'C',
    };
    const files = await written(elasticsearch, { index: 'a"b' }, { ...hostile, tokens: 3, embedding: [0.1, -2] });
    const [action, document, ...others] = files['out-00001.ndjson']!.split('\n');
    expect(others).toEqual(['']);
    expect(JSON.parse(action!)).toEqual({ index: { _index: 'a"b', _id: chunk.id } });
    const { id: _, ...rest } = hostile;
    expect(JSON.parse(document!)).toEqual({ ...rest, tokens: 3, embedding: [0.1, -2] });
    expect(Object.keys(JSON.parse(document!).metadata)).toEqual(['__proto__', 'a\u2028']);
  });

  it('has no embedding where the chunk has none', async () => {
    const { embedding: _, ...plain } = chunk;
    expect((await written(elasticsearch, {}, plain))['out-00001.ndjson']).not.toContain('embedding');
  });

  it('of an id over 512 bytes is refused', async () => {
    await expect(written(elasticsearch, {}, { ...chunk, id: 'é'.repeat(256) })).resolves.toBeDefined();
    await expect(written(elasticsearch, {}, { ...chunk, id: `${'é'.repeat(256)}x` })).rejects.toMatchObject({
      reason: 'over-limit',
    });
  });
});

describe('the mapping', () => {
  it('has a vector of as many numbers as the chunks have', async () => {
    const { mappings } = JSON.parse((await written(elasticsearch, {}, chunk))['out.mapping.json']!);
    expect(mappings.properties).toMatchObject({ metadata: { type: 'flattened' }, embedding: { type: 'dense_vector', dims: 8 } });
    const other = JSON.parse((await written(opensearch, {}, chunk))['out.mapping.json']!);
    expect(other).toMatchObject({
      settings: { index: { knn: true } },
      mappings: { properties: { metadata: { type: 'flat_object' }, embedding: { type: 'knn_vector', dimension: 8 } } },
    });
  });

  it('has none where there are none', async () => {
    const { embedding: _, ...plain } = chunk;
    for (const spec of [elasticsearch, opensearch])
      expect((await written(spec, {}, plain))['out.mapping.json']).not.toMatch(/embedding|knn/);
  });
});
