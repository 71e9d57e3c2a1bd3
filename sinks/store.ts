/**
 * What a store is to this program: a Spec with its rules as data, and a pure encoder that turns chunks into the bytes of files.
 * It opens nothing: rolling, limits of files, names, compression, digests and the disk are sinks/batch.ts's; what a store
 * refuses of metadata is sinks/metadata.ts's. Here are the shapes, and the two bodies that nearly all formats are: rows one
 * after the other, and columns that are put together at the end.
 */
import { IngestError } from '../src/errors.js';
import type { Spelling } from '../src/options.js';
import type { Spec } from '../src/spec.js';
import type { Chunk } from '../src/types.js';
import { Bytes } from './bytes.js';

/**
 * A chunk as a store gets it: no lone surrogates, no NUL where the store refuses it, metadata as its rule wants it, an embedding
 * that is finite and as long as all others of the run.
 */
export type StoreRecord = Chunk;

/** Fields that a chunk may have, in the order of its line. */
export const CHUNK_KEYS = [
  ...(['id', 'source', 'index', 'start', 'end', 'tokens'] as const),
  ...(['context', 'record', 'metadata', 'text', 'embedding'] as const),
] as const;

export type Squeezing = 'gzip' | 'zstd';

export interface StoreSpec extends Spec {
  /** `vector`: chunks must have an embedding. */
  readonly needs: 'text' | 'vector';
  /** Of its files: `.jsonl`. */
  readonly ending: string;
  readonly limits: Limits;
  /** What the store, or what loads its files, can undo by itself. */
  readonly compress: readonly Squeezing[];
  /** Absent: any text. */
  readonly ids?: IdRule;
  /** Absent: any JSON. */
  readonly metadata?: MetadataRule;
  /** `drop`: it refuses U+0000 in texts. */
  readonly nul: 'keep' | 'drop';
  /** What is wrong with its own options together, as whole sentences; each alone has been checked. */
  problems?(options: StoreOptions, spelling: Spelling): readonly string[];
  /** Made once a run, before anything is opened. A promise where something has to be loaded first. */
  encoder(options: StoreOptions): Encoder | Promise<Encoder>;
}

/** The store's own options, checked, under their camelCase keys; those not given are absent. */
export type StoreOptions = Readonly<Record<string, unknown>>;

/** Most of each; absent: no limit is known. Bytes are those that the store parses: before compression, of UTF-8. */
export interface Limits {
  readonly fileRecords?: number;
  readonly fileBytes?: number;
  /** Of one record as it is encoded. */
  readonly recordBytes?: number;
  /** Of the text, and of the context. */
  readonly textBytes?: number;
  /** Numbers of an embedding. */
  readonly dimensions?: number;
}

export interface IdRule {
  readonly pattern?: RegExp;
  readonly maxBytes?: number;
  /** `a UUID`, `letters, digits, _ - and =`: for messages and the table of stores. */
  readonly words: string;
}

/** What of a chunk's metadata (an object of JSON values) a store takes as it is. What is absent is taken, or has no limit. */
export interface MetadataRule {
  readonly nulls?: false;
  /** Objects within. */
  readonly objects?: false;
  /** Objects and lists within each other; the metadata itself is the first level. Only where objects are taken. */
  readonly levels?: number;
  /** `scalars`: numbers, strings or booleans, but of one kind. */
  readonly lists?: 'strings' | 'scalars' | 'none';
  /** The key itself where the store takes it; else the nearest that it takes. Asked of keys within, too. Never of an empty one. */
  readonly keyName?: (key: string) => string;
  readonly keyBytes?: number;
  /** Number of keys. */
  readonly keys?: number;
  /** UTF-8 bytes of one value as JSON, of a string without its quotes and escapes. */
  readonly valueBytes?: number;
  /** UTF-8 bytes of the whole as JSON. */
  readonly totalBytes?: number;
  /** Between the keys of an object within and its own, when it is flattened; absent: `.`. */
  readonly joint?: string;
}

/** How one run encodes. What its options change of the spec stands here in its place. */
export interface Encoder {
  /** A fresh one for each file. */
  body(): Body;
  /** Files beside those of records, such as a schema: made once all records are written. Named behind the stem: `schema.sql`. */
  beside?(facts: Facts): readonly Beside[];
  /** Told once of each record that a body took. */
  written?(record: StoreRecord): void;
  /** What a user should know of what was written, as sentences without a full stop. Asked once, at the end. */
  notices?(): readonly string[];
  readonly ending?: string;
  readonly limits?: Limits;
  readonly metadata?: MetadataRule;
  readonly compress?: readonly Squeezing[];
}

export interface Facts {
  /** Names without their folder, in order. */
  readonly files: readonly string[];
  readonly records: number;
  /** Numbers of each embedding; absent: there were none. */
  readonly dimensions: number | undefined;
  /** What the files are named after. */
  readonly stem: string;
}

export interface Beside {
  readonly name: string;
  readonly text: string;
}

/** One file in the making. Pure: bytes out, no I/O. */
export interface Body {
  /**
   * Adds the record, unless the file, once ended, could then be larger than `maxBytes`: it is false then, and nothing has
   * changed. @throws IngestError kind sink for a record that no file can hold; nothing has changed then either
   */
  add(record: StoreRecord, maxBytes: number): boolean;
  /** Bytes that can be written already. */
  readonly pending: number;
  /** These bytes; valid until the next `take` or `end`. */
  take(): Uint8Array;
  /** The rest, in pieces, each valid until the next is asked for. Nothing is added after it. */
  end(): Iterable<Uint8Array>;
}

/* ------------------------------------------------------------------ rows */

export interface Rows {
  /** Before the first row, also when there is none: `{"value":[`. ASCII. */
  readonly head?: string;
  /** Between two rows: `,\n`. ASCII. */
  readonly between?: string;
  /** After the last. ASCII. */
  readonly tail?: string;
  /** Writes one row, its line end included where rows are lines. */
  row(record: StoreRecord, bytes: Bytes): void;
}

/** A body of rows that can be written as they come: lines, pairs of lines, a JSON array, a table. */
export function rowsBody({ head = '', between = '', tail = '', row }: Rows): Body {
  const bytes = new Bytes();
  bytes.ascii(head);
  let taken = 0;
  let isFirst = true;
  return {
    add(record, maxBytes) {
      const before = bytes.length;
      if (!isFirst) bytes.ascii(between);
      row(record, bytes);
      if (taken + bytes.length + tail.length > maxBytes) {
        bytes.cut(before);
        return false;
      }
      isFirst = false;
      return true;
    },
    get pending() {
      return bytes.length;
    },
    take() {
      taken += bytes.length;
      return bytes.take();
    },
    *end() {
      bytes.ascii(tail);
      yield bytes.take();
    },
  };
}

/* ------------------------------------------------------------------ columns */

export interface Column {
  /** Before its first value: `{"ids":[`, `],"documents":[`. ASCII. */
  readonly head: string;
  /** Writes one value, without a comma. */
  value(record: StoreRecord, bytes: Bytes): void;
}

/** A body of columns, one after the other, each with commas between its values. All of it is held until the end. */
export function columnsBody(columns: readonly Column[], tail: string): Body {
  const held = columns.map(({ head }) => {
    const bytes = new Bytes();
    bytes.ascii(head);
    return { bytes, blocks: [] as Uint8Array[] };
  });
  let total = held.reduce((sum, { bytes }) => sum + bytes.length, tail.length);
  let isFirst = true;
  return {
    add(record, maxBytes) {
      const before = held.map(({ bytes }) => bytes.length);
      let added = 0;
      columns.forEach(({ value }, at) => {
        const { bytes } = held[at]!;
        if (!isFirst) bytes.ascii(',');
        value(record, bytes);
        added += bytes.length - before[at]!;
      });
      if (total + added > maxBytes) {
        held.forEach(({ bytes }, at) => void bytes.cut(before[at]!));
        return false;
      }
      total += added;
      isFirst = false;
      // Copies of their size: the memory in which a value is written has room for all of it being escaped.
      for (const { bytes, blocks } of held) if (bytes.length > BLOCK_BYTES) blocks.push(new Uint8Array(bytes.take()));
      return true;
    },
    pending: 0,
    take: () => new Uint8Array(0),
    *end() {
      for (const { bytes, blocks } of held) {
        for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) yield block;
        yield bytes.take();
      }
      yield new TextEncoder().encode(tail);
    },
  };
}

const BLOCK_BYTES = 1 << 17;

/* ------------------------------------------------------------------ what several stores need */

/** UUIDs with hyphens, as this program's own ids are. */
export const UUIDS: IdRule = {
  pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  words: 'a UUID',
};

/** A record that the store would refuse. `limit` is the rest of a sentence: `more than the 8192 bytes that qdrant takes in a text`. */
export function overLimit({ id, source, start, end }: StoreRecord, what: string): IngestError {
  const sentence = `the chunk ${id} (bytes ${start} to ${end}) ${what}`;
  return new IngestError('sink', 'over-limit', sentence, { origin: source });
}
