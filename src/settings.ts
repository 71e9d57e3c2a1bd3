/**
 * From what a user asked for to complete, trusted settings: the option table of the chunk job, defaults, and what options mean
 * together. Every problem is collected and reported at once, before anything is opened. Nothing later asks "was this given?".
 */
import { CHARSETS, charsetOf } from './decode.js';
import { configError } from './errors.js';
import { asKey, checkOptions, nearest, type Spelling } from './options.js';
import { formats, sinks, strategies, whitespaceModes } from './registry.js';
import type { OptionSpec } from './spec.js';
import { resolveTokenizer, tokenizerNames } from './tokens/index.js';
import type { Charset, Strategy, TokenCounter } from './types.js';

export const UNITS = ['tokens', 'characters', 'words', 'bytes'] as const;
export type Unit = (typeof UNITS)[number];

/** What a library user may pass; the command line has the same under `--kebab-case`. Units and ranges: see `chunkOptions`. */
export interface ChunkOptions {
  readonly format?: 'auto' | 'text';
  readonly encoding?: string;
  readonly strictEncoding?: boolean;
  readonly whitespace?: 'tidy' | 'collapse' | 'keep';
  readonly trim?: boolean;
  readonly strategy?: string | Strategy;
  readonly separators?: readonly string[] | string;
  readonly separatorsRegex?: boolean;
  readonly separatorPosition?: 'end' | 'start' | 'drop';
  readonly size?: number;
  readonly overlap?: number;
  readonly minSize?: number;
  readonly maxChars?: number;
  readonly unit?: Unit;
  /** The name of a counter or of a model, `none`, or a counter of your own. */
  readonly tokenizer?: string | TokenCounter;
  readonly sourceName?: string;
}

export interface RunOptions extends ChunkOptions {
  readonly input?: string | readonly string[];
  readonly out?: string;
  readonly to?: string;
  readonly root?: string;
  readonly bufferBytes?: number;
  readonly dryRun?: boolean;
  readonly summary?: string;
  readonly config?: string;
}

export interface ChunkSettings {
  readonly encoding: 'auto' | Charset;
  readonly strictEncoding: boolean;
  readonly whitespace: 'tidy' | 'collapse' | 'keep';
  readonly trim: boolean;
  readonly strategy: Strategy;
  readonly size: number;
  readonly overlap: number;
  readonly minSize: number;
  readonly maxChars: number;
  readonly unit: Unit;
  /** What `tokens` counts with: a counter, the name of one, or nothing. */
  readonly tokenizer: TokenCounter | string | undefined;
  readonly sourceName: string;
  /** The settings as a reader of the manifest wants them: plain values, defaults filled in. */
  readonly described: Readonly<Record<string, unknown>>;
}

export interface RunSettings extends ChunkSettings {
  readonly inputs: readonly string[];
  readonly out: string | undefined;
  readonly to: string;
  readonly root: string | undefined;
  readonly bufferBytes: number;
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
    defaultText: 'auto: plain text',
  },
  {
    name: 'source-name',
    type: 'string',
    group: 'input',
    value: 'NAME',
    summary: 'what chunks call standard input',
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
  {
    name: 'whitespace',
    type: 'choice',
    group: 'text',
    choices: whitespaceModes,
    summary: 'make white space uniform; collapse: also runs of blanks; keep: leave all as it is',
    defaultText: 'tidy',
  },
  { name: 'trim', type: 'flag', group: 'text', summary: 'leave out white space at the edges of chunks' },
  {
    name: 'strategy',
    type: 'choice',
    group: 'chunking',
    choices: strategies.map((strategy) => strategy.name),
    summary: 'where text is cut',
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
];

const runOptions: readonly OptionSpec[] = [
  {
    name: 'root',
    type: 'string',
    group: 'input',
    value: 'DIR',
    summary: 'name files relative to DIR, so that output does not depend on where one stands',
  },
  {
    name: 'buffer-bytes',
    type: 'integer',
    group: 'input',
    value: 'N',
    min: 1,
    max: 64 * 2 ** 20,
    summary: 'bytes read at once; never changes the output',
    defaultText: '1048576',
  },
  {
    name: 'out',
    short: 'o',
    type: 'string',
    group: 'output',
    value: 'PATH',
    summary: 'write to this file',
    defaultText: 'standard output',
  },
  {
    name: 'to',
    type: 'choice',
    group: 'output',
    choices: sinks.map((sink) => sink.name),
    summary: 'form of the output',
    defaultText: 'jsonl',
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

/** All options of the chunk job but those of single strategies. */
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
];

const strategyOptions: readonly OptionSpec[] = strategies.flatMap((strategy) => strategy.options ?? []);

/** @throws IngestError kind config, naming all problems */
export function chunkSettings(raw: ChunkOptions, spelling: Spelling = asKey): ChunkSettings {
  const problems: string[] = [];
  const { input: _given, ...settings } = resolve(raw, [...textOptions, ...strategyOptions], problems, spelling);
  if (problems.length > 0) throw configError(problems);
  return settings;
}

/** @throws IngestError kind config, naming all problems; `already`: those found before, as by the reader of a command line */
export function runSettings(raw: RunOptions, spelling: Spelling = asKey, already: readonly string[] = []): RunSettings {
  const problems = [...already];
  const inputs = inputsOf(raw.input, problems);
  const settings = resolve(raw, [...chunkOptions, ...strategyOptions], problems, spelling);
  const both = settings.input.summary;
  if (both !== undefined && both === settings.input.out)
    problems.push(`${spelling('summary')} and ${spelling('out')} name the same file`);
  if (problems.length > 0) throw configError(problems);
  const { input: given, ...chunking } = settings;
  const { out, to = 'jsonl', root, bufferBytes = 2 ** 20, dryRun = false, summary } = given;
  const described = root === undefined ? chunking.described : { ...chunking.described, root };
  return { ...chunking, described, inputs, out, to, root, bufferBytes, dryRun, summary };
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
type Named = Omit<RunOptions, 'strategy' | 'tokenizer'> & { readonly strategy?: string; readonly tokenizer?: string };

function resolve(raw: RunOptions, specs: readonly OptionSpec[], problems: string[], spelling: Spelling) {
  // Parts passed as values need no registration; everything else is checked against its spec.
  const { input: _inputs, strategy, tokenizer, ...plain } = raw;
  const named = {
    ...plain,
    ...(isStrategy(strategy) ? {} : { strategy }),
    ...(isCounter(tokenizer) ? {} : { tokenizer }),
  };
  const input = checkOptions(named, specs, problems, spelling) as Named;
  const { unit = 'tokens', size = 512, whitespace = 'tidy', trim = false, strictEncoding = false, sourceName = '-' } = input;
  const overlap = input.overlap ?? Math.min(50, Math.floor(size / 10));
  const minSize = input.minSize ?? Math.floor(size / 4);
  if (overlap >= size)
    problems.push(`${spelling('overlap')} must be smaller than ${spelling('size')}: ${overlap} is not below ${size}`);
  if (minSize > size)
    problems.push(`${spelling('min-size')} must not be larger than ${spelling('size')}: ${minSize} is above ${size}`);
  const maxChars = input.maxChars ?? Math.max(16_384, size * CHARS_PER_UNIT[unit]);
  const encoding = encodingOf(input.encoding ?? 'auto', problems, spelling);
  const chosen = isStrategy(strategy) ? strategy : strategyOf(input.strategy ?? 'recursive', input, problems, spelling);
  const counter = isCounter(tokenizer) ? tokenizer : tokenizerOf(input.tokenizer, unit, problems, spelling);
  const shared = { unit, size, overlap, minSize, maxChars, whitespace, trim, encoding, strictEncoding, sourceName };
  return {
    ...shared,
    strategy: chosen,
    tokenizer: counter,
    input,
    described: {
      format: input.format ?? 'auto',
      ...shared,
      strategy: chosen.name,
      ...strategyDescription(input),
      tokenizer: (typeof counter === 'object' ? counter.name : counter) ?? 'none',
    },
  };
}

/** Anything else that is no name is a mistake, and told as one. */
function isStrategy(given: unknown): given is Strategy {
  return typeof given === 'object' && given !== null && 'levels' in given && 'name' in given;
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

function strategyOf(name: string, input: Named, problems: string[], spelling: Spelling): Strategy {
  const found = strategies.find((strategy) => strategy.name === name) ?? strategies[0]!;
  const own = new Set((found.options ?? []).map((option) => asKey(option.name)));
  for (const option of strategyOptions) {
    const key = asKey(option.name);
    if (key in input && !own.has(key)) problems.push(`${spelling(option.name)} means nothing to the strategy ${name}`);
  }
  return found.create(input as Readonly<Record<string, unknown>>, problems, spelling);
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
