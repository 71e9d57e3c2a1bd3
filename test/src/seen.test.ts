import { expect, it } from 'vitest';
import { Seen } from '../../src/seen.js';
import { seeded } from '../support/random.js';

it('counts numbers by both halves, as a Map does, however many there are', () => {
  seeded(20, (rng) => {
    const seen = new Seen();
    const counts = new Map<string, number>();
    const width = rng.pick([2, 40, 2 ** 32]);
    for (let left = rng.between(0, 3000); left > 0; left--) {
      const [high, low] = [rng.between(0, width - 1), rng.between(0, width - 1)];
      const before = counts.get(`${high} ${low}`) ?? 0;
      expect(seen.add(high, low)).toBe(before);
      counts.set(`${high} ${low}`, before + 1);
    }
    expect(seen.size).toBe(counts.size);
  });
});
