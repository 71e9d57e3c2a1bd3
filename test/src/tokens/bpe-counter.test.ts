import { describe, expect, it } from 'vitest';
import { BpeCounter } from '../../../src/tokens/bpe-counter.js';
import { loadRanks } from '../../../src/tokens/ranks.js';
import { dice, SEED, trouble } from './bpe-trouble.js';

describe('a text of many blocks', () => {
  it('counts as its pieces do, wherever the blocks end', async () => {
    const counter = new BpeCounter('o200k_base', await loadRanks('o200k_base'));
    const roll = dice(SEED);
    // A line end before a word is always an edge between pieces, so counts of lines add up.
    const line = (): string => `${trouble(roll).replace(/[\s\u0085]/gu, '_')}\n`;
    const lines = Array.from({ length: 4000 }, () => `word${line()}`);
    const sum = lines.reduce((tokens, text) => tokens + counter.count(text), 0);
    expect(counter.count(lines.join('')), `seed ${SEED}`).toBe(sum);
  });

  it('may be one piece', async () => {
    const counter = new BpeCounter('o200k_base', await loadRanks('o200k_base'));
    expect(counter.count('a'.repeat(1_000_000))).toBe(125_000);
    expect(counter.count('\u4e2d'.repeat(100_000))).toBe(100_000);
  });
});

describe('the tables of pieces seen before', () => {
  it('stay exact, and as quick, under a flood of words never met again', async () => {
    const roll = dice(SEED + 3);
    const word = (): string => ` ${Array.from({ length: 3 + roll(30) }, () => String.fromCharCode(97 + roll(26))).join('')}`;
    const common = ' The quick brown fox jumps over extraordinarily antidisestablishmentarian dogs';
    const counter = new BpeCounter('r50k_base', await loadRanks('r50k_base'));
    const fresh = new BpeCounter('r50k_base', await loadRanks('r50k_base'));
    const tokens = fresh.count(common);
    const costs: number[] = [];
    for (let round = 0; round < 4; round++) {
      const before = counter.merger.steps;
      let flood = '';
      for (let k = 0; k < 60_000; k++) flood += word();
      counter.count(flood);
      costs.push((counter.merger.steps - before) / flood.length);
      expect(counter.count(common)).toBe(tokens);
    }
    // Merge steps for each character do not grow as the tables fill up and run over.
    for (const cost of costs) expect(cost).toBeLessThan(1.1 * costs[0]!);
  });
});
