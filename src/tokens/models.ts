/**
 * Which vocabulary a model of OpenAI reads with. Facts only, from tiktoken's table and gpt-tokenizer's; the test holds this
 * one against both. Nothing is loaded here. Two vocabularies differ from another in special tokens alone, which text in a
 * corpus never stands for, and so go by the other's name: o200k_harmony (gpt-oss) by o200k_base, p50k_edit by p50k_base.
 */

export type Encoding = 'o200k_base' | 'cl100k_base' | 'p50k_base' | 'r50k_base';

/** A `*` stands for nothing, or for a version, date or variant that is set off by `-` or `.`. No name fits two entries. */
const MODELS: Readonly<Record<Encoding, readonly string[]>> = {
  o200k_base: [
    ...['gpt-4o*', 'chatgpt-4o*', 'gpt-4.1*', 'gpt-4.5*', 'gpt-5*', 'gpt-oss*'],
    ...['o1*', 'o3*', 'o4-mini*', 'codex-mini-latest', 'computer-use-preview*'],
  ],
  cl100k_base: [
    ...['gpt-4', 'gpt-4-*', 'gpt-3.5*', 'gpt-35-turbo*'],
    ...['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002', 'davinci-002', 'babbage-002'],
  ],
  p50k_base: [
    ...['text-davinci-002', 'text-davinci-003', 'text-davinci-edit-001', 'code-davinci*', 'code-cushman*'],
    ...['davinci-codex', 'cushman-codex'],
  ],
  r50k_base: [
    ...['davinci', 'curie', 'babbage', 'ada', 'text-davinci-001', 'text-curie-001', 'text-babbage-001', 'text-ada-001'],
    ...['text-similarity*', 'text-search*', 'code-search*', 'gpt2', 'gpt-2'],
  ],
};

/** The encoding of a model, dated and fine-tuned (`ft:gpt-4o-mini:…`) variants included; undefined for an unknown name. */
export function encodingOf(model: string): Encoding | undefined {
  const name = model.startsWith('ft:') ? model.split(':', 2)[1]! : model;
  const known = Object.entries(MODELS) as [Encoding, readonly string[]][];
  return known.find(([, entries]) => entries.some((entry) => fits(name, entry)))?.[0];
}

function fits(name: string, entry: string): boolean {
  if (!entry.endsWith('*')) return name === entry;
  const stem = entry.slice(0, -1);
  return name.startsWith(stem) && (stem.endsWith('-') || /^(?:$|[-.])/.test(name.slice(stem.length)));
}
