/**
 * How components and options describe themselves. Help, checking, the README tables and the nearest-name hints are all
 * made from these values; adding an option is adding a value.
 */

/** What an option takes. `list` is repeatable; `flag` takes no value. */
export type OptionType = 'string' | 'integer' | 'number' | 'flag' | 'choice' | 'list';

export type OptionGroup = 'input' | 'text' | 'chunking' | 'output' | 'run';

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
}

/** Something that can be chosen by name. */
export interface Spec {
  readonly name: string;
  readonly summary: string;
  /** Options that only this component understands. */
  readonly options?: readonly OptionSpec[];
}
