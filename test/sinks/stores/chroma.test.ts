import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import type { MetadataPolicy } from '../../../sinks/metadata.js';
import { placeOf } from '../../../sinks/place.js';
import { chroma } from '../../../sinks/stores/chroma.js';
import type { Chunk } from '../../../src/types.js';
import { conformStore, type StoredRecord, storeChunks } from '../../conformance/store.js';
import { memoryWorld } from '../../support/world.js';

interface Columns {
  readonly ids: readonly string[];
  readonly embeddings: readonly string[];
  readonly documents: readonly string[];
  readonly metadatas: readonly Readonly<Record<string, unknown>>[];
}

const floatsOf = (base64: string) => {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
};

/** By the server's rules: columns of one length, ids that are not empty, metadata flat and without nulls and lists. */
function read(file: Uint8Array): StoredRecord[] {
  const body = JSON.parse(Buffer.from(file).toString('utf8')) as Columns;
  expect(Object.keys(body)).toEqual(['ids', 'embeddings', 'documents', 'metadatas']);
  for (const column of Object.values(body)) expect(column).toHaveLength(body.ids.length);
  for (const metadata of body.metadatas) expect(Object.keys(metadata).length).toBeLessThanOrEqual(5460);
  for (const [key, value] of body.metadatas.flatMap((each) => Object.entries(each))) {
    expect(['string', 'number', 'boolean']).toContain(typeof value);
    expect(key).not.toMatch(/^$|^[#$]|^chroma:document$/);
  }
  return body.ids.map((id, at) => ({
    id,
    text: body.documents[at]!,
    metadata: body.metadatas[at]!,
    embedding: floatsOf(body.embeddings[at]!),
  }));
}

conformStore(chroma, { read });

async function write(chunks: readonly Chunk[], options: Record<string, unknown> = {}, metadata?: MetadataPolicy) {
  const world = memoryWorld();
  const sink = batchSink(chroma, {
    path: 'out',
    options,
    place: placeOf(world),
    ...(metadata === undefined ? {} : { metadata }),
  });
  for (const chunk of chunks) await sink.write(chunk);
  await sink.commit();
  return { files: Object.values(world.files()), report: sink.report!() };
}

const [chunk] = storeChunks(1, true) as [Chunk];
const small: Chunk = { id: 'a', source: 's', index: 0, start: 1, end: 2, metadata: {}, text: 't', embedding: [1, -0.1] };

describe('a body', () => {
  it('is this text', async () => {
    const second = { ...small, id: 'b', tokens: 3, context: 'C', metadata: { title: 'x', start: 9 }, embedding: [0, 0] };
    const { files, report } = await write([small, second]);
    expect(files).toEqual([
      '{"ids":["a","b"],\n"embeddings":["AACAP83MzL0=","AAAAAAAAAAA="],\n"documents":["t","t"],\n' +
        '"metadatas":[{"source":"s","index":0,"start":1,"end":2},' +
        '{"source":"s","index":0,"start":1,"end":2,"tokens":3,"context":"C","title":"x","start_":9}]}\n',
    ]);
    expect(report.metadata).toEqual({ start: { renamed: 1 } });
    expect(report.notices).toEqual(['1 embedding is all zeros: a search by cosine finds none such']);
  });

  it('has at most 5461 records', async () => {
    const { files } = await write(Array.from({ length: 5462 }, (_, at) => ({ ...small, id: `${at}` })));
    expect(files.map((file) => JSON.parse(file!).ids.length)).toEqual([5461, 1]);
  });

  it('renames keys that the server keeps for itself', async () => {
    const metadata = { $a: 1, '#b': 2, '$#': 3, 'chroma:document': 4, list: [1], nothing: null };
    const { files } = await write([{ ...small, metadata }]);
    expect(JSON.parse(files[0]!).metadatas[0]).toEqual({
      ...{ source: 's', index: 0, start: 1, end: 2 },
      ...{ a: 1, b: 2, 'chroma:document_': 4, list: '[1]' },
    });
  });
});

describe('for Chroma Cloud', () => {
  const cloud = { chromaCloud: true };

  it('has at most 300 records, of small metadata', async () => {
    const { files } = await write(
      Array.from({ length: 301 }, (_, at) => ({ ...small, id: `${at}` })),
      cloud,
    );
    expect(files.map((file) => JSON.parse(file!).ids.length)).toEqual([300, 1]);
    const metadata = { ['k'.repeat(40)]: 1, long: 'x'.repeat(8183), fits: 'x'.repeat(8182) };
    const [file] = (await write([{ ...small, metadata }], cloud)).files;
    expect(Object.keys(JSON.parse(file!).metadatas[0])).toEqual(['source', 'index', 'start', 'end', 'k'.repeat(36), 'fits']);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`key${at}`, at]));
    const full = { ...small, tokens: 1, context: 'c', record: { index: 0, start: 0 }, metadata: many };
    const [crowded] = (await write([full], cloud)).files;
    expect(Object.keys(JSON.parse(crowded!).metadatas[0])).toHaveLength(32);
  });

  it.each([
    ['a long text', { text: 'x'.repeat(16_385) }],
    ['a long id', { id: 'x'.repeat(129) }],
    ['a long context', { context: 'x'.repeat(8183) }],
    ['too many numbers', { embedding: Array.from({ length: 4097 }, () => 1) }],
  ])('%s is refused', async (_, change) => {
    await expect(write([{ ...chunk, ...change }], cloud)).rejects.toMatchObject({ kind: 'sink', reason: 'over-limit' });
    await expect(write([{ ...chunk, ...change }])).resolves.toBeDefined();
  });
});
