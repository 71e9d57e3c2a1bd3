/** What may be asked of records, and of which formats: every wrong value and every option without meaning is a sentence. */
import { describe, expect, it } from 'vitest';
import { asFlag, asKey } from '../../src/options.js';
import { chosen, formatOptions, misfits, type RecordChoices, recordSettings } from '../../src/record-settings.js';
import { type FormatSpec, formats } from '../../src/registry.js';

const format = (name: string): FormatSpec => formats.find((each) => each.name === name)!;

function problemsOf(input: RecordChoices): string[] {
  const problems: string[] = [];
  recordSettings(input as Parameters<typeof recordSettings>[0], problems, asKey);
  return problems;
}

describe('defaults', () => {
  it('leave a record its own text, and hold 8 MiB of it', () => {
    expect(recordSettings({}, [], asKey)).toEqual({
      ...{ text: [], pack: false, maxRecordBytes: 2 ** 23, delimiter: 'auto', quote: '"', noHeader: false },
    });
  });
});

describe('characters', () => {
  it.each([
    [{ delimiter: ';' }, ';', '"'],
    [{ delimiter: 'tab' }, '\t', '"'],
    [{ delimiter: '\\t' }, '\t', '"'],
    [{ delimiter: '\t', quote: "'" }, '\t', "'"],
    [{ quote: 'none' }, 'auto', undefined],
    [{ delimiter: '\0' }, '\0', '"'],
    [{ delimiter: '😀', quote: '𝄞' }, '😀', '𝄞'],
  ])('%j', (input, delimiter, quote) => {
    expect(problemsOf(input)).toEqual([]);
    expect(recordSettings(input, [], asKey)).toMatchObject({ delimiter, quote });
  });

  it.each([
    [{ delimiter: '' }, /^delimiter takes one character/],
    [{ delimiter: ';;' }, /or auto, not ";;"$/],
    [{ delimiter: '\n' }, /ends no line/],
    [{ delimiter: '\ufeff' }, /ends no line/],
    [{ delimiter: '😀😀' }, /^delimiter takes one character/],
    [{ delimiter: '\ud83d' }, /^delimiter takes one character/],
    [{ delimiter: 'none' }, /^delimiter takes one character/],
    [{ quote: '\r' }, /^quote takes one character that ends no line, or none, not "\\r"$/],
    [{ quote: 'auto' }, /^quote takes one character/],
    [{ delimiter: '"' }, /^delimiter and quote must differ: both are "\\""$/],
    [{ delimiter: 'tab', quote: '\\t' }, /must differ/],
  ])('%j is refused', (input, problem) => {
    const problems = problemsOf(input);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});

describe('fields', () => {
  it.each(['text', 'meta', 'idField'])('packed records have no %s', (key) => {
    expect(problemsOf({ pack: true, [key]: ['a'] })).toEqual([expect.stringMatching(`^${key} means nothing with pack`)]);
    expect(problemsOf({ pack: false, [key]: ['a'] })).toEqual([]);
  });

  it('have names', () => {
    expect(problemsOf({ records: '', text: ['a', ''], meta: [''], idField: '' })).toEqual(
      ['records', 'text', 'meta', 'idField'].map((name) => `${name} names nothing`),
    );
  });

  it('that are asked for as no metadata at all are something else than no wish', () => {
    expect(recordSettings({ meta: [] }, [], asKey).meta).toEqual([]);
    expect(recordSettings({}, [], asKey)).not.toHaveProperty('meta');
  });
});

describe('what is asked for', () => {
  it('leaves out what is undefined or off, and what is no matter of records', () => {
    const input = { records: undefined, pack: false, text: ['a'], noHeader: true, size: 3 };
    expect(chosen(input)).toEqual({ text: ['a'], noHeader: true });
  });

  it('means nothing to a format that has no such option', () => {
    expect(misfits({ delimiter: ';', text: ['a'] }, [format('csv')], asFlag)).toEqual([]);
    expect(misfits({ delimiter: ';', text: ['a'] }, [format('text')], asFlag)).toEqual([
      '--text means nothing to the format text; if it holds records, say of which --format',
      '--delimiter means nothing to the format text; if it holds records, say of which --format',
    ]);
    expect(misfits({ records: 'a' }, [format('csv'), format('tsv')], asFlag)).toEqual([
      '--records means nothing to the format csv, tsv',
    ]);
  });

  it('has a meaning where one of several formats has the option', () => {
    expect(misfits({ delimiter: ';', text: ['a'] }, [format('text'), format('csv')], asFlag)).toEqual([]);
  });

  it('must be a path where the format has paths', () => {
    const picky = {
      ...format('csv'),
      pathProblem: (path: string, of: string) => (path === 'ok' ? undefined : `${of} no ${path}`),
    };
    const asked = { text: ['ok', 'x'], meta: ['y'], idField: 'z' };
    expect(misfits(asked, [picky], asFlag)).toEqual(['--text: field no x', '--meta: field no y', '--id-field: field no z']);
  });

  it.each(formats.filter(({ isRecords }) => isRecords))('of $name may be any option that it lists', ({ name, options = [] }) => {
    const all = Object.fromEntries(['text', ...options.map((option) => option.name)].map((each) => [asKey(each), ['a']]));
    expect(misfits(all, [format(name)], asFlag)).toEqual([]);
  });

  it('is told of in help once for each meaning', () => {
    expect(new Set(formatOptions.map(({ name }) => name)).size).toBe(formatOptions.length);
  });
});
