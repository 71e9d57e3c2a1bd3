/** Text that is held and given on: it stays the same text of the same bytes, whatever is released when, and marks come out in their places. */
import { describe, expect, it } from 'vitest';
import type { Marks } from '../../../src/types.js';
import { HeldText, unit } from '../../../transforms/boundaries/units.js';
import { seeded } from '../../support/random.js';
import { anySegments } from '../../support/segments.js';
import { joinedSegments, Whole } from '../../support/whole.js';

describe('held text', () => {
  it('is given on as it came, with a mark where each unit begins', () => {
    seeded(300, (rng) => {
      const segments = anySegments(rng, 'utf-8');
      const whole = new Whole(segments, 'utf-8');
      const places = Array.from({ length: whole.text.length }, (_, at) => at).filter((at) => whole.mayCut(at));
      const marks = places.filter(() => rng.chance(0.1));
      const held = new HeldText('utf-8');
      const given = [];
      let appended = 0;
      let released = 0;
      let next = 0;
      for (const segment of segments) {
        held.append(segment);
        appended += segment.text.length;
        for (; next < marks.length && marks[next]! < appended; next++)
          held.mark(marks[next]!, { kind: 'unit', label: String(marks[next]) });
        const to = places.findLast((at) => at <= appended && rng.chance(0.5)) ?? 0;
        released = Math.max(released, to);
        given.push(...held.release(released));
        expect(held.held).toBe(appended - given.reduce((units, { text }) => units + text.length, 0));
      }
      given.push(...held.release(Number.POSITIVE_INFINITY));
      let at = 0;
      const found = [];
      for (const { mark, text } of given) {
        if (mark !== undefined) found.push([at, mark.label]);
        at += text.length;
      }
      expect(found).toEqual(marks.map((place) => [place, String(place)]));
      const unmarked = given.map(({ mark: _, ...segment }) => segment);
      expect(joinedSegments(unmarked)).toEqual(joinedSegments(segments));
    });
  });

  it('marks what follows replaced text, where a unit begins within', () => {
    const held = new HeldText('utf-8');
    held.append({ text: 'abc', start: 0, end: 9, verbatim: false });
    held.append({ text: 'def', start: 9, end: 12, verbatim: true });
    held.mark(1, { kind: 'unit' });
    expect(held.release(2)).toEqual([]);
    expect(held.release(4)).toEqual([
      { text: 'abc', start: 0, end: 9, verbatim: false },
      { text: 'd', start: 9, end: 10, verbatim: true, mark: { kind: 'unit' } },
    ]);
    expect(held.release(6)).toEqual([{ text: 'ef', start: 10, end: 12, verbatim: true }]);
  });
});

describe('the level of units', () => {
  const places = [0, 4, 9];
  const marks: Marks = {
    last: (_, from, to) => places.findLast((at) => at >= from && at <= to),
    first: (_, from, to) => places.find((at) => at >= from && at <= to),
  };

  it('cuts at marks after the beginning', () => {
    expect(unit.last('', 0, 9, marks)).toEqual({ end: 9, next: 9 });
    expect(unit.first!('', 0, 9, marks)).toEqual({ end: 4, next: 4 });
    expect(unit.first!('', 4, 8, marks)).toBeUndefined();
    expect(unit.last('', 0, 3, marks)).toBeUndefined();
  });
});
