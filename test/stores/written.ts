/**
 * Files for a store, as the command line writes them from the fixture's lines of chunks; read with nothing of ours.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { expect, inject } from 'vitest';
import type { Manifest } from '../../src/manifest.js';
import type { Chunk, Json } from '../../src/types.js';
import { MAIN, type Workspace } from '../support/cli.js';

export interface Written {
  readonly dir: string;
  /** Names of the files of records, in order. */
  readonly files: readonly string[];
  /** Names of the others: `out.schema.sql`. */
  readonly beside: readonly string[];
  readonly manifest: Manifest;
  readonly stderr: string;
  bytes(name: string): Buffer;
  text(name: string): string;
}

/** `--to store` in a folder of its own; every digest in the manifest is checked. */
export async function written(place: Workspace, set: Set, store: string, args: readonly string[] = []): Promise<Written> {
  const ended = await attempted(place, set, store, args);
  if (ended.code !== 0) throw new Error(`--to ${store} ended with ${ended.code}: ${ended.stderr}`);
  return outputOf(place.path(store), ended.stderr);
}

export type Set = 'chunks' | 'few' | 'hostile' | 'odd';

export interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** The same, whatever becomes of it. */
export function attempted(place: Workspace, set: Set, store: string, args: readonly string[] = []): Promise<Ended> {
  const cwd = place.path(store);
  mkdirSync(cwd, { recursive: true });
  return millrace(cwd, [set, '-o', 'out', ...(args.includes('--to') ? [] : ['--to', store]), ...args]);
}

/** The command line from a set of the fixture. */
export async function millrace(cwd: string, [set, ...args]: readonly string[]): Promise<Ended> {
  const input = [join(inject('fixture'), `${set}.jsonl`), '--format', 'jsonl', '--chunks'];
  const child = spawn(process.execPath, [MAIN, ...input, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { stderr: await text(child.stderr), code: await code };
}

function outputOf(dir: string, stderr: string): Written {
  const bytes = (name: string) => readFileSync(join(dir, name));
  const manifest = JSON.parse(bytes('out.manifest.json').toString('utf8')) as Manifest;
  for (const { path, sha256, bytes: length } of manifest.files) {
    const found = bytes(path);
    if (found.length !== length || createHash('sha256').update(found).digest('hex') !== sha256)
      throw new Error(`${path} is not what the manifest says`);
  }
  const names = manifest.files.map(({ path }) => path);
  return {
    dir,
    files: names.filter((name) => /^out-\d{5}\./.test(name)),
    beside: names.filter((name) => !/^out-\d{5}\./.test(name)),
    manifest,
    stderr,
    bytes,
    text: (name) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes(name)),
  };
}

/** The fixture's chunks. */
export function given(set: Set): Chunk[] {
  const lines = readFileSync(join(inject('fixture'), `${set}.jsonl`), 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Chunk);
}

/** As 32 bits hold them. */
export const rounded = (embedding: readonly number[] | undefined): number[] => Array.from(embedding ?? [], Math.fround);

/** With U+FFFD for half a pair, which no store takes; keys as well. */
export function wellFormed<T extends Json>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed) as Json as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), wellFormed(each)])) as T;
}

/** Decimals of seven digits, or of as many more as it takes to be the same numbers in 32 bits. */
export function digits(embedding: readonly number[] | undefined): number[] {
  return (embedding ?? []).map((value) => {
    const near = Math.fround(value);
    for (let places = 7; ; places++) {
      const short = Number(near.toPrecision(places));
      if (Math.fround(short) === near) return short;
    }
  });
}

/** What `expect(found).toEqual(chunk)` says, but thousands of times a second. `found`: the chunk as a store gave it back. */
export function expectSame(found: object, chunk: object): void {
  if (!isDeepStrictEqual(found, chunk)) expect(found).toEqual(chunk);
}

/** What `expect(found).toBe(text)` says, in a line that can be read: they are megabytes. */
export function expectSameText(found: string, text: string): void {
  if (found === text) return;
  let at = 0;
  while (found[at] === text[at]) at++;
  const around = (whole: string) => `${found.length}:${text.length} at ${at}: …${whole.slice(Math.max(0, at - 60), at + 40)}…`;
  expect(around(found)).toBe(around(text));
}
