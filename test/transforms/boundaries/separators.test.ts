/** Levels of separators: where each cuts, forwards and backwards, held to a plain split of the text. */
import { describe, expect, it } from 'vitest';
import type { Level, Marks } from '../../../src/types.js';
import { character } from '../../../transforms/boundaries/character.js';
import { recursive } from '../../../transforms/boundaries/recursive.js';
import { regex } from '../../../transforms/boundaries/regex.js';
import {
  checkSeparators,
  SEPARATOR_POSITIONS,
  type Separator,
  type SeparatorPosition,
  separatorLevel,
} from '../../../transforms/boundaries/separators.js';
import { seeded } from '../../support/random.js';

const NO_MARKS: Marks = { last: () => undefined, first: () => undefined };

/** All cuts from the front, by asking for the nearest one after the one before. */
function cutsOf(level: Level, text: string): { end: number; next: number }[] {
  const cuts: { end: number; next: number }[] = [];
  for (let from = 0; ; ) {
    const cut = level.first!(text, from, text.length, NO_MARKS);
    if (cut === undefined) return cuts;
    cuts.push(cut);
    from = cut.end;
  }
}

/** The text with a bar at each cut, and braces around what is dropped. */
function marked(separators: readonly Separator[], position: SeparatorPosition, text: string): string {
  const cuts = cutsOf(separatorLevel(separators, position), text);
  return cuts.reduceRight((before, { end, next }) => {
    const dropped = next > end ? `{${text.slice(end, next)}}` : '|';
    return before.slice(0, end) + dropped + before.slice(next);
  }, text);
}

describe('a separator', () => {
  it.each([
    [[';'], 'end', 'a;b;', 'a;|b;|'],
    [[';'], 'start', 'a;b;', 'a|;b|;'],
    [[';'], 'drop', 'a;b;', 'a{;}b{;}'],
    [[';'], 'end', ';;a;;b', ';;|a;;|b'],
    [[';'], 'start', ';;a;;b', ';;a|;;b'],
    [[';'], 'drop', ';;a;;b', ';;a{;;}b'],
    [[';', ', '], 'drop', 'a;, ;b, c', 'a{;, ;}b{, }c'],
    [[/\d+/u, /\s+/u], 'end', 'a1 b 22c', 'a1 |b 22|c'],
    [[/(;)(,)?/u], 'drop', 'a;,b;c', 'a{;,}b{;}c'],
    [[/^#+ /mu], 'start', '# a\n## b\n# c', '# a\n|## b\n|# c'],
    [['ab', 'a'], 'drop', 'xaby', 'x{ab}y'],
    [[/a|b*/u], 'drop', 'xay', 'x{a}y'],
    [['\n\n'], 'end', 'a\n\n\n\nb', 'a\n\n\n\n|b'],
    [['aa'], 'start', 'xaaay', 'x|aaay'],
    [['日', '😀'], 'drop', 'a😀日b', 'a{😀日}b'],
  ] as const)('%j at the %s of %j', (separators, position, text, expected) =>
    expect(marked(separators, position, text)).toBe(expected),
  );

  it('has no cut within a run that goes on beyond the budget', () => {
    const level = separatorLevel(['-'], 'end');
    expect(level.last('a-b---c', 0, 5, NO_MARKS)).toEqual({ end: 2, next: 2 });
    expect(level.first!('b---c', 0, 3, NO_MARKS)).toBeUndefined();
    expect(separatorLevel([/-/u], 'end').last('a-b---c', 0, 5, NO_MARKS)).toEqual({ end: 2, next: 2 });
  });

  it('is seen when it begins at the end of the budget', () => {
    for (const separator of ['---', /-+/u]) {
      expect(separatorLevel([separator], 'drop').last('ab---c', 0, 2, NO_MARKS)).toEqual({ end: 2, next: 5 });
      expect(separatorLevel([separator], 'start').first!('ab---c', 0, 2, NO_MARKS)).toEqual({ end: 2, next: 2 });
      expect(separatorLevel([separator], 'end').last('ab---c', 0, 4, NO_MARKS)).toBeUndefined();
    }
  });
});

const SEPARATORS: readonly (readonly Separator[])[] = [[';'], ['ab'], [/;+/u], [/\d/u], [';', 'ab'], [/a;?/u, 'b'], [/;(?=a)/u]];

describe.each(SEPARATOR_POSITIONS)('at the %s', (position) => {
  it('gives the furthest and the nearest of the same cuts, within bounds', () => {
    seeded(400, (rng) => {
      const text = Array.from({ length: rng.between(1, 40) }, () => rng.pick(['a', 'b', ';', ';', '1', 'x', 'y'])).join('');
      const level = separatorLevel(rng.pick(SEPARATORS), position);
      const to = rng.between(0, text.length);
      const cuts = cutsOf(level, text).filter(({ end }) => end <= to);
      expect(level.last(text, 0, to, NO_MARKS)).toEqual(cuts.at(-1));
      expect(level.first!(text, 0, to, NO_MARKS)).toEqual(cuts[0]);
    });
  });

  it('leaves just the pieces of a split', () => {
    seeded(200, (rng) => {
      const text = `x${Array.from({ length: rng.between(1, 600) }, () => rng.pick(['a', 'b', ';', 'x', ' '])).join('')}`;
      const cuts = cutsOf(separatorLevel([/;/u, 'a'], position), text);
      const edges = [{ end: 0, next: 0 }, ...cuts, { end: text.length, next: text.length }];
      const pieces = edges.slice(1).map(({ end }, n) => text.slice(edges[n]!.next, end));
      const split = text.split(/(?<=[;a])(?![;a])|(?<![;a])(?=[;a])/u).filter((piece) => !/^[;a]+$/.test(piece));
      expect(pieces.map((piece) => piece.replaceAll(/[;a]/g, '')).filter((piece) => piece !== '')).toEqual(split);
    });
  });
});

it('looks no farther for a rare pattern than for a near one', () => {
  const asked: number[] = [];
  const rare = /never/u;
  const level = separatorLevel([/;/u, rare], 'drop');
  const text = 'ab;'.repeat(10_000);
  const exec = RegExp.prototype.exec;
  RegExp.prototype.exec = function (this: RegExp, view: string) {
    if (this.source === rare.source && this.global) asked.push(view.length - this.lastIndex);
    return exec.call(this, view);
  };
  try {
    level.first!(text, 0, text.length, NO_MARKS);
  } finally {
    RegExp.prototype.exec = exec;
  }
  expect(Math.max(...asked)).toBeLessThan(1024);
});

describe('separators as values', () => {
  it.each<[Separator, string]>([
    ['', 'is empty'],
    [/a*/u, 'may match the empty text'],
    [/(a+)+b/u, 'may run away'],
    [/(?=(a|a)+b)c/iu, 'may run away'],
    [/\n\n/, 'needs the flag u'],
  ])('refuse %s in every strategy', (separator, problem) => {
    expect(() => checkSeparators(['fine', separator])).toThrow(problem);
    expect(() => recursive({ separators: [separator] })).toThrow(problem);
    expect(() => character({ separator })).toThrow(problem);
    if (typeof separator !== 'string') expect(() => regex({ patterns: [separator] })).toThrow(problem);
  });

  it('say all that is wrong at once, as an error about options', () => {
    const check = () => checkSeparators([/a*/u, 'fine', /b/u, '']);
    expect(check).toThrow(expect.objectContaining({ kind: 'config', reason: 'bad-options' }));
    expect(check).toThrow(/^the separator \/a\*\/u may .*\nthe separator "" is empty/);
  });
});
