/**
 * The commands: what each takes, its help page, and what it does. This is the one place where the command line meets the option
 * tables, the component tables and the entry points of the library; all of them are handed the real world here.
 */
import { chunkOptions, verifyOptions } from '../chunk-options.js';
import { collectionOption } from '../collections.js';
import { configError } from '../errors.js';
import { nodeWorld } from '../node.js';
import { asFlag, checkOptions } from '../options.js';
import { formats, sinks, strategies } from '../registry.js';
import type { JobOptions, RunHooks } from '../run.js';
import { runSettings } from '../settings.js';
import type { OptionSpec, Spec } from '../spec.js';
import { counters } from '../tokens/index.js';
import type { HelpPage } from './help.js';
import { type MeterOptions, type ProgressMeter, progressMeter } from './progress.js';
import { queryCommand } from './query-command.js';
import { summaryText } from './summary.js';
import { printable } from './text.js';

export interface Command {
  readonly name: string;
  /** Everything that can be given: what the page shows, the components' own options too. */
  readonly options: readonly OptionSpec[];
  readonly page: HelpPage;
  /**
   * Resolves with the exit code. Errors: IngestError of kind `config` with the problems of the call and all that are found
   * besides; and whatever the work throws.
   */
  perform(call: Call, signal: AbortSignal): Promise<number>;
}

/** A command line as it was read: its options are not checked yet. */
export interface Call {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

/** What only a command line has; the library never sees these. */
const GENERAL: readonly OptionSpec[] = [
  {
    name: 'progress',
    type: 'choice',
    group: 'run',
    choices: ['auto', 'always', 'never'],
    summary: 'show how far the work is, on stderr',
    defaultText: 'auto: on a terminal, after a second',
  },
  { name: 'quiet', short: 'q', type: 'flag', group: 'run', summary: 'no progress, no summary; errors are still told' },
  { name: 'help', short: 'h', type: 'flag', group: 'run', summary: 'show this help' },
  { name: 'version', short: 'V', type: 'flag', group: 'run', summary: 'show the version' },
];

const jobOptions: readonly OptionSpec[] = [...chunkOptions, collectionOption];

const chunk: Command = {
  name: 'chunk',
  options: merged([...jobOptions, ...ownOptions([...formats, ...strategies, ...sinks]), ...GENERAL]),
  page: {
    usages: ['<input>... [options]', 'verify <chunks file or directory> [options]'],
    summary:
      'Cuts a corpus of any size into chunks for retrieval: a line of JSON each, with the exact bytes it came from. An input is ' +
      'a file, a directory, a glob in quotes, or - for stdin. Chunks go to stdout or to --out, messages to stderr.',
    examples: [
      { command: 'millrace notes.txt > chunks.jsonl', says: 'chunks of up to 512 tokens' },
      { command: "millrace 'docs/**/*.md' --size 256 --overlap 32 -o chunks.jsonl", says: 'many files, smaller chunks' },
      {
        command: 'millrace posts.csv --text body --id-field id -o chunks.jsonl',
        says: 'a column is text, the others are metadata',
      },
      { command: 'millrace big.txt.gz --dry-run', says: 'how many chunks would there be, and how large?' },
    ],
    options: merged([...jobOptions, ...GENERAL]),
    components: [
      { title: 'Formats (--format)', specs: formats },
      { title: 'Strategies (--strategy)', specs: strategies },
      { title: 'Token counters (--tokenizer)', specs: counters },
      { title: 'Outputs (--to)', specs: sinks },
    ],
    notes: ["An input named like a command goes after 'millrace chunk'. See also 'millrace verify --help'."],
  },
  async perform({ positionals, options, problems }, signal) {
    const { own, others } = split(options);
    const found = [...problems];
    const watching = checkOptions(own, GENERAL, found, asFlag);
    const given = { ...others, ...(positionals.length > 0 ? { input: positionals } : {}) } as JobOptions;
    const { collection: _, ...plain } = given;
    if (given.config === undefined) runSettings(plain, asFlag, found);
    else checkOptions(others, chunk.options, found, asFlag); // what else is wrong depends on the configuration file
    if (found.length > 0) throw configError(found);
    const { run } = await import('../run.js');
    const { meter, hooks } = watched(watching, signal);
    const summary = await run(given, { ...hooks, spelling: asFlag }, nodeWorld).finally(meter.erase);
    if (watching.quiet !== true) say(summaryText(summary));
    return 0;
  },
};

const verify: Command = {
  name: 'verify',
  options: merged([...verifyOptions, ...GENERAL]),
  page: {
    usages: ['verify <chunks file or directory> [options]'],
    summary:
      'Reads the sources of a file of chunks again and proves every chunk: its text, its bytes, its tokens, its place. ' +
      'Names the first line that is wrong and exits with 1.',
    examples: [{ command: 'millrace verify chunks.jsonl', says: 'where the chunks were made; elsewhere with --root' }],
    options: merged([...verifyOptions, ...GENERAL]),
    components: [],
    notes: [],
  },
  async perform({ positionals, options, problems }, signal) {
    const { own, others } = split(options);
    const found = [...problems];
    const watching = checkOptions(own, GENERAL, found, asFlag);
    const given = checkOptions(others, verifyOptions, found, asFlag);
    if (positionals.length !== 1) found.push('name one file or directory of chunks to verify');
    if (found.length > 0) throw configError(found);
    const { verify: prove } = await import('../verify.js');
    const { meter, hooks } = watched(watching, signal);
    const verdict = await prove({ path: positionals[0]!, ...given }, hooks, nodeWorld).finally(meter.erase);
    if (verdict.fault !== undefined) say(`millrace: ${printable(verdict.fault)}\n`);
    else if (watching.quiet !== true) say(`${verdict.summary}\n`);
    return verdict.fault === undefined ? 0 : 1;
  },
};

/** The first is the one that is meant when none is named. */
export const commands: readonly [Command, ...Command[]] = [chunk, verify, queryCommand(GENERAL)];

function ownOptions(components: readonly Spec[]): OptionSpec[] {
  return components.flatMap((spec) => spec.options ?? []);
}

/** Several components may have the same option; it is then one. */
function merged(options: readonly OptionSpec[]): OptionSpec[] {
  return [...new Map(options.map((option) => [option.name, option])).values()];
}

/** Those of the command line itself, and those of the job. */
function split(options: Call['options']) {
  const { progress, quiet, help: _, version: __, ...others } = options;
  return { own: { progress, quiet }, others };
}

function say(text: string): void {
  nodeWorld.stderr.write(text);
}

/** A meter on stderr and the hooks that drive it. */
function watched(watching: Call['options'], signal: AbortSignal): { meter: ProgressMeter; hooks: RunHooks } {
  const asked = (watching.progress ?? 'auto') as MeterOptions['when'];
  const when = watching.quiet === true ? 'never' : asked;
  const meter = progressMeter({ output: nodeWorld.stderr, now: () => nodeWorld.now(), when });
  return { meter, hooks: { signal, onProgress: meter.update } };
}
