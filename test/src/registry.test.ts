/** The component tables as users meet them: names that can be told apart, summaries that fit a help line, nothing listed twice. */
import { describe, expect, it } from 'vitest';
import { chunkOptions } from '../../src/chunk-options.js';
import { formats, inputs, sinks, strategies } from '../../src/registry.js';

const TABLES = { inputs, formats, strategies, sinks };

describe.each(Object.entries(TABLES))('the table of %s', (_, specs) => {
  it('has names in lower case, each once', () => {
    const names = specs.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
  });

  it('says in one line, without a full stop, what each is', () => {
    for (const { name, summary } of specs) expect(summary, name).toMatch(/^[^\n]+[^.\n]$/);
  });
});

describe('options of single strategies', () => {
  it('have names that no general option has, and that no two strategies give another meaning', () => {
    const general = new Set(chunkOptions.map(({ name }) => name));
    const own = strategies.flatMap(({ options = [] }) => options);
    expect(own.filter(({ name }) => general.has(name))).toEqual([]);
    for (const option of own)
      expect(own.filter(({ name }) => name === option.name).every((each) => each.type === option.type)).toBe(true);
  });
});

describe('inputs', () => {
  it('are taken by the first kind that wants them', () => {
    const kindOf = (input: string) => inputs.find(({ takes }) => takes(input))?.name;
    expect(['-', 'a.txt', 'docs/**', './-', ''].map(kindOf)).toEqual(['stdin', 'files', 'files', 'files', 'files']);
  });
});
