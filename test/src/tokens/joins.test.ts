import { describe, expect, it } from 'vitest';
import { Joins } from '../../../src/tokens/joins.js';
import { loadRanks } from '../../../src/tokens/ranks.js';
import { octets, Vocabulary } from '../../../src/tokens/vocabulary.js';
import { dice, SEED } from './bpe-trouble.js';

describe('joins', () => {
  it('answer as the vocabulary does, at first and from memory', async () => {
    const ranks = await loadRanks('o200k_base');
    const vocabulary = new Vocabulary(ranks);
    const joins = new Joins(vocabulary);
    const roll = dice(SEED);
    const text = octets(512);
    for (let k = 0; k < 200_000; k++) {
      // Few on one side and all on the other, so that places are shared and pairs come again.
      const [left, right] = [roll(300), roll(2) === 0 ? roll(300) : roll(ranks.length)];
      const [first, second] = [ranks[left], ranks[right]];
      if (typeof first !== 'string' || typeof second !== 'string') continue;
      const { written } = new TextEncoder().encodeInto(first + second, text.bytes);
      const rank = vocabulary.rank(text, 0, written);
      if (joins.rank(left, right, text, 0, written) !== rank) expect.fail(`at first, seed ${SEED}: ${left}, ${right}`);
      if (joins.rank(left, right, text, 0, written) !== rank) expect.fail(`again, seed ${SEED}: ${left}, ${right}`);
    }
  });
});
