/** The `words` strategy: the laws, and the groups that crawl4ai's fixed windows give, with the source's white space. */
import { describe, expect, it } from 'vitest';
import { words as counter } from '../../../src/tokens/units.js';
import { startsCountedWord, words } from '../../../transforms/boundaries/words.js';
import { chunker } from '../../../transforms/chunk.js';
import { conformStrategy } from '../../conformance/strategy.js';
import { documentIn } from '../../conformance/transform.js';
import { seeded, troubleText } from '../../support/random.js';
import { drained } from '../../support/whole.js';

conformStrategy('words', [{ strategy: words() }], {
  units: ['words'],
  parts: ['one ', 'two\n', '  three', '\u6f22\u5b57', '\u3002'],
});

function cut(text: string, size: number, overlap = 0, trim = false): string[] {
  const budget = { strategy: words(), measure: counter, size, overlap, minSize: 0, maxChars: 65_536, trim };
  const segment = { text, start: 0, end: Buffer.byteLength(text), verbatim: true };
  return drained(chunker(budget)(documentIn('utf-8')), [segment]).flatMap((piece) => ('text' in piece ? [piece.text] : []));
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`);

describe('words', () => {
  it.each([99, 100, 101, 200, 250])('are those of groups of 100 out of %d, as crawl4ai has them', (count) => {
    const all = numbered(count);
    const groups: string[][] = [];
    for (let at = 0; at < count; at += 100) groups.push(all.slice(at, at + 100));
    const text = all.map((word, n) => word + [' ', '\n', '  \t', '\n\n'][n % 4]).join('');
    const chunks = cut(text, 100);
    expect(chunks.map((chunk) => chunk.trim().split(/\s+/))).toEqual(groups);
    expect(chunks.join('')).toBe(text);
  });

  it('overlap by so many words', () => {
    expect(cut('a b c d e f g', 4, 2, true)).toEqual(['a b c d', 'c d e f', 'e f g']);
  });

  it('are exact where each character is a word, also at punctuation', () => {
    const chunks = cut('\u6f22\u5b57\u3002\u6f22\u5b57\u30fc\u6f22ab', 2);
    expect(chunks.slice(0, -1).map((chunk) => counter.count(chunk))).toEqual(chunks.slice(0, -1).map(() => 2));
    expect(chunks.join('')).toBe('\u6f22\u5b57\u3002\u6f22\u5b57\u30fc\u6f22ab');
  });

  it('begin where the counter counts one more', () => {
    seeded(300, (rng) => {
      const text = troubleText(rng, rng.between(2, 40), { loneSurrogates: false });
      for (let at = 1; at < text.length; at++) {
        if (!startsCountedWord(text, at)) continue;
        const [left, right] = [text.slice(0, at), text.slice(at)];
        const blank = /^[\s\u0085\u200b\ufeff]*$/.test(left) ? 1 : 0;
        expect(counter.count(left) - blank + counter.count(right), JSON.stringify([left, right])).toBe(counter.count(text));
      }
    });
  });
});
