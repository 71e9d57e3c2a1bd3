/**
 * The laws of a chunker, for any strategy and any budget: L1 and L10 (cutting of the input, repetition), L2, L4 (reassembly),
 * L5 (reread), L6 (budget and overlap), L7 (progress and legal edges), and apart from these, since they want long inputs, L8
 * (bound) and L12 (linear cost). `conformChunker` takes bytes, `conformChunkerOfSegments` text with replaced parts, such as
 * escapes, for which a reread has no meaning here.
 */
import { expect } from 'vitest';
import { decoder } from '../../src/decode.js';
import type { Charset, Chunker, Gap, Piece, Ruler, Segment, Strategy, TokenCounter, Transform } from '../../src/types.js';
import { type Rng, rng } from '../support/random.js';
import { chained, drained, plainParts, Whole } from '../support/whole.js';
import { conformMachine } from './machine.js';
import { documentIn } from './transform.js';

export interface ChunkerSubject {
  readonly chunker: Chunker;
  readonly charset: Charset;
  readonly size: number;
  readonly overlap: number;
  /** Longest piece, in UTF-16 units. */
  readonly maxChars: number;
  readonly measure: TokenCounter;
  /** What `tokens` counts with; absent: not counted. */
  readonly tokens?: TokenCounter;
  readonly trim: boolean;
  /** What may be missing between chunks besides blanks: the separators that are dropped. */
  readonly dropped?: RegExp;
  /** What the document puts before every chunk. */
  readonly context?: string;
  /** What its strategy says of units over the budget, and of the last chunk. */
  readonly strategy?: Pick<Strategy, 'oversize' | 'tail'>;
}

export interface ByteChunkerSubject extends ChunkerSubject {
  readonly normalise: Transform;
  /** The same for a part of a text. */
  readonly normalisePart: Transform;
}

/** White space, and marks that show nothing. */
const BLANK = /^[\s\u0085\u200b-\u200d\u2060\ufeff]*$/;

/** All laws that can be told from one input. Returns the pieces. */
export function conformChunker(subject: ByteChunkerSubject, bytes: Uint8Array, seed = 1): Piece[] {
  const { normalise, chunker, charset } = subject;
  const make = () => chained(chained(decoder(charset, 0, ignore), normalise(documentIn(charset))), chunker(documentIn(charset)));
  conformMachine({ make }, bytes, seed);
  const outputs = drained(make(), [bytes]);
  const normal = drained(normalise(documentIn(charset)), drained(decoder(charset, 0, ignore), [bytes]));
  const pieces = keepsTheLaws(subject, new Whole(normal, charset), outputs);
  for (const piece of pieces) givesItsTextAgain(subject, piece, bytes);
  return pieces;
}

/** The same, without L5, for segments as any splitter may give them. They are also split at random (L1). */
export function conformChunkerOfSegments(subject: ChunkerSubject, segments: readonly Segment[], seed = 1): Piece[] {
  const { chunker, charset, context } = subject;
  const doc = { ...documentIn(charset), ...(context === undefined ? {} : { context }) };
  const outputs = drained(chunker(doc), segments);
  const again = drained(chunker(doc), resplit(segments, charset, rng(seed)));
  if (JSON.stringify(again) !== JSON.stringify(outputs)) expect(again, 'from segments split at random').toEqual(outputs);
  return keepsTheLaws(subject, new Whole(segments, charset), outputs);
}

/** A piece, and the units of the normalised text that it is. */
interface Placed {
  readonly piece: Piece;
  readonly i: number;
  readonly j: number;
}

function keepsTheLaws(subject: ChunkerSubject, whole: Whole, outputs: readonly (Piece | Gap)[]): Piece[] {
  const pieces = outputs.filter((output): output is Piece => 'text' in output);
  const last = outputs.at(-1);
  expect(outputs.length - pieces.length, 'gaps told of besides pieces').toBe(last !== undefined && !('text' in last) ? 1 : 0);
  const placed = pieces.map((piece) => isACutOfTheText(whole, piece));
  for (const [at, each] of placed.entries()) {
    const before = placed[at - 1];
    advances(whole, before, each);
    keepsItsBudget(subject, whole, each);
    if (each !== placed.at(-1) || subject.strategy?.tail !== 'backfill')
      repeatsNoMoreThanTheOverlap(subject, whole, before, each);
    losesNothing(subject, whole, [before?.j ?? 0, each.i], each.piece);
  }
  losesNothing(subject, whole, [placed.at(-1)?.j ?? 0, whole.text.length], outputs.at(-1));
  return pieces;
}

/** L2, L4, L7: the text is that of its bytes, and its edges lie between characters and outside of replaced text. */
function isACutOfTheText(whole: Whole, piece: Piece): Placed {
  const units = whole.unitsOf(piece.start, piece.end);
  if (units === undefined) expect.fail(`the edges of bytes ${piece.start} to ${piece.end} lie inside of something`);
  const [i, j] = units;
  const text = whole.text.slice(i, j);
  if (text !== piece.text) expect(piece.text, `the text of bytes ${piece.start} to ${piece.end}`).toBe(text);
  if (!whole.mayCut(i) || !whole.mayCut(j)) expect.fail(`an edge inside a character: ${JSON.stringify(piece)}`);
  return { piece, i, j };
}

/** L7: a chunk begins after the start of the one before, goes on beyond its end, and shows something there. */
function advances(whole: Whole, before: Placed | undefined, { piece, i, j }: Placed): void {
  if (before !== undefined && (i <= before.i || j <= before.j)) {
    expect.fail(`no progress from ${JSON.stringify(before.piece)} to ${JSON.stringify(piece)}`);
  }
  const fresh = whole.text.slice(Math.max(i, before?.j ?? 0), j);
  if (BLANK.test(fresh)) expect.fail(`nothing new to show: ${JSON.stringify(piece)} after ${JSON.stringify(before?.piece)}`);
}

/** L6: the count is the counter's, and within the size, unless it cannot be cut (one character, replaced text) or says so. */
function keepsItsBudget(subject: ChunkerSubject, whole: Whole, { piece, i, j }: Placed): void {
  const { measure, size, maxChars, tokens, trim, strategy } = subject;
  const embedded = piece.context === undefined ? piece.text : `${piece.context}\n\n${piece.text}`;
  expect(piece.tokens, 'tokens').toBe(tokens?.count(embedded));
  if (trim && /^\s|\s$/.test(piece.text) && whole.mayCut(i + 1) && whole.mayCut(j - 1)) {
    expect.fail(`not trimmed: ${JSON.stringify(piece.text)}`);
  }
  const measured = measure.count(embedded);
  const isOversize = strategy?.oversize === 'keep' && measured > size;
  expect(piece.metadata?.oversize, 'oversize').toBe(isOversize ? true : undefined);
  let before = j - 1;
  while (before > i && !whole.mayCut(before)) before--;
  if (before === i) return;
  if (measured > size && !isOversize)
    expect.fail(`${measured} ${measure.name} in ${JSON.stringify(piece.text)}, over the size of ${size}`);
  // What has no inside may stand across the limit.
  if (before - i >= maxChars) expect.fail(`${j - i} units in ${JSON.stringify(piece.text)}, over ${maxChars}`);
}

/** L6: what two neighbours share is no more than the overlap. */
function repeatsNoMoreThanTheOverlap(
  { measure, overlap }: ChunkerSubject,
  whole: Whole,
  before: Placed | undefined,
  { i }: Placed,
): void {
  if (before === undefined || i >= before.j) return;
  const shared = whole.text.slice(i, before.j);
  const measured = measure.count(shared);
  if (measured > overlap) expect.fail(`${measured} ${measure.name} are repeated, over ${overlap}: ${JSON.stringify(shared)}`);
}

/** L4: between two chunks, before the first and after the last, there are only blanks and separators that are dropped. */
function losesNothing(
  subject: ChunkerSubject,
  whole: Whole,
  [i, j]: readonly [number, number],
  next: Gap | Piece | undefined,
): void {
  const lost = whole.text.slice(i, Math.max(i, j));
  if (BLANK.test(lost)) return;
  const rest = subject.dropped === undefined ? lost : lost.replaceAll(subject.dropped, '');
  if (subject.strategy?.tail === 'drop' && next !== undefined && !('text' in next) && next.gap === 'tail') return;
  if (!BLANK.test(rest)) expect.fail(`in no chunk: ${JSON.stringify(lost)}, before ${JSON.stringify(next)}`);
  expect(next?.gap, `why ${JSON.stringify(lost)} is in no chunk`).toBe('separator');
}

/** L5: decoding and normalising a piece's bytes alone gives its text. */
function givesItsTextAgain({ charset, normalisePart }: ByteChunkerSubject, piece: Piece, bytes: Uint8Array): void {
  const alone = chained(decoder(charset, piece.start, ignore), normalisePart(documentIn(charset)));
  const text = drained(alone, [bytes.subarray(piece.start, piece.end)])
    .map((segment) => segment.text)
    .join('');
  if (text !== piece.text) expect(text, `bytes ${piece.start} to ${piece.end}, read again`).toBe(piece.text);
}

/**
 * L8: the most UTF-16 units that a chunker holds at any time of taking this text. Told by the windows that it shows to its
 * ruler before each decision: what it holds only grows from one decision to the next, so the largest window is the most.
 */
export function mostHeld(make: (measure: TokenCounter) => Chunker, measure: TokenCounter, text: Iterable<string>): number {
  let most = 0;
  const seen = (window: string) => {
    most = Math.max(most, window.length);
  };
  const machine = make(watched(measure, seen))(documentIn('utf-8'));
  let at = 0;
  for (const part of text) {
    const end = at + Buffer.byteLength(part);
    for (const _ of machine.push({ text: part, start: at, end, verbatim: true }));
    at = end;
  }
  for (const _ of machine.end());
  return most;
}

/** The counter, with a ruler that tells what windows it is shown. */
function watched(measure: TokenCounter, seen: (window: string) => void): TokenCounter {
  return {
    name: measure.name,
    count: (text) => measure.count(text),
    ruler(): Ruler {
      const ruler = measure.ruler!();
      return {
        slide(text, dropped) {
          seen(text);
          ruler.slide(text, dropped);
        },
        size: (i, j) => ruler.size(i, j),
        reach: (i, budget, limit) => ruler.reach(i, budget, limit),
        reachBack: (j, budget, floor) => ruler.reachBack(j, budget, floor),
      };
    },
  };
}

/** L12: UTF-16 units that a counter without a ruler is asked to count, for each unit of the text. */
export function countedPerUnit(make: (measure: TokenCounter) => Chunker, measure: TokenCounter, text: string): number {
  let counted = 0;
  const recording: TokenCounter = {
    name: 'recording',
    count(part) {
      counted += part.length;
      return measure.count(part);
    },
  };
  const machine = make(recording)(documentIn('utf-8'));
  drained(machine, [{ text, start: 0, end: Buffer.byteLength(text), verbatim: true }]);
  return counted / text.length;
}

/** Verbatim segments split between any two characters; replaced ones have no inside. */
function resplit(segments: readonly Segment[], charset: Charset, random: Rng): Segment[] {
  const parts = segments.flatMap((segment) => (random.chance(0.5) ? plainParts(segment, charset) : [segment]));
  return parts.flatMap((segment) => {
    if (!segment.verbatim || segment.escapes !== undefined) return [segment];
    const whole = new Whole([segment], charset);
    const parts: Segment[] = [];
    let i = 0;
    for (let j = 1; j <= segment.text.length; j++) {
      if (j < segment.text.length && (!whole.mayCut(j) || !random.chance(0.2))) continue;
      const mark = i === 0 && segment.mark !== undefined ? { mark: segment.mark } : {};
      parts.push({ text: segment.text.slice(i, j), start: whole.startOf(i), end: whole.endOf(j), verbatim: true, ...mark });
      i = j;
    }
    return parts;
  });
}

function ignore(): void {}
