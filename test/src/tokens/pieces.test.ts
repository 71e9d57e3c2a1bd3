import { describe, expect, it } from 'vitest';
import { SETTLED_BY, scannerOf } from '../../../src/tokens/pieces.js';
import type { BpeEncoding } from '../../../src/tokens/ranks.js';
import { dice, isAddedByUnicode17, SEED, strings, trouble } from './bpe-trouble.js';

/** `\s` as tiktoken's engine has it. */
const S = '\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const C = "(?:'[sS\\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
const BLANKS = `[${S}]+(?![^${S}])|[${S}]+`;
const R50K = `'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^${S}\\p{L}\\p{N}]+|${BLANKS}`;

/** The patterns as published, but for `\s` and case folding spelt out. */
const PATTERNS: Readonly<Record<BpeEncoding, string>> = {
  o200k_base: [
    `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+${C}?`,
    `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*${C}?`,
    `\\p{N}{1,3}| ?[^${S}\\p{L}\\p{N}]+[\\r\\n/]*|[${S}]*[\\r\\n]+|${BLANKS}`,
  ].join('|'),
  cl100k_base: `${C}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^${S}\\p{L}\\p{N}]+[\\r\\n]*|[${S}]*[\\r\\n]+|${BLANKS}`,
  p50k_base: R50K,
  r50k_base: R50K,
};

const ENCODINGS = Object.keys(PATTERNS) as BpeEncoding[];
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function cut(encoding: BpeEncoding, text: string): string[] {
  const scan = scannerOf(encoding);
  const bytes = new TextEncoder().encode(text);
  const pieces: string[] = [];
  for (let p = 0, e = 0; p < bytes.length; p = e) {
    e = scan(bytes, p, bytes.length);
    expect(e).toBeGreaterThan(p);
    pieces.push(decoder.decode(bytes.subarray(p, e)));
  }
  return pieces;
}

function matches(encoding: BpeEncoding, text: string): string[] {
  return [...text.toWellFormed().matchAll(new RegExp(PATTERNS[encoding], 'gu'))].map(([piece]) => piece);
}

describe.each(ENCODINGS)('%s', (encoding) => {
  it('cuts where its pattern does', () => {
    const roll = dice(SEED);
    for (let k = strings(5000); k > 0; k--) {
      const text = trouble(roll);
      if ([...text].some((character) => isAddedByUnicode17(character.codePointAt(0)!))) continue;
      expect(cut(encoding, text), `seed ${SEED}`).toEqual(matches(encoding, text));
    }
  });

  it('cuts a whole text and its beginning alike, up to three pieces before the end', () => {
    const roll = dice(SEED + 1);
    for (let k = 2000; k > 0; k--) {
      const text = trouble(roll, 12).toWellFormed();
      const whole = cut(encoding, text);
      const beginning = cut(encoding, text.slice(0, roll(text.length + 1)).toWellFormed());
      const settled = beginning.slice(0, Math.max(0, beginning.length - SETTLED_BY));
      expect(whole.slice(0, settled.length), `seed ${SEED + 1}`).toEqual(settled);
    }
  });
});

describe('o200k_base by example', () => {
  it.each([
    ['中ABC', ['中', 'ABC']],
    ['中ABc', ['中ABc']],
    ["don't WE'RE", ["don't", " WE'RE"]],
    ['a  b', ['a', ' ', ' b']],
    ['a \n  5', ['a', ' \n', ' ', ' ', '5']],
    ['12345', ['123', '45']],
    ['x//\n/\ny', ['x', '//\n/\n', 'y']],
  ])('%j', (text, pieces) => {
    expect(cut('o200k_base', text)).toEqual(pieces);
  });
});
