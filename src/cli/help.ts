/**
 * The help text, made from the specs that are given: an option or a component that has a spec is in the help. What there is
 * comes from src/cli/commands.ts; this file only knows how it is laid out, in at most 100 columns.
 */
import type { OptionGroup, OptionSpec, Spec } from '../spec.js';
import { columnsOf, wrapped } from './text.js';

export interface HelpPage {
  /** Without `millrace`: one usage a line. */
  readonly usages: readonly string[];
  /** What the command does, in a sentence or two. */
  readonly summary: string;
  readonly examples: readonly Example[];
  readonly options: readonly OptionSpec[];
  /** Things to choose by name, such as the strategies, with the options of their own. */
  readonly components: readonly ComponentTable[];
  /** Paragraphs at the end, such as where to read on. */
  readonly notes: readonly string[];
}

export interface Example {
  readonly command: string;
  readonly says: string;
}

export interface ComponentTable {
  /** `Strategies (--strategy)`. */
  readonly title: string;
  readonly specs: readonly Spec[];
}

const COLUMNS = 100;
/** Where descriptions begin. A longer left side gets a line of its own. */
const MARGIN = 28;

const GROUPS: Readonly<Record<OptionGroup, string>> = {
  input: 'Input',
  records: 'Records',
  text: 'Text',
  chunking: 'Chunking',
  output: 'Output',
  run: 'Run',
};

const EXIT_CODE_ROWS: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done'],
  ['1', 'verify found a fault'],
  ['2', 'a wrong option or setting'],
  ['3', 'an input could not be read'],
  ['4', 'stopped at a faulty record'],
  ['5', 'the output could not be written'],
  ['70', 'a bug in millrace'],
  ['130', 'interrupted (143: terminated)'],
];

/** Ends with a line feed. */
export function helpText(page: HelpPage): string {
  const [first = '', ...others] = page.usages;
  return sections([
    [`Usage: millrace ${first}`, ...others.map((usage) => `       millrace ${usage}`)],
    wrapped(page.summary, COLUMNS),
    ['Examples:', ...page.examples.flatMap(exampleLines)],
    ...groupSections(page.options),
    ...page.components.filter(({ specs }) => specs.length > 0).map(componentSection),
    ['Exit codes:', ...EXIT_CODE_ROWS.flatMap(([code, meaning]) => row(`  ${code}`, meaning, 7))],
    ...page.notes.map((note) => wrapped(note, COLUMNS)),
  ]);
}

const sections = (all: readonly (readonly string[])[]): string => `${all.map((lines) => lines.join('\n')).join('\n\n')}\n`;

const exampleLines = ({ command, says }: Example): string[] => [
  `  ${command}`,
  ...wrapped(says, COLUMNS - 6).map((line) => `      ${line}`),
];

function groupSections(options: readonly OptionSpec[]): string[][] {
  return (Object.keys(GROUPS) as OptionGroup[])
    .map((group) => ({ group, members: options.filter((option) => option.group === group) }))
    .filter(({ members }) => members.length > 0)
    .map(({ group, members }) => [`${GROUPS[group]}:`, ...members.flatMap((option) => optionRow(option, '  '))]);
}

/** An option that several of them share is shown with the first. */
function componentSection({ title, specs }: ComponentTable): string[] {
  const shown = new Set<OptionSpec>();
  const ownOptions = ({ options = [] }: Spec): string[] =>
    options.flatMap((option) => {
      if (shown.has(option)) return [];
      shown.add(option);
      return optionRow(option, '    ');
    });
  const told = (spec: Spec) => [spec.summary, ...(spec.facts ?? [])].join('; ');
  return [`${title}:`, ...specs.flatMap((spec) => [...row(`  ${spec.name}`, told(spec)), ...ownOptions(spec)])];
}

function optionRow(option: OptionSpec, indent: string): string[] {
  const short = option.short === undefined ? '' : `-${option.short}, `;
  const placeholder = placeholderOf(option);
  const value = placeholder === '' ? '' : ` ${placeholder}`;
  return row(`${indent}${short}--${option.name}${value}`, description(option));
}

const SHORT_CHOICES = 36;

function placeholderOf({ type, value, choices }: OptionSpec): string {
  if (type === 'flag') return '';
  if (value !== undefined) return value;
  if (type === 'integer' || type === 'number') return 'N';
  const all = choices?.join('|') ?? '';
  return all !== '' && all.length <= SHORT_CHOICES ? all : 'NAME';
}

/** The summary, then what the spec knows besides: the choices that found no room at the left, repeatable, the default. */
function description(option: OptionSpec): string {
  const inPlace = option.choices !== undefined && placeholderOf(option) === option.choices.join('|');
  const extra = [
    option.choices !== undefined && !inPlace ? `one of ${option.choices.join(', ')}` : undefined,
    option.type === 'list' ? 'repeatable' : undefined,
    option.defaultText === undefined ? undefined : `default: ${option.defaultText}`,
  ].filter((part) => part !== undefined);
  return extra.length === 0 ? option.summary : `${option.summary} (${extra.join('; ')})`;
}

function row(left: string, right: string, margin = MARGIN): string[] {
  const lines = wrapped(right, COLUMNS - margin).map((line) => `${' '.repeat(margin)}${line}`);
  const fits = columnsOf(left) <= margin - 2;
  return fits ? [`${left.padEnd(margin)}${lines[0]!.slice(margin)}`, ...lines.slice(1)] : [left, ...lines];
}
