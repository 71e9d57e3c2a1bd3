/** Text held back and given on with marks, against the same text kept whole; and the level that cuts at marks. */
import { describe, expect, it } from 'vitest';
import { MarkedPlaces } from '../../../src/marks.js';
import type { Segment } from '../../../src/types.js';
import { HeldText, unit } from '../../../transforms/boundaries/units.js';
import { seeded } from '../../support/random.js';
import { anySegments } from '../../support/segments.js';
import { joinedSegments, Whole } from '../../support/whole.js';

describe.each(['utf-8', 'utf-16le'])('held text, %s', (charset) => {
  it('gives on all of its text, in order, with a mark where each unit begins', () => {
    seeded(150, (rng) => {
      const segments = anySegments(rng, charset);
      const whole = new Whole(segments, charset);
      const held = new HeldText(charset);
      const given: Segment[] = [];
      const marked: number[] = [];
      let end = 0;
      let released = 0;
      for (const segment of segments) {
        held.append(segment);
        end += segment.text.length;
        const at = rng.between(Math.max(released, marked.at(-1) ?? 0), end);
        if (rng.chance(0.3) && at < end && at > (marked.at(-1) ?? -1) && at >= released && whole.mayCut(at)) {
          held.mark(at, { kind: 'unit', label: String(at) });
          marked.push(at);
        }
        let to = rng.between(released, end);
        while (!whole.mayCut(to)) to--;
        if (rng.chance(0.4) && to > released) {
          given.push(...held.release(to));
          released = given.reduce((sum, each) => sum + each.text.length, 0);
        }
        expect(held.held).toBe(end - released);
      }
      given.push(...held.release(end));
      expect(held.held).toBe(0);
      const plain = given.map(({ mark: _, ...segment }) => segment);
      expect(joinedSegments(plain, charset)).toEqual(joinedSegments(segments, charset));
      const found: number[] = [];
      let at = 0;
      for (const { text, mark } of given) {
        if (mark !== undefined) found.push(at);
        if (mark !== undefined) expect(mark.label).toBe(String(at));
        at += text.length;
      }
      expect(found).toEqual(marked);
    });
  });
});

describe('the level of units', () => {
  it('cuts where a unit begins', () => {
    const marks = new MarkedPlaces();
    for (const at of [0, 5, 9, 20]) marks.add(at, { kind: 'unit' });
    expect(unit.last('x'.repeat(30), 0, 15, marks)).toEqual({ end: 9, next: 9 });
    expect(unit.first?.('x'.repeat(30), 0, 15, marks)).toEqual({ end: 5, next: 5 });
    expect(unit.last('x'.repeat(30), 9, 15, marks)).toBeUndefined();
  });
});
