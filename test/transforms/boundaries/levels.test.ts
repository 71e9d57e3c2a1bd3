/** The common boundaries one by one: where each lies in text that people write, and that it asks no more than it says. */
import { describe, expect, it } from 'vitest';
import type { Level } from '../../../src/types.js';
import {
  codePoint,
  firstShown,
  grapheme,
  isBlank,
  isBreak,
  isClusterEdge,
  lastShown,
  line,
  paragraph,
  word,
} from '../../../transforms/boundaries/levels.js';
import { seeded, troubleText } from '../../support/random.js';

const NO_MARKS = { last: () => undefined, first: () => undefined };
const LEVELS = [paragraph, line, word, grapheme, codePoint];

/** Every place where a level would cut, as bars in the text. */
function cutsOf(level: Level, text: string): string {
  const places: number[] = [];
  for (let to = text.length; to > 0; ) {
    const cut = level.last(text, 0, to, NO_MARKS);
    if (cut === undefined) break;
    places.unshift(cut.end);
    to = cut.end - 1;
  }
  return places.reduceRight((marked, at) => `${marked.slice(0, at)}|${marked.slice(at)}`, text);
}

describe.each(LEVELS)('$name', (level) => {
  it('gives the furthest of its own cuts within bounds, never half a pair', () => {
    seeded(60, (rng) => {
      const text = troubleText(rng, rng.between(1, 80), { loneSurrogates: false });
      const all = Array.from({ length: text.length }, (_, n) => n + 1).filter(
        (at) => level.last(text, at - 1, at, NO_MARKS) !== undefined,
      );
      const from = rng.between(0, text.length);
      const to = rng.between(from, text.length);
      const expected = all.filter((at) => at > from && at <= to).at(-1);
      const cut = level.last(text, from, to, NO_MARKS);
      expect(cut?.end).toBe(expected);
      if (cut === undefined) return;
      expect(cut.next).toBe(cut.end);
      expect(/^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(cut.end - 1, cut.end + 1))).toBe(false);
    });
  });
});

describe('paragraph', () => {
  it.each([
    ['a\n\nb', 'a\n\n|b'],
    ['a\r\n\r\nb', 'a\r\n\r\n|b'],
    ['a\n \t\nb', 'a\n \t\n|b'],
    ['a\n\n\nb', 'a\n\n|\n|b'],
    ['a\nb', 'a\nb'],
    ['a\u2029b', 'a\u2029|b'],
    ['a\fb', 'a\f|b'],
    ['a\u2028b', 'a\u2028b'],
  ])('%j', (text, cuts) => expect(cutsOf(paragraph, text)).toBe(cuts));
});

describe('line', () => {
  it.each([
    ['a\nb\n', 'a\n|b\n|'],
    ['a\r\nb', 'a\r\n|b'],
    ['a\rb', 'a\r|b'],
    ['a\u0085b\u2028c\vd', 'a\u0085|b\u2028|c\v|d'],
  ])('%j', (text, cuts) => expect(cutsOf(line, text)).toBe(cuts));
});

describe('word', () => {
  it.each([
    ['one two  three', 'one |two  |three'],
    ['a\u00a0b\u3000c', 'a\u00a0|b\u3000|c'],
    ['漢字、かな', '漢|字、|か|な|'],
    ['（注）', '（注）|'],
    ['かっこ', 'かっ|こ|'],
    ['ab漢', 'ab|漢|'],
  ])('%j', (text, cuts) => expect(cutsOf(word, text)).toBe(cuts));
});

describe('grapheme', () => {
  it.each([
    ['ab', 'a|b|'],
    ['e\u0301e', 'e\u0301|e|'],
    ['👨‍👩‍👧x', '👨‍👩‍👧|x|'],
    ['🇫🇷🇯🇵', '🇫🇷|🇯🇵|'],
    ['a\r\nb', 'a|\r\n|b|'],
    ['ก\u200bข', 'ก\u200b|ข|'],
    ['क्‍ष', 'क्‍ष|'],
  ])('%j', (text, cuts) => expect(cutsOf(grapheme, text)).toBe(cuts));

  it('agrees with Intl.Segmenter on short words of any script', () => {
    const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
    seeded(200, (rng) => {
      const text = troubleText(rng, rng.between(1, 60), { loneSurrogates: false });
      const edges = new Set([...segmenter.segment(text)].map(({ index }) => index).concat(text.length));
      const found = Array.from({ length: text.length + 1 }, (_, at) => at).filter((at) => isClusterEdge(text, at));
      expect(found, JSON.stringify(text)).toEqual([...edges].sort((a, b) => a - b));
    });
  });
});

describe('white space', () => {
  it('is either blank or a break, and both are Unicode’s, besides the zero-width space', () => {
    const units = Array.from({ length: 0x1_0000 }, (_, unit) => unit);
    const like = (pattern: RegExp) => units.filter((unit) => pattern.test(String.fromCharCode(unit)));
    expect(units.filter(isBlank)).toEqual(like(/[\p{Zs}\t\u200b]/u));
    expect(units.filter(isBreak)).toEqual(like(/[\n\v\f\r\u0085\u2028\u2029]/));
  });
});

describe('what shows', () => {
  it('is found from both ends', () => {
    seeded(200, (rng) => {
      const text = troubleText(rng, rng.between(0, 60));
      const from = rng.between(0, text.length);
      const to = rng.between(from, text.length);
      const shows = /[^\s\u0085\u200b-\u200d\u2060\ufeff]/;
      const units = Array.from({ length: to - from }, (_, n) => from + n).filter((at) => shows.test(text[at]!));
      expect(firstShown(text, from, to)).toBe(units[0] ?? -1);
      expect(lastShown(text, from, to)).toBe(units.length === 0 ? from : units.at(-1)! + 1);
    });
  });
});
