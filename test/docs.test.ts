/**
 * The tables of the README are written from the specs that the program checks against, and its gallery by chunking a sample, so
 * they cannot differ from it. UPDATE_DOCS=1 rewrites them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { factsOf } from '../sinks/store-facts.js';
import { chunkOptions, verifyOptions } from '../src/chunk-options.js';
import { parseArgv } from '../src/cli/argv.js';
import { commands } from '../src/cli/commands.js';
import { collectionOption } from '../src/collections.js';
import { type ChunkOptions, chunks } from '../src/index.js';
import { formats, sinks, strategies } from '../src/registry.js';
import type { OptionSpec, Spec } from '../src/spec.js';
import { counters } from '../src/tokens/index.js';

const README = new URL('../README.md', import.meta.url);

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function optionRow({ name, short, type, value, choices, summary, defaultText }: OptionSpec): string {
  const takes = type === 'flag' ? '' : ` ${choices?.join('|') ?? value ?? ''}`;
  const spelt = `${short === undefined ? '' : `-${short}, `}--${name}${takes}`;
  return `| \`${spelt.replaceAll('|', '\\|')}\` | ${cell(summary)}${type === 'list' ? ' (repeatable)' : ''} | ${cell(defaultText ?? '')} |`;
}

function optionTable(title: string, options: readonly OptionSpec[]): string {
  return [`| ${title} | | default |`, '|---|---|---|', ...options.map(optionRow)].join('\n');
}

function componentTable(title: string, specs: readonly Spec[]): string {
  return [`| ${title} | |`, '|---|---|', ...specs.map(({ name, summary }) => `| \`${name}\` | ${cell(summary)} |`)].join('\n');
}

/** One for each list of options; components that share one stand in its title together. */
function ownOptionTables(kind: string, specs: readonly Spec[]): string[] {
  const lists = [...new Set(specs.map(({ options = [] }) => options))].filter((options) => options.length > 0);
  return lists.map((options) => {
    const names = specs.filter((spec) => spec.options === options).map(({ name }) => `\`${name}\``);
    return optionTable(`of the ${kind} ${names.join(', ')}`, options);
  });
}

function tables(): string {
  return [
    optionTable('`millrace`', [...chunkOptions, collectionOption]),
    componentTable('`--format`', formats),
    ...ownOptionTables('format', formats),
    componentTable('`--strategy`', strategies),
    ...ownOptionTables('strategy', strategies),
    componentTable('`--tokenizer`', counters),
    componentTable('`--to`', sinks),
    ...ownOptionTables('output', sinks),
    optionTable('`millrace verify`', verifyOptions),
  ].join('\n\n');
}

/** What each store takes. */
function stores(): string {
  const rows = sinks.flatMap(({ name, store }) => {
    if (store === undefined) return [];
    const { needs, files, compress, ids, metadata } = factsOf(store);
    return [`| \`${name}\` | ${[needs, files, compress, ids, metadata].map(cell).join(' | ')} |`];
  });
  return ['| `--to` | needs | files | compressed | ids | metadata |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

/** How the gallery calls each strategy: small, so that a short text shows what it does. */
const GALLERY: Readonly<Record<string, readonly string[]>> = {
  recursive: ['--unit characters --size 90'],
  character: ['--unit characters --size 90', '--unit characters --size 90 --merge'],
  regex: ["--patterns '[.!] ' --unit characters --size 90"],
  sentence: ['--unit characters --size 90'],
  paragraph: ['--unit characters --size 90', '--unit characters --size 90 --oversize keep'],
  section: ['--unit characters --size 200'],
  topic: ['--unit characters --size 200'],
  words: ['--size 12'],
  token: ['--size 16'],
  sliding: ['--unit words --size 16 --step 12', '--unit words --size 16 --step 12 --tail backfill'],
};

/** A call's options as the library takes them. */
function optionsOf(strategy: string, call: string): ChunkOptions {
  const argv = [...call.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  const problems: string[] = [];
  const { options } = parseArgv(argv, commands[0].options, problems);
  expect(problems).toEqual([]);
  return { overlap: 0, ...options, strategy };
}

async function gallery(): Promise<string> {
  const text = readFileSync(new URL('../samples/strategies/gallery.txt', import.meta.url), 'utf8');
  const rows: string[] = [];
  for (const { name } of strategies) {
    expect(GALLERY, `the gallery must show ${name}`).toHaveProperty(name);
    for (const call of GALLERY[name]!) {
      const cut: string[] = [];
      const { step } = optionsOf(name, call) as { step?: number };
      const { overlap, ...others } = optionsOf(name, call);
      for await (const chunk of chunks(text, step === undefined ? { overlap: overlap!, ...others } : others))
        cut.push(chunk.text.replaceAll('\n', '⏎'));
      rows.push(`| \`${name} ${call}\` | ${cut.map((each) => `\`${each}\``).join(' ┃ ')} |`.replaceAll('`` ', '` '));
    }
  }
  return ['| strategy | ⏎ is a line end, ┃ a cut |', '|---|---|', ...rows].join('\n');
}

/** The README with what stands between these comments written anew. */
function written(text: string, name: string, content: string): string {
  const begin = new RegExp(`<!-- ${name}: [^>]*-->\\n`).exec(text);
  expect(begin, `the README must hold the comment that begins its ${name}`).not.toBeNull();
  const from = begin!.index + begin![0].length;
  return `${text.slice(0, from)}\n${content}\n\n${text.slice(text.indexOf(`<!-- /${name} -->`, from))}`;
}

describe('README', () => {
  test.each([
    ['options', async () => tables()],
    ['gallery', gallery],
    ['stores', async () => stores()],
  ])('shows the %s there are', async (name, made) => {
    const text = readFileSync(README, 'utf8');
    const wanted = written(text, name, await made());
    if (process.env.UPDATE_DOCS === '1') writeFileSync(README, wanted);
    else expect(text, 'run UPDATE_DOCS=1 npx vitest run test/docs.test.ts').toBe(wanted);
  });
});
