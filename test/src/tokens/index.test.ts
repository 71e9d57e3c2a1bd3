/** The counters by name. The vocabularies themselves are loaded by the tests of bpe.ts. */
import { describe, expect, it } from 'vitest';
import { IngestError } from '../../../src/errors.js';
import { counters, loadCounter, resolveTokenizer, tokenizerNames, unitCounter } from '../../../src/tokens/index.js';

describe('the counters', () => {
  it('come in the order of the documentation', () => {
    expect(tokenizerNames()).toEqual(['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base', 'estimate', 'bytes4']);
    expect(counters.every(({ summary }) => summary !== '' && !summary.endsWith('.'))).toBe(true);
  });

  it('are found by their own name or a model’s', () => {
    expect(['estimate', 'r50k_base', 'gpt-4o', 'characters', 'nonsense', 'none'].map(resolveTokenizer)).toEqual([
      'estimate',
      'r50k_base',
      'o200k_base',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('load by name', async () => {
    expect((await loadCounter('estimate')).count('four')).toBe(2);
    expect((await loadCounter('bytes4')).count('four')).toBe(1);
    const failure = await loadCounter('gpt-9').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(IngestError);
    expect(failure).toMatchObject({ kind: 'config', reason: 'unknown-tokenizer', message: expect.stringContaining('"gpt-9"') });
  });

  it('measure units', () => {
    expect((['characters', 'words', 'bytes'] as const).map((unit) => unitCounter(unit).count('two wörds'))).toEqual([9, 2, 10]);
    expect((['characters', 'words', 'bytes'] as const).map((unit) => unitCounter(unit).name)).toEqual([
      'characters',
      'words',
      'bytes',
    ]);
  });
});
