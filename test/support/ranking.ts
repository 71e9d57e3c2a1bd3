/**
 * What scikit-learn made of the cases in test/golden/ranking; generate.py there wrote them.
 */
import { readFileSync } from 'node:fs';

export interface RankingCase {
  readonly name: string;
  readonly query: string;
  readonly chunks: readonly string[];
  /** Of the query, then of each chunk. */
  readonly terms: readonly (readonly string[])[];
  /** Of each chunk. */
  readonly scores: readonly number[];
}

const lines = readFileSync(new URL('../golden/ranking/expected.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

export const rankingCases: readonly RankingCase[] = lines.slice(1).map((line) => JSON.parse(line) as RankingCase);
