/**
 * The `sliding` strategy: a window of so many tokens or words that moves on by a step. What a window and the one before share is
 * the overlap: the size less the step. The last window, which mostly is not full, stays short, reaches back, or is dropped.
 */
import type { Spelling } from '../../src/options.js';
import type { OptionSpec, Spec } from '../../src/spec.js';
import type { Strategy } from '../../src/types.js';
import { token } from './token.js';
import { words } from './words.js';

export const TAILS = ['keep', 'backfill', 'drop'] as const;
export type Tail = (typeof TAILS)[number];

export interface SlidingOptions {
  readonly unit?: 'tokens' | 'words';
  readonly tail?: Tail;
}

const options: readonly OptionSpec[] = [
  {
    name: 'step',
    type: 'integer',
    group: 'chunking',
    value: 'N',
    min: 1,
    summary: 'how far the window moves on, in units, instead of an overlap; at most the size',
    defaultText: 'the size less the overlap',
  },
  {
    name: 'tail',
    type: 'choice',
    group: 'chunking',
    choices: TAILS,
    summary: 'a last window that is not full stays short, reaches back until it is full, or is dropped',
    defaultText: 'keep',
  },
];

export const slidingSpec: Spec = {
  name: 'sliding',
  summary: 'a window of so many tokens or words that moves on by a step',
  options,
};

export function sliding({ unit = 'tokens', tail = 'keep' }: SlidingOptions = {}): Strategy {
  return { ...(unit === 'words' ? words() : token()), name: 'sliding', tail };
}

export function slidingFrom(given: Readonly<Record<string, unknown>>): Strategy {
  return sliding(given as SlidingOptions);
}

/** The overlap that a step comes to; undefined: no step was given. */
export function slidingOverlap(
  given: Readonly<Record<string, unknown>>,
  size: number,
  problems: string[],
  spelling: Spelling,
): number | undefined {
  const { step, overlap } = given as { readonly step?: number; readonly overlap?: number };
  if (step === undefined) return undefined;
  const shared = size - step;
  if (shared < 0)
    problems.push(
      `${spelling('step')} must not be larger than ${spelling('size')}, or text would be lost: ${step} is above ${size}`,
    );
  if (overlap !== undefined && overlap !== shared)
    problems.push(
      `${spelling('step')} ${step} and ${spelling('overlap')} ${overlap} contradict each other at a size of ${size}: give one of them`,
    );
  return Math.max(0, shared);
}
