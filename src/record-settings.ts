/**
 * What a user asks of records, as trusted settings: which options the formats that are read have, and what is wrong with their
 * values. Which formats these are may be known only once the inputs are, so `misfits` is asked then.
 */
import { asKey, type Spelling } from './options.js';
import { type FormatOptions, type FormatSpec, formats, recordOptions } from './registry.js';
import type { OptionSpec } from './spec.js';

/** How records are found and what becomes of their fields. */
export type RecordSettings = Omit<FormatOptions, 'encoding' | 'onInvalid' | 'wanted'>;

/** What a library user may pass about records; the command line has the same under `--kebab-case`. */
export interface RecordChoices {
  readonly records?: string;
  readonly text?: readonly string[] | string;
  readonly meta?: readonly string[] | string;
  readonly idField?: string;
  readonly pack?: boolean;
  readonly maxRecordBytes?: number;
  readonly delimiter?: string;
  readonly quote?: string;
  readonly noHeader?: boolean;
}

/** Once `checkOptions` has seen them. */
type Checked = RecordChoices & { readonly text?: readonly string[]; readonly meta?: readonly string[] };

/** Options that only some formats have, each once. */
export const formatOptions: readonly OptionSpec[] = unique(formats.flatMap(({ options = [] }) => options));

/** All options about records. */
const choices: readonly OptionSpec[] = [...recordOptions, ...formatOptions];

/** Those options that were asked for, under their keys. */
export function chosen(input: object): Record<string, unknown> {
  const given = input as Readonly<Record<string, unknown>>;
  const keys = choices.map(({ name }) => asKey(name)).filter((key) => given[key] !== undefined && given[key] !== false);
  return Object.fromEntries(keys.map((key) => [key, given[key]]));
}

export function recordSettings(input: Checked, problems: string[], spelling: Spelling): RecordSettings {
  const { records, text = [], meta, idField, pack = false, maxRecordBytes = 1 << 23, noHeader = false } = input;
  if (pack)
    for (const name of ['text', 'meta', 'id-field'])
      if (asKey(name) in chosen(input))
        problems.push(
          `${spelling(name)} means nothing with ${spelling('pack')}: packed records are their source, fields and all`,
        );
  for (const [name, fields] of [
    ['records', [records]],
    ['text', text],
    ['meta', meta],
    ['id-field', [idField]],
  ] as const)
    if (fields?.includes('')) problems.push(`${spelling(name)} names nothing`);
  const delimiter = characterOf('delimiter', input.delimiter ?? 'auto', 'auto', problems, spelling);
  const quote = characterOf('quote', input.quote ?? '"', 'none', problems, spelling);
  if (delimiter === quote)
    problems.push(`${spelling('delimiter')} and ${spelling('quote')} must differ: both are ${JSON.stringify(quote)}`);
  return {
    ...(records === undefined ? {} : { records }),
    text,
    ...(meta === undefined ? {} : { meta }),
    ...(idField === undefined ? {} : { idField }),
    ...{ pack, maxRecordBytes, delimiter, noHeader },
    quote: quote === 'none' ? undefined : quote,
  };
}

/** A single character, written as itself or, for a tab, as `tab` or `\t`; or the word for none in particular. */
function characterOf(name: string, given: string, word: string, problems: string[], spelling: Spelling): string {
  if (given === word) return word;
  const character = given === 'tab' || given === '\\t' ? '\t' : given;
  if ([...character.slice(0, 3)].length === 1 && !UNFIT.test(character)) return character;
  problems.push(`${spelling(name)} takes one character that ends no line, or ${word}, not ${JSON.stringify(given.slice(0, 40))}`);
  return word;
}

/** What ends a line, half a surrogate pair, and what decoding makes of other bytes. */
const UNFIT = /[\n\r\ud800-\udfff\ufeff\ufffd]/u;

/** What is wrong with the options about records when inputs of these formats are read. */
export function misfits(input: object, used: readonly FormatSpec[], spelling: Spelling): string[] {
  const asked = chosen(input);
  const names = used.map(({ name }) => name).join(', ');
  const hint = used.some(({ isRecords }) => isRecords) ? '' : `; if it holds records, say of which ${spelling('format')}`;
  const meaningless = choices
    .filter(({ name }) => asKey(name) in asked && !used.some((format) => has(format, name)))
    .map(({ name }) => `${spelling(name)} means nothing to the format ${names}${hint}`);
  return [...meaningless, ...used.flatMap((format) => pathProblems(format, asked, spelling))];
}

function has({ isRecords, options = [] }: FormatSpec, name: string): boolean {
  return (isRecords && recordOptions.some((option) => option.name === name)) || options.some((option) => option.name === name);
}

function pathProblems(format: FormatSpec, { records, text, meta, idField }: RecordChoices, spelling: Spelling): string[] {
  const paths = [
    ...listed(records).map((path) => ['records', path] as const),
    ...listed(text).map((path) => ['text', path] as const),
    ...listed(meta).map((path) => ['meta', path] as const),
    ...listed(idField).map((path) => ['id-field', path] as const),
  ];
  return paths
    .filter(([, path]) => path !== '')
    .flatMap(([name, path]) => {
      const problem = format.pathProblem?.(path, name === 'records' ? 'records' : 'field');
      return problem === undefined ? [] : [`${spelling(name)}: ${problem}`];
    });
}

function listed(value: readonly string[] | string | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

function unique(options: readonly OptionSpec[]): OptionSpec[] {
  return [...new Map(options.map((option) => [option.name, option])).values()];
}
