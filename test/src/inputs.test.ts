/** Inputs as a run finds them: one text, however it is stored and comes, is the same chunks; and how far a run is. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/manifest.js';
import { type Progress, type RunOptions, run } from '../../src/run.js';
import { chunksIn } from '../support/cli.js';
import { dayBook, forms } from '../support/compressed.js';
import { failure } from '../support/failure.js';
import { type MemoryOptions, memoryWorld } from '../support/world.js';

const OUT = 'out.jsonl';
const OPTIONS: RunOptions = { unit: 'characters', size: 700, overlap: 70, out: OUT };

interface Found {
  readonly manifest: Manifest;
  /** Of all chunks: where they are, and what they say. */
  readonly chunks: readonly (readonly [start: number, end: number, text: string])[];
  readonly told: readonly Progress[];
}

async function found(options: RunOptions, world: MemoryOptions): Promise<Found> {
  const disk = memoryWorld(world);
  const told: Progress[] = [];
  await run({ ...OPTIONS, ...options }, { onProgress: (each) => told.push(each) }, disk);
  const files = disk.files();
  const chunks = chunksIn(files[OUT]!).map(({ start, end, text }) => [start, end, text] as const);
  return { manifest: JSON.parse(files[`${OUT}.manifest.json`]!) as Manifest, chunks, told };
}

const plain = await found({ input: 'book.txt' }, { files: { 'book.txt': dayBook } });

describe('the same chunks come of one text', () => {
  it.each(forms.map((form) => [form.name, form] as const))('as a file: %s', async (name, { bytes, compression }) => {
    const { manifest, chunks, told } = await found({ input: name, bufferBytes: 5000 }, { files: { [name]: bytes } });
    expect(chunks).toEqual(plain.chunks);
    const [receipt] = manifest.sources;
    expect(receipt).toEqual({ ...plain.manifest.sources[0], source: name, compression });
    expect(manifest.totals.bytes).toBe(dayBook.length);
    // As it is stored; what ends a member comes after its last text.
    expect(told.map(({ totalBytes }) => totalBytes)).toEqual(told.map(() => bytes.length));
    expect(told.every(({ bytes: read }, at) => read >= (told[at - 1]?.bytes ?? 0))).toBe(true);
    expect(told.at(-1)!.bytes).toBeGreaterThan(bytes.length - 100);
    expect(told.at(-1)!.bytes).toBeLessThanOrEqual(bytes.length);
  });

  it.each(forms.map((form) => [form.name, form] as const))('on standard input: %s', async (_, { bytes, compression }) => {
    const stdin = Array.from({ length: 12 }, (_, part) =>
      bytes.subarray(part * 3000, part === 11 ? undefined : part * 3000 + 3000),
    );
    const option = compression === 'br' ? { compression } : {};
    const { manifest, chunks, told } = await found({ input: '-', ...option }, { stdin });
    expect(chunks).toEqual(plain.chunks);
    expect(manifest.sources[0]!.compression).toBe(compression);
    expect(told.at(-1)!.totalBytes).toBeUndefined();
  });
});

describe('inputs', () => {
  it('may be compressed in directories and patterns, and keep their formats', async () => {
    const files = {
      'in/a.txt': 'plain',
      'in/b.csv.gz': gzipSync('id,body\n1,first\n2,second\n'),
      'in/deep/c.jsonl.GZ': gzipSync('{"body":"third"}\n'),
      'in/d': gzipSync('no ending'),
    };
    for (const input of ['in', 'in/**/*']) {
      const { manifest, chunks } = await found({ input }, { files });
      expect(manifest.sources.map(({ source, format, compression }) => [source, format, compression])).toEqual([
        ['in/a.txt', 'text', undefined],
        ['in/b.csv.gz', 'csv', 'gzip'],
        ['in/d', 'text', 'gzip'],
        ['in/deep/c.jsonl.GZ', 'jsonl', 'gzip'],
      ]);
      expect(chunks.map(([, , text]) => text)).toContain('{"body":"third"}');
    }
  });

  it('are asked whether options mean something to the format beneath', async () => {
    const world = memoryWorld({ files: { 'a.txt.gz': gzipSync('x') } });
    const error = await failure(run({ ...OPTIONS, input: 'a.txt.gz', text: ['body'] }, {}, world));
    expect(error).toMatchObject({ kind: 'config' });
  });

  it('leave nothing behind where one is not whole', async () => {
    const [{ bytes }] = forms as [(typeof forms)[number]];
    const world = memoryWorld({ files: { 'a.txt': 'fine', 'b.gz': bytes.subarray(0, -1) } });
    const error = await failure(run({ ...OPTIONS, input: ['a.txt', 'b.gz'] }, {}, world));
    expect(error).toMatchObject({ kind: 'source', reason: 'cut-short', origin: 'b.gz' });
    expect(Object.keys(world.files()).sort()).toEqual(['a.txt', 'b.gz']);
  });

  it('may be limited', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'twelve bytes' } });
    const error = await failure(run({ ...OPTIONS, input: 'a.txt', maxInputBytes: 11 }, {}, world));
    expect(error).toMatchObject({ kind: 'source', reason: 'too-large', origin: 'a.txt' });
  });
});
