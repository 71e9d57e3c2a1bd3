/**
 * Found by the laws of chunkers: blanks were passed over up to a place inside replaced text ("\n\n" for any number of breaks),
 * and the next chunk began with half of it, at the wrong byte. Replaced text has no inside for any reason to move on.
 */
import { expect, it } from 'vitest';
import { characters } from '../../src/tokens/units.js';
import type { Segment } from '../../src/types.js';
import { recursive } from '../../transforms/boundaries/recursive.js';
import { chunker } from '../../transforms/chunk.js';
import { documentIn } from '../conformance/transform.js';
import { drained } from '../support/whole.js';

it.each(['\n\n', ' \n\t', '\u000bé', 'é\u000b', '\u3000\u3000漢'])('%j in place of seven bytes is whole or absent', (text) => {
  for (let before = 0; before < 20; before++) {
    const segments: Segment[] = [
      ...(before === 0 ? [] : [{ text: ' '.repeat(before), start: 0, end: before, verbatim: true }]),
      { text, start: before, end: before + 7, verbatim: false },
      { text: 'abc', start: before + 7, end: before + 10, verbatim: true },
    ];
    for (const trim of [false, true]) {
      const budget = { strategy: recursive(), measure: characters, size: 5, overlap: 1, minSize: 0, maxChars: 8, trim };
      for (const piece of drained(chunker(budget)(documentIn('utf-8')), segments)) {
        if (!('text' in piece)) continue;
        for (const edge of [piece.start, piece.end])
          expect(edge > before && edge < before + 7, JSON.stringify(piece)).toBe(false);
        expect(piece.start <= before && piece.end >= before + 7).toBe(piece.text.includes(text));
      }
    }
  }
});
