/**
 * L1, re-splitting, and L10, determinism, for every machine that takes bytes: any cutting of the input gives the same result,
 * whatever becomes of a buffer afterwards. Each law is a function; `conformMachine` asks for all of them.
 */
import { expect } from 'vitest';
import type { Machine } from '../../src/types.js';
import { cuts, rng } from '../support/random.js';

export interface MachineSubject<O> {
  /** A fresh machine. */
  make(): Machine<Uint8Array, O>;
  /** What must not depend on the buffers. Absent: the outputs as they are. */
  result?(outputs: readonly O[]): unknown;
}

/** Inputs up to this long are split at every place in turn. */
const SMALL_BYTES = 400;

/** All laws of a machine, on one input. */
export function conformMachine<O>(subject: MachineSubject<O>, bytes: Uint8Array, seed = 1): void {
  isTheSameAgain(subject, bytes);
  if (bytes.length <= SMALL_BYTES) isTheSameInTwo(subject, bytes);
  isTheSameByteByByte(subject, bytes);
  isTheSameInRandomCuts(subject, bytes, seed);
  isTheSameWithEmptyBuffers(subject, bytes);
  keepsNothingOfABuffer(subject, bytes, seed);
}

/** L10: the same bytes in a fresh machine give the same result. */
function isTheSameAgain<O>(subject: MachineSubject<O>, bytes: Uint8Array): void {
  same(resultOf(subject, [bytes]), resultOf(subject, [bytes]), 'a second time');
}

/** L1: two buffers, split at every place in turn, give what one gives. */
function isTheSameInTwo<O>(subject: MachineSubject<O>, bytes: Uint8Array): void {
  const whole = resultOf(subject, [bytes]);
  for (let at = 0; at <= bytes.length; at++) {
    same(resultOf(subject, [bytes.subarray(0, at), bytes.subarray(at)]), whole, `split at byte ${at}`);
  }
}

/** L1: buffers of one byte give what one buffer gives. */
function isTheSameByteByByte<O>(subject: MachineSubject<O>, bytes: Uint8Array): void {
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
  same(resultOf(subject, single), resultOf(subject, [bytes]), 'byte by byte');
}

/** L1: views of any length, at any offset of their memory, give what one buffer gives. */
function isTheSameInRandomCuts<O>(subject: MachineSubject<O>, bytes: Uint8Array, seed: number): void {
  const buffers = cuts(rng(seed), bytes);
  same(resultOf(subject, buffers), resultOf(subject, [bytes]), `cut into ${buffers.map((buffer) => buffer.length).join('+')}`);
}

/** L1: empty buffers, also first and last, say nothing. */
function isTheSameWithEmptyBuffers<O>(subject: MachineSubject<O>, bytes: Uint8Array): void {
  const empty = new Uint8Array(0);
  const middle = bytes.length >> 1;
  const buffers = [empty, empty, bytes.subarray(0, middle), empty, bytes.subarray(middle), empty];
  same(resultOf(subject, buffers), resultOf(subject, [bytes]), 'with empty buffers');
}

/** L1: every push comes in the same memory, which is overwritten once its outputs are drained. */
function keepsNothingOfABuffer<O>(subject: MachineSubject<O>, bytes: Uint8Array, seed: number): void {
  const machine = subject.make();
  // A Buffer, whose `slice` is a view where a Uint8Array's is a copy.
  const memory = Buffer.alloc(bytes.length + 16);
  const outputs: O[] = [];
  for (const buffer of cuts(rng(seed + 1), bytes)) {
    const view = memory.subarray(5, 5 + buffer.length);
    view.set(buffer);
    outputs.push(...machine.push(view));
    memory.fill(0xaa);
  }
  outputs.push(...machine.end());
  same(settled(subject, outputs), resultOf(subject, [bytes]), 'in a buffer that is reused');
}

function resultOf<O>(subject: MachineSubject<O>, buffers: Iterable<Uint8Array>): unknown {
  const machine = subject.make();
  const outputs: O[] = [];
  for (const buffer of buffers) for (const output of machine.push(buffer)) outputs.push(output);
  for (const output of machine.end()) outputs.push(output);
  return settled(subject, outputs);
}

function settled<O>(subject: MachineSubject<O>, outputs: readonly O[]): unknown {
  return subject.result?.(outputs) ?? outputs;
}

function same(found: unknown, expected: unknown, how: string): void {
  // Comparing text is a hundred times faster than `toEqual`, which then shows the difference.
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, how).toEqual(expected);
}
