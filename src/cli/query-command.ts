/**
 * `millrace query`: what it takes, its help page, and how matches are shown: a line or two each for people, JSON lines for programs
 * and wherever stdout is no terminal. The options that all commands have, and the world, are handed in by commands.ts.
 */
import { configError } from '../errors.js';
import { nodeWorld } from '../node.js';
import { asFlag, checkOptions } from '../options.js';
import { type QueryOptions, type QueryResult, queryOptions } from '../query.js';
import type { RankOptions } from '../rank.js';
import type { OptionSpec } from '../spec.js';
import type { World } from '../world.js';
import type { Call, Command } from './commands.js';
import { type MeterOptions, progressMeter } from './progress.js';
import { printable } from './text.js';

const JSON_OPTION: OptionSpec = {
  name: 'json',
  type: 'flag',
  group: 'output',
  summary: 'a line of JSON for each match, on a terminal too',
};

type Match = QueryResult['matches'][number];

export function queryCommand(general: readonly OptionSpec[], world: World = nodeWorld): Command {
  const own = [...queryOptions, JSON_OPTION];
  const options = [...own, ...general];
  return {
    name: 'query',
    options,
    page: {
      usages: ['query <chunks file> "question" [options]'],
      summary:
        'Ranks the chunks of a file by the words they share with a question (TF-IDF, cosine), the best first. On a terminal: rank, ' +
        'score, source, bytes and how the text begins; otherwise JSON lines.',
      examples: [
        { command: 'millrace query chunks.jsonl "how does a mill race work?"', says: 'the ten best' },
        { command: 'millrace query chunks.jsonl "weir" --top 3 --min-score 0.1 --json', says: 'three at most, with their texts' },
      ],
      options,
      components: [],
      notes: [],
    },
    perform: (call, signal) => perform(call, signal, { own, general }, world),
  };
}

interface OptionTables {
  readonly own: readonly OptionSpec[];
  readonly general: readonly OptionSpec[];
}

async function perform(call: Call, signal: AbortSignal, { own, general }: OptionTables, world: World): Promise<number> {
  const { json, progress, quiet, given } = checked(call, own, general);
  const { query } = await import('../query.js');
  const when = quiet ? 'never' : progress;
  const meter = progressMeter({ output: world.stderr, now: () => world.now(), when });
  const result = await query(given, { signal, onProgress: meter.update }, world).finally(meter.erase);
  const shown = json || world.stdout.isTTY !== true ? jsonLine : readable;
  result.matches.forEach((match, place) => void world.stdout.write(shown(match, place)));
  if (!quiet) for (const note of notesOn(result)) world.stderr.write(`millrace: ${note}\n`);
  return 0;
}

interface Asked {
  readonly given: QueryOptions;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly progress: MeterOptions['when'];
}

/** @throws IngestError kind config, with all problems */
function checked({ positionals, options, problems }: Call, own: readonly OptionSpec[], general: readonly OptionSpec[]): Asked {
  const found = [...problems];
  const { json, progress, quiet, ...ranking } = checkOptions(options, [...own, ...general], found, asFlag);
  const [path, query] = positionals;
  if (path === undefined || query === undefined || positionals.length > 2)
    found.push('name one file of chunks, then the question in quotes');
  else if (path === '-') found.push('the file is read more than once, so it cannot be stdin: name a file');
  if (found.length > 0) throw configError(found);
  return {
    given: { path: path!, query: query!, ...(ranking as RankOptions) },
    json: json === true,
    quiet: quiet === true,
    progress: (progress ?? 'auto') as MeterOptions['when'],
  };
}

function jsonLine({ score, chunk: { id, source, start, end, text } }: Match): string {
  return `${JSON.stringify({ score, id, source, start, end, text })}\n`;
}

const SHOWN_CHARACTERS = 80;

function readable({ score, chunk: { source, start, end, text } }: Match, place: number): string {
  const tidy = text
    .slice(0, 4 * SHOWN_CHARACTERS)
    .replace(/\s+/gu, ' ')
    .trim();
  const begins = [...tidy].slice(0, SHOWN_CHARACTERS).join('');
  return `${place + 1}. ${score.toFixed(4)}  ${printable(source)}  bytes ${start}-${end}\n   ${printable(begins)}\n`;
}

function* notesOn({ matches, chunks, exact }: QueryResult): Generator<string> {
  if (chunks === 0) yield 'the file has no chunks';
  else if (matches.every(({ score }) => score === 0)) yield 'no chunk shares a word with the question';
  if (!exact)
    yield 'the file has too many different words for exact scores: these are at most too low, and others may come as near';
}
