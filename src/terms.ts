/**
 * The terms of a text, for ranking: those of scikit-learn's default vectoriser, which are the runs of two or more word characters
 * of the text in lower case. A word character is what Python's `\w` takes for one: a letter, a number, `_`; no mark, so that
 * scripts with vowel signs are cut at these, there as here. Scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese)
 * would make a term of each clause; theirs are the words that `Intl.Segmenter` finds, also those of one character.
 *
 * What a character is, and where these words end, is the runtime's Unicode data: the same text has the same terms within a process.
 */

/** Told of a term by its place in the text in lower case. */
export type TermVisitor = (lower: string, start: number, end: number) => void;

const WORD = 1;
/** Of a script without spaces; marks too. */
const DENSE = 2;

const WORDS = /[\p{L}\p{N}_]/u;
/** With what kana share, such as the long-vowel mark; not with what Thai shares with everybody, such as the tilde above. */
const DENSE_SCRIPTS = /(?=[\p{L}\p{N}\p{M}])[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/** Visits the terms in order; words of scripts without spaces come in the order of their stretches too. */
export function eachTerm(text: string, visit: TermVisitor): void {
  const lower = text.toLowerCase();
  const kinds = kindsOfUnits();
  const { length } = lower;
  for (let at = 0; at < length; ) {
    const kind = kinds[lower.charCodeAt(at)]!;
    if (kind === 0) at++;
    else if (kind === WORD) at = run(lower, at, kinds, visit);
    else if (kind === DENSE) at = stretch(lower, at, kinds, visit);
    else at = outsidePlane(lower, at, kinds, visit);
  }
}

/** The terms of a text, as often as they occur. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  eachTerm(text, (lower, start, end) => terms.push(lower.slice(start, end)));
  return terms;
}

/** From a word character to the end of its run; a run of one character is no term. */
function run(lower: string, start: number, kinds: Uint8Array, visit: TermVisitor): number {
  let characters = 0;
  let at = start;
  for (;;) {
    const kind = at < lower.length ? kinds[lower.charCodeAt(at)]! : 0;
    if (kind === WORD) at++;
    else if (kind === SURROGATE && kindOfPoint(lower.codePointAt(at)!) === WORD) at += 2;
    else break;
    characters++;
  }
  if (characters > 1) visit(lower, start, at);
  return at;
}

/** From a character of a script without spaces to the first that is none. */
function stretch(lower: string, start: number, kinds: Uint8Array, visit: TermVisitor): number {
  let at = start;
  for (;;) {
    const kind = at < lower.length ? kinds[lower.charCodeAt(at)]! : 0;
    if (kind === DENSE) at++;
    else if (kind === SURROGATE && kindOfPoint(lower.codePointAt(at)!) === DENSE) at += 2;
    else break;
  }
  wordsBetween(lower, start, at, visit);
  return at;
}

function outsidePlane(lower: string, at: number, kinds: Uint8Array, visit: TermVisitor): number {
  const point = lower.codePointAt(at)!;
  const kind = kindOfPoint(point);
  if (kind === WORD) return run(lower, at, kinds, visit);
  if (kind === DENSE) return stretch(lower, at, kinds, visit);
  return at + (point > 0xffff ? 2 : 1);
}

/* ------------------------------------------------------------------ words without spaces */

/** The segmenter's time grows faster than what it is given. */
const WINDOW = 128;

/** The words of `[start, end)`. A window's last word may go on in the next, so that one begins with it. */
function wordsBetween(lower: string, start: number, end: number, visit: TermVisitor): void {
  for (let from = start; from < end; ) {
    const to = windowEnd(lower, from, end);
    let next = to;
    for (const { index, segment, isWordLike } of segmenter().segment(lower.slice(from, to))) {
      const first = from + index;
      const last = first + segment.length;
      if (last === to && to < end && index > 0) next = first;
      else if (isWordLike === true) visit(lower, first, last);
    }
    from = next;
  }
}

/** No window ends within a character. */
function windowEnd(lower: string, from: number, end: number): number {
  const to = from + WINDOW;
  if (to >= end) return end;
  return (lower.charCodeAt(to) & 0xfc00) === 0xdc00 ? to - 1 : to;
}

let sharedSegmenter: Intl.Segmenter | undefined;

function segmenter(): Intl.Segmenter {
  // Named, or the words would be those of the user's locale.
  sharedSegmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  return sharedSegmenter;
}

/* ------------------------------------------------------------------ what a character is */

/** Half a pair: the pair says what it is. */
const SURROGATE = 3;

let sharedKinds: Uint8Array | undefined;

/** The kind of each UTF-16 unit. */
function kindsOfUnits(): Uint8Array {
  if (sharedKinds !== undefined) return sharedKinds;
  sharedKinds = new Uint8Array(0x10000);
  for (let unit = 0; unit < 0x10000; unit++) {
    sharedKinds[unit] = unit >= 0xd800 && unit < 0xe000 ? SURROGATE : kindOfPoint(unit);
  }
  return sharedKinds;
}

function kindOfPoint(point: number): number {
  const character = String.fromCodePoint(point);
  if (DENSE_SCRIPTS.test(character)) return DENSE;
  return WORDS.test(character) ? WORD : 0;
}
