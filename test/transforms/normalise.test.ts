/**
 * Normalisation, held to the laws of transforms in each mode, with the same rules written as regular expressions over whole
 * strings for an oracle; and single cases where the reading of a rule matters.
 */
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../src/types.js';
import { BLANK_LIMIT, normalise, WHITESPACE_MODES, type WhitespaceMode } from '../../transforms/normalise.js';
import { conformTransform, documentIn, segmentsHeld } from '../conformance/transform.js';
import { type Rng, seeded, troubleBytes, troubleText } from '../support/random.js';
import { onBytes } from '../support/repro.js';
import { drained } from '../support/whole.js';

const KEEPS_JOINERS = '[\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]';

/** The rules, in another tongue. */
const oracles: Readonly<Record<WhitespaceMode, (text: string) => string>> = {
  keep: (text) => text.replaceAll('\ufeff', ''),
  lines: (text) => text.replaceAll('\ufeff', '').replace(/\r\n?/g, '\n'),
  tidy: (text) =>
    text
      .replaceAll('\ufeff', '')
      .replace(/\r\n?/g, '\n')
      .replace(new RegExp(`(?<!${KEEPS_JOINERS}[\\u200b\\u2060]*)[\\u200b\\u2060]`, 'gu'), '')
      .replace(/\p{Zs}/gu, ' ')
      .replace(/[ \t]+(?=\n|$)/g, '')
      .replace(/\n{3,}/g, '\n\n')
      .replace(new RegExp(`[ \\t]{${BLANK_LIMIT + 1},}`, 'g'), ' '),
  collapse: (text) => oracles.tidy(text).replace(/[ \t]+/g, ' '),
};

function conform(mode: WhitespaceMode, bytes: Uint8Array, charset = 'utf-8'): void {
  const subject = {
    transform: normalise(mode),
    part: normalise(mode, true),
    oracle: oracles[mode],
    charset,
    mayBegin: (text: string, at: number) => mode === 'keep' || mode === 'lines' || !/[\u200b\u2060]/.test(text[at]!),
  };
  onBytes(bytes, (each) => conformTransform(subject, each), mode);
}

/** Nearly all white space, joiners and breaks: what the rules are about, in every order. */
function blankText(rng: Rng, length: number): string {
  const palette = [' ', '\t', '\n', '\r', '\r\n', '\u00a0', '\u3000', '\ufeff', '\u200b', '\u2060', 'a', 'ก', '\u2028', '😀'];
  return Array.from({ length }, () => rng.pick(palette)).join('');
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe.each(WHITESPACE_MODES)('normalise, %s', (mode) => {
  it('keeps the laws on random trouble', () => {
    seeded(60, (rng) => conform(mode, troubleBytes(rng, rng.between(0, 250))));
  });

  it('keeps them on nothing but blanks, breaks and joiners', () => {
    seeded(150, (rng) => conform(mode, bytesOf(blankText(rng, rng.between(0, 40)))));
  });

  it('keeps them on longer documents', () => {
    seeded(6, (rng) => conform(mode, troubleBytes(rng, 6000)));
  });

  it('keeps them around the longest run of blanks that stays', () => {
    for (const blanks of [BLANK_LIMIT - 1, BLANK_LIMIT, BLANK_LIMIT + 1, 2 * BLANK_LIMIT + 3]) {
      conform(mode, bytesOf(`a${' '.repeat(blanks)}b${'\t '.repeat(blanks >> 1)}\n${' '.repeat(blanks)}c`));
      conform(mode, bytesOf(`a${' '.repeat(blanks - 1)}\u3000b`));
    }
  });

  it('keeps them in UTF-16, where each unit has two bytes', () => {
    seeded(30, (rng) => {
      const text = troubleText(rng, rng.between(0, 120), { loneSurrogates: false });
      conform(mode, new Uint8Array(Buffer.from(text, 'utf16le')), 'utf-16le');
    });
  });

  it('keeps them in a one-byte charset', () => {
    seeded(30, (rng) => {
      const bytes = Array.from({ length: rng.between(0, 200) }, () => rng.pick([0x20, 0x09, 0x0a, 0x0d, 0xa0, 0x61, 0xe9]));
      conform(mode, Uint8Array.from(bytes), 'windows-1252');
    });
  });

  it.each([
    ['spaces', ' '],
    ['line feeds', '\n'],
    ['carriage returns', '\r'],
    ['no-break spaces', '\u00a0'],
    ['blanks and breaks in turn', ' \t\r\n'],
    ['signatures', '\ufeff'],
    ['zero-width spaces', '\u200b'],
    ['text', 'words '],
  ])('holds a bounded number of segments, however many %s come (L8)', async (_, unit) => {
    function* many() {
      yield 'a';
      for (let n = 0; n < 30_000; n++) yield unit[n % unit.length]!;
    }
    expect(await segmentsHeld(normalise(mode)(documentIn('utf-8')), many())).toBeLessThanOrEqual(BLANK_LIMIT + 8);
  });
});

/** The text that each mode makes of this, and the segments that are not verbatim. */
function made(mode: WhitespaceMode, text: string, part = false): { text: string; replaced: Segment[] } {
  const bytes = Buffer.byteLength(text);
  const input = text === '' ? [] : [{ text, start: 0, end: bytes, verbatim: true }];
  const segments = drained(normalise(mode, part)(documentIn('utf-8')), input);
  return { text: segments.map((segment) => segment.text).join(''), replaced: segments.filter((segment) => !segment.verbatim) };
}

describe('tidy', () => {
  it.each([
    ['CR LF is one break', 'a\r\nb', 'a\nb'],
    ['CR alone is a break', 'a\rb\r\rc', 'a\nb\n\nc'],
    ['LF CR is two', 'a\n\rb', 'a\n\nb'],
    ['three breaks of any kind are two', 'a\r\n\r\n\r\nb', 'a\n\nb'],
    ['blanks on empty lines go, so such lines count as breaks', 'a\n \n\t\nb', 'a\n\nb'],
    ['blanks before a break and at the end go', 'a  \nb\t', 'a\nb'],
    ['blanks at the start of a line stay', '  a\n\tb', '  a\n\tb'],
    ['runs of blanks within a line stay', 'a  \t b', 'a  \t b'],
    ['every Unicode space is a space', 'a\u00a0b\u1680c\u2003d\u202fe\u205ff\u3000g', 'a b c d e f g'],
    ['a zero-width space goes', 'un\u200bbreak\u2060able', 'unbreakable'],
    ['after Thai, Lao, Khmer and Myanmar it stays', 'ก\u200bข ລ\u200bລ ក\u200bក မ\u2060မ', 'ก\u200bข ລ\u200bລ ក\u200bក မ\u2060မ'],
    ['after a blank it goes even there', 'ก \u200bข', 'ก ข'],
    ['joiner and non-joiner stay', 'می\u200cخواهم क्\u200dष', 'می\u200cخواهم क्\u200dष'],
    ['a signature inside goes', 'a\ufeff\ufeffb', 'ab'],
    ['a signature parts no CR LF', 'a\r\ufeff\nb', 'a\nb'],
    ['U+2028, U+2029, U+0085, VT and FF stay', 'a\u2028b\u2029c\u0085d\ve\ff', 'a\u2028b\u2029c\u0085d\ve\ff'],
    ['blanks alone are nothing', ' \t\u3000 ', ''],
    ['nothing is nothing', '', ''],
  ])('%s', (_, text, expected) => expect(made('tidy', text).text).toBe(expected));

  it('names the bytes of all that a replacement stands for', () => {
    expect(made('tidy', 'a\r\nb \r\n \n\n\u3000c').replaced).toEqual([
      { text: '\n', start: 1, end: 3, verbatim: false },
      { text: '\n\n', start: 5, end: 10, verbatim: false },
      { text: ' ', start: 10, end: 13, verbatim: false },
    ]);
  });

  it('leaves blanks at the end of a part of a longer text', () => {
    expect(made('tidy', 'a  ', true).text).toBe('a  ');
    expect(made('tidy', 'a  \n', true).text).toBe('a\n');
  });
});

describe('collapse', () => {
  it.each([
    ['a run of blanks is one space', 'a \t\u3000 b', 'a b'],
    ['a tab alone is a space', 'a\tb', 'a b'],
    ['at the start of a line too', '\n   a', '\n a'],
    ['breaks stay', 'a\n\nb\nc', 'a\n\nb\nc'],
  ])('%s', (_, text, expected) => expect(made('collapse', text).text).toBe(expected));
});

describe('keep', () => {
  it.each([
    ['all stays', ' a\r\n\r\n\r\n\tb\u200b \u00a0', ' a\r\n\r\n\r\n\tb\u200b \u00a0'],
    ['but for the signature', '\ufeffa\ufeff\n', 'a\n'],
  ])('%s', (_, text, expected) => expect(made('keep', text).text).toBe(expected));
});
