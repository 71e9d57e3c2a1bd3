/** What merging is, by the plainest means, and vocabularies wilder than any real one: the oracle of the tests of ./merge and ./merge-long. */

import type { Ranks } from '../../../src/tokens/ranks.js';
import { type Octets, octets } from '../../../src/tokens/vocabulary.js';
import type { Dice } from './bpe-trouble.js';

/** The definition, as plainly as it can be put. */
export function plainly(ranks: ReadonlyMap<string, number>, piece: string): string[] {
  const parts = [...piece];
  for (;;) {
    let lowest = Number.POSITIVE_INFINITY;
    let at = -1;
    for (let k = 0; k + 1 < parts.length; k++) {
      const rank = ranks.get(parts[k]! + parts[k + 1]!);
      if (rank !== undefined && rank < lowest) [lowest, at] = [rank, k];
    }
    if (at < 0) return parts;
    parts.splice(at, 2, parts[at]! + parts[at + 1]!);
  }
}

/** All bytes, and random tokens over "abc" in random order: many whose parts come later than they do, as no real vocabulary has. */
export function wildRanks(roll: Dice): Ranks {
  const tokens = new Set<string>();
  while (tokens.size < 60) tokens.add(Array.from({ length: 2 + roll(5) }, () => 'abc'[roll(3)]).join(''));
  return [...Array.from({ length: 256 }, (_, byte) => [byte]), ...tokens];
}

export function bytesOf(text: string): Octets {
  const out = octets(3 * text.length);
  new TextEncoder().encodeInto(text, out.bytes);
  return out;
}

export function letters(roll: Dice, length: number): string {
  return Array.from({ length }, () => 'abc'[roll(3)]).join('');
}

export function textRanks(ranks: Ranks): Map<string, number> {
  return new Map(ranks.map((token, rank) => [typeof token === 'string' ? token : String.fromCharCode(token![0]!), rank]));
}
