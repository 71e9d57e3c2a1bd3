/**
 * The byte ranges that a run is limited to: lines of JSON with `source`, `start` and `end`, such as the rejects of an earlier
 * run. A line without `start` and `end` stands for all of its source.
 */
import { BlockReader, linesOf } from './blocks.js';
import { configError } from './errors.js';
import type { World } from './world.js';

/** Half-open, in source bytes. */
export type ByteRange = readonly [start: number, end: number];

/** For each source its ranges in order, none touching the next; `all` where the whole source is asked for. */
export type Only = ReadonlyMap<string, readonly ByteRange[] | 'all'>;

const MOST_LINE_BYTES = 1 << 26;

/** @throws IngestError kind config */
export async function readOnly(path: string, world: World, signal?: AbortSignal): Promise<Only> {
  const found = new Map<string, ByteRange[] | 'all'>();
  const refuse = (what: string): never => {
    throw configError([`${path} cannot say which records are wanted: ${what}`]);
  };
  const reader = await BlockReader.open(path, world, signal).catch((error: Error) => refuse(error.message));
  try {
    let number = 0;
    for await (const line of linesOf(reader, MOST_LINE_BYTES, () => refuse(`line ${number + 1} is too long`))) {
      number++;
      if (line.trim() === '') continue;
      const parsed = lineOf(line) ?? refuse(`line ${number} is no object with source, start and end, as a line of rejects is`);
      const ranges = found.get(parsed.source) ?? [];
      if (parsed.range === undefined || ranges === 'all') found.set(parsed.source, 'all');
      else {
        ranges.push(parsed.range);
        found.set(parsed.source, ranges);
      }
    }
  } finally {
    await reader.close();
  }
  return new Map([...found].map(([source, ranges]) => [source, ranges === 'all' ? ranges : merged(ranges)]));
}

/** Whether a record that begins at a byte lies in these ranges, which are in order and do not overlap. */
export function wantedIn(ranges: readonly ByteRange[]): (start: number) => boolean {
  return (start) => {
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranges[middle]![1] <= start) low = middle + 1;
      else high = middle;
    }
    return low < ranges.length && ranges[low]![0] <= start;
  };
}

function lineOf(line: string): { readonly source: string; readonly range: ByteRange | undefined } | undefined {
  let found: unknown;
  try {
    found = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof found !== 'object' || found === null) return undefined;
  const { source, start, end } = found as Readonly<Record<string, unknown>>;
  if (typeof source !== 'string') return undefined;
  if (start === undefined && end === undefined) return { source, range: undefined };
  return isByte(start) && isByte(end) && start <= end ? { source, range: [start, end] } : undefined;
}

function isByte(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function merged(ranges: readonly ByteRange[]): ByteRange[] {
  const joined: ByteRange[] = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], end)];
    else joined.push([start, end]);
  }
  return joined;
}
