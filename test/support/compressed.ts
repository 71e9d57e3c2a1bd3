/**
 * One text in every compression. gzip and brotli are made here; zstd and bzip2, which Node 20 cannot make, are samples.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { inflated } from '../../sources/inflate.js';
import type { Compression, Source } from '../../src/types.js';
import { SAMPLES } from './cli.js';

/** A copy's `slice` copies; a Buffer's does not. */
const bare = (bytes: Buffer) => new Uint8Array(bytes);
const sample = (name: string) => bare(readFileSync(`${SAMPLES}/compressed/${name}`));

/** What all of them hold. */
export const dayBook = new Uint8Array(execFileSync(process.execPath, [`${SAMPLES}/make.mjs`, '--day-book']));

const halves = [dayBook.subarray(0, 100_000), dayBook.subarray(100_000)] as const;

export interface Form {
  /** As a file of it would be called. */
  readonly name: string;
  readonly compression: Compression;
  readonly bytes: Uint8Array;
  /** Where it may end without a fault, but for its end. */
  readonly ends: readonly number[];
}

const firstMember = gzipSync(halves[0], { level: 1 });

export const forms: readonly Form[] = [
  { name: 'book.txt.gz', compression: 'gzip', bytes: bare(gzipSync(dayBook)), ends: [] },
  {
    name: 'two.txt.gz',
    compression: 'gzip',
    bytes: bare(Buffer.concat([firstMember, gzipSync(halves[1], { level: 9 })])),
    ends: [firstMember.length],
  },
  { name: 'book.txt.br', compression: 'br', bytes: bare(brotliCompressSync(dayBook)), ends: [] },
  { name: 'book.txt.zst', compression: 'zstd', bytes: sample('day-book.txt.zst'), ends: [] },
  // The frame to be skipped, the first of the others, the other one to be skipped.
  { name: 'frames.txt.zstd', compression: 'zstd', bytes: sample('frames.txt.zst'), ends: [13, 16_683, 16_691] },
  { name: 'book.txt.bz2', compression: 'bzip2', bytes: sample('day-book.txt.bz2'), ends: [] },
  { name: 'streams.txt.bz2', compression: 'bzip2', bytes: sample('streams.txt.bz2'), ends: [10_933] },
];

/** A source of these bytes that come so many at a time, as Buffers, in memory that is used again. */
export function canned(uri: string, bytes: Uint8Array, most = 1 << 20): Source {
  return {
    origin: { uri, bytes: bytes.length },
    async *read(signal) {
      yield { uri, bytes: bytes.length };
      const buffer = Buffer.alloc(Math.min(most, bytes.length));
      for (let at = 0; at < bytes.length; at += most) {
        signal.throwIfAborted();
        const part = bytes.subarray(at, at + most);
        buffer.fill(0xaa);
        buffer.set(part);
        yield buffer.subarray(0, part.length);
      }
    },
  };
}

const OPTIONS = { compression: 'auto', maxRatio: 1000, maxInputBytes: undefined } as const;

/** The same, decompressed. */
export function decompressed(
  name: string,
  bytes: Uint8Array,
  { most, ...options }: { readonly most?: number } & Partial<Parameters<typeof inflated>[1]> = {},
): Source {
  return inflated(canned(name, bytes, most), { ...OPTIONS, ...options });
}
