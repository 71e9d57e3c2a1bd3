/**
 * The `recursive` strategy: the coarsest boundary that fits, of paragraph, line, sentence, word; or of the user's own
 * separators. Below the last of them the cutter falls back to graphemes and code points by itself.
 */
import type { Spelling } from '../../src/options.js';
import type { OptionSpec, Spec } from '../../src/spec.js';
import type { Cut, Level, Strategy } from '../../src/types.js';
import { line, paragraph, sentence, word } from './levels.js';

export const SEPARATOR_POSITIONS = ['end', 'start', 'drop'] as const;
export type SeparatorPosition = (typeof SEPARATOR_POSITIONS)[number];

export interface RecursiveOptions {
  /** Coarse to fine; strings are taken literally. Empty: paragraph, line, sentence, word. */
  readonly separators?: readonly (string | RegExp)[];
  /** Where a separator goes when text is cut at it: to the chunk before (end), the chunk after (start), or to neither. */
  readonly separatorPosition?: SeparatorPosition;
}

const options: readonly OptionSpec[] = [
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
    summary: 'the separators are regular expressions (JavaScript, flags u and m)',
  },
  {
    name: 'separator-position',
    type: 'choice',
    group: 'chunking',
    choices: SEPARATOR_POSITIONS,
    summary: 'a separator at a cut goes to the end of the chunk before, the start of the one after, or is dropped',
    defaultText: 'end',
  },
];

export const recursiveSpec: Spec = {
  name: 'recursive',
  summary: 'the coarsest boundary that fits the budget: paragraph, line, sentence, word',
  options,
};

export function recursive({ separators = [], separatorPosition = 'end' }: RecursiveOptions = {}): Strategy {
  const levels =
    separators.length === 0
      ? [paragraph, line, sentence, word]
      : separators.map((separator) =>
          typeof separator === 'string' ? plain(separator, separatorPosition) : pattern(separator, separatorPosition),
        );
  return { name: 'recursive', packing: 'fill', levels };
}

/** Reads the options of the command line and of configuration files, where a separator is a string with escapes. */
export function recursiveFrom(given: Readonly<Record<string, unknown>>, problems: string[], spelling: Spelling): Strategy {
  const written = (given.separators ?? []) as readonly string[];
  const isRegex = given.separatorsRegex === true;
  if (isRegex && written.length === 0) problems.push(`${spelling('separators-regex')} needs ${spelling('separators')}`);
  const separators: (string | RegExp)[] = [];
  for (const each of written) {
    if (!isRegex) separators.push(unescaped(each));
    else {
      try {
        separators.push(new RegExp(each, 'um'));
      } catch (error) {
        problems.push(`${spelling('separators')} ${JSON.stringify(each)} is no regular expression: ${(error as Error).message}`);
      }
    }
  }
  for (const separator of separators) {
    const matchesNothing = typeof separator === 'string' ? separator === '' : separator.test('');
    if (matchesNothing)
      problems.push(`${spelling('separators')} must not be empty or match the empty text: ${separator || '""'}`);
  }
  return recursive({ separators, separatorPosition: (given.separatorPosition as SeparatorPosition | undefined) ?? 'end' });
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', '\\': '\\' };

function unescaped(written: string): string {
  return written.replace(/\\(?:u([0-9a-fA-F]{4})|([nrtf\\]))/g, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? ESCAPES[letter]! : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** The cut at a separator that lies at [i, j). */
function cutAt(i: number, j: number, position: SeparatorPosition): Cut {
  if (position === 'end') return { end: j, next: j };
  return position === 'start' ? { end: i, next: i } : { end: i, next: j };
}

function plain(separator: string, position: SeparatorPosition): Level {
  const length = separator.length;
  // The end of a chunk is the end of the separator or its beginning; `shift` leads from where it begins to that end.
  const shift = position === 'end' ? length : 0;
  return {
    name: JSON.stringify(separator),
    last(view, from, to) {
      // A separator that is not whole in the view is not there yet.
      const at = to - shift < 0 ? -1 : view.lastIndexOf(separator, to - shift);
      if (at < 0 || at + shift <= from) return undefined;
      return position === 'drop' ? dropAll(view, separator, at, from) : cutAt(at, at + length, position);
    },
  };
}

/** Separators in a row are dropped together, or one of them would begin the next chunk. */
function dropAll(view: string, separator: string, at: number, from: number): Cut {
  let i = at;
  let j = at + separator.length;
  while (i - separator.length > from && view.startsWith(separator, i - separator.length)) i -= separator.length;
  while (view.startsWith(separator, j)) j += separator.length;
  return { end: i, next: j };
}

function pattern(separator: RegExp, position: SeparatorPosition): Level {
  const global = new RegExp(separator.source, separator.flags.includes('g') ? separator.flags : `${separator.flags}g`);
  return {
    name: String(separator),
    last(view, from, to) {
      let found: Cut | undefined;
      global.lastIndex = from;
      for (let match = global.exec(view); match !== null; match = global.exec(view)) {
        if (match[0] === '') {
          global.lastIndex++;
          continue;
        }
        const cut = cutAt(match.index, match.index + match[0].length, position);
        if (cut.end > to) break;
        if (cut.end > from) found = cut;
      }
      return found;
    },
  };
}
