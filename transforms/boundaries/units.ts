/**
 * What strategies share that look for units before text is cut: the text held back while they look, given on with a mark where
 * each unit begins; and the level that cuts at these marks. Where units begin is for the strategies to say.
 */
import { Slicer } from '../../src/segment.js';
import type { Charset, Level, Mark, Segment } from '../../src/types.js';

/** Text that waits, in segments as they came. Places count units from the beginning of the document. */
export class HeldText {
  readonly #charset: Charset;
  #segments: Segment[] = [];
  /** Where the held text begins and ends. */
  #at = 0;
  #end = 0;
  /** In order. */
  #marks: { readonly at: number; readonly mark: Mark }[] = [];

  constructor(charset: Charset) {
    this.#charset = charset;
  }

  get held(): number {
    return this.#end - this.#at;
  }

  append(segment: Segment): void {
    this.#segments.push(segment);
    this.#end += segment.text.length;
  }

  /** A unit begins here; not before another that was marked, nor in text that was released. */
  mark(at: number, mark: Mark): void {
    this.#marks.push({ at, mark });
  }

  /** Gives on the text up to `to`. What stands for its bytes as a whole goes when all of it may. */
  release(to: number): readonly Segment[] {
    const given: Segment[] = [];
    let whole = 0;
    for (const segment of this.#segments) {
      const length = segment.text.length;
      const isPart = this.#at + length > to;
      if (isPart && (to <= this.#at || !segment.verbatim)) break;
      this.#give(segment, isPart ? to - this.#at : length, given);
      if (isPart) {
        this.#segments[whole] = new Slicer(segment, this.#charset).slice(to - this.#at, length);
        this.#at = to;
        break;
      }
      this.#at += length;
      whole++;
    }
    this.#segments.splice(0, whole);
    return given;
  }

  /** The first `length` units of a segment, parted at the marks. A mark inside of replaced text goes to what follows it. */
  #give(segment: Segment, length: number, given: Segment[]): void {
    if (length === segment.text.length && !((this.#marks[0]?.at ?? Number.POSITIVE_INFINITY) < this.#at + length)) {
      given.push(segment);
      return;
    }
    const slicer = new Slicer(segment, this.#charset);
    let from = 0;
    let mark = segment.mark;
    for (let next = this.#marks[0]; next !== undefined && next.at < this.#at + length; next = this.#marks[0]) {
      const at = Math.max(0, next.at - this.#at);
      if (at > 0 && !segment.verbatim) break;
      if (at > from) given.push(marked(slicer.slice(from, at), mark));
      from = at;
      mark = next.mark;
      this.#marks.shift();
    }
    given.push(marked(slicer.slice(from, length), mark));
  }
}

function marked(segment: Segment, mark: Mark | undefined): Segment {
  return mark === undefined || mark === segment.mark ? segment : { ...segment, mark };
}

/** Before a marked unit. */
export const unit: Level = {
  name: 'unit',
  last(_, from, to, marks) {
    const at = marks.last('unit', from + 1, to);
    return at === undefined ? undefined : { end: at, next: at };
  },
  first(_, from, to, marks) {
    const at = marks.first('unit', from + 1, to);
    return at === undefined ? undefined : { end: at, next: at };
  },
};
