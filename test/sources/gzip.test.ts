/** The frames of gzip, member by member: what their headers may hold, and each thing that must not pass. */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failsAs, readAll } from '../conformance/source.js';
import { decompressed } from '../support/compressed.js';

const text = Buffer.from('what is in it', 'latin1');
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;
const CHECKSUM = 2;

interface Parts {
  readonly flags?: number;
  readonly method?: number;
  /** Behind the fixed part of the header. */
  readonly more?: readonly number[];
  readonly checksum?: number;
  readonly length?: number;
}

/** A member written by hand. */
function member({ flags = 0, method = 8, more = [], checksum = crc32(text), length = text.length }: Parts = {}): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(length, 4);
  return Buffer.concat([Buffer.from([0x1f, 0x8b, method, flags, 0, 0, 0, 0, 0, 255, ...more]), deflateRawSync(text), trailer]);
}

const read = async (bytes: Uint8Array, most?: number) =>
  Buffer.from((await readAll(decompressed('a.gz', bytes, most === undefined ? {} : { most })))[0]!.bytes).toString('latin1');
const fails = (bytes: Uint8Array, reason: string) => failsAs(readAll(decompressed('a.gz', bytes)), reason, 'a.gz');

const name = [...Buffer.from('a name\0')];
const extra = [3, 0, 1, 2, 3];

describe('gzip', () => {
  it('is read whatever its header holds', async () => {
    expect(await read(member())).toBe(`${text}`);
    expect(await read(member({ flags: NAME, more: name }))).toBe(`${text}`);
    expect(await read(member({ flags: EXTRA | NAME | COMMENT, more: [...extra, ...name, ...name] }), 1)).toBe(`${text}`);
    expect(await read(member({ flags: EXTRA, more: [0, 0] }))).toBe(`${text}`);
  });

  it('proves the checksum of a header that has one', async () => {
    const fixed = [0x1f, 0x8b, 8, NAME | CHECKSUM, 0, 0, 0, 0, 0, 255, ...name];
    const sum = crc32(Buffer.from(fixed)) & 0xffff;
    const more = (value: number) => [...name, value & 255, value >>> 8];
    expect(await read(member({ flags: NAME | CHECKSUM, more: more(sum) }))).toBe(`${text}`);
    await fails(member({ flags: NAME | CHECKSUM, more: more(sum ^ 1) }), 'damaged');
  });

  it('proves the checksum and the length of what is in it', async () => {
    const checksum = await fails(member({ checksum: 1 }), 'damaged');
    expect(checksum.message).toContain('CRC-32');
    const length = await fails(member({ length: text.length + 1 }), 'damaged');
    expect(length.message).toContain('length');
  });

  it('refuses headers that gzip does not write', async () => {
    await fails(member({ method: 7 }), 'damaged');
    await fails(member({ flags: 0x20 }), 'damaged');
  });

  it('may have many members, empty ones too', async () => {
    const many = Buffer.concat([member(), gzipSync(''), ...Array.from({ length: 300 }, () => member()), gzipSync('')]);
    for (const most of [5, 1 << 20]) expect(await read(many, most)).toBe(`${text}`.repeat(301));
  });

  it.each([
    ['a member that begins like one', [0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 255, 255, 255], 'damaged'],
    ['half of the mark', [0x1f], 'cut-short'],
    ['the mark', [0x1f, 0x8b], 'cut-short'],
    ['half a header', [0x1f, 0x8b, 8, 0, 0, 0], 'cut-short'],
    ['a header', [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], 'cut-short'],
    ['a mark and nonsense', [0x1f, 0x8b, 1, 0xff, 0, 0, 0, 0, 0, 255], 'damaged'],
    ['zero bytes, as on a tape', new Array(512).fill(0), 'trailing-bytes'],
  ])('is no end that %s follows', async (_, more, reason) => {
    const [first, after] = [member(), Uint8Array.from(more as number[])];
    for (const most of [1, first.length, 1 << 20]) {
      const reading = readAll(decompressed('a.gz', Buffer.concat([first, after]), { most }));
      await failsAs(reading, reason, 'a.gz');
    }
  });
});
