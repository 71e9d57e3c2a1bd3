/**
 * The `topic` strategy: a chunk for each stretch of text about one thing. Where the topic changes text-tiling.ts says, some thousand
 * words later; until then the text is held. A topic over the budget is cut at paragraphs, sentences and words.
 */
import type { OptionSpec, Spec } from '../../src/spec.js';
import type { Charset, Machine, Segment, Strategy } from '../../src/types.js';
import { paragraph, word } from './levels.js';
import { sentence } from './sentences.js';
import { STOP_WORD_LANGUAGES } from './stop-words.js';
import { TextTiler, type TextTilerOptions } from './text-tiling.js';
import { CUTOFFS, checkTiling } from './text-tiling-scores.js';
import { HeldText, unit } from './units.js';

export interface TopicOptions extends Omit<TextTilerOptions, 'stopWords'> {
  /** The user asked for a least size: smaller topics go together. */
  readonly joinsSmall?: boolean;
}

/** The options and what they are called in TextTiling. */
const NAMES = {
  topicWords: 'w',
  topicBlock: 'k',
  smoothingWidth: 'smoothingWidth',
  smoothingRounds: 'smoothingRounds',
  topicCutoff: 'cutoff',
  topicLanguage: 'language',
} as const;

const integer = { type: 'integer', group: 'chunking', value: 'N' } as const;
const SIZES = { min: 1, max: 1000 };

const options: readonly OptionSpec[] = [
  { ...integer, ...SIZES, name: 'topic-words', summary: 'words that are compared as one group (w)', defaultText: '20' },
  {
    ...integer,
    ...SIZES,
    name: 'topic-block',
    summary: 'groups on either side of a place that are compared (k)',
    defaultText: '10',
  },
  {
    ...integer,
    min: 0,
    max: 1000,
    name: 'smoothing-width',
    summary: 'neighbours that each score is averaged with; 0: none',
    defaultText: '2',
  },
  { ...integer, min: 0, max: 100, name: 'smoothing-rounds', summary: 'how often that is done', defaultText: '1' },
  {
    name: 'topic-cutoff',
    type: 'choice',
    group: 'chunking',
    choices: CUTOFFS,
    summary: 'how much topics must differ: mean less half a deviation, or less a whole one, which finds more of them',
    defaultText: 'high',
  },
  {
    name: 'topic-language',
    type: 'choice',
    group: 'chunking',
    choices: STOP_WORD_LANGUAGES,
    summary: 'whose function words are left out of the comparison',
    defaultText: 'en',
  },
];

export const topicSpec: Spec = {
  name: 'topic',
  summary: 'a chunk for each topic (TextTiling); one over the size is cut at paragraphs, sentences, words',
  options,
};

export function topic({ joinsSmall = false, ...tiling }: TopicOptions = {}): Strategy {
  checkTiling(tiling);
  return {
    name: 'topic',
    packing: 'each',
    levels: [unit, paragraph, sentence(), word],
    ...(joinsSmall ? {} : { targetSize: 1 }),
    prepare: ({ charset }) => new TopicMarker(charset, tiling),
  };
}

export function topicFrom(given: Readonly<Record<string, unknown>>): Strategy {
  const tiling = Object.entries(NAMES).flatMap(([key, name]) => (given[key] === undefined ? [] : [[name, given[key]]]));
  return topic({ ...(Object.fromEntries(tiling) as TextTilerOptions), joinsSmall: given.minSize !== undefined });
}

/** Marks where a topic begins. */
class TopicMarker implements Machine<Segment, Segment> {
  readonly #tiler: TextTiler;
  readonly #text: HeldText;

  constructor(charset: Charset, options: TextTilerOptions) {
    this.#tiler = new TextTiler(options);
    this.#text = new HeldText(charset);
  }

  push(segment: Segment): Iterable<Segment> {
    this.#text.append(segment);
    this.#mark(this.#tiler.push(segment.text));
    return this.#text.release(this.#tiler.settled);
  }

  end(): Iterable<Segment> {
    this.#mark(this.#tiler.end());
    return this.#text.release(Number.POSITIVE_INFINITY);
  }

  #mark(places: readonly number[]): void {
    for (const at of places) this.#text.mark(at, { kind: 'unit' });
  }
}
