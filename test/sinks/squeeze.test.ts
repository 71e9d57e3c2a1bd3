import * as zlib from 'node:zlib';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { canSqueeze, squeezed } from '../../sinks/squeeze.js';
import { IngestError } from '../../src/errors.js';
import { rng } from '../support/random.js';

function end(failAt = Number.POSITIVE_INFINITY) {
  const pieces: Uint8Array[] = [];
  const told: string[] = [];
  const bytes = {
    async write(piece: Uint8Array) {
      if (pieces.length >= failAt) throw new IngestError('sink', 'no-space', 'full');
      pieces.push(piece.slice());
    },
    async commit() {
      told.push('commit');
      return pieces.length;
    },
    async abort() {
      told.push('abort');
    },
  };
  return { bytes, pieces, told };
}

const noise = Buffer.from(Array.from({ length: 400_000 }, () => rng(5).between(0, 255)));
const chance = rng(9);
for (let at = 0; at < noise.length; at++) noise[at] = chance.between(0, 255);

describe('bytes', () => {
  it('come back, whatever the pieces; the caller may use its memory again at once', async () => {
    const { bytes, pieces, told } = end();
    const file = squeezed(bytes, 'gzip');
    const memory = Buffer.alloc(70_000);
    for (let at = 0; at < noise.length; at += memory.length) {
      const size = Math.min(memory.length, noise.length - at);
      noise.copy(memory, 0, at, at + size);
      await file.write(memory.subarray(0, size));
      memory.fill(0);
    }
    expect(await file.commit()).toBe(pieces.length);
    expect(gunzipSync(Buffer.concat(pieces)).equals(noise)).toBe(true);
    expect(told).toEqual(['commit']);
    // They go on as they come.
    expect(pieces.length).toBeGreaterThan(5);
  });

  it('that are none make an empty file', async () => {
    const { bytes, pieces } = end();
    await squeezed(bytes, 'gzip').commit();
    expect(gunzipSync(Buffer.concat(pieces))).toHaveLength(0);
  });

  it('that cannot be written fail the writer, and are aborted', async () => {
    const { bytes, told } = end(1);
    const file = squeezed(bytes, 'gzip');
    await expect(
      (async () => {
        await file.write(noise);
        await file.commit();
      })(),
    ).rejects.toMatchObject({ reason: 'no-space' });
    await file.abort();
    await file.abort();
    expect(told).toEqual(['abort', 'abort']);
  });

  it('go by where nothing is to be done', () => {
    const { bytes } = end();
    expect(squeezed(bytes, undefined)).toBe(bytes);
  });
});

it('zstd is written where this version of Node can, and refused elsewhere', async () => {
  const { bytes, pieces } = end();
  const { zstdDecompressSync } = zlib as unknown as { zstdDecompressSync?: (bytes: Uint8Array) => Buffer };
  expect(canSqueeze('zstd')).toBe(zstdDecompressSync !== undefined);
  expect(canSqueeze('gzip')).toBe(true);
  if (zstdDecompressSync === undefined) {
    expect(() => squeezed(bytes, 'zstd')).toThrow('Node 22.15');
    return;
  }
  const file = squeezed(bytes, 'zstd');
  await file.write(noise);
  await file.commit();
  expect(zstdDecompressSync(Buffer.concat(pieces)).equals(noise)).toBe(true);
});
