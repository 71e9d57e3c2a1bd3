import { describe, expect, it } from 'vitest';
import { asFlag, asKey, checkOptions, meantOption, nearest, unknownOption } from '../../src/options.js';
import type { OptionSpec } from '../../src/spec.js';

const specs: readonly OptionSpec[] = [
  { name: 'size', type: 'integer', group: 'chunking', summary: '', min: 1, max: 1000 },
  { name: 'overlap', type: 'integer', group: 'chunking', summary: '', min: 0 },
  { name: 'min-size', type: 'integer', group: 'chunking', summary: '', max: 1000 },
  { name: 'share', type: 'number', group: 'chunking', summary: '', min: 0, max: 1 },
  { name: 'unit', type: 'choice', group: 'chunking', summary: '', choices: ['tokens', 'characters', 'words', 'bytes'] },
  { name: 'separators', type: 'list', group: 'chunking', summary: '' },
  { name: 'tokenizer', type: 'string', group: 'chunking', summary: '' },
  { name: 'trim', type: 'flag', group: 'text', summary: '' },
  { name: 'out', short: 'o', type: 'string', group: 'output', summary: '' },
  { name: 'dry-run', type: 'flag', group: 'run', summary: '' },
];

function check(raw: Record<string, unknown>, spelling = asKey) {
  const problems: string[] = [];
  return { checked: checkOptions(raw, specs, problems, spelling), problems };
}

describe('checkOptions', () => {
  it('hands on what is right', () => {
    const raw = { size: 1, overlap: 0, minSize: 1000, share: 0.5, unit: 'words', separators: ['a', ''], trim: false, out: '' };
    expect(check(raw)).toEqual({ checked: raw, problems: [] });
  });

  it('takes a text for a list of one, and undefined for absent', () => {
    expect(check({ separators: ';', size: undefined, nonsense: undefined })).toEqual({
      checked: { separators: [';'] },
      problems: [],
    });
  });

  it.each([
    [{ size: 0 }, 'size must be from 1 to 1000, not 0'],
    [{ overlap: -1 }, 'overlap must be at least 0, not -1'],
    [{ minSize: 1001 }, 'minSize must be at most 1000, not 1001'],
    [{ share: 1.01 }, 'share must be from 0 to 1, not 1.01'],
    [{ size: Number.NaN }, 'size takes a whole number, not NaN'],
    [{ size: 1.5 }, 'size takes a whole number, not 1.5'],
    [{ overlap: 2 ** 53 }, 'overlap takes a whole number, not 9007199254740992'],
    [{ size: '5' }, 'size takes a whole number, not "5"'],
    [{ size: null }, 'size takes a whole number, not null'],
    [{ size: 5n }, 'size takes a whole number, not 5'],
    [{ share: Number.POSITIVE_INFINITY }, 'share takes a number, not Infinity'],
    [{ share: Number.NaN }, 'share takes a number, not NaN'],
    [{ unit: 'token' }, 'unit takes one of tokens, characters, words, bytes, not "token"; did you mean tokens?'],
    [{ unit: 3 }, 'unit takes one of tokens, characters, words, bytes, not 3'],
    [{ separators: [1] }, 'separators takes a text or a list of texts, not a list'],
    [{ tokenizer: {} }, 'tokenizer takes a text, not an object'],
    [{ tokenizer: () => {} }, 'tokenizer takes a text, not a function'],
    [{ trim: 'yes' }, 'trim is either true or false, not "yes"'],
    [{ trim: 'y'.repeat(1000) }, `trim is either true or false, not "${'y'.repeat(40)}…"`],
    [{ chunkSize: 5 }, 'unknown option chunkSize; did you mean size?'],
    [{ 'min-size': 5 }, 'unknown option min-size; did you mean minSize?'],
    [{ zebra: 5 }, 'unknown option zebra'],
  ])('refuses %o', (raw, problem) => {
    expect(check(raw)).toEqual({ checked: {}, problems: [problem] });
  });

  it('names options as they are spelt by whoever wrote them', () => {
    expect(check({ minSize: 2000 }, asFlag).problems).toEqual(['--min-size must be at most 1000, not 2000']);
  });

  it('collects all problems and keeps what is right', () => {
    const { checked, problems } = check({ size: 0, trim: 1, unit: 'words', zebra: 1 });
    expect(checked).toEqual({ unit: 'words' });
    expect(problems).toHaveLength(3);
  });

  it('is not misled by names that objects have anyway', () => {
    const raw = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}') as Record<string, unknown>;
    expect(check(raw).problems).toEqual(['unknown option __proto__', 'unknown option constructor', 'unknown option toString']);
  });
});

describe('a name that is nearly right', () => {
  it.each([
    ['--szie', 'size'],
    ['--sise', 'size'],
    ['--overlp', 'overlap'],
    ['--minSize', 'min-size'],
    ['--min_size', 'min-size'],
    ['--MIN-SIZE', 'min-size'],
    ['--chunk-size', 'size'],
    ['--max-chunk-size', 'size'],
    ['--chunk-overlap', 'overlap'],
    ['--output', 'out'],
    ['--model', 'tokenizer'],
    ['--separator', 'separators'],
    ['--over', 'overlap'],
    ['--dry', 'dry-run'],
    ['--dryrun', 'dry-run'],
  ])('%s stands for %s', (written, meant) => {
    expect(meantOption(written, specs)?.name).toBe(meant);
    expect(unknownOption(written, specs, asFlag)).toBe(`unknown option ${written}; did you mean --${meant}?`);
  });

  it.each(['--zebra', '--x', '--', '--verbose', `--${'size'.repeat(1e5)}`])('%.20s stands for none', (written) => {
    expect(meantOption(written, specs)).toBeUndefined();
  });

  it('is found by few typing errors only, an exchange counting as one', () => {
    expect(nearest('tkoens', ['words', 'tokens'])).toBe('tokens');
    expect(nearest('TOKENS', ['tokens'])).toBe('tokens');
    expect(nearest('cat', ['dog', 'out'])).toBeUndefined();
    expect(nearest('', ['a'])).toBeUndefined();
    expect(nearest('x', [])).toBeUndefined();
  });
});
