/**
 * The `section` strategy: a chunk for each section, with the headings it stands under in its metadata. A section begins at a
 * heading: `#` to `######`, a line underlined with `===` or `---`, or a short line of capitals after a blank one; but not within
 * fences. A section over the budget is cut at paragraphs, sentences and words.
 *
 * A line is a heading by itself and its two neighbours, and only by its first 200 units, so that no more than two lines are held.
 */
import type { OptionSpec, Spec } from '../../src/spec.js';
import type { Charset, Machine, Segment, Strategy } from '../../src/types.js';
import { isBlank, isBreak, paragraph, word } from './levels.js';
import { sentence } from './sentences.js';
import { HeldText, unit } from './units.js';

export interface SectionOptions {
  /** Whether a short line of capitals is a heading. */
  readonly capitals?: boolean;
  /** The user asked for a least size: smaller sections go together. */
  readonly joinsSmall?: boolean;
}

const options: readonly OptionSpec[] = [
  { name: 'no-capitals', type: 'flag', group: 'chunking', summary: 'a short line of capitals is no heading' },
];

export const sectionSpec: Spec = {
  name: 'section',
  summary: 'a chunk for each section under a heading; one over the size is cut at paragraphs, sentences, words',
  options,
};

export function section({ capitals = true, joinsSmall = false }: SectionOptions = {}): Strategy {
  return {
    name: 'section',
    packing: 'each',
    levels: [unit, paragraph, sentence(), word],
    ...(joinsSmall ? {} : { targetSize: 1 }),
    prepare: ({ charset }) => new SectionMarker(charset, capitals),
  };
}

export function sectionFrom(given: Readonly<Record<string, unknown>>): Strategy {
  return section({ capitals: given.noCapitals !== true, joinsSmall: given.minSize !== undefined });
}

/** A longer line is no heading. */
const LONGEST_HEADING = 200;
const LONGEST_CAPITALS = 80;

/** Levels of headings: `#` and its kin have 1 to 6. */
const CAPITALS_LEVEL = 7;

interface Heading {
  readonly level: number;
  readonly title: string;
}

/** What a line is to the line after it. */
type Kind = 'blank' | 'heading' | 'text';

/** A line that is a heading if the next one lets it. */
interface Candidate {
  readonly at: number;
  readonly line: string;
  readonly isCapital: boolean;
}

class SectionMarker implements Machine<Segment, Segment> {
  readonly #capitals: boolean;
  readonly #text: HeldText;
  readonly #path: Heading[] = [];
  /** Units read. */
  #at = 0;
  /** Where the line that is being read begins, and its first units; undefined: it is longer than a heading, and was judged. */
  #start = 0;
  #line: string | undefined = '';
  #afterReturn = false;
  /** What the line before was. */
  #before: Kind = 'blank';
  #candidate: Candidate | undefined;
  /** The fence that text is in. */
  #fence: string | undefined;

  constructor(charset: Charset, capitals: boolean) {
    this.#capitals = capitals;
    this.#text = new HeldText(charset);
  }

  push(segment: Segment): Iterable<Segment> {
    this.#text.append(segment);
    this.#read(segment.text);
    const undecided = this.#line === undefined ? this.#at : this.#start;
    return this.#text.release(this.#candidate?.at ?? undecided);
  }

  end(): Iterable<Segment> {
    this.#judge();
    this.#settle('');
    return this.#text.release(Number.POSITIVE_INFINITY);
  }

  #read(text: string): void {
    const hasRare = RARE_BREAKS.some((unit) => text.includes(unit));
    for (let from = 0; from < text.length; ) {
      // The second half of CR LF.
      if (this.#afterReturn && text[from] === '\n') this.#start = this.#at + ++from;
      this.#afterReturn = false;
      if (this.#line === '' && !hasRare && this.#goesOn()) {
        from = pastPlain(text, from, this.#fence !== undefined);
        this.#start = this.#at + from;
        if (from === text.length) {
          if (!text.endsWith('\n')) this.#line = undefined;
          break;
        }
      }
      const end = hasRare ? anyLineEnd(text, from) : lineEnd(text, from);
      this.#add(text, from, end);
      if (end === text.length) break;
      this.#judge();
      this.#afterReturn = text[end] === '\r';
      from = end + 1;
      this.#start = this.#at + from;
      this.#line = '';
    }
    this.#at += text.length;
  }

  /** Whether text is in a fence, or in a paragraph that no underline makes a heading. */
  #goesOn(): boolean {
    return this.#fence !== undefined || (this.#candidate === undefined && this.#before === 'text');
  }

  #add(text: string, from: number, to: number): void {
    if (this.#line === undefined) return;
    this.#line += text.slice(from, Math.min(to, from + LONGEST_HEADING + 1 - this.#line.length));
    if (this.#line.length > LONGEST_HEADING) this.#judge();
  }

  /** The line has ended, or is too long for a heading. */
  #judge(): void {
    const line = this.#line;
    this.#line = undefined;
    if (line === undefined) return;
    const isLong = line.length > LONGEST_HEADING;
    if (this.#fence !== undefined) {
      if (!isLong && closes(line, this.#fence)) this.#fence = undefined;
      return;
    }
    if (this.#settle(isLong ? '' : line)) return;
    if (isBlankLine(line)) {
      this.#before = 'blank';
      return;
    }
    const first = firstUnit(line);
    const heading = !isLong && first === HASH ? hashHeading(line) : undefined;
    if (first === BACKTICK || first === TILDE) this.#fence = fenceOf(line);
    if (heading !== undefined) this.#begin(this.#start, heading);
    else if (!isLong && this.#fence === undefined) this.#candidate = this.#candidateIn(line);
    this.#before = heading !== undefined ? 'heading' : 'text';
  }

  /** Decides on the line before by this one. True: this one is its underline. */
  #settle(line: string): boolean {
    const candidate = this.#candidate;
    this.#candidate = undefined;
    if (candidate === undefined) return false;
    const level = underlineLevel(line);
    if (level !== undefined) this.#begin(candidate.at, { level, title: candidate.line.trim() });
    else if (candidate.isCapital && !isCapital(line))
      this.#begin(candidate.at, { level: CAPITALS_LEVEL, title: candidate.line.trim() });
    else return false;
    this.#before = 'heading';
    return level !== undefined;
  }

  /** A line that stands first in its paragraph. */
  #candidateIn(line: string): Candidate | undefined {
    if (this.#before === 'text' || (!/^[A-Za-z]/.test(line) && BLOCK.test(line))) return undefined;
    return { at: this.#start, line, isCapital: this.#capitals && isCapital(line) };
  }

  #begin(at: number, heading: Heading): void {
    while ((this.#path.at(-1)?.level ?? 0) >= heading.level) this.#path.pop();
    this.#path.push(heading);
    this.#text.mark(at, { kind: 'unit', metadata: { headings: this.#path.map(({ title }) => title) } });
  }
}

const [SPACE, HASH, DASH, EQUALS, BACKTICK, TILDE] = [0x20, 0x23, 0x2d, 0x3d, 0x60, 0x7e];

/** All breaks but LF. To look for each of them is quicker than to look for all at once. */
const RARE_BREAKS = ['\v', '\f', '\r', '\u0085', '\u2028', '\u2029'];
const BREAK = /[\n-\r\u0085\u2028\u2029]/g;

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

/** Past the lines that only go on with a fence or a paragraph, by their beginnings: most do. No break but LF may be in the text. */
function pastPlain(text: string, from: number, inFence: boolean): number {
  let at = from;
  while (at < text.length && isPlain(text, at, inFence)) at = lineEnd(text, at) + 1;
  return Math.min(at, text.length);
}

function isPlain(text: string, from: number, inFence: boolean): boolean {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at++;
  const first = text.charCodeAt(at);
  if (at - from < 4 && (first === HASH || first === BACKTICK || first === TILDE)) return false;
  return (first > SPACE && first < 0x7f) || (inFence && at < text.length);
}

function anyLineEnd(text: string, from: number): number {
  BREAK.lastIndex = from;
  return BREAK.test(text) ? BREAK.lastIndex - 1 : text.length;
}

function isBlankLine(line: string): boolean {
  for (let at = 0; at < line.length; at++) if (!isBlank(line.charCodeAt(at)) && !isBreak(line.charCodeAt(at))) return false;
  return true;
}

/** `## Title ##`: up to three blanks before, one behind the marks. */
function hashHeading(line: string): Heading | undefined {
  const marks = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line);
  if (marks === null) return undefined;
  const title = line.slice(marks[0].length).trim();
  return { level: marks[1]!.length, title: withoutClosing(title) };
}

function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return end === 0 || isBlank(title.charCodeAt(end - 1)) ? title.slice(0, end).trimEnd() : title;
}

/** The first character after up to three spaces. */
function firstUnit(line: string): number {
  let at = 0;
  while (at < 3 && line.charCodeAt(at) === SPACE) at++;
  return line.charCodeAt(at);
}

function underlineLevel(line: string): 1 | 2 | undefined {
  const first = firstUnit(line);
  if (first !== EQUALS && first !== DASH) return undefined;
  const mark = /^ {0,3}(=|-)\1+[ \t]*$/.exec(line)?.[1];
  return mark === undefined ? undefined : mark === '=' ? 1 : 2;
}

/** Three or more backticks or tildes; behind backticks no other may come. */
function fenceOf(line: string): string | undefined {
  return /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
}

function closes(line: string, fence: string): boolean {
  const closing = line.trim();
  return closing.length >= fence.length && /^ {0,3}[`~]/.test(line) && closing === fence[0]!.repeat(closing.length);
}

/** A list item, quotation, table row or rule; indented code: no heading stands there. */
const BLOCK = /^\s*(?:[-*+\u2022]\s|[>|]|[-*_=\s]+$|\d{1,9}[.)]\s*$)|^(?: {4}|\t).*\p{Ll}/u;

/** Two capitals and no small letter, in few characters, that neither shout nor go on. */
function isCapital(line: string): boolean {
  // Most lines say so at once.
  if (/[a-z]/.test(line)) return false;
  const text = line.trim();
  if (text.length > LONGEST_CAPITALS || /[!,;|\t]/.test(text)) return false;
  return /\p{Lu}.*\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text);
}
