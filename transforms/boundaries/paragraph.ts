/**
 * The `paragraph` strategy: whole paragraphs, short neighbours packed together. A paragraph that fits is never cut; one that does
 * not is cut at sentences and words, or stays whole by request.
 */
import type { OptionSpec, Spec } from '../../src/spec.js';
import type { Strategy } from '../../src/types.js';
import { paragraph as paragraphLevel, word } from './levels.js';
import { sentence } from './sentences.js';

export interface ParagraphOptions {
  readonly oversize?: 'cut' | 'keep';
  /** Whether a paragraph may be cut so that the chunk before reaches the least size: if the user gave one. */
  readonly strictMinSize?: boolean;
}

const options: readonly OptionSpec[] = [
  {
    name: 'oversize',
    type: 'choice',
    group: 'chunking',
    choices: ['cut', 'keep'],
    summary:
      'a paragraph over the size is cut at sentences and words, or stays whole up to max-chars, with oversize in its metadata',
    defaultText: 'cut',
  },
];

export const paragraphSpec: Spec = {
  name: 'paragraph',
  summary: 'whole paragraphs, short neighbours packed up to the size; one that fits is never cut',
  options,
};

export function paragraphs({ oversize = 'cut', strictMinSize = false }: ParagraphOptions = {}): Strategy {
  const levels = oversize === 'keep' ? [paragraphLevel] : [paragraphLevel, sentence(), word];
  return { name: 'paragraph', packing: 'fill', levels, keepsUnits: !strictMinSize, oversize };
}

export function paragraphsFrom(given: Readonly<Record<string, unknown>>): Strategy {
  const { oversize } = given as ParagraphOptions;
  return paragraphs({ ...(oversize === undefined ? {} : { oversize }), strictMinSize: given.minSize !== undefined });
}
