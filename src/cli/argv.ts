/**
 * Words of a command line → positionals and raw options, by the rules people know: `--size 9`, `--size=9`, `-o x`, `-ox`,
 * `-qo x`, `-` as a positional, `--` before words that are not options. A word that starts with a dash is a value only when it
 * is `-` or a number; any other must be joined with `=`, so that a forgotten value never swallows the next option. Numbers are
 * converted here; ranges and choices are src/options.ts's to check. Nothing is thrown: problems are collected.
 */
import { asFlag, asKey, meantOption, unknownOption } from '../options.js';
import type { OptionSpec } from '../spec.js';

export interface Argv {
  readonly positionals: readonly string[];
  /** camelCase keys: true for a flag, a list of strings for a list, else a number or a string. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** `argv` is without the program's and the command's name. */
export function parseArgv(argv: readonly string[], specs: readonly OptionSpec[], problems: string[]): Argv {
  const positionals: string[] = [];
  const options: Record<string, unknown> = {};
  const given = new Set<string>();
  let at = 0;

  /** The next word, if it can be a value: it is then used up. */
  const nextValue = (): string | undefined => {
    const word = argv[at];
    if (word === undefined || !isValue(word)) return undefined;
    at++;
    return word;
  };

  /** `spelt` is how the user wrote the option; `joined` is what stood in the same word. */
  const take = (spec: OptionSpec, spelt: string, joined: string | undefined): void => {
    const key = asKey(spec.name);
    const value = spec.type === 'flag' ? joined : (joined ?? nextValue());
    if (spec.type !== 'list' && given.has(key)) {
      problems.push(`${spelt} is given twice`);
      return;
    }
    given.add(key);
    if (spec.type === 'flag') {
      if (value === undefined) options[key] = true;
      else problems.push(`${spelt} takes no value: leave out ${JSON.stringify(value)}`);
      return;
    }
    if (value === undefined) {
      problems.push(missingValue(spec, spelt, argv[at]));
      return;
    }
    const converted = convert(value, spec);
    if (converted === undefined) problems.push(`${spelt} takes a ${numberKind(spec)}, not ${JSON.stringify(value)}`);
    else if (spec.type === 'list') options[key] = [...((options[key] as string[] | undefined) ?? []), value];
    else options[key] = converted;
  };

  const takeLong = (word: string): void => {
    const [, name = '', joined] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const spec = specs.find((each) => each.name === name);
    if (spec !== undefined) {
      take(spec, `--${name}`, joined);
      return;
    }
    problems.push(unknownOption(`--${name}`, specs, asFlag));
    // Its value is most likely what the option meant would take; as a positional it would only add a second, odd problem.
    if (joined === undefined && (meantOption(name, specs)?.type ?? 'flag') !== 'flag') nextValue();
  };

  /** `-qo x`: flags one after the other, up to the first that takes a value: the rest of the word, or the next. */
  const takeShort = (word: string): void => {
    for (let i = 1; i < word.length; i++) {
      const letter = String.fromCodePoint(word.codePointAt(i)!);
      const spec = specs.find((each) => each.short === letter);
      if (spec === undefined) {
        problems.push(unknownShort(word, letter, specs));
        return;
      }
      const rest = word.slice(i + 1);
      if (spec.type !== 'flag' || rest.startsWith('=')) {
        take(spec, `-${letter}`, rest === '' ? undefined : rest.replace(/^=/, ''));
        return;
      }
      take(spec, `-${letter}`, undefined);
    }
  };

  while (at < argv.length) {
    const word = argv[at++]!;
    if (word === '--') {
      positionals.push(...argv.slice(at));
      break;
    }
    if (word.startsWith('--')) takeLong(word);
    else if (word.startsWith('-') && word !== '-') takeShort(word);
    else positionals.push(word);
  }
  return { positionals, options };
}

/** No option is called so: standard input, `-=now.txt` (where its bytes are now), a number below zero. */
const isValue = (word: string): boolean => !word.startsWith('-') || word === '-' || /^-(=|\.?\d)/.test(word);

/** A number for an option that takes one, undefined when it is none; for any other option the word itself. */
function convert(word: string, { type }: OptionSpec): number | string | undefined {
  if (type === 'integer') return /^[+-]?\d+$/.test(word) ? Number(word) : undefined;
  if (type === 'number') return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : undefined;
  return word;
}

const numberKind = ({ type }: OptionSpec): string => (type === 'integer' ? 'whole number' : 'number');

function missingValue(spec: OptionSpec, spelt: string, next: string | undefined): string {
  const joined = spelt.startsWith('--') ? `${spelt}=${next}` : `${spelt}${next}`;
  const possible = next !== undefined && next !== '--' && (spec.type === 'string' || spec.type === 'list');
  const hint = !possible ? '' : ` (if ${JSON.stringify(next)} is the value, write ${joined})`;
  return `${spelt} needs a value${spec.value === undefined ? '' : `: ${spelt} ${spec.value}`}${hint}`;
}

/** `-size` is more likely a long option with a dash too few than four short ones. */
function unknownShort(word: string, letter: string, specs: readonly OptionSpec[]): string {
  const long = word.length > 2 ? specs.find((spec) => spec.name === word.slice(1).split('=')[0]) : undefined;
  return long === undefined ? `unknown option -${letter}` : `unknown option ${word}; did you mean --${long.name}?`;
}
