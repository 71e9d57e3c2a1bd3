/**
 * How components and options describe themselves. Help, checking, the README tables and the nearest-name hints are all
 * made from these values; adding an option is adding a value.
 */

import type { Strategy } from './types.js';
import type { World } from './world.js';

/** What an option takes. `list` is repeatable; `flag` takes no value. */
export type OptionType = 'string' | 'integer' | 'number' | 'flag' | 'choice' | 'list';

export type OptionGroup = 'input' | 'records' | 'text' | 'chunking' | 'output' | 'run';

export interface OptionSpec {
  /** As on the command line, without the dashes: `min-size`. In the library it is `minSize`. */
  readonly name: string;
  readonly short?: string;
  readonly type: OptionType;
  readonly group: OptionGroup;
  /** The placeholder in help: `N`, `PATH`. */
  readonly value?: string;
  /** One line, a fragment without a full stop, units included. */
  readonly summary: string;
  /** In words where it is not a constant. */
  readonly defaultText?: string;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  /** What a choice may be besides. */
  readonly isChoice?: (value: string) => boolean;
}

/** A strategy that has to be loaded first: it is a module of the user's, or needs a package that few install. */
export interface LaterStrategy {
  readonly name: string;
  load(world: Pick<World, 'load'>): Promise<Strategy>;
}

/** Something that can be chosen by name. */
export interface Spec {
  readonly name: string;
  readonly summary: string;
  /** What else there is to know before it is chosen, such as limits: fragments without a full stop. */
  readonly facts?: readonly string[];
  /** Options that only this component understands. */
  readonly options?: readonly OptionSpec[];
}
