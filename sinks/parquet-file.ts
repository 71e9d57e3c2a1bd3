/**
 * Parquet files (the format's README and parquet.thrift), writing only: texts, whole numbers and lists of 32-bit floats, PLAIN, in
 * data pages of version 1, which every reader knows. A row goes into its columns' pages as bytes at once, full pages are
 * compressed at once, and a row group is let go as soon as it is full; so what is held is one row group, and how large the file
 * could be if it ended now is known after each row. No statistics and no indexes: these chunks are read whole.
 *
 * Ours, since the writers there are on npm take columns of boxed values: a gigabyte for a row group of vectors.
 */
import { Bytes } from './bytes.js';
import { STORED_BYTES, snappy } from './snappy.js';
import type { Body, StoreRecord } from './store.js';
import { type Fields, type Thrift, thriftBytes } from './thrift.js';
import { floatBytes } from './vectors.js';

export type ParquetColumn = { readonly name: string } & (
  | { readonly text: (record: StoreRecord) => string }
  | { readonly written: (record: StoreRecord, bytes: Bytes) => void }
  | { readonly someText: (record: StoreRecord) => string | undefined }
  | { readonly whole: (record: StoreRecord) => number }
  | { readonly someWhole: (record: StoreRecord) => number | undefined }
  | { readonly floats: (record: StoreRecord) => readonly number[] }
);

export type ParquetCodec = 'snappy' | 'none';

/** Of values that are not compressed yet; one value may be more. */
const PAGE_BYTES = 1 << 20;
/** Of all columns, before compression. All of it is held: floats do not shrink. */
const GROUP_BYTES = 32 << 20;
/** Open pages that hold less are not closed early, to fill a file up. */
const LEAST_BYTES = 1 << 16;
/** What one `take` puts together, where it is more than one page. */
const TAKE_BYTES = 4 << 20;

/** `columns` is asked once, when the first record is there, or without one for a file that stays empty. */
export function parquetBody(columns: (first?: StoreRecord) => readonly ParquetColumn[], codec: ParquetCodec): Body {
  let file: ParquetFile | undefined;
  return {
    add(record, maxBytes) {
      file ??= new ParquetFile(columns(record), codec);
      return file.add(record, maxBytes);
    },
    get pending() {
      return file?.pending ?? 0;
    },
    take: () => file?.take() ?? new Uint8Array(0),
    end() {
      file ??= new ParquetFile(columns(), codec);
      return file.end();
    },
  };
}

/* ------------------------------------------------------------------ the file */

const MAGIC = new TextEncoder().encode('PAR1');
/** Length of the footer, and the magic word again. */
const END_BYTES = 8;

class ParquetFile {
  /** Bytes that wait to be taken. */
  pending = 0;
  readonly #columns: readonly ColumnPages[];
  readonly #schema: readonly Thrift[];
  readonly #groups: Thrift[] = [];
  /** Most that the footer may be, were the file to end now. */
  #footerBytes: number;
  readonly #ready: Uint8Array[] = [];
  /** Bytes of complete row groups, and of the magic word before them. */
  #complete = 0;
  #rows = 0;
  #groupRows = 0;

  constructor(columns: readonly ParquetColumn[], codec: ParquetCodec) {
    this.#columns = columns.map((column) => new ColumnPages(column, codec));
    this.#schema = schemaOf(columns);
    const largest = columns.map((column) => describedColumn(column, codec, MOST));
    // Of the group that is open; and as many bytes for the numbers of rows and of groups, which grow.
    this.#footerBytes = thriftBytes(this.#footer()).length + thriftBytes(describedGroup(largest, MOST)).length + NUMBER_BYTES * 2;
    this.#hold(MAGIC);
  }

  add(record: StoreRecord, maxBytes: number): boolean {
    if (!this.#put(record, maxBytes)) {
      if (this.#openBytes() < LEAST_BYTES) return false;
      // How much the open pages become is known once they are compressed.
      for (const column of this.#columns) column.closePage();
      if (!this.#put(record, maxBytes)) return false;
    }
    for (const column of this.#columns) column.keep();
    this.#rows++;
    this.#groupRows++;
    if (this.#columns.reduce((sum, { rawBytes }) => sum + rawBytes, 0) >= GROUP_BYTES) this.#endGroup();
    return true;
  }

  /** Puts the values into their pages; takes them back where the file could be too large then. */
  #put(record: StoreRecord, maxBytes: number): boolean {
    let fits = false;
    try {
      for (const column of this.#columns) column.put(record);
      fits = this.#mostBytes() <= maxBytes;
    } finally {
      if (!fits) for (const column of this.#columns) column.undo();
    }
    return fits;
  }

  #openBytes(): number {
    return this.#columns.reduce((sum, column) => sum + column.openBytes, 0);
  }

  #mostBytes(): number {
    let sum = this.#complete + this.#footerBytes + END_BYTES;
    for (const column of this.#columns) sum += column.mostBytes;
    return sum;
  }

  take(): Uint8Array {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    do {
      const piece = this.#ready.shift();
      if (piece === undefined) break;
      pieces.push(piece);
      bytes += piece.length;
    } while (bytes + (this.#ready[0]?.length ?? 0) <= TAKE_BYTES);
    this.pending -= bytes;
    return joined(pieces);
  }

  *end(): Iterable<Uint8Array> {
    if (this.#groupRows > 0) this.#endGroup();
    while (this.#ready.length > 0) yield this.take();
    const footer = thriftBytes(this.#footer());
    yield footer;
    const end = new Uint8Array(END_BYTES);
    new DataView(end.buffer).setUint32(0, footer.length, true);
    end.set(MAGIC, 4);
    yield end;
  }

  #hold(piece: Uint8Array): void {
    this.#ready.push(piece);
    this.pending += piece.length;
    this.#complete += piece.length;
  }

  #endGroup(): void {
    const start = this.#complete;
    let unpacked = 0;
    const columns = this.#columns.map((column) => {
      const { pages, sizes, described } = column.endGroup(this.#complete);
      for (const page of pages) this.#hold(page);
      unpacked += sizes.unpacked;
      return described;
    });
    const group = describedGroup(columns, { start, count: this.#groupRows, unpacked, packed: this.#complete - start });
    this.#groups.push({ struct: group });
    this.#footerBytes += thriftBytes(group).length;
    this.#groupRows = 0;
  }

  /** FileMetaData of parquet.thrift. */
  #footer(): Fields {
    return [
      [1, { i32: 1 }],
      [2, { list: this.#schema }],
      [3, { i64: this.#rows }],
      [4, { list: this.#groups }],
      [6, { text: 'millrace' }],
    ];
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** What is told of a column of a row group, or of the group. */
interface Sizes {
  /** Byte of the file where it begins. */
  readonly start: number;
  /** Values, absent ones and each number of a list included; of a group its rows. */
  readonly count: number;
  /** Bytes, headers of pages included. */
  readonly unpacked: number;
  readonly packed: number;
}

const MOST: Sizes = {
  start: Number.MAX_SAFE_INTEGER,
  count: Number.MAX_SAFE_INTEGER,
  unpacked: Number.MAX_SAFE_INTEGER,
  packed: Number.MAX_SAFE_INTEGER,
};
/** Of such a number in Thrift. */
const NUMBER_BYTES = 8;

/** RowGroup of parquet.thrift. */
function describedGroup(columns: readonly Thrift[], { start, count, unpacked, packed }: Sizes): Fields {
  return [
    [1, { list: columns }],
    [2, { i64: unpacked }],
    [3, { i64: count }],
    [5, { i64: start }],
    [6, { i64: packed }],
  ];
}

/** ColumnChunk of parquet.thrift. */
function describedColumn(column: ParquetColumn, codec: ParquetCodec, { start, count, unpacked, packed }: Sizes): Thrift {
  const described: Fields = [
    [1, { i32: typeOf(column) }],
    [2, { list: [{ i32: PLAIN }, { i32: RLE }] }],
    [3, { list: pathOf(column).map((text) => ({ text })) }],
    [4, { i32: isCompressed(column, codec) ? 1 : 0 }],
    [5, { i64: count }],
    [6, { i64: unpacked }],
    [7, { i64: packed }],
    [9, { i64: start }],
  ];
  return {
    struct: [
      [2, { i64: start }],
      [3, { struct: described }],
    ],
  };
}

/* ------------------------------------------------------------------ the schema */

const PLAIN = 0;
const RLE = 3;

const INT64 = 2;
const FLOAT = 4;
const BYTE_ARRAY = 6;
const REQUIRED = 0;
const OPTIONAL = 1;
const REPEATED = 2;
const EMPTY: Thrift = { struct: [] };

const isFloats = (column: ParquetColumn) => 'floats' in column;
const isOptional = (column: ParquetColumn) => 'someText' in column || 'someWhole' in column;
const typeOf = (column: ParquetColumn) =>
  isFloats(column) ? FLOAT : 'whole' in column || 'someWhole' in column ? INT64 : BYTE_ARRAY;
/** Nothing comes of compressing floats. */
const isCompressed = (column: ParquetColumn, codec: ParquetCodec) => codec === 'snappy' && !isFloats(column);
/** From the root to where the values are. */
const pathOf = (column: ParquetColumn) => (isFloats(column) ? [column.name, 'list', 'element'] : [column.name]);

/** SchemaElements of parquet.thrift, parents before their children. */
function schemaOf(columns: readonly ParquetColumn[]): Thrift[] {
  const root: Fields = [
    [4, { text: 'schema' }],
    [5, { i32: columns.length }],
  ];
  return [{ struct: root }, ...columns.flatMap((column) => (isFloats(column) ? listOf(column.name) : [leafOf(column)]))];
}

function leafOf(column: ParquetColumn): Thrift {
  const type = typeOf(column);
  // UTF8 by its older name, and STRING by its newer.
  const isText = type === BYTE_ARRAY;
  return {
    struct: [
      [1, { i32: type }],
      [3, { i32: isOptional(column) ? OPTIONAL : REQUIRED }],
      [4, { text: column.name }],
      [6, isText ? { i32: 0 } : undefined],
      [10, isText ? { struct: [[1, EMPTY]] } : undefined],
    ],
  };
}

/** The three levels that the format wants of a list. */
function listOf(name: string): Thrift[] {
  const list: Fields = [
    [3, { i32: REQUIRED }],
    [4, { text: name }],
    [5, { i32: 1 }],
    [6, { i32: 3 }],
    [10, { struct: [[3, EMPTY]] }],
  ];
  const repeated: Fields = [
    [3, { i32: REPEATED }],
    [4, { text: 'list' }],
    [5, { i32: 1 }],
  ];
  const element: Fields = [
    [1, { i32: FLOAT }],
    [3, { i32: REQUIRED }],
    [4, { text: 'element' }],
  ];
  return [{ struct: list }, { struct: repeated }, { struct: element }];
}

/* ------------------------------------------------------------------ the pages of a column */

/** Most of a page's header, and of what a page grows by that does not shrink. */
const HEADER_BYTES = thriftBytes(pageHeader(2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1)).length + STORED_BYTES;

class ColumnPages {
  /** Of the row group, before compression. */
  rawBytes = 0;
  readonly #column: ParquetColumn;
  readonly #codec: ParquetCodec;
  readonly #values = new Bytes();
  readonly #repetitions: Levels | undefined;
  readonly #definitions: Levels | undefined;
  /** Of the open page: how many values, absent ones included. */
  #count = 0;
  #groupCount = 0;
  #pages: Uint8Array[] = [];
  #pageBytes = 0;
  /** Of the same pages before compression. */
  #unpackedBytes = 0;
  /** The value that was put last and may be taken back: where it begins, and how many it is of; 0: it is absent. */
  #before = 0;
  #added = 0;

  constructor(column: ParquetColumn, codec: ParquetCodec) {
    this.#column = column;
    this.#codec = codec;
    this.#repetitions = isFloats(column) ? new Levels() : undefined;
    this.#definitions = isFloats(column) || isOptional(column) ? new Levels() : undefined;
  }

  /** Values of the open page. */
  get openBytes(): number {
    return this.#values.length;
  }

  /** Most that the column is in the file, were its row group to end now. */
  get mostBytes(): number {
    const levels = (this.#repetitions?.mostBytes ?? 0) + (this.#definitions?.mostBytes ?? 0);
    return this.#pageBytes + this.#values.length + levels + HEADER_BYTES;
  }

  put(record: StoreRecord): void {
    this.#before = this.#values.length;
    const column = this.#column;
    if ('floats' in column) this.#putFloats(column.floats(record));
    else if ('text' in column) this.#putText(column.text(record));
    else if ('written' in column) this.#putWritten(column.written, record);
    else if ('someText' in column) this.#putText(column.someText(record));
    else if ('whole' in column) this.#putWhole(column.whole(record));
    else this.#putWhole(column.someWhole(record));
  }

  undo(): void {
    this.#values.cut(this.#before);
  }

  keep(): void {
    const added = this.#added;
    this.#repetitions?.add(0, 1);
    if (added > 1) this.#repetitions?.add(1, added - 1);
    this.#definitions?.add(added === 0 ? 0 : 1, Math.max(1, added));
    this.#count += Math.max(1, added);
    this.rawBytes += this.#values.length - this.#before;
    this.#before = this.#values.length;
    if (this.#values.length >= PAGE_BYTES) this.closePage();
  }

  #putText(text: string | undefined): void {
    this.#added = text === undefined ? 0 : 1;
    if (text === undefined) return;
    this.#values.uint32(0);
    this.#values.text(text);
    this.#endText();
  }

  #putWritten(write: (record: StoreRecord, bytes: Bytes) => void, record: StoreRecord): void {
    this.#added = 1;
    this.#values.uint32(0);
    write(record, this.#values);
    this.#endText();
  }

  /** Its length stands before it. */
  #endText(): void {
    this.#values.uint32(this.#values.length - this.#before - 4, this.#before);
  }

  #putWhole(value: number | undefined): void {
    this.#added = value === undefined ? 0 : 1;
    if (value === undefined) return;
    this.#values.uint32(value);
    this.#values.uint32(Math.floor(value / 2 ** 32));
  }

  #putFloats(values: readonly number[]): void {
    this.#added = values.length;
    this.#values.raw(floatBytes(values));
  }

  closePage(): void {
    if (this.#count === 0) return;
    const content = joined([...this.#levels(), this.#values.take()]);
    const stored = isCompressed(this.#column, this.#codec) ? snappy(content) : content;
    const header = thriftBytes(pageHeader(content.length, stored.length, this.#count));
    this.#pages.push(joined([header, stored]));
    this.#pageBytes += header.length + stored.length;
    this.#unpackedBytes += header.length + content.length;
    this.#groupCount += this.#count;
    this.#count = 0;
    this.#before = 0;
  }

  #levels(): readonly Uint8Array[] {
    return [this.#repetitions, this.#definitions].flatMap((levels) => levels?.take() ?? []);
  }

  /** `start`: the byte of the file where its first page will be. */
  endGroup(start: number): { readonly pages: readonly Uint8Array[]; readonly sizes: Sizes; readonly described: Thrift } {
    this.closePage();
    const pages = this.#pages;
    const sizes = { start, count: this.#groupCount, unpacked: this.#unpackedBytes, packed: this.#pageBytes };
    this.#pages = [];
    this.#pageBytes = 0;
    this.#unpackedBytes = 0;
    this.#groupCount = 0;
    this.rawBytes = 0;
    return { pages, sizes, described: describedColumn(this.#column, this.#codec, sizes) };
  }
}

/** PageHeader of parquet.thrift. */
function pageHeader(rawBytes: number, storedBytes: number, count: number): Fields {
  const data: Fields = [
    [1, { i32: count }],
    [2, { i32: PLAIN }],
    [3, { i32: RLE }],
    [4, { i32: RLE }],
  ];
  return [
    [1, { i32: 0 }],
    [2, { i32: rawBytes }],
    [3, { i32: storedBytes }],
    [5, { struct: data }],
  ];
}

/**
 * Levels of one page, each 0 or 1, as runs of the format's RLE hybrid (Encodings.md) with their length before them: here they come
 * in long runs.
 */
class Levels {
  #bytes: number[] = [];
  #value = 0;
  #count = 0;

  /** With the run that is open, and one more record. */
  get mostBytes(): number {
    return this.#bytes.length + 32;
  }

  add(value: 0 | 1, count: number): void {
    if (value !== this.#value) this.#close();
    this.#value = value;
    this.#count += count;
  }

  #close(): void {
    if (this.#count === 0) return;
    let run = this.#count * 2;
    for (; run > 127; run = Math.floor(run / 128)) this.#bytes.push((run % 128) | 128);
    this.#bytes.push(run, this.#value);
    this.#count = 0;
  }

  take(): Uint8Array {
    this.#close();
    const bytes = new Uint8Array(4 + this.#bytes.length);
    new DataView(bytes.buffer).setUint32(0, this.#bytes.length, true);
    bytes.set(this.#bytes, 4);
    this.#bytes = [];
    return bytes;
  }
}
