import { describe, expect, it } from 'vitest';
import { type BpeEncoding, loadRanks } from '../../../src/tokens/ranks.js';

describe('published ranks', () => {
  it.each<[BpeEncoding, number]>([
    ['o200k_base', 199_998],
    ['cl100k_base', 100_256],
    ['p50k_base', 50_281],
    ['r50k_base', 50_256],
  ])('of %s are all there, and none needs more than 18 bits', async (encoding, size) => {
    const ranks = await loadRanks(encoding);
    expect(ranks.length).toBe(size);
    expect(size).toBeLessThan(2 ** 18 - 1);
  });
});
