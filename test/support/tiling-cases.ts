/** What NLTK made of the cases in test/golden/text-tiling; generate.py there wrote them. */
import { readFileSync } from 'node:fs';
import type { TilingOptions } from '../../transforms/boundaries/text-tiling-scores.js';

export interface TilingCase {
  readonly name: string;
  readonly text: string;
  /** As NLTK spells them. */
  readonly options: Readonly<Record<string, number>> & { readonly stopwords: readonly string[] };
  readonly gaps: readonly number[];
  readonly smoothed: readonly number[];
  readonly depths: readonly number[];
  readonly boundaries: readonly number[];
}

export const TILING_CASES: readonly TilingCase[] = readFileSync(
  new URL('../golden/text-tiling/scores.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as TilingCase);

export function optionsOf({ options }: TilingCase): TilingOptions {
  const { w = 20, k = 10, smoothing_width = 2, smoothing_rounds = 1, cutoff_policy = 1, stopwords } = options;
  return {
    w,
    k,
    smoothingWidth: smoothing_width,
    smoothingRounds: smoothing_rounds,
    cutoff: cutoff_policy === 0 ? 'low' : 'high',
    stopWords: new Set(stopwords),
  };
}
