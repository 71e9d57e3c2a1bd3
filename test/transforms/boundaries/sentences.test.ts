/**
 * The sentence rules: how many of the labelled sentences they find, and what they promise whatever the text: that an answer depends on
 * the context only, that work is linear, that no cut falls inside a character. Speed and the comparison with others are in
 * test/bench/sentences.mjs.
 */
import { describe, expect, it } from 'vitest';
import type { Level } from '../../../src/types.js';
import { endsSentence, SENTENCE_CONTEXT, sentence } from '../../../transforms/boundaries/sentences.js';
import { LABELLED } from '../../support/labelled-sentences.js';
import { seeded, troubleText } from '../../support/random.js';

const NO_MARKS = { last: () => undefined, first: () => undefined };

function endsIn(level: Level, text: string): number[] {
  const ends: number[] = [];
  for (let to = text.length; to > 0; ) {
    const cut = level.last(text, 0, to, NO_MARKS);
    if (cut === undefined) break;
    ends.unshift(cut.end);
    to = cut.end - 1;
  }
  return ends;
}

/** The text with a bar wherever a sentence begins, its own end aside. */
function barred(level: Level, text: string): string {
  return endsIn(level, text)
    .filter((at) => at < text.length)
    .reduceRight((marked, at) => `${marked.slice(0, at)}|${marked.slice(at)}`, text);
}

/** F1 over all boundaries of the texts. */
function f1(texts: typeof LABELLED, isTold: boolean): number {
  let right = 0;
  let all = 0;
  for (const { language, text, ends } of texts) {
    const found = endsIn(sentence(isTold ? { language } : {}), text).filter((at) => at < text.length);
    right += found.filter((at) => ends.includes(at)).length;
    all += found.length + ends.length;
  }
  return all === 0 ? 1 : (2 * right) / all;
}

describe('the labelled set', () => {
  it('is large enough, and its labels are places after white space or marks', () => {
    expect(LABELLED.length).toBeGreaterThanOrEqual(300);
    expect(new Set(LABELLED.map(({ language }) => language)).size).toBeGreaterThanOrEqual(8);
    for (const { text, ends } of LABELLED)
      for (const at of ends) expect(text.slice(0, at) + (/\S/.test(text[at] ?? ' ') ? '' : '(blank)')).toMatch(/[^\p{L}]$/u);
  });

  /** What the rules reach, with the language told and without, rounded down. */
  const FLOORS: Readonly<Record<string, readonly [told: number, untold: number]>> = {
    all: [0.986, 0.983],
    'all plain': [1, 1],
    en: [0.97, 0.972],
    'en plain': [1, 1],
    'all hard': [0.986, 0.984],
    'en hard': [0.973, 0.973],
    'all unseen': [0.963, 0.948],
    'en unseen': [0.937, 0.951],
    de: [0.984, 0.97],
    fr: [1, 1],
    es: [1, 1],
    it: [1, 1],
    pt: [1, 1],
    nl: [1, 1],
    pl: [1, 0.973],
    ru: [1, 0.98],
    uk: [1, 1],
    el: [1, 1],
    tr: [1, 0.969],
    hi: [1, 1],
    ar: [1, 1],
    fa: [1, 1],
    he: [0.94, 0.94],
    zh: [1, 1],
    ja: [0.97, 0.97],
    ko: [1, 1],
    th: [1, 1],
    cs: [1, 1],
    sv: [1, 1],
  };

  it.each(Object.entries(FLOORS))('%s: at least %j', (name, [told, untold]) => {
    const [language, kind] = name.split(' ');
    const texts = LABELLED.filter(
      (each) => [each.language, 'all'].includes(language!) && [each.kind, undefined].includes(kind as typeof each.kind),
    );
    expect(texts.length).toBeGreaterThan(0);
    expect(f1(texts, true)).toBeGreaterThanOrEqual(told);
    expect(f1(texts, false)).toBeGreaterThanOrEqual(untold);
  });
});

describe('sentence', () => {
  it.each([
    ['One. Two! Three? Four', 'One. |Two! |Three? |Four'],
    ['He said “go.” Then left.', 'He said “go.” |Then left.'],
    ['水がない。麦もない。', '水がない。|麦もない。'],
    ['a.b.c and x.y', 'a.b.c and x.y'],
    ['One.\n\nTwo', 'One.\n\n|Two'],
    ['no end\n\nhere', 'no end\n\n|here'],
    ['no end\r\n\r\nhere', 'no end\r\n\r\n|here'],
    ['no end\r\nhere', 'no end\r\nhere'],
    ['no end\fhere', 'no end\f|here'],
    ['no end\n \t\nhere', 'no end\n \t\n|here'],
    ['one\ntwo\n- three\n- four', 'one\ntwo\n|- three\n|- four'],
    ['Title\n=====\ntext goes\non', 'Title\n=====\n|text goes\non'],
    [`a column${' '.repeat(40)}and another`, `a column${' '.repeat(40)}|and another`],
    ['Yes.   Two', 'Yes.   |Two'],
    ['He said no. I left.', 'He said no. |I left.'],
    ['A stop (.) and "?" Mark them.', 'A stop (.) and "?" Mark them.'],
    ['  Leading. Blank', '  Leading. |Blank'],
    ['', ''],
    [' ', ' '],
    ['.', '.'],
  ])('%j', (text, bars) => expect(barred(sentence(), text)).toBe(bars));

  it('knows a language by its tag, and takes one it has no table for as none', () => {
    const text = 'Am 3. Maler und Knecht.';
    expect(barred(sentence({ language: 'de' }), text)).toBe(text);
    expect(barred(sentence({ language: 'DE-at' }), text)).toBe(text);
    expect(barred(sentence({ language: 'en' }), text)).toBe('Am 3. |Maler und Knecht.');
    expect(barred(sentence({ language: 'xx' }), text)).toBe(barred(sentence(), text));
  });

  it('gives the furthest of its own ends within bounds', () => {
    seeded(100, (rng) => {
      const text = troubleText(rng, rng.between(1, 300));
      const level = sentence({ language: rng.pick(['en', 'de', 'el', 'xx']) });
      const all = endsIn(level, text);
      const from = rng.between(0, text.length);
      const to = rng.between(from, text.length);
      const expected = all.filter((at) => at > from && at <= to).at(-1);
      const cut = level.last(text, from, to, NO_MARKS);
      expect(cut).toEqual(expected === undefined ? undefined : { end: expected, next: expected });
    });
  });

  it('never cuts inside a pair of surrogates, nor before white space', () => {
    seeded(100, (rng) => {
      const text = troubleText(rng, rng.between(1, 400));
      for (const at of endsIn(sentence(), text)) {
        expect(/^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1))).toBe(false);
        expect(at === text.length || /[^ \n]/.test(text[at]!)).toBe(true);
      }
    });
  });
});

describe('its context', () => {
  const around = LABELLED.map(({ text }) => text).join(' ');

  it('is all an answer depends on', () => {
    seeded(300, (rng) => {
      const text = rng.chance(0.5) ? troubleText(rng, 400) : around.slice(rng.between(0, around.length - 400)).slice(0, 400);
      const at = rng.between(SENTENCE_CONTEXT, text.length - SENTENCE_CONTEXT);
      const inside = text.slice(at - SENTENCE_CONTEXT, at + SENTENCE_CONTEXT);
      const before = troubleText(rng, rng.between(1, 100));
      const other = before + inside + troubleText(rng, rng.between(1, 100));
      expect(endsSentence(other, before.length + SENTENCE_CONTEXT)).toBe(endsSentence(text, at));
    });
  });

  it('is as wide for enders of the user’s own', () => {
    const level = sentence({ enders: ['.', '||', 'a', '\n'] });
    const isEnd = (text: string, at: number) => level.last(text, at - 1, at, NO_MARKS) !== undefined;
    seeded(200, (rng) => {
      const text = troubleText(rng, 400);
      const at = rng.between(SENTENCE_CONTEXT, text.length - SENTENCE_CONTEXT);
      const inside = text.slice(at - SENTENCE_CONTEXT, at + SENTENCE_CONTEXT);
      const before = troubleText(rng, rng.between(1, 100));
      const other = before + inside + troubleText(rng, rng.between(1, 100));
      expect(isEnd(other, before.length + SENTENCE_CONTEXT)).toBe(isEnd(text, at));
    });
  });
});

/** A text that counts the units that are looked at one by one or sliced off to be looked at. */
function counted(text: string): { readonly text: string; readonly units: () => number } {
  let units = 0;
  const view = {
    length: text.length,
    charCodeAt(at: number) {
      units++;
      return text.charCodeAt(at);
    },
    slice(from: number, to: number) {
      const part = text.slice(from, to);
      units += part.length;
      return part;
    },
  };
  return { text: view as unknown as string, units: () => units };
}

describe('its work', () => {
  it.each([
    ['abbreviations', 'Dr. Prof. e.g. U.S. z. B. т. е. '],
    ['full stops', '.'],
    ['marks and blanks', '! '],
    ['closing quotes', '."”)'],
    ['capitals', 'A. '],
    ['blanks', ' '],
    ['line breaks', '\n'],
    ['references', '.[1]'],
    ['numbers', '1. '],
    ['letters', 'abc'],
    ['ideographs', '字。」'],
    ['emphasis', '**a.** '],
    ['letters with stops and marks', 'a.e\u0301.\u0301b. '],
  ])('is bounded for each unit of %s', (_, part) => {
    const worked = (length: number) => {
      const { text, units } = counted(part.repeat(length / part.length + 1).slice(0, length));
      endsIn(sentence(), text);
      return units();
    };
    const small = worked(4000);
    expect(small).toBeLessThan(4000 * (2 * SENTENCE_CONTEXT + 4));
    expect(worked(8000)).toBeLessThan(small * 2.1);
  });
});

describe('enders', () => {
  it('replace the marks, keep what is known of them, and may be longer than one unit', () => {
    expect(barred(sentence({ enders: ['.'] }), 'Dr. No came! He left. Then?')).toBe('Dr. No came! He left. |Then?');
    expect(barred(sentence({ enders: ['!'] }), 'One. Two! Three')).toBe('One. Two! |Three');
    expect(barred(sentence({ enders: [';'] }), 'one; two;three')).toBe('one; |two;three');
    expect(barred(sentence({ enders: ['||'] }), 'one|| two||three|four')).toBe('one|| |two|||three|four');
    expect(barred(sentence({ enders: ['END', '。'] }), 'a ENDb。c')).toBe('a END|b。|c');
    expect(barred(sentence({ enders: ['।'] }), 'नदी।पहिया. चलो')).toBe('नदी।|पहिया. चलो');
  });

  it('take white space at their end at its word', () => {
    expect(barred(sentence({ enders: ['\n'] }), 'one\ntwo three. Four')).toBe('one\n|two three. Four');
    expect(barred(sentence({ enders: [':\n'] }), 'one:\ntwo: three')).toBe('one:\n|two: three');
  });

  it('leave blank lines and closing quotes what they are', () => {
    expect(barred(sentence({ enders: [';'] }), 'one\n\ntwo;" three')).toBe('one\n\n|two;" |three');
  });

  it('must not be empty, nor longer than can be looked for', () => {
    expect(() => sentence({ enders: ['.', ''] })).toThrow(/empty/);
    expect(() => sentence({ enders: ['-'.repeat(17)] })).toThrow(/longer/);
  });
});
