/**
 * Exact token counts for OpenAI's encodings: `loadBpe`. The count equals tiktoken's `encode_ordinary(text).length` (special tokens
 * are ordinary text, a lone surrogate counts as U+FFFD); where gpt-tokenizer differs, see ./classes and ./pieces. Runs in a
 * browser. Importing this file loads nothing; the vocabulary and the code that needs it come with the first `loadBpe`.
 */

import type { TokenCounter } from '../types.js';
import { type BpeEncoding, loadRanks } from './ranks.js';

export type { BpeEncoding } from './ranks.js';

const loaded = new Map<BpeEncoding, Promise<TokenCounter>>();

/** The counter of an encoding: one per process, its tables built by the first call. It has a `ruler`. */
export function loadBpe(encoding: BpeEncoding): Promise<TokenCounter> {
  let counter = loaded.get(encoding);
  if (counter === undefined) {
    counter = load(encoding);
    loaded.set(encoding, counter);
    // A failed import may be tried again.
    counter.catch(() => loaded.delete(encoding));
  }
  return counter;
}

async function load(encoding: BpeEncoding): Promise<TokenCounter> {
  const [ranks, { BpeCounter }] = await Promise.all([loadRanks(encoding), import('./bpe-counter.js')]);
  return new BpeCounter(encoding, ranks);
}
