/**
 * What a row of the seeds' faults is, and the shorthands that its checks are written with: cutting a text through the public
 * library, and what must hold of chunks whatever cut them.
 *
 * Numbers are those of the list of the seeds' faults: `2.0-9` is the ninth reported one of section 2.0, `2.2#7` the seventh that
 * was found by running, `3.12` a check of section 3; a letter behind it is a part.
 */
import { expect } from 'vitest';
import { type ChunkOptions, chunks, IngestError, type Input } from '../../src/index.js';
import type { Charset, Chunk, Machine, Segment } from '../../src/types.js';
import { normalise, type WhitespaceMode } from '../../transforms/normalise.js';
import { drained } from '../support/whole.js';

export interface Check {
  readonly id: string;
  /** C: crawl4ai and NLTK, R: RAG Text Chunker, M: Mastra, W: Weave. */
  readonly seeds: string;
  /** What the seed does wrong, or what has to be shown. */
  readonly what: string;
  /** Fails when we do it too. A text that it returns is shown beside the row: something measured. */
  readonly run: () => unknown;
}

/** A row that is not checked here. */
export interface Elsewhere {
  readonly id: string;
  readonly seeds: string;
  readonly what: string;
  readonly elsewhere: string;
}

export type Row = Check | Elsewhere;

/* ------------------------------------------------------------------ cutting */

export async function cut(input: Input | Iterable<Input> | AsyncIterable<Input>, options: ChunkOptions = {}): Promise<Chunk[]> {
  const all: Chunk[] = [];
  for await (const chunk of chunks(input, options)) all.push(chunk);
  return all;
}

/** So many characters a chunk, no overlap; nothing is counted besides. */
export function characters(size: number, more: ChunkOptions = {}): ChunkOptions {
  return { unit: 'characters', tokenizer: 'none', size, overlap: 0, minSize: 0, ...more };
}

export const textsOf = (all: readonly Chunk[]): string[] => all.map(({ text }) => text);

export const wordsIn = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** Sentences, each a chunk of its own, without the white space around them. */
export async function sentencesIn(text: string, more: ChunkOptions = {}): Promise<string[]> {
  const each = { strategy: 'sentence', targetSize: 1, trim: true, ...more };
  return textsOf(await cut(text, characters(10_000, each)));
}

/** The one sentence that the options are refused with. */
export async function refusal(options: object): Promise<string> {
  const error = await cut('text', options).catch((reason: unknown) => reason);
  if (!(error instanceof IngestError)) expect.fail(`these options were not refused: ${JSON.stringify(options)} (${error})`);
  expect(error.kind).toBe('config');
  return error.message;
}

/** Ways to set up every strategy; `unit` is there where it has only that. */
export const EVERY_STRATEGY: readonly (ChunkOptions & { readonly strategy: string })[] = [
  { strategy: 'recursive' },
  { strategy: 'recursive', language: 'markdown' },
  { strategy: 'recursive', separators: ['\\n', ' '], separatorPosition: 'start' },
  { strategy: 'character' },
  { strategy: 'character', separator: ' ', merge: true },
  { strategy: 'regex', patterns: ['[.;] ', '\\n+'] },
  { strategy: 'sentence' },
  { strategy: 'sentence', noWordFallback: true },
  { strategy: 'paragraph' },
  { strategy: 'section' },
  { strategy: 'topic' },
  { strategy: 'words', unit: 'words' },
  { strategy: 'token', unit: 'tokens' },
  { strategy: 'sliding', unit: 'tokens' },
  { strategy: 'sliding', unit: 'words', tail: 'backfill' },
];

/** Those whose chunks never overlap unless they are asked to, and that drop nothing: with `each`, the separators are kept. */
export const TILING_STRATEGIES = EVERY_STRATEGY.filter(({ tail }) => tail !== 'backfill').map((options) =>
  options.strategy === 'regex' ? ({ ...options, separatorPosition: 'end' } as const) : options,
);

/** Each strategy in each unit that it can be measured in. */
export function everyWay(
  units: readonly ('tokens' | 'characters' | 'words' | 'bytes')[],
  strategies: readonly ChunkOptions[] = EVERY_STRATEGY,
): ChunkOptions[] {
  return strategies.flatMap((options) => (options.unit === undefined ? units.map((unit) => ({ ...options, unit })) : [options]));
}

/* ------------------------------------------------------------------ what must hold */

const bytesOf = (input: Input): Uint8Array => (typeof input === 'string' ? Buffer.from(input) : input);

/** What these bytes of the source say, read and normalised by themselves. */
export function reread(input: Input, { start, end }: Pick<Chunk, 'start' | 'end'>, mode: WhitespaceMode): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytesOf(input).subarray(start, end));
  const doc = { origin: { uri: '-' }, charset: 'utf-8' as Charset, metadata: {} };
  const machine: Machine<Segment, Segment> = normalise(mode, true)(doc);
  return drained(machine, text === '' ? [] : [{ text, start: 0, end: end - start, verbatim: true }])
    .map((segment) => segment.text)
    .join('');
}

/** Every chunk is just what its bytes say; starts and ends grow; no chunk lies in the one before, and none is empty. */
export function expectExact(input: Input, all: readonly Chunk[], mode: WhitespaceMode = 'tidy'): void {
  for (const [at, chunk] of all.entries()) {
    if (chunk.text !== reread(input, chunk, mode)) expect(chunk.text).toBe(reread(input, chunk, mode));
    if (!chunk.text.isWellFormed() || chunk.text.trim() === '') expect.fail(`chunk ${at} is ${JSON.stringify(chunk.text)}`);
    const before = all[at - 1];
    if (before !== undefined && (chunk.start <= before.start || chunk.end <= before.end))
      expect.fail(`chunk ${at} does not go on: ${[before.start, before.end, chunk.start, chunk.end]}`);
  }
}

/** All that shows is in a chunk. */
export function expectComplete(input: Input, all: readonly Chunk[]): void {
  const bytes = bytesOf(input);
  let end = 0;
  for (const chunk of [...all, { start: bytes.length, end: bytes.length }]) {
    if (chunk.start > end) {
      const lost = Buffer.from(bytes.subarray(end, chunk.start)).toString();
      if (/[^\s\ufeff]/u.test(lost)) expect.fail(`lost at byte ${end}: ${JSON.stringify(lost.slice(0, 60))}`);
    }
    end = Math.max(end, chunk.end);
  }
}

/** Chunks lie side by side from the first byte to the last. */
export function expectTiled(input: Input, all: readonly Chunk[], from = 0): void {
  expect(all[0]?.start).toBe(from);
  for (const [at, { start }] of all.slice(1).entries()) if (start !== all[at]!.end) expect(start).toBe(all[at]!.end);
  expect(all.at(-1)?.end).toBe(bytesOf(input).length);
}

/** None is longer, in code points. */
export function expectWithin(size: number, texts: readonly string[]): void {
  for (const text of texts)
    if ([...text].length > size) expect.fail(`${[...text].length} characters: ${JSON.stringify(text.slice(0, 80))}`);
}

/** Bytes that each chunk shares with the one before. */
export function shared(all: readonly Chunk[]): number[] {
  return all.slice(1).map(({ start }, at) => Math.max(0, all[at]!.end - start));
}

/* ------------------------------------------------------------------ measuring */

/**
 * How much longer twice as much takes, the best of two tries each. It is told, not judged: a busy machine would fail it. So it is
 * measured only where it is shown (test/seeds/table.ts asks for it); otherwise a quarter of the work must come to an end.
 */
export async function growth(work: (n: number) => Promise<unknown>, n: number): Promise<string | undefined> {
  if (process.env.MILLRACE_MEASURE === undefined) {
    await work(n / 4);
    return undefined;
  }
  const [once, twice] = [await bestOfTwo(() => work(n)), await bestOfTwo(() => work(2 * n))];
  return `twice takes ×${(twice / once).toFixed(1)} (${twice.toFixed(0)} ms)`;
}

async function bestOfTwo(work: () => Promise<unknown>): Promise<number> {
  const timed = async () => {
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };
  return Math.min(await timed(), await timed());
}

/** Most characters (ASCII) that were read and not yet delivered while `count` times `unit` went through. */
export async function heldWhile(unit: string, count: number, options: ChunkOptions): Promise<number> {
  let read = 0;
  let most = 0;
  const input = (function* () {
    for (let n = 0; n < count; n++) {
      read += unit.length;
      yield unit;
    }
  })();
  let delivered = 0;
  for await (const { end } of chunks(input, options)) {
    most = Math.max(most, read - delivered);
    delivered = end;
  }
  return Math.max(most, read - delivered);
}
