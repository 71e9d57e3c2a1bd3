/**
 * The `recursive` strategy: the coarsest boundary that fits, of paragraph, line, sentence, word; or of those of a programming or
 * markup language; or of the user's own separators. Below the last of them the cutter falls back to graphemes and code points by
 * itself.
 */
import { asKey, type Spelling } from '../../src/options.js';
import type { Spec } from '../../src/spec.js';
import type { Strategy } from '../../src/types.js';
import { LANGUAGES, languageLevels } from './languages.js';
import { line, paragraph, word } from './levels.js';
import { sentence } from './sentences.js';
import { PATTERN_LIMITS, positionOption, readSeparators } from './separator-options.js';
import { checkSeparators, type Separator, type SeparatorPosition, separatorLevel } from './separators.js';

export interface RecursiveOptions {
  /** Coarse to fine; strings are taken literally. Empty: what the language has, else paragraph, line, sentence, word. */
  readonly separators?: readonly Separator[];
  /** Where a separator goes when text is cut at it: to the chunk before (end), the chunk after (start), or to neither. */
  readonly separatorPosition?: SeparatorPosition;
  /** One of `LANGUAGES`. */
  readonly language?: string;
}

export const recursiveSpec: Spec = {
  name: 'recursive',
  summary: 'the coarsest boundary that fits the budget: paragraph, line, sentence, word, or those of a language',
  options: [
    {
      name: 'separators',
      type: 'list',
      group: 'chunking',
      value: 'TEXT',
      summary: 'where text may be cut, coarse to fine (repeat it); \\n, \\t and \\uXXXX are understood',
      defaultText: 'paragraph, line, sentence, word',
    },
    {
      name: 'separators-regex',
      type: 'flag',
      group: 'chunking',
      summary: `the separators are regular expressions (${PATTERN_LIMITS})`,
    },
    positionOption,
    {
      name: 'language',
      type: 'choice',
      group: 'chunking',
      choices: LANGUAGES,
      summary: 'cut before definitions or headings of this language, comments and decorators with what they belong to',
    },
  ],
};

export function recursive({ separators = [], separatorPosition = 'end', language }: RecursiveOptions = {}): Strategy {
  checkSeparators(separators);
  const own = separators.map((separator) => separatorLevel([separator], separatorPosition));
  const levels = language === undefined ? [paragraph, line, sentence(), word] : languageLevels(language);
  return { name: 'recursive', packing: 'fill', levels: own.length > 0 ? own : levels };
}

/** Reads the options of the command line and of configuration files, where a separator is a string with escapes. */
export function recursiveFrom(given: Readonly<Record<string, unknown>>, problems: string[], spelling: Spelling): Strategy {
  const {
    separators: written = [],
    separatorsRegex = false,
    separatorPosition,
    language,
  } = given as {
    readonly separators?: readonly string[];
    readonly separatorsRegex?: boolean;
  } & Pick<RecursiveOptions, 'separatorPosition' | 'language'>;
  const isOwn = written.length > 0;
  for (const name of ['separators-regex', 'separator-position'] as const)
    if (asKey(name) in given && !isOwn) problems.push(`${spelling(name)} needs ${spelling('separators')}`);
  if (language !== undefined && isOwn)
    problems.push(`${spelling('language')} has separators of its own: leave ${spelling('separators')} out`);
  const separators = readSeparators(written, separatorsRegex, problems, spelling('separators'));
  return recursive({
    separators,
    ...(separatorPosition === undefined ? {} : { separatorPosition }),
    ...(language === undefined ? {} : { language }),
  });
}
