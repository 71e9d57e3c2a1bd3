import { describe, expect, it } from 'vitest';
import { Patience } from '../../src/retry.js';

const signal = new AbortController().signal;

function worldOf(random = 0.5) {
  const waits: number[] = [];
  return { waits, random: () => random, sleep: async (milliseconds: number) => void waits.push(milliseconds) };
}

describe('patience', () => {
  it('waits somewhere between nothing and a bound that doubles, up to ten seconds, eight times', async () => {
    for (const random of [0, 0.5, 0.999]) {
      const world = worldOf(random);
      const patience = new Patience(world);
      let tries = 0;
      while (await patience.again(signal)) tries++;
      expect(tries).toBe(8);
      expect(world.waits).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].map((bound) => random * bound));
    }
  });

  it('begins anew after progress, but does not go on for ever', async () => {
    const world = worldOf();
    const patience = new Patience(world, { inARow: 2, inAll: 5 });
    const told: boolean[] = [];
    for (let k = 0; k < 7; k++) {
      told.push(await patience.again(signal));
      patience.progressed();
    }
    expect(told).toEqual([true, true, true, true, true, false, false]);
    expect(world.waits).toEqual([100, 100, 100, 100, 100]);
  });

  it('waits at least as long as the server asks, unless that is too long', async () => {
    const world = worldOf();
    const patience = new Patience(world);
    expect(await patience.again(signal, 3000)).toBe(true);
    expect(world.waits).toEqual([3100]);
    expect(await patience.again(signal, 3_600_000)).toBe(false);
    expect(patience.failures).toBe(1);
  });

  it('ends with the signal', async () => {
    const abort = new AbortController();
    const world = { ...worldOf(), sleep: async () => abort.abort(new Error('enough')) };
    await expect(new Patience(world).again(abort.signal)).rejects.toThrow('enough');
  });
});
