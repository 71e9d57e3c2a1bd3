/** What names and first bytes say of compression. */
import { describe, expect, it } from 'vitest';
import { beginningOf, endingOf } from '../../src/compression.js';

describe('the ending of a name', () => {
  it.each([
    ['a.jsonl.gz', 'gzip', 'a.jsonl'],
    ['dir.d/a.csv.ZST', 'zstd', 'dir.d/a.csv'],
    ['a.zstd', 'zstd', 'a'],
    ['a.txt.br', 'br', 'a.txt'],
    ['dump.xml.bz2', 'bzip2', 'dump.xml'],
    ['a.gz.gz', 'gzip', 'a.gz'],
    ['http://host/a.csv.gz?sig=x.txt#y', 'gzip', 'http://host/a.csv'],
    ['https://host/a.csv?b.gz', undefined, 'https://host/a.csv'],
    ['what?.gz', 'gzip', 'what?'],
    ['a.gz/b', undefined, 'a.gz/b'],
    ['a.txt', undefined, 'a.txt'],
    ['gz', undefined, 'gz'],
    ['', undefined, ''],
  ])('of %s', (name, compression, rest) => {
    expect(endingOf(name)).toEqual(compression === undefined ? { rest } : { compression, rest });
  });
});

describe('the first bytes', () => {
  it.each([
    [[0x1f, 0x8b], 'gzip'],
    [[0x1f], 'undecided'],
    [[0x1f, 0x8c], undefined],
    [[0x28, 0xb5, 0x2f], 'undecided'],
    [[0x28, 0xb5, 0x2f, 0xfd], 'zstd'],
    [[0x57, 0x2a, 0x4d, 0x18], 'zstd'],
    [[...Buffer.from('BZh9')], 'undecided'],
    [[...Buffer.from('BZh9'), 0x31, 0x41, 0x59, 0x26, 0x53, 0x59], 'bzip2'],
    [[...Buffer.from('BZh0'), 0x31], undefined],
    [[...Buffer.from('BZh9 is text')], undefined],
    [[], 'undecided'],
    [[...Buffer.from('text')], undefined],
  ])('%j', (bytes, found) => expect(beginningOf(Uint8Array.from(bytes))).toBe(found));
});
