/**
 * The compressions that inputs may be in, and what tells them: the endings of names, and first bytes. Undoing them is
 * sources/inflate.ts's; the format that the rest of a name tells is src/engine.ts's.
 */
import type { Compression } from './types.js';

export const COMPRESSIONS: readonly Compression[] = ['gzip', 'br', 'zstd', 'bzip2'];

const ENDINGS: Readonly<Record<string, Compression>> = {
  '.gz': 'gzip',
  '.br': 'br',
  '.zst': 'zstd',
  '.zstd': 'zstd',
  '.bz2': 'bzip2',
};

/**
 * The compression that a name ends like, and what the name is without that; case is of no account. In a web address, what is
 * behind the path is no part of the name.
 */
export function endingOf(name: string): { readonly compression?: Compression; readonly rest: string } {
  const path = /^https?:/i.test(name) ? name.replace(/[?#].*$/s, '') : name;
  const ending = /\.[^./]+$/.exec(path)?.[0] ?? '';
  const compression = ENDINGS[ending.toLowerCase()];
  return compression === undefined ? { rest: path } : { compression, rest: path.slice(0, -ending.length) };
}

/** The bytes that each begins with; brotli has none to tell it by. */
export const MAGIC = {
  gzip: [0x1f, 0x8b],
  zstd: [0x28, 0xb5, 0x2f, 0xfd],
  bzip2: [0x42, 0x5a, 0x68],
} as const;

type Range = readonly [least: number, most: number];

/** What the first bytes are of what may be taken for compressed without a name that says so. */
const BEGINNINGS: readonly (readonly [Compression, readonly Range[]])[] = [
  ['gzip', exactly(MAGIC.gzip)],
  ['zstd', exactly(MAGIC.zstd)],
  // A frame to be skipped, which may come first.
  ['zstd', [[0x50, 0x5f], ...exactly([0x2a, 0x4d, 0x18])]],
  // Three letters and a digit may be text: the mark of the first block is looked for too.
  ['bzip2', [...exactly(MAGIC.bzip2), [0x31, 0x39], ...exactly([0x31, 0x41, 0x59, 0x26, 0x53, 0x59])]],
];

/** The compression that the first bytes tell; `undecided`: more of them are needed. */
export function beginningOf(start: Uint8Array): Compression | 'undecided' | undefined {
  let isOpen = false;
  for (const [compression, ranges] of BEGINNINGS) {
    const fits = ranges.every(([least, most], at) => at >= start.length || (start[at]! >= least && start[at]! <= most));
    if (fits && start.length >= ranges.length) return compression;
    isOpen ||= fits;
  }
  return isOpen ? 'undecided' : undefined;
}

function exactly(bytes: readonly number[]): readonly Range[] {
  return bytes.map((byte) => [byte, byte]);
}
