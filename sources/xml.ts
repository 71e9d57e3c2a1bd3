/**
 * XML: elements are records, elements and attributes in them fields. This file finds where markup begins and ends in the
 * window and holds the document to its grammar: one root, tags that nest, nothing but blanks outside. A fault loses the place in the
 * grammar, so each stops the input. What is more than one tag or reference long is passed on or over in pieces (law L8).
 *
 * Beyond XML 1.0 it allows: control characters, `--` in comments, white space or comments before the declaration; it looks at no
 * document type but for its end, and does not check namespaces.
 */
import { charsetOf } from '../src/decode.js';
import type { Origin, Report, Splitting } from '../src/types.js';
import type { Collector } from './collector.js';
import { type RecordFormatOptions, recordSplitter, type Scanner } from './records.js';
import type { TextWindow } from './window.js';
import { Elements, type WrittenAttribute } from './xml-elements.js';
import { REFERENCE_UNITS, referenceProblem, undoReferences } from './xml-references.js';
import { type Attribute, pastName, repeated, TagReader } from './xml-tags.js';

export { xmlPathProblem } from './xml-paths.js';

export interface XmlOptions extends RecordFormatOptions {
  /** Path of the elements that are records, as `/feed/entry`. Absent: the root, or its children where texts are named or packed. */
  readonly records?: string;
}

export function xml(origin: Origin, options: XmlOptions, report: Report): Splitting {
  return recordSplitter(origin, options, report, (window, collector) => new XmlScanner(window, collector, options));
}

/** Longest tag and name, in units. */
const TAG_UNITS = 1 << 20;
const NAME_UNITS = 1 << 16;

const EXCERPT_UNITS = 60;

/** What is passed over, or as CDATA passed on, until it ends. */
interface Section {
  readonly kind: 'comment' | 'processing instruction' | 'CDATA section' | 'DOCTYPE';
  /** Byte where it begins. */
  readonly start: number;
  /** What ends it, or within a DOCTYPE what ends a quote or comment there; undefined: nothing such is open. */
  until: string | undefined;
  /** In the brackets of a DOCTYPE. */
  inSubset: boolean;
}

const OPENERS = [
  ['<!--', 'comment', '-->'],
  ['<![CDATA[', 'CDATA section', ']]>'],
  ['<!DOCTYPE', 'DOCTYPE', undefined],
] as const;

const LONGEST_OPENER = 9;

/** What matters in a DOCTYPE: quotes, brackets, comments, instructions and its end. */
const DOCTYPE_SIGN = /["'[\]>]|<!--|<\?/g;

const DECLARATION_UNITS = 1024;
const DECLARATION_BEGIN_UNITS = 6;
const DECLARATION = /^<\?xml[ \t\r\n]/;
const DECLARED_ENCODING = /[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*(["'])([^"'<>]{1,60})\1/;

const [LT, GT, SLASH, BANG, QUESTION, DOUBLE, SINGLE] = [0x3c, 0x3e, 0x2f, 0x21, 0x3f, 0x22, 0x27];

class XmlScanner implements Scanner {
  readonly #window: TextWindow;
  readonly #collector: Collector;
  readonly #options: XmlOptions;
  readonly #elements: Elements;
  readonly #tags = new TagReader();
  #section: Section | undefined;
  #isBegun = false;
  #hasDoctype = false;
  /** Name of the root, once there is one. */
  #root: string | undefined;
  /** More of the text is needed to decide. */
  #isWaiting = false;
  #isStopped = false;
  /** The next `&` and `]]>` in the text, as far as they were looked for. */
  #ampersand = -1;
  #closer = -1;

  constructor(window: TextWindow, collector: Collector, options: XmlOptions) {
    this.#window = window;
    this.#collector = collector;
    this.#options = options;
    this.#elements = new Elements(window, collector, options);
  }

  scan(text: string, final: boolean): number {
    this.#ampersand = -1;
    this.#closer = -1;
    this.#isWaiting = false;
    let at = this.#isBegun ? 0 : this.#declaration(text, final);
    while (at < text.length && !this.#isWaiting) at = this.#next(text, at, final);
    if (final && !this.#isStopped) this.#atEnd(text, at);
    return this.#isStopped ? text.length : at;
  }

  #next(text: string, at: number, final: boolean): number {
    if (this.#section !== undefined) return this.#skip(text, at);
    if (text.charCodeAt(at) !== LT) return this.#text(text, at, final);
    switch (text.charCodeAt(at + 1)) {
      case SLASH:
        return this.#endTag(text, at);
      case BANG:
        return this.#beginSection(text, at, final);
      case QUESTION:
        this.#section = { kind: 'processing instruction', start: this.#window.startOf(at), until: '?>', inSubset: false };
        return at + 2;
      default:
        return this.#startTag(text, at);
    }
  }

  /** From `at` on more of the text is needed. */
  #wait(at: number): number {
    this.#isWaiting = true;
    return at;
  }

  /** The text is wrong at unit `at`; all before it has been passed on. `byte`: where it began to be. */
  #stop(text: string, at: number, reason: string, sentence: string, excerpt?: string, byte?: number): number {
    this.#isStopped = true;
    const where = byte ?? (at < text.length ? this.#window.startOf(at) : this.#window.endOf(at));
    if (this.#elements.inRecord) this.#collector.spoil(at);
    this.#collector.stop(reason, sentence, { at: where, ...(excerpt === undefined ? {} : { excerpt: excerptOf(excerpt) }) });
    return text.length;
  }

  #text(text: string, at: number, final: boolean): number {
    const markup = text.indexOf('<', at);
    const isWhole = markup >= 0 || final;
    const to = markup < 0 ? text.length : markup;
    if (this.#elements.depth === 0) return this.#outside(text, at, to, isWhole);
    const closer = this.#closerFrom(text, at);
    const end = closer < to ? closer : isWhole ? to : beforeTail(text, at, ']]>');
    if (this.#ampersandFrom(text, at) < end) {
      const stop = this.#textWithReferences(text, at, end);
      if (stop < end && !isWhole && to - stop < REFERENCE_UNITS) return this.#wait(stop);
      if (stop < end) return this.#badReference(text, stop);
    } else if (at < end && this.#elements.isTaking) this.#elements.text(text, at, end, undefined);
    if (closer < to) return this.#stop(text, closer, 'bad-text', ']]> in text must be written ]]&gt;', ']]>');
    return end < to ? this.#wait(end) : end;
  }

  /** Passes on `[at, end)`, or all before a reference that cannot be undone yet, or ever. Returns where it stopped. */
  #textWithReferences(text: string, at: number, end: number): number {
    const decoded = undoReferences(text, at, end, this.#hasDoctype);
    if (decoded.stop > at && this.#elements.isTaking) this.#elements.text(text, at, decoded.stop, decoded);
    return decoded.stop;
  }

  #badReference(text: string, at: number): number {
    const { problem, excerpt } = referenceProblem(text, at);
    return this.#stop(text, at, 'bad-reference', problem, excerpt);
  }

  /** Text before or after the root. */
  #outside(text: string, at: number, to: number, isWhole: boolean): number {
    let stray = at;
    while (stray < to && isBlank(text.charCodeAt(stray))) stray++;
    if (stray === to) return to;
    if (!isWhole && to - stray < EXCERPT_UNITS) return this.#wait(stray);
    return this.#stop(text, stray, 'text-outside', 'text outside of the root element', text.slice(stray, to));
  }

  #ampersandFrom(text: string, at: number): number {
    if (this.#ampersand < at) this.#ampersand = indexOrEnd(text, '&', at);
    return this.#ampersand;
  }

  #closerFrom(text: string, at: number): number {
    if (this.#closer < at) this.#closer = indexOrEnd(text, ']]>', at);
    return this.#closer;
  }

  #startTag(text: string, at: number): number {
    const end = pastName(text, at + 1);
    const isEmpty = text.charCodeAt(end) === SLASH;
    const close = isEmpty ? end + 1 : end;
    if (end > at + 1 && text.charCodeAt(close) === GT && end - at <= NAME_UNITS) {
      return this.#begin(text, at, close + 1, text.slice(at + 1, end), NO_ATTRIBUTES, isEmpty);
    }
    return this.#readTag(text, at);
  }

  /** A start tag that is more than a plain name. */
  #readTag(text: string, at: number): number {
    const end = this.#tagEnd(text, at);
    if (end === undefined) return this.#isStopped ? text.length : at;
    const tag = text.slice(at, end);
    const read = this.#tags.read(tag);
    if ('problem' in read) return this.#stop(text, at + read.unit, 'bad-tag', `not a well-formed tag (${read.problem})`, tag);
    const { name, attributes } = read;
    const twice = repeated(attributes);
    if (twice !== undefined) {
      return this.#stop(text, at + twice.from, 'bad-tag', `the attribute ${excerptOf(twice.name)} comes twice in one tag`, tag);
    }
    if (name.length > NAME_UNITS || attributes.some((attribute) => attribute.name.length > NAME_UNITS)) {
      return this.#stop(text, at, 'name-too-long', `a name of more than ${NAME_UNITS} characters`, tag);
    }
    const written = this.#written(text, at, attributes, tag.includes('&'));
    if (written === undefined) return text.length;
    return this.#begin(text, at, end, name, written, tag.endsWith('/>'));
  }

  /** The attributes of the tag at `at`, their references undone; undefined: one of them cannot be. */
  #written(text: string, at: number, attributes: readonly Attribute[], hasReferences: boolean): WrittenAttribute[] | undefined {
    const written: WrittenAttribute[] = [];
    for (const { name, from, to } of attributes) {
      const [i, j] = [at + from, at + to];
      const value = hasReferences
        ? undoReferences(text, i, j, this.#hasDoctype)
        : { text: text.slice(i, j), escapes: [], stop: j };
      if (value.stop < j) {
        this.#badReference(text, value.stop);
        return undefined;
      }
      written.push({ name, from: i, to: j, value });
    }
    return written;
  }

  #begin(text: string, at: number, end: number, name: string, attributes: readonly WrittenAttribute[], isEmpty: boolean): number {
    const elements = this.#elements;
    if (elements.depth === 0 && this.#root !== undefined) {
      const sentence = `a second root element after <${excerptOf(this.#root)}>: XML has one`;
      return this.#stop(text, at, 'second-root', sentence, text.slice(at, end));
    }
    elements.open(at, name, attributes);
    if (elements.isTooDeep) return this.#stop(text, at, 'too-deep', 'too many elements within each other', text.slice(at, end));
    this.#root ??= elements.name;
    if (isEmpty) elements.close(end);
    return end;
  }

  #endTag(text: string, at: number): number {
    const elements = this.#elements;
    const name = elements.depth === 0 ? undefined : elements.name;
    if (name !== undefined && text.startsWith(name, at + 2) && text.charCodeAt(at + 2 + name.length) === GT) {
      elements.close(at + 3 + name.length);
      return at + 3 + name.length;
    }
    const end = this.#tagEnd(text, at);
    if (end === undefined) return this.#isStopped ? text.length : at;
    const tag = text.slice(at, end);
    if (name === undefined || tag.slice(2, -1).replace(/[ \t\r\n]+$/, '') !== name) {
      const sentence =
        name === undefined
          ? 'an end tag where no element is open'
          : `an end tag within <${excerptOf(name)}>, which is still open`;
      return this.#stop(text, at, 'bad-nesting', sentence, tag);
    }
    elements.close(end);
    return end;
  }

  /** Where the tag at `at` ends; undefined: it does not yet, or never will. */
  #tagEnd(text: string, at: number): number | undefined {
    let quote = 0;
    let quoteAt = at;
    const limit = Math.min(text.length, at + TAG_UNITS);
    for (let k = at + 1; k < limit; k++) {
      const unit = text.charCodeAt(k);
      if (unit === LT) {
        this.#unendedTag(text, at, quote === 0 ? undefined : quoteAt, k);
        return undefined;
      }
      if (quote !== 0) {
        if (unit === quote) quote = 0;
      } else if (unit === GT) return k + 1;
      else if (unit === DOUBLE || unit === SINGLE) [quote, quoteAt] = [unit, k];
    }
    if (limit < at + TAG_UNITS) this.#wait(at);
    else this.#stop(text, at, 'tag-too-long', `a tag of more than ${TAG_UNITS} characters`, text.slice(at, limit));
    return undefined;
  }

  /** The tag at `at` meets a `<` at `to`, perhaps in the value that begins at `quoteAt`. */
  #unendedTag(text: string, at: number, quoteAt: number | undefined, to: number): void {
    const sentence =
      quoteAt === undefined
        ? 'the tag that begins here is not closed before the next <'
        : 'the attribute value that begins here has a < in it: its quote is missing, or it must be written &lt;';
    this.#stop(text, quoteAt ?? at, 'bad-tag', sentence, text.slice(quoteAt ?? at, to + 1));
  }

  #beginSection(text: string, at: number, final: boolean): number {
    const opener = OPENERS.find(([begin]) => text.startsWith(begin, at));
    if (opener === undefined) {
      if (text.length - at < LONGEST_OPENER && !final) return this.#wait(at);
      const sentence = 'no comment, CDATA section or DOCTYPE begins like this';
      return this.#stop(text, at, 'bad-markup', sentence, text.slice(at, at + LONGEST_OPENER));
    }
    const [begin, kind, until] = opener;
    if (kind === 'CDATA section' && this.#elements.depth === 0) {
      return this.#stop(text, at, 'text-outside', 'text outside of the root element', begin);
    }
    if (kind === 'DOCTYPE') {
      if (this.#hasDoctype || this.#root !== undefined) {
        return this.#stop(text, at, 'bad-markup', 'a DOCTYPE may come once, before the root element', begin);
      }
      this.#hasDoctype = true;
    }
    this.#section = { kind, start: this.#window.startOf(at), until, inSubset: false };
    return at + begin.length;
  }

  #skip(text: string, at: number): number {
    const section = this.#section!;
    const { kind, until } = section;
    if (until === undefined) return this.#inDoctype(text, at, section);
    const found = text.indexOf(until, at);
    const end = found < 0 ? beforeTail(text, at, until) : found;
    if (kind === 'CDATA section' && at < end && this.#elements.isTaking) this.#elements.text(text, at, end, undefined);
    if (found < 0) return this.#wait(end);
    if (kind === 'DOCTYPE') section.until = undefined;
    else this.#section = undefined;
    return found + until.length;
  }

  #inDoctype(text: string, at: number, section: Section): number {
    DOCTYPE_SIGN.lastIndex = at;
    const sign = DOCTYPE_SIGN.exec(text)?.[0];
    if (sign === undefined) return this.#wait(beforeTail(text, at, '<!--'));
    if (sign === '[') section.inSubset = true;
    else if (sign === ']') section.inSubset = false;
    else if (sign !== '>') section.until = sign === '<!--' ? '-->' : sign === '<?' ? '?>' : sign;
    else if (!section.inSubset) this.#section = undefined;
    return DOCTYPE_SIGN.lastIndex;
  }

  /** What the very beginning says of the encoding. Nothing is passed over. */
  #declaration(text: string, final: boolean): number {
    const isDeclared = DECLARATION.test(text);
    const isSeen = isDeclared ? text.length >= DECLARATION_UNITS || text.includes('?>') : text.length >= DECLARATION_BEGIN_UNITS;
    if (!isSeen && !final) return this.#wait(0);
    this.#isBegun = true;
    if (!isDeclared || this.#options.encoding !== 'auto' || this.#window.charset !== 'utf-8') return 0;
    const [head] = text.slice(0, DECLARATION_UNITS).split('?>', 1) as [string];
    const name = DECLARED_ENCODING.exec(head)?.[2];
    const problem = name === undefined ? undefined : encodingProblem(name);
    return problem === undefined ? 0 : this.#stop(text, 0, 'encoding', problem, head);
  }

  #atEnd(text: string, at: number): void {
    const [section, elements] = [this.#section, this.#elements];
    if (section !== undefined) {
      this.#stop(
        text,
        text.length,
        'unterminated',
        `the ${section.kind} that begins here is never closed`,
        undefined,
        section.start,
      );
    } else if (at < text.length) {
      this.#stop(text, at, 'unterminated', 'the tag that begins here is never closed', text.slice(at));
    } else if (elements.depth > 0) {
      const sentence = `the element <${excerptOf(elements.name)}> that begins here is never closed`;
      this.#stop(text, text.length, 'unterminated', sentence, undefined, elements.start);
    } else if (this.#root === undefined) {
      this.#stop(text, text.length, 'no-element', 'there is no XML element in it', undefined, 0);
    } else if (this.#collector.records === 0 && this.#options.records !== undefined) {
      const sentence = `no element is at ${this.#options.records}: the root element is <${excerptOf(this.#root)}>`;
      this.#collector.miss('no-records', sentence);
    }
  }
}

const NO_ATTRIBUTES: readonly WrittenAttribute[] = [];

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0xa || unit === 0xd || unit === 0x9;
}

function indexOrEnd(text: string, sought: string, at: number): number {
  const index = text.indexOf(sought, at);
  return index < 0 ? Number.POSITIVE_INFINITY : index;
}

/** The end of the text, but for what may be the beginning of `sought`; not before `at`. Never inside a surrogate pair. */
function beforeTail(text: string, at: number, sought: string): number {
  for (let units = sought.length - 1; units > 0; units--) {
    if (text.length - units >= at && text.endsWith(sought.slice(0, units))) return text.length - units;
  }
  return text.length;
}

function excerptOf(text: string): string {
  return text.slice(0, EXCERPT_UNITS).toWellFormed();
}

/** Why a document that is read as UTF-8 cannot be, if it says that it is in this encoding. */
function encodingProblem(name: string): string | undefined {
  // In UTF-16 or UTF-32 this could not have been read: what wrote it forgot to change the declaration.
  if (/^(?:utf-?(?:16|32)|ucs|iso-10646)/i.test(name) || /^(?:us-)?ascii$/i.test(name)) return undefined;
  const charset = charsetOf(name);
  if (charset === 'utf-8') return undefined;
  if (charset === undefined) return `it says that it is in ${name}, which is not supported: convert it to UTF-8`;
  return `it says that it is in ${name}: read it with --encoding ${charset}, or with --encoding utf-8 if that is not so`;
}
