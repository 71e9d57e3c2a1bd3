/**
 * The `regex` strategy: text is cut wherever one of several patterns matches, and each piece is a chunk. Splitting by the patterns
 * in turn, every piece by the next one, gives the pieces between the matches of all of them, so they are one boundary. Matches in a
 * row are one separator: no piece is empty. What groups capture goes nowhere.
 */
import type { Spelling } from '../../src/options.js';
import type { Spec } from '../../src/spec.js';
import type { Strategy } from '../../src/types.js';
import { word } from './levels.js';
import { PATTERN_LIMITS, positionOption, readSeparators } from './separator-options.js';
import { BLANK_LINES, checkSeparators, type SeparatorPosition, separatorLevel } from './separators.js';

export interface RegexOptions {
  /** Absent: blank lines. */
  readonly patterns?: readonly RegExp[];
  /** Absent: `drop`. */
  readonly separatorPosition?: SeparatorPosition;
}

export const regexSpec: Spec = {
  name: 'regex',
  summary: 'a chunk for each piece between matches of patterns, none empty; longer pieces are cut at words',
  options: [
    {
      name: 'patterns',
      type: 'list',
      group: 'chunking',
      value: 'RE',
      summary: `where text is cut, by any of them (repeat it): regular expressions (${PATTERN_LIMITS})`,
      defaultText: 'blank lines',
    },
    positionOption,
  ],
};

export function regex({ patterns = [], separatorPosition = 'drop' }: RegexOptions = {}): Strategy {
  checkSeparators(patterns);
  const separators = patterns.length === 0 ? [BLANK_LINES] : patterns;
  return { name: 'regex', packing: 'each', levels: [separatorLevel(separators, separatorPosition), word] };
}

export function regexFrom(given: Readonly<Record<string, unknown>>, problems: string[], spelling: Spelling): Strategy {
  const { patterns: written = [], separatorPosition } = given as {
    readonly patterns?: readonly string[];
  } & Pick<RegexOptions, 'separatorPosition'>;
  const patterns = readSeparators(written, true, problems, spelling('patterns')) as readonly RegExp[];
  return regex({ patterns, ...(separatorPosition === undefined ? {} : { separatorPosition }) });
}
