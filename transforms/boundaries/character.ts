/**
 * The `character` strategy: one separator, and each piece between two is a chunk, unless neighbours are asked to be merged up to the
 * size. A piece over the size is cut between characters, and only the parts of such a piece overlap.
 */
import type { Spelling } from '../../src/options.js';
import type { Spec } from '../../src/spec.js';
import type { Strategy } from '../../src/types.js';
import { startsCharacter } from './levels.js';
import { PATTERN_LIMITS, positionOption, readSeparators } from './separator-options.js';
import { BLANK_LINES, checkSeparators, type Separator, type SeparatorPosition, separatorLevel } from './separators.js';

export interface CharacterOptions {
  /** Absent: blank lines. */
  readonly separator?: Separator;
  /** Absent: `end`. */
  readonly separatorPosition?: SeparatorPosition;
  /** Whether neighbours are packed up to the size. */
  readonly merge?: boolean;
}

export const characterSpec: Spec = {
  name: 'character',
  summary: 'a chunk for each piece between two separators, or for as many as fit; longer pieces are cut between characters',
  options: [
    {
      name: 'separator',
      type: 'string',
      group: 'chunking',
      value: 'TEXT',
      summary: 'what parts chunks; \\n, \\t and \\uXXXX are understood',
      defaultText: 'a blank line',
    },
    {
      name: 'separator-regex',
      type: 'flag',
      group: 'chunking',
      summary: `the separator is a regular expression (${PATTERN_LIMITS})`,
    },
    positionOption,
    { name: 'merge', type: 'flag', group: 'chunking', summary: 'pack neighbouring pieces up to the size' },
  ],
};

export function character(options: CharacterOptions = {}): Strategy {
  const { separator = BLANK_LINES, separatorPosition = 'end', merge = false } = options;
  if (separator !== BLANK_LINES) checkSeparators([separator]);
  return {
    name: 'character',
    packing: merge ? 'fill' : 'each',
    levels: [separatorLevel([separator], separatorPosition)],
    overlapStarts: startsCharacter,
  };
}

export function characterFrom(given: Readonly<Record<string, unknown>>, problems: string[], spelling: Spelling): Strategy {
  const {
    separator: written,
    separatorRegex = false,
    separatorPosition,
    merge,
  } = given as {
    readonly separator?: string;
    readonly separatorRegex?: boolean;
  } & Pick<CharacterOptions, 'separatorPosition' | 'merge'>;
  if (separatorRegex && written === undefined) problems.push(`${spelling('separator-regex')} needs ${spelling('separator')}`);
  const [separator] = readSeparators(written === undefined ? [] : [written], separatorRegex, problems, spelling('separator'));
  return character({
    ...(separator === undefined ? {} : { separator }),
    ...(separatorPosition === undefined ? {} : { separatorPosition }),
    ...(merge === undefined ? {} : { merge }),
  });
}
