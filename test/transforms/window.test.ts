/** What the cutter has before it: what is held, what slices measure, what it takes of a level's answers. The cutter's own test has the laws. */
import { describe, expect, it } from 'vitest';
import { characters } from '../../src/tokens/units.js';
import type { Level, Mark, Segment } from '../../src/types.js';
import { line, word } from '../../transforms/boundaries/levels.js';
import { recursive } from '../../transforms/boundaries/recursive.js';
import { CutWindow, type Room } from '../../transforms/window.js';
import { documentIn } from '../conformance/transform.js';

function windowOf(segments: readonly Segment[], changes: Partial<Room> = {}, context?: string): CutWindow {
  const plain = { strategy: recursive(), measure: characters, size: 20, maxChars: 100, trim: false };
  const doc = { ...documentIn('utf-8'), ...(context === undefined ? {} : { context }) };
  const held = new CutWindow(doc, { ...plain, ...changes });
  for (const segment of segments) held.append(segment);
  held.slide(0);
  return held;
}

function verbatim(text: string, start = 0, mark?: Mark): Segment {
  return { text, start, end: start + Buffer.byteLength(text), verbatim: true, ...(mark === undefined ? {} : { mark }) };
}

/** `ab`, a line break that stands for two bytes, `cd`. */
const REPLACED: readonly Segment[] = [verbatim('ab '), { text: '\n\n', start: 3, end: 9, verbatim: false }, verbatim('cd ef', 9)];

describe('a window', () => {
  it('is full with the longest chunk and what may be undecided behind it, however much came before the chunk', () => {
    const held = windowOf([verbatim('a'.repeat(355))]);
    expect(held.isFull).toBe(false);
    held.append(verbatim('a', 355));
    expect(held.isFull).toBe(true);
    held.start = 1;
    expect(held.isFull).toBe(false);
    held.append(verbatim('a'.repeat(40_000), 356));
    expect(held.isOverfull).toBe(true);
  });

  it('shows no more than itself, and nothing before the chunk', () => {
    const held = windowOf([verbatim(`b${'a'.repeat(1000)}`)]);
    held.start = 1;
    expect(held.view()).toBe('a'.repeat(356));
    expect(held.view(0)).toBe(`b${'a'.repeat(356)}`);
  });

  it('moves with the text', () => {
    const held = windowOf([verbatim('one two three')]);
    held.start = 4;
    held.slide(4);
    expect(held.start).toBe(0);
    expect(held.view()).toBe('two three');
    expect(held.ledger.startOf(0)).toBe(4);
    expect(held.furthest(word, held.view(), 0, 9)).toEqual({ end: 4, next: 4 });
  });

  it('has edges beside pairs and replaced text, further on where there is none', () => {
    expect(windowOf([verbatim('a👍b')]).edge(2, 0)).toBe(1);
    expect(windowOf([verbatim('a👍b')]).edge(2, 1)).toBe(3);
    expect(windowOf(REPLACED).edge(4, 0)).toBe(3);
    expect(windowOf(REPLACED).edge(4, 3)).toBe(5);
  });

  it('measures what would be delivered', () => {
    const held = windowOf([verbatim('  one  two  ')], { trim: true });
    expect(held.delivered(0, 12)).toEqual([2, 10]);
    expect(held.measure(0, 12)).toBe(8);
    expect(held.fits(0, 12)).toBe(true);
    expect(windowOf(REPLACED, { trim: true }).delivered(0, 5)).toEqual([0, 2]);
  });

  it('counts the context with it', () => {
    const held = windowOf([verbatim('one')], {}, 'Title');
    expect(held.context).toEqual({ at: 0, text: 'Title', size: 7 });
    expect(held.sizeOf(0, 3)).toBe('Title\n\none'.length);
    expect(held.measure(0, 3)).toBe(3);
  });

  it('passes over cuts inside of replaced text, and over those too far for the size', () => {
    const held = windowOf(REPLACED, { size: 7 });
    expect(held.nearest(line, held.view(), 0, 10)).toEqual({ end: 5, next: 5 });
    expect(held.furthest(line, held.view(), 0, 4)).toBeUndefined();
    expect(held.furthest(word, held.view(), 0, 10)).toEqual({ end: 5, next: 5 });
  });

  it('finds the nearest cut of a level that only looks back', () => {
    const back: Level = { name: 'back', last: word.last };
    const held = windowOf([verbatim('one two three '.repeat(60))], { maxChars: 1000 });
    expect(held.nearest(back, held.view(), 4, 800)).toEqual({ end: 8, next: 8 });
    expect(held.nearest(back, held.view(), 4, 7)).toBeUndefined();
  });

  it('refuses an answer that was not asked for', () => {
    const beside: Level = { name: 'beside', last: () => ({ end: 9, next: 9 }) };
    const held = windowOf([verbatim('one two three')]);
    expect(() => held.furthest(beside, held.view(), 0, 5)).toThrow('level beside of strategy recursive cut at 9 to 9');
  });

  it('shows marks by their places in the view', () => {
    const marked = windowOf([verbatim('one '), verbatim('two', 4, { kind: 'unit' })]);
    marked.start = 2;
    const level: Level = {
      name: 'marks',
      last: (_, from, to, marks) => {
        const at = marks.last('unit', from, to);
        return at === undefined ? undefined : { end: at, next: at };
      },
    };
    expect(marked.furthest(level, marked.view(), 2, 7)).toEqual({ end: 4, next: 4 });
    expect(marked.hasRecords).toBe(false);
  });
});
