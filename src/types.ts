/**
 * The nouns. Nothing here runs.
 *
 * Bytes come from a Source, each run of them from one Origin. A Splitter opens Docs in them and hands out their text as
 * Segments; Transforms rewrite Segments; a Chunker turns them into Chunks; a Sink takes the Chunks. Everything between the
 * two ends is a Machine: synchronous, made fresh for each document, unaware of streams.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Names a way to read bytes as text, in lower case: `utf-8`, `utf-16le`, `utf-16be`, or a one-byte encoding such as `windows-1252`. */
export type Charset = string;

/** How bytes were made fewer. `br` is brotli. */
export type Compression = 'gzip' | 'br' | 'zstd' | 'bzip2';

/** Bytes we can point back at. Offsets count bytes after decompression and before charset decoding; a signature (BOM) counts. */
export interface Origin {
  /** The input as the user named it, tidied; it becomes a chunk's `source`. */
  readonly uri: string;
  /** Length in bytes as it is stored, where it is known before reading. Progress only: nothing depends on it. */
  readonly bytes?: number;
  /** What was undone to get at its bytes; absent: nothing. */
  readonly compression?: Compression;
  /** How many of its stored bytes have been read, where these are not the ones that are delivered. Progress only. */
  readonly done?: () => number;
}

/** The record a text came from. `start` and `end` are the record's own bytes. */
export interface RecordRef {
  /** 0-based among the records of its origin, rejected ones counted. */
  readonly index: number;
  readonly start: number;
  /** Absent where the record is too long to be held: its chunks go out before its end is known. */
  readonly end?: number | undefined;
  /** Where it is in its document: `$.items[3]`, `/feed/entry[4]`. */
  readonly path?: string | undefined;
  /** 1-based line on which it begins, in formats of lines. */
  readonly line?: number | undefined;
  /** The field that the text is. */
  readonly field?: string | undefined;
  /** What the user named its key, as text. */
  readonly key?: string | undefined;
  /** Records in the chunk, where they are packed: this is the first of them, and `end` is the last one's. */
  readonly count?: number | undefined;
}

/** One text to be chunked: a whole origin, or one field of one record of it. */
export interface Doc {
  readonly origin: Origin;
  readonly charset: Charset;
  readonly record?: RecordRef;
  readonly field?: string;
  /** Put before every chunk's text, and counted: the header of a table. */
  readonly context?: string;
  readonly metadata: Readonly<Record<string, Json>>;
}

/**
 * Text with the source bytes it came from: `[start, end)`, half-open. Never empty, never cut inside a surrogate pair.
 * `verbatim`: decoding these bytes gives exactly this text, so it may be sliced. Otherwise the text stands for the bytes as
 * a whole ("\n" for CR LF, U+FFFD for a bad byte): it has no inside, and no chunk edge falls in it.
 */
export interface Segment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly verbatim: boolean;
  /**
   * Exceptions within verbatim text, such as the `\n` of a JSON string: four numbers each, in order. The unit of `text` where
   * it begins, its units (1, or 2 for a pair), the byte where it begins, counted from `start`, and its bytes. Such a stretch
   * has no inside; all between is verbatim. One segment for a whole string is a hundred times cheaper than one for each line.
   */
  readonly escapes?: readonly number[];
  /** Something begins where this segment does. */
  readonly mark?: Mark;
}

/**
 * A place in the text that only the splitter, or what a strategy prepares with, knows. `record`: a record begins. `field`: a field of it. `inner`: a value deeper
 * within. `between`: the record is over, and what follows parts it from the next. `unit`: whatever a strategy looks for.
 */
export interface Mark {
  readonly kind: 'record' | 'field' | 'inner' | 'between' | 'unit';
  /** Of the record that begins. */
  readonly record?: RecordRef;
  /** What to call the place when a chunk begins within it: `$.items[3].body`. */
  readonly label?: string;
  /** What is known of all text from here to the next mark that says something, such as the headings it stands under. */
  readonly metadata?: Readonly<Record<string, Json>>;
}

/** What a splitter emits, flat: a document opens, its segments follow, it closes. Documents never nest. */
export type Item = { readonly open: Doc } | Segment | { readonly close: Doc };

/**
 * Incremental and synchronous. The caller drains each iterable before the next call and may reuse the input after that.
 * `end` is called once, after the last `push`. There is no reset: make a new one.
 */
export interface Machine<I, O> {
  push(input: I): Iterable<O>;
  end(): Iterable<O>;
}

/**
 * Why bytes are in no chunk: the charset signature; blank text (white space and zero-width characters, which no chunk
 * consists of alone); a separator that the user asked to drop, or one between records; a
 * last chunk that was too small and was to be dropped; outside of every text: the syntax of
 * records, their names, and fields that were not asked for as text; rejected records.
 */
export const DROP_REASONS = ['signature', 'blank', 'separator', 'tail', 'outside', 'rejected'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** A splitter at work. Its head is known before its first item or report, and after its end. */
export interface Splitting extends Machine<Uint8Array, Item> {
  readonly head: Head | undefined;
}

/** What the first bytes of an origin are: its charset, and how many bytes are a signature that says so and no text. */
export interface Head {
  readonly charset: Charset;
  readonly bytes: number;
}

export type Splitter = (origin: Origin, report: Report) => Splitting;
export type Transform = (doc: Doc) => Machine<Segment, Segment>;
export type Chunker = (doc: Doc) => Machine<Segment, Piece | Gap>;

/** Told of a fault that is limited to one record. If it returns, the splitter goes on at the next record; if it throws, all unwinds. */
export type Report = (error: Error) => void;

/** What a chunker cuts: the text of a chunk-to-be and where it lies. Still without identity. */
export interface Piece {
  readonly text: string;
  /** Source bytes, half-open. */
  readonly start: number;
  readonly end: number;
  /** Exact count of `text` by the run's token counter; absent when counting is off. */
  readonly tokens?: number;
  readonly metadata?: Readonly<Record<string, Json>>;
  readonly context?: string;
  /** The records it came from, where these are not its document's. */
  readonly record?: RecordRef;
  /** Why the bytes between the piece before and this one, if any, are in neither; `blank` when absent. */
  readonly gap?: DropReason;
}

/** Why the bytes after a document's last piece are in none, where it is not because they are blank. */
export interface Gap {
  readonly gap: DropReason;
}

/** A place where text may be cut: the chunk before ends at `end`, the next begins at `next`. What lies between is dropped. */
export interface Cut {
  readonly end: number;
  readonly next: number;
}

/** One kind of boundary. Pure and cheap: it is asked about the same text many times. */
export interface Level {
  readonly name: string;
  /** Its cut is taken however small the chunk: records are whole before chunks are large. */
  readonly binding?: boolean;
  /** The furthest cut with `from < end <= to`. It may look at all of `view`, which begins where the chunk begins. */
  last(view: string, from: number, to: number, marks: Marks): Cut | undefined;
  /** Where text begins after separators that are dropped, when the view begins with some; else 0. Absent: none are dropped. */
  lead?(view: string): number;
  /** The nearest cut with `from < end <= to`. Without it, `last` is asked again and again. */
  first?(view: string, from: number, to: number, marks: Marks): Cut | undefined;
}

/** The splitter's marks, by their places in a level's view. */
export interface Marks {
  /** The last mark of this kind in `[from, to]`. */
  last(kind: Mark['kind'], from: number, to: number): number | undefined;
  /** The first mark of this kind in `[from, to]`. */
  first(kind: Mark['kind'], from: number, to: number): number | undefined;
}

/** Says where text may be cut, coarsest level first, and how chunks are made of it. It never cuts: transforms/chunk.ts does. */
export interface Strategy {
  readonly name: string;
  /**
   * `fill`: the furthest cut of the coarsest level that fits. `each`: the nearest cut of the first level that makes a chunk of
   * the least size, so that every unit is a chunk; the other levels cut a unit that is over the budget.
   */
  readonly packing: 'fill' | 'each';
  readonly levels: readonly Level[];
  /** A chunk ends at the first place of the first level where it measures so much; absent: with `each` the least size, else it takes all that fits. */
  readonly targetSize?: number;
  /** A unit of the first level that fits the budget is not cut so that the chunk before it reaches the least size. */
  readonly keepsUnits?: boolean;
  /** `keep`: a unit of the last level that is over the budget stays whole (up to the longest chunk), and is told of as `oversize`. */
  readonly oversize?: 'cut' | 'keep';
  /** Where an overlap may start; absent: at a word, else at a character. With `each` only parts of one unit overlap. */
  readonly overlapStarts?: (view: string, at: number) => boolean;
  /**
   * A last chunk that is smaller than the size: stays (absent), reaches back to the full size, or is dropped; if it is the only
   * one, it stays.
   */
  readonly tail?: 'keep' | 'backfill' | 'drop';
  /** Looks for units that no single place of the text tells of, and marks them. */
  readonly prepare?: Transform;
}

/** What is delivered. The key order of the written line is the order here. */
export interface Chunk {
  /** UUIDv5 of source, field, 64 MiB stretch, text and ordinal: see src/identity.ts. */
  readonly id: string;
  readonly source: string;
  /** 0-based within its document. */
  readonly index: number;
  /** Source bytes, half-open. */
  readonly start: number;
  readonly end: number;
  readonly tokens?: number;
  readonly context?: string;
  readonly record?: RecordRef;
  readonly metadata: Readonly<Record<string, Json>>;
  readonly text: string;
  /** Given by whoever embeds: this program carries it. Finite numbers that fit 32 bits, as many for every chunk of a run. */
  readonly embedding?: readonly number[];
}

/** Counts text. Pure: the same text always gives the same count. Never throws on any string. */
export interface TokenCounter {
  readonly name: string;
  /** Whole number >= 0 of the whole text; 0 for the empty text only. */
  count(text: string): number;
  /** A ruler whose `size` equals `count` on the slice. Without one, `rulerOf` measures slices by counting them. */
  ruler?(): Ruler;
}

/**
 * Measures slices of a sliding window of text, so that a chunker can try boundaries without counting the same text again.
 * Positions are UTF-16 indexes into the current window.
 */
export interface Ruler {
  /** The window is now `text`: the former one without its first `dropped` units, and with more text at its end. */
  slide(text: string, dropped: number): void;
  /** Exact: equals a fresh count of `text.slice(i, j)`. */
  size(i: number, j: number): number;
  /**
   * The furthest j in [i, limit] where `size(i, j) <= budget` is to be expected, never inside a surrogate pair. A guide: what
   * is delivered is checked with `size`. Depends on the text in [i, limit) only, never on how much more the window holds.
   */
  reach(i: number, budget: number, limit: number): number;
  /** The same backwards: the smallest i in [floor, j] where `size(i, j) <= budget` is to be expected. */
  reachBack(j: number, budget: number, floor: number): number;
}

/** Where bytes come from: one or more origins, each announced before its bytes. Buffers may be reused once the next is asked for. */
export interface Source {
  /** What it will announce first, where that is known beforehand: for progress, and to find inputs named twice. */
  readonly origin?: Origin;
  /** The files it reads, so that an output among the inputs is noticed. */
  readonly paths?: readonly string[];
  read(signal: AbortSignal): AsyncIterable<Origin | Uint8Array>;
}

/** One file a sink wrote. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly chunks: number;
}

/**
 * Where chunks go. `write` returns a promise only when the writer must wait (backpressure). Nothing is visible under a final
 * name before `commit`; `abort` removes what was written, and may be called at any time, also after a failed `commit`.
 */
export interface Sink {
  /** Opens what chunks will be written to, so that a place that cannot be written fails before anything is read. */
  open?(): Promise<void>;
  write(chunk: Chunk): void | Promise<void>;
  commit(): Promise<readonly WrittenFile[]>;
  abort(): Promise<void>;
  /** What became of chunks on the way, for the summary; asked once, after `commit`. */
  report?(): SinkReport;
}

export interface SinkReport {
  /** Values of metadata that the target refuses, and what was done with them, by key: each with how often. */
  readonly metadata: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Sentences, each without its full stop. */
  readonly notices: readonly string[];
}
