/**
 * From what a user asked for to complete, trusted settings: defaults, and what options mean together. Every problem is collected and reported at once, before anything is opened. Nothing later asks "was this given?".
 */
import {
  type ChunkOptions,
  chunkOptions,
  componentOptions,
  type RunOptions,
  strategyOptions,
  textOptions,
  type Unit,
} from './chunk-options.js';
import { CHARSETS, charsetOf } from './decode.js';
import { configError } from './errors.js';
import { type InputSettings, inputSettings } from './input-settings.js';
import { asKey, checkOptions, nearest, type Spelling } from './options.js';
import { type OutputSettings, outputSettings, sinkOptions } from './output-settings.js';
import { chosen as chosenOfRecords, misfits, type RecordSettings, recordSettings } from './record-settings.js';
import {
  type FormatSpec,
  formats,
  moduleStrategy,
  type StrategySpec,
  strategies,
  strategyOf,
  type WhitespaceMode,
} from './registry.js';
import type { LaterStrategy, OptionSpec } from './spec.js';
import { resolveTokenizer, tokenizerNames } from './tokens/index.js';
import type { Charset, Report, Strategy, TokenCounter } from './types.js';

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

/** UTF-16 units that a unit of size may take before `maxChars` ends the chunk. A character takes two at most, a byte one. */
const CHARS_PER_UNIT: Readonly<Record<Unit, number>> = { tokens: 32, words: 64, characters: 2, bytes: 1 };

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
