/**
 * What stands next to an output file and says how it came about: options, each source with its digest and receipt, totals,
 * the files with their digests. Deterministic: no clock, no machine. It is written line by line as sources end, and given its
 * name last, so a manifest that is there belongs to output that is complete (L11).
 */
import type { Coverage } from './coverage.js';
import type { ByteRange } from './only.js';
import type { Compression, WrittenFile } from './types.js';

export const MANIFEST_FORMAT = 1;

/** Beside `chunks.jsonl` stands `chunks.jsonl.manifest.json`. */
export function manifestPath(out: string): string {
  return `${out}.manifest.json`;
}

export interface SourceReceipt {
  readonly source: string;
  /** What it was compressed with; absent: nothing. The digest and all offsets are of the bytes after decompression. */
  readonly compression?: Compression;
  /** SHA-256 of its bytes, lower-case hex. */
  readonly sha256: string;
  readonly charset: string;
  /** The name of the format that it was split by. */
  readonly format: string;
  readonly documents: number;
  readonly chunks: number;
  /** Sum over its chunks; absent when tokens are not counted. */
  readonly tokens?: number;
  /** Faults that were left out. */
  readonly rejected: number;
  /** Bad byte sequences that became U+FFFD. */
  readonly invalid: number;
  /** Where the records begin that were asked for; absent: all were. */
  readonly only?: readonly ByteRange[];
  /** Where its bytes went: those in chunks and those dropped add up to `bytes`. */
  readonly coverage: Coverage;
}

export interface Totals {
  readonly sources: number;
  readonly documents: number;
  readonly chunks: number;
  readonly tokens?: number;
  readonly bytes: number;
  readonly rejected: number;
  readonly invalid: number;
  readonly inChunks: number;
  readonly dropped: Readonly<Record<string, number>>;
}

export const NOTHING_YET: Totals = {
  ...{ sources: 0, documents: 0, chunks: 0, bytes: 0, rejected: 0, invalid: 0, inChunks: 0 },
  dropped: {},
};

/** The totals with one source more. */
export function added(totals: Totals, { coverage, documents, chunks, tokens, rejected, invalid }: SourceReceipt): Totals {
  const dropped = { ...totals.dropped };
  for (const [reason, bytes] of Object.entries(coverage.dropped)) dropped[reason] = (dropped[reason] ?? 0) + bytes;
  return {
    sources: totals.sources + 1,
    documents: totals.documents + documents,
    chunks: totals.chunks + chunks,
    ...(tokens === undefined ? {} : { tokens: (totals.tokens ?? 0) + tokens }),
    bytes: totals.bytes + coverage.bytes,
    rejected: totals.rejected + rejected,
    invalid: totals.invalid + invalid,
    inChunks: totals.inChunks + coverage.inChunks,
    dropped,
  };
}

export interface Manifest {
  readonly millrace: string;
  readonly format: number;
  readonly options: Readonly<Record<string, unknown>>;
  readonly sources: readonly SourceReceipt[];
  readonly totals: Totals;
  readonly files: readonly WrittenFile[];
}

/** The three parts of the text, in the order they become known. */
export const manifestText = {
  head(version: string, options: Readonly<Record<string, unknown>>): string {
    return `{\n"millrace": ${JSON.stringify(version)},\n"format": ${MANIFEST_FORMAT},\n"options": ${JSON.stringify(options)},\n"sources": [`;
  },
  source(receipt: SourceReceipt, first: boolean): string {
    return `${first ? '\n' : ',\n'}${JSON.stringify(receipt)}`;
  },
  tail(totals: Totals, files: readonly WrittenFile[]): string {
    return `\n],\n"totals": ${JSON.stringify(totals)},\n"files": ${JSON.stringify(files)}\n}\n`;
  },
};
