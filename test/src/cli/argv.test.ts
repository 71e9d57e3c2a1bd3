import { describe, expect, it } from 'vitest';
import { parseArgv } from '../../../src/cli/argv.js';
import type { OptionSpec } from '../../../src/spec.js';

const specs: readonly OptionSpec[] = [
  { name: 'size', type: 'integer', group: 'chunking', value: 'N', summary: '' },
  { name: 'share', type: 'number', group: 'chunking', summary: '' },
  { name: 'min-size', type: 'integer', group: 'chunking', summary: '' },
  { name: 'separators', type: 'list', group: 'chunking', value: 'TEXT', summary: '' },
  { name: 'unit', type: 'choice', group: 'chunking', choices: ['tokens'], summary: '' },
  { name: 'out', short: 'o', type: 'string', group: 'output', value: 'PATH', summary: '' },
  { name: 'quiet', short: 'q', type: 'flag', group: 'run', summary: '' },
  { name: 'trim', short: 't', type: 'flag', group: 'text', summary: '' },
];

function parse(...argv: string[]) {
  const problems: string[] = [];
  return { ...parseArgv(argv, specs, problems), problems };
}

describe('a command line', () => {
  it.each([
    [['--size', '9'], { size: 9 }],
    [['--size=9'], { size: 9 }],
    [['--size', '-9'], { size: -9 }],
    [['--size=+9'], { size: 9 }],
    [['--share', '-.5'], { share: -0.5 }],
    [['--share=1e-3'], { share: 0.001 }],
    [['--min-size', '3'], { minSize: 3 }],
    [['--unit', 'anything'], { unit: 'anything' }],
    [['-o', 'x'], { out: 'x' }],
    [['-ox'], { out: 'x' }],
    [['-o=x'], { out: 'x' }],
    [['-o', '-'], { out: '-' }],
    [['--separators', '-=now.txt'], { separators: ['-=now.txt'] }],
    [['--out='], { out: '' }],
    [['--out', ''], { out: '' }],
    [['--out=a=b\nc'], { out: 'a=b\nc' }],
    [['-qt'], { quiet: true, trim: true }],
    [['-qo', 'x'], { quiet: true, out: 'x' }],
    [['-qox'], { quiet: true, out: 'x' }],
    [['--separators', 'a', '--separators=--'], { separators: ['a', '--'] }],
  ])('%j gives %j', (argv, options) => {
    expect(parse(...argv)).toEqual({ positionals: [], options, problems: [] });
  });

  it('keeps positionals in order, - among them, and all after --', () => {
    expect(parse('a', '--size', '1', '-', '-q', 'b', '--', '--size', '-o', '--')).toEqual({
      positionals: ['a', '-', 'b', '--size', '-o', '--'],
      options: { size: 1, quiet: true },
      problems: [],
    });
  });

  it.each([
    [['--size'], '--size needs a value: --size N'],
    [['--size', '--', '5'], '--size needs a value: --size N'],
    [['--size', '--quiet'], '--size needs a value: --size N'],
    [['-o'], '-o needs a value: -o PATH'],
    [['--out', '--x=1'], '--out needs a value: --out PATH (if "--x=1" is the value, write --out=--x=1)'],
    [['--size', 'many'], '--size takes a whole number, not "many"'],
    [['--size', '1.5'], '--size takes a whole number, not "1.5"'],
    [['--size='], '--size takes a whole number, not ""'],
    [['--size', '0x10'], '--size takes a whole number, not "0x10"'],
    [['--share', 'NaN'], '--share takes a number, not "NaN"'],
    [['--quiet=yes'], '--quiet takes no value: leave out "yes"'],
    [['-q=yes'], '-q takes no value: leave out "yes"'],
    [['--size', '1', '--size', '2'], '--size is given twice'],
    [['-o', 'a', '--out', 'b'], '--out is given twice'],
    [['-q', '-q'], '-q is given twice'],
    [['--chunk-size', '5'], 'unknown option --chunk-size; did you mean --size?'],
    [['--minSize=5'], 'unknown option --minSize; did you mean --min-size?'],
    [['--zebra'], 'unknown option --zebra'],
    [['-x'], 'unknown option -x'],
    [['-size'], 'unknown option -size; did you mean --size?'],
    [['-😀'], 'unknown option -😀'],
  ])('%j is a problem', (argv, problem) => {
    expect(parse(...argv).problems[0]).toBe(problem);
  });

  it('takes the value of a misspelt option with it', () => {
    expect(parse('--sise', '5', 'file')).toMatchObject({ positionals: ['file'], options: {} });
    expect(parse('--quite', 'file')).toMatchObject({ positionals: ['file'] });
  });

  it('collects all problems and keeps what is right', () => {
    const { options, problems } = parse('--size', 'x', '--zebra', '--trim', '-o');
    expect(options).toEqual({ trim: true });
    expect(problems).toHaveLength(3);
  });
});
