import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import { qdrant } from '../../../sinks/stores/qdrant.js';
import { asFlag } from '../../../src/options.js';
import type { Chunk } from '../../../src/types.js';
import { conformStore, type StoredRecord, storeChunks } from '../../conformance/store.js';
import { memoryWorld } from '../../support/world.js';

interface Point {
  readonly id: string;
  readonly vector: readonly number[] | Readonly<Record<string, readonly number[]>>;
  readonly payload: { readonly text: string; readonly metadata: Readonly<Record<string, unknown>> };
}

function read(file: Uint8Array): StoredRecord[] {
  const body = JSON.parse(Buffer.from(file).toString('utf8')) as { readonly points: readonly Point[] };
  expect(Object.keys(body)).toEqual(['points']);
  return body.points.map(({ id, vector, payload, ...others }) => {
    expect(others).toEqual({});
    const embedding = (Array.isArray(vector) ? vector : Object.values(vector)[0]) as readonly number[];
    return { id, text: payload.text, metadata: payload.metadata, embedding };
  });
}

conformStore(qdrant, { read });

async function text(chunks: readonly Chunk[], options: Record<string, unknown> = {}) {
  const world = memoryWorld();
  const sink = batchSink(qdrant, { path: 'out', options, place: placeOf(world) });
  for (const chunk of chunks) await sink.write(chunk);
  await sink.commit();
  return { text: world.files()['out-00001.json']!, notices: sink.report!().notices };
}

const [first, second] = storeChunks(2, true) as [Chunk, Chunk];
const chunk: Chunk = {
  ...{ id: first.id, source: 's', index: 0, start: 1, end: 2, tokens: 3, context: 'C' },
  ...{ metadata: { a: [null, { b: 1 }] }, text: 't', embedding: [1, -0.1] },
};

describe('points', () => {
  it('are this text, with metadata as it is', async () => {
    const bare = { id: second.id, source: 's', index: 1, start: 2, end: 3, metadata: {}, text: '', embedding: [0, 0] };
    const written = await text([chunk, bare]);
    expect(written.text).toBe(
      '{"points":[\n{"id":"00000000-0000-5000-8000-000000000000","vector":[1,-0.1],"payload":{"text":"t","source":"s","index":0,' +
        '"start":1,"end":2,"tokens":3,"context":"C","metadata":{"a":[null,{"b":1}]}}},\n' +
        '{"id":"00000000-0000-5000-8000-000000000001","vector":[0,0],"payload":{"text":"","source":"s","index":1,' +
        '"start":2,"end":3,"metadata":{}}}\n]}\n',
    );
    expect(written.notices).toEqual(['1 embedding is all zeros: a search by cosine finds none such']);
  });

  it('have a named vector where it is asked for', async () => {
    const { points } = JSON.parse((await text([chunk], { vectorField: 'dense "1"' })).text);
    expect(points[0].vector).toEqual({ 'dense "1"': [1, -0.1] });
    expect(qdrant.problems!({ vectorField: 'dense' }, asFlag)).toEqual([]);
    expect(qdrant.problems!({ vectorField: '' }, asFlag)).toEqual(['--vector-field is empty: give the name of a field']);
  });

  it('have UUIDs', async () => {
    await expect(text([{ ...chunk, id: 'doc#1' }])).rejects.toMatchObject({ kind: 'sink', reason: 'over-limit' });
  });
});
