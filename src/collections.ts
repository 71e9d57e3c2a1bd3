/**
 * A configuration with collections: several runs under names, each with inputs, a strategy, sizes and an output of its own. This
 * makes the settings of each, from the defaults that stand beside them and what the caller says, and tells all that is wrong
 * with them, alone and together, before anything is opened. Running them is src/run.ts's affair.
 */
import { resolve } from 'node:path';
import { chunkOptions, type RunOptions } from './chunk-options.js';
import { configError, IngestError } from './errors.js';
import type { Summary } from './job.js';
import { manifestPath } from './manifest.js';
import { asKey, checkOptions, nearest, type Spelling } from './options.js';
import { type RunSettings, runSettings } from './settings.js';
import type { OptionSpec } from './spec.js';

/** The options of one run, or those of several with what they have in common. */
export interface JobOptions extends RunOptions {
  /** Runs under names; the options beside them are defaults of each, but for `summary`, which is that of all together. */
  readonly collections?: Readonly<Record<string, RunOptions>>;
  /** The names of those that are to run; absent: all. */
  readonly collection?: string | readonly string[];
}

export const collectionOption: OptionSpec = {
  name: 'collection',
  type: 'list',
  group: 'run',
  value: 'NAME',
  summary: 'run only this one of the collections that the configuration names (repeat it)',
  defaultText: 'all of them',
};

export interface Collection {
  readonly name: string;
  readonly settings: RunSettings;
}

export interface Collections {
  /** Those that are to run, in the order of the configuration. */
  readonly chosen: readonly Collection[];
  /** All files that any collection writes, chosen or not: they are no input of any other, whichever runs first. */
  readonly written: readonly string[];
  /** Where the summary of all goes. */
  readonly summary: string | undefined;
}

/** The options of one collection under its name: the defaults with its own over them. */
type Named = readonly [name: string, options: RunOptions];

/**
 * `configuration` holds the collections and their defaults; `caller` wins over both.
 * @throws IngestError kind config, naming all problems, each with its collection
 */
export function collectionsOf(configuration: JobOptions, caller: JobOptions, spelling: Spelling = asKey): Collections {
  const all: string[] = [];
  const problems = new Problems();
  const { summary } = checkOptions({ summary: caller.summary ?? configuration.summary }, chunkOptions, all, spelling);
  const named = namedOptions(configuration, all);
  const names = chosenNames(caller.collection ?? configuration.collection, named, all);
  all.push(...callerProblems(caller, names, spelling));
  const over = saidOfEach(caller, names);
  const whole = named.map(([name, options]): Named => [name, names.has(name) ? { ...options, ...over } : options]);
  const chosen = whole
    .filter(([name]) => names.has(name))
    .flatMap((each) => problems.unless(each[0], () => settingsOf(each, spelling)) ?? []);
  all.push(...problems.told, ...sharedInput(chosen), ...sharedFiles(whole, summary as string | undefined));
  if (all.length > 0) throw configError(all);
  const written = whole.flatMap(([, options]) => filesOf(options));
  return { chosen, written, summary: summary as string | undefined };
}

/** What is wrong with collections. A problem that several have is told once, with all their names. */
export class Problems {
  readonly #names = new Map<string, string[]>();

  get told(): string[] {
    return [...this.#names].map(([problem, names]) => `${called(names)}: ${problem}`);
  }

  /** What the work gives, unless it finds something wrong with the options. */
  unless<T>(name: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.take(name, error);
      return undefined;
    }
  }

  /** @throws the error where it is not about options */
  take(name: string, error: unknown): void {
    if (!(error instanceof IngestError) || error.kind !== 'config') throw inCollection(error, name, []);
    for (const problem of error.message.split('\n')) this.#names.set(problem, [...(this.#names.get(problem) ?? []), name]);
  }
}

/** The same error, which now says in which collection it was, and which were complete by then. */
export function inCollection(error: unknown, name: string, complete: readonly string[]): unknown {
  const others = complete.length === 0 ? '' : ` (${called(complete)} ${complete.length === 1 ? 'is' : 'are'} complete)`;
  if (error instanceof IngestError) error.message = `${called([name])}: ${error.message}${others}`;
  return error;
}

/** The numbers of all together. Tokens that were counted by different counters do not add up: they are left out. */
export function totalOf(collections: Readonly<Record<string, Summary>>): Omit<Summary, 'seconds' | 'peakMemory'> {
  const all = Object.values(collections);
  const sum = (numberOf: (summary: Summary) => number) => all.reduce((total, each) => total + numberOf(each), 0);
  const [counter, ...otherCounters] = new Set(all.map(({ tokenizer }) => tokenizer));
  const tokens = sum(({ tokens = 0 }) => tokens);
  return {
    chunks: sum(({ chunks }) => chunks),
    documents: sum(({ documents }) => documents),
    sources: sum(({ sources }) => sources),
    bytes: sum(({ bytes }) => bytes),
    rejected: sum(({ rejected }) => rejected),
    reasons: summed(all.map(({ reasons }) => reasons)),
    invalid: sum(({ invalid }) => invalid),
    dropped: summed(all.map(({ dropped }) => dropped)),
    ...(counter === undefined || otherCounters.length > 0 ? {} : { tokens, tokenizer: counter }),
    unit: [...new Set(all.map(({ unit }) => unit))].join(', '),
    files: all.flatMap(({ files }) => files),
    ...reported(all),
    collections,
  };
}

/** Of metadata, keys of the same name together. */
function reported(all: readonly Summary[]): Pick<Summary, 'metadata' | 'notices'> {
  if (all.every(({ metadata }) => metadata === undefined)) return {};
  const keys = new Map<string, Readonly<Record<string, number>>>();
  for (const [key, deeds] of all.flatMap(({ metadata = {} }) => Object.entries(metadata)))
    keys.set(key, summed([keys.get(key) ?? {}, deeds]));
  return { metadata: Object.fromEntries(keys), notices: all.flatMap(({ notices = [] }) => notices) };
}

function summed(counts: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [reason, count] of counts.flatMap((each) => Object.entries(each))) sums.set(reason, (sums.get(reason) ?? 0) + count);
  return Object.fromEntries(sums);
}

function namedOptions(configuration: JobOptions, problems: string[]): Named[] {
  const { collections, config: _, collection: __, summary: ___, ...defaults } = configuration;
  if (!isObject(collections) || Object.keys(collections).length === 0) {
    problems.push(
      'collections must be an object with options for each name, such as {"manuals": {"input": "docs", "out": "a.jsonl"}}',
    );
    return [];
  }
  return Object.entries(collections).flatMap(([name, own]): Named[] => {
    if (isObject(own)) return [[name, { ...defaults, ...own }]];
    problems.push(`${called([name])} must be an object of options, such as {"input": "docs", "out": "a.jsonl"}`);
    return [];
  });
}

/** The names of those that are to run. */
function chosenNames(asked: unknown, named: readonly Named[], problems: string[]): ReadonlySet<string> {
  const known = named.map(([name]) => name);
  if (asked === undefined) return new Set(known);
  const wanted: unknown[] = Array.isArray(asked) ? asked : [asked];
  for (const name of wanted.filter((each) => !known.includes(each as string))) {
    const near = typeof name === 'string' ? nearest(name, known) : undefined;
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    problems.push(`there is no collection ${JSON.stringify(name)}${hint} (there are: ${known.join(', ')})`);
  }
  return new Set(known.filter((name) => wanted.includes(name)));
}

/** What the caller says of each that is to run. */
function saidOfEach(caller: JobOptions, { size }: ReadonlySet<string>): RunOptions {
  const others = ['config', 'collection', 'summary', 'input', ...(size === 1 ? [] : OF_ONE)];
  return Object.fromEntries(Object.entries(caller).filter(([key, value]) => value !== undefined && !others.includes(key)));
}

/** What a caller can say of one collection only. */
const OF_ONE = ['out', 'rejects'] as const;

/** What a caller cannot say of those that are to run. */
function callerProblems({ input, ...caller }: RunOptions, { size }: ReadonlySet<string>, spelling: Spelling): string[] {
  const shared = OF_ONE.filter((name) => caller[name] !== undefined && size > 1);
  return [
    ...(input === undefined
      ? []
      : [
          `collections have inputs of their own: leave out ${[input].flat().join(' ')} (to run only some, use ${spelling('collection')} NAME)`,
        ]),
    ...shared.map(
      (name) =>
        `${spelling(name)} names one file, but ${size} collections run: say it in each collection, or choose one with ${spelling('collection')} NAME`,
    ),
  ];
}

/** @throws IngestError kind config */
function settingsOf([name, options]: Named, spelling: Spelling): Collection {
  const problems = options.config === undefined ? [] : ['it cannot take its options from another file'];
  // Standard output could hold one collection only, and has no manifest.
  if (options.out === undefined || options.out === '' || options.out === '-')
    problems.push(`it has no ${spelling('out')}: each collection goes to a file of its own`);
  const settings = runSettings(options, spelling, problems);
  return { name, settings: { ...settings, described: { collection: name, ...settings.described } } };
}

function sharedInput(chosen: readonly Collection[]): string[] {
  const readers = chosen.filter(({ settings }) => settings.inputs.includes('-')).map(({ name }) => name);
  return readers.length < 2 ? [] : [`${called(readers)} read standard input, which can be read only once`];
}

/** What one collection writes must not be written over by another. Within one, that is for its settings to see. */
function sharedFiles(named: readonly Named[], summary: string | undefined): string[] {
  const owners = new Map<string, string>(summary === undefined ? [] : [[resolve(summary), 'the summary of all']]);
  const shared = new Map<string, string[]>();
  for (const [name, options] of named) {
    for (const path of filesOf(options)) {
      const owner = owners.get(resolve(path)) ?? called([name]);
      owners.set(resolve(path), owner);
      const both = `${owner} and ${called([name])}`;
      if (owner !== called([name])) shared.set(both, [...(shared.get(both) ?? []), path]);
    }
  }
  return [...shared].map(([both, paths]) => `${both} would both be written to ${paths.join(' and ')}`);
}

function filesOf({ out, rejects, summary }: RunOptions): string[] {
  const manifest = typeof out === 'string' ? manifestPath(out) : undefined;
  return [out, manifest, rejects, summary].filter((path): path is string => typeof path === 'string' && path !== '');
}

function called(names: readonly string[]): string {
  return `collection${names.length === 1 ? '' : 's'} ${names.map((name) => JSON.stringify(name)).join(', ')}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
