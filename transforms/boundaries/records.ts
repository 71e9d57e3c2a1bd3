/**
 * Where records that are their own text may be cut: at the end of a record however small the chunk is, and only within one that
 * is over the budget alone: there before a field, before a value deeper within, and then where any text may be. The splitter
 * marks these places (Mark in src/types.ts); what a record is these levels do not know.
 */
import type { Cut, Level, Mark, Marks, Strategy } from '../../src/types.js';

/**
 * The strategy for text that is made of records. It has the splitter's marks, and no segment has two: nothing is prepared there. Nor
 * does the last record reach back, or get lost.
 */
export function withRecordLevels({ prepare: _, tail: __, ...strategy }: Strategy): Strategy {
  return { ...strategy, levels: [recordEnd, before('field'), before('inner'), ...strategy.levels] };
}

/** A chunk takes as many whole records as fit; but if it begins within one, it ends with that one. */
const recordEnd: Level = {
  name: 'record',
  binding: true,
  last(view, from, to, marks) {
    const whole = marks.first('record', 0, 0) === 0;
    const least = from + 1;
    const edge = whole ? marks.last.bind(marks) : marks.first.bind(marks);
    const between = edge('between', least, to);
    const record = edge('record', least, to);
    if (between === undefined) return record === undefined ? undefined : { end: record, next: record };
    const next = marks.first('record', between, view.length) ?? between;
    // Records that nothing parts end where the next begins.
    if (record === undefined || record === next) return { end: between, next };
    return (whole ? record > between : record < between) ? { end: record, next: record } : { end: between, next };
  },
};

function before(kind: Mark['kind']): Level {
  return {
    name: kind,
    last(_: string, from: number, to: number, marks: Marks): Cut | undefined {
      const at = marks.last(kind, from + 1, to);
      return at === undefined ? undefined : { end: at, next: at };
    },
  };
}
