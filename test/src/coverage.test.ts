/** Accounts of bytes against a byte-by-byte record of where each went. */
import { describe, expect, it } from 'vitest';
import { Accounts } from '../../src/coverage.js';
import { IngestError } from '../../src/errors.js';
import { seeded } from '../support/random.js';

describe('accounts', () => {
  it('count each byte once, whatever overlaps and is told twice', () => {
    seeded(100, (rng) => {
      const signature = rng.pick([0, 3]);
      const accounts = new Accounts(() => signature);
      const went: string[] = [];
      const until = (to: number, reason: (at: number) => string) => {
        while (went.length < to) went.push(reason(went.length));
      };
      for (let steps = rng.between(0, 20); steps > 0; steps--) {
        const to = rng.between(Math.max(0, went.length - 4), went.length + 9);
        switch (rng.pick(['chunk', 'blank', 'skip', 'reject'] as const)) {
          case 'chunk':
            accounts.chunk(to);
            until(to, () => 'chunk');
            break;
          case 'blank':
            accounts.drop(to, 'blank');
            until(to, () => 'blank');
            break;
          case 'skip':
            accounts.skip(to);
            until(to, (at) => (at < signature ? 'signature' : 'outside'));
            break;
          case 'reject': {
            const start = rng.between(Math.max(0, to - 5), to);
            accounts.reject(new IngestError('record', 'bad', 'it is bad', { range: [start, to] }));
            until(start, (at) => (at < signature ? 'signature' : 'outside'));
            until(to, () => 'rejected');
          }
        }
        expect(accounts.upTo).toBe(went.length);
      }
      const count = (reason: string) => went.filter((each) => each === reason).length;
      expect(accounts.inChunks).toBe(count('chunk'));
      for (const [reason, bytes] of Object.entries(accounts.dropped)) expect(bytes, reason).toBe(count(reason));
    });
  });

  it('count a fault that is no record of bytes', () => {
    const accounts = new Accounts(() => 0);
    accounts.reject(new IngestError('record', 'no-records', 'there are none'));
    expect([accounts.rejected, accounts.upTo]).toEqual([1, 0]);
  });
});
