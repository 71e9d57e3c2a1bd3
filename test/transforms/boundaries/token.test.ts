/** The `token` strategy: the laws, windows of exactly so many tokens, and text of the source whatever tokens decode to. */
import { describe, expect, it } from 'vitest';
import { loadCounter } from '../../../src/tokens/index.js';
import { token } from '../../../transforms/boundaries/token.js';
import { chunker } from '../../../transforms/chunk.js';
import { conformStrategy } from '../../conformance/strategy.js';
import { documentIn } from '../../conformance/transform.js';
import { drained } from '../../support/whole.js';

conformStrategy('token', [{ strategy: token() }], { units: ['tokens', 'toy', 'estimate'] });

const o200k = await loadCounter('o200k_base');

function cut(text: string, size: number, overlap = 0): string[] {
  const budget = { strategy: token(), measure: o200k, size, overlap, minSize: 0, maxChars: 16_384, trim: false };
  const segment = { text, start: 0, end: Buffer.byteLength(text), verbatim: true };
  return drained(chunker(budget)(documentIn('utf-8')), [segment]).flatMap((piece) => ('text' in piece ? [piece.text] : []));
}

const PROSE =
  'The race carries water to the wheel, and the wheel turns the millstone. Internationalization is no word of a miller. '.repeat(
    9,
  );

describe('token windows', () => {
  it('hold exactly the size, but for the last', () => {
    const chunks = cut(PROSE, 20);
    expect(chunks.slice(0, -1).map((chunk) => o200k.count(chunk))).toEqual(chunks.slice(0, -1).map(() => 20));
    expect(chunks.join('')).toBe(PROSE);
  });

  it('share exactly the overlap', () => {
    const chunks = cut(PROSE, 20, 5);
    let at = 0;
    for (const [n, chunk] of chunks.entries()) {
      const start = PROSE.indexOf(chunk, n === 0 ? 0 : at + 1);
      if (n > 0) expect(o200k.count(PROSE.slice(start, at + chunks[n - 1]!.length))).toBe(5);
      at = start;
    }
  });

  it('never have half a character, where a token is less than one', () => {
    const text = '\u{1f9d9}\u{1f3fd}\u{13000}\u{20bb7}'.repeat(20);
    for (const size of [1, 2, 3, 5]) {
      const chunks = cut(text, size);
      expect(chunks.join('')).toBe(text);
      expect(chunks.every((chunk) => chunk.isWellFormed())).toBe(true);
    }
  });

  it('take special tokens for text', () => {
    expect(cut('a<|endoftext|>b', 3).join('')).toBe('a<|endoftext|>b');
  });
});
