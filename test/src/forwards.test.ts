/** Ranges of what can only be read forwards: right in any order, at the price of one reading for each who goes forwards. */
import { describe, expect, it } from 'vitest';
import { ForwardReader } from '../../src/forwards.js';
import type { Source } from '../../src/types.js';
import { failsAs } from '../conformance/source.js';
import { rng, seeded } from '../support/random.js';
import { memoryWorld } from '../support/world.js';

const MIB = 1 << 20;
const world = memoryWorld();

/** Bytes without a pattern that a wrong offset could hide behind. */
function anyBytes(length: number): Uint8Array {
  const random = rng(length);
  return Uint8Array.from({ length }, () => random.between(0, 255));
}

/** A source that counts how often it is read, how many readings are open, and the bytes given in all. */
class Counting implements Source {
  readonly origin = { uri: 'a.gz' };
  bytes: Uint8Array;
  readings = 0;
  open = 0;
  given = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async *read(signal: AbortSignal) {
    this.readings++;
    this.open++;
    try {
      yield this.origin;
      for (let at = 0; at < this.bytes.length; at += 100_000) {
        signal.throwIfAborted();
        const part = this.bytes.subarray(at, at + 100_000);
        this.given += part.length;
        yield part;
      }
    } finally {
      this.open--;
    }
  }
}

async function rangeOf(reader: ForwardReader, start: number, end: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of reader.range(start, end)) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

describe('the forward reader', () => {
  const content = anyBytes(9 * MIB + 17);

  it('knows length and digest, also of nothing', async () => {
    const reader = await ForwardReader.open(new Counting(Buffer.from('abc')), world);
    expect([reader.bytes, await reader.sha256()]).toEqual([
      3,
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    ]);
    const nothing = await ForwardReader.open(new Counting(new Uint8Array(0)), world);
    expect([nothing.bytes, (await rangeOf(nothing, 0, 0)).length]).toEqual([0, 0]);
  });

  it('gives the bytes of any range, in any order', async () => {
    const source = new Counting(content);
    const reader = await ForwardReader.open(source, world);
    await seeded(30, async (random) => {
      const start = random.between(0, content.length);
      const end = random.between(start, Math.min(content.length, start + random.pick([0, 1, 1000, 3 * MIB])));
      expect(Buffer.compare(await rangeOf(reader, start, end), content.subarray(start, end))).toBe(0);
    });
    expect(source.open).toBeLessThanOrEqual(3);
    await reader.close();
    expect(source.open).toBe(0);
  });

  it('reads once for its length, and once for two who go forwards side by side', async () => {
    const source = new Counting(content);
    const reader = await ForwardReader.open(source, world);
    for (let start = 0; start + 2 * MIB < content.length; start += 50_000) {
      await rangeOf(reader, start, start + 2 * MIB);
      await rangeOf(reader, start, start + 1000);
    }
    expect(source.readings).toBe(2);
    expect(source.given).toBeLessThanOrEqual(2 * content.length);
    await reader.close();
  });

  it('reads once more when one is far ahead of the other', async () => {
    const source = new Counting(content);
    const reader = await ForwardReader.open(source, world);
    for (let start = 0; start + 7 * MIB < content.length; start += 200_000) {
      await rangeOf(reader, start + 6 * MIB, start + 7 * MIB);
      await rangeOf(reader, start, start + 1000);
    }
    expect(source.readings).toBe(3);
    await reader.close();
  });

  it('says so when there is less than before', async () => {
    const source = new Counting(content);
    const reader = await ForwardReader.open(source, world);
    source.bytes = content.subarray(0, 2 * MIB);
    await failsAs(rangeOf(reader, 0, content.length), 'changed', 'a.gz');
    await reader.close();
  });

  it('reads nothing more once it is to stop', async () => {
    const abort = new AbortController();
    const reader = await ForwardReader.open(new Counting(content), world, abort.signal);
    await rangeOf(reader, 0, 10);
    abort.abort(new Error('enough'));
    await expect(rangeOf(reader, 2 * MIB, 2 * MIB + 1)).rejects.toThrow('enough');
    await reader.close();
  });
});
