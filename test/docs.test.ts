/**
 * The tables of the README are written from the specs that the program checks against, so they cannot differ from it.
 * UPDATE_DOCS=1 rewrites them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formats, sinks, strategies } from '../src/registry.js';
import { chunkOptions, verifyOptions } from '../src/settings.js';
import type { OptionSpec, Spec } from '../src/spec.js';
import { counters } from '../src/tokens/index.js';

const README = new URL('../README.md', import.meta.url);
const BEGIN = /<!-- options: [^>]*-->\n/;
const END = '<!-- /options -->';

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
    optionTable('`millrace`', chunkOptions),
    componentTable('`--format`', formats),
    ...ownOptionTables('format', formats),
    componentTable('`--strategy`', strategies),
    ...ownOptionTables('strategy', strategies),
    componentTable('`--tokenizer`', counters),
    componentTable('`--to`', sinks),
    optionTable('`millrace verify`', verifyOptions),
  ].join('\n\n');
}

describe('README', () => {
  test('shows the options and components there are', () => {
    const text = readFileSync(README, 'utf8');
    const begin = BEGIN.exec(text);
    expect(begin, 'the README must hold the comment that begins the option tables').not.toBeNull();
    const from = begin!.index + begin![0].length;
    const wanted = `${text.slice(0, from)}\n${tables()}\n\n${text.slice(text.indexOf(END, from))}`;
    if (process.env.UPDATE_DOCS === '1') writeFileSync(README, wanted);
    else expect(text, 'run UPDATE_DOCS=1 npx vitest run test/docs.test.ts').toBe(wanted);
  });
});
