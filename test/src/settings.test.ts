/** What options mean together: defaults that are always legal, all problems at once, and the settings as the manifest has them. */
import { describe, expect, it } from 'vitest';
import type { ChunkOptions, RunOptions } from '../../src/chunk-options.js';
import { IngestError } from '../../src/errors.js';
import { asFlag } from '../../src/options.js';
import { formats } from '../../src/registry.js';
import { chunkSettings, runSettings } from '../../src/settings.js';
import { rng } from '../support/random.js';

/** The problems, one a line; empty when there are none. */
function problemsOf(options: object): string[] {
  try {
    chunkSettings(options as ChunkOptions);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(IngestError);
    expect((error as IngestError).kind).toBe('config');
    return (error as Error).message.split('\n');
  }
}

describe('defaults', () => {
  it('are those of the contract', () => {
    expect(chunkSettings({})).toMatchObject({
      ...{
        encoding: 'auto',
        strictEncoding: false,
        whitespace: undefined,
        onError: 'stop',
        trim: false,
        unit: 'tokens',
        tokenizer: 'o200k_base',
      },
      ...{ size: 512, overlap: 50, minSize: 128, maxChars: 16_384, sourceName: '-' },
    });
    expect(chunkSettings({}).strategy.name).toBe('recursive');
  });

  it('load no vocabulary when the unit is not tokens', () => {
    expect(chunkSettings({ unit: 'characters' }).tokenizer).toBe('estimate');
  });

  it.each([
    [1, 0, 0],
    [20, 2, 5],
    [499, 49, 124],
    [500, 50, 125],
    [1_000_000, 50, 250_000],
  ])('never make size %d illegal', (size, overlap, minSize) => {
    expect(chunkSettings({ size })).toMatchObject({ size, overlap, minSize });
  });

  it('let a chunk be longer when it may hold more units', () => {
    expect(chunkSettings({ size: 10_000 }).maxChars).toBe(320_000);
  });
});

describe('problems', () => {
  it.each([
    [{ size: 0 }, /^size must be from 1 to 1000000, not 0$/],
    [{ size: Number.NaN }, /^size takes a whole number, not NaN$/],
    [{ size: 1.5 }, /^size takes a whole number/],
    [{ size: '10' }, /^size takes a whole number, not "10"$/],
    [{ overlap: -1 }, /^overlap must be from 0/],
    [{ size: 10, overlap: 10 }, /^overlap must be smaller than size: 10 is not below 10$/],
    [{ size: 10, minSize: 11 }, /^minSize must not be larger than size: 11 is above 10$/],
    [{ encoding: 'shift_jis' }, /^encoding "shift_jis" is not supported/],
    [{ encoding: 'utf-9' }, /did you mean utf-8\?/],
    [{ tokenizer: 'o200k' }, /^unknown tokenizer "o200k"/],
    [{ tokenizer: 'none' }, /^tokenizer none leaves nothing to count/],
    [{ strategy: 'recursiv' }, /did you mean recursive\?/],
    [{ whitespace: 'tidied' }, /^whitespace takes one of tidy, collapse, lines, keep/],
    [{ chunkSize: 3 }, /did you mean size\?/],
    [{ separators: ['('], separatorsRegex: true }, /is no regular expression/],
  ])('%j', (options, problem) => {
    const problems = problemsOf(options);
    expect(problems.length).toBe(1);
    expect(problems[0]).toMatch(problem);
  });

  it('come all at once', () => {
    const problems = problemsOf({ size: 0, whitespace: 'x', tokenizer: 'y', encoding: 'z', nonsense: 1 });
    expect(problems.length).toBe(5);
  });

  it('spell options as their reader wrote them', () => {
    expect(() => chunkSettings({ size: 10, minSize: 11 }, asFlag)).toThrow('--min-size must not be larger than --size');
  });

  it('no input, and standard input twice', () => {
    expect(() => runSettings({})).toThrow(/^no input: name a file/);
    expect(() => runSettings({ input: ['-', 'a', '-'] })).toThrow(/named twice/);
    expect(() => runSettings({ input: 'a' }, undefined, ['something before'])).toThrow('something before');
  });

  it('are all that random options can make: never another error, never settings that break a rule', () => {
    const values = [undefined, null, true, '', 'auto', 'tokens', '-', -1, 0, 1, 7, 512, 1e9, Number.NaN, [], ['a'], {}, () => 1];
    const keys = [
      'size',
      'overlap',
      'minSize',
      'maxChars',
      'unit',
      'tokenizer',
      'encoding',
      'whitespace',
      'trim',
      'separators',
      'x',
      ...['format', 'text', 'meta', 'idField', 'pack', 'maxRecordBytes', 'records', 'delimiter', 'quote', 'noHeader', 'onReject'],
    ];
    const random = rng(7);
    for (let times = 0; times < 2000; times++) {
      const options = Object.fromEntries(keys.filter(() => random.chance(0.3)).map((key) => [key, random.pick(values)]));
      try {
        const { size, overlap, minSize, maxChars } = chunkSettings(options as ChunkOptions);
        expect(size >= 1 && overlap < size && minSize <= size && maxChars >= 256, JSON.stringify(options)).toBe(true);
      } catch (error) {
        if (!(error instanceof IngestError)) throw new Error(`${JSON.stringify(options)}: ${String(error)}`, { cause: error });
      }
    }
  });
});

describe('records', () => {
  it('are checked against the format that is named, at once with the rest', () => {
    const problems = problemsOf({ format: 'csv', records: 'a', text: [''], delimiter: ';;', maxRecordBytes: 1, size: 0 });
    expect(problems).toHaveLength(5);
    expect(problemsOf({ format: 'json', records: 'a[' })).toEqual([expect.stringMatching(/^records: /)]);
    expect(problemsOf({ format: 'text', pack: true })).toEqual([expect.stringMatching(/^pack means nothing to the format text/)]);
  });

  it('are checked once the formats of the inputs are known where none is named', () => {
    const { misfits } = chunkSettings({ text: 'body' }, asFlag);
    expect(misfits([formats.find(({ name }) => name === 'csv')!])).toEqual([]);
    expect(misfits([formats.find(({ name }) => name === 'text')!])).toEqual([expect.stringMatching(/^--text means nothing/)]);
  });

  it('that are faulty stop a run, unless somebody wants to know of each', () => {
    const policyOf = (options: RunOptions) => runSettings({ input: 'a', ...options }).onError;
    const onReject = () => {};
    expect([policyOf({}), policyOf({ onError: 'skip' }), policyOf({ rejects: 'r' }), policyOf({ onReject })]).toEqual([
      ...['stop', 'skip', 'skip', 'skip'],
    ]);
    expect([policyOf({ rejects: 'r', onError: 'stop' }), policyOf({ onReject, onError: 'stop' })]).toEqual(['stop', 'stop']);
    expect(chunkSettings({ onReject })).toMatchObject({ onError: 'skip', onReject });
    expect(problemsOf({ onReject: 'log' })).toEqual(['onReject takes a function']);
  });

  it('need files of their own names to write to', () => {
    expect(() => runSettings({ input: 'a', out: 'x', summary: 'y', rejects: 'x' })).toThrow('rejects and out name the same file');
    expect(() => runSettings({ input: 'a', out: 'x', summary: 'x', rejects: 'x' })).toThrow(/^(.* name the same file\n?){3}$/);
  });
});

describe('settings', () => {
  it('take a strategy and a counter as values', () => {
    const strategy = { name: 'own', packing: 'fill', levels: [] } as const;
    const tokenizer = { name: 'mine', count: (text: string) => text.length };
    const settings = chunkSettings({ strategy, tokenizer });
    expect([settings.strategy, settings.tokenizer]).toEqual([strategy, tokenizer]);
    expect(settings.described).toMatchObject({ strategy: 'own', tokenizer: 'mine' });
  });

  it('describe themselves in plain values that give the same settings again', () => {
    const table: ChunkOptions = {
      format: 'csv',
      text: ['a'],
      meta: [],
      idField: 'b',
      delimiter: 'tab',
      quote: 'none',
      noHeader: true,
    };
    const options: ChunkOptions = {
      ...table,
      maxRecordBytes: 2048,
      whitespace: 'keep',
      onError: 'skip',
      size: 99,
      unit: 'words',
      separators: ['\\n', ' '],
      separatorPosition: 'drop',
      trim: true,
    };
    const { described, records } = chunkSettings(options);
    expect(chunkSettings(described as ChunkOptions).records).toEqual(records);
    const limited = runSettings({ ...options, input: 'a', only: 'r.jsonl', rejects: 'r.jsonl' }).described;
    expect(limited).toMatchObject({ only: 'r.jsonl', onError: 'skip' });
    expect(limited).not.toHaveProperty('rejects');
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
    expect(chunkSettings(described as ChunkOptions).described).toEqual(described);
  });

  it('of a run have its inputs, its output, and say what the root was', () => {
    const options: RunOptions = { input: ['a', 'b'], out: 'c.jsonl', root: 'docs' };
    const settings = runSettings(options);
    expect(settings).toMatchObject({
      inputs: ['a', 'b'],
      out: 'c.jsonl',
      output: { rolls: false, described: {} },
      access: { root: 'docs', bufferBytes: 2 ** 20 },
      dryRun: false,
    });
    expect(settings.described).toMatchObject({ root: 'docs' });
    expect(runSettings({ input: 'a' }).described).not.toHaveProperty('root');
  });
});

describe('a length function', () => {
  it('is the measure of sizes, and what tokens count', () => {
    const settings = chunkSettings({ lengthFunction: (text) => text.length * 2 });
    expect(settings.tokenizer).toMatchObject({ name: 'lengthFunction' });
    expect((settings.tokenizer as { count(text: string): number }).count('abc')).toBe(6);
    expect(settings.described.tokenizer).toBe('lengthFunction');
  });

  it('stands in place of a unit and of a tokenizer', () => {
    const lengthFunction = (text: string) => text.length;
    expect(() => chunkSettings({ lengthFunction, tokenizer: 'estimate', unit: 'words' })).toThrow(
      /lengthFunction and tokenizer both say[\s\S]*lengthFunction measures in a unit of its own/,
    );
    expect(() => chunkSettings({ lengthFunction: 5 } as never)).toThrow('lengthFunction is a function');
  });
});
