import { describe, expect, it } from 'vitest';
import { type BpeEncoding, loadRanks } from '../../../src/tokens/ranks.js';
import { NO_RANK, octets, Vocabulary } from '../../../src/tokens/vocabulary.js';
import { dice, SEED } from './bpe-trouble.js';

const ENCODINGS: readonly BpeEncoding[] = ['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base'];
const encoder = new TextEncoder();

describe.each(ENCODINGS)('the vocabulary of %s', (encoding) => {
  it('finds every token, and nothing that is none', async () => {
    const ranks = await loadRanks(encoding);
    const vocabulary = new Vocabulary(ranks);
    const known = new Set<string>();
    const text = octets(256);
    const rankOf = (bytes: Uint8Array | readonly number[]): number => {
      text.bytes.fill(0x7e).set(bytes, 3);
      return vocabulary.rank(text, 3, 3 + bytes.length);
    };
    ranks.forEach((token, rank) => {
      if (token === undefined) return;
      const bytes = typeof token === 'string' ? encoder.encode(token) : token;
      known.add(Buffer.from(bytes).toString('latin1'));
      if (rankOf(bytes) !== rank) expect.fail(`token ${rank} is taken for ${rankOf(bytes)}`);
      if (bytes.length === 1) expect(vocabulary.singles[bytes[0]!]).toBe(rank);
      if (bytes.length === 2 && vocabulary.pairs[(bytes[0]! << 8) | bytes[1]!] !== rank) expect.fail(`pair ${rank}`);
    });
    const roll = dice(SEED);
    for (let k = 0; k < 50_000; k++) {
      const token = ranks[roll(ranks.length)];
      const bytes = Array.from(typeof token === 'string' ? encoder.encode(token) : (token ?? []));
      bytes[roll(bytes.length)] = roll(256);
      if (known.has(Buffer.from(bytes).toString('latin1'))) continue;
      if (rankOf(bytes) !== NO_RANK) expect.fail(`seed ${SEED}: ${bytes} is taken for ${rankOf(bytes)}`);
    }
  });
});
