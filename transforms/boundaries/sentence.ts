/**
 * The `sentence` strategy: chunks of whole sentences. A sentence that fits is never cut; one that does not is cut at words, and a
 * word that does not at characters, unless either fallback is switched off. Where sentences end is sentences.ts's to say.
 */

import { IngestError } from '../../src/errors.js';
import type { Spelling } from '../../src/options.js';
import type { LaterStrategy, OptionSpec, Spec } from '../../src/spec.js';
import type { Strategy } from '../../src/types.js';
import { word } from './levels.js';
import type { SentenceSplitter } from './sentence-engines.js';
import { SENTENCE_ENGINES, type SentenceEngine, type SentenceOptions, sentence as sentenceLevel } from './sentences.js';

export interface SentenceStrategyOptions extends SentenceOptions {
  /** A chunk ends at the first sentence end where it measures so much. */
  readonly targetSize?: number;
  /** Whether a sentence may be cut so that the chunk before reaches the least size: if the user gave one. */
  readonly strictMinSize?: boolean;
  readonly wordFallback?: boolean;
  readonly characterFallback?: boolean;
}

const options: readonly OptionSpec[] = [
  {
    name: 'target-size',
    type: 'integer',
    group: 'chunking',
    value: 'N',
    min: 1,
    summary: 'end a chunk at the first sentence end where it holds so much, in units',
    defaultText: 'none: as many sentences as fit',
  },
  {
    name: 'no-word-fallback',
    type: 'flag',
    group: 'chunking',
    summary: 'do not cut a sentence that is over the size at words, but at characters',
  },
  {
    name: 'no-character-fallback',
    type: 'flag',
    group: 'chunking',
    summary:
      'do not cut a word that is over the size; without both fallbacks such a sentence stays whole, with oversize in its metadata',
  },
  {
    name: 'enders',
    type: 'list',
    group: 'chunking',
    value: 'TEXT',
    summary: 'what ends a sentence, instead of the marks of all scripts (repeat it)',
  },
  {
    name: 'sentence-language',
    type: 'string',
    group: 'chunking',
    value: 'TAG',
    summary: 'whose abbreviations count, such as de or pt-BR',
    defaultText: 'those of all languages that are known',
  },
  {
    name: 'sentence-engine',
    type: 'choice',
    group: 'chunking',
    choices: SENTENCE_ENGINES,
    summary: 'our own rules, the segmenter of the runtime, or the package sentence-splitter, if it is installed',
    defaultText: 'rules',
  },
];

export const sentenceSpec: Spec = {
  name: 'sentence',
  summary: 'whole sentences, packed up to the size; one that fits is never cut',
  options,
};

export function sentences({
  targetSize,
  strictMinSize = false,
  wordFallback = true,
  characterFallback = true,
  ...engine
}: SentenceStrategyOptions = {}): Strategy {
  return {
    name: 'sentence',
    packing: 'fill',
    levels: [sentenceLevel(engine), ...(wordFallback ? [word] : [])],
    keepsUnits: !strictMinSize,
    ...(targetSize === undefined ? {} : { targetSize }),
    ...(characterFallback ? {} : { oversize: 'keep' }),
  };
}

/** Reads the options of the command line and of configuration files. */
export function sentencesFrom(
  given: Readonly<Record<string, unknown>>,
  problems: string[],
  spelling: Spelling,
): Strategy | LaterStrategy {
  const { size, targetSize, enders, sentenceLanguage: language, sentenceEngine: engine } = given as Given;
  if (targetSize !== undefined && targetSize > size!)
    problems.push(`${spelling('target-size')} must not be larger than ${spelling('size')}: ${targetSize} is above ${size}`);
  const chosen: SentenceStrategyOptions = {
    ...(targetSize === undefined ? {} : { targetSize }),
    ...(enders === undefined ? {} : { enders }),
    ...(language === undefined ? {} : { language }),
    ...(engine === undefined ? {} : { engine }),
    strictMinSize: given.minSize !== undefined,
    wordFallback: given.noWordFallback !== true,
    characterFallback: given.noCharacterFallback !== true,
  };
  try {
    if (engine !== 'sentence-splitter') return sentences(chosen);
    const splitter = { split: () => [] };
    sentences({ ...chosen, splitter }); // tells now what is wrong, whether the package is there or not
  } catch (error) {
    problems.push((error as Error).message);
  }
  return { name: 'sentence', load: async ({ load }) => sentences({ ...chosen, splitter: await splitterFrom(load) }) };
}

interface Given {
  readonly size?: number;
  readonly targetSize?: number;
  readonly enders?: readonly string[];
  readonly sentenceLanguage?: string;
  readonly sentenceEngine?: SentenceEngine;
}

/** @throws IngestError kind config when the package is not installed */
async function splitterFrom(load: (name: string) => Promise<unknown>): Promise<SentenceSplitter> {
  try {
    return (await load('sentence-splitter')) as SentenceSplitter;
  } catch (error) {
    const sentence = 'the sentence engine sentence-splitter needs the package of that name: npm install sentence-splitter@5';
    throw new IngestError('config', 'no-package', sentence, { cause: error });
  }
}
