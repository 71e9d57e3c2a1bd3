/**
 * From what a user asked for to complete, trusted settings: the option table of the chunk job, defaults, and what options mean
 * together. Every problem is collected and reported at once, before anything is opened. Nothing later asks "was this given?".
 */
import { CHARSETS, charsetOf } from './decode.js';
import { configError } from './errors.js';
import { accessOptions, type InputChoices, type InputSettings, inputSettings } from './input-settings.js';
import { asKey, checkOptions, nearest, type Spelling } from './options.js';
import { type OutputChoices, type OutputSettings, outputOptions, outputSettings, sinkOptions } from './output-settings.js';
import {
  chosen as chosenOfRecords,
  formatOptions,
  misfits,
  type RecordChoices,
  type RecordSettings,
  recordSettings,
} from './record-settings.js';
import {
  type CutFunction,
  type FormatSpec,
  formats,
  isModule,
  moduleStrategy,
  recordOptions,
  type StrategySpec,
  strategies,
  strategyOf,
  type WhitespaceMode,
  whitespaceModes,
} from './registry.js';
import type { LaterStrategy, OptionSpec } from './spec.js';
import { resolveTokenizer, tokenizerNames } from './tokens/index.js';
import type { Charset, Report, Strategy, TokenCounter } from './types.js';

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

export interface ChunkSettings {
  /** The name of one, or `auto`: by the name of each origin. */
  readonly format: string;
  readonly encoding: 'auto' | Charset;
  readonly strictEncoding: boolean;
  /** Undefined: as the format wants it. */
  readonly whitespace: WhitespaceMode | undefined;
  readonly trim: boolean;
  readonly strategy: Strategy | LaterStrategy;
  readonly size: number;
  readonly overlap: number;
  readonly minSize: number;
  readonly maxChars: number;
  readonly unit: Unit;
  /** What `tokens` counts with: a counter, the name of one, or nothing. */
  readonly tokenizer: TokenCounter | string | undefined;
  readonly sourceName: string;
  readonly records: RecordSettings;
  readonly onError: 'stop' | 'skip';
  readonly onReject: Report | undefined;
  /** What is wrong with the settings when inputs of these formats are read, where the user named no format. */
  readonly misfits: (used: readonly FormatSpec[]) => readonly string[];
  /** The settings as a reader of the manifest wants them: plain values, defaults filled in. */
  readonly described: Readonly<Record<string, unknown>>;
}

export interface RunSettings extends ChunkSettings {
  readonly inputs: readonly string[];
  readonly chunks: boolean;
  readonly out: string | undefined;
  readonly output: OutputSettings;
  /** How inputs are reached. */
  readonly access: InputSettings;
  readonly rejects: string | undefined;
  readonly only: string | undefined;
  readonly dryRun: boolean;
  readonly summary: string | undefined;
}

const MOST = 1_000_000;

/** UTF-16 units that a unit of size may take before `maxChars` ends the chunk. A character takes two at most, a byte one. */
const CHARS_PER_UNIT: Readonly<Record<Unit, number>> = { tokens: 32, words: 64, characters: 2, bytes: 1 };

/** How text becomes chunks: shared by the command line and the library's streams. */
const textOptions: readonly OptionSpec[] = [
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
const strategyOptions: readonly OptionSpec[] = [
  ...new Map(strategies.flatMap(({ options = [] }) => options).map((option) => [option.name, option])).values(),
];
const componentOptions: readonly OptionSpec[] = [...formatOptions, ...strategyOptions];

/** @throws IngestError kind config, naming all problems */
export function chunkSettings(raw: ChunkOptions, spelling: Spelling = asKey): ChunkSettings {
  const problems: string[] = [];
  const { input: _given, ...settings } = resolve(raw, [...textOptions, ...componentOptions], problems, spelling);
  if (problems.length > 0) throw configError(problems);
  return settings;
}

/** @throws IngestError kind config, naming all problems; `already`: those found before, as by the reader of a command line */
export function runSettings(raw: RunOptions, spelling: Spelling = asKey, already: readonly string[] = []): RunSettings {
  const problems = [...already];
  const inputs = inputsOf(raw.input, problems);
  const settings = resolve(raw, [...chunkOptions, ...componentOptions, ...sinkOptions], problems, spelling);
  problems.push(...sameFiles(settings.input, spelling));
  const output = outputSettings(settings.input, problems, spelling);
  problems.push(...(settings.input.chunks === true ? uncutProblems : cutProblems)(settings.input, output, spelling));
  if (problems.length > 0) throw configError(problems);
  const { input: given, ...chunking } = settings;
  const { chunks = false, out, root, rejects, only, dryRun = false, summary } = given;
  const onError = given.onError ?? (rejects === undefined ? chunking.onError : 'skip');
  const described = {
    ...(chunks ? { chunks } : chunking.described),
    onError,
    ...output.described,
    ...(root === undefined ? {} : { root }),
    ...(only === undefined ? {} : { only }),
  };
  const access = inputSettings(given);
  return { ...chunking, onError, described, inputs, access, chunks, out, output, rejects, only, dryRun, summary };
}

/** What of the options that say how text is read and cut means something to chunks that are made already. */
const OF_CHUNKS: readonly string[] = ['format', 'source-name', 'on-error'];

/** What is wrong where inputs are lines of chunks. */
function uncutProblems(input: Named, _: OutputSettings, spelling: Spelling): string[] {
  const others = [...textOptions, ...componentOptions].map(({ name }) => name).filter((name) => !OF_CHUNKS.includes(name));
  const said = [...others, 'only'].filter((name) => asKey(name) in input);
  return [
    ...(input.format === 'jsonl' ? [] : [`${spelling('chunks')} reads lines of JSON: give ${spelling('format')} jsonl too`]),
    ...said.map((name) => `${spelling(name)} means nothing to ${spelling('chunks')}: they are cut already`),
  ];
}

/** What is wrong where inputs are to be cut. */
function cutProblems(_: Named, { sink: { name, store } }: OutputSettings, spelling: Spelling): string[] {
  if (store?.needs !== 'vector') return [];
  return [
    `${name} takes only chunks with an embedding, which text has not: make requests for embeddings with ${spelling('to')} openai-batch, ` +
      `or bring lines of chunks that have one with ${spelling('format')} jsonl ${spelling('chunks')}`,
  ];
}

/** What is written must not be written over by the same run. */
function sameFiles(input: Named, spelling: Spelling): string[] {
  const written = (['out', 'summary', 'rejects'] as const).filter((name) => input[name] !== undefined);
  return written.flatMap((name, at) =>
    written
      .slice(0, at)
      .filter((other) => input[other] === input[name])
      .map((other) => `${spelling(name)} and ${spelling(other)} name the same file`),
  );
}

function inputsOf(input: unknown, problems: string[]): string[] {
  const inputs: unknown[] =
    typeof input === 'string' ? [input] : Array.isArray(input) ? input : input === undefined ? [] : [input];
  const named = inputs.filter((each) => typeof each === 'string' && each !== '') as string[];
  if (named.length < inputs.length) problems.push('every input is the name of something, not an empty text or another value');
  if (inputs.length === 0)
    problems.push('no input: name a file, a directory, a pattern such as "docs/**/*.md", or - for standard input');
  if (named.filter((name) => name === '-').length > 1)
    problems.push('standard input (-) is named twice, but can be read only once');
  return named;
}

/** Options after checking: parts passed as values are gone. */
type Named = Omit<RunOptions, 'strategy' | 'tokenizer' | 'text' | 'meta'> & {
  readonly strategy?: string;
  readonly tokenizer?: string;
  readonly text?: readonly string[];
  readonly meta?: readonly string[];
};

function resolve(raw: RunOptions, specs: readonly OptionSpec[], problems: string[], spelling: Spelling) {
  // Parts passed as values need no registration; everything else is checked against its spec.
  const { input: _inputs, strategy, tokenizer, lengthFunction, onReject, ...plain } = raw;
  const own = strategyOf(strategy);
  const ownCounter = isCounter(tokenizer) ? tokenizer : counterOf(lengthFunction, raw, problems, spelling);
  const checkable = {
    ...plain,
    ...(own === undefined ? { strategy } : {}),
    ...(ownCounter === undefined ? { tokenizer } : {}),
  };
  const input = checkOptions(checkable, specs, problems, spelling) as Named;
  const spec = own === undefined ? strategies.find(({ name }) => name === (input.strategy ?? 'recursive')) : undefined;
  const {
    unit = spec?.units?.[0] ?? 'tokens',
    size = 512,
    whitespace,
    trim = false,
    strictEncoding = false,
    sourceName = '-',
    format = 'auto',
  } = input;
  problems.push(...strategyProblems(input, unit, spec, spelling));
  const overlap = spec?.overlap?.(input, size, problems, spelling) ?? input.overlap ?? Math.min(50, Math.floor(size / 10));
  const chosen = own ?? chosenStrategy(spec, { ...input, size, unit }, problems, spelling);
  const minSize = input.minSize ?? leastOf(chosen, spec, size);
  if (overlap >= size)
    problems.push(`${spelling('overlap')} must be smaller than ${spelling('size')}: ${overlap} is not below ${size}`);
  if (minSize > size)
    problems.push(`${spelling('min-size')} must not be larger than ${spelling('size')}: ${minSize} is above ${size}`);
  const maxChars = input.maxChars ?? Math.max(16_384, size * CHARS_PER_UNIT[unit]);
  const encoding = encodingOf(input.encoding ?? 'auto', problems, spelling);
  const counter = ownCounter ?? tokenizerOf(input.tokenizer, unit, problems, spelling);
  const records = recordSettings(input, problems, spelling);
  const misfitsOf = (used: readonly FormatSpec[]) => misfits(input, used, spelling);
  const named = formats.find(({ name }) => name === format);
  if (named !== undefined) problems.push(...misfitsOf([named]));
  if (onReject !== undefined && typeof onReject !== 'function') problems.push(`${spelling('on-reject')} takes a function`);
  const onError = input.onError ?? (onReject === undefined ? 'stop' : 'skip');
  const shared = { format, unit, size, overlap, minSize, maxChars, trim, encoding, strictEncoding, sourceName, onError };
  return {
    ...shared,
    ...{ whitespace, records, onReject, misfits: misfitsOf },
    strategy: chosen,
    tokenizer: counter,
    input,
    described: {
      ...shared,
      ...(whitespace === undefined ? {} : { whitespace }),
      ...chosenOfRecords(input),
      strategy: chosen.name,
      ...strategyDescription(input),
      tokenizer: (typeof counter === 'object' ? counter.name : counter) ?? 'none',
    },
  };
}

/** A length function as a counter. It stands in place of what else could say how text is measured. */
function counterOf(
  given: unknown,
  { unit, tokenizer }: RunOptions,
  problems: string[],
  spelling: Spelling,
): TokenCounter | undefined {
  if (given === undefined) return undefined;
  const name = spelling('lengthFunction');
  if (typeof given !== 'function') problems.push(`${name} is a function from a text to a number`);
  if (tokenizer !== undefined) problems.push(`${name} and ${spelling('tokenizer')} both say how text is counted: give one`);
  if (unit !== undefined && unit !== 'tokens')
    problems.push(`${name} measures in a unit of its own: leave out ${spelling('unit')}`);
  return { name: 'lengthFunction', count: given as (text: string) => number };
}

function isCounter(given: unknown): given is TokenCounter {
  return typeof given === 'object' && given !== null && 'count' in given && 'name' in given;
}

function encodingOf(label: string, problems: string[], spelling: Spelling): 'auto' | Charset {
  if (label === 'auto') return 'auto';
  const charset = charsetOf(label);
  if (charset !== undefined) return charset;
  const near = nearest(label, CHARSETS);
  problems.push(
    `${spelling('encoding')} ${JSON.stringify(label)} is not supported${near === undefined ? '' : `; did you mean ${near}?`} ` +
      `(known: auto, ${CHARSETS.slice(0, 3).join(', ')} and the one-byte encodings; convert others with iconv)`,
  );
  return 'auto';
}

/** What is wrong with the options for this strategy; without a spec it is one of the user's own. */
function strategyProblems(input: Named, unit: Unit, spec: StrategySpec | undefined, spelling: Spelling): string[] {
  const name = spec?.name ?? 'of your own';
  const own = new Set((spec?.options ?? []).map((option) => asKey(option.name)));
  const problems = strategyOptions
    .filter((option) => asKey(option.name) in input && !own.has(asKey(option.name)))
    .map((option) => `${spelling(option.name)} means nothing to the strategy ${name}`);
  if (spec?.units !== undefined && !spec.units.some((each) => each === unit))
    problems.push(`the strategy ${name} counts ${spec.units.join(' or ')}: it cannot have the ${spelling('unit')} ${unit}`);
  if (spec?.hasMinSize === false && (input.minSize ?? 0) > 0)
    problems.push(`${spelling('min-size')} means nothing to the strategy ${name}: its chunks are as large as the size says`);
  return problems;
}

function chosenStrategy(
  spec: StrategySpec | undefined,
  input: Named,
  problems: string[],
  spelling: Spelling,
): Strategy | LaterStrategy {
  if (spec !== undefined) return spec.create(input as Readonly<Record<string, unknown>>, problems, spelling);
  return moduleStrategy(input.strategy!);
}

/** The least size where none is given. A user's own boundaries are not passed over, nor are units that are to be chunks. */
function leastOf(strategy: Strategy | LaterStrategy, spec: StrategySpec | undefined, size: number): number {
  const isEach = 'packing' in strategy && strategy.packing === 'each' && strategy.targetSize === undefined;
  return spec === undefined || spec.hasMinSize === false || isEach ? 0 : Math.floor(size / 4);
}

function strategyDescription(input: Named): Record<string, unknown> {
  const given = input as Readonly<Record<string, unknown>>;
  const keys = strategyOptions.map((option) => asKey(option.name)).filter((key) => key in given);
  return Object.fromEntries(keys.map((key) => [key, given[key]]));
}

function tokenizerOf(name: string | undefined, unit: Unit, problems: string[], spelling: Spelling): string | undefined {
  if (name === undefined) return unit === 'tokens' ? 'o200k_base' : 'estimate';
  if (name === 'none') {
    if (unit === 'tokens')
      problems.push(`${spelling('tokenizer')} none leaves nothing to count: choose another ${spelling('unit')}`);
    return undefined;
  }
  const found = resolveTokenizer(name);
  if (found !== undefined) return found;
  const near = nearest(name, tokenizerNames());
  problems.push(
    `unknown ${spelling('tokenizer')} ${JSON.stringify(name)}${near === undefined ? '' : `; did you mean ${near}?`} ` +
      `(known: ${tokenizerNames().join(', ')}, none, and model names such as gpt-4o)`,
  );
  return undefined;
}
