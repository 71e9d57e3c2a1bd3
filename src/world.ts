/**
 * Everything a run may touch outside itself, as a value: tests pass memfs and canned streams, `nodeWorld` passes the real
 * thing. Sources, sinks and `run` receive a World and reach for nothing else.
 */
import type * as fs from 'node:fs';
import type { HttpRequest, HttpResponse } from './http.js';

/** The part of `node:fs` that is used; memfs satisfies it too. */
export interface FileSystem {
  readonly promises: Pick<typeof fs.promises, 'open' | 'stat' | 'lstat' | 'readdir' | 'realpath' | 'rename' | 'rm' | 'readFile'>;
}

/** Incremental SHA-256. `digest` gives lower-case hex and ends it. */
export interface Hash {
  update(bytes: Uint8Array): void;
  digest(): string;
}

/** Where text lines go when no file is named. Structurally a Node Writable. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(data: Uint8Array | string): boolean;
  once(event: 'drain' | 'error' | 'close', listener: (error?: Error) => void): unknown;
  off(event: 'drain' | 'error' | 'close', listener: (error?: Error) => void): unknown;
}

export interface World {
  readonly fs: FileSystem;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Milliseconds on a clock that never goes back; for progress and the summary, never for what is written. */
  now(): number;
  /** Highest resident memory of this process so far, in bytes. */
  peakMemory(): number;
  /** SHA-1 of the UTF-8 bytes of `text`, lower-case hex. */
  sha1(text: string): string;
  sha256(): Hash;
  /** Variables of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's own folder, where tools keep their settings. */
  readonly home: string;
  /** The time of day; for signatures, never for what is written. */
  date(): Date;
  /** Rejects with the signal's reason when that aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1) to spread retries with, never for what is written. */
  random(): number;
  /** One exchange: no redirects, no retries, no undoing of a content encoding. @throws HttpError, or the signal's reason */
  http(request: HttpRequest): Promise<HttpResponse>;
  /** A module: a package by its name, a file by its path. */
  load(name: string): Promise<unknown>;
}
