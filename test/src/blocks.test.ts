/** Ranges of a file, read by blocks: right whatever the order, few reads when the order is mostly forward, clear when it fails. */
import { describe, expect, it } from 'vitest';
import { BlockReader } from '../../src/blocks.js';
import type { FileSystem } from '../../src/world.js';
import { failsAs } from '../conformance/source.js';
import { rng, seeded } from '../support/random.js';
import { memoryWorld } from '../support/world.js';

const MIB = 1 << 20;

/** Bytes without a pattern that a wrong offset could hide behind. */
function anyBytes(length: number): Uint8Array {
  const random = rng(length);
  return Uint8Array.from({ length }, () => random.between(0, 255));
}

async function rangeOf(reader: BlockReader, start: number, end: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of reader.range(start, end)) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

/** A disk that counts reads and never gives more than `most` bytes at once. */
function slowDisk(fs: FileSystem, most: number): { fs: FileSystem; reads: () => number } {
  let reads = 0;
  const open = async (path: string, flags: string) => {
    const handle = await fs.promises.open(path, flags);
    return new Proxy(handle, {
      get(target, key) {
        if (key === 'read')
          return (buffer: Uint8Array, at: number, length: number, from: number) => {
            reads++;
            return target.read(buffer, at, Math.min(length, most), from);
          };
        const member: unknown = Reflect.get(target, key);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };
  const promises = Object.assign(Object.create(fs.promises) as FileSystem['promises'], { open });
  return { fs: Object.assign(Object.create(fs) as FileSystem, { promises }), reads: () => reads };
}

describe('the block reader', () => {
  const content = anyBytes(5 * MIB + 17);

  it('gives the bytes of any range, in any order', async () => {
    const world = memoryWorld({ files: { big: content } });
    const reader = await BlockReader.open('big', world);
    expect(reader.bytes).toBe(content.length);
    await seeded(30, async (random) => {
      const start = random.between(0, content.length);
      const end = random.between(start, Math.min(content.length, start + random.pick([0, 1, 1000, 3 * MIB])));
      expect(Buffer.compare(await rangeOf(reader, start, end), content.subarray(start, end))).toBe(0);
    });
    await reader.close();
  });

  it('reads each block once when ranges go forward and overlap', async () => {
    const world = memoryWorld({ files: { big: content } });
    const disk = slowDisk(world.fs, 2 * MIB);
    const reader = await BlockReader.open('big', { ...world, fs: disk.fs });
    for (let start = 0; start + 200_000 < content.length; start += 50_000) await rangeOf(reader, start, start + 200_000);
    expect(disk.reads()).toBeLessThanOrEqual(6);
    await reader.close();
  });

  it('goes on where the disk gives less than was asked for', async () => {
    const world = memoryWorld({ files: { small: content.subarray(0, 1000) } });
    const reader = await BlockReader.open('small', { ...world, fs: slowDisk(world.fs, 7).fs });
    expect(Buffer.compare(await rangeOf(reader, 3, 997), content.subarray(3, 997))).toBe(0);
    await reader.close();
  });

  it('knows the digest of the whole, also of nothing', async () => {
    const world = memoryWorld({ files: { abc: 'abc', none: '' } });
    const digests = await Promise.all(
      ['abc', 'none'].map(async (name) => {
        const reader = await BlockReader.open(name, world);
        const digest = await reader.sha256();
        await reader.close();
        return digest;
      }),
    );
    expect(digests).toEqual([
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ]);
  });

  it('says so when there is no such file, or it is a directory', async () => {
    const world = memoryWorld({ files: { 'folder/file': 'x' } });
    await failsAs(BlockReader.open('missing', world), 'read-failed', 'missing');
    await failsAs(BlockReader.open('folder', world), 'not-a-file', 'folder');
  });

  it('says so when the file became shorter', async () => {
    const world = memoryWorld({ files: { shrinking: content.subarray(0, 1000) } });
    const reader = await BlockReader.open('shrinking', world);
    world.put('shrinking', 'now short');
    const error = await failsAs(rangeOf(reader, 0, 1000), 'cut-short', 'shrinking');
    expect(error.at).toBe(9);
    await reader.close();
  });

  it('says what the system could not read, and where', async () => {
    const world = memoryWorld({ files: { big: anyBytes(3000) }, faults: { readAfterBytes: 1000 } });
    const reader = await BlockReader.open('big', world);
    const error = await failsAs(rangeOf(reader, 0, 3000), 'read-failed', 'big');
    expect(error.at).toBe(1000);
    await reader.close();
  });
});
