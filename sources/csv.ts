/**
 * The `csv` and `tsv` splitters: a row is a record, its cells are fields. RFC 4180, and what is written besides: any line ends,
 * also mixed and within quotes; rows that are too short or too long; quotes in the middle of a cell, where they are plain text.
 * A cell is never waited for: it goes on in pieces, so its length is bounded by nothing (law L8).
 *
 * A row whose quotes go wrong has probably swallowed others. Where it may go back, only the row's first line is given up, and
 * what follows is read anew.
 */

import type { Origin, Report, Splitting } from '../src/types.js';
import type { Collector } from './collector.js';
import { type Column, Columns } from './csv-columns.js';
import { guessedDelimiter, HEAD_UNITS, SEPARATOR_LINE_UNITS, separatorLine } from './csv-dialect.js';
import { type RecordFormatOptions, recordSplitter, type Scanner } from './records.js';
import type { TextWindow } from './window.js';

export interface CsvOptions extends RecordFormatOptions {
  /** One character; `auto`: what the table's beginning says. */
  readonly delimiter: string;
  /** One character; undefined: there is no quoting. */
  readonly quote: string | undefined;
  /** The first row is a record, and columns are called `column1`, `column2` and so on. */
  readonly noHeader: boolean;
}

export function csv(origin: Origin, options: CsvOptions, report: Report): Splitting {
  return recordSplitter(origin, options, report, (window, collector) => new TableScanner(window, collector, options));
}

/** As `csv`, but `auto` is a tabulation. */
export function tsv(origin: Origin, options: CsvOptions, report: Report): Splitting {
  return csv(origin, options.delimiter === 'auto' ? { ...options, delimiter: '\t' } : options, report);
}

/** Longest header row, in UTF-16 units. */
const HEADER_UNITS = 1 << 20;

/** Longest header that is put before the texts of packed rows. */
const CONTEXT_UNITS = 4096;

const EXCERPT_UNITS = 60;

const LF = 10;
const CR = 13;

/**
 * Where the scanner is: between two rows, at a cell's beginning, in a cell without or with quotes, after the closing quote, or
 * past a fault and on its way to the end of the line.
 */
type State = 'between' | 'cell' | 'plain' | 'quoted' | 'closed' | 'lost';

interface RowFault {
  readonly reason: string;
  readonly sentence: string;
  readonly at: number;
  readonly excerpt: string;
}

class TableScanner implements Scanner {
  readonly #window: TextWindow;
  readonly #collector: Collector;
  readonly #options: CsvOptions;
  readonly #quote: Next;
  readonly #lf = new Next('\n');
  readonly #cr = new Next('\r');
  /** Undefined until the dialect is known. */
  #delimiter: Next | undefined;
  /** Undefined until the header is read. */
  #columns: Columns | undefined;
  #header: string[] = [];

  #text = '';
  #final = false;
  #state: State = 'between';
  #at = 0;
  /** 1-based, of what is at `#at`. */
  #line = 1;
  /** The unit before the text is a carriage return. */
  #isAfterCr = false;
  #isRewound = false;

  /** The row: its line, its first units before this text, and where it goes on in this text. */
  #rowLine = 1;
  #rowHead = '';
  #rowAt = 0;
  /** The end of the row's first line, where it has several. The unit is negative once it is out of the window. */
  #lineEnd: { unit: number; readonly byte: number } | undefined;
  #isWanted = false;
  #fault: RowFault | undefined;

  /** The cell: its column, what is wanted of it, and what of that has been kept. */
  #index = 0;
  #column: Column | undefined;
  #isText = false;
  #isKept = false;
  #value = '';
  /** The byte where its quote is. */
  #quoteByte = 0;

  constructor(window: TextWindow, collector: Collector, options: CsvOptions) {
    this.#window = window;
    this.#collector = collector;
    this.#options = options;
    this.#quote = new Next(options.quote);
  }

  scan(text: string, final: boolean): number | 'again' {
    this.#text = text;
    this.#final = final;
    for (const next of [this.#quote, this.#lf, this.#cr, this.#delimiter]) next?.reset();
    if (this.#delimiter === undefined && !this.#begin()) return 0;
    while (this.#step());
    if (this.#isRewound) {
      this.#isRewound = false;
      return 'again';
    }
    if (this.#columns === undefined && this.#state !== 'between') this.#awaitHeader();
    return this.#leave();
  }

  /** False while there is too little to tell the dialect from. */
  #begin(): boolean {
    const { delimiter, quote, noHeader } = this.#options;
    const enough = delimiter === 'auto' ? HEAD_UNITS : SEPARATOR_LINE_UNITS;
    if (!this.#final && this.#text.length <= enough) return false;
    const line = separatorLine(this.#text);
    if (line !== undefined) {
      this.#at = line.units;
      this.#line = 2;
    }
    if (delimiter !== 'auto') this.#delimiter = new Next(delimiter);
    else if (line !== undefined) this.#delimiter = new Next(line.delimiter);
    else this.#delimiter = new Next(guessedDelimiter(this.#text.slice(0, HEAD_UNITS), this.#text.length <= HEAD_UNITS, quote));
    if (noHeader) this.#columns = new Columns([], this.#options);
    return true;
  }

  /** All up to where it is has been handed over. */
  #leave(): number {
    const done = this.#at;
    if (this.#state !== 'between') {
      this.#rowHead = this.#excerpt(done);
      this.#rowAt = 0;
      if (this.#lineEnd !== undefined) this.#lineEnd.unit -= done;
    }
    this.#isAfterCr = this.#followsCr(done);
    this.#at = 0;
    return done;
  }

  /** Whether unit `i` follows a carriage return: CR LF is one line end. */
  #followsCr(i: number): boolean {
    return i > 0 ? this.#text.charCodeAt(i - 1) === CR : this.#isAfterCr;
  }

  /** False when it needs more text, or there is no more. */
  #step(): boolean {
    switch (this.#state) {
      case 'between':
        return this.#between();
      case 'cell':
        return this.#cell();
      case 'plain':
        return this.#plain();
      case 'quoted':
        return this.#quoted();
      case 'closed':
        return this.#closed();
      case 'lost':
        return this.#lost();
    }
  }

  /** Blank lines are no rows. */
  #between(): boolean {
    const text = this.#text;
    for (let at = this.#at; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === CR || (unit === LF && !this.#followsCr(at))) this.#line++;
      else if (unit !== LF) {
        this.#at = at;
        return this.#beginRow(at);
      }
    }
    this.#at = text.length;
    return false;
  }

  #beginRow(at: number): boolean {
    this.#rowLine = this.#line;
    this.#rowHead = '';
    this.#rowAt = at;
    this.#lineEnd = undefined;
    this.#index = 0;
    this.#header = [];
    if (this.#columns !== undefined) {
      if (this.#columns.unknown.length > 0) return this.#stopAtUnknown(this.#columns);
      this.#collector.begin(at, { line: this.#line });
      this.#window.keepFrom(this.#window.startOf(at));
      this.#isWanted = this.#collector.wanted;
    }
    this.#state = 'cell';
    return true;
  }

  #cell(): boolean {
    const at = this.#at;
    if (at === this.#text.length && !this.#final) return false;
    const column = this.#columns?.at(this.#index);
    this.#column = column;
    this.#value = '';
    this.#isText = this.#isWanted && column?.isText === true;
    this.#isKept = column === undefined || (this.#isWanted && (column.isMeta || column.isKey));
    if (this.#isText) this.#collector.openText(column!.name);
    else if (this.#collector.isSource && column !== undefined && this.#index > 0) this.#collector.mark(at, 'field', column.name);
    if (at < this.#text.length && this.#quote.from(this.#text, at) === at) {
      this.#quoteByte = this.#window.startOf(at);
      this.#at = at + this.#quote.units;
      this.#state = 'quoted';
      return true;
    }
    this.#state = 'plain';
    return this.#plain();
  }

  #plain(): boolean {
    const [text, at] = [this.#text, this.#at];
    const end = Math.min(this.#delimiter!.from(text, at), this.#lf.from(text, at), this.#cr.from(text, at));
    if (end > at) this.#take(at, end);
    this.#at = end;
    if (end === text.length && !this.#final) return false;
    this.#endCell();
    return true;
  }

  /** Up to the closing quote: one that none follows. Two are one that is meant. */
  #quoted(): boolean {
    const [text, quote, begin] = [this.#text, this.#quote, this.#at];
    let escapes: number[] | undefined;
    let undone = 0;
    let end = quote.from(text, begin);
    let isClosed = false;
    while (end < text.length) {
      const after = end + quote.units;
      if (after === text.length && !this.#final) break;
      isClosed = after === text.length || quote.from(text, after) > after;
      if (isClosed) break;
      escapes ??= [];
      escapes.push(end - begin - undone, quote.units, end - begin, 2 * quote.units);
      undone += quote.units;
      end = quote.from(text, after + quote.units);
    }
    if (end > begin) {
      this.#passLines(begin, end);
      this.#take(begin, end, escapes);
    }
    this.#at = isClosed ? end + quote.units : end;
    if (isClosed) this.#state = 'closed';
    else if (this.#final) this.#failUnclosed();
    return isClosed || this.#final;
  }

  #closed(): boolean {
    const [text, at] = [this.#text, this.#at];
    if (at === text.length) {
      if (!this.#final) return false;
    } else if (this.#delimiter!.from(text, at) !== at && this.#lf.from(text, at) !== at && this.#cr.from(text, at) !== at) {
      const sentence = `a closing quote must be followed by ${named(this.#delimiter!.sought)} or a line end (the quoted cell began at byte ${this.#quoteByte}); a quote within a quoted cell is written twice`;
      this.#fail('stray-quote', sentence, at, this.#window.startOf(at));
      return true;
    }
    this.#endCell();
    return true;
  }

  /** The rest of a line with a fault. */
  #lost(): boolean {
    const [text, at] = [this.#text, this.#at];
    const end = Math.min(this.#lf.from(text, at), this.#cr.from(text, at));
    this.#at = end;
    if (end === text.length && !this.#final) return false;
    const { reason, sentence, ...details } = this.#fault!;
    this.#collector.reject(reason, sentence, { ...details, end: this.#window.endOf(end) });
    this.#state = 'between';
    return true;
  }

  /** Units `[i, j)` are a piece of the cell. */
  #take(i: number, j: number, escapes: readonly number[] = NO_ESCAPES): void {
    if (!this.#isText && !this.#isKept) return;
    if (!this.#isKept && escapes.length === 0) {
      this.#collector.addText(this.#window.segments(i, j));
      return;
    }
    const said = unescaped(this.#text, i, j, escapes);
    if (this.#isText) this.#collector.addText(this.#window.unescaped(i, j, said, escapes));
    if (this.#isKept && this.#mayKeep(said.length)) this.#value += said;
  }

  /** The header has a limit of its own. */
  #mayKeep(units: number): boolean {
    if (this.#column === undefined || this.#collector.spend(units)) return true;
    this.#isKept = false;
    this.#value = '';
    return false;
  }

  #endCell(): void {
    const column = this.#column;
    if (this.#isText) this.#collector.closeText();
    if (column === undefined) this.#header.push(this.#value);
    else if (this.#isKept && this.#mayKeep(column.name.length)) {
      this.#collector.reach(this.#at);
      if (column.isMeta) this.#collector.meta(column.name, this.#value);
      if (column.isKey) this.#collector.key(this.#value);
    }
    const at = this.#at;
    if (at < this.#text.length && this.#delimiter!.from(this.#text, at) === at) {
      this.#at = at + this.#delimiter!.units;
      this.#index++;
      this.#state = 'cell';
    } else {
      this.#state = 'between';
      if (this.#columns === undefined) this.#endHeader(at);
      else this.#collector.end(at);
    }
  }

  #endHeader(at: number): void {
    const units = at - this.#rowAt;
    if (units > HEADER_UNITS) {
      this.#stopAtLongHeader();
      return;
    }
    this.#columns = new Columns(this.#header, this.#options);
    if (this.#columns.unknown.length > 0) this.#stopAtUnknown(this.#columns);
    else if (this.#collector.isSource && units <= CONTEXT_UNITS) this.#collector.context = this.#text.slice(this.#rowAt, at);
  }

  /** The text ends within the header, and more will come: it is read as a whole. */
  #awaitHeader(): void {
    if (this.#text.length - this.#rowAt > HEADER_UNITS) {
      this.#stopAtLongHeader();
      return;
    }
    this.#at = this.#rowAt;
    this.#line = this.#rowLine;
    this.#state = 'between';
  }

  /** Line ends in `[i, j)`, within quotes. CR LF is one. */
  #passLines(i: number, j: number): void {
    const text = this.#text;
    const first = Math.min(this.#lf.from(text, i), this.#cr.from(text, i));
    if (first >= j) return;
    this.#lineEnd ??= { unit: first, byte: this.#window.endOf(first) };
    for (let at = this.#lf.from(text, i); at < j; at = this.#lf.from(text, at + 1)) {
      if (!this.#followsCr(at)) this.#line++;
    }
    for (let at = this.#cr.from(text, i); at < j; at = this.#cr.from(text, at + 1)) this.#line++;
  }

  #failUnclosed(): void {
    const sentence = 'the quoted cell that begins here is never closed: its quote is missing, or this one is too many';
    this.#fail('unterminated-quote', sentence, this.#text.length, this.#quoteByte);
  }

  /** The row is faulty, as unit `i` shows. */
  #fail(reason: string, sentence: string, i: number, at: number): void {
    const excerpt = this.#excerpt(i + 1).toWellFormed();
    if (this.#columns === undefined) {
      if (i - this.#rowAt > HEADER_UNITS) this.#stopAtLongHeader();
      else this.#stop(reason, `in the header, ${sentence}`, { at, excerpt });
      return;
    }
    this.#collector.spoil(i);
    const lineEnd = this.#lineEnd;
    // Texts that have gone out cannot be read again.
    if (lineEnd !== undefined && !this.#collector.spilled && this.#window.reaches(lineEnd.byte, i)) {
      this.#collector.reject(reason, sentence, { at, excerpt, end: lineEnd.byte });
      this.#goBack(i, lineEnd);
    } else {
      this.#fault = { reason, sentence, at, excerpt };
      this.#state = 'lost';
    }
  }

  /** To the end of the row's first line. */
  #goBack(i: number, { unit, byte }: { readonly unit: number; readonly byte: number }): void {
    this.#window.rewind(byte, i, unit);
    this.#collector.rewound();
    this.#line = this.#rowLine;
    this.#state = 'between';
    this.#isAfterCr = false;
    this.#isRewound = true;
    this.#text = '';
    this.#at = 0;
  }

  /** The row's beginning, up to unit `j`. */
  #excerpt(j: number): string {
    const room = EXCERPT_UNITS - this.#rowHead.length;
    return this.#rowHead + this.#text.slice(this.#rowAt, Math.min(j, this.#rowAt + room));
  }

  #stopAtUnknown({ unknown, names }: Columns): boolean {
    const missing = unknown.map((name) => JSON.stringify(name)).join(', ');
    const others = names.length > 12 ? `, and ${names.length - 12} more` : '';
    const there =
      names.length === 0
        ? 'without a header they are called column1, column2 and so on'
        : `there are ${names.slice(0, 12).join(', ')}${others}`;
    return this.#stop('no-such-column', `it has no column ${missing}: ${there}`, { at: this.#window.startOf(this.#rowAt) });
  }

  #stopAtLongHeader(): void {
    const sentence = `its header is longer than ${HEADER_UNITS} characters: is this a table? A quote that is never closed does this too`;
    this.#stop('long-header', sentence, { at: this.#window.startOf(this.#rowAt) });
  }

  /** Nothing more is read. */
  #stop(reason: string, sentence: string, details: { readonly at: number; readonly excerpt?: string }): false {
    this.#collector.stop(reason, sentence, details);
    this.#at = this.#text.length;
    this.#state = 'between';
    return false;
  }
}

/** Where a string comes next. Remembers the place, so that text is searched once however often it is asked. */
class Next {
  readonly sought: string;
  readonly units: number;
  #at = -1;

  /** Undefined: it comes nowhere. */
  constructor(sought: string | undefined) {
    this.sought = sought ?? '';
    this.units = this.sought.length;
  }

  /** For another text. */
  reset(): void {
    this.#at = -1;
  }

  /** The first at or after `i`, never less than before; the text's length when there is none. */
  from(text: string, i: number): number {
    if (this.#at < i) {
      const found = this.units === 0 ? -1 : text.indexOf(this.sought, i);
      this.#at = found < 0 ? text.length : found;
    }
    return this.#at;
  }
}

const NO_ESCAPES: readonly number[] = [];

/** `[i, j)` with one quote for two. */
function unescaped(text: string, i: number, j: number, escapes: readonly number[]): string {
  if (escapes.length === 0) return text.slice(i, j);
  const parts: string[] = [];
  let at = i;
  for (let k = 0; k < escapes.length; k += 4) {
    const begins = i + escapes[k + 2]!;
    parts.push(text.slice(at, begins + escapes[k + 1]!));
    at = begins + escapes[k + 3]!;
  }
  parts.push(text.slice(at, j));
  return parts.join('');
}

function named(delimiter: string): string {
  return delimiter === '\t' ? 'a tabulation' : JSON.stringify(delimiter);
}
