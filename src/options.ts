/**
 * Checks raw options against their specs: names, types, ranges, choices. It collects every problem as a sentence and throws
 * none, so that a user sees all of them at once. What options mean together (an overlap larger than the size, an option that
 * the chosen strategy does not have) is src/settings.ts's to judge; turning the words of a command line into values is
 * src/cli/argv.ts's.
 */
import type { OptionSpec } from './spec.js';

/** How the name of a spec is shown to whoever wrote it: `minSize` to a program, `--min-size` at a prompt. */
export type Spelling = (name: string) => string;

/** `min-size` → `minSize`: the key of an option in the library and in a configuration file. */
export const asKey: Spelling = (name) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `min-size` → `--min-size`. */
export const asFlag: Spelling = (name) => `--${name}`;

/**
 * Returns the options that are right, under their camelCase keys; each of the others adds a sentence to `problems`. A key that
 * is present but undefined counts as absent. For a list, a single string stands for a list of one. No defaults are filled in.
 */
export function checkOptions(
  raw: Readonly<Record<string, unknown>>,
  specs: readonly OptionSpec[],
  problems: string[],
  spelling: Spelling = asKey,
): Record<string, unknown> {
  const byKey = new Map(specs.map((spec) => [asKey(spec.name), spec]));
  const checked: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    if (value === undefined) continue;
    const spec = byKey.get(key);
    if (spec === undefined) {
      problems.push(unknownOption(key, specs, spelling));
      continue;
    }
    const problem = problemOf(value, spec);
    if (problem !== undefined) problems.push(`${spelling(spec.name)} ${problem}`);
    else checked[key] = spec.type === 'list' && typeof value === 'string' ? [value] : value;
  }
  return checked;
}

/** What is wrong with a value, as the rest of a sentence that begins with the option's name; undefined when nothing is. */
function problemOf(value: unknown, spec: OptionSpec): string | undefined {
  switch (spec.type) {
    case 'string':
      return typeof value === 'string' ? undefined : `takes a text, not ${shown(value)}`;
    case 'flag':
      return typeof value === 'boolean' ? undefined : `is either true or false, not ${shown(value)}`;
    case 'list': {
      const right = typeof value === 'string' || (Array.isArray(value) && value.every((each) => typeof each === 'string'));
      return right ? undefined : `takes a text or a list of texts, not ${shown(value)}`;
    }
    case 'choice':
      return choiceProblem(value, spec);
    case 'integer':
      return Number.isSafeInteger(value) ? rangeProblem(value as number, spec) : `takes a whole number, not ${shown(value)}`;
    case 'number':
      return Number.isFinite(value) ? rangeProblem(value as number, spec) : `takes a number, not ${shown(value)}`;
  }
}

function choiceProblem(value: unknown, { choices = [], isChoice }: OptionSpec): string | undefined {
  if (typeof value === 'string' && (choices.includes(value) || isChoice?.(value))) return undefined;
  const near = typeof value === 'string' ? nearest(value, choices) : undefined;
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `takes one of ${choices.join(', ')}, not ${shown(value)}${hint}`;
}

function rangeProblem(value: number, { min, max }: OptionSpec): string | undefined {
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return undefined;
  if (min !== undefined && max !== undefined) return `must be from ${min} to ${max}, not ${value}`;
  return min !== undefined ? `must be at least ${min}, not ${value}` : `must be at most ${max}, not ${value}`;
}

/** A value within a message: short, on one line, strings in quotes. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
}

/* ------------------------------------------------------------------ names that are nearly right */

/** The sentence for a name that no spec has. `written` is repeated exactly as the user wrote it, dashes included. */
export function unknownOption(written: string, specs: readonly OptionSpec[], spelling: Spelling): string {
  const meant = meantOption(written, specs);
  return `unknown option ${written}${meant === undefined ? '' : `; did you mean ${spelling(meant.name)}?`}`;
}

/** Words of other programs for the same thing. Used for hints only, and only where the second one exists. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'chunk-size': 'size',
  'chunk-overlap': 'overlap',
  'chunk-tokens': 'size',
  'max-tokens': 'size',
  'max-chars': 'size',
  'max-length': 'size',
  limit: 'size',
  length: 'size',
  'min-length': 'min-size',
  stride: 'overlap',
  output: 'out',
  'output-file': 'out',
  'out-file': 'out',
  'output-format': 'to',
  'input-format': 'format',
  filetype: 'format',
  model: 'tokenizer',
  'encoding-name': 'tokenizer',
  counter: 'tokenizer',
  charset: 'encoding',
  method: 'strategy',
  algorithm: 'strategy',
  splitter: 'strategy',
  chunker: 'strategy',
  mode: 'strategy',
  measure: 'unit',
  separator: 'separators',
  delimiter: 'separators',
  silent: 'quiet',
  'no-progress': 'quiet',
  simulate: 'dry-run',
  'continue-on-error': 'on-error',
  'skip-errors': 'on-error',
  stats: 'summary',
  report: 'summary',
};

/** The option that a wrong name most likely stands for; undefined when there is no good guess. */
export function meantOption(written: string, specs: readonly OptionSpec[]): OptionSpec | undefined {
  const word = kebab(written);
  const named = (name: string | undefined) => specs.find((spec) => spec.name === name);
  const names = specs.map((spec) => spec.name);
  return (
    named(word) ??
    named(SYNONYMS[word]) ??
    named(nearest(word, names)) ??
    named(onlyPrefixed(word, names)) ??
    named(held(word, names))
  );
}

/** `--minSize`, `min_size`, `MIN-SIZE` → `min-size`. */
function kebab(written: string): string {
  return written
    .replace(/^-+/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}

function onlyPrefixed(word: string, names: readonly string[]): string | undefined {
  const found = word.length < 2 ? [] : names.filter((name) => name.startsWith(word));
  return found.length === 1 ? found[0] : undefined;
}

/** The longest name all of whose words are in `word`: `max-chunk-size` holds `size`. */
function held(word: string, names: readonly string[]): string | undefined {
  const parts = word.split('-');
  return names.filter((name) => name.split('-').every((part) => parts.includes(part))).sort((a, b) => b.length - a.length)[0];
}

/**
 * The candidate with the fewest typing errors from `word`, when they are few for its length (one in three letters, at most
 * three); of several the first. Upper and lower case count as the same letter.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const candidate of candidates) {
    const errors = typingErrors(word.toLowerCase(), candidate.toLowerCase());
    // Changing every letter of a short word gets anywhere: at least half must be right.
    if (errors < fewest && errors * 2 <= candidate.length) [best, fewest] = [candidate, errors];
  }
  return best;
}

/** Damerau–Levenshtein distance (optimal string alignment): letters added, left out, changed, or two neighbours exchanged. */
function typingErrors(a: string, b: string): number {
  // A word from a command line can be a megabyte; nothing that long is a misspelling.
  if (Math.abs(a.length - b.length) > 3) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(row[j - 1]! + 1, above[j]! + 1, above[j - 1]! + changed);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    [before, above] = [above, row];
  }
  return above[b.length]!;
}
