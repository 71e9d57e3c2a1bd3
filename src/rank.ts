/**
 * Ranks chunks in memory by how close they are to a query: TF-IDF cosine, with the scores of scikit-learn's default vectoriser
 * fitted on the query and all chunks. For a file of chunks, of any size, see query.ts.
 */
import { configError } from './errors.js';
import { Leaders } from './leaders.js';
import { checkOptions } from './options.js';
import type { OptionSpec } from './spec.js';
import { Frequencies, Scorer } from './weights.js';

export interface RankOptions {
  /** How many to give; all unless said. */
  readonly top?: number;
  /** Leave out what scores less. */
  readonly minScore?: number;
}

export interface Ranked<T> {
  readonly chunk: T;
  /** Where it stood among the chunks, from 0. */
  readonly index: number;
  /** From 0 to 1. */
  readonly score: number;
}

/** Shared with `query`, which has a default for `top`. */
export const rankOptions: readonly OptionSpec[] = [
  { name: 'top', type: 'integer', group: 'output', value: 'N', min: 1, summary: 'give the N best chunks' },
  {
    name: 'min-score',
    type: 'number',
    group: 'output',
    value: 'X',
    min: 0,
    max: 1,
    summary: 'leave out chunks that score less; scores go from 0 (no term in common) to 1',
    defaultText: '0: nothing is left out',
  },
];

/**
 * The chunks by falling score, equal ones in their order. A query without terms, or whose terms are in no chunk, scores 0
 * everywhere. @throws IngestError kind config
 */
export function rank<T extends string | { readonly text: string }>(
  query: string,
  chunks: Iterable<T>,
  options: RankOptions = {},
): Ranked<T>[] {
  const problems: string[] = [];
  checkOptions({ ...options }, rankOptions, problems);
  if (problems.length > 0) throw configError(problems);
  const { top, minScore = 0 } = options;
  const all = [...chunks];
  const frequencies = new Frequencies(query, Number.POSITIVE_INFINITY);
  for (const chunk of all) frequencies.add(textOf(chunk));
  const scorer = new Scorer(frequencies);
  const leaders = new Leaders(top ?? all.length);
  all.forEach((chunk, index) => {
    const score = scorer.score(textOf(chunk));
    if (score.most >= minScore) leaders.offer({ index, ...score });
  });
  return leaders.ranked().map(({ index, least }) => ({ chunk: all[index]!, index, score: least }));
}

const textOf = (chunk: string | { readonly text: string }): string => (typeof chunk === 'string' ? chunk : chunk.text);
