import { describe, expect, it } from 'vitest';
import { Merger } from '../../../src/tokens/merge.js';
import { loadRanks } from '../../../src/tokens/ranks.js';
import { Vocabulary } from '../../../src/tokens/vocabulary.js';
import { dice, SEED } from './bpe-trouble.js';
import { bytesOf, letters, plainly, textRanks, wildRanks } from './merge-plainly.js';

/** Merges random pieces of `least` to `most` bytes with vocabularies of any order, and compares with the definition. */
function mergesAsDefined(pieces: number, least: number, most: number): void {
  const roll = dice(SEED);
  for (let k = 0; k < pieces; k++) {
    const ranks = wildRanks(roll);
    const merger = new Merger(new Vocabulary(ranks));
    const piece = letters(roll, least + roll(most - least + 1));
    const parts = plainly(textRanks(ranks), piece);
    expect(merger.merge(bytesOf(piece), 0, piece.length), `seed ${SEED} ${piece}`).toBe(parts.length);
    const first = roll(parts.length + 1);
    expect(merger.endOf(first)).toBe(parts.slice(0, first).join('').length);
    expect(merger.startOf(first)).toBe(parts.slice(0, parts.length - first).join('').length);
  }
}

describe('merging by lowest rank, leftmost first, in any vocabulary', () => {
  it.each([
    ['looks at blocks of pairs in a long piece', 300, 25, 300],
    ['does so up to the longest of them', 30, 301, 2047],
    ['goes by queues in a very long piece, until a vocabulary is out of order', 8, 2048, 2300],
  ])('%s', (_, pieces, least, most) => mergesAsDefined(pieces, least, most));

  it('costs about the same for each byte, however long the piece is', async () => {
    const vocabulary = new Vocabulary(await loadRanks('o200k_base'));
    const roll = dice(SEED);
    const random = Array.from({ length: 1 << 17 }, () => String.fromCharCode(97 + roll(26))).join('');
    for (const text of ['a'.repeat(1 << 17), ' '.repeat(1 << 17), 'ab'.repeat(1 << 16), '中'.repeat(1 << 15), random]) {
      const piece = bytesOf(text);
      const length = new TextEncoder().encode(text).length;
      const merger = new Merger(vocabulary);
      merger.merge(piece, 0, length);
      expect(merger.steps / length).toBeLessThan(4);
    }
  });
});
