/**
 * The table of strategies, in the order that help shows. Adding one: a file in boundaries/, a line here, a test, a sample.
 */
import type { Spelling } from '../src/options.js';
import type { Spec } from '../src/spec.js';
import type { Strategy } from '../src/types.js';
import { recursiveFrom, recursiveSpec } from './boundaries/recursive.js';

export interface StrategySpec extends Spec {
  /** Makes the strategy of checked options. What is wrong with them together is added to `problems`. */
  create(options: Readonly<Record<string, unknown>>, problems: string[], spelling: Spelling): Strategy;
}

export const strategies: readonly StrategySpec[] = [{ ...recursiveSpec, create: recursiveFrom }];
