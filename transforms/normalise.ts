/**
 * Whitespace and zero-width characters made uniform, with every byte's origin kept: what is unchanged stays verbatim, what
 * is changed becomes a replacement for the bytes it stands for, what is dropped leaves a gap. Exact at every buffer edge
 * (L1), idempotent (L9), and in bounded memory (L8): of a run of line breaks only its ends are kept, of a run of blanks at
 * most BLANK_LIMIT units.
 *
 * The rules, where *blank* is a space, a tab or another Unicode space (category Zs), and *break* is LF, CR LF or CR:
 *
 *   always     U+FEFF is dropped
 *   lines      breaks become LF
 *   tidy       breaks become LF; blanks before a break or at the end of the text are dropped; three or more breaks become two;
 *              Unicode spaces become a space; more than BLANK_LIMIT blanks within a line become one space; U+200B and U+2060
 *              are dropped unless they follow a Thai, Lao, Khmer or Myanmar character, where they mark words
 *   collapse   tidy, and each run of blanks becomes one space
 *   keep       nothing else
 */
import { replacement, Slicer } from '../src/segment.js';
import type { Charset, Machine, Mark, Segment, Transform } from '../src/types.js';

export const WHITESPACE_MODES = ['tidy', 'collapse', 'lines', 'keep'] as const;
export type WhitespaceMode = (typeof WHITESPACE_MODES)[number];

/** A run of more blanks than this within a line is written as one space. */
export const BLANK_LIMIT = 1024;

/**
 * @param part true when the text is a part of a longer one, cut at a chunk's edges: blanks at its end are then not at a
 *   line's end, and stay. So re-reading a chunk's bytes gives the chunk's text (L5).
 */
export function normalise(mode: WhitespaceMode, part = false): Transform {
  return ({ charset }) => {
    if (mode === 'keep' || mode === 'lines') return new Light(charset, mode === 'lines');
    return new Tidy(charset, mode === 'collapse', part);
  };
}

const BOM = '\ufeff';

/** `keep` and `lines`: few segments change, and what the splitter marked stays marked. */
class Light implements Machine<Segment, Segment> {
  readonly #charset: Charset;
  readonly #lines: boolean;
  /** A CR that may be the first half of CR LF. */
  #cr: Segment | undefined;
  /** A mark whose segment's beginning was dropped or waits. */
  #mark: Mark | undefined;

  constructor(charset: Charset, lines: boolean) {
    this.#charset = charset;
    this.#lines = lines;
  }

  push(segment: Segment): Iterable<Segment> {
    const { text } = segment;
    const changes = text.includes(BOM) || (this.#lines && text.includes('\r'));
    return changes || this.#cr !== undefined || this.#mark !== undefined ? this.#changed(segment) : [segment];
  }

  *end(): Iterable<Segment> {
    if (this.#cr !== undefined) yield this.#break(this.#cr, this.#cr.end);
  }

  *#changed(segment: Segment): Iterable<Segment> {
    const { text, mark } = segment;
    const slicer = new Slicer(segment, this.#charset);
    if (mark !== undefined) {
      // Nothing reaches over a mark: CR LF with a record's edge between are two breaks.
      if (this.#cr !== undefined) yield this.#break(this.#cr, this.#cr.end);
      this.#mark = mark;
    }
    for (let at = 0; at < text.length; ) {
      const unit = text.charCodeAt(at);
      if (unit === BOM_UNIT) {
        at++;
        continue;
      }
      if (this.#cr !== undefined) {
        const joins = unit === LF_UNIT;
        yield this.#break(this.#cr, joins ? slicer.slice(at, at + 1).end : this.#cr.end);
        if (joins) {
          at++;
          continue;
        }
      }
      const odd = this.#nextOdd(text, at);
      if (odd > at) yield this.#marked(slicer.slice(at, odd));
      else this.#cr = slicer.slice(at, at + 1);
      at = Math.max(odd, at + 1);
    }
  }

  #nextOdd(text: string, from: number): number {
    const bom = found(text.indexOf(BOM, from), text);
    return this.#lines ? Math.min(bom, found(text.indexOf('\r', from), text)) : bom;
  }

  #break(cr: Segment, end: number): Segment {
    this.#cr = undefined;
    return this.#marked(replacement('\n', cr.start, end));
  }

  #marked(segment: Segment): Segment {
    const mark = this.#mark;
    this.#mark = undefined;
    return mark === undefined || segment.mark !== undefined ? segment : { ...segment, mark };
  }
}

const BOM_UNIT = 0xfeff;
const LF_UNIT = 0x0a;

/** What a character is to the rules. */
const CONTENT = 0;
const BLANK = 1;
const ODD_BLANK = 2;
const LF = 3;
const CR = 4;
const DROPPED = 5;
const JOINER = 6;
type Class = typeof CONTENT | typeof BLANK | typeof ODD_BLANK | typeof LF | typeof CR | typeof DROPPED | typeof JOINER;

function classOf(unit: number): Class {
  if (unit > 0x20 && unit < 0xa0) return CONTENT;
  switch (unit) {
    case 0x20:
    case 0x09:
      return BLANK;
    case 0x0a:
      return LF;
    case 0x0d:
      return CR;
    case 0xfeff:
      return DROPPED;
    case 0x200b:
    case 0x2060:
      return JOINER;
    case 0xa0:
    case 0x1680:
    case 0x202f:
    case 0x205f:
    case 0x3000:
      return ODD_BLANK;
    default:
      return unit >= 0x2000 && unit <= 0x200a ? ODD_BLANK : CONTENT;
  }
}

const THAI_LETTER = 0x0e01;

/** Thai, Lao; Myanmar; Khmer; and their extended blocks within the basic plane. */
function marksWordsInvisibly(unit: number): boolean {
  return (
    (unit >= 0x0e00 && unit <= 0x0eff) ||
    (unit >= 0x1000 && unit <= 0x109f) ||
    (unit >= 0x1780 && unit <= 0x17ff) ||
    (unit >= 0x19e0 && unit <= 0x19ff) ||
    (unit >= 0xa9e0 && unit <= 0xa9ff) ||
    (unit >= 0xaa60 && unit <= 0xaa7f)
  );
}

/** Characters that never go out as they are. */
const SPECIAL = /[\r\ufeff\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000]/g;
/** Besides them, what `collapse` changes within a line. */
const SPECIAL_OR_WIDE = /[\r\t\ufeff\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000]| {2}/g;

/** Finds, in one stretch of text, how far it can go out as it is. Asked from left to right, so that it costs one pass. */
class Quick {
  readonly #text: string;
  readonly #special: RegExp;
  readonly #narrow: boolean;
  #nextSpecial = -1;
  #nextCr = -1;
  #nextNbsp = -1;
  #nextLong = -1;

  constructor(text: string, special: RegExp) {
    this.#text = text;
    this.#special = special;
    // Costs nothing on a string that the engine stores at one byte a unit.
    this.#narrow = special === SPECIAL && !/[^\0-\xff]/.test(text);
  }

  /** The end of what may go out from `i`. What ends in blanks or breaks is held back: what follows decides about it. */
  end(i: number): number {
    const text = this.#text;
    let j = Math.min(this.#nextSpecialFrom(i), this.#nextLongFrom(i));
    for (let at = text.indexOf('\n', i); at >= 0 && at < j; at = text.indexOf('\n', at + 1)) {
      const crowded = text.charCodeAt(at + 1) === 0x0a && text.charCodeAt(at + 2) === 0x0a;
      if (crowded || (at > i && isPlainBlank(text.charCodeAt(at - 1)))) j = at;
    }
    while (j > i && classOf(text.charCodeAt(j - 1)) !== CONTENT) j--;
    return j;
  }

  #nextSpecialFrom(i: number): number {
    if (this.#nextSpecial >= i) return this.#nextSpecial;
    this.#special.lastIndex = i;
    this.#nextSpecial = this.#narrow ? this.#nextNarrowFrom(i) : (this.#special.exec(this.#text)?.index ?? this.#text.length);
    return this.#nextSpecial;
  }

  /** CR and NBSP are all that is special in Latin-1, and the engine's search for one character is far faster than a pattern. */
  #nextNarrowFrom(i: number): number {
    const text = this.#text;
    if (this.#nextCr < i) this.#nextCr = found(text.indexOf('\r', i), text);
    if (this.#nextNbsp < i) this.#nextNbsp = found(text.indexOf('\u00a0', i), text);
    return Math.min(this.#nextCr, this.#nextNbsp);
  }

  /** The next run of more than BLANK_LIMIT blanks: it holds two of the places looked at. Runs at the end are held back anyway. */
  #nextLongFrom(i: number): number {
    if (this.#nextLong >= i) return this.#nextLong;
    const text = this.#text;
    const step = BLANK_LIMIT / 2;
    this.#nextLong = text.length;
    for (let at = i + step; at < text.length; at += step) {
      if (!isPlainBlank(text.charCodeAt(at)) || !isPlainBlank(text.charCodeAt(at - step))) continue;
      let from = at;
      while (from > i && isPlainBlank(text.charCodeAt(from - 1))) from--;
      if (at - from < step) continue;
      this.#nextLong = from;
      break;
    }
    return this.#nextLong;
  }
}

function found(at: number, text: string): number {
  return at < 0 ? text.length : at;
}

function endOfBlanks(text: string, from: number): number {
  let to = from;
  while (to < text.length && isPlainBlank(text.charCodeAt(to))) to++;
  return to;
}

function isPlainBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

class Tidy implements Machine<Segment, Segment> {
  readonly #charset: Charset;
  readonly #collapse: boolean;
  readonly #part: boolean;
  readonly #special: RegExp;
  /** Blanks since the last content or break, oldest first; emptied once they are more than BLANK_LIMIT. */
  #blanks: Segment[] = [];
  #blankUnits = 0;
  #blankStart = 0;
  #blankEnd = 0;
  /** Breaks since the last content: how many, the first two as they are to be written, and where the last one ends. */
  #breaks = 0;
  #break1: Segment | undefined;
  #break2: Segment | undefined;
  #breakEnd = 0;
  /** A CR that may be the first half of CR LF. */
  #cr: Segment | undefined;
  /** The last unit of content given out. */
  #last: number;

  constructor(charset: Charset, collapse: boolean, part: boolean) {
    this.#charset = charset;
    this.#collapse = collapse;
    this.#part = part;
    // A word mark at the very start of a part was kept when the whole was normalised, or it would not be there.
    this.#last = part ? THAI_LETTER : 0;
    this.#special = collapse ? SPECIAL_OR_WIDE : SPECIAL;
  }

  *push(segment: Segment): Iterable<Segment> {
    if (!segment.verbatim) {
      yield* this.#take(segment.text.length === 1 ? classOf(segment.text.charCodeAt(0)) : CONTENT, segment);
      return;
    }
    const { text } = segment;
    const slicer = new Slicer(segment, this.#charset);
    const quick = new Quick(text, this.#special);
    for (let i = 0; i < text.length; ) {
      const kind = classOf(text.charCodeAt(i));
      if (kind === CONTENT && this.#waiting()) {
        this.#settleCr();
        // A single break is by far the commonest; not even an iterator is made for it.
        const single = this.#singleBreak();
        if (single !== undefined) yield single;
        else {
          yield* this.#giveBreaks();
          yield* this.#giveBlanks();
        }
      }
      const j = this.#waiting() ? i : quick.end(i);
      if (j > i) {
        this.#last = text.charCodeAt(j - 1);
        yield slicer.slice(i, j);
        i = j;
        continue;
      }
      const counted = this.#countBreaks(kind, text, i, slicer);
      if (counted > i) {
        i = counted;
        continue;
      }
      const to = kind === BLANK ? endOfBlanks(text, i) : i + 1;
      yield* this.#take(kind, slicer.slice(i, to));
      i = to;
    }
  }

  *end(): Iterable<Segment> {
    this.#settleCr();
    yield* this.#giveBreaks();
    if (this.#part) yield* this.#giveBlanks();
  }

  #waiting(): boolean {
    return this.#blankUnits > 0 || this.#breaks > 0 || this.#cr !== undefined;
  }

  /** The one break that waits, when nothing else does; it then waits no more. */
  #singleBreak(): Segment | undefined {
    if (this.#breaks !== 1 || this.#blankUnits > 0) return undefined;
    this.#breaks = 0;
    this.#last = 0x0a;
    return this.#break1;
  }

  /** Takes breaks that need no segment of the text: CR LF, and LF after the second. Returns where they end, or `i`. */
  #countBreaks(kind: Class, text: string, i: number, slicer: Slicer): number {
    if (this.#cr !== undefined) return i;
    let j = i + 1;
    if (kind === CR && text.charCodeAt(j) === 0x0a) {
      this.#addBreak(replacement('\n', slicer.byteAt(i), slicer.byteAt(j + 1)));
      return j + 1;
    }
    if (kind !== LF || this.#breaks < 2) return i;
    while (text.charCodeAt(j) === 0x0a) j++;
    this.#addBreaks(j - i, slicer.byteAt(j));
    return j;
  }

  *#take(kind: Class, segment: Segment): Iterable<Segment> {
    if (kind === LF && this.#cr !== undefined) {
      const cr = this.#cr;
      this.#cr = undefined;
      this.#addBreak(replacement('\n', cr.start, segment.end));
      return;
    }
    if (kind !== DROPPED) this.#settleCr();
    switch (kind) {
      case DROPPED:
        return;
      case BLANK:
        this.#addBlank(segment);
        return;
      case ODD_BLANK:
        this.#addBlank(replacement(' ', segment.start, segment.end));
        return;
      case LF:
        this.#addBreak(segment);
        return;
      case CR:
        this.#cr = segment;
        return;
      case JOINER:
        if (this.#waiting() || !marksWordsInvisibly(this.#last)) return;
        yield segment;
        return;
      case CONTENT:
        yield* this.#giveBreaks();
        yield* this.#giveBlanks();
        this.#last = segment.text.charCodeAt(segment.text.length - 1);
        yield segment;
    }
  }

  #addBlank(segment: Segment): void {
    if (this.#blankUnits === 0) this.#blankStart = segment.start;
    this.#blankEnd = segment.end;
    this.#blankUnits += segment.text.length;
    if (this.#blankUnits > BLANK_LIMIT) this.#blanks = [];
    else this.#blanks.push(segment);
  }

  /** A break takes the blanks before it away. */
  #addBreak(segment: Segment): void {
    this.#dropBlanks();
    this.#breaks++;
    if (this.#breaks === 1) this.#break1 = segment;
    else if (this.#breaks === 2) this.#break2 = segment;
    this.#breakEnd = segment.end;
  }

  /** Breaks after the second only count; the last of them ends at byte `end`. */
  #addBreaks(count: number, end: number): void {
    this.#dropBlanks();
    this.#breaks += count;
    this.#breakEnd = end;
  }

  #dropBlanks(): void {
    this.#blanks = [];
    this.#blankUnits = 0;
  }

  #settleCr(): void {
    const cr = this.#cr;
    if (cr === undefined) return;
    this.#cr = undefined;
    this.#addBreak(replacement('\n', cr.start, cr.end));
  }

  *#giveBreaks(): Iterable<Segment> {
    const count = this.#breaks;
    this.#breaks = 0;
    if (count === 0) return;
    this.#last = 0x0a;
    if (count > 2) {
      yield replacement('\n\n', this.#break1!.start, this.#breakEnd);
      return;
    }
    yield this.#break1!;
    if (count === 2) yield this.#break2!;
  }

  *#giveBlanks(): Iterable<Segment> {
    if (this.#blankUnits === 0) return;
    const blanks = this.#blanks;
    const single = blanks.length === 1 && blanks[0]!.text === ' ';
    const whole = this.#blankUnits > BLANK_LIMIT || (this.#collapse && !single);
    this.#dropBlanks();
    this.#last = 0x20;
    if (whole) yield replacement(' ', this.#blankStart, this.#blankEnd);
    else yield* blanks;
  }
}
