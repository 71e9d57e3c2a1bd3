/**
 * The laws of a sink that writes one file of lines: L11 (all or nothing: before the commit, after an abort at any point, after
 * any failed write) and L10 (the same chunks give the same bytes), and that every line reads back as its chunk. The disk is in
 * memory; that the real one behaves alike is for test/integration/ to show.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { IngestError } from '../../src/errors.js';
import type { Chunk, Sink, WrittenFile } from '../../src/types.js';
import type { World } from '../../src/world.js';
import { rng, troubleText } from '../support/random.js';
import { type Faults, type MemoryOptions, type MemoryWorld, memoryWorld } from '../support/world.js';

/** Makes a sink that writes to `path`. */
export type MakeSink = (path: string, world: World) => Sink;

const OUT = 'folder/out';
/** So that the folder is there. */
const NEIGHBOUR = { 'folder/neighbour': 'stays' };

export function conformSink(name: string, makeSink: MakeSink): void {
  const chunks = sampleChunks(120);
  const start = (options: MemoryOptions = {}) => {
    const world = memoryWorld({ ...options, files: { ...NEIGHBOUR, ...options.files } });
    return { world, sink: makeSink(OUT, world) };
  };

  describe(`${name} keeps the laws of a sink`, () => {
    it('L11: nothing has the final name before the commit, all has it after', async () => {
      const { world, sink } = start();
      await sink.open?.();
      for (const chunk of chunks) {
        await sink.write(chunk);
        expect(world.files()[OUT]).toBeUndefined();
      }
      const written = await sink.commit();
      expect(Object.keys(world.files()).sort()).toEqual([...Object.keys(NEIGHBOUR), OUT].sort());
      expect(written).toEqual([receipt(world, chunks.length)]);
    });

    it('every line reads back as its chunk', async () => {
      const { world, sink } = start();
      await writeAll(sink, chunks);
      const lines = world.files()[OUT]!.split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.map((line) => JSON.parse(line))).toEqual(chunks);
    });

    it('no chunks make an empty file', async () => {
      const { world, sink } = start();
      expect(await sink.commit()).toEqual([receipt(world, 0)]);
      expect(world.files()[OUT]).toBe('');
    });

    it('L11: an abort at any point leaves nothing, and what was there before as it was', async () => {
      for (const before of [undefined, 'of the last run\n']) {
        for (const count of [0, 1, 2, chunks.length - 1, chunks.length]) {
          const { world, sink } = start(before === undefined ? {} : { files: { [OUT]: before } });
          const untouched = world.files();
          if (count !== 1) await sink.open?.();
          for (const chunk of chunks.slice(0, count)) await sink.write(chunk);
          await sink.abort();
          expect(world.files()).toEqual(untouched);
          await sink.abort();
          expect(world.files()).toEqual(untouched);
        }
      }
    });

    it('L11: an abort does not wait for the writer', async () => {
      const { world, sink } = start();
      const untouched = world.files();
      const waits: Promise<void>[] = [];
      for (const chunk of chunks) {
        const wait = sink.write(chunk);
        if (wait !== undefined) waits.push(wait);
        if (waits.length > 0) break;
      }
      const settled = Promise.allSettled(waits);
      await sink.abort();
      await settled;
      expect(world.files()).toEqual(untouched);
    });

    it('an abort after the commit takes nothing back', async () => {
      const { world, sink } = start();
      await writeAll(sink, chunks);
      const complete = world.files();
      await sink.abort();
      expect(world.files()).toEqual(complete);
    });

    it('L11: a new run replaces the file only at its end', async () => {
      const { world, sink } = start({ files: { [OUT]: 'of the last run\n' } });
      for (const chunk of chunks) await sink.write(chunk);
      expect(world.files()[OUT]).toBe('of the last run\n');
      await sink.commit();
      expect(world.files()[OUT]!.split('\n')).toHaveLength(chunks.length + 1);
    });

    it('L11: whatever fails is an error of kind sink, and after the abort nothing is left', async () => {
      const faults: Faults[] = [{ open: OUT.slice(OUT.indexOf('/') + 1) }, { renameTo: OUT }];
      for (const nth of [1, 2, 3]) faults.push({ write: { nth, of: OUT.slice(OUT.indexOf('/') + 1) } });
      for (const fault of faults) {
        const { world, sink } = start({ faults: fault });
        const untouched = world.files();
        const error = await writeAll(sink, chunks).catch((thrown: unknown) => thrown);
        expect(error, JSON.stringify(fault)).toBeInstanceOf(IngestError);
        expect((error as IngestError).kind).toBe('sink');
        expect((error as IngestError).message).toContain(OUT);
        await sink.abort();
        expect(world.files()).toEqual(untouched);
      }
    });

    it('L10: the same chunks give the same bytes', async () => {
      const [first, second] = await Promise.all(
        [start(), start()].map(async ({ world, sink }) => {
          await writeAll(sink, chunks);
          return world.files();
        }),
      );
      expect(second).toEqual(first);
    });
  });
}

async function writeAll(sink: Sink, chunks: readonly Chunk[]): Promise<readonly WrittenFile[]> {
  await sink.open?.();
  for (const chunk of chunks) await sink.write(chunk);
  return sink.commit();
}

function receipt(world: MemoryWorld, chunks: number): WrittenFile {
  const bytes = Buffer.from(world.files()[OUT]!);
  return { path: OUT, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), chunks };
}

/** Well-formed chunks, short, long, empty and with every optional key, of more bytes than any sink should hold back. */
export function sampleChunks(count: number): Chunk[] {
  const chance = rng(7);
  return Array.from({ length: count }, (_, index) => {
    const text = troubleText(chance, chance.pick([0, 1, 50, 12_000, 30_000]), { loneSurrogates: false });
    const record = { index, start: 0, end: 9, path: 'items[*]', line: 3, field: 'body', count: 2 };
    return {
      id: `id-${index}`,
      source: 'corpus/é.md',
      index,
      start: index * 2 ** 33,
      end: index * 2 ** 33 + 5,
      ...(chance.chance(0.5) ? { tokens: 7 } : {}),
      ...(chance.chance(0.5) ? { context: 'A heading' } : {}),
      ...(chance.chance(0.5) ? { record } : {}),
      metadata: chance.chance(0.5)
        ? { headings: ['Setup', '"quoted"'], big: '12345678901234567890', deep: { n: -0.5, no: null } }
        : {},
      text,
    };
  });
}
