/**
 * The table of strategies, in the order that help shows. Adding one: a file in boundaries/, a line here, a test, a sample.
 */
import type { Spelling } from '../src/options.js';
import type { LaterStrategy, Spec } from '../src/spec.js';
import type { Strategy } from '../src/types.js';
import { characterFrom, characterSpec } from './boundaries/character.js';
import { paragraphSpec, paragraphsFrom } from './boundaries/paragraph.js';
import { recursiveFrom, recursiveSpec } from './boundaries/recursive.js';
import { regexFrom, regexSpec } from './boundaries/regex.js';
import { sectionFrom, sectionSpec } from './boundaries/section.js';
import { sentenceSpec, sentencesFrom } from './boundaries/sentence.js';
import { slidingFrom, slidingOverlap, slidingSpec } from './boundaries/sliding.js';
import { token, tokenSpec } from './boundaries/token.js';
import { topicFrom, topicSpec } from './boundaries/topic.js';
import { words, wordsSpec } from './boundaries/words.js';

type Given = Readonly<Record<string, unknown>>;

export interface StrategySpec extends Spec {
  /** Units it can be measured in, the default first; absent: all. */
  readonly units?: readonly ('tokens' | 'words')[];
  /** Whether a least size means something to it; absent: yes. */
  readonly hasMinSize?: false;
  /** What it adds to the metadata of chunks. */
  readonly adds?: readonly string[];
  /** The overlap that its own options come to, if they do. */
  overlap?(options: Given, size: number, problems: string[], spelling: Spelling): number | undefined;
  /** Makes the strategy of checked options; `size` and `unit` are always among them. What is wrong with them is added to `problems`. */
  create(options: Given, problems: string[], spelling: Spelling): Strategy | LaterStrategy;
}

export const strategies: readonly StrategySpec[] = [
  { ...recursiveSpec, create: recursiveFrom },
  { ...characterSpec, create: characterFrom },
  { ...regexSpec, create: regexFrom },
  { ...sentenceSpec, adds: ['oversize'], create: sentencesFrom },
  { ...paragraphSpec, adds: ['oversize'], create: paragraphsFrom },
  { ...sectionSpec, adds: ['headings'], create: sectionFrom },
  { ...topicSpec, create: topicFrom },
  { ...wordsSpec, units: ['words'], hasMinSize: false, create: words },
  { ...tokenSpec, units: ['tokens'], hasMinSize: false, create: token },
  { ...slidingSpec, units: ['tokens', 'words'], hasMinSize: false, overlap: slidingOverlap, create: slidingFrom },
];
