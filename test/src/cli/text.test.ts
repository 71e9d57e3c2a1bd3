import { expect, it } from 'vitest';
import {
  bar,
  byteSize,
  clock,
  columnsOf,
  counted,
  duration,
  grouped,
  megabytesPerSecond,
  printable,
  shortened,
  wrapped,
} from '../../../src/cli/text.js';

it('measures in columns', () => {
  expect(['', 'abc', 'e\u0301', '漢字', '한', '😀', 'ﾊ'].map(columnsOf)).toEqual([0, 3, 1, 4, 2, 2, 1]);
});

it('shortens from the left', () => {
  expect(shortened('corpus/en.txt', 13)).toBe('corpus/en.txt');
  expect(shortened('corpus/en.txt', 8)).toBe('…/en.txt');
  expect(shortened('漢字漢字', 4)).toBe('…字');
  expect(shortened('abc', 1)).toBe('…');
  expect(shortened('abc', 0)).toBe('');
});

it('wraps at spaces', () => {
  expect(wrapped('a bc def', 4)).toEqual(['a bc', 'def']);
  expect(wrapped('a verylongword b', 4)).toEqual(['a', 'verylongword', 'b']);
  expect(wrapped('', 4)).toEqual(['']);
});

it('makes control characters visible', () => {
  expect(printable('a\nb\tc\r\u001b[0m\u2028\u0085é')).toBe('a\\nb\\tc\\r\\u001b[0m\\u2028\\u0085é');
});

it('writes numbers for people', () => {
  expect([0, 999, 1000, 1234567].map(grouped)).toEqual(['0', '999', '1,000', '1,234,567']);
  expect([counted(1, 'chunk'), counted(0, 'chunk'), counted(2, 'entry', 'entries')]).toEqual([
    '1 chunk',
    '0 chunks',
    '2 entries',
  ]);
  expect([0, 999, 1000, 999_949, 999_950, 1e9, 1e18].map(byteSize)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '999.9 kB',
    '1.0 MB',
    '1.0 GB',
    '1000.0 PB',
  ]);
  expect([0, 0.05, 0.1, 59.9, 59.96, 125].map(duration)).toEqual(['0.00 s', '0.05 s', '0.1 s', '59.9 s', '1:00', '2:05']);
  expect([0, 59.6, 3605].map(clock)).toEqual(['0:00', '1:00', '1:00:05']);
  expect([megabytesPerSecond(5e6, 2), megabytesPerSecond(5e8, 2), megabytesPerSecond(5, 0)]).toEqual([
    '2.5 MB/s',
    '250 MB/s',
    '0.0 MB/s',
  ]);
});

it('draws bars to an eighth', () => {
  expect([0, 0.5, 1, 2, -1].map((share) => bar(share, 4))).toEqual(['', '██', '████', '████', '']);
  expect([1, 3, 7].map((eighth) => bar(eighth / 8, 1))).toEqual(['▏', '▍', '▉']);
});
