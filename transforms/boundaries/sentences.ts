/**
 * Where sentences end: rules over at most 64 units on either side of a place, so that the answer depends on nothing farther away,
 * costs the same wherever it is asked, and no buffer can change it. A sentence owns the quotes, brackets and white space after its
 * end: the cut lies where the next one begins.
 *
 * A blank line ends a sentence whatever stands there; so does a line break next to a list item, heading, table row or fence. Any
 * other line break is a blank like others. A gap of more than 32 units is a column or a page, and ends one too. Words are looked
 * up in sentence-tables.ts; other people's splitters are in sentence-engines.ts.
 */
import { IngestError } from '../../src/errors.js';
import type { Level } from '../../src/types.js';
import { isBlank, isBreak } from './levels.js';
import { intl, type SentenceSplitter, splitterLevel } from './sentence-engines.js';
import { type Abbreviation, type Vocabulary, vocabularyOf } from './sentence-tables.js';

export const SENTENCE_ENGINES = ['rules', 'intl', 'sentence-splitter'] as const;
export type SentenceEngine = (typeof SENTENCE_ENGINES)[number];

export interface SentenceOptions {
  /** A tag such as `de` or `pt-BR`. Without it the tables of all languages are used together. */
  readonly language?: string;
  /** What ends a sentence, instead of the marks of all scripts. One that the rules know keeps its rules; see `endsWith`. */
  readonly enders?: readonly string[];
  readonly engine?: SentenceEngine;
  /** The package of that name, for the engine `sentence-splitter`: who wants it loads it. */
  readonly splitter?: SentenceSplitter;
}

/** Units on either side of a place that its answer may depend on. */
export const SENTENCE_CONTEXT = 64;

/** A wider gap ends a sentence. Less than half of the context, so that the word before the gap is always in sight. */
const WIDEST_GAP = 32;
/** Likewise, of an ender of the user's own. */
const LONGEST_ENDER = 16;
/** Closing quotes and brackets, the marks before them, and the word before these: each is looked at only so far. */
const MOST_MARKS = 8;
const LONGEST_WORD = 16;
const LONGEST_ABBREVIATION = 12;

/* What a unit is to these rules. */
const OTHER = 0;
const BLANK = 1;
const BREAK = 2;
/** The full stop: the one that has to be told from abbreviations. */
const STOP = 3;
const ASK = 4;
const DOTS = 5;
/** Ends a sentence and does nothing else; no white space need follow: danda, the Arabic question mark, and the like. */
const FULL = 6;
/** Full stops and question marks of Chinese and Japanese: likewise, but quoted speech may go on after them. */
const WIDE = 7;
const SEMICOLON = 8;
const CLOSER = 9;
const OPENER = 10;
/** Never at the start of a sentence. */
const COMMA = 11;

const KIND = new Uint8Array(0x10000);
for (let unit = 0; unit < KIND.length; unit++) if (isBreak(unit)) KIND[unit] = BREAK;
for (let unit = 0; unit <= 0x3000; unit++) if (isBlank(unit)) KIND[unit] = BLANK;
for (const [units, kind] of [
  ['.', STOP],
  ['!?\u203c\u203d\u2047\u2048\u2049\u037e\ufe56\ufe57\u055c\u055e', ASK],
  ['\u2026', DOTS],
  [
    '\u061f\u06d4\u0589\u0964\u0965\u104a\u104b\u1362\u1367\u17d4\u17d5\u1803\u1809\u0700\u0701\u0702\u07f9\u1c7e\u1c7f\ua6f3',
    FULL,
  ],
  ['\u3002\uff01\uff1f\uff0e\uff61', WIDE],
  [';', SEMICOLON],
  ['"\')]}\u2019\u201d\u00bb\u203a\u300d\u300f\u3009\u300b\u3011\u3015\uff09\uff3d\uff5d\u00b9\u00b2\u00b3', CLOSER],
  [
    '([{\u2018\u201c\u201e\u201a\u00ab\u2039\u300c\u300e\u3008\u300a\u3010\u3014\uff08\uff3b\uff5b\u00a1\u00bf*_`~\u2014\u2013\u2022-',
    OPENER,
  ],
  [',:\u060c\u061b\u3001\uff0c\uff1a\uff1b', COMMA],
] as const)
  for (const unit of units) KIND[unit.charCodeAt(0)] = kind;

/** OTHER outside of the text: an index that is no number makes every look at the table slow. */
const kindAt = (text: string, at: number): number => (at >= 0 && at < text.length ? KIND[text.charCodeAt(at)]! : OTHER);
const isSpace = (kind: number): boolean => kind === BLANK || kind === BREAK;

/** Whether a sentence may end before `at`, where the next one begins: after the white space, if there is any. */
export function endsSentence(text: string, at: number, language?: string): boolean {
  return ends(text, at, vocabularyOf(language));
}

export function sentence({ language, enders, engine = 'rules', splitter }: SentenceOptions = {}): Level {
  if (engine !== 'rules' && enders !== undefined && enders.length > 0)
    throw new IngestError(
      'config',
      'bad-options',
      `the sentence engine ${engine} takes no enders of your own: use the engine rules`,
    );
  if (engine === 'intl') return intl(language);
  if (engine === 'sentence-splitter') return splitterLevel(splitter);
  const vocabulary = vocabularyOf(language);
  if (enders === undefined || enders.length === 0) return byRules(vocabulary);
  if (!enders.every(({ length }) => length > 0 && length <= LONGEST_ENDER))
    throw new IngestError('config', 'bad-options', `an ender must not be empty, nor longer than ${LONGEST_ENDER} units`);
  return byEnders(enders, vocabulary);
}

/** Where no ender's last unit stands, and no line break or gap, there is nothing to look for. */
function byEnders(enders: readonly string[], vocabulary: Vocabulary): Level {
  const longest = enders.toSorted((a, b) => b.length - a.length);
  const lasts = new Set(
    enders.flatMap((ender) => [ender.charCodeAt(ender.length - 1), ender.charCodeAt(ender.trimEnd().length - 1)]),
  );
  const isPlain = (unit: number) => KIND[unit] === OTHER && !lasts.has(unit);
  return {
    name: 'sentence',
    last(view, from, to) {
      for (let at = to; at > from; at--) {
        const before = view.charCodeAt(at - 1);
        if (isPlain(before)) continue;
        if (KIND[before] === BLANK && !lasts.has(before) && at > 1 && isPlain(view.charCodeAt(at - 2))) continue;
        if (endsWith(view, at, longest, vocabulary)) return { end: at, next: at };
      }
      return undefined;
    },
  };
}

/** Passes over letters here, as they are most of a text. */
function byRules(vocabulary: Vocabulary): Level {
  return {
    name: 'sentence',
    last(view, from, to) {
      for (let at = to; at > from; at--) {
        const before = KIND[view.charCodeAt(at - 1)]!;
        if (before !== OTHER && endsAfter(view, at, before, vocabulary)) return { end: at, next: at };
      }
      return undefined;
    },
  };
}

function ends(text: string, at: number, vocabulary: Vocabulary): boolean {
  const before = kindAt(text, at - 1);
  return before !== OTHER && endsAfter(text, at, before, vocabulary);
}

/** Turns away what cannot be an end by the two units before it, which is nearly all; the rest is decided on the context alone. */
function endsAfter(text: string, at: number, before: number, vocabulary: Vocabulary): boolean {
  if (before === BLANK) {
    const last = kindAt(text, at - 2);
    if (last === OTHER || last === COMMA) return false;
  } else if (before !== BREAK && !mayEndUnspaced(text, at, before)) return false;
  if (isSpace(kindAt(text, at))) return false;
  const from = Math.max(0, at - SENTENCE_CONTEXT);
  return decide(text.slice(from, at + SENTENCE_CONTEXT), at - from, vocabulary);
}

/** Without white space only the marks of scripts that need none end a sentence, and any mark at the end of the text. */
function mayEndUnspaced(text: string, at: number, before: number): boolean {
  if (before === WIDE || before === FULL || at >= text.length) return true;
  // Emphasis may close right before the next sentence: **終。**始
  if (before === OPENER || before === COMMA) return text.charCodeAt(at - 1) === 0x2a;
  return before === CLOSER ? kindAt(text, at - 2) !== OTHER : isUnspaced(text.charCodeAt(at));
}

/** Kana and Han. Their punctuation is told apart by its kind. */
function isUnspaced(unit: number): boolean {
  return (unit >= 0x3040 && unit <= 0x9fff) || (unit >= 0xf900 && unit <= 0xfaff) || (unit >= 0xd840 && unit <= 0xd88f);
}

/** The decision on `text`, which is the context and no more; `at` is in it. */
function decide(text: string, at: number, vocabulary: Vocabulary): boolean {
  const gap = gapBefore(text, at);
  if (at - gap > WIDEST_GAP) return true;
  if (gap === 0) return false;
  if (isPart(text, gap, at)) return true;
  if (!startsSentence(text, at, gap < at)) return false;
  return endsAtMark(text, gap, at, vocabulary);
}

/** Where the white space before `at` begins. */
function gapBefore(text: string, at: number): number {
  let gap = at;
  while (isSpace(kindAt(text, gap - 1))) gap--;
  return gap;
}

/** Whether the gap holds a blank line, a form feed or a paragraph separator; or a line break with a block on either side. */
function isPart(text: string, gap: number, at: number): boolean {
  let breaks = 0;
  for (let i = gap; i < at; i++) {
    if (kindAt(text, i) !== BREAK) continue;
    if (text[i] === '\f' || text[i] === '\u2029') return true;
    if (text[i] !== '\n' || text[i - 1] !== '\r') breaks++;
  }
  return breaks > 1 || (breaks === 1 && isBlockEdge(text, gap, at));
}

/** At the start of a line: a list item, a heading, a quotation, a table row, a fence. */
const BLOCK_START = /^(?:[-*+\u2022\u2023\u25e6]\s|\d{1,3}[.)]\s|\(?(?:\d{1,3}|[A-Za-z])\)\s|#{1,6}\s|>|\||`{3}|~{3})/;
/** A line that is a heading, an underline or rule, a table row or a fence. */
const BLOCK_LINE = /^[^\S\n]{0,3}(?:#{1,6}\s|\||`{3}|~{3}|[-=*_]{3,}\s*$)/;

/** Whether the line break between `gap` and `at` parts more than lines. A line longer than the context shows its end only. */
function isBlockEdge(text: string, gap: number, at: number): boolean {
  const sort = caseAt(text, at);
  if ((sort === NONE || sort === DIGIT || text[at + 1] === ')') && BLOCK_START.test(text.slice(at, at + MOST_MARKS))) return true;
  const start = Math.max(text.lastIndexOf('\n', gap - 1), text.lastIndexOf('\r', gap - 1)) + 1;
  if (start === 0 && at >= SENTENCE_CONTEXT) return false;
  const first = text.charCodeAt(start);
  return (isBlank(first) || !isWordUnit(first) || first === 0x2d) && BLOCK_LINE.test(text.slice(start, gap));
}

/** Brackets and marks that close whatever follows; quotes that look alike at both ends open before a letter, after white space. */
const ONLY_CLOSE = ')]}\u300d\u300f\u3009\u300b\u3011\u3015\uff09\uff3d\uff5d\u00b9\u00b2\u00b3';

function startsSentence(text: string, at: number, spaced: boolean): boolean {
  const kind = kindAt(text, at);
  if (at >= text.length || kind === OTHER || kind === OPENER) return true;
  if (!spaced) return false;
  const next = kindAt(text, at + 1);
  if (kind === CLOSER)
    return !ONLY_CLOSE.includes(text[at]!) && at + 1 < text.length && (next === OTHER || next === OPENER || next === DOTS);
  if (kind !== STOP && kind !== DOTS) return false;
  // `.NET`, `…and then`
  let after = at;
  while (after < at + MOST_MARKS && (kindAt(text, after) === STOP || kindAt(text, after) === DOTS)) after++;
  return after < text.length && kindAt(text, after) === OTHER;
}

/** What stands before the gap: closing marks, then what ends the sentence. */
interface End {
  /** After the mark that ends it. */
  readonly mark: number;
  readonly isQuoted: boolean;
  readonly isBracketed: boolean;
}

function endsAtMark(text: string, gap: number, at: number, vocabulary: Vocabulary): boolean {
  const end = closersBefore(text, gap);
  const kind = markBefore(text, end.mark, vocabulary);
  const spaced = gap < at;
  if (end.mark < gap && isMentioned(text, end.mark)) return false;
  switch (kind) {
    case FULL:
      return true;
    case WIDE:
      return endsWide(text, end, gap, at);
    case STOP:
    case ASK:
    case DOTS:
    case SEMICOLON:
      if (at >= text.length) return true;
      if (!spaced && !(isUnspaced(text.charCodeAt(at)) && isUnspaced(text.charCodeAt(end.mark - 2)))) return false;
      return kind === STOP ? endsAtStop(text, end, at, vocabulary) : endsAtTone(text, end, kind, at);
    default:
      return false;
  }
}

/** Goes back over closing quotes and brackets, emphasis, and references such as `[3]`. */
function closersBefore(text: string, gap: number): End {
  let mark = gap;
  let isQuoted = false;
  let isBracketed = false;
  for (let looked = 0; mark > 0 && looked < MOST_MARKS; looked++) {
    const here = text[mark - 1]!;
    const reference = here === ']' ? REFERENCE.exec(text.slice(Math.max(0, mark - MOST_MARKS), mark)) : null;
    if (reference !== null) {
      mark -= reference[0].length;
      continue;
    }
    const isEmphasis = here === '*' || here === '_' || here === '`' || here === '~';
    const isClosing = kindAt(text, mark - 1) === CLOSER || here === '\u201c' || here === '\u2018' || here === '\u00ab';
    if (!isEmphasis && !isClosing) break;
    if (BRACKETS.includes(here)) isBracketed = true;
    else if (isClosing) isQuoted = true;
    mark--;
    // « Oui. » has a blank inside its quotes.
    if ((here === '\u00bb' || here === '\u203a') && kindAt(text, mark - 1) === BLANK && kindAt(text, mark - 2) !== OTHER) mark--;
  }
  return { mark, isQuoted, isBracketed };
}

/** Whether brackets or quotes hold the mark alone: a doubt about one word, `(?)`, or a mark that is written about, `"!"`. */
function isMentioned(text: string, mark: number): boolean {
  let start = mark;
  while (start > mark - MOST_MARKS && kindAt(text, start - 1) >= STOP && kindAt(text, start - 1) <= WIDE) start--;
  const before = text[start - 1];
  return (
    before !== undefined && start < mark && (before === text[mark] || '([{\u201c\u201e\u00ab\u300c\u300e\uff08'.includes(before))
  );
}

const REFERENCE = /\[[\p{L}\p{N}]{1,4}\]$/u;
const BRACKETS = ')]}\uff09\uff3d\uff5d\u3011\u3015\u3009\u300b';

/** The kind of the mark that ends before `mark`: that of a run as a whole, `?!`, `...`, `. . .`. */
function markBefore(text: string, mark: number, { greek }: Vocabulary): number {
  const kind = kindAt(text, mark - 1);
  if (mark <= 0) return OTHER;
  if (kind === SEMICOLON) return greek || isGreek(text.charCodeAt(mark - 2)) ? SEMICOLON : OTHER;
  if (kind !== STOP) return kind;
  const before = kindAt(text, mark - 2);
  if (before === ASK || before === DOTS) return before;
  return before === STOP || (before === BLANK && kindAt(text, mark - 3) === STOP) ? DOTS : STOP;
}

const isGreek = (unit: number): boolean => (unit >= 0x0370 && unit <= 0x03ff) || (unit >= 0x1f00 && unit <= 0x1fff);

/** What speech goes on with after its closing quote: particles in Japanese, a short subject and a verb of saying in Chinese. */
const SPEECH_GOES_ON =
  /^(?:と(?!ても|ころ|にかく|きどき|もかく)|って|を|の(?!ち)|が|は(?!い)|に(?!わか)|など|も(?!し|う)|で(?!も|は|す)|(?:(?![没不])[\u4e00-\u9fff]){0,4}?[说說问問喊叫](?![明法话話题題]))/;

function endsWide(text: string, { isQuoted, isBracketed, mark }: End, gap: number, at: number): boolean {
  if (at >= text.length) return true;
  // A title, 《何？》, or a remark, （笑！）, within a sentence.
  if (isBracketed && !isQuoted && at === gap && text[mark - 1] !== '\u3002' && text[mark - 1] !== '\uff61') return false;
  return !isQuoted || !SPEECH_GOES_ON.test(text.slice(at, at + MOST_MARKS));
}

/** Who says so, after a question or an exclamation in quotes: `"Why?" Anna asked.` */
const SAYS =
  /^\p{Lu}[\p{L}'\u2019]{0,14} (?:[Ss]aid|asked|replied|cried|shouted|whispered|answered|called|exclaimed|demanded|wondered|yelled|screamed|muttered|says|asks)\b/u;

/** After ! ? … and their kin. */
function endsAtTone(text: string, { isQuoted, isBracketed }: End, kind: number, at: number): boolean {
  // A remark within a Chinese sentence, as in endsWide.
  if (isBracketed && kindAt(text, at - 1) === CLOSER) return false;
  const next = openedAt(text, at);
  const isLower = caseAt(text, next) === LOWER && !keepsSmall(text, at, next);
  if (isLower) return kind === ASK && !isQuoted && !isBracketed && next === at;
  return !(isQuoted && kind === ASK && SAYS.test(text.slice(next, next + LONGEST_WORD * 2)));
}

/** After one full stop: by the word before it and the word after. */
function endsAtStop(text: string, end: End, at: number, vocabulary: Vocabulary): boolean {
  const stop = end.mark - 1;
  const next = openedAt(text, at);
  const sort = caseAt(text, next);
  const start = wordStart(text, stop);
  const word = text.slice(start, stop);
  if (sort === LOWER && !keepsSmall(text, at, next)) return next === at && isCareless(text, word, vocabulary);
  // `#.` numbers the items of a list.
  if (word === '') return text[stop - 1] !== '#';
  if (stop - start >= LONGEST_WORD) return true;
  if (isDigit(text.charCodeAt(stop - 1)) && NUMBER.test(word)) return endsAtNumber(text, start, word, next, sort, vocabulary);
  const abbreviation = abbreviationOf(text, start, word, vocabulary);
  switch (abbreviation) {
    case undefined:
      return true;
    case 'never':
      return false;
    case 'number':
      return sort !== DIGIT && !ROMAN.test(wordAt(text, next));
    case 'maybe':
      return isStarter(text, next, vocabulary);
    case 'tail':
      return !(TIME.test(word) && vocabulary.dates.has(wordAt(text, next)));
  }
}

const NUMBER = /^\d+(?:[.,]\d+)*$/;
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
/** Of two letters at least: one is an initial, or the pronoun. */
const ROMAN = /^[IVXLC]{2,6}$/;
const TIME = /^[ap]\.m$/i;

/** Back over letters, digits and the stops and hyphens within a word, but no farther than words of the tables are long. */
function wordStart(text: string, stop: number): number {
  let start = stop;
  const floor = Math.max(0, stop - LONGEST_WORD);
  while (start > floor && isWordUnit(text.charCodeAt(start - 1))) start--;
  return start;
}

function isWordUnit(unit: number): boolean {
  if (unit >= 0x80) return unit >= 0xaa && KIND[unit] === OTHER;
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x2d && unit <= 0x39 && unit !== 0x2f);
}

/** One letter with its marks; letters with stops between: U.S, т.е, J.-P */
const LETTER = /^\p{L}\p{M}*$/u;
const DOTTED = /^(?:\p{L}\p{M}*\.-?)+\p{L}\p{M}*$/u;
/** What an abbreviation of several parts begins with, where there are blanks between them: `z. B.`, `p. ej.` */
const FIRST_PART = /(?:^|[^\p{L}\p{M}\p{N}.])((?:\p{L}\p{M}*\.)+)[ \u00a0\u202f]$/u;

/** What the stop after this word says, undefined where the word is none that is written with one. */
function abbreviationOf(text: string, start: number, word: string, vocabulary: Vocabulary): Abbreviation | undefined {
  if (word.length > LONGEST_ABBREVIATION) return undefined;
  if (kindAt(text, start - 2) === STOP) {
    const first = FIRST_PART.exec(text.slice(Math.max(0, start - MOST_MARKS), start))?.[1];
    const whole = first === undefined ? undefined : lookUp(first + word, vocabulary);
    if (whole !== undefined) return whole;
  }
  // Stops of Thai and Lao are those of abbreviations.
  if (/[\u0e00-\u0eff]$/.test(word)) return 'never';
  if (word.length <= MOST_MARKS / 2 && LETTER.test(word)) return singleLetter(text, start, word, vocabulary);
  const known = lookUp(word, vocabulary);
  if (known !== undefined) return known;
  if ((word.includes('.') && DOTTED.test(word)) || (vocabulary.ordinals && ROMAN.test(word))) return 'maybe';
  // German streets: Bahnhofstr. 5
  if (word.endsWith('str')) return 'number';
  return looksCut(word) && !isMeasured(text, start) ? 'maybe' : undefined;
}

function lookUp(word: string, { abbreviations }: Vocabulary): Abbreviation | undefined {
  return abbreviations.get(word) ?? abbreviations.get(word.toLowerCase());
}

/** An initial, most often; but the pronoun "I" after a word in lower case, and units of measure. */
function singleLetter(text: string, start: number, word: string, { abbreviations }: Vocabulary): Abbreviation | undefined {
  const known = abbreviations.get(word);
  if (known !== undefined) return known === 'number' ? 'maybe' : known;
  if (word === 'I' && start > 1 && caseAt(text, start - 2) === LOWER) return undefined;
  return caseAt(word, 0) === LOWER && isMeasured(text, start) ? undefined : 'maybe';
}

/** Few letters and no vowel among them, as in `Hrsg.` */
const looksCut = (word: string): boolean => word.length < 6 && /^[BCDF-HJ-NP-TV-XZ]?[b-df-hj-np-tv-xz]{1,4}$/.test(word);

/** Whether a number stands before the word. */
const isMeasured = (text: string, start: number): boolean => /\d\s?$/.test(text.slice(Math.max(0, start - 2), start));

function endsAtNumber(text: string, start: number, word: string, next: number, sort: number, vocabulary: Vocabulary): boolean {
  if (word.length <= 8 && startsLine(text, start)) return false;
  const isShort = word.length <= 2;
  // 3. 5. 2024, 2024. 5. 3. and what follows
  const inDate = /\d\.\s?$/.test(text.slice(Math.max(0, start - 3), start));
  if (sort === DIGIT) return !isShort && !(word.length === 4 && /^\d{1,2}\./.test(text.slice(next, next + 3)));
  if (isShort && inDate) return sort === UPPER;
  if (!isShort || sort !== UPPER) return true;
  // `Abb. 3.` is no ordinal.
  if (vocabulary.ordinals) return /\p{L}\.\s?$/u.test(text.slice(0, start)) || isStarter(text, next, vocabulary);
  return vocabulary.language !== undefined || !vocabulary.dates.has(wordAt(text, next));
}

/** At the start of a line, list marks and brackets aside: the number or letter of an item. */
function startsLine(text: string, start: number): boolean {
  let at = start;
  const floor = start - MOST_MARKS;
  while (at > 0 && at > floor && (kindAt(text, at - 1) === BLANK || '-*+>#('.includes(text[at - 1]!))) at--;
  return at === 0 || kindAt(text, at - 1) === BREAK;
}

/** Text that begins no sentence with a capital, as in a chat: there a stop after a whole word is an end. */
function isCareless(text: string, word: string, vocabulary: Vocabulary): boolean {
  if (word.length < 2 || /[.\d]/.test(word) || looksCut(word) || lookUp(word, vocabulary) !== undefined) return false;
  return !/\p{Lu}/u.test(text);
}

/* The case of a character, as far as it tells sentences apart. */
const NONE = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const CASELESS = 4;

function caseAt(text: string, at: number): number {
  const code = text.codePointAt(at);
  if (code === undefined) return NONE;
  if (code < 0x80) {
    if (code >= 0x61 && code <= 0x7a) return LOWER;
    if (code >= 0x41 && code <= 0x5a) return UPPER;
    return code >= 0x30 && code <= 0x39 ? DIGIT : NONE;
  }
  const letter = String.fromCodePoint(code);
  if (!/[\p{L}\p{Nd}]/u.test(letter)) return NONE;
  if (/\p{Nd}/u.test(letter)) return DIGIT;
  if (letter !== letter.toLowerCase()) return UPPER;
  // Georgian has capitals that no sentence begins with.
  return letter !== letter.toUpperCase() && !(code >= 0x10d0 && code <= 0x10ff) ? LOWER : CASELESS;
}

/** Past quotes, brackets, inverted marks and dashes, to the first character that has a case. */
function openedAt(text: string, at: number): number {
  let next = at;
  for (; next < at + MOST_MARKS; next++) {
    const kind = kindAt(text, next);
    const opens = kind === OPENER || kind === CLOSER || kind === STOP || kind === DOTS;
    if (!opens && !(kind === BLANK && next > at)) break;
  }
  return next;
}

/** What keeps its small letter at the start of a sentence: iPhone, eBay, macOS; in Dutch, `'s Avonds`. */
function keepsSmall(text: string, at: number, next: number): boolean {
  return /^\p{Ll}{1,4}\p{Lu}/u.test(text.slice(next, next + 5)) || /^['\u2019]\p{Ll} \p{Lu}/u.test(text.slice(at, at + 4));
}

const WORD = /^[\p{L}\p{M}]+/u;

/** The word at `at`, up to an apostrophe. */
function wordAt(text: string, at: number): string {
  return WORD.exec(text.slice(at, at + LONGEST_WORD))?.[0] ?? '';
}

/** Whether what follows begins sentences more often than names. A letter with a stop is one more initial. */
function isStarter(text: string, next: number, { starters }: Vocabulary): boolean {
  const word = wordAt(text, next);
  return starters.has(word) && !(text[next + word.length] === '.' && word.length < 3);
}

/**
 * Enders of the user's own. One that the rules know is judged by them. Any other ends a sentence whatever follows, where white space
 * does; or without any, if it is longer than one unit. White space at its end must be there too. Blank lines stay ends.
 */
function endsWith(text: string, at: number, enders: readonly string[], vocabulary: Vocabulary): boolean {
  if (at <= 0 || isSpace(kindAt(text, at))) return false;
  const from = Math.max(0, at - SENTENCE_CONTEXT);
  const context = text.slice(from, at + SENTENCE_CONTEXT);
  const here = at - from;
  const gap = gapBefore(context, here);
  if (here - gap > WIDEST_GAP) return true;
  if (gap === 0) return false;
  if (isPart(context, gap, here)) return true;
  const blanks = context.slice(gap, here);
  const { mark } = closersBefore(context, gap);
  return enders.some((ender) => {
    const core = ender.trimEnd();
    const place = context.startsWith(core, mark - core.length) ? mark : context.startsWith(core, gap - core.length) ? gap : -1;
    if (place < core.length) return false;
    const tail = ender.slice(core.length);
    if (tail !== '') return place === gap && (core === '' ? blanks.includes(tail) : blanks.startsWith(tail));
    if (ender.length === 1 && KIND[ender.charCodeAt(0)]! >= STOP && KIND[ender.charCodeAt(0)]! <= WIDE)
      return ends(text, at, vocabulary);
    return (blanks !== '' || here >= context.length || ender.length > 1) && startsSentence(context, here, true);
  });
}
