/**
 * Other people's sentence splitters as levels, for who wants their answers: the runtime's `Intl.Segmenter`, and the package
 * sentence-splitter, which its user loads and hands in. Both take more than linear time on long text, so they are given windows of
 * a few kilobytes, each beginning at the last end that the one before was sure of. What they find is kept for the view it was
 * found in. Their answers depend on the runtime's or the package's version; the rules of sentences.ts do not.
 */
import { IngestError } from '../../src/errors.js';
import { splitsPair } from '../../src/segment.js';
import type { Level } from '../../src/types.js';
import { isBlank, isBreak } from './levels.js';

/** The part of the package sentence-splitter that is used. */
export interface SentenceSplitter {
  split(text: string): readonly { readonly type: string; readonly range: readonly [number, number] }[];
}

/** Where sentences end in a text, in order; the text's own end may be among them. */
type Ends = (text: string) => readonly number[];

const INTL_UNITS = 2048;
/** sentence-splitter takes a second for 160 KB, and a minute for four times as much. */
const SPLITTER_UNITS = 4096;

/** What lies so near to a window's edge is undecided. */
const EDGE_UNITS = 64;

export function intl(language = 'und'): Level {
  const segmenter = segmenterOf(language);
  return windowed(INTL_UNITS, (text) => Array.from(segmenter.segment(text), ({ index, segment }) => index + segment.length));
}

function segmenterOf(language: string): Intl.Segmenter {
  try {
    return new Intl.Segmenter(language, { granularity: 'sentence' });
  } catch (error) {
    throw new IngestError('config', 'bad-options', `${JSON.stringify(language)} is no tag of a language: write en, or pt-BR`, {
      cause: error,
    });
  }
}

export function splitterLevel(splitter: SentenceSplitter | undefined): Level {
  if (splitter === undefined) {
    const message = 'the sentence engine sentence-splitter needs the package of that name: install it, and pass it as splitter';
    throw new IngestError('config', 'bad-options', message);
  }
  return windowed(SPLITTER_UNITS, (text) =>
    splitter
      .split(text)
      .filter(({ type }) => type === 'Sentence')
      .map(({ range }) => range[1]),
  );
}

/** What was found in a view so far: `ends` lie before `done`, from where the next window begins. */
interface Found {
  readonly view: string;
  readonly ends: number[];
  done: number;
}

function windowed(units: number, endsOf: Ends): Level {
  let found: Found = { view: '', ends: [], done: 0 };
  return {
    name: 'sentence',
    last(view, from, to) {
      if (found.view !== view) found = { view, ends: [], done: 0 };
      while (found.done < view.length && found.done <= to) advance(found, units, endsOf);
      const end = lastUpTo(found.ends, to);
      return end === undefined || end <= from ? undefined : { end, next: end };
    },
  };
}

/** One more window. An end near its edge may be the edge's doing: it is left to the next one, unless the text ends there. */
function advance(found: Found, units: number, endsOf: Ends): void {
  const { view, ends, done } = found;
  let edge = Math.min(view.length, done + units);
  if (splitsPair(view, edge)) edge--;
  const isLast = edge === view.length;
  const places = endsOf(view.slice(done, edge)).map((place) => afterSpace(view, done + place, edge));
  const sure = isLast ? places : places.filter((place) => place <= edge - EDGE_UNITS);
  for (const place of sure) if (place > (ends.at(-1) ?? 0)) ends.push(place);
  found.done = isLast ? view.length : Math.max(sure.at(-1) ?? edge, done + 1);
}

/** White space belongs to the sentence before it. */
function afterSpace(view: string, place: number, edge: number): number {
  let at = place;
  while (at < edge && (isBlank(view.charCodeAt(at)) || isBreak(view.charCodeAt(at)))) at++;
  return at;
}

/** The largest number up to `to` of an ordered list. */
function lastUpTo(places: readonly number[], to: number): number | undefined {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! <= to) low = middle + 1;
    else high = middle;
  }
  return places[low - 1];
}
