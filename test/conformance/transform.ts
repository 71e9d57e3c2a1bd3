/**
 * The laws of a transform that makes text uniform: L1 and L10 through `conformMachine`, L2, L3 (gaps normalise to nothing),
 * L5 (any legal part, normalised alone, gives the same text), L8 (bounded however much of one kind arrives), L9 (idempotence),
 * and agreement with an oracle on whole strings.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { decoder } from '../../src/decode.js';
import { replacement } from '../../src/segment.js';
import type { Charset, Doc, Machine, Segment, Transform } from '../../src/types.js';
import { rng } from '../support/random.js';
import { escaped } from '../support/segments.js';
import { chained, drained, joinedSegments, plainParts, Whole } from '../support/whole.js';
import { conformMachine } from './machine.js';
import { spansAreInOrder, spansAreTheirBytes } from './segments.js';

export interface TransformSubject {
  readonly transform: Transform;
  /** The same for a part of a longer text. */
  readonly part: Transform;
  /** What becomes of a whole text, said in another way. */
  readonly oracle: (text: string) => string;
  readonly charset: Charset;
  /** May a chunk begin with what stands here? Some characters belong to the one before. */
  readonly mayBegin: (text: string, at: number) => boolean;
}

/** All laws of a transform that can be told from one input. */
export function conformTransform(subject: TransformSubject, bytes: Uint8Array, seed = 1): void {
  const { transform, charset } = subject;
  const make = () => afterDecoding(transform, charset, 0);
  conformMachine({ make, result: joinedSegments }, bytes, seed);
  const before = drained(decoder(charset, 0, ignore), [bytes]);
  const after = drained(make(), [bytes]);
  spansAreInOrder(after, 0, bytes.length);
  spansAreTheirBytes(after, bytes, 0, charset);
  saysWhatTheOracleSays(subject, before, after);
  gapsNormaliseToNothing(subject, after, bytes);
  isIdempotent(subject, after);
  anyPartGivesTheSame(subject, after, bytes, seed);
  isTheSameForReplacedText(subject, textOf(before), seed);
  isTheSameForEscapedText(subject, textOf(before), seed);
}

function saysWhatTheOracleSays({ oracle }: TransformSubject, before: readonly Segment[], after: readonly Segment[]): void {
  const expected = oracle(textOf(before));
  if (textOf(after) !== expected) expect(textOf(after), 'against the oracle').toBe(expected);
}

/** L3: the bytes between segments, taken alone, give no text. */
function gapsNormaliseToNothing({ transform, charset }: TransformSubject, after: readonly Segment[], bytes: Uint8Array): void {
  let last = 0;
  for (const { start, end } of [...after, { start: bytes.length, end: bytes.length }]) {
    if (start > last) {
      const gap = drained(afterDecoding(transform, charset, last), [bytes.subarray(last, start)]);
      expect(textOf(gap), `what bytes ${last} to ${start} hold, which are in no segment`).toBe('');
    }
    last = end;
  }
}

/** L9: normalising what is normal changes nothing. */
function isIdempotent({ transform, charset }: TransformSubject, after: readonly Segment[]): void {
  const again = drained(transform(documentIn(charset)), after);
  expect(textOf(again), 'normalised twice').toBe(textOf(after));
}

/** L5: the bytes of any part that a chunk might be, normalised alone, give the text of the part. */
function anyPartGivesTheSame(subject: TransformSubject, after: readonly Segment[], bytes: Uint8Array, seed: number): void {
  const { part, charset } = subject;
  const whole = new Whole(after, charset);
  const places = Array.from({ length: whole.text.length + 1 }, (_, at) => at).filter(
    (at) => whole.mayCut(at) && (at === whole.text.length || subject.mayBegin(whole.text, at)),
  );
  const random = rng(seed);
  for (let times = 0; times < 40 && places.length > 1; times++) {
    const [i, j] = [random.pick(places), random.pick(places)].sort((a, b) => a - b) as [number, number];
    if (i === j) continue;
    const [start, end] = [whole.startOf(i), whole.endOf(j)];
    const text = textOf(drained(afterDecoding(part, charset, start), [bytes.subarray(start, end)]));
    if (text !== whole.text.slice(i, j)) expect(text, `bytes ${start} to ${end} alone`).toBe(whole.text.slice(i, j));
  }
}

/** L1: text that came as replacements of something (escapes, entities) is judged as if it had stood there. */
function isTheSameForReplacedText({ transform, charset, oracle }: TransformSubject, text: string, seed: number): void {
  const random = rng(seed);
  const segments: Segment[] = [];
  let at = 0;
  for (const character of text.slice(0, 2000).match(/[\s\S]/gu) ?? []) {
    const width = random.between(1, 6);
    segments.push(replacement(character, at, at + width));
    at += width + random.between(0, 2);
  }
  const after = drained(transform(documentIn(charset)), segments);
  spansAreInOrder(after, 0, at);
  expect(textOf(after), 'character by character, each a replacement').toBe(oracle(textOf(segments)));
}

/** L1: text in whose segments characters are escaped gives the same text, with the bytes it has in pieces. */
function isTheSameForEscapedText({ transform, charset, oracle }: TransformSubject, text: string, seed: number): void {
  if (text === '' || !text.isWellFormed()) return;
  const segment = escaped(rng(seed), text.slice(0, 2000), charset, 5);
  if (!segment.text.isWellFormed()) return;
  const whole = drained(transform(documentIn(charset)), [segment]);
  const inParts = drained(transform(documentIn(charset)), plainParts(segment, charset));
  expect(textOf(whole), 'with escapes').toBe(oracle(segment.text));
  expect(joinedSegments(whole, charset)).toEqual(joinedSegments(inParts, charset));
}

/**
 * L8: how many of the segments given to a machine it still holds, when it has been given these and waits. Counted by the
 * garbage collector, since a machine shows nothing of its state.
 */
export async function segmentsHeld(machine: Machine<Segment, Segment>, texts: Iterable<string>): Promise<number> {
  const given = feed(machine, texts);
  // A WeakRef keeps its target alive to the end of the job that made it.
  await nextTurn();
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  await nextTurn();
  const held = given.filter((reference) => reference.deref() !== undefined).length;
  // The machine must outlive the count.
  expect(machine.push).toBeDefined();
  return held;
}

function feed(machine: Machine<Segment, Segment>, texts: Iterable<string>): WeakRef<Segment>[] {
  const given: WeakRef<Segment>[] = [];
  let at = 0;
  for (const text of texts) {
    const segment = { text, start: at, end: at + text.length, verbatim: true };
    at = segment.end;
    given.push(new WeakRef(segment));
    for (const _ of machine.push(segment));
  }
  return given;
}

function afterDecoding(transform: Transform, charset: Charset, at: number): Machine<Uint8Array, Segment> {
  return chained(decoder(charset, at, ignore), transform(documentIn(charset)));
}

export function documentIn(charset: Charset): Doc {
  return { origin: { uri: 'document' }, charset, metadata: {} };
}

function textOf(segments: readonly Segment[]): string {
  return segments.map((segment) => segment.text).join('');
}

function ignore(): void {}
