/**
 * The grammar of JSON (RFC 8259, strict) over a window of text, as a pull reader: it validates all, recurses nowhere, and waits
 * only for what is short. A string comes in parts as far as the window has it; a name or a number has a limit. It keeps nothing
 * of a value but the kinds of the containers it is in, and knows neither paths nor records.
 */
import type { TextWindow } from './window.js';

/**
 * `part`: of a string that is longer than the window; `string` ends it, or is all of it. `end`: the value is over and nothing
 * followed it. `more`: the next token is not all in the window. `fault`: see `fault`; asking again gives it again.
 */
export type Token =
  | ('object' | 'array' | 'close' | 'name' | 'part' | 'string' | 'number' | 'true' | 'false' | 'null')
  | ('end' | 'more' | 'fault');

export interface JsonFault {
  readonly reason: string;
  readonly sentence: string;
  /** The unit of the window that is wrong; the text's length where it ends too early. */
  readonly at: number;
}

/** Longest name or number, in UTF-16 units. */
export const TOKEN_UNITS = 1 << 16;

const EXCERPT_UNITS = 60;

/** So many are looked at one by one in less time than a pattern takes to begin. */
const FEW_UNITS = 40;

export const MOST_DEPTH = 10_000_000;

/** What may come next. */
const VALUE = 0;
const FIRST_VALUE = 1;
const NAME = 2;
const FIRST_NAME = 3;
const COLON = 4;
const COMMA = 5;
const STRING = 6;
const DONE = 7;

const OBJECT = 1;
const ARRAY = 0;

const NO_ESCAPES: readonly number[] = [];
const CONTROL = /[\u0000-\u001f]/g;
const SCALAR_UNIT = /[\w.+-]/;

export class JsonReader {
  /** Units read; the first of what comes next. */
  at = 0;
  /** The token's first unit; of the part, where it goes on. */
  start = 0;
  /** What is between the quotes of a string, a part of one, or a name: `[from, to)`. */
  from = 0;
  to = 0;
  /** The escapes in there, as `TextWindow.unescaped` takes them. */
  escapes: readonly number[] = NO_ESCAPES;
  /** Whether the token begins something: all do but `close` and the later parts of a string. */
  begins = false;
  /** Containers that are open after the token. */
  depth = 0;
  fault: JsonFault | undefined;
  /** Line feeds read. */
  lines = 0;
  /** The unit of the first line feed in this value and window; -1: none. */
  lineEnd = -1;

  readonly #window: TextWindow;
  #text = '';
  #final = false;
  #expect = VALUE;
  #kinds = new Uint8Array(64);
  /** The first backslash, and the first control character, from where each was last looked for; -1: not looked for yet. */
  #slash = -1;
  #control = -1;
  /** There is half a surrogate pair among the escapes. */
  #lone = false;
  #said: string | undefined;
  /** The byte at which the string begins whose parts come. */
  #stringByte = 0;

  constructor(window: TextWindow) {
    this.#window = window;
  }

  /** The window now has this text: what was not read, and more. */
  read(text: string, final: boolean): void {
    this.#text = text;
    this.#final = final;
    this.at = 0;
    this.#slash = -1;
    this.#control = -1;
    this.lineEnd = -1;
  }

  /** What comes next is another value. */
  begin(): void {
    this.#expect = VALUE;
    this.depth = 0;
    this.lineEnd = -1;
  }

  /** The source byte of a unit of the window, or of its end. */
  byteAt(unit: number): number {
    return unit < this.#text.length ? this.#window.startOf(unit) : this.#window.endOf(unit);
  }

  /** What a string, a part of one, or a name says. Half a surrogate pair is U+FFFD. */
  said(): string {
    this.#said ??= this.escapes.length === 0 ? this.#text.slice(this.from, this.to) : this.#parsed();
    return this.#said;
  }

  #parsed(): string {
    const said = JSON.parse(this.#quoted()) as string;
    return this.#lone ? said.toWellFormed() : said;
  }

  /** With its quotes, those in the text where they stand beside it. */
  #quoted(): string {
    const [text, before, to] = [this.#text, this.from - 1, this.to];
    const isWhole = text.charCodeAt(before) === 0x22 && text.charCodeAt(to) === 0x22;
    return isWhole ? text.slice(before, to + 1) : `"${text.slice(before + 1, to)}"`;
  }

  /** The token as it stands in the text. */
  source(): string {
    return this.#text.slice(this.start, this.at);
  }

  /** Whether so much stands after the fault as is shown of it, or will ever. */
  get isFaultComplete(): boolean {
    return this.#final || this.#text.length - this.fault!.at >= EXCERPT_UNITS;
  }

  /** The fault in source bytes. */
  get faultDetails(): { readonly at: number; readonly excerpt?: string } {
    const { at } = this.fault!;
    const excerpt = this.#text.slice(at, at + EXCERPT_UNITS).toWellFormed();
    return { at: this.byteAt(at), ...(excerpt === '' ? {} : { excerpt }) };
  }

  /** Reads over blanks; false: there is nothing more in the window. */
  pastBlanks(): boolean {
    const text = this.#text;
    let at = this.at;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 0x20 || !(unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09)) break;
      if (unit !== 0x0a) continue;
      this.lines++;
      if (this.lineEnd < 0) this.lineEnd = at;
    }
    this.at = at;
    return at < text.length;
  }

  next(): Token {
    if (this.#expect === STRING) return this.#string(this.at, false);
    for (;;) {
      if (!this.pastBlanks()) return this.#outOfText();
      const { at } = this;
      const unit = this.#text.charCodeAt(at);
      this.start = at;
      switch (this.#expect) {
        case COMMA:
          if (unit !== 0x2c) return this.#close(unit);
          this.#expect = this.#isInObject ? NAME : VALUE;
          break;
        case COLON:
          if (unit !== 0x3a) return this.#wrong(at);
          this.#expect = VALUE;
          break;
        case FIRST_NAME:
        case NAME:
          if (unit === 0x22) return this.#name(at);
          return this.#expect === FIRST_NAME ? this.#close(unit) : this.#wrong(at);
        case FIRST_VALUE:
          return unit === 0x5d ? this.#close(unit) : this.#value(unit);
        case VALUE:
          return this.#value(unit);
        default:
          return this.#wrong(at);
      }
      this.at = at + 1;
    }
  }

  get #isInObject(): boolean {
    return this.depth > 0 && this.#kinds[this.depth - 1] === OBJECT;
  }

  #value(unit: number): Token {
    this.begins = true;
    if (unit === 0x22) return this.#string(this.at + 1, true);
    if (unit === 0x7b) return this.#open(OBJECT);
    if (unit === 0x5b) return this.#open(ARRAY);
    if (unit === 0x2d || isDigit(unit)) return this.#number();
    if (unit === 0x74) return this.#literal('true');
    if (unit === 0x66) return this.#literal('false');
    if (unit === 0x6e) return this.#literal('null');
    return this.#wrong(this.at);
  }

  #open(kind: typeof OBJECT | typeof ARRAY): Token {
    if (this.depth === MOST_DEPTH) return this.#fail('too-deep', `more than ${MOST_DEPTH} levels are open here`, this.at);
    if (this.depth === this.#kinds.length) {
      const larger = new Uint8Array(this.depth * 2);
      larger.set(this.#kinds);
      this.#kinds = larger;
    }
    this.#kinds[this.depth++] = kind;
    this.#expect = kind === OBJECT ? FIRST_NAME : FIRST_VALUE;
    this.at++;
    return kind === OBJECT ? 'object' : 'array';
  }

  #close(unit: number): Token {
    if (unit !== (this.#isInObject ? 0x7d : 0x5d)) return this.#wrong(this.at);
    this.begins = false;
    this.depth--;
    this.at++;
    this.#ended();
    return 'close';
  }

  /** A value is over. */
  #ended(): void {
    this.#expect = this.depth === 0 ? DONE : COMMA;
  }

  #name(at: number): Token {
    const ended = this.#content(at + 1);
    const units = this.to - this.from;
    if (units > TOKEN_UNITS) return this.#tooLong('name', at);
    if (!ended) return this.#unended(at);
    this.begins = true;
    this.at = this.to + 1;
    this.#expect = COLON;
    return 'name';
  }

  /** A string whose quote is before `from`, or what follows a part of one. */
  #string(from: number, begins: boolean): Token {
    const ended = this.#content(from);
    if (!ended && this.to === from) return this.#unended(begins ? from - 1 : from);
    this.begins = begins;
    this.start = begins ? from - 1 : from;
    if (ended) {
      this.at = this.to + 1;
      this.#ended();
      return 'string';
    }
    if (begins) this.#stringByte = this.byteAt(from - 1);
    this.at = this.to;
    this.#expect = STRING;
    return 'part';
  }

  /**
   * What is between quotes from `from` on, as far as it is sound and in the window; true: up to its closing quote. Else what
   * stands at `to` is a fault, or not all in the window.
   */
  #content(from: number): boolean {
    const ended = this.#contentBefore(from, this.#text.length);
    if (ended && this.escapes.length > 0 && this.#parses()) return true;
    const control = this.#controlBefore(from, this.to);
    if (control === this.to) return ended;
    this.#slash = -1;
    this.#contentBefore(from, control);
    this.#controlFault(control);
    return false;
  }

  /** Finds the control characters in what has escapes on the way to what it says, most often without another look at it. */
  #parses(): boolean {
    try {
      this.#said = this.#parsed();
      return true;
    } catch {
      return false;
    }
  }

  /** The same up to `limit`, which is a fault or the end of the window. Control characters before it are passed over. */
  #contentBefore(from: number, limit: number): boolean {
    const text = this.#text;
    let escapes: number[] | undefined;
    this.escapes = NO_ESCAPES;
    this.from = from;
    this.#said = undefined;
    this.#lone = false;
    this.fault = undefined;
    let quote = text.indexOf('"', from);
    for (let [at, said] = [from, 0]; ; ) {
      const end = quote < 0 || quote > limit ? limit : quote;
      const slash = this.#nextSlash(at);
      if (slash >= end) {
        this.to = end;
        return end === quote;
      }
      const units = this.#escape(slash);
      if (units === 0) {
        this.to = slash;
        return false;
      }
      said += slash - at;
      at = slash + units;
      if (escapes === undefined) this.escapes = escapes = [];
      const becomes = units === 12 ? 2 : 1;
      escapes.push(said, becomes, slash - from, units);
      said += becomes;
      if (quote === slash + 1) quote = text.indexOf('"', at);
    }
  }

  #nextSlash(from: number): number {
    if (this.#slash < from) {
      const found = this.#text.indexOf('\\', from);
      this.#slash = found < 0 ? this.#text.length : found;
    }
    return this.#slash;
  }

  /** The first control character in `[from, to)`; `to`: there is none. */
  #controlBefore(from: number, to: number): number {
    const text = this.#text;
    if (to - from <= FEW_UNITS) {
      for (let at = from; at < to; at++) if (text.charCodeAt(at) < 0x20) return at;
      return to;
    }
    if (this.#control < from) {
      CONTROL.lastIndex = from;
      this.#control = CONTROL.test(text) ? CONTROL.lastIndex - 1 : text.length;
    }
    return Math.min(this.#control, to);
  }

  /** Units of the escape at a backslash, two escapes of a surrogate pair in one; 0: wrong, or not all in the window. */
  #escape(slash: number): number {
    const text = this.#text;
    if (slash + 1 >= text.length) return 0;
    const unit = text.charCodeAt(slash + 1);
    if (unit !== 0x75) {
      if (SHORT_ESCAPES[unit] === 1) return 2;
      this.#fail('bad-json', `\\${shown(text, slash + 1)} is no escape of JSON`, slash + 1);
      return 0;
    }
    const code = this.#hex(slash + 2);
    if (code < 0) {
      const wrong = slash + 2 + -1 - code;
      if (wrong < text.length) this.#fail('bad-json', `${shown(text, wrong)} is no digit of a \\u escape`, wrong);
      return 0;
    }
    if (code >= 0xd800 && code < 0xdc00) {
      const low = this.#lowAfter(slash + 6);
      if (low === undefined) return 0;
      if (low) return 12;
    }
    if (code >= 0xd800 && code < 0xe000) this.#lone = true;
    return 6;
  }

  /** Whether the escape of a low surrogate is at `at`; undefined: that is not all in the window. */
  #lowAfter(at: number): boolean | undefined {
    const text = this.#text;
    const mark = text.slice(at, at + 2);
    if (mark !== '\\u') return '\\u'.startsWith(mark) && !this.#final ? undefined : false;
    if (at + 6 > text.length && !this.#final) return undefined;
    const code = this.#hex(at + 2);
    return code >= 0xdc00 && code < 0xe000;
  }

  /** Four hexadecimal digits; if one of them is wrong or missing, -1 minus its place among them. */
  #hex(at: number): number {
    let code = 0;
    for (let i = 0; i < 4; i++) {
      const digit = hexDigit(this.#text.charCodeAt(at + i));
      if (digit < 0) return -1 - i;
      code = code * 16 + digit;
    }
    return code;
  }

  #number(): Token {
    const text = this.#text;
    let at = this.at;
    if (text.charCodeAt(at) === 0x2d) at++;
    if (text.charCodeAt(at) === 0x30) at++;
    else {
      const from = at;
      at = pastDigits(text, at);
      if (at === from) return this.#noDigit(at);
    }
    if (text.charCodeAt(at) === 0x2e) {
      const from = at + 1;
      at = pastDigits(text, from);
      if (at === from) return this.#noDigit(at);
    }
    if ((text.charCodeAt(at) | 0x20) === 0x65) {
      const sign = text.charCodeAt(at + 1);
      const from = at + (sign === 0x2b || sign === 0x2d ? 2 : 1);
      at = pastDigits(text, from);
      if (at === from) return this.#noDigit(at);
    }
    return this.#scalar('number', at);
  }

  #noDigit(at: number): Token {
    if (at - this.at > TOKEN_UNITS) return this.#tooLong('number', this.at);
    if (at < this.#text.length) return this.#fail('bad-json', `expected a digit, found ${shown(this.#text, at)}`, at);
    return this.#final ? this.#endsEarly('a digit') : 'more';
  }

  #literal(word: 'true' | 'false' | 'null'): Token {
    const text = this.#text;
    if (text.startsWith(word, this.at)) return this.#scalar(word, this.at + word.length);
    let at = this.at;
    while (at < text.length && text[at] === word[at - this.at]) at++;
    if (at < text.length) return this.#fail('bad-json', `expected ${word}, found ${shown(text, at)} in it`, at);
    return this.#final ? this.#endsEarly(`the rest of ${word}`) : 'more';
  }

  /** A number or a word that ends before `end`, if that is sure. */
  #scalar(token: 'number' | 'true' | 'false' | 'null', end: number): Token {
    if (end - this.at > TOKEN_UNITS) return this.#tooLong(token, this.at);
    if (end === this.#text.length && !this.#final) return 'more';
    const isGluedAtRoot = this.depth === 0 && end < this.#text.length && SCALAR_UNIT.test(this.#text[end]!);
    if (isGluedAtRoot) return this.#fail('bad-json', `expected the end of the value, found ${shown(this.#text, end)}`, end);
    this.at = end;
    this.#ended();
    return token;
  }

  #outOfText(): Token {
    if (!this.#final) return 'more';
    if (this.#expect === DONE) return 'end';
    if (this.#expect === VALUE && this.depth === 0)
      return this.#fail('no-value', 'it is empty: expected a value', this.#text.length);
    return this.#endsEarly(this.#expected);
  }

  #endsEarly(expected: string): Token {
    return this.#fail('unexpected-end', `it ends where ${expected} was expected`, this.#text.length);
  }

  #wrong(at: number): Token {
    return this.#fail('bad-json', `expected ${this.#expected}, found ${shown(this.#text, at)}`, at);
  }

  #tooLong(what: string, at: number): Token {
    return this.#fail(`${what}-too-long`, `a ${what} of more than ${TOKEN_UNITS} characters begins here`, at);
  }

  /** A string or a name that begins at `quote` (or has begun before) is at its fault, or at the end of the window. */
  #unended(quote: number): Token {
    if (this.fault !== undefined) return 'fault';
    if (!this.#final) return 'more';
    const sentence = `the string that begins at byte ${this.#beganAt(quote)} has no end`;
    return this.#fail('unterminated-string', sentence, this.#text.length);
  }

  #controlFault(at: number): void {
    const unit = this.#text.charCodeAt(at);
    const began = `the string that begins at byte ${this.#beganAt(this.from - 1)}`;
    if (unit === 0x0a || unit === 0x0d) this.#fail('unterminated-string', `${began} is not closed on its line`, at);
    else this.#fail('bad-json', `${began} holds the control character ${shown(this.#text, at)}: it must be escaped`, at);
  }

  #beganAt(quote: number): number {
    return this.#expect === STRING ? this.#stringByte : this.byteAt(quote);
  }

  #fail(reason: string, sentence: string, at: number): Token {
    this.fault = { reason, sentence, at };
    return 'fault';
  }

  get #expected(): string {
    switch (this.#expect) {
      case COMMA:
        return this.#isInObject ? '"," or "}"' : '"," or "]"';
      case COLON:
        return '":"';
      case NAME:
        return 'a name in double quotes';
      case FIRST_NAME:
        return 'a name in double quotes or "}"';
      case FIRST_VALUE:
        return 'a value or "]"';
      case DONE:
        return 'nothing after the value';
      default:
        return 'a value';
    }
  }
}

/** By unit: 1 where a backslash before it is a whole escape. */
const SHORT_ESCAPES = new Uint8Array(128);
for (const unit of '"\\/bfnrt') SHORT_ESCAPES[unit.charCodeAt(0)] = 1;

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function pastDigits(text: string, at: number): number {
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function hexDigit(unit: number): number {
  if (isDigit(unit)) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const INVISIBLE = /[\s\p{C}]/u;

/** The character at a unit, for people. */
function shown(text: string, at: number): string {
  const point = text.codePointAt(at)!;
  const character = String.fromCodePoint(point);
  return INVISIBLE.test(character) ? `U+${point.toString(16).toUpperCase().padStart(4, '0')}` : `"${character}"`;
}
