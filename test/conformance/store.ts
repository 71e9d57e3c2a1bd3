/**
 * The laws of a store's encoder, in the sink that writes its files: what goes in comes out of the files when they are read by
 * the store's own rules (the caller's `read`), in order; files keep their limits to the byte; a chunk over a limit, or metadata
 * that is refused, harms no neighbour; L10 and L11 hold for all files together. The disk is in memory.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { batchSink } from '../../sinks/batch.js';
import { METADATA_POLICIES } from '../../sinks/metadata.js';
import { placeOf } from '../../sinks/place.js';
import type { StoreOptions, StoreSpec } from '../../sinks/store.js';
import { IngestError } from '../../src/errors.js';
import type { Chunk, Json, WrittenFile } from '../../src/types.js';
import { rng, troubleText } from '../support/random.js';
import { type MemoryWorld, memoryWorld } from '../support/world.js';

/** What is found of a record in a file. */
export interface StoredRecord {
  readonly id: string;
  /** As the store keeps it; of an embedding request what is to be embedded. */
  readonly text: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly embedding?: readonly number[];
}

export interface StoreLaws {
  readonly options?: StoreOptions;
  /** Reads one whole file (not compressed) by the store's rules, sharing no code with the encoder; throws where it is damaged. */
  read(file: Uint8Array): readonly StoredRecord[] | Promise<readonly StoredRecord[]>;
  /** Text that the record of a chunk holds; absent: the chunk's text. */
  textOf?(chunk: Chunk): string;
  /** Sizes are kept, but not used to the last byte (columns of binary files). */
  readonly looseBytes?: boolean;
}

const PATH = 'folder/out';

type Request = Omit<Parameters<typeof batchSink>[1], 'path' | 'place' | 'options'>;

export function conformStore(spec: StoreSpec, laws: StoreLaws): void {
  const textOf = laws.textOf ?? (({ text }: Chunk) => text);
  const chunks = storeChunks(60, spec.needs === 'vector');
  const start = (request: Request = {}, world: MemoryWorld = memoryWorld({ files: { 'folder/neighbour': 'stays' } })) => ({
    world,
    sink: batchSink(spec, { path: PATH, place: placeOf(world), options: laws.options ?? {}, ...request }),
  });
  const write = async (some: readonly Chunk[], request: Request = {}, world?: MemoryWorld) => {
    const begun = start(request, world);
    await begun.sink.open?.();
    for (const chunk of some) await begun.sink.write(chunk);
    return { ...begun, files: await begun.sink.commit() };
  };
  const recordsOf = (files: readonly WrittenFile[]) =>
    files.filter(({ chunks: count, path }) => count > 0 || /-\d{5}\./.test(path));
  const bytesOf = (world: MemoryWorld, path: string) => world.fs.promises.readFile(path) as unknown as Promise<Uint8Array>;
  const read = async (world: MemoryWorld, files: readonly WrittenFile[]) => {
    const found: StoredRecord[] = [];
    for (const { path, chunks: count } of recordsOf(files)) {
      const records = await laws.read(await bytesOf(world, path));
      expect(records).toHaveLength(count);
      found.push(...records);
    }
    return found;
  };
  const expectRecords = (found: readonly StoredRecord[], wanted: readonly Chunk[]) => {
    expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    found.forEach(({ text, embedding }, at) => {
      const wantedText = textOf(wanted[at]!);
      expect(text).toBe(spec.nul === 'drop' ? wantedText.replaceAll('\0', '') : wantedText);
      if (embedding !== undefined) expect(embedding.map(Math.fround)).toEqual(wanted[at]!.embedding?.map(Math.fround));
    });
  };

  describe(`${spec.name} keeps the laws of a store`, () => {
    it('what goes in comes out', async () => {
      const { world, files } = await write(chunks);
      expectRecords(await read(world, files), chunks);
    });

    it('no chunks make a file that can be read', async () => {
      const { world, files } = await write([]);
      expect(await read(world, files)).toEqual([]);
    });

    it('rolls by records, with names that sort in order', async () => {
      const { world, files } = await write(chunks, { maxRecords: 7 });
      const rolled = recordsOf(files);
      expect(rolled.map(({ chunks: count }) => count)).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 4]);
      const names = rolled.map(({ path }) => path);
      expect(names[0]).toMatch(/^folder\/out-00001\./);
      expect(names.toSorted()).toEqual(names);
      expectRecords(await read(world, files), chunks);
    });

    it('rolls by bytes, to the byte', async () => {
      const some = chunks.slice(0, 12);
      const whole = recordsOf((await write(some)).files);
      expect(whole).toHaveLength(1);
      const { bytes } = whole[0]!;
      if (laws.looseBytes !== true) expect(recordsOf((await write(some, { maxBytes: bytes })).files)).toHaveLength(1);
      for (const maxBytes of [bytes - 1, Math.ceil(bytes / 2), Math.ceil(bytes / 3)]) {
        const made = await write(some, { maxBytes }).catch((error: unknown) => error);
        // The longest alone may be over a third.
        if (made instanceof IngestError) {
          expect(made.reason).toBe('over-limit');
          continue;
        }
        const { world, files } = made as Awaited<ReturnType<typeof write>>;
        expect(recordsOf(files).length).toBeGreaterThan(1);
        for (const file of recordsOf(files)) expect(file.bytes).toBeLessThanOrEqual(maxBytes);
        expectRecords(await read(world, files), some);
      }
    });

    it('L11: a chunk over the limit is an error that names it, and after the abort nothing is left', async () => {
      const { world, sink } = start({ maxBytes: 40_000 });
      const untouched = world.files();
      const long: Chunk = { ...chunks[0]!, id: '00000000-0000-5000-8000-0000000000ff', text: 'x'.repeat(50_000) };
      await sink.open?.();
      await sink.write({ ...chunks[1]!, text: 'short' });
      const error = await (async () => sink.write(long))().then(
        () => sink.commit(),
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ kind: 'sink', reason: 'over-limit' });
      expect((error as IngestError).message).toContain(long.id);
      await sink.abort();
      expect(world.files()).toEqual(untouched);
    });

    it('L11: an abort at any point leaves nothing', async () => {
      for (const count of [0, 1, 8, chunks.length]) {
        const { world, sink } = start({ maxRecords: 7 });
        const untouched = world.files();
        if (count !== 1) await sink.open?.();
        for (const chunk of chunks.slice(0, count)) await sink.write(chunk);
        await sink.abort();
        expect(world.files()).toEqual(untouched);
      }
    });

    it('receipts tell bytes and digest of each file, and no other file is there', async () => {
      const { world, files } = await write(chunks, { maxRecords: 20 });
      for (const { path, bytes, sha256 } of files) {
        const content = await bytesOf(world, path);
        expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
      }
      expect(Object.keys(world.files()).sort()).toEqual(['folder/neighbour', ...files.map(({ path }) => path)].sort());
    });

    it('L10: the same chunks give the same bytes', async () => {
      const [first, second] = await Promise.all([write(chunks, { maxRecords: 9 }), write(chunks, { maxRecords: 9 })]);
      expect(second.world.files()).toEqual(first.world.files());
    });

    it.each(METADATA_POLICIES)('hostile metadata under %s loads or is refused, and harms no neighbour', async (metadata) => {
      for (const [name, hostile] of Object.entries(HOSTILE)) {
        const some = [chunks[0]!, { ...chunks[1]!, metadata: hostile }, chunks[2]!].map((chunk, at) =>
          at === 1 ? chunk : { ...chunk, metadata: { plain: 'yes' } },
        );
        const made = await write(some, { metadata }).catch((error: unknown) => error);
        if (made instanceof Error) {
          expect(made, name).toMatchObject({ kind: 'sink' });
          expect(['refused-metadata', 'over-limit'], `${name}: ${made.message}`).toContain((made as IngestError).reason);
          if ((made as IngestError).reason === 'refused-metadata') expect(metadata).toBe('stop');
          continue;
        }
        const { world, files } = made as Awaited<ReturnType<typeof write>>;
        const found = await read(world, files);
        expectRecords(found, some);
        for (const at of [0, 2])
          if (found[at]!.metadata !== undefined) expect(found[at]!.metadata).toMatchObject({ plain: 'yes' });
      }
    });
  });
}

/** Metadata that is JSON and yet unkind. */
export const HOSTILE: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  nulls: { a: null, b: [null, 1], c: { d: null } },
  nested: {
    a: { b: { c: [1, 2, { d: 'x' }] } },
    list: [1, 2, 3],
    mixed: ['a', 1, true],
    objects: [{ a: 1 }],
    none: [],
    empty: {},
  },
  clashing: { 'a.b': 1, a: { b: 2 }, a_b: 3 },
  keys: JSON.parse(
    '{"__proto__":{"x":1},"constructor":"c","toString":2,"":"empty","$a":1,"_id":"i","#h":1,"k\\"q":1,"id":"i","text":"t"}',
  ),
  'long keys': { ['k'.repeat(1000)]: 1, ['é'.repeat(500)]: 2 },
  separators: {
    breaks: 'a\nb\rc\td\u2028e\u2029f\u0085g\vh\fi',
    quotes: '"\\"\\\\\'`,;\t',
    nul: 'a\0b',
    'k\0': 1,
    rtl: '\u202eשלום\u202c العربية',
  },
  emoji: { '👩‍👩‍👧‍👦': '🇩🇪', half: '\ud83d', 'half\udc00': 'x' },
  numbers: { big: 1e300, tiny: 5e-324, minus: -0, whole: 9007199254740991, text: '12345678901234567890' },
  'many keys': Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key${at}`, at])),
  'large value': { value: 'v'.repeat(300_000) },
};

/** Well-formed chunks with UUIDs, of all lengths and scripts; with embeddings of 8 numbers where asked for. */
export function storeChunks(count: number, embedded: boolean): Chunk[] {
  const chance = rng(11);
  return Array.from({ length: count }, (_, index) => ({
    id: `00000000-0000-5000-8000-${String(index).padStart(12, '0')}`,
    source: 'corpus/é.md',
    index,
    start: index * 2 ** 33,
    end: index * 2 ** 33 + 5,
    ...(chance.chance(0.5) ? { tokens: 7 } : {}),
    ...(chance.chance(0.5) ? { context: 'A heading' } : {}),
    ...(chance.chance(0.5) ? { record: { index, start: 0, end: 9, path: 'items[*]', field: 'body' } } : {}),
    metadata: chance.chance(0.5) ? { title: 'Setup "quoted"', page: index, tags: ['a', 'b'] } : {},
    text: `${index}${troubleText(chance, chance.pick([1, 50, 3000]), { loneSurrogates: false })}`,
    ...(embedded ? { embedding: Array.from({ length: 8 }, () => Math.fround(chance.next() * 2 - 1)) } : {}),
  }));
}
