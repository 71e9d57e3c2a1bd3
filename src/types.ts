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

/** Bytes we can point back at. Offsets count bytes after decompression and before charset decoding; a signature (BOM) counts. */
export interface Origin {
  /** The input as the user named it, tidied; it becomes a chunk's `source`. */
  readonly uri: string;
  /** Length in bytes, where it is known before reading. Progress only: nothing depends on it. */
  readonly bytes?: number;
}

/** The record a text came from. `start` and `end` are the record's own bytes. */
export interface RecordRef {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly path?: string;
  readonly line?: number;
  readonly field?: string;
  readonly count?: number;
}

/** One text to be chunked: a whole origin, or one field of one record of it. */
export interface Doc {
  readonly origin: Origin;
  readonly charset: Charset;
  /** Bytes of the charset signature at the beginning of the origin. */
  readonly signature?: number;
  readonly record?: RecordRef;
  readonly field?: string;
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
 * consists of alone); a separator that the user asked to drop.
 */
export type DropReason = 'signature' | 'blank' | 'separator';

export type Splitter = (origin: Origin, report: Report) => Machine<Uint8Array, Item>;
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
  /** The furthest cut with `from < end <= to`. It may look at all of `view`, which begins where the chunk begins. */
  last(view: string, from: number, to: number): Cut | undefined;
}

/** Says where text may be cut, coarsest level first, and how chunks are made of it. It never cuts: transforms/chunk.ts does. */
export interface Strategy {
  readonly name: string;
  readonly packing: 'fill';
  readonly levels: readonly Level[];
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
}
