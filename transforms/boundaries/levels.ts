/**
 * The common kinds of boundary, coarse to fine: paragraph, line, word, grapheme (sentences.ts has the sentence). Each is found by
 * looking back from where the budget ends, so that text is only looked at near a cut. Local by design: a boundary depends on a few
 * characters around it, never on where the document began, so buffers cannot move it (L1).
 */
import { splitsPair } from '../../src/segment.js';
import type { Cut, Level } from '../../src/types.js';

/** A cut that drops nothing. */
function cut(at: number): Cut {
  return { end: at, next: at };
}

/** Positions tested one by one before the engine is asked whether any further back can be a boundary at all. */
const FEW = 128;

/** Characters before a position that its test may look at, besides runs of blanks. */
const CONTEXT = 16;

/**
 * A level given by a test of single positions, walked backwards. `sign` matches whenever some position of the text could pass the
 * test: on text that has no such boundary, a search by the engine is many times quicker than testing each position.
 */
function level(name: string, isBoundary: (view: string, at: number) => boolean, sign: RegExp): Level {
  return {
    name,
    last(view, from, to) {
      for (let at = to; at > from; at--) {
        if (to - at === FEW && !sign.test(view.slice(Math.max(0, from - CONTEXT), at + 1))) return undefined;
        if (isBoundary(view, at)) return cut(at);
      }
      return undefined;
    },
  };
}

/** LF, VT, FF, CR, NEL, LS, PS: what Unicode (UAX 14) breaks lines after. */
export function isBreak(unit: number): boolean {
  return (unit >= 0x0a && unit <= 0x0d) || unit === 0x85 || unit === 0x2028 || unit === 0x2029;
}

/** White space within a line, zero-width space included. */
export function isBlank(unit: number): boolean {
  if (unit > 0x20 && unit < 0xa0) return false;
  return (
    unit === 0x20 ||
    unit === 0x09 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200b) ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

/** Characters a chunk never consists of alone: white space, and marks that show nothing. */
const SHOWN = /[^\s\u0085\u200b-\u200d\u2060\ufeff]/g;

/** The first position in [from, to) of a character that shows, or -1. */
export function firstShown(text: string, from: number, to: number): number {
  if (from >= to) return -1;
  SHOWN.lastIndex = from;
  // Bounded by a slice: a text of a million blanks must not be read to its end for one answer.
  const found = to < text.length ? firstShown(text.slice(from, to), 0, to - from) : (SHOWN.exec(text)?.index ?? -1);
  return found < 0 || to === text.length ? found : found + from;
}

/** The position just after the last character in [from, to) that shows, or `from`. */
export function lastShown(text: string, from: number, to: number): number {
  let at = to;
  while (at > from) {
    const unit = text.charCodeAt(at - 1);
    if (!isBlank(unit) && !isBreak(unit) && unit !== 0xfeff && unit !== 0x2060 && unit !== 0x200c && unit !== 0x200d) break;
    at--;
  }
  return at;
}

/** After a line break. CR LF is one break. */
function endsLine(view: string, at: number): boolean {
  const before = view.charCodeAt(at - 1);
  return isBreak(before) && !(before === 0x0d && view.charCodeAt(at) === 0x0a);
}

/** After a break, when the line it ends is blank, or after U+2029 (paragraph separator) or a form feed. */
function endsParagraph(view: string, at: number): boolean {
  const before = view.charCodeAt(at - 1);
  if (before === 0x2029 || before === 0x0c) return true;
  let i = at - 1;
  if (before === 0x0a && view.charCodeAt(i - 1) === 0x0d) i--;
  while (i > 0 && isBlank(view.charCodeAt(i - 1))) i--;
  return i > 0 && isBreak(view.charCodeAt(i - 1));
}

const BREAKS = /[\n-\r\u0085\u2028\u2029]/;

export const paragraph: Level = level('paragraph', (view, at) => endsLine(view, at) && endsParagraph(view, at), BREAKS);

export const line: Level = level('line', endsLine, BREAKS);

/** Scripts written without spaces, where nearly every character is a place to cut: Han, kana, and their punctuation. */
function isUnspaced(unit: number): boolean {
  return (
    (unit >= 0x3001 && unit <= 0x30ff) ||
    (unit >= 0x3400 && unit <= 0x9fff) ||
    (unit >= 0xf900 && unit <= 0xfaff) ||
    (unit >= 0xff01 && unit <= 0xff9f) ||
    (unit >= 0xd840 && unit <= 0xd88f)
  );
}

/** Not at the start of a line (kinsoku, JIS X 4051, abridged): closing marks, small kana, the prolonged sound mark. */
const NOT_FIRST =
  '\u3001\u3002\uff0c\uff0e\u30fb\uff1a\uff1b\uff1f\uff01\u3009\u300b\u300d\u300f\u3011\u3015\uff09\uff3d\uff5d\u2019\u201d\u30fc\u3005' +
  '\u3041\u3043\u3045\u3047\u3049\u3063\u3083\u3085\u3087\u308e\u30a1\u30a3\u30a5\u30a7\u30a9\u30c3\u30e3\u30e5\u30e7\u30ee\u3099\u309a)]}.,!?';
/** Not at the end of a line: opening marks. */
const NOT_LAST = '\u3008\u300a\u300c\u300e\u3010\u3014\uff08\uff3b\uff5b\u2018\u201c([{';

/** At the start of a word: after white space, or between the characters of a script without spaces. */
export function startsWord(view: string, at: number): boolean {
  const before = view.charCodeAt(at - 1);
  const here = view.charCodeAt(at);
  if (isBlank(before) || isBreak(before)) return !isBlank(here) && !isBreak(here);
  if (!isUnspaced(before) && !isUnspaced(here)) return false;
  if (splitsPair(view, at) || isBlank(here) || isBreak(here)) return false;
  return !NOT_FIRST.includes(view[at] ?? ' ') && !NOT_LAST.includes(view[at - 1]!) && isClusterEdge(view, at);
}

/** White space, or what `isUnspaced` says. */
const WORD_EDGES = /[\s\u0085\u200b\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f\ud840-\ud88f]/;

export const word: Level = level('word', startsWord, WORD_EDGES);

/** How far around a position graphemes are looked for, in units. The engine's segmenter is quadratic on Node 20. */
export const CLUSTER_UNITS = 96;

/** Made when it is first needed: that takes longer than all else that help and short runs do. */
let graphemes: Intl.Segmenter | undefined;

/** Between two characters as a reader sees them (extended grapheme clusters, UAX 29). */
export function isClusterEdge(view: string, at: number): boolean {
  if (at <= 0 || at >= view.length) return true;
  const before = view.charCodeAt(at - 1);
  const here = view.charCodeAt(at);
  if (before < 0x300 && here < 0x300) return !(before === 0x0d && here === 0x0a);
  if (here >= 0x4e00 && here <= 0x9fff && (before < 0x300 || (before >= 0x3000 && before <= 0x9fff))) return true;
  if (splitsPair(view, at)) return false;
  const from = clusterStart(view, at);
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  const cluster = graphemes.segment(view.slice(from, at + CLUSTER_UNITS)).containing(at - from);
  return cluster === undefined || cluster.index === at - from;
}

/** A place at or before `at` from which clusters can be counted: after white space or ASCII, or CLUSTER_UNITS back. */
function clusterStart(view: string, at: number): number {
  const floor = Math.max(0, at - CLUSTER_UNITS);
  for (let i = at - 1; i > floor; i--) {
    const unit = view.charCodeAt(i);
    if (unit < 0x300 && unit !== 0x0d) return i;
  }
  return splitsPair(view, floor) ? floor + 1 : floor;
}

/** Zero-width space and word joiner belong to the character before: see normalise. */
function isJoiner(unit: number): boolean {
  return unit === 0x200b || unit === 0x2060;
}

export function startsCharacter(view: string, at: number): boolean {
  return !isJoiner(view.charCodeAt(at)) && isClusterEdge(view, at);
}

const ANY = /./s;
const anyCluster = level('grapheme', startsCharacter, ANY);

/** Looks CLUSTER_UNITS back and no further: what is longer is no character to any reader, but costs as if it were. */
export const grapheme: Level = {
  name: 'grapheme',
  last: (view, from, to, marks) => anyCluster.last(view, Math.max(from, to - CLUSTER_UNITS), to, marks),
};

export function startsPoint(view: string, at: number): boolean {
  return !splitsPair(view, at) && !isJoiner(view.charCodeAt(at));
}

/** The last resort. */
export const codePoint: Level = level('code point', startsPoint, ANY);
