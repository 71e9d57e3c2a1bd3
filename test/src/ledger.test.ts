/** The sliding ledger against a ledger that keeps everything and searches nothing: any order of appends, drops and questions. */
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../src/ledger.js';
import { type Rng, seeded } from '../support/random.js';
import { anySegments } from '../support/segments.js';
import { joinedSegments, plainParts, Whole } from '../support/whole.js';

function asks(rng: Rng, ledger: Ledger, whole: Whole, dropped: number): void {
  const held = ledger.text.length;
  for (let times = rng.between(0, 8); times > 0 && held > 0; times--) {
    const at = rng.between(0, held - 1);
    const unit = dropped + at;
    if (at > 0 && !isPairAt(whole.text, unit)) expect(ledger.inside(at), `inside ${at}`).toBe(!whole.mayCut(unit));
    if (!whole.mayCut(unit)) continue;
    if (rng.chance(0.5)) expect(ledger.startOf(at), `startOf ${at}`).toBe(whole.startOf(unit));
    if (at > 0 && rng.chance(0.5)) expect(ledger.endOf(at), `endOf ${at}`).toBe(whole.endOf(unit));
    const to = rng.between(at, held);
    expect(ledger.slice(at, to)).toBe(whole.text.slice(unit, dropped + to));
  }
}

/** In verbatim text the ledger leaves pairs to its user. */
function isPairAt(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

describe.each(['utf-8', 'utf-16le', 'windows-1252'])('the ledger, %s', (charset) => {
  it('knows the bytes of every place in its window, however it is moved', () => {
    seeded(300, (rng) => {
      const segments = anySegments(rng, charset);
      const whole = new Whole(segments, charset);
      const ledger = new Ledger(charset);
      let dropped = 0;
      let given = 0;
      for (const segment of segments) {
        ledger.append(segment);
        given += segment.text.length;
        expect(ledger.length).toBe(given - dropped);
        if (rng.chance(0.6)) ledger.settle();
        asks(rng, ledger, whole, dropped);
        let units = rng.chance(0.4) ? rng.between(0, ledger.text.length) : 0;
        while (!whole.mayCut(dropped + units)) units--;
        ledger.drop(Math.max(0, units));
        dropped += Math.max(0, units);
        asks(rng, ledger, whole, dropped);
      }
      ledger.settle();
      expect(ledger.text).toBe(whole.text.slice(dropped));
      asks(rng, ledger, whole, dropped);
    });
  });
});

describe.each(['utf-8', 'utf-16le', 'windows-1252'])('segments of the ledger, %s', (charset) => {
  it('are those it was given, cut where they are asked for', () => {
    seeded(60, (rng) => {
      const segments = anySegments(rng, charset).flatMap((each) => plainParts(each, charset));
      const whole = new Whole(segments, charset);
      const ledger = new Ledger(charset);
      for (const segment of segments) ledger.append(segment);
      ledger.settle();
      const places = Array.from({ length: whole.text.length + 1 }, (_, at) => at).filter((at) => whole.mayCut(at));
      for (let times = 0; times < 10; times++) {
        const [i, j] = [rng.pick(places), rng.pick(places)].sort((a, b) => a - b) as [number, number];
        const found = joinedSegments(ledger.segments(i, j), charset);
        expect(found.map((each) => each.text).join('')).toBe(whole.text.slice(i, j));
        if (i === j) continue;
        expect([found[0]!.start, found.at(-1)!.end]).toEqual([whole.startOf(i), whole.endOf(j)]);
        const again = new Whole(found, charset);
        for (let at = i; at < j; at++) expect(again.startOf(at - i)).toBe(whole.startOf(at));
      }
    });
  });
});

describe('the ledger', () => {
  it('shows appended text only once it is settled', () => {
    const ledger = new Ledger('utf-8');
    ledger.append({ text: 'ab', start: 0, end: 2, verbatim: true });
    expect([ledger.text, ledger.length]).toEqual(['', 2]);
    ledger.settle();
    expect([ledger.text, ledger.length]).toEqual(['ab', 2]);
  });

  it('gives the end of a piece before a gap and the start of one after it', () => {
    const ledger = new Ledger('utf-8');
    ledger.append({ text: 'ab', start: 0, end: 2, verbatim: true });
    ledger.append({ text: 'cd', start: 5, end: 7, verbatim: true });
    ledger.settle();
    expect([ledger.endOf(2), ledger.startOf(2)]).toEqual([2, 5]);
  });

  it('answers about the last of very many small segments (its runs are shortened on the way)', () => {
    const ledger = new Ledger('utf-8');
    for (let n = 0; n < 20_000; n++) {
      ledger.append({ text: 'é', start: n * 3, end: n * 3 + 2, verbatim: true });
      ledger.settle();
      if (ledger.length > 100) ledger.drop(60);
    }
    expect(ledger.endOf(ledger.length)).toBe(19_999 * 3 + 2);
    expect(ledger.startOf(0)).toBe((20_000 - ledger.length) * 3);
  });
});
