/**
 * The counters by name. A vocabulary is loaded when it is asked for, and no sooner: this file and what it imports hold none.
 */
import { IngestError } from '../errors.js';
import type { Spec } from '../spec.js';
import type { TokenCounter } from '../types.js';
import { type Encoding, encodingOf } from './models.js';
import { bytes, bytes4, characters, estimate, words } from './units.js';

interface CounterSpec extends Spec {
  load(): Promise<TokenCounter>;
}

const bpe = (name: Encoding, summary: string): CounterSpec => ({
  name,
  summary,
  load: async () => (await import('./bpe.js')).loadBpe(name),
});

/** In the order of the documentation. */
export const counters: readonly CounterSpec[] = [
  bpe('o200k_base', 'exact, for gpt-4o, gpt-4.1, gpt-5, o1, o3 and o4-mini'),
  bpe('cl100k_base', 'exact, for gpt-4, gpt-3.5-turbo and the text-embedding models'),
  bpe('p50k_base', 'exact, for text-davinci-002, text-davinci-003 and code-davinci'),
  bpe('r50k_base', 'exact, for gpt2, davinci, curie, babbage and ada'),
  { name: 'estimate', summary: 'characters / 3.8, one for each CJK character; no vocabulary', load: async () => estimate },
  { name: 'bytes4', summary: 'UTF-8 bytes / 4; no vocabulary', load: async () => bytes4 },
];

/** The names of the counters, for a list or a hint. Model names are understood besides. */
export function tokenizerNames(): readonly string[] {
  return counters.map(({ name }) => name);
}

/** The counter a counter's or a model's name stands for; undefined when it stands for none. */
export function resolveTokenizer(name: string): string | undefined {
  return tokenizerNames().includes(name) ? name : encodingOf(name);
}

export async function loadCounter(name: string): Promise<TokenCounter> {
  const resolved = resolveTokenizer(name);
  const found = counters.find((counter) => counter.name === resolved);
  if (found) return found.load();
  const sentence = `unknown tokenizer ${JSON.stringify(name)}; use ${tokenizerNames().join(', ')} or the name of an OpenAI model`;
  throw new IngestError('config', 'unknown-tokenizer', sentence);
}

const UNITS = { characters, words, bytes } as const;

/** The counter of a unit of size other than tokens. */
export function unitCounter(unit: keyof typeof UNITS): TokenCounter {
  return UNITS[unit];
}
