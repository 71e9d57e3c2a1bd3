/**
 * What a scanner of records found, as items: documents with their records and their metadata. It knows no format. A record's
 * texts are held until its end, because metadata may follow them; from `maxRecordBytes` on they go out with the metadata
 * that came before them, so that a record may be larger than memory (law L8).
 *
 * Where no field is asked for as text, a record is its own text: its source, with a mark wherever a record or a field begins.
 */
import { IngestError } from '../src/errors.js';
import type { Doc, Item, Json, Mark, Origin, RecordRef, Segment } from '../src/types.js';
import type { TextWindow } from './window.js';

export interface RecordOptions {
  /** Fields whose text becomes a document each; none: a record is its own text. */
  readonly text: readonly string[];
  /** Fields that become metadata; absent: all others, or none where a record is its own text. */
  readonly meta?: readonly string[];
  readonly idField?: string;
  /** Records that follow each other are one document. */
  readonly pack: boolean;
  /** Most that is held of a record's texts, in source bytes; escapes, gaps, marks and texts count more (`costOf`). */
  readonly maxRecordBytes: number;
  /** Whether the record that begins at this byte is wanted; absent: all are. */
  readonly wanted?: (start: number) => boolean;
}

/** A fault, in its place among the items. `fatal`: where the next record begins is not known. */
export class Fault {
  readonly error: IngestError;
  readonly fatal: boolean;

  constructor(error: IngestError, fatal: boolean) {
    this.error = error;
    this.fatal = fatal;
  }
}

export interface Place {
  readonly path?: string;
  /** 1-based. */
  readonly line?: number;
}

export interface FaultDetails {
  /** The byte that is wrong. */
  readonly at?: number;
  /** Where the next record begins: the rejected bytes end there. Absent in `stop`. */
  readonly end?: number;
  readonly excerpt?: string;
}

/** Most metadata of one record, in UTF-16 units: it is written with every chunk. */
export const METADATA_UNITS = 1 << 20;

const ESCAPE_COST = 16;

/** Of a text, and of a segment that is one for a gap before it, a mark, or a replaced text: what buffers part costs nothing (law L1). */
const PIECE_COST = 64;

/** What may stand between two records of one document: no more than a window's edge is wide, so that a cut sees both sides. */
const SEPARATOR_UNITS = 200;
const SEPARATOR = /^[\s,\u001e]*$/;

/** Made part by part: an engine takes much longer to spread objects into one. */
type Writable<T> = { -readonly [name in keyof T]: T[name] };

/** What is held: a field's name opens a text, or `null` where it has none; `undefined` closes it. */
type Held = Segment | string | null | undefined;

class OpenRecord {
  readonly index: number;
  readonly start: number;
  readonly place: Place;
  /** Whether it is asked for: its faults are told. */
  readonly asked: boolean;
  /** Whether its parts are taken: it is asked for, and no fault is known. */
  wanted: boolean;
  readonly metadata: Record<string, Json> = {};
  hasMetadata = false;
  key: string | undefined;
  metadataUnits = 0;
  held: Held[] = [];
  cost = 0;
  /** Where the last segment ended. */
  heldTo = -1;
  /** Its texts go out as they come. */
  spilled = false;
  /** Metadata that came too late. */
  late: string[] | undefined;

  constructor(index: number, start: number, place: Place, asked: boolean) {
    this.index = index;
    this.start = start;
    this.place = place;
    this.asked = asked;
    this.wanted = asked;
  }

  /**
   * As chunks of this field tell of it. `end` is absent where it goes out before that is known. One shape for all, absent keys
   * among them: an engine writes lines from objects of many shapes half as fast.
   */
  ref(end: number | undefined, field: string | undefined): RecordRef {
    const { index, start, key } = this;
    const { path, line } = this.place;
    return { index, start, end, path, line, field, key, count: undefined };
  }
}

export class Collector {
  /** Nothing is asked for as text, so the record is. */
  readonly isSource: boolean;
  /** Put before each text: a table's header. */
  context: string | undefined;
  readonly #origin: Origin;
  readonly #window: TextWindow;
  readonly #options: RecordOptions;
  #out: (Item | Fault)[] = [];
  #record: OpenRecord | undefined;
  #records = 0;
  /** Of them, those that ended and are sound. */
  #sound = 0;
  #texts = 0;
  #names: readonly string[] = [];
  /** The document whose segments go out. */
  #doc: Doc | undefined;
  /** Source records: units from here on are not taken yet, and what begins there. */
  #from = 0;
  #mark: Mark | undefined;
  /** What came since the last packed record; undefined: too much, or more than a separator. */
  #between: Segment[] | undefined;
  #betweenUnits = 0;

  constructor(origin: Origin, window: TextWindow, options: RecordOptions) {
    this.#origin = origin;
    this.#window = window;
    this.#options = options;
    this.isSource = options.text.length === 0;
  }

  /** Records begun so far. */
  get records(): number {
    return this.#records;
  }

  /** Whether the record under way is asked for; its parts need not be looked at otherwise. */
  get wanted(): boolean {
    return this.#record?.wanted ?? false;
  }

  /** Whether texts of the record under way have gone out already. */
  get spilled(): boolean {
    return this.#record?.spilled ?? false;
  }

  /** All since the last call. */
  take(): (Item | Fault)[] {
    const out = this.#out;
    if (out.length > 0) this.#out = [];
    return out;
  }

  /** A record begins at unit `i` of the window. */
  begin(i: number, place: Place = {}): void {
    if (this.isSource) this.#collectBetween(i);
    const start = this.#window.startOf(i);
    const wanted = this.#options.wanted?.(start) ?? true;
    this.#record = new OpenRecord(this.#records++, start, place, wanted);
    if (!wanted) this.#part();
    if (!this.isSource) return;
    this.#from = i;
    this.#mark = markOf('record', place.path);
    if (!this.#options.pack) this.openText();
  }

  /** A field, or a value deeper within, begins at unit `i` of a record that is its own text. */
  mark(i: number, kind: 'field' | 'inner', label?: string): void {
    if (!this.isSource || this.#record === undefined) return;
    this.#flushSource(i);
    this.#mark ??= markOf(kind, label);
  }

  /**
   * Text was read up to unit `i`. Say it before metadata or the key of a record that is its own text, so that whether these come
   * too late depends on the text only (law L1).
   */
  reach(i: number): void {
    if (this.isSource) this.#flushSource(i);
  }

  /** A text begins: of this field, or the record itself. Its segments follow. */
  openText(field?: string): void {
    const record = this.#record!;
    if (!record.wanted) return;
    this.#texts++;
    if (record.spilled) this.#open(record, field, undefined);
    else {
      record.held.push(field ?? null);
      this.#spend(record, PIECE_COST + (field?.length ?? 0));
    }
  }

  addText(segments: readonly Segment[]): void {
    const record = this.#record!;
    if (!record.wanted) return;
    for (const segment of segments) {
      if (record.spilled) this.#out.push(segment);
      else {
        record.held.push(segment);
        this.#spend(record, costOf(segment, record.heldTo));
        record.heldTo = segment.end;
      }
    }
  }

  closeText(): void {
    const record = this.#record!;
    if (!record.wanted) return;
    if (record.spilled) this.#close();
    else record.held.push(undefined);
  }

  /** Room for metadata of so many UTF-16 units. False: there is too much of it, the record will be rejected at its end. */
  spend(units: number): boolean {
    const record = this.#record!;
    record.metadataUnits += units;
    return record.metadataUnits <= METADATA_UNITS;
  }

  /** Adds metadata; a name that comes again makes a list of its values. */
  meta(name: string, value: Json): void {
    const record = this.#record!;
    if (record.spilled) {
      this.#late(record, name);
      return;
    }
    const { metadata } = record;
    record.hasMetadata = true;
    // Asking whether it has the name costs more than looking there, and it mostly has not.
    const found = metadata[name];
    const before = found !== undefined && Object.hasOwn(metadata, name) ? found : undefined;
    if (before === undefined) define(metadata, name, value);
    else if (this.#repeated.has(name)) (before as Json[]).push(value);
    else {
      define(metadata, name, [before, value]);
      this.#repeated.add(name);
    }
  }

  /** Names of the record under way whose values are a list only because they came more than once. */
  readonly #repeated = new Set<string>();

  key(text: string): void {
    const record = this.#record!;
    if (record.spilled) this.#late(record, this.#options.idField!);
    // Records that are packed have none: a chunk is of many.
    else if (!this.#options.pack) record.key = text;
  }

  #late(record: OpenRecord, name: string): void {
    record.late ??= [];
    record.late.push(name);
  }

  /** The record ends before unit `j` of the window. */
  end(j: number): void {
    const record = this.#record!;
    const end = this.#window.endOf(j);
    if (this.isSource) this.#flushSource(j);
    if (record.metadataUnits > METADATA_UNITS) {
      const sentence = `its metadata is larger than ${METADATA_UNITS} characters, and would be written with every chunk: name the fields you want`;
      this.reject('too-much-metadata', sentence, { end });
      return;
    }
    this.#sound++;
    if (record.hasMetadata && this.#names.length === 0) this.#names = Object.keys(record.metadata).slice(0, 12);
    if (record.spilled) {
      if (this.isSource && !this.#options.pack) this.#close();
    } else {
      if (this.isSource && !this.#options.pack && record.wanted) record.held.push(undefined);
      this.#give(record, end);
    }
    this.#leave(j);
    if (record.late !== undefined) this.#rejectLate(record, record.late, end);
  }

  /**
   * Unit `i` of the record under way is wrong; `reject` follows once its end is known. Its texts that are held are dropped, and
   * nothing more of it is taken. Whether some went out before (`spilled`) depends on what lies before `i` only (law L1).
   */
  spoil(i: number): void {
    const record = this.#record!;
    if (this.isSource) this.#flushSource(i);
    record.wanted = false;
    record.held = [];
    this.#part();
  }

  /** The record under way is faulty, and the next begins at `end`. Its texts that are held are dropped. */
  reject(reason: string, sentence: string, details: FaultDetails & { readonly end: number }): void {
    const { start, index, asked } = this.#record!;
    this.#part();
    if (asked) this.#fault(reason, sentence, false, { ...details, start, index });
    this.#record = undefined;
    this.#mark = undefined;
    if (this.#repeated.size > 0) this.#repeated.clear();
  }

  /** Something is wrong, and where the next record begins is not known. */
  stop(reason: string, sentence: string, details: Omit<FaultDetails, 'end'> = {}): void {
    const index = this.#record?.index;
    this.#fault(reason, sentence, true, { ...details, ...(index === undefined ? {} : { index }) });
  }

  /** A fault of the whole input that is no record's: nothing was found. */
  miss(reason: string, sentence: string): void {
    this.#fault(reason, sentence, false, {});
  }

  /** The window is about to lose its first `units`. */
  passed(units: number): void {
    if (!this.isSource) return;
    if (this.#record !== undefined) this.#flushSource(units);
    else this.#collectBetween(units);
    this.#from = 0;
  }

  /** The window begins elsewhere: nothing of it is taken. */
  rewound(): void {
    this.#from = 0;
  }

  /** After the last record. */
  finish(): void {
    this.#part();
    if (this.isSource || this.#sound === 0 || this.#texts > 0 || this.#options.wanted !== undefined) return;
    const fields = this.#options.text.join(' or ');
    const found = this.#names.length === 0 ? '' : ` (the first record has ${this.#names.join(', ')})`;
    this.miss('no-such-field', `none of its ${this.#records} records has a text ${fields}${found}`);
  }

  #spend(record: OpenRecord, cost: number): void {
    record.cost += cost;
    if (record.cost <= this.#options.maxRecordBytes) return;
    record.spilled = true;
    this.#give(record, undefined);
  }

  /** What is held goes out. `end`: of the record, if that is known. */
  #give(record: OpenRecord, end: number | undefined): void {
    const { held } = record;
    record.held = [];
    if (!record.wanted || held.length === 0) return;
    if (this.isSource && this.#options.pack) {
      const ref = record.ref(end, undefined);
      this.#join(record, end);
      for (const entry of held) this.#out.push(withRecord(entry as Segment, ref));
      return;
    }
    for (const entry of held) {
      if (entry === undefined) this.#close();
      else if (entry === null || typeof entry === 'string') this.#open(record, entry ?? undefined, end);
      else this.#out.push(entry);
    }
  }

  /** A packed record goes to the document of the one before, if only a separator parts them. */
  #join(record: OpenRecord, end: number | undefined): void {
    if (this.#doc === undefined) this.#open(record, undefined, end);
    else {
      const [first, ...others] = this.#between!;
      if (first !== undefined) this.#out.push({ ...first, mark: { kind: 'between' } }, ...others);
    }
  }

  /** What follows belongs to no document before. */
  #part(): void {
    if (this.#doc !== undefined) this.#close();
    this.#between = undefined;
  }

  #open(record: OpenRecord, field: string | undefined, end: number | undefined): void {
    const { context } = this;
    const doc: Writable<Doc> = { origin: this.#origin, charset: this.#window.charset, metadata: record.metadata };
    if (!this.#options.pack) doc.record = record.ref(end, field);
    if (field !== undefined) doc.field = field;
    if (context !== undefined) doc.context = context;
    this.#doc = doc;
    this.#out.push({ open: doc });
  }

  #close(): void {
    this.#out.push({ close: this.#doc! });
    this.#doc = undefined;
  }

  #leave(j: number): void {
    this.#record = undefined;
    this.#from = j;
    this.#between = this.#options.pack && this.#doc !== undefined ? [] : undefined;
    this.#betweenUnits = 0;
    if (this.#repeated.size > 0) this.#repeated.clear();
  }

  #rejectLate({ start, index }: OpenRecord, late: readonly string[], end: number): void {
    const megabytes = Math.round((this.#options.maxRecordBytes / 2 ** 20) * 10) / 10;
    const names = [...new Set(late)].slice(0, 6).join(', ');
    const sentence = `metadata after a text of more than ${megabytes} MB (${names}): its text went out without; raise the limit or leave these fields out`;
    this.#fault('late-metadata', sentence, false, { start, index, end });
  }

  /** Units up to `to` of a record that is its own text. */
  #flushSource(to: number): void {
    if (to <= this.#from) return;
    const segments = this.#window.segments(this.#from, to);
    if (this.#mark !== undefined) segments[0] = marked(segments[0]!, this.#mark);
    this.#from = to;
    this.#mark = undefined;
    this.addText(segments);
  }

  /** What lies between packed records stays while it can be what parts them; it then belongs to the document. */
  #collectBetween(to: number): void {
    const from = this.#from;
    this.#from = to;
    if (this.#between === undefined) return;
    for (const segment of this.#window.segments(from, to)) {
      this.#betweenUnits += segment.text.length;
      if (this.#betweenUnits > SEPARATOR_UNITS || !SEPARATOR.test(segment.text)) {
        this.#part();
        return;
      }
      this.#between.push(segment);
    }
  }

  #fault(
    reason: string,
    sentence: string,
    fatal: boolean,
    details: FaultDetails & { readonly start?: number; readonly index?: number },
  ): void {
    const { at, start, end, index, excerpt } = details;
    const error = new IngestError('record', reason, sentence, {
      origin: this.#origin.uri,
      ...(at === undefined ? (start === undefined ? {} : { at: start }) : { at }),
      ...(index === undefined ? {} : { record: index }),
      ...(start === undefined || end === undefined ? {} : { range: [start, end] as const }),
      ...(excerpt === undefined ? {} : { excerpt }),
    });
    this.#out.push(new Fault(error, fatal));
  }
}

/** A plain assignment would lose a field named `__proto__`. */
export function define<V>(object: Record<string, V>, name: string, value: V): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/** Source text has no escapes. */
function marked({ text, start, end, verbatim }: Segment, mark: Mark): Segment {
  return { text, start, end, verbatim, mark };
}

function withRecord(segment: Segment, record: RecordRef): Segment {
  const { mark } = segment;
  return mark?.kind === 'record' ? marked(segment, { ...mark, record }) : segment;
}

function markOf(kind: Mark['kind'], label: string | undefined): Mark {
  return label === undefined ? { kind } : { kind, label };
}

/** What it takes to hold a segment; `before`: where the one before it ended. */
function costOf({ start, end, verbatim, escapes, mark }: Segment, before: number): number {
  let cost = end - start;
  if (escapes !== undefined) cost += (escapes.length / 4) * ESCAPE_COST;
  if (start !== before || !verbatim || mark !== undefined) cost += PIECE_COST + (mark?.label?.length ?? 0);
  return cost;
}
