/**
 * The proof of one document's chunks: each range is read alone from the source by its numbers, decoded, un-escaped where the
 * format has escapes, normalised, and held against the chunk's text; and so is what lies between. Of the splitter it takes
 * which stretches of the source are text at all, and what is known of their record.
 */
import type { ByteReader } from './blocks.js';
import { contextOf, embedded } from './context.js';
import { decoder } from './decode.js';
import type { Counters } from './engine.js';
import { MarkedPlaces } from './marks.js';
import { firstShown, normalise, type WhitespaceMode } from './registry.js';
import type { ChunkSettings } from './settings.js';
import type { Chunk, Doc, Machine, RecordRef, Segment } from './types.js';

/** What chunks are held against. */
export interface Terms extends Counters {
  readonly settings: ChunkSettings;
  readonly licence: Licence;
}

/** What the run's strategy may do besides cutting. */
export interface Licence {
  /** Whether it adds this to the metadata of chunks. What it says there is not proved: any cut is right, so is what it is called. */
  adds(name: string): boolean;
  /** A chunk over the size is right if it says that it is. */
  readonly keepsOversize: boolean;
  /** A document's last chunk may repeat more than the overlap. */
  readonly backfills: boolean;
  /** A document's last chunk may be left out. */
  readonly dropsTail: boolean;
}

/** What a document's proof needs of its source. */
export interface Surroundings {
  readonly reader: ByteReader;
  readonly terms: Terms;
  readonly whitespace: WhitespaceMode;
  /** Undefined: this stretch begins or ends inside an escape. */
  readonly unescape: (raw: string) => string | undefined;
  /** Whether text that shows may be left out between chunks. */
  readonly mayDrop: boolean;
  readonly fail: (what: string) => never;
  /** What the replay gives next for this document; undefined: it is over. */
  readonly more: () => Promise<Segment | undefined>;
}

/** A stretch of the source that is text, one or more segments long. */
interface Span {
  readonly start: number;
  end: number;
  readonly escaped: boolean;
}

/** Spans that a long gap has passed are forgotten once they are so many. */
const PASSED_SPANS = 1024;

export class DocumentProof {
  readonly doc: Doc;
  readonly #around: Surroundings;
  /** From the one that the last chunk begins in on. */
  #spans: Span[] = [];
  #closed = false;
  /** Where its text begins and, so far, ends. */
  #start = -1;
  #end = -1;
  /** Where the chunks so far end. */
  #covered = -1;
  #lastText = '';
  #chunks = 0;
  /** No chunk may follow. */
  #isLast = false;
  readonly #marks = new MarkedPlaces();
  /** The byte that is the beginning to `#marks`. */
  #marksFrom = 0;
  /** Finds where marks come to lie once text is normalised: what is marked may be dropped. */
  #marker: Machine<Segment, Segment> | undefined;
  readonly #metadata: string;

  constructor(doc: Doc, around: Surroundings) {
    this.doc = doc;
    this.#around = around;
    this.#metadata = written(doc.metadata);
  }

  /** Where its text begins; undefined: it has none. */
  async begins(): Promise<number | undefined> {
    if (this.#start < 0) await this.#more();
    return this.#start < 0 ? undefined : this.#start;
  }

  /** Whether its text goes on to this byte or beyond. */
  async reaches(byte: number): Promise<boolean> {
    while (this.#end < byte) if (!(await this.#more())) return false;
    return true;
  }

  /** Where its text ends, as far as that is known. */
  get end(): number {
    return this.#end;
  }

  async prove(chunk: Chunk): Promise<void> {
    const { start, end, text } = chunk;
    const { fail } = this.#around;
    if (this.#isLast) fail('it follows a chunk that repeats more than the overlap, as only the last one of a document may');
    if (chunk.index !== this.#chunks) fail(`its index is ${chunk.index}, but it is chunk ${this.#chunks} of its document`);
    await this.#proveText(chunk);
    if (start < this.#covered) await this.#proveOverlap(start);
    await this.#proveOrigin(chunk);
    this.#proveSize(chunk);
    this.#covered = end;
    this.#lastText = text;
    this.#chunks++;
    this.#forget(start);
  }

  /** Proves that its text between the last chunk and this byte may be in none. True: it shows something all the same. */
  async passes(to: number): Promise<boolean> {
    const from = Math.max(this.#covered, this.#start);
    if (to <= from) return false;
    let shown: string | undefined;
    await this.#reread(from, to, true, (text) => {
      if (firstShown(text, 0, text.length) >= 0) shown ??= text;
    });
    if (shown !== undefined && !this.#around.mayDrop)
      this.#around.fail(`bytes ${from} to ${Math.min(to, this.#end)} are in no chunk, but hold ${excerpt(shown.trim())}`);
    return shown !== undefined;
  }

  async #proveText(chunk: Chunk): Promise<void> {
    let at = 0;
    const whole = await this.#reread(chunk.start, chunk.end, false, (text) => {
      // Twice as fast as startsWith.
      if (chunk.text.slice(at, at + text.length) !== text) this.#around.fail(differs(chunk, at, text));
      at += text.length;
    });
    if (at !== chunk.text.length)
      this.#around.fail(`its text goes on for ${chunk.text.length - at} characters after its bytes end`);
    if (!whole) this.#around.fail(`its range [${chunk.start}, ${chunk.end}) begins or ends where the source has no text`);
  }

  /** What is repeated from the chunk before must be its end, and fit the overlap. */
  async #proveOverlap(start: number): Promise<void> {
    const { fail, terms } = this.#around;
    let text = '';
    await this.#reread(start, this.#covered, false, (part) => {
      text += part;
    });
    if (!this.#lastText.endsWith(text)) fail(`it repeats ${excerpt(text)}, which is not the end of the chunk before`);
    const size = terms.measure.count(text);
    const { overlap } = terms.settings;
    if (size <= overlap) return;
    if (!terms.licence.backfills) fail(`it repeats ${size} of the chunk before, over the overlap of ${overlap}`);
    this.#isLast = true;
  }

  /** Its record, its metadata and its context. */
  async #proveOrigin({ start, end, record, metadata, context }: Chunk): Promise<void> {
    const { fail } = this.#around;
    // A mark at the end of what is known may still move.
    if (this.#marks.any) await this.reaches(end + 1);
    const { doc } = this;
    const [i, j] = [start - this.#marksFrom, end - this.#marksFrom];
    const found = (this.#marks.any ? this.#marks.recordsIn(i, j) : undefined) ?? doc.record;
    const expected = found === undefined || doc.field === undefined ? found : { ...found, field: doc.field };
    if (!isRecord(record, expected)) fail(`its record is ${written(record)}, but it should be ${written(expected)}`);
    const known = this.#withoutAdditions(metadata);
    if (known !== this.#metadata) fail(`its metadata is ${excerpt(known)}, but the source says ${excerpt(this.#metadata)}`);
    const said = this.#contextAt(i);
    if (context !== said) fail(`its context is ${excerpt(context ?? '')}, but it should be ${excerpt(said ?? '')}`);
  }

  /** Metadata without what the strategy added; what has its name in the source stays. */
  #withoutAdditions(metadata: Chunk['metadata']): string {
    const { adds } = this.#around.terms.licence;
    const own = this.doc.metadata;
    if (!(metadata instanceof Object) || !Object.keys(metadata).some(adds)) return written(metadata);
    const names = Object.keys(metadata).filter((name) => Object.hasOwn(own, name) || !adds(name));
    return written(Object.fromEntries(names.map((name) => [name, adds(name) ? own[name] : metadata[name]])));
  }

  #contextAt(i: number): string | undefined {
    if (this.doc.context === undefined && !this.#marks.any) return undefined;
    const { measure, settings } = this.#around.terms;
    const { text } = contextOf([this.doc.context, this.#marks.labelAt(i)], measure, settings.size);
    return text === '' ? undefined : text;
  }

  #proveSize({ context, text, tokens: said, metadata }: Chunk): void {
    const { fail, terms } = this.#around;
    const { measure, tokens, settings } = terms;
    const whole = embedded(context ?? '', text);
    if (tokens !== undefined) {
      const count = tokens.count(whole);
      if (said !== count) fail(`it says ${said} tokens, but ${tokens.name} counts ${count}`);
    }
    const size = measure === tokens ? said! : measure.count(whole);
    const isOver = size > settings.size;
    const saysSo = terms.licence.keepsOversize && metadata.oversize === true;
    if (isOver && !saysSo && [...text].length > 1) fail(`it measures ${size}, over the size of ${settings.size}`);
  }

  /**
   * Gives the text of `[from, to)`, read alone. False: it begins or ends where the source has no text. `passing`: what lies
   * before is not asked for again.
   */
  async #reread(from: number, to: number, passing: boolean, take: (text: string) => void): Promise<boolean> {
    const normal = normalise(this.#around.whitespace, true)(this.doc);
    let begun = false;
    let at = from;
    for (let index = 0; at < to; ) {
      const span = this.#spans[index];
      if (span === undefined || (span.end <= at && index === this.#spans.length - 1)) {
        if (await this.#more()) continue;
        break;
      }
      if (span.start >= to) break;
      if (span.end <= at) {
        index++;
        continue;
      }
      if (at === from) begun = span.start <= from;
      const end = Math.min(span.end, to);
      await this.#read(span, Math.max(at, span.start), end, normal, take);
      at = end;
      if (passing && index >= PASSED_SPANS) {
        this.#forget(at);
        index = 0;
      }
    }
    for (const part of normal.end()) take(part.text);
    return begun && at === to;
  }

  /** A part of one span. */
  async #read(
    span: Span,
    start: number,
    end: number,
    normal: Machine<Segment, Segment>,
    take: (text: string) => void,
  ): Promise<void> {
    const { reader, fail } = this.#around;
    const bytes = decoder(this.doc.charset, start, () => {});
    let raw = '';
    const give = (segment: Segment): void => {
      if (span.escaped) raw += segment.text;
      else for (const part of normal.push(segment)) take(part.text);
    };
    for await (const block of reader.range(start, end)) for (const segment of bytes.push(block)) give(segment);
    for (const segment of bytes.end()) give(segment);
    if (!span.escaped) return;
    const text = this.#around.unescape(raw) ?? fail(`bytes ${start} to ${end} begin or end inside an escape`);
    // Where in the bytes each character is does not matter here.
    for (const part of normal.push({ text, start, end, verbatim: true })) take(part.text);
  }

  /** Learns of another segment; false: there is none. */
  async #more(): Promise<boolean> {
    const segment = this.#closed ? undefined : await this.#around.more();
    if (segment === undefined) {
      this.#closed = true;
      if (this.#marker !== undefined) for (const part of this.#marker.end()) this.#mark(part);
      this.#marker = undefined;
      return false;
    }
    const { start, end } = segment;
    const escaped = segment.escapes !== undefined;
    if (this.#start < 0) this.#start = this.#marksFrom = start;
    const last = this.#spans.at(-1);
    if (last !== undefined && last.end === start && !escaped && !last.escaped) last.end = end;
    else this.#spans.push({ start, end, escaped });
    this.#end = end;
    if (segment.mark !== undefined) this.#marker ??= normalise(this.#around.whitespace)(this.doc);
    if (this.#marker !== undefined) for (const part of this.#marker.push(segment)) this.#mark(part);
    return true;
  }

  #mark({ start, mark }: Segment): void {
    if (mark !== undefined) this.#marks.add(start - this.#marksFrom, mark);
  }

  /** Nothing before this byte is asked for again. */
  #forget(before: number): void {
    let passed = 0;
    while (passed < this.#spans.length - 1 && this.#spans[passed]!.end <= before) passed++;
    this.#spans.splice(0, passed);
    this.#marks.drop(before - this.#marksFrom);
    this.#marksFrom = before;
  }
}

/** Whether what a line has as a record is this one. */
function isRecord(found: unknown, record: RecordRef | undefined): boolean {
  if (record === undefined || typeof found !== 'object' || found === null) return found === record;
  const entries = Object.entries(record as unknown as Readonly<Record<string, unknown>>).filter(
    ([, value]) => value !== undefined,
  );
  const said = found as Readonly<Record<string, unknown>>;
  return (
    Object.keys(said).length === entries.length &&
    entries.every(([key, value]) => said[key] === (typeof value === 'string' ? value.toWellFormed() : value))
  );
}

/** As a line of chunks has it, in which half a surrogate pair is U+FFFD. */
function written(value: unknown): string {
  const line = JSON.stringify(value) ?? 'missing';
  return line.includes('\\ud')
    ? line.replace(/\\(?:ud[89a-f][\da-f]{2}|.)/g, (found) => (found.length > 2 ? '\ufffd' : found))
    : line;
}

function differs(chunk: Chunk, at: number, text: string): string {
  let i = 0;
  while (i < text.length && chunk.text[at + i] === text[i]) i++;
  return `its text is not what bytes ${chunk.start} to ${chunk.end} say: at character ${at + i} it has ${excerpt(chunk.text.slice(at + i))}, the source ${excerpt(text.slice(i))}`;
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 24 ? `${text.slice(0, 24).toWellFormed()}…` : text);
}
