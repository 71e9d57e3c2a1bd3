/**
 * Bytes that are compressed on their way. The same bytes whatever the system: what a gzip header says of the machine is
 * overwritten. zstd is there from Node 22.15 on.
 */
import * as zlib from 'node:zlib';
import { configError } from '../src/errors.js';
import type { Squeezing } from './store.js';

/** Where bytes go: a file, or standard output. */
export interface ByteEnd<T> {
  write(bytes: Uint8Array): Promise<void>;
  commit(): Promise<T>;
  abort(): Promise<void>;
}

/** What Node's compressing streams have in common; the types of some versions do not know zstd. */
interface Compressor {
  on(event: 'data', listener: (piece: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'end', listener: () => void): unknown;
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
  end(): unknown;
  destroy(): unknown;
}

const { createZstdCompress } = zlib as unknown as { readonly createZstdCompress?: () => Compressor };

/** Whether this version of Node can. */
export function canSqueeze(how: Squeezing): boolean {
  return how === 'gzip' || createZstdCompress !== undefined;
}

/** @throws IngestError kind config where this version of Node cannot */
export function squeezed<T>(file: ByteEnd<T>, how: Squeezing | undefined): ByteEnd<T> {
  if (how === undefined) return file;
  if (how === 'zstd' && createZstdCompress === undefined) throw configError(['zstd needs Node 22.15 or later: use gzip']);
  const compressor: Compressor = how === 'gzip' ? zlib.createGzip() : createZstdCompress!();
  let pieces: Uint8Array[] = [];
  let isFirst = true;
  const ended = new Promise<void>((resolve, reject) => {
    compressor.once('end', resolve);
    compressor.on('error', reject);
  });
  ended.catch(() => {});
  compressor.on('data', (piece) => {
    if (isFirst && how === 'gzip') piece[SYSTEM_AT] = UNKNOWN_SYSTEM;
    isFirst = false;
    pieces.push(piece);
  });
  const drain = async (): Promise<void> => {
    const ready = pieces;
    pieces = [];
    for (const piece of ready) await file.write(piece);
  };
  return {
    async write(bytes) {
      await new Promise<void>((resolve, reject) => {
        // Read by the compressor when it calls back: the caller's memory is free then.
        compressor.write(bytes, (error) => (error ? reject(error) : resolve()));
      });
      await drain();
    },
    async commit() {
      compressor.end();
      await ended;
      await drain();
      return file.commit();
    },
    async abort() {
      compressor.destroy();
      await file.abort();
    },
  };
}

/** Byte of a gzip header that tells the system (RFC 1952, 2.3), and its value for an unknown one. */
const SYSTEM_AT = 9;
const UNKNOWN_SYSTEM = 255;
