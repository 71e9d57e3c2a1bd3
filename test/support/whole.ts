/**
 * A document as the laws see it: all its segments at once, and for each UTF-16 unit the bytes it came from. Slow, simple, and
 * written without the ledger, so that it can judge it.
 */
import type { Charset, Machine, Segment } from '../../src/types.js';

/** Everything a machine gives for these inputs. */
export function drained<I, O>(machine: Machine<I, O>, inputs: Iterable<I>): O[] {
  const outputs: O[] = [];
  // One by one: as arguments of one call, a hundred thousand outputs would be too many.
  for (const input of inputs) for (const output of machine.push(input)) outputs.push(output);
  for (const output of machine.end()) outputs.push(output);
  return outputs;
}

/** Two machines in a row. */
export function chained<A, B, C>(first: Machine<A, B>, then: Machine<B, C>): Machine<A, C> {
  return {
    *push(input) {
      for (const output of first.push(input)) yield* then.push(output);
    },
    *end() {
      for (const output of first.end()) yield* then.push(output);
      yield* then.end();
    },
  };
}

/** A segment as what it is made of: verbatim stretches, and each escape by itself. The mark stays on the first. */
export function plainParts(segment: Segment, charset: Charset): Segment[] {
  const { text, start, end, verbatim, escapes = [], mark } = segment;
  const parts: Segment[] = [];
  let [at, byte] = [0, start];
  const plain = (to: number) => {
    if (to === at) return;
    const part = text.slice(at, to);
    parts.push({ text: part, start: byte, end: byte + encodedBytes(part, charset), verbatim: true });
  };
  for (let k = 0; k < escapes.length; k += 4) {
    const [unit, units, from, bytes] = escapes.slice(k, k + 4) as [number, number, number, number];
    plain(unit);
    parts.push({ text: text.slice(unit, unit + units), start: start + from, end: start + from + bytes, verbatim: false });
    [at, byte] = [unit + units, start + from + bytes];
  }
  if (escapes.length === 0) parts.push({ text, start, end, verbatim });
  else plain(text.length);
  return parts.map((part, n) => (n === 0 && mark !== undefined ? { ...part, mark } : part));
}

/** Neighbours that were one text before a buffer's edge parted them are one again, and escapes are segments of their own. */
export function joinedSegments(given: readonly Segment[], charset: Charset = 'utf-8'): Segment[] {
  const joined: Segment[] = [];
  for (const segment of given.flatMap((each) => plainParts(each, charset))) {
    const last = joined.at(-1);
    if (last?.verbatim && segment.verbatim && last.end === segment.start && segment.mark === undefined) {
      joined[joined.length - 1] = { ...last, text: last.text + segment.text, end: segment.end };
    } else joined.push(segment);
  }
  return joined;
}

/** Bytes that a text takes in a charset, by Node's own encoder. */
export function encodedBytes(text: string, charset: Charset): number {
  if (charset === 'utf-8') return Buffer.byteLength(text);
  return charset.startsWith('utf-16') ? text.length * 2 : text.length;
}

export class Whole {
  readonly text: string;
  /** Per unit: where its character begins and ends, or the whole of a replaced segment. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** Per unit: may text be cut before it? */
  readonly #legal: boolean[] = [];

  constructor(segments: readonly Segment[], charset: Charset) {
    this.text = segments.map((segment) => segment.text).join('');
    for (const segment of segments) for (const part of plainParts(segment, charset)) this.#add(part, charset);
  }

  /** The units of the piece that has these bytes, or undefined when its edges are inside of something. */
  unitsOf(start: number, end: number): [i: number, j: number] | undefined {
    const i = this.#starts.indexOf(start, lowerBound(this.#starts, start));
    const j = this.#ends.lastIndexOf(end, lowerBound(this.#ends, end + 1) - 1) + 1;
    return i < 0 || j <= i ? undefined : [i, j];
  }

  startOf(i: number): number {
    return this.#starts[i]!;
  }

  endOf(j: number): number {
    return this.#ends[j - 1]!;
  }

  /** Between two characters, and not inside text that stands for its bytes as a whole. */
  mayCut(at: number): boolean {
    return at <= 0 || at >= this.text.length || this.#legal[at]!;
  }

  #add(segment: Segment, charset: Charset): void {
    if (!segment.verbatim) {
      for (let unit = 0; unit < segment.text.length; unit++) this.#push(segment.start, segment.end, unit === 0);
      return;
    }
    let byte = segment.start;
    for (const character of segment.text) {
      const end = byte + encodedBytes(character, charset);
      for (let unit = 0; unit < character.length; unit++) this.#push(byte, end, unit === 0);
      byte = end;
    }
  }

  #push(start: number, end: number, legal: boolean): void {
    this.#starts.push(start);
    this.#ends.push(end);
    this.#legal.push(legal);
  }
}

/** The first index whose value is not less; the values never fall. */
function lowerBound(values: readonly number[], value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
