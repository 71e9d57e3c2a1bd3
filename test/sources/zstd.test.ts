/** zstd by the package that is used where Node has none of its own: it proves what the package does not. */
import { describe, expect, it } from 'vitest';
import { Feed } from '../../sources/feed.js';
import { unzstd, unzstdByPackage } from '../../sources/zstd.js';
import { failsAs } from '../conformance/source.js';
import { dayBook, forms } from '../support/compressed.js';
import { seeded } from '../support/random.js';

const [whole, frames] = forms.filter(({ compression }) => compression === 'zstd').map(({ bytes }) => bytes) as [
  Uint8Array,
  Uint8Array,
];

function feedOf(bytes: Uint8Array): Feed {
  const parts = [bytes];
  return new Feed('a.zst', async () => parts.shift());
}

async function read(bytes: Uint8Array, by: typeof unzstd): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of by(feedOf(bytes))) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

const fails = (bytes: Uint8Array, reason: string, by: typeof unzstd) => failsAs(read(bytes, by), reason, 'a.zst');

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** Frames written by hand: `raw` of one block that is what it says, `run` of one that repeats a byte. */
const raw = (content: string, descriptor = 0x20) =>
  Uint8Array.from([...MAGIC, descriptor, content.length, (content.length << 3) | 1, 0, 0, ...Buffer.from(content)]);

describe.each([
  ['the package', unzstdByPackage],
  ['what there is', unzstd],
] as const)('zstd by %s', (_, by) => {
  it('gives what is in frames, however many', async () => {
    expect(Buffer.compare(await read(whole, by), dayBook)).toBe(0);
    expect(Buffer.compare(await read(frames, by), dayBook)).toBe(0);
    expect(`${await read(Uint8Array.from([...raw('one '), ...raw(''), ...raw('two')]), by)}`).toBe('one two');
  });

  it('gives nothing of nothing', async () => {
    expect(`${await read(raw(''), by)}`).toBe('');
    expect(`${await read(Uint8Array.from([0x5f, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]), by)}`).toBe('');
  });

  it('has a block that repeats a byte', async () => {
    const run = Uint8Array.from([...MAGIC, 0x20, 200, 0x43, 6, 0, 0x61]);
    expect(`${await read(run, by)}`).toBe('a'.repeat(200));
  });

  it('lets no change pass unseen', async () => {
    await seeded(25, async (rng) => {
      const spoilt = whole.slice();
      spoilt[rng.between(4, whole.length - 1)]! ^= 1 << rng.between(0, 7);
      const found = await read(spoilt, by).catch((error: { reason: string }) => error.reason);
      if (typeof found === 'string') expect(['damaged', 'cut-short', 'trailing-bytes', 'unsupported']).toContain(found);
      else expect(Buffer.compare(found, dayBook)).toBe(0);
    });
  });

  it('proves the checksum', async () => {
    const spoilt = whole.slice();
    spoilt[spoilt.length - 1]! ^= 1;
    await fails(spoilt, 'damaged', by);
  });

  it('proves the length that a frame says', async () => {
    await fails(Uint8Array.from([...MAGIC, 0x20, 5, (4 << 3) | 1, 0, 0, ...Buffer.from('four')]), 'damaged', by);
  });

  it('refuses what it cannot do, and says what can', async () => {
    const dictionary = Uint8Array.from([...MAGIC, 0x21, 7, 1, 9, 0, 0, 0x61]);
    expect((await fails(dictionary, 'unsupported', by)).message).toContain('dictionary');
    // A window of 256 MiB.
    const far = Uint8Array.from([...MAGIC, 0x00, 18 << 3, 9, 0, 0, 0x61]);
    expect((await fails(far, 'unsupported', by)).message).toContain('--long=31');
  });

  it('refuses blocks that cannot be', async () => {
    await fails(Uint8Array.from([...MAGIC, 0x20, 1, (1 << 3) | 7, 0, 0, 0x61]), 'damaged', by);
    await fails(Uint8Array.from([...MAGIC, 0x20, 1, ((200 << 3) & 255) | 1, 6, 0, ...new Array(200).fill(0)]), 'damaged', by);
    await fails(raw('x', 0x28), 'damaged', by);
  });

  it.each([
    [[0x28], 'cut-short'],
    [[0x50, 0x2a], 'cut-short'],
    [[0x50, 0x2a, 0x4d, 0x18, 9, 0, 0, 0, 1], 'cut-short'],
    [[0x28, 0xb5, 0x2f, 0xfe], 'trailing-bytes'],
    [[1], 'trailing-bytes'],
  ])('ends at a frame, and nowhere else: %j', async (more, reason) => {
    await fails(Uint8Array.from([...raw('one'), ...more]), reason, by);
  });
});
