/**
 * The options of the chunk job and of verify: what a library user may pass, and the table that help, checks and the README are made
 * from. What they mean together is src/settings.ts's. Options of inputs, outputs, records and strategies stand with these.
 */
import { accessOptions, type InputChoices } from './input-settings.js';
import { type OutputChoices, outputOptions } from './output-settings.js';
import { formatOptions, type RecordChoices } from './record-settings.js';
import {
  type CutFunction,
  formats,
  isModule,
  recordOptions,
  strategies,
  type WhitespaceMode,
  whitespaceModes,
} from './registry.js';
import type { OptionSpec } from './spec.js';
import type { Report, Strategy, TokenCounter } from './types.js';

export const UNITS = ['tokens', 'characters', 'words', 'bytes'] as const;
export type Unit = (typeof UNITS)[number];

/** What a library user may pass; the command line has the same under `--kebab-case`. Units and ranges: see `chunkOptions`. */
export interface ChunkOptions extends RecordChoices {
  readonly format?: 'auto' | 'text' | 'json' | 'jsonl' | 'csv' | 'tsv' | 'xml';
  readonly encoding?: string;
  readonly strictEncoding?: boolean;
  readonly whitespace?: WhitespaceMode;
  readonly trim?: boolean;
  /** The name of one, the path of a module that has one as its default export, or one of your own. */
  readonly strategy?: string | Strategy | CutFunction;
  readonly separators?: readonly string[] | string;
  readonly separatorsRegex?: boolean;
  readonly separatorPosition?: 'end' | 'start' | 'drop';
  readonly language?: string;
  readonly separator?: string;
  readonly separatorRegex?: boolean;
  readonly merge?: boolean;
  readonly patterns?: readonly string[] | string;
  readonly step?: number;
  readonly tail?: 'keep' | 'backfill' | 'drop';
  readonly targetSize?: number;
  readonly noWordFallback?: boolean;
  readonly noCharacterFallback?: boolean;
  readonly enders?: readonly string[] | string;
  readonly sentenceLanguage?: string;
  readonly sentenceEngine?: 'rules' | 'intl' | 'sentence-splitter';
  readonly oversize?: 'cut' | 'keep';
  readonly noCapitals?: boolean;
  readonly topicWords?: number;
  readonly topicBlock?: number;
  readonly smoothingWidth?: number;
  readonly smoothingRounds?: number;
  readonly topicCutoff?: 'high' | 'low';
  readonly topicLanguage?: string;
  readonly size?: number;
  readonly overlap?: number;
  readonly minSize?: number;
  readonly maxChars?: number;
  readonly unit?: Unit;
  /** The name of a counter or of a model, `none`, or a counter of your own. */
  readonly tokenizer?: string | TokenCounter;
  /** Measures text in place of a unit and a tokenizer: whole numbers, at least 1 for any text; sizes and `tokens` are in these. */
  readonly lengthFunction?: (text: string) => number;
  readonly sourceName?: string;
  readonly onError?: 'stop' | 'skip';
  /** Told of each faulty record that is left out. Given, it makes `skip` the default of `onError`. */
  readonly onReject?: Report;
}

export interface RunOptions extends ChunkOptions, InputChoices, OutputChoices {
  readonly input?: string | readonly string[];
  /** Inputs are lines of chunks, as a run writes them: nothing is cut. */
  readonly chunks?: boolean;
  readonly rejects?: string;
  readonly only?: string;
  readonly dryRun?: boolean;
  readonly summary?: string;
  readonly config?: string;
}

const MOST = 1_000_000;

/** How text becomes chunks: shared by the command line and the library's streams. */
export const textOptions: readonly OptionSpec[] = [
  {
    name: 'format',
    type: 'choice',
    group: 'input',
    choices: ['auto', ...formats.map((format) => format.name)],
    summary: 'how the input splits into documents',
    defaultText: 'auto: by the name of each file, else text',
  },
  {
    name: 'source-name',
    type: 'string',
    group: 'input',
    value: 'NAME',
    summary: 'what chunks call standard input; its ending names the format',
    defaultText: '-',
  },
  {
    name: 'encoding',
    type: 'string',
    group: 'input',
    value: 'NAME',
    summary: 'auto, utf-8, utf-16le, utf-16be, latin1, windows-1251, koi8-r and other one-byte encodings',
    defaultText: 'auto: what the signature (BOM) says, else utf-8',
  },
  { name: 'strict-encoding', type: 'flag', group: 'input', summary: 'stop at bytes that are no text, instead of writing U+FFFD' },
  ...recordOptions,
  {
    name: 'whitespace',
    type: 'choice',
    group: 'text',
    choices: whitespaceModes,
    summary: 'make white space uniform; collapse: also runs of blanks; lines: line ends only; keep: leave all as it is',
    defaultText: 'tidy; lines in records',
  },
  { name: 'trim', type: 'flag', group: 'text', summary: 'leave out white space at the edges of chunks' },
  {
    name: 'strategy',
    type: 'choice',
    group: 'chunking',
    choices: strategies.map((strategy) => strategy.name),
    isChoice: isModule,
    summary: 'where text is cut; ./mine.js: as the default export of this module says',
    defaultText: 'recursive',
  },
  {
    name: 'size',
    type: 'integer',
    group: 'chunking',
    value: 'N',
    min: 1,
    max: MOST,
    summary: 'most that a chunk holds, overlap included, in units',
    defaultText: '512',
  },
  {
    name: 'overlap',
    type: 'integer',
    group: 'chunking',
    value: 'N',
    min: 0,
    max: MOST,
    summary: 'most that is repeated from the chunk before, in units',
    defaultText: '50, at most a tenth of the size',
  },
  {
    name: 'min-size',
    type: 'integer',
    group: 'chunking',
    value: 'N',
    min: 0,
    max: MOST,
    summary: 'cut at a finer boundary rather than make a smaller chunk, in units; the last one may be smaller',
    defaultText: 'a quarter of the size',
  },
  {
    name: 'max-chars',
    type: 'integer',
    group: 'chunking',
    value: 'N',
    min: 256,
    max: 64 * MOST,
    summary: 'longest chunk in UTF-16 units, whatever it counts; this bounds memory',
    defaultText: '32 for each token, 64 for each word of the size, at least 16384',
  },
  { name: 'unit', type: 'choice', group: 'chunking', choices: UNITS, summary: 'what sizes count', defaultText: 'tokens' },
  {
    name: 'tokenizer',
    type: 'string',
    group: 'chunking',
    value: 'NAME',
    summary: 'what tokens are: an encoding, a model such as gpt-4o, an estimate, or none to leave the count out',
    defaultText: 'o200k_base; estimate when the unit is not tokens',
  },
  {
    name: 'on-error',
    type: 'choice',
    group: 'run',
    choices: ['stop', 'skip'],
    summary: 'what to do at a faulty record, where it is known where the next one begins',
    defaultText: 'stop, or skip where rejects are written',
  },
];

const runOptions: readonly OptionSpec[] = [
  {
    name: 'root',
    type: 'string',
    group: 'input',
    value: 'DIR',
    summary: 'name files relative to DIR, so that output does not depend on where one stands',
  },
  ...accessOptions,
  {
    name: 'chunks',
    type: 'flag',
    group: 'input',
    summary:
      'inputs are lines of chunks, as this program writes them, perhaps with an embedding each: none is cut (needs --format jsonl)',
  },
  ...outputOptions,
  {
    name: 'rejects',
    type: 'string',
    group: 'run',
    value: 'FILE',
    summary: 'write a line of JSON for each faulty record to FILE: where it is and what is wrong with it',
  },
  {
    name: 'only',
    type: 'string',
    group: 'run',
    value: 'FILE',
    summary: 'only records that begin in the byte ranges that FILE lists, such as rejects of an earlier run',
  },
  { name: 'dry-run', type: 'flag', group: 'run', summary: 'count and show how sizes are spread, write nothing' },
  { name: 'summary', type: 'string', group: 'run', value: 'FILE', summary: 'also write the summary to FILE as JSON' },
  {
    name: 'config',
    type: 'string',
    group: 'run',
    value: 'FILE',
    summary: 'read options from a JSON file, such as {"input": "docs", "size": 256}; the command line wins',
  },
];

/** All options of the chunk job but those of single formats and strategies. */
export const chunkOptions: readonly OptionSpec[] = [...textOptions, ...runOptions];

/** Of `verify`. */
export const verifyOptions: readonly OptionSpec[] = [
  {
    name: 'root',
    type: 'string',
    group: 'input',
    value: 'DIR',
    summary: 'directory that the names of sources are relative to',
    defaultText: 'the --root of the run, else the current directory',
  },
  {
    name: 'source',
    type: 'list',
    group: 'input',
    value: 'NAME=PATH',
    summary: 'where a source is now, such as -=big.txt for one that came from standard input (repeat it)',
  },
  ...accessOptions,
];

/** Options that only some strategies have, each once. */
export const strategyOptions: readonly OptionSpec[] = [
  ...new Map(strategies.flatMap(({ options = [] }) => options).map((option) => [option.name, option])).values(),
];
export const componentOptions: readonly OptionSpec[] = [...formatOptions, ...strategyOptions];
