/**
 * The open elements of an XML document, which of them is the record under way, and what of it becomes text, metadata and key.
 * The grammar is xml.ts's: here names nest already. A value is the text of an element that has no elements inside, or of one
 * that has text between them; one that only has elements inside is no value itself (law L8: values have a limit, depth has one).
 */
import { type Collector, METADATA_UNITS } from './collector.js';
import type { RecordFormatOptions } from './records.js';
import type { TextWindow } from './window.js';
import { fieldsOf, ownName, PATH_UNITS, Place, pathOf, RecordPath } from './xml-paths.js';
import type { Decoded } from './xml-references.js';

/** An attribute in the window: its value is `[from, to)` as it is written. */
export interface WrittenAttribute {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly value: Decoded;
}

/** Most that the names of open elements may take, in units, each element counted as so many more. */
const OPEN_UNITS = 1 << 24;
const ELEMENT_UNITS = 64;

/** Places deeper than this in a record are no places to cut. */
const MARKED_DEPTH = 8;

/** Names of records that are counted within one element, and the longest of them. */
const COUNTED_NAMES = 1024;
const COUNTED_NAME_UNITS = 1024;

const BLANK = /^[ \t\r\n]*$/;

interface Element {
  readonly name: string;
  /** Byte of its `<`. */
  readonly start: number;
  /** Undefined: it is in no record, or in one that is not wanted. */
  readonly place: Place | undefined;
  /** Units of `#value` there were before it, and how many values before its content. */
  readonly from: number;
  values: number;
  hasText: boolean;
  hasElements: boolean;
  /** Records in it so far, by name. */
  counts: Map<string, number> | undefined;
}

interface Value {
  readonly path: string;
  readonly value: string;
}

export class Elements {
  readonly #window: TextWindow;
  readonly #collector: Collector;
  readonly #recordPath: RecordPath;
  readonly #place: Place;
  readonly #open: Element[] = [];
  #openUnits = 0;
  /** Open elements around the record under way and it; 0: none is. */
  #record = 0;
  #path = '';
  /** The element that the last record was in, and its path. */
  #parent: Element | undefined;
  #parentPath = '';
  /** The outermost open elements so many are around a text that has begun, and no values for the text between their elements. */
  #around = 0;
  /** The element that is a text, as a count of open elements; 0: none is. */
  #text = 0;
  /** Open elements whose value is wanted. */
  #valued = 0;
  /** Text of the record that may become values. */
  #value = '';
  #values: Value[] = [];
  #hasKey = false;
  /** There is too much metadata: the collector will reject the record. */
  #full = false;

  constructor(window: TextWindow, collector: Collector, options: RecordFormatOptions & { readonly records?: string }) {
    this.#window = window;
    this.#collector = collector;
    const { text, meta, idField, pack, records } = options;
    this.#recordPath = new RecordPath(records, text.length > 0 || pack);
    this.#place = Place.record(fieldsOf(text, meta, idField));
  }

  get depth(): number {
    return this.#open.length;
  }

  get isTooDeep(): boolean {
    return this.#openUnits > OPEN_UNITS;
  }

  /** Whether a record is under way. */
  get inRecord(): boolean {
    return this.#record > 0;
  }

  /** The innermost. */
  get name(): string {
    return this.#open.at(-1)!.name;
  }

  get start(): number {
    return this.#open.at(-1)!.start;
  }

  /** Of the values under way, those around the text that is under way. */
  #valuedAround = 0;

  /** Whether text and attributes here are of any use. */
  get isTaking(): boolean {
    return this.#text > 0 || this.#valued > 0;
  }

  /** An element's tag begins at unit `i`. */
  open(i: number, name: string, attributes: readonly WrittenAttribute[]): void {
    const parent = this.#open.at(-1);
    const place = this.#record > 0 ? this.#placeIn(parent!, i, name) : this.#begun(i, name);
    if (parent !== undefined) parent.hasElements = true;
    const element: Element = {
      name: place === undefined || place.depth === 0 ? ownName(name) : place.name,
      start: this.#window.startOf(i),
      place,
      from: this.#value.length,
      values: 0,
      hasText: false,
      hasElements: false,
      counts: undefined,
    };
    this.#open.push(element);
    this.#openUnits += name.length + ELEMENT_UNITS;
    if (place === undefined) return;
    if (place.meta || place.key) this.#valued++;
    for (const attribute of attributes) this.#attribute(place, attribute);
    if (place.text) this.#openText(place);
    element.values = this.#values.length;
  }

  /** Text `[i, j)` of the innermost element; `decoded` where there are references in it. */
  text(text: string, i: number, j: number, decoded: Decoded | undefined): void {
    if (this.#text > 0) {
      const window = this.#window;
      this.#collector.addText(
        decoded === undefined ? window.segments(i, j) : window.unescaped(i, j, decoded.text, decoded.escapes),
      );
    }
    // Around a text nothing is a value: only what lies inside it can be.
    if (this.#valued <= (this.#text > 0 ? this.#valuedAround : 0) || this.#full) return;
    const said = decoded?.text ?? text.slice(i, j);
    const element = this.#open.at(-1)!;
    element.hasText ||= !BLANK.test(said);
    if (this.#value.length + said.length > METADATA_UNITS) this.#overfill();
    else this.#value += said;
  }

  /** The innermost element ends before unit `j`. */
  close(j: number): void {
    const element = this.#open.pop()!;
    const { place } = element;
    this.#openUnits -= element.name.length + ELEMENT_UNITS;
    const depth = this.#open.length;
    if (place !== undefined) {
      if (this.#text > depth) this.#closeText();
      if (place.meta || place.key) this.#keep(element, place);
      this.#around = Math.min(this.#around, depth);
      if (place.depth === 1) this.#giveValues();
      if (place.depth === 1 && !this.#place.key) this.#value = '';
    }
    if (this.#record > depth) this.#ended(j);
  }

  /** The element is a record, or it is in none. */
  #begun(i: number, name: string): Place | undefined {
    if (!this.#recordPath.matches(this.#open, name)) return undefined;
    this.#record = this.#open.length + 1;
    this.#path = this.#pathOf(name);
    this.#collector.begin(i, { path: this.#path });
    return this.#collector.wanted ? this.#place : undefined;
  }

  #ended(j: number): void {
    this.#giveValues();
    this.#collector.end(j);
    this.#record = 0;
    this.#around = 0;
    this.#value = '';
    this.#hasKey = false;
    this.#full = false;
  }

  #placeIn(parent: Element, i: number, name: string): Place | undefined {
    const place = parent.place?.child(name);
    if (place !== undefined && place.depth <= MARKED_DEPTH && this.#collector.isSource) {
      this.#collector.mark(i, place.depth === 1 ? 'field' : 'inner', `${this.#path}/${place.path}`);
    }
    return place;
  }

  /** Where the record is: its names, and which one it is among the records of its name in its parent, from 1. */
  #pathOf(name: string): string {
    const parent = this.#open.at(-1);
    if (parent === undefined) return `/${name}`;
    if (this.#parent !== parent) {
      this.#parent = parent;
      this.#parentPath = pathOf(this.#openNames(), '/');
    }
    parent.counts ??= new Map();
    const { counts } = parent;
    const count = (counts.get(name) ?? 0) + 1;
    const isCounted = count > 1 || (counts.size < COUNTED_NAMES && name.length <= COUNTED_NAME_UNITS);
    if (isCounted) counts.set(count > 1 ? name : ownName(name), count);
    const own = isCounted ? `${name}[${count}]` : name;
    const path = `${this.#parentPath}/${own}`;
    return path.length <= PATH_UNITS ? path : pathOf(this.#openNames(own), '/');
  }

  /** Innermost first, after one that is not open yet. */
  *#openNames(inner?: string): Iterable<string> {
    if (inner !== undefined) yield inner;
    for (let k = this.#open.length - 1; k >= 0; k--) yield this.#open[k]!.name;
  }

  #attribute(place: Place, { name, from, to, value }: WrittenAttribute): void {
    const { text, meta, key } = place.attribute(name);
    const { text: said, escapes } = value;
    if (key) this.#setKey(said);
    if (meta) this.#addValue(place.pathOfAttribute(name), said);
    if (!text) return;
    this.#giveValuesFirst();
    this.#collector.openText(place.pathOfAttribute(name));
    if (from < to) this.#collector.addText(this.#window.unescaped(from, to, said, escapes));
    this.#collector.closeText();
  }

  #openText({ path }: Place): void {
    this.#giveValuesFirst();
    this.#text = this.#open.length;
    this.#valuedAround = this.#valued;
    this.#collector.openText(path);
  }

  #closeText(): void {
    this.#text = 0;
    this.#collector.closeText();
  }

  /** An element that has ended may be a value, and may then have swallowed those inside. */
  #keep({ from, values, hasText, hasElements }: Element, place: Place): void {
    this.#valued--;
    if (this.#full) return;
    const value = this.#value.slice(from);
    if (place.key) this.#setKey(value);
    const isMixed = hasText && place.depth > 0 && this.#open.length >= this.#around;
    if (!place.meta || (hasElements && !isMixed)) return;
    if (place.depth === 0 && !hasText) return;
    if (hasElements) this.#values.length = values;
    this.#addValue(place.path, value);
  }

  #addValue(path: string, value: string): void {
    if (this.#spend(path.length + value.length)) this.#values.push({ path, value });
  }

  /** The first is the record's. */
  #setKey(text: string): void {
    if (this.#hasKey || !this.#spend(text.length)) return;
    this.#hasKey = true;
    this.#collector.key(text);
  }

  /** Before a text begins, which may be the one from which on the record goes out. */
  #giveValuesFirst(): void {
    this.#giveValues();
    this.#around = this.#open.length - 1;
  }

  #giveValues(): void {
    if (this.#values.length === 0) return;
    for (const { path, value } of this.#values) this.#collector.meta(path, value);
    this.#values = [];
  }

  #spend(units: number): boolean {
    if (!this.#full && !this.#collector.spend(units)) this.#overfill();
    return !this.#full;
  }

  #overfill(): void {
    this.#full = true;
    this.#values = [];
    this.#value = '';
    this.#collector.spend(METADATA_UNITS + 1);
  }
}
