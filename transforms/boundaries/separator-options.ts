/**
 * Separators as options: what the strategies recursive, character and regex say of them, and how texts and patterns are read from a
 * command line or a configuration file. Where they cut is in separators.ts.
 */
import type { OptionSpec } from '../../src/spec.js';
import { patternProblem } from './regex-safety.js';
import { SEPARATOR_POSITIONS, type Separator } from './separators.js';

export const positionOption: OptionSpec = {
  name: 'separator-position',
  type: 'choice',
  group: 'chunking',
  choices: SEPARATOR_POSITIONS,
  summary: 'a separator at a cut goes to the end of the chunk before, the start of the one after, or is dropped',
  defaultText: 'end; drop with the strategy regex',
};

/** What every option that takes patterns says of them. */
export const PATTERN_LIMITS = 'JavaScript, flags u and m; none that may match nothing or run away; looks ahead 256 units';

/** Reads separators as they are written on a command line. `name` is the option's; what is wrong is added to `problems`. */
export function readSeparators(
  written: readonly string[],
  isRegex: boolean,
  problems: string[],
  named: string,
): readonly Separator[] {
  const read = written.map((each) => (isRegex ? readPattern(each, problems, named) : readText(each, problems, named)));
  return read.filter((each) => each !== undefined);
}

function readText(written: string, problems: string[], named: string): string | undefined {
  if (written !== '') return unescaped(written);
  problems.push(`${named} must not be empty`);
  return undefined;
}

function readPattern(written: string, problems: string[], named: string): RegExp | undefined {
  const shown = `${named} /${written}/`;
  let pattern: RegExp;
  try {
    pattern = new RegExp(written, 'um');
  } catch (error) {
    problems.push(`${shown} is no regular expression: ${(error as Error).message}`);
    return undefined;
  }
  const problem = patternProblem(pattern);
  if (problem === undefined) return pattern;
  problems.push(`${shown} ${problem}`);
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', '\\': '\\' };

function unescaped(written: string): string {
  return written.replace(/\\(?:u([0-9a-fA-F]{4})|([nrtf\\]))/g, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? ESCAPES[letter]! : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
