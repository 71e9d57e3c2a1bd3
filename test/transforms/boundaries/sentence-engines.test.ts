/** Other splitters as levels: that their windows cover a text once, in order, with ends that do not depend on what is asked when. */
import * as sentenceSplitter from 'sentence-splitter';
import { describe, expect, it } from 'vitest';
import type { Level } from '../../../src/types.js';
import { intl, type SentenceSplitter, splitterLevel } from '../../../transforms/boundaries/sentence-engines.js';
import { sentence } from '../../../transforms/boundaries/sentences.js';
import { seeded, troubleText } from '../../support/random.js';

const NO_MARKS = { last: () => undefined, first: () => undefined };
const last = (level: Level, view: string, from: number, to: number) => level.last(view, from, to, NO_MARKS)?.end;

function endsIn(level: Level, text: string): number[] {
  const ends: number[] = [];
  for (let to = text.length; to > 0; to = ends[0]! - 1) {
    const end = last(level, text, 0, to);
    if (end === undefined) break;
    ends.unshift(end);
  }
  return ends;
}

/** Ends at every full stop; says how long the texts were that it was given. */
function toy(): SentenceSplitter & { readonly lengths: number[] } {
  const lengths: number[] = [];
  return {
    lengths,
    split(text) {
      lengths.push(text.length);
      return Array.from(text.matchAll(/[^.]+\.?\s*/g), ({ index, 0: part }) => ({
        type: 'Sentence',
        range: [index, index + part.trimEnd().length] as const,
      }));
    },
  };
}

const LINE = 'A mill stands here. Its wheel is old. ';

describe('intl', () => {
  it('cuts after the white space that follows a sentence', () => {
    expect(endsIn(intl('en'), 'One here. Two there. Three.')).toEqual([10, 21, 27]);
    expect(endsIn(intl(), '水がない。麦もない。')).toEqual([5, 10]);
  });

  it('finds in windows what it finds at once, where sentences are short', () => {
    const text = LINE.repeat(200).trimEnd();
    const expected = Array.from(text.matchAll(/\. ?/g), ({ index, 0: part }) => index + part.length);
    expect(endsIn(intl('en'), text)).toEqual(expected);
  });

  it('answers the same whatever was asked before', () => {
    seeded(30, (rng) => {
      const text = troubleText(rng, rng.between(1, 6000));
      const asked = intl();
      for (let n = 0; n < 8; n++) {
        const from = rng.between(0, text.length);
        const to = rng.between(from, text.length);
        const end = last(asked, text, from, to);
        expect(end).toBe(last(intl(), text, from, to));
        if (end === undefined) continue;
        expect(end > from && end <= to).toBe(true);
        expect(/^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(end - 1, end + 1))).toBe(false);
      }
    });
  });
});

describe('sentence-splitter', () => {
  it('is given windows of at most 4 KiB, and each part of a text about once', () => {
    const splitter = toy();
    const text = LINE.repeat(2000);
    const level = splitterLevel(splitter);
    expect(endsIn(level, text)).toHaveLength(4000);
    expect(Math.max(...splitter.lengths)).toBeLessThanOrEqual(4096);
    expect(splitter.lengths.reduce((sum, each) => sum + each, 0)).toBeLessThan(text.length * 1.1);
  });

  it('is not asked again about a view, nor beyond what is asked about', () => {
    const splitter = toy();
    const level = splitterLevel(splitter);
    const text = LINE.repeat(2000);
    expect(last(level, text, 0, 100)).toBe(96);
    expect(last(level, text, 0, 90)).toBe(76);
    expect(splitter.lengths).toEqual([4096]);
  });

  it('goes on through text without ends', () => {
    const splitter = toy();
    const text = `${'word '.repeat(4000)}end. Next one.`;
    expect(endsIn(splitterLevel(splitter), text).at(-2)).toBe(text.indexOf('Next'));
    expect(splitter.lengths.length).toBeLessThan(12);
  });
});

describe('the engine of sentence()', () => {
  it('is checked with its options', () => {
    expect(() => sentence({ engine: 'sentence-splitter' })).toThrow(/install it/);
    expect(() => sentence({ engine: 'intl', enders: ['.'] })).toThrow(/no enders/);
    expect(() => sentence({ engine: 'intl', language: 'not a tag' })).toThrow(/not a tag/);
    expect(endsIn(sentence({ engine: 'sentence-splitter', splitter: toy() }), 'One. Two.')).toEqual([5, 9]);
  });
});

describe('the package sentence-splitter', () => {
  it('cuts English and Japanese, and covers any text with its windows', () => {
    expect(endsIn(splitterLevel(sentenceSplitter), 'One here. Two there. Three.')).toEqual([10, 21, 27]);
    expect(endsIn(splitterLevel(sentenceSplitter), '水がない。麦もない。')).toEqual([5, 10]);
    seeded(10, (rng) => {
      const text = troubleText(rng, rng.between(1, 3000), { loneSurrogates: false });
      const ends = endsIn(splitterLevel(sentenceSplitter), text);
      expect(ends.every((end, n) => end > (ends[n - 1] ?? 0) && end <= text.length)).toBe(true);
    });
  });
});
