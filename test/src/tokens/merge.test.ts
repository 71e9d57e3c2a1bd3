import { describe, expect, it } from 'vitest';
import { Merger } from '../../../src/tokens/merge.js';
import { loadRanks } from '../../../src/tokens/ranks.js';
import { Vocabulary } from '../../../src/tokens/vocabulary.js';
import { dice, SEED } from './bpe-trouble.js';
import { bytesOf, letters, plainly, textRanks, wildRanks } from './merge-plainly.js';

describe('merging', () => {
  it('is by lowest rank, leftmost first, in any vocabulary', () => {
    const roll = dice(SEED);
    for (let k = 0; k < 500; k++) {
      const ranks = wildRanks(roll);
      const merger = new Merger(new Vocabulary(ranks));
      const piece = letters(roll, 2 + roll(59));
      const parts = plainly(textRanks(ranks), piece);
      expect(merger.merge(bytesOf(piece), 0, piece.length), `seed ${SEED} ${piece}`).toBe(parts.length);
      const first = roll(parts.length + 1);
      expect(merger.endOf(first)).toBe(parts.slice(0, first).join('').length);
      expect(merger.startOf(first)).toBe(parts.slice(0, parts.length - first).join('').length);
    }
  });

  it('of the first or last tokens of a piece gives these tokens again', async () => {
    const merger = new Merger(new Vocabulary(await loadRanks('r50k_base')));
    const roll = dice(SEED);
    for (let k = 0; k < 300; k++) {
      const length = 2 + roll(k % 10 === 0 ? 3000 : 60);
      const piece = bytesOf(Array.from({ length }, () => String.fromCharCode(97 + roll(26))).join(''));
      const parts = merger.merge(piece, 0, length);
      const count = 1 + roll(parts);
      const [end, start] = [merger.endOf(count), merger.startOf(count)];
      expect(merger.merge(piece, 0, end)).toBe(count);
      expect(merger.merge(piece, start, length)).toBe(count);
    }
  });
});
