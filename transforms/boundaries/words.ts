/**
 * The `words` strategy: so many words a chunk, as the unit `words` counts them, and the white space between them as it is in the
 * source.
 */
import { splitsPair } from '../../src/segment.js';
import type { Spec } from '../../src/spec.js';
import { words as counter } from '../../src/tokens/units.js';
import type { Level, Strategy } from '../../src/types.js';
import { isBlank, isBreak } from './levels.js';

export const wordsSpec: Spec = { name: 'words', summary: 'so many words a chunk, white space kept; sizes count words' };

export function words(): Strategy {
  return { name: 'words', packing: 'fill', levels: [countedWord], overlapStarts: startsCountedWord };
}

const isSpace = (unit: number): boolean => isBlank(unit) || isBreak(unit);

/** Before these there is nothing but words of letters, which blanks part. */
const FIRST_WIDE = 0x2e80;

/** Where the counter begins another word: after a blank, and beside each character that counts as a word of its own. */
export function startsCountedWord(view: string, at: number): boolean {
  const before = view.charCodeAt(at - 1);
  const here = view.charCodeAt(at);
  if (isSpace(here)) return false;
  if (isSpace(before)) return true;
  if ((before < FIRST_WIDE && here < FIRST_WIDE) || splitsPair(view, at)) return false;
  const left = view.slice(splitsPair(view, at - 1) ? at - 2 : at - 1, at);
  const right = String.fromCodePoint(view.codePointAt(at) ?? 0x20);
  return counter.count(left + right) === counter.count(left) + counter.count(right);
}

const countedWord: Level = {
  name: 'word',
  last(view, from, to) {
    for (let at = to; at > from; at--) if (startsCountedWord(view, at)) return { end: at, next: at };
    return undefined;
  },
};
