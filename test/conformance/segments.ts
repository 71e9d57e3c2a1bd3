/**
 * The laws of whatever turns bytes into text with spans, decoders and splitters: L1 and L10 through `conformMachine`, L2 (a
 * span's bytes decode to its text, in order, inside the document), L3 (what is between spans shows nothing) and L8 (no more
 * is held than a character). TextDecoder is the oracle.
 */
import { expect } from 'vitest';
import type { Charset, Doc, Item, Machine, Segment, Splitting } from '../../src/types.js';
import { drained, joinedSegments, plainParts } from '../support/whole.js';
import { conformMachine } from './machine.js';

export interface DecoderSubject {
  make(): Machine<Uint8Array, Segment>;
  readonly charset: Charset;
  /** The source byte that the first byte is. */
  readonly at: number;
}

/** All laws of a decoder, on one input. */
export function conformDecoder(subject: DecoderSubject, bytes: Uint8Array, seed = 1): void {
  conformMachine({ make: subject.make, result: joinedSegments }, bytes, seed);
  const segments = drained(subject.make(), [bytes]);
  spansAreInOrder(segments, subject.at, subject.at + bytes.length);
  spansAreTheirBytes(segments, bytes, subject.at, subject.charset);
  hasNoGaps(segments, subject.at, subject.at + bytes.length);
  saysWhatTextDecoderSays(segments, bytes, subject.charset);
  waitsForNoMoreThanACharacter(subject, bytes);
}

export interface SplitterSubject {
  make(): Splitting;
  /** What the gaps between a document's segments may be, as text. */
  readonly mayBeGap: (text: string) => boolean;
}

/** All laws of a splitter whose documents are all of the input, on one input. Returns what it found, for what only the test of the splitter can know. */
export function conformSplitter(subject: SplitterSubject, bytes: Uint8Array, seed = 1): Document[] {
  conformMachine({ make: subject.make, result: joinedItems }, bytes, seed);
  const machine = subject.make();
  const documents = documentsOf(drained(machine, [bytes]));
  let from = machine.head?.bytes ?? 0;
  for (const { doc, segments } of documents) {
    const bodyAt = from;
    spansAreInOrder(segments, bodyAt, bytes.length);
    spansAreTheirBytes(segments, bytes, 0, doc.charset);
    gapsShowNothing(segments, bytes, bodyAt, doc.charset, subject.mayBeGap);
    from = segments.at(-1)?.end ?? from;
  }
  return documents;
}

export interface Document {
  readonly doc: Doc;
  readonly segments: readonly Segment[];
}

/** Documents open and close in turn, and no segment is outside of one. */
export function documentsOf(items: readonly Item[]): Document[] {
  const documents: Document[] = [];
  let open: { doc: Doc; segments: Segment[] } | undefined;
  for (const item of items) {
    if ('open' in item) {
      expect(open, 'a document opens inside another').toBeUndefined();
      open = { doc: item.open, segments: [] };
    } else if ('close' in item) {
      expect(item.close, 'another document closes than opened').toBe(open?.doc);
      documents.push(open!);
      open = undefined;
    } else {
      expect(open, 'a segment outside of a document').toBeDefined();
      open!.segments.push(item);
    }
  }
  expect(open, 'a document that never closes').toBeUndefined();
  return documents;
}

function joinedItems(items: readonly Item[]): unknown {
  return documentsOf(items).map(({ doc, segments }) => ({ doc, segments: joinedSegments(segments, doc.charset) }));
}

/** L2: spans lie in the document, have text and bytes, and never go back. */
export function spansAreInOrder(segments: readonly Segment[], from: number, to: number): void {
  let last = from;
  for (const segment of segments) {
    const where = JSON.stringify(segment);
    if (segment.start < last || segment.end <= segment.start || segment.end > to || segment.text === '') {
      expect.fail(`a span out of order, outside of [${from}, ${to}) or empty, after byte ${last}: ${where}`);
    }
    last = segment.end;
  }
}

/** L2: the bytes of verbatim text decode to exactly this text; those of an escape, where it is said how, are what it says. */
export function spansAreTheirBytes(
  segments: readonly Segment[],
  bytes: Uint8Array,
  at: number,
  charset: Charset,
  meaning?: (raw: string) => string,
): void {
  for (const segment of segments) {
    const parts = plainParts(segment, charset);
    if (parts.map((part) => part.text).join('') !== segment.text || parts.at(-1)!.end !== segment.end) {
      expect.fail(`escapes that do not add up to their segment: ${JSON.stringify(segment)}`);
    }
    for (const { text, start, end, verbatim } of parts) {
      const raw = decodedWhole(bytes.subarray(start - at, end - at), charset);
      if (verbatim && raw !== text) expect(text, `the text of [${start}, ${end})`).toBe(raw);
      // A bad byte is no escape, but stands for its bytes all the same.
      if (verbatim || meaning === undefined || text === '\ufffd') continue;
      if (meaning(raw) !== text) expect(text, `what the escape ${raw} at [${start}, ${end}) says`).toBe(meaning(raw));
    }
  }
}

/** L3 for a decoder: it drops nothing. */
function hasNoGaps(segments: readonly Segment[], from: number, to: number): void {
  let last = from;
  for (const { start, end } of segments) {
    if (start !== last) expect.fail(`bytes ${last} to ${start} are in no segment`);
    last = end;
  }
  expect(last, 'where the last segment ends').toBe(to);
}

/** L3: what lies between the segments is of the kind that may be dropped. */
function gapsShowNothing(
  segments: readonly Segment[],
  bytes: Uint8Array,
  from: number,
  charset: Charset,
  mayBeGap: (text: string) => boolean,
): void {
  let last = from;
  for (const { start, end } of [...segments, { start: bytes.length, end: bytes.length }]) {
    const gap = decodedWhole(bytes.subarray(last, start), charset);
    if (gap !== '' && !mayBeGap(gap)) expect.fail(`bytes ${last} to ${start} are in no segment: ${JSON.stringify(gap)}`);
    last = end;
  }
}

/** The whole text is TextDecoder's, bad bytes included. */
function saysWhatTextDecoderSays(segments: readonly Segment[], bytes: Uint8Array, charset: Charset): void {
  const text = segments.map((segment) => segment.text).join('');
  const expected = decodedWhole(bytes, charset);
  if (text !== expected) expect(text).toBe(expected);
}

/** L8: while it waits it holds less than one character, of at most four bytes. */
function waitsForNoMoreThanACharacter(subject: DecoderSubject, bytes: Uint8Array): void {
  const machine = subject.make();
  let given = subject.at;
  for (const [i, byte] of bytes.entries()) {
    for (const segment of machine.push(Uint8Array.of(byte))) given = segment.end;
    const held = subject.at + i + 1 - given;
    if (held > 3) expect.fail(`it holds ${held} bytes after byte ${i}`);
  }
}

/** The platform's own decoder, on whole bytes. One-byte charsets go through stream mode, where Node 20 is right about windows-1252. */
export function decodedWhole(bytes: Uint8Array, charset: Charset): string {
  const decoder = new TextDecoder(charset, { ignoreBOM: true });
  return charset.startsWith('utf-') ? decoder.decode(bytes) : decoder.decode(bytes, { stream: true }) + decoder.decode();
}
