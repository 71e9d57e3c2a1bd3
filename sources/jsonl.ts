/**
 * The `jsonl` splitter: values of JSON after each other, as a rule one a line; also several on a line, one over many lines, or
 * each after a record separator (RFC 7464). A value that is not sound costs its line, not what follows.
 */
import type { Origin, Report, Splitting } from '../src/types.js';
import type { Collector } from './collector.js';
import { JsonReader } from './json-reader.js';
import { JsonRecord } from './json-record.js';
import { type RecordFormatOptions, recordSplitter, type Scanner } from './records.js';
import type { TextWindow } from './window.js';

export function jsonl(origin: Origin, options: RecordFormatOptions, report: Report): Splitting {
  return recordSplitter(origin, options, report, (window, collector) => new LineScanner(window, collector, options));
}

const RECORD_SEPARATOR = 0x1e;
const LINE_OR_RECORD_END = /[\n\u001e]/g;

/** A fault whose line has not ended in the window yet. */
interface Broken {
  readonly reason: string;
  readonly sentence: string;
  readonly details: { readonly at: number; readonly excerpt?: string };
}

class LineScanner implements Scanner {
  readonly #window: TextWindow;
  readonly #collector: Collector;
  readonly #reader: JsonReader;
  readonly #record: JsonRecord;
  #text = '';
  #final = false;
  #isInRecord = false;
  /** The record follows a record separator: it ends where the next one begins. */
  #isSeparated = false;
  /** The line that the record begins on, 0-based. */
  #line = 0;
  /** The byte at which the second line of the record begins; undefined: it is on one line so far. */
  #secondLine: number | undefined;
  /** The unit where that is, if it is in the window. */
  #secondUnit: number | undefined;
  #broken: Broken | undefined;

  constructor(window: TextWindow, collector: Collector, options: RecordFormatOptions) {
    this.#window = window;
    this.#collector = collector;
    this.#reader = new JsonReader(window);
    this.#record = new JsonRecord(this.#reader, window, collector, options);
  }

  scan(text: string, final: boolean): number | 'again' {
    const reader = this.#reader;
    this.#text = text;
    this.#final = final;
    this.#secondUnit = undefined;
    reader.read(text, final);
    for (;;) {
      if (this.#broken !== undefined && !this.#reject(this.#broken)) return text.length;
      if (!this.#isInRecord && !this.#begin()) return reader.at;
      const token = reader.next();
      if (reader.lineEnd >= 0) this.#noteLineEnd();
      if (token === 'more' || (token === 'fault' && !reader.isFaultComplete)) return reader.at;
      if (token === 'fault') {
        if (this.#break()) return 'again';
      } else if (this.#record.take(token)) this.#end();
    }
  }

  /** Goes to the next value; false: there is none in the window. */
  #begin(): boolean {
    const reader = this.#reader;
    while (reader.pastBlanks()) {
      if (this.#text.charCodeAt(reader.at) !== RECORD_SEPARATOR) {
        this.#isInRecord = true;
        this.#line = reader.lines;
        this.#collector.begin(reader.at, { line: reader.lines + 1 });
        reader.begin();
        this.#record.begin(0, '$');
        return true;
      }
      this.#isSeparated = true;
      reader.at++;
    }
    return false;
  }

  /** The record goes on over a line end. */
  #noteLineEnd(): void {
    const { lineEnd } = this.#reader;
    this.#reader.lineEnd = -1;
    if (this.#secondLine !== undefined) return;
    this.#secondUnit = lineEnd + 1;
    this.#secondLine = this.#window.endOf(lineEnd + 1);
    this.#window.keepFrom(this.#secondLine);
  }

  #end(): void {
    this.#collector.end(this.#reader.at);
    this.#leave();
  }

  #leave(): void {
    this.#isInRecord = false;
    this.#isSeparated = false;
    if (this.#secondLine !== undefined) this.#window.keepFrom(Number.POSITIVE_INFINITY);
    this.#secondLine = undefined;
  }

  /** The record is not sound. If only its first line is given up, the window begins at the second now. */
  #break(): boolean {
    const reader = this.#reader;
    const { reason, sentence, at } = reader.fault!;
    const details = reader.faultDetails;
    this.#collector.spoil(at);
    const second = this.#secondLine;
    const isLost = this.#isSeparated || this.#collector.spilled;
    if (second !== undefined && !isLost && this.#window.reaches(second, at)) {
      this.#collector.reject(reason, sentence, { ...details, end: second });
      this.#window.rewind(second, at, this.#secondUnit);
      this.#collector.rewound();
      reader.lines = this.#line + 1;
      this.#leave();
      return true;
    }
    this.#broken = { reason, sentence, details };
    reader.at = at;
    return false;
  }

  /** Goes to the end of the line, or to the next record separator; false: that is not in the window. */
  #reject({ reason, sentence, details }: Broken): boolean {
    const reader = this.#reader;
    LINE_OR_RECORD_END.lastIndex = reader.at;
    const found = LINE_OR_RECORD_END.exec(this.#text);
    if (found === null && !this.#final) return false;
    const isLineEnd = found?.[0] === '\n';
    reader.at = found === null ? this.#text.length : found.index + (isLineEnd ? 1 : 0);
    if (isLineEnd) reader.lines++;
    this.#collector.reject(reason, sentence, { ...details, end: this.#window.endOf(reader.at) });
    this.#broken = undefined;
    this.#leave();
    return true;
  }
}
