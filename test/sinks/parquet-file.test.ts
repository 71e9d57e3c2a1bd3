import { describe, expect, it } from 'vitest';
import { type ParquetColumn, parquetBody } from '../../sinks/parquet-file.js';
import type { Body } from '../../sinks/store.js';
import type { Chunk } from '../../src/types.js';
import { parquetColumns, parquetGroups, parquetRows } from '../support/parquet.js';
import { type Rng, seeded, troubleText } from '../support/random.js';

const COLUMNS: readonly ParquetColumn[] = [
  { name: 'id', text: ({ id }) => id },
  { name: 'index', whole: ({ index }) => index },
  { name: 'tokens', someWhole: ({ tokens }) => tokens },
  { name: 'context', someText: ({ context }) => context },
  { name: 'metadata', written: ({ metadata }, bytes) => bytes.json(metadata) },
  { name: 'vector', floats: ({ embedding }) => embedding! },
];

interface Shape {
  readonly dimensions: number;
  readonly most: number;
  readonly present: number;
}

function chunkOf(rng: Rng, id: number, { dimensions, most, present }: Shape): Chunk {
  return {
    id: `${id}`,
    source: 's',
    index: rng.pick([0, id, 2 ** 32 + id, Number.MAX_SAFE_INTEGER]),
    start: 0,
    end: 1,
    ...(rng.chance(present) ? { tokens: rng.between(0, 1000) } : {}),
    ...(rng.chance(present) ? { context: troubleText(rng, rng.between(0, most), { loneSurrogates: false }) } : {}),
    metadata: { key: troubleText(rng, rng.between(0, most), { loneSurrogates: false }) },
    text: '',
    embedding: Array.from({ length: dimensions }, () => Math.fround(rng.next() - 0.5)),
  };
}

const plain = (index: number, others: Partial<Chunk>): Chunk => ({
  ...{ id: '', source: 's', index, start: 0, end: 1, metadata: {}, text: '', embedding: [index] },
  ...others,
});

type Triple = [Chunk, Chunk, Chunk];

const rowOf = ({ id, index, tokens, context, metadata, embedding }: Chunk) => ({
  id,
  index: BigInt(index),
  tokens: tokens === undefined ? null : BigInt(tokens),
  context: context ?? null,
  metadata: JSON.stringify(metadata),
  vector: embedding,
});

/** The rows as the reader gives them, absent ones as null. */
const rowsOf = async (file: Uint8Array): Promise<Record<string, unknown>[]> =>
  (await parquetRows(file)).map(({ tokens = null, context = null, ...others }) => ({ ...others, tokens, context }));

/** Adds what fits, taking as it goes; the file, and how many it took. */
function fileOf(chunks: Iterable<Chunk>, maxBytes = Number.POSITIVE_INFINITY, body: Body = parquetBody(() => COLUMNS, 'snappy')) {
  const pieces: Uint8Array[] = [];
  let count = 0;
  let mostPending = 0;
  for (const chunk of chunks) {
    if (!body.add(chunk, maxBytes)) break;
    count++;
    mostPending = Math.max(mostPending, body.pending);
    if (body.pending >= 1 << 18) pieces.push(body.take().slice());
  }
  for (const piece of body.end()) pieces.push(piece.slice());
  return { file: Buffer.concat(pieces), count, mostPending };
}

describe('a file', () => {
  it('holds what was put in, absent values and all', async () => {
    await seeded(8, async (rng) => {
      const shape = { dimensions: rng.pick([1, 2, 7, 130]), most: rng.pick([0, 40, 400]), present: rng.pick([0, 0.5, 0.98, 1]) };
      const chunks = Array.from({ length: rng.between(1, 300) }, (_, id) => chunkOf(rng, id, shape));
      expect(await rowsOf(fileOf(chunks).file)).toEqual(chunks.map(rowOf));
    });
  });

  it('of no rows has its columns', async () => {
    const { file } = fileOf([]);
    expect(await parquetRows(file)).toEqual([]);
    expect(parquetColumns(file)).toEqual([
      'id: BYTE_ARRAY UTF8',
      'index: INT64',
      'tokens: INT64?',
      'context: BYTE_ARRAY UTF8?',
      'metadata: BYTE_ARRAY UTF8',
      'vector: LIST FLOAT',
    ]);
  });

  it('of many rows has row groups, which are let go one by one', async () => {
    const long = 'x'.repeat(16_368);
    const chunks = Array.from({ length: 2500 }, (_, index) =>
      plain(index, { id: long, ...(index % 7 === 0 ? { tokens: index } : {}) }),
    );
    const { file, mostPending } = fileOf(
      chunks,
      undefined,
      parquetBody(() => COLUMNS, 'none'),
    );
    // 16,372 bytes of id, 8 of index, 6 of metadata, 4 of the vector, and 8 of tokens in every seventh: 32 MiB in 2,048 rows.
    expect(parquetGroups(file)).toEqual([2048, 452]);
    expect(mostPending).toBeLessThan(33 << 20);
    expect(await rowsOf(file)).toEqual(chunks.map(rowOf));
  });

  it('with one value larger than a page', async () => {
    const chunks = [5, 9_000_000, 7].map((length, index) => plain(index, { id: 'x'.repeat(length) }));
    expect(await rowsOf(fileOf(chunks).file)).toEqual(chunks.map(rowOf));
  });
});

describe('a limit in bytes', () => {
  it('is kept, and used', async () => {
    await seeded(8, async (rng) => {
      const shape = { dimensions: rng.pick([1, 50]), most: rng.pick([50, 2000]), present: rng.next() };
      const maxBytes = rng.between(90_000, 400_000);
      const codec = rng.pick(['snappy', 'none'] as const);
      const made: Chunk[] = [];
      function* endless() {
        for (let id = 0; ; id++) {
          made.push(chunkOf(rng, id, shape));
          yield made[id]!;
        }
      }
      const { file, count } = fileOf(
        endless(),
        maxBytes,
        parquetBody(() => COLUMNS, codec),
      );
      expect(file.length).toBeLessThanOrEqual(maxBytes);
      // What is not compressed yet counts as it is.
      expect(file.length).toBeGreaterThan(maxBytes - (1 << 16) - 10_000);
      expect(await rowsOf(file)).toEqual(made.slice(0, count).map(rowOf));
    });
  });

  it('that a record would pass changes nothing, nor does one that is refused', async () => {
    const sizes = [10, 50_000, 20];
    const [first, large, last] = sizes.map((length, index) => plain(index, { id: 'x'.repeat(length), tokens: 1 })) as Triple;
    const body = parquetBody(() => [...COLUMNS, { name: 'last', text: ({ text }) => checked(text) }], 'snappy');
    const checked = (text: string) => {
      if (text === 'refused') throw new RangeError(text);
      return text;
    };
    expect(body.add(first, 10_000)).toBe(true);
    expect(body.add(large, 10_000)).toBe(false);
    expect(() => body.add({ ...last, text: 'refused' }, 10_000)).toThrow('refused');
    expect(body.add(last, 10_000)).toBe(true);
    const file = Buffer.concat([body.take(), ...[...body.end()].map((piece) => piece.slice())]);
    expect((await rowsOf(file)).map(({ id }) => id)).toEqual([first.id, last.id]);
  });
});
