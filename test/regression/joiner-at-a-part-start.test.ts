/**
 * Found by the laws of chunkers: a chunk that begins with a zero-width space, which stays after a Thai letter, lost it when it
 * was read again from its bytes, since no letter stands before it there. In a part of a text a leading joiner is one that stayed.
 */
import { expect, it } from 'vitest';
import { chunks } from '../../src/index.js';
import { normalise } from '../../transforms/normalise.js';
import { documentIn } from '../conformance/transform.js';
import { drained } from '../support/whole.js';

it.each(['ก', 'ກ', 'ក', 'မ'])('cut before the joiner after %s, each chunk reads again', async (letter) => {
  for (const joiner of ['\u200b', '\u2060']) {
    const text = `${letter}${joiner}${letter}${joiner}${joiner}${letter} a${joiner}b`;
    const bytes = Buffer.from(text);
    for await (const chunk of chunks(text, {
      unit: 'characters',
      size: 2,
      overlap: 0,
      separators: [joiner],
      separatorPosition: 'start',
    })) {
      const part = bytes.subarray(chunk.start, chunk.end).toString();
      const segments = [{ text: part, start: chunk.start, end: chunk.end, verbatim: true }];
      const again = drained(normalise('tidy', true)(documentIn('utf-8')), segments);
      expect(again.map((segment) => segment.text).join('')).toBe(chunk.text);
    }
  }
});
