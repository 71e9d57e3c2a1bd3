/**
 * The splitter's marks over a sliding window of text: where records and fields begin, and which of them a place lies in.
 * Positions are UTF-16 indexes into the window, as the ledger's are. Of what is before the window only the record and the
 * label in force are kept (law L8).
 */
import type { Mark, RecordRef } from './types.js';

/** Places before the window are forgotten once there are so many. */
const SPARE_PLACES = 64;

interface Placed {
  readonly at: number;
  readonly mark: Mark;
}

export class MarkedPlaces {
  /** In order; `at` counts units from the beginning of the document. */
  #places: Placed[] = [];
  #base = 0;
  #any = false;
  /** Some mark told metadata: records' marks never do, and there are many of them to look through. */
  #tells = false;

  /** Whether there ever was one: most documents have none, and need not ask. */
  get any(): boolean {
    return this.#any;
  }

  /** How many are held. */
  get held(): number {
    return this.#places.length;
  }

  add(at: number, mark: Mark): void {
    this.#any = true;
    this.#tells ||= mark.metadata !== undefined;
    this.#places.push({ at: this.#base + at, mark });
  }

  /** The window now begins `units` later. */
  drop(units: number): void {
    this.#base += units;
    const from = this.#firstFrom(this.#base);
    if (from < SPARE_PLACES) return;
    const before = this.#places.slice(0, from);
    const kept = [
      findLast(before, isRecordEdge),
      findLast(before, ({ mark }) => mark.label !== undefined),
      findLast(before, ({ mark }) => mark.metadata !== undefined),
    ];
    const inForce = kept.filter((each) => each !== undefined).sort((a, b) => a.at - b.at);
    this.#places = [...new Set(inForce), ...this.#places.slice(from)];
  }

  /** The last mark of this kind in `[from, to]`. */
  last(kind: Mark['kind'], from: number, to: number): number | undefined {
    for (let index = this.#firstFrom(this.#base + to + 1) - 1; index >= 0; index--) {
      const { at, mark } = this.#places[index]!;
      if (at < this.#base + from) return undefined;
      if (mark.kind === kind) return at - this.#base;
    }
    return undefined;
  }

  /** The first mark of this kind in `[from, to]`. */
  first(kind: Mark['kind'], from: number, to: number): number | undefined {
    for (let index = this.#firstFrom(this.#base + from); index < this.#places.length; index++) {
      const { at, mark } = this.#places[index]!;
      if (at > this.#base + to) return undefined;
      if (mark.kind === kind) return at - this.#base;
    }
    return undefined;
  }

  /** What to call the place where the chunk that begins at `at` begins, unless a record begins there. */
  labelAt(at: number): string | undefined {
    for (let index = this.#firstFrom(this.#base + at + 1) - 1; index >= 0; index--) {
      const place = this.#places[index]!;
      if (place.mark.kind === 'record' && place.at === this.#base + at) return undefined;
      if (place.mark.label !== undefined) return place.mark.label;
    }
    return undefined;
  }

  /** What is known of the text at this place. */
  metadataAt(at: number): Mark['metadata'] {
    if (!this.#tells) return undefined;
    for (let index = this.#firstFrom(this.#base + at + 1) - 1; index >= 0; index--) {
      const { metadata } = this.#places[index]!.mark;
      if (metadata !== undefined) return metadata;
    }
    return undefined;
  }

  /** The records that `[i, j)` came from as one: the first of them, their count, and the last one's end. */
  recordsIn(i: number, j: number): RecordRef | undefined {
    const after = this.#firstFrom(this.#base + j);
    let first = this.#recordAt(i);
    let last = first;
    let count = first === undefined ? 0 : 1;
    for (let index = this.#firstFrom(this.#base + i + 1); index < after; index++) {
      const { record } = this.#places[index]!.mark;
      if (record === undefined) continue;
      first ??= record;
      last = record;
      count++;
    }
    if (first === undefined) return undefined;
    const { end: _, ...begun } = first;
    return { ...begun, ...(last?.end === undefined ? {} : { end: last.end }), count };
  }

  /** The record that a place lies in; none after a record's end and before the next begins. */
  #recordAt(at: number): RecordRef | undefined {
    for (let index = this.#firstFrom(this.#base + at + 1) - 1; index >= 0; index--) {
      const { mark } = this.#places[index]!;
      if (mark.kind === 'record' || mark.kind === 'between') return mark.record;
    }
    return undefined;
  }

  /** The index of the first place at or after `at`. */
  #firstFrom(at: number): number {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#places[middle]!.at < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isRecordEdge({ mark }: Placed): boolean {
  return mark.kind === 'record' || mark.kind === 'between';
}

function findLast(places: readonly Placed[], is: (place: Placed) => boolean): Placed | undefined {
  for (let index = places.length - 1; index >= 0; index--) if (is(places[index]!)) return places[index];
  return undefined;
}
