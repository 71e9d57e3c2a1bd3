/**
 * The `json` splitter: one document of JSON, whose records lie at a path. What is outside of records is read by the same grammar
 * and not kept. A document that is not sound is not read beyond its first wrong character.
 */
import type { Origin, Report, Splitting } from '../src/types.js';
import type { Collector } from './collector.js';
import { ANY, jsonPathSteps, PathState, Trail } from './json-paths.js';
import { JsonReader, type Token } from './json-reader.js';
import { JsonRecord } from './json-record.js';
import { type RecordFormatOptions, recordSplitter, type Scanner } from './records.js';
import type { TextWindow } from './window.js';

export interface JsonOptions extends RecordFormatOptions {
  /** Where the records are. Absent: the elements of an array, where texts are asked for or records packed; else the whole. */
  readonly records?: string;
}

export function json(origin: Origin, options: JsonOptions, report: Report): Splitting {
  return recordSplitter(origin, options, report, (window, collector) => new JsonScanner(window, collector, options));
}

/** How many names are shown where no record was found, and how much of each. */
const HINTED_NAMES = 12;
const HINTED_UNITS = 40;

class JsonScanner implements Scanner {
  readonly #collector: Collector;
  readonly #reader: JsonReader;
  readonly #record: JsonRecord;
  readonly #options: JsonOptions;
  readonly #trail = new Trail<true>();
  #isInRecord = false;
  /** The reader's depth outside of the container that is not followed into, since no record is there; -1: none. */
  #passing = -1;
  /** The container whose members or elements are records is there, however few there are. */
  #isFound = false;
  /** An array that the path takes for an object. */
  #array: string | undefined;
  #names: string[] = [];

  constructor(window: TextWindow, collector: Collector, options: JsonOptions) {
    this.#collector = collector;
    this.#options = options;
    this.#reader = new JsonReader(window);
    this.#record = new JsonRecord(this.#reader, window, collector, options);
  }

  scan(text: string, final: boolean): number {
    const reader = this.#reader;
    reader.read(text, final);
    for (;;) {
      const token = reader.next();
      if (token === 'more' || (token === 'fault' && !reader.isFaultComplete)) return reader.at;
      if (token === 'fault') this.#stop();
      else if (token === 'end') this.#hint();
      if (token === 'fault' || token === 'end') return text.length;
      if (this.#isInRecord) this.#take(token);
      else this.#outside(token);
    }
  }

  #take(token: Token): void {
    this.#isInRecord = !this.#record.take(token);
    if (!this.#isInRecord) this.#collector.end(this.#reader.at);
  }

  #outside(token: Token): void {
    const trail = this.#trail;
    const { begins, depth } = this.#reader;
    if (token === 'name') this.#name();
    else if (token === 'close') {
      if (this.#passing < 0) trail.leave();
      else if (this.#passing === depth) this.#passing = -1;
    } else if (begins && this.#passing < 0) this.#value(token, token === 'object' || token === 'array' ? depth - 1 : depth);
  }

  #name(): void {
    if (this.#passing >= 0) return;
    const name = this.#reader.said();
    this.#trail.name(name);
    if (this.#reader.depth === 1 && this.#names.length < HINTED_NAMES)
      this.#names.push(name.slice(0, HINTED_UNITS).toWellFormed());
  }

  /** A value begins; `outside`: the reader's depth outside of it. */
  #value(token: Token, outside: number): void {
    const trail = this.#trail;
    if (outside === 0) trail.begin(this.#records(token), '$');
    trail.value();
    const { state } = trail;
    if (state !== undefined && state.uses.length > 0) {
      const { path } = trail;
      this.#collector.begin(this.#reader.start, { path });
      this.#record.begin(outside, path);
      this.#take(token);
    } else if (token === 'object' || token === 'array') {
      if (state === undefined) this.#passing = outside;
      else this.#enter(token, state);
    }
  }

  #enter(token: 'object' | 'array', { ahead }: PathState<true>): void {
    if (ahead.length === 1 && ahead[0] === ANY) this.#isFound = true;
    if (token === 'array' && typeof ahead[0] === 'string') this.#array ??= this.#trail.path;
    this.#trail.enter(token === 'object');
  }

  /** Where the records are. */
  #records(root: Token): PathState<true> {
    const { records, text, pack } = this.#options;
    const path = records ?? (root === 'array' && (text.length > 0 || pack) ? '[*]' : '$');
    return new PathState([{ steps: jsonPathSteps(path), use: true as const }]);
  }

  #stop(): void {
    const reader = this.#reader;
    const { reason, sentence, at } = reader.fault!;
    if (this.#isInRecord) this.#collector.spoil(at);
    this.#collector.stop(reason, sentence, reader.faultDetails);
  }

  /** Says what there is instead of records. */
  #hint(): void {
    const { records } = this.#options;
    if (records === undefined || this.#isFound || this.#collector.records > 0) return;
    const names = this.#names.length === 0 ? '' : ` (it has ${this.#names.map((name) => JSON.stringify(name)).join(', ')})`;
    const hint = this.#array === undefined ? names : `: ${this.#array} is an array, whose elements are ${this.#array}[*]`;
    this.#collector.miss('no-records', `there is nothing at ${records}${hint}`);
  }
}
