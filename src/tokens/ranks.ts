/**
 * The published merge ranks: the one place that touches gpt-tokenizer, and only its data. Each encoding is its own module,
 * loaded on demand, so that a run which counts no tokens loads none. Importing o200k takes about 90 ms and 38 MB, nearly all of
 * it the engine's work on an array literal of 200,000 strings; nothing here can make that less.
 */

export type BpeEncoding = 'o200k_base' | 'cl100k_base' | 'p50k_base' | 'r50k_base';

/** Token by rank: its text, or its bytes where they are not whole UTF-8 characters. p50k_base has a hole, at the rank of its special token. */
export type Ranks = readonly (string | readonly number[] | undefined)[];

export async function loadRanks(encoding: BpeEncoding): Promise<Ranks> {
  // Literal specifiers, so that a bundler can see them.
  switch (encoding) {
    case 'o200k_base':
      return (await import('gpt-tokenizer/bpeRanks/o200k_base')).default;
    case 'cl100k_base':
      return (await import('gpt-tokenizer/bpeRanks/cl100k_base')).default;
    case 'p50k_base':
      return (await import('gpt-tokenizer/bpeRanks/p50k_base')).default;
    case 'r50k_base':
      return (await import('gpt-tokenizer/bpeRanks/r50k_base')).default;
  }
}
