/** Ranking in memory: scores as scikit-learn's, order by score and then by index. */
import { describe, expect, it } from 'vitest';
import { rank } from '../../src/rank.js';
import { rankingCases } from '../support/ranking.js';

const indexes = (ranked: readonly { readonly index: number }[]): number[] => ranked.map(({ index }) => index);

describe('rank', () => {
  it.each(rankingCases)('gives the scores of scikit-learn: $name', ({ query, chunks, scores }) => {
    const ranked = rank(query, chunks);
    expect(indexes(ranked).sort((a, b) => a - b)).toEqual(chunks.map((_, index) => index));
    for (const { chunk, index, score } of ranked) {
      expect(chunk).toBe(chunks[index]);
      expect(Math.abs(score - scores[index]!)).toBeLessThan(1e-9);
    }
  });

  it('has fixtures that would tell', () => {
    expect(rankingCases.length).toBeGreaterThan(30);
    expect(rankingCases.flatMap(({ scores }) => scores).filter((score) => score > 0.01 && score < 0.99).length).toBeGreaterThan(
      100,
    );
  });

  it('puts the best first, equal ones in their order', () => {
    const ranked = rank('stone', ['bread', 'mill stone', 'stone', 'stone mill', 'water', 'Stone!']);
    expect(indexes(ranked)).toEqual([2, 5, 1, 3, 0, 4]);
    expect(ranked[0]!.score).toBe(1);
    expect(ranked[2]!.score).toBe(ranked[3]!.score);
  });

  it('takes objects, gives them back, and reads what it is given once', () => {
    const chunks = [
      { text: 'bread', id: 1 },
      { text: 'water', id: 2 },
    ];
    const [best] = rank(
      'water',
      (function* () {
        yield* chunks;
      })(),
    );
    expect(best!.chunk).toBe(chunks[1]);
  });

  it('gives as many as asked for, and none below the least score', () => {
    const chunks = Array.from({ length: 100 }, (_, n) => `water ${'stone '.repeat(n % 7)}${n}`);
    const all = rank('water', chunks);
    expect(rank('water', chunks, { top: 5 })).toEqual(all.slice(0, 5));
    expect(rank('water', chunks, { top: 1000 })).toEqual(all);
    const least = all[40]!.score;
    expect(rank('water', chunks, { minScore: least })).toEqual(all.filter(({ score }) => score >= least));
    expect(rank('fire', chunks, { minScore: 0.001 })).toEqual([]);
  });

  it('scores zero where there is no vocabulary', () => {
    expect(rank('', ['', '?', 'a'])).toEqual([0, 1, 2].map((index) => ({ chunk: ['', '?', 'a'][index], index, score: 0 })));
    expect(rank('water', [])).toEqual([]);
  });

  it('finds words in scripts without spaces', () => {
    expect(rank('喝水', ['他在河边走路', '我喜欢喝水', '水车'])[0]).toMatchObject({ index: 1 });
    expect(rank('น้ำ', ['ไฟไหม้บ้าน', 'น้ำไหลผ่าน'])[0]).toMatchObject({ index: 1 });
  });

  it('refuses what it cannot do', () => {
    expect(() => rank('a', [], { top: 0 })).toThrow('top must be at least 1');
    expect(() => rank('a', [], { minScore: Number.NaN })).toThrow('minScore');
    expect(() => rank('a', [], { tpo: 1 } as object)).toThrow('did you mean top?');
  });
});
