import { describe, expect, it } from 'vitest';
import { asFlag } from '../../src/options.js';
import { checkedOutput, type OutputChoices, outputSettings } from '../../src/output-settings.js';
import { canSqueeze, sinks } from '../../src/registry.js';

function settings(given: OutputChoices) {
  const problems: string[] = [];
  return { ...outputSettings(given, problems, asFlag), problems };
}

describe('an output', () => {
  it('is lines in one file unless it is told otherwise, and says nothing of it', () => {
    expect(settings({ out: 'a.jsonl' })).toMatchObject({ rolls: false, request: { options: {} }, described: {}, problems: [] });
    expect(settings({}).sink.name).toBe('jsonl');
  });

  it('rolls where files have limits, and for every store', () => {
    for (const given of [{ maxRecords: 1 }, { maxBytes: 1 }, { to: 'csv' }])
      expect(settings({ out: 'a', ...given })).toMatchObject({ rolls: true, request: { rolls: true }, problems: [] });
  });

  it('tells the manifest what was asked for', () => {
    const given = { out: 'a', to: 'openai-batch', embedModel: 'm', maxRecords: 5, compress: 'none' as const };
    expect(settings(given).described).toEqual({ to: 'openai-batch', maxRecords: 5, embedModel: 'm' });
    expect(settings({ out: 'a', fields: 'x=text' }).described).toEqual({ fields: 'x=text' });
  });

  it('has the options of its sink', () => {
    expect(settings({ out: 'a', to: 'openai-batch', embedModel: 'm' }).request.options).toEqual({ embedModel: 'm' });
  });
});

describe('what means nothing is told of', () => {
  it.each<[OutputChoices, string]>([
    [{ to: 'csv' }, 'files that are numbered need a name: give --out PATH'],
    [{ maxRecords: 2, out: '-' }, 'files that are numbered need a name: give --out PATH'],
    [{ out: 'a', to: 'csv', embedModel: 'm' }, '--embed-model means nothing to the output csv'],
    [{ out: 'a', embedModel: 'm' }, '--embed-model means nothing to the output jsonl'],
    [{ out: 'a', to: 'csv', fields: 'text' }, '--fields means nothing to the output csv: only lines have fields of choice'],
    [{ out: 'a', metadata: 'drop' }, '--metadata means nothing to the output jsonl: it refuses none'],
    [
      { out: 'a', to: 'openai-batch', compress: 'gzip' },
      '--compress gzip means nothing to the output openai-batch: it takes no compressed files',
    ],
    [
      { out: 'a', to: 'openai-batch', maxRecords: 50_001 },
      '--max-records 50001 is more than openai-batch takes in a file: at most 50000',
    ],
    [
      { out: 'a', to: 'openai-batch', maxBytes: 2e8 + 1 },
      '--max-bytes 200000001 is more than openai-batch takes in a file: at most 200000000',
    ],
    [
      { out: 'a', fields: 'x=nothing' },
      '--fields "x=nothing": a chunk has no nothing (it has id, source, index, start, end, tokens, context, record, metadata, text, embedding)',
    ],
  ])('%j', (given, problem) => {
    expect(settings(given).problems).toEqual([problem]);
  });

  it('zstd where this version of Node cannot', () => {
    expect(settings({ out: 'a', compress: 'zstd' }).problems).toHaveLength(canSqueeze('zstd') ? 0 : 1);
  });

  it('all at once, for a caller that has nothing but an output', () => {
    const call = () => checkedOutput({ out: 'a', to: 'csv', embedModel: 'm', maxRecords: 0 });
    expect(call).toThrow(/maxRecords must be from 1[^\n]*\nembedModel means nothing/);
    expect(checkedOutput({ out: 'a', to: 'csv' }).sink.name).toBe('csv');
  });
});

it('the options of sinks have names of their own', () => {
  const owners = new Map<string, object>();
  for (const option of sinks.flatMap(({ options = [] }) => options)) {
    expect(owners.get(option.name) ?? option, option.name).toBe(option);
    owners.set(option.name, option);
    expect(option.group).toBe('output');
  }
});
