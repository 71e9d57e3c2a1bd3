/**
 * Boundaries in source code: before the line with which a definition begins, or rather before the comments, decorators and the like
 * that lead up to it. Lines are judged by patterns (languages.ts), by their first 200 units and no more. A definition is told from
 * one deeper within by its indentation: the less, the better a place to cut.
 */
import type { Level } from '../../src/types.js';

export interface CodeLines {
  /** Begins a definition at any depth. Patterns see a line without its indentation and line end. */
  readonly definition: RegExp;
  /** Begins one if it is not indented. */
  readonly top?: RegExp;
  /** Begins a block within a definition. */
  readonly block?: RegExp;
  /** Belongs to the definition below: a comment, a decorator. */
  readonly lead: RegExp;
  /** Lines that end something which belongs to the definition below, and those that it began with. */
  readonly spans?: readonly (readonly [last: RegExp, first: RegExp])[];
}

/** Units of a line that patterns see. */
const LINE_UNITS = 200;

/** Lines that may lead up to a definition. */
const MOST_LEADS = 200;

/** A tab is worth so many columns; lines indented by no more are one step deep. */
const STEP = 4;

/** Coarse to fine: top-level definitions, those one step deep, all others, then blocks likewise. */
export function codeLevels(lines: CodeLines): Level[] {
  const { definition, top, block } = lines;
  const leads = new Leads(lines.lead);
  const starts =
    (pattern: RegExp, most: number, topmost?: RegExp) =>
    ({ text, columns }: Line) =>
      columns <= most && (pattern.test(text) || (columns === 0 && topmost?.test(text) === true));
  const levels = [
    levelBefore('definition', starts(definition, 0, top), lines, leads),
    levelBefore('inner definition', starts(definition, STEP, top), lines, leads),
    levelBefore('deep definition', starts(definition, Number.POSITIVE_INFINITY, top), lines, leads),
  ];
  if (block === undefined) return levels;
  return [
    ...levels,
    levelBefore('block', starts(block, 2 * STEP), lines, leads),
    levelBefore('deep block', starts(block, Number.POSITIVE_INFINITY), lines, leads),
  ];
}

/** A line: where it begins, its text without indentation, and how many columns it is indented. */
interface Line {
  readonly at: number;
  readonly text: string;
  readonly columns: number;
}

/** The boundary before lines of which `isStart` is true. */
function levelBefore(name: string, isStart: (line: Line) => boolean, { lead, spans = [] }: CodeLines, leads: Leads): Level {
  /** Where what leads up to the definition in this line begins. */
  const leadsTo = (view: string, definition: Line): number => {
    let begun = definition.at;
    for (let n = 0; n < MOST_LEADS && begun > 0; n++) {
      const above = lineAt(view, begun - 1);
      // What is indented further belongs to what is above.
      if (above.columns > definition.columns + 1 || isStart(above)) break;
      const start = spanStart(view, above, spans) ?? (lead.test(above.text) ? above.at : undefined);
      if (start === undefined) break;
      begun = start;
    }
    return begun;
  };
  return {
    name,
    last(view, from, to) {
      let line = lineAt(view, to);
      // The place may lie among the lines that lead up to a definition below.
      const below = leads.from(view, line).find((each) => isStart(each));
      if (below !== undefined) line = below;
      for (; line.at > from; line = lineAt(view, line.at - 1)) {
        if (!isStart(line)) continue;
        const at = leadsTo(view, line);
        if (at <= from) return undefined;
        if (at <= to) return { end: at, next: at };
      }
      return undefined;
    },
  };
}

/** What may lead up to a definition, remembered: one level after the other asks about the same place. */
class Leads {
  readonly #lead: RegExp;
  #view = '';
  #at = -1;
  #lines: readonly Line[] = [];

  constructor(lead: RegExp) {
    this.#lead = lead;
  }

  /** This line, those below it for as long as they lead up to something, and the one they lead up to. */
  from(view: string, line: Line): readonly Line[] {
    if (this.#at !== line.at || this.#view !== view) {
      this.#view = view;
      this.#at = line.at;
      this.#lines = this.#read(view, line);
    }
    return this.#lines;
  }

  #read(view: string, line: Line): readonly Line[] {
    const lines = [line];
    for (let last = line; lines.length <= MOST_LEADS && this.#lead.test(last.text); lines.push(last)) {
      const end = view.indexOf('\n', last.at);
      if (end < 0) break;
      last = lineAt(view, end + 1);
    }
    return lines;
  }
}

/** The line that `at` is in. */
function lineAt(view: string, at: number): Line {
  const start = at === 0 ? 0 : view.lastIndexOf('\n', at - 1) + 1;
  let columns = 0;
  let i = start;
  for (; i < start + LINE_UNITS; i++) {
    const unit = view.charCodeAt(i);
    if (unit !== 0x20 && unit !== 0x09) break;
    columns += unit === 0x09 ? STEP : 1;
  }
  const text = view.slice(i, i + LINE_UNITS);
  const end = text.search(/[\r\n]/);
  return { at: start, text: end < 0 ? text : text.slice(0, end), columns };
}

/** Where something of several lines begins that ends in this one, such as a comment or the arguments of a decorator. */
function spanStart(view: string, last: Line, spans: NonNullable<CodeLines['spans']>): number | undefined {
  for (const [ends, begins] of spans) {
    if (!ends.test(last.text)) continue;
    for (let line = last, n = 0; n < MOST_LEADS; n++) {
      if (begins.test(line.text) && line.columns <= last.columns) return line.at;
      if (line.at === 0) break;
      line = lineAt(view, line.at - 1);
    }
  }
  return undefined;
}
