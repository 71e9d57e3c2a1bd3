/**
 * Separators: plain texts and regular expressions at which text is cut, with the separator at the end of the chunk before, at the
 * start of the one after, or in neither. What the strategies recursive, character and regex share.
 *
 * A match is looked for from where it may begin up to 256 units beyond the place that the budget reaches; a match that goes on
 * from there is seen as far as the window does. Captured groups are of no consequence: a separator is what matched as a whole.
 */
import { configError } from '../../src/errors.js';
import type { Cut, Level } from '../../src/types.js';
import { patternProblem } from './regex-safety.js';

/** A string is taken literally. */
export type Separator = string | RegExp;

export const SEPARATOR_POSITIONS = ['end', 'start', 'drop'] as const;
export type SeparatorPosition = (typeof SEPARATOR_POSITIONS)[number];

/** Units beyond the furthest cut that a pattern is shown, as at the window's edge: how far ahead it may look. */
const LOOK_AHEAD = 256;

/** Units looked through before all separators are asked again farther on: rare ones must not be looked for far beyond near ones. */
const STRETCH = 256;

/** The units of the view that a separator is: `[at, end)`. */
interface Match {
  readonly at: number;
  readonly end: number;
}

/** A line end and the blank lines after it: as many as there are, and what is blank of the next line stays with that. */
export const BLANK_LINES = /\r?\n(?:[^\S\n]*\n)+/u;

interface Finder {
  /** The first match that begins in `[from, to)`. */
  find(view: string, from: number, to: number): Match | undefined;
  /** Where the match ends that begins just at `at`. */
  endAt(view: string, at: number): number | undefined;
}

/** The boundary that any of these separators makes. Separators in a row count as one, for between them is nothing. */
export function separatorLevel(separators: readonly Separator[], position: SeparatorPosition): Level {
  const finders = separators.map((each) => (typeof each === 'string' ? plain(each) : pattern(each)));
  const run = new Runs(finders, position);
  const [only] = separators;
  return {
    name: separators.map((each) => (typeof each === 'string' ? JSON.stringify(each) : String(each))).join(' | '),
    ...(position === 'drop' ? { lead: (view: string) => run.lead(view) } : {}),
    first: (view, from, to) => run.first(view, from, to),
    last:
      separators.length === 1 && typeof only === 'string'
        ? (view, from, to) => run.lastPlain(only, view, from, to)
        : (view, from, to) => run.last(view, from, to),
  };
}

function plain(separator: string): Finder {
  const { length } = separator;
  return {
    find(view, from, to) {
      const at = view.slice(from, to - 1 + length).indexOf(separator);
      return at < 0 ? undefined : { at: from + at, end: from + at + length };
    },
    endAt: (view, at) => (view.startsWith(separator, at) ? at + length : undefined),
  };
}

function pattern({ source, flags }: RegExp): Finder {
  const others = flags.replace(/[gy]/g, '');
  const anywhere = new RegExp(source, `${others}g`);
  const here = new RegExp(source, `${others}y`);
  return {
    find(view, from, to) {
      const seen = view.slice(0, to + LOOK_AHEAD);
      anywhere.lastIndex = from;
      for (let match = anywhere.exec(seen); match !== null && match.index < to; match = anywhere.exec(seen)) {
        const [{ length }] = match;
        if (length > 0) return { at: match.index, end: match.index + length };
        anywhere.lastIndex++;
      }
      return undefined;
    },
    endAt(view, at) {
      here.lastIndex = at;
      return here.test(view) && here.lastIndex > at ? here.lastIndex : undefined;
    },
  };
}

/** Finds runs of separators, and the cuts that they make. */
class Runs {
  readonly #finders: readonly Finder[];
  readonly #position: SeparatorPosition;

  constructor(finders: readonly Finder[], position: SeparatorPosition) {
    this.#finders = finders;
    this.#position = position;
  }

  /** Where the separators end that the text begins with. */
  lead(view: string): number {
    return this.#runEnd(view, 0, view.length);
  }

  first(view: string, from: number, to: number): Cut | undefined {
    for (let begun = from; ; ) {
      const match = this.#nearest(view, begun, to);
      if (match === undefined) return undefined;
      const cut = this.#cutAt(view, match.at, match.end, to);
      if (cut.end > to) return undefined;
      if (cut.end > from) return cut;
      begun = this.#runEnd(view, match.end, view.length);
    }
  }

  last(view: string, from: number, to: number): Cut | undefined {
    let found: Cut | undefined;
    for (let begun = from; ; ) {
      const match = this.#nearest(view, begun, to);
      if (match === undefined) return found;
      const cut = this.#cutAt(view, match.at, match.end, to);
      if (cut.end > to) return found;
      if (cut.end > from) found = cut;
      begun = this.#position === 'start' ? this.#runEnd(view, match.end, to) : Math.max(cut.next, match.end);
    }
  }

  /** The same for one text, looked for backwards. */
  lastPlain(separator: string, view: string, from: number, to: number): Cut | undefined {
    const { length } = separator;
    const last = this.#position === 'end' ? to - length : to;
    for (
      let at = last < 0 ? -1 : view.lastIndexOf(separator, last);
      at >= 0;
      at = at < 1 ? -1 : view.lastIndexOf(separator, at - 1)
    ) {
      let end = at + length;
      while (at - length >= from && view.startsWith(separator, at - length)) at -= length;
      if (this.#position === 'end') end = this.#runEnd(view, end, to);
      const cut = this.#cutAt(view, at, end, to);
      if (cut.end <= from) return undefined;
      if (cut.end <= to) return cut;
    }
    return undefined;
  }

  /** Of those that begin at the same place the longest. */
  #nearest(view: string, from: number, to: number): Match | undefined {
    // A separator that goes to the chunk before ends later than it begins: it may begin at `from`, but not at `to`.
    const limit = this.#position === 'end' ? to : to + 1;
    const stretch = this.#finders.length > 1 ? STRETCH : limit - from;
    for (let begun = from, width = stretch; begun < limit; begun += width, width *= 2) {
      const match = this.#nearestIn(view, begun, Math.min(limit, begun + width));
      if (match !== undefined) return match;
    }
    return undefined;
  }

  #nearestIn(view: string, from: number, to: number): Match | undefined {
    let nearest: Match | undefined;
    for (const finder of this.#finders) {
      const match = finder.find(view, from, nearest === undefined ? to : nearest.at + 1);
      if (match !== undefined && (nearest === undefined || match.at < nearest.at || match.end > nearest.end)) nearest = match;
    }
    return nearest;
  }

  #cutAt(view: string, at: number, end: number, to: number): Cut {
    if (this.#position === 'start') return { end: at, next: at };
    if (this.#position === 'drop') return { end: at, next: this.#runEnd(view, end, view.length) };
    const after = this.#runEnd(view, end, to);
    return { end: after, next: after };
  }

  /** Where the run ends that goes on at `from`; once it is past `to`, how far does not matter. */
  #runEnd(view: string, from: number, to: number): number {
    for (let end = from; ; ) {
      const here = end;
      for (const finder of this.#finders) end = Math.max(end, finder.endAt(view, here) ?? here);
      if (end === here || end > to) return end;
    }
  }
}

/**
 * Refuses what separates nothing, and patterns that run away, by the rule for those that are written as text.
 * @throws {IngestError} config, all problems at once
 */
export function checkSeparators(separators: readonly Separator[]): void {
  const problems = separators.flatMap((each) => {
    const problem = separatorProblem(each);
    return problem === undefined ? [] : [`the separator ${typeof each === 'string' ? JSON.stringify(each) : each} ${problem}`];
  });
  if (problems.length > 0) throw configError(problems);
}

function separatorProblem(separator: Separator): string | undefined {
  if (typeof separator === 'string') return separator === '' ? 'is empty, which separates nothing' : undefined;
  // Without it escapes mean other things, and what the check reads is not what the engine does.
  return separator.unicode ? patternProblem(separator) : 'needs the flag u, so that it can be checked';
}
