/** bzip2 written by hand where the tool would not write it: streams without blocks, checksums, what cannot be. */
import { describe, expect, it } from 'vitest';
import { failsAs, readAll } from '../conformance/source.js';
import { dayBook, decompressed, forms } from '../support/compressed.js';

const bytesOf = (name: string) => forms.find((form) => form.name === name)!.bytes;
const read = async (bytes: Uint8Array, most = 1 << 20) =>
  Buffer.from((await readAll(decompressed('a.bz2', bytes, { most })))[0]!.bytes);
const fails = (bytes: Uint8Array, reason: string) => failsAs(readAll(decompressed('a.bz2', bytes)), reason, 'a.bz2');

const hex = (digits: string) => new Uint8Array(Buffer.from(digits.replaceAll(' ', ''), 'hex'));
const EMPTY = hex('425a6839 177245385090 00000000');
/** Of `bzip2 -1`: 300 times `a`, whose first stage is five bytes and the count in them; and 4 of them, which ends with a count of 0. */
const RUN = hex('425a6831314159265359a74ae11b0000029100802020000008200020aa6d4198c5478bb9229c284853a5708d80');
const FOUR = hex('425a6831314159265359881233a600000241004000200020002100820b177245385090881233a6');

describe('bzip2', () => {
  it('gives nothing of streams without blocks', async () => {
    expect(`${await read(EMPTY)}`).toBe('');
    expect(`${await read(Uint8Array.from([...EMPTY, ...EMPTY]), 1)}`).toBe('');
  });

  it('repeats what its first stage made short', async () => {
    expect(`${await read(RUN)}`).toBe('a'.repeat(300));
    expect(`${await read(Uint8Array.from([...FOUR, ...EMPTY, ...RUN]))}`).toBe(`aaaa${'a'.repeat(300)}`);
  });

  it('is the same whatever the level of each stream', async () => {
    const both = Uint8Array.from([...bytesOf('book.txt.bz2'), ...bytesOf('streams.txt.bz2')]);
    expect(Buffer.compare(await read(both, 1000), Buffer.concat([dayBook, dayBook]))).toBe(0);
  });

  it('proves the checksums of blocks, and that of the stream', async () => {
    const block = RUN.slice();
    block[10]! ^= 1;
    expect((await fails(block, 'damaged')).message).toContain('block');
    const stream = RUN.slice();
    stream[stream.length - 2]! ^= 8;
    expect((await fails(stream, 'damaged')).message).toContain('stream');
    await fails(hex('425a6839 177245385090 00000001'), 'damaged');
  });

  it('refuses what cannot be', async () => {
    await fails(hex('425a6830 177245385090 00000000'), 'not-bzip2');
    await fails(hex('425a6839 177245385091 00000000'), 'damaged');
    await fails(hex('425a6839 314159265359 00000000 000000 0000 0000 0000 0000'), 'damaged');
  });

  it('says what to do about blocks of before 1999', async () => {
    const randomised = RUN.slice();
    randomised[14]! |= 0x80;
    expect((await fails(randomised, 'unsupported')).message).toContain('bzip2 -dc');
  });
});
