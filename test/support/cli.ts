/**
 * The program as users meet it: `node dist/src/cli/main.js` in a child process, in a directory of its own. `npm test` builds it
 * beforehand. Nothing here waits for time to pass: a test waits for what the child writes, or for its end.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { type FSWatcher, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Manifest } from '../../src/manifest.js';
import type { Chunk } from '../../src/types.js';

export const MAIN = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
export const SAMPLES = fileURLToPath(new URL('../../samples', import.meta.url));

/** Every sample that is text, in order. */
export const sampleNames: readonly string[] = readdirSync(SAMPLES)
  .filter((name) => name.endsWith('.txt'))
  .sort();

/** A directory for one test. */
export interface Workspace {
  readonly dir: string;
  path(name: string): string;
  /** Makes directories as needed; gives the path. */
  write(name: string, content: string | Uint8Array): string;
  read(name: string): Buffer;
  /** Names in it or in a directory of it, hidden ones too, sorted. */
  list(name?: string): string[];
  remove(): void;
}

/** It is removed when the test ends. */
export function workspace(): Workspace {
  const place = temporary();
  onTestFinished(place.remove);
  return place;
}

/** Whoever asks for it removes it. */
export function temporary(): Workspace {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  const path = (name: string) => join(dir, name);
  return {
    dir,
    path,
    write(name, content) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
    read: (name) => readFileSync(path(name)),
    list: (name = '.') => readdirSync(path(name)).sort(),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface StartOptions {
  readonly cwd?: string;
  /** For Node, before the program. */
  readonly node?: readonly string[];
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A run under way. Its standard output is not read unless somebody asks, so that it comes to a stop when the pipe is full. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** All that came out, when it has ended. */
  ended(): Promise<Ended>;
  /** The same, but standard output stays unread. */
  endedUnread(): Promise<Omit<Ended, 'stdout'>>;
}

export function start(args: readonly string[], { cwd, node = [], env = {} }: StartOptions = {}): Running {
  const child = spawn(process.execPath, [...node, MAIN, ...args], {
    stdio: 'pipe',
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  // The child may end without having read all of its input.
  child.stdin.on('error', () => {});
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    child,
    ended() {
      const parts: Buffer[] = [];
      child.stdout.on('data', (part: Buffer) => parts.push(part));
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code, signal) => resolve({ code, signal, stdout: Buffer.concat(parts), stderr }));
      });
    },
    endedUnread: () =>
      new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', (code, signal) => {
          child.stdout.destroy();
          child.once('close', () => resolve({ code, signal, stderr }));
        });
      }),
  };
}

export interface RunOptions extends StartOptions {
  /** What comes on standard input: one write for each. */
  readonly stdin?: readonly (string | Uint8Array)[];
}

/** From the start to the end. Standard input is empty unless given. */
export async function millrace(args: readonly string[], { stdin = [], ...options }: RunOptions = {}): Promise<Ended> {
  const running = start(args, options);
  const ended = running.ended();
  for (const part of stdin) running.child.stdin.write(part);
  running.child.stdin.end();
  return ended;
}

/** Resolves once something with that name is in the directory. */
export async function appears(path: string): Promise<void> {
  let watcher: FSWatcher | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (readdirSync(dirname(path)).includes(basename(path))) resolve();
      };
      watcher = watch(dirname(path), look).once('error', reject);
      look();
    });
  } finally {
    watcher?.close();
  }
}

/** Where a file is written until it is complete. */
export const partialOf = (path: string): string => join(dirname(path), `.${basename(path)}.partial`);

/** The chunks in lines of JSON, each of which must end with a line feed. */
export function chunksIn(lines: Uint8Array | string): Chunk[] {
  const text = typeof lines === 'string' ? lines : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(lines);
  if (text !== '' && !text.endsWith('\n')) throw new Error(`the last line is cut short: ${text.slice(-60)}`);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Chunk);
}

export const manifestIn = (place: Workspace, out: string): Manifest =>
  JSON.parse(place.read(`${out}.manifest.json`).toString()) as Manifest;
