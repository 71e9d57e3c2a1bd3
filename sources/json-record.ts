/**
 * What becomes of one record of JSON: its tokens turn into texts, metadata, a key and marks. The same for `json` and `jsonl`,
 * which find the records and see to faults. It holds no more than the metadata under way; texts go on as they come.
 */
import type { Collector, RecordOptions } from './collector.js';
import { jsonPathSteps, PATH_UNITS, PathState, Trail } from './json-paths.js';
import type { JsonReader, Token } from './json-reader.js';
import { KeptValue, scalarOf } from './json-values.js';
import type { TextWindow } from './window.js';

/** What a field is for. */
type Use = { readonly kind: 'text' | 'key' } | { readonly kind: 'meta'; readonly name: string };

interface Keeping {
  readonly name: string;
  readonly value: KeptValue;
  /** One of all fields that are no texts: what is text within is left out of it. */
  readonly isDefault: boolean;
}

/** Depth in a record down to which values are marked, where the record is its own text. */
const MARKED_DEPTH = 8;

const NO_USES: readonly Use[] = [];
const NO_NAMES: readonly string[] = [];

export class JsonRecord {
  readonly #reader: JsonReader;
  readonly #window: TextWindow;
  readonly #collector: Collector;
  readonly #fields: PathState<Use> | undefined;
  /** All that is no text is metadata. */
  readonly #keepsAll: boolean;
  readonly #trail = new Trail<Use>();
  readonly #spend = (units: number): boolean => this.#collector.spend(units);
  /** The reader's depth outside of the record. */
  #depth = 0;
  /** The reader's depth outside of the container that is not followed into; -1: none. */
  #passing = -1;
  /** Of that container, where what is in it is text. */
  #passingPath = '';
  /** The reader's depth outside of the container whose values are texts, all of them; -1: none. */
  #texts = -1;
  /** Containers, and strings that come in parts. */
  #keepings: Keeping[] = [];
  /** What the scalar under way is kept as, which is all in its token. */
  #names: readonly string[] = NO_NAMES;
  /** The value that began last is a text, or what is in it is. */
  #isText = false;
  /** The value under way is the key, as far as it has come. */
  #key: string | undefined;

  constructor(reader: JsonReader, window: TextWindow, collector: Collector, { text, meta, idField }: RecordOptions) {
    this.#reader = reader;
    this.#window = window;
    this.#collector = collector;
    this.#keepsAll = meta === undefined && !collector.isSource;
    const paths = [
      ...text.map((path) => ({ steps: jsonPathSteps(path), use: { kind: 'text' as const } })),
      ...(meta ?? []).map((path) => ({ steps: jsonPathSteps(path), use: { kind: 'meta' as const, name: path } })),
      ...(idField === undefined ? [] : [{ steps: jsonPathSteps(idField), use: { kind: 'key' as const } }]),
    ];
    this.#fields = paths.length === 0 ? undefined : new PathState<Use>(paths);
  }

  /** A record begins. `depth`: the reader's, outside of it; `path`: of the record, for marks. */
  begin(depth: number, path: string): void {
    this.#depth = depth;
    this.#trail.begin(this.#fields, this.#collector.isSource ? path : '');
    this.#passing = -1;
    this.#texts = -1;
    if (this.#keepings.length > 0) this.#keepings = [];
    this.#isText = false;
    this.#key = undefined;
  }

  /** Takes the reader's next token; true: the record is over. */
  take(token: Token): boolean {
    if (this.#collector.wanted) this.#follow(token);
    return this.#reader.depth === this.#depth && token !== 'part';
  }

  #follow(token: Token): void {
    if (token === 'name') this.#name();
    else if (token === 'close') this.#close();
    else if (token === 'object' || token === 'array') this.#open(token);
    else this.#scalar(token);
  }

  #name(): void {
    if (this.#passing < 0) {
      this.#trail.name(this.#reader.said());
      this.#mark(this.#reader.depth);
    }
    this.#keep('name');
  }

  #open(token: 'object' | 'array'): void {
    const outside = this.#reader.depth - 1;
    this.#begun(outside, token);
    if (this.#isText && this.#texts < 0) this.#texts = outside;
    this.#keep(token);
    if (this.#passing >= 0) return;
    if (this.#goesInto(outside)) this.#trail.enter(token === 'object');
    else {
      this.#passing = outside;
      if (this.#texts >= 0) this.#passingPath = this.#trail.path;
    }
  }

  #close(): void {
    const { depth } = this.#reader;
    this.#keep('close');
    if (this.#passing < 0) this.#trail.leave();
    else if (this.#passing === depth) this.#passing = -1;
    if (this.#texts === depth) this.#texts = -1;
  }

  /** Whether the container that begins can hold anything that its path tells apart. */
  #goesInto(outside: number): boolean {
    if (this.#collector.isSource && outside - this.#depth < MARKED_DEPTH) return true;
    if (this.#texts >= 0) return this.#trail.path.length <= PATH_UNITS;
    return this.#trail.state !== undefined || (this.#keepsAll && outside === this.#depth);
  }

  #scalar(token: Token): void {
    const reader = this.#reader;
    if (reader.begins) this.#begun(reader.depth, token);
    const isString = token === 'string' || token === 'part';
    if (this.#isText && token !== 'null') this.#text(isString, token !== 'part');
    this.#keep(token);
    if (this.#names !== NO_NAMES) this.#keepWhole(token);
    if (this.#key !== undefined) this.#addKey(token, isString);
  }

  /** What has come of a scalar that is a text. */
  #text(isString: boolean, isOver: boolean): void {
    const collector = this.#collector;
    const { begins, from, to, start, at, escapes } = this.#reader;
    if (begins) collector.openText(this.#passing < 0 ? this.#trail.path || '$' : this.#passingPath);
    if (!isString) collector.addText(this.#window.segments(start, at));
    else if (to > from)
      collector.addText(this.#window.unescaped(from, to, escapes.length === 0 ? '' : this.#reader.said(), escapes));
    if (isOver) collector.closeText();
  }

  #addKey(token: Token, isString: boolean): void {
    const reader = this.#reader;
    if (this.#spend(reader.at - reader.start)) this.#key += isString ? reader.said() : reader.source();
    if (token === 'part') return;
    this.#collector.reach(reader.at);
    if (token !== 'null') this.#collector.key(this.#key!);
    this.#key = undefined;
  }

  /** A value begins; `outside`: the reader's depth outside of it. Finds what it is for. */
  #begun(outside: number, token: Token): void {
    this.#isText = this.#texts >= 0;
    if (this.#passing >= 0) return;
    const trail = this.#trail;
    trail.value();
    if (trail.isElement) this.#mark(outside);
    for (const use of trail.state?.uses ?? NO_USES) {
      if (use.kind === 'text') this.#isText = true;
      else if (use.kind === 'meta') this.#beginKeeping(use.name, outside, token, false);
      else if (token !== 'object' && token !== 'array') this.#key = '';
    }
    if (this.#isText) this.#omit();
    else if (this.#keepsAll && outside === this.#depth + 1) this.#beginKeeping(trail.label, outside, token, true);
  }

  /** A place in a record that is its own text: a name, or an element; `depth`: the reader's. */
  #mark(depth: number): void {
    if (!this.#collector.isSource) return;
    this.#collector.mark(this.#reader.start, depth === this.#depth + 1 ? 'field' : 'inner', this.#trail.path);
  }

  #beginKeeping(name: string, outside: number, token: Token, isDefault: boolean): void {
    if (!this.#collector.spend(name.length)) return;
    const comesInParts = token === 'object' || token === 'array' || token === 'part';
    if (!comesInParts) this.#names = this.#names === NO_NAMES ? [name] : [...this.#names, name];
    else this.#keepings.push({ name, value: new KeptValue(this.#reader, this.#spend, outside), isDefault });
  }

  #keepWhole(token: Token): void {
    const reader = this.#reader;
    this.#collector.reach(reader.at);
    for (const name of this.#names) {
      if (this.#collector.spend(reader.at - reader.start + 1)) this.#collector.meta(name, scalarOf(reader, token));
    }
    this.#names = NO_NAMES;
  }

  #omit(): void {
    for (const { value, isDefault } of this.#keepings) if (isDefault) value.omit();
  }

  /** Hands a token to what is kept. */
  #keep(token: Token): void {
    if (this.#keepings.length === 0) return;
    const isOmitted = token === 'name' || token === 'close' ? this.#texts >= 0 : this.#isText;
    let isOver = false;
    for (const { value, isDefault } of this.#keepings) if (!(isDefault && isOmitted) && value.take(token)) isOver = true;
    if (isOver) this.#endKeepings();
  }

  #endKeepings(): void {
    this.#collector.reach(this.#reader.at);
    const over = this.#keepings.filter(({ value }) => value.isOver);
    this.#keepings = this.#keepings.filter(({ value }) => !value.isOver);
    for (const { name, value } of over) if (value.value !== undefined) this.#collector.meta(name, value.value);
  }
}
