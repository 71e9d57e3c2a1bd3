/** Marked places in a sliding window, against a list that keeps everything and is searched from end to end. */
import { describe, expect, it } from 'vitest';
import { MarkedPlaces } from '../../src/marks.js';
import type { Mark } from '../../src/types.js';
import { type Rng, seeded } from '../support/random.js';

interface Placed {
  readonly at: number;
  readonly mark: Mark;
}

/** Records one after the other, with fields, and something between them or not. */
function anyPlaces(rng: Rng): Placed[] {
  const places: Placed[] = [];
  let at = 0;
  for (let index = 0; index < 60; index++) {
    const start = at * 3;
    const record = { index, start, end: start + 5 };
    places.push({ at, mark: { kind: 'record', record, ...(rng.chance(0.5) ? { label: `$[${index}]` } : {}) } });
    for (let fields = rng.between(0, 4); fields > 0; fields--) {
      at += rng.between(1, 9);
      places.push({ at, mark: { kind: rng.pick(['field', 'inner'] as const), ...(rng.chance(0.7) ? { label: `f${at}` } : {}) } });
    }
    at += rng.between(1, 9);
    if (!rng.chance(0.7)) continue;
    places.push({ at, mark: { kind: 'between' } });
    at += rng.between(1, 3);
  }
  return places;
}

describe('marked places', () => {
  it('are found from anywhere in the window, and what is in force is known after its mark is gone', () => {
    seeded(100, (rng) => {
      const all = anyPlaces(rng);
      const marks = new MarkedPlaces();
      let base = 0;
      for (const [n, { at, mark }] of all.entries()) {
        marks.add(at - base, mark);
        if (rng.chance(0.2)) {
          const to = rng.between(base, at);
          marks.drop(to - base);
          base = to;
        }
        const known = all.slice(0, n + 1);
        const [i, j] = [rng.between(base, at + 3), rng.between(base, at + 3)].sort((a, b) => a - b) as [number, number];
        const within = (kind: string) => known.filter((each) => each.mark.kind === kind && each.at >= i && each.at <= j);
        for (const kind of ['record', 'field', 'inner', 'between'] as const) {
          expect(marks.last(kind, i - base, j - base)).toBe(relative(within(kind).at(-1), base));
          expect(marks.first(kind, i - base, j - base)).toBe(relative(within(kind)[0], base));
        }
        expect(marks.labelAt(i - base), `label at ${i}`).toBe(labelAt(known, i));
        if (i < j) expect(marks.recordsIn(i - base, j - base), `records in ${i} to ${j}`).toEqual(recordsIn(known, i, j));
      }
    });
  });

  it('holds little of what is before the window (L8)', () => {
    const marks = new MarkedPlaces();
    for (let n = 0; n < 100_000; n++) {
      marks.add(1, { kind: 'field', label: `f${n}` });
      marks.drop(1);
    }
    expect(marks.labelAt(0)).toBe('f99999');
    expect(marks.held).toBeLessThan(200);
  });

  it('know whether there ever were any', () => {
    const marks = new MarkedPlaces();
    expect([marks.any, marks.labelAt(5), marks.recordsIn(0, 9)]).toEqual([false, undefined, undefined]);
    marks.add(0, { kind: 'inner' });
    expect(marks.any).toBe(true);
  });
});

const relative = (place: Placed | undefined, base: number) => (place === undefined ? undefined : place.at - base);

function labelAt(places: readonly Placed[], at: number): string | undefined {
  if (places.some((each) => each.mark.kind === 'record' && each.at === at)) return undefined;
  return places.filter((each) => each.at <= at && each.mark.label !== undefined).at(-1)?.mark.label;
}

/** A record's stretch is from its mark to the mark `between` after it, or to the next record. */
function recordsIn(places: readonly Placed[], i: number, j: number): unknown {
  const edges = places.filter(({ mark }) => mark.kind === 'record' || mark.kind === 'between');
  const records = edges.flatMap(({ at, mark }, n) =>
    mark.kind === 'record' ? [{ at, to: edges[n + 1]?.at ?? Number.POSITIVE_INFINITY, record: mark.record! }] : [],
  );
  const touched = records.filter(({ at, to }) => at < j && to > i);
  if (touched.length === 0) return undefined;
  return { ...touched[0]!.record, end: touched.at(-1)!.record.end, count: touched.length };
}
