/** Model names against the tables of tiktoken and gpt-tokenizer. */
import * as mapping from 'gpt-tokenizer/mapping';
import tiktoken from 'tiktoken/model_to_encoding.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { encodingOf } from '../../../src/tokens/models.js';

/** Vocabularies that read ordinary text as another does. */
const ALIASES: Readonly<Record<string, string>> = { gpt2: 'r50k_base', p50k_edit: 'p50k_base', o200k_harmony: 'o200k_base' };

describe('encodingOf', () => {
  it.each(Object.entries({ ...mapping.modelToEncodingMap, ...tiktoken }))('%s reads with %s', (model, encoding) => {
    expect(encodingOf(model)).toBe(ALIASES[encoding] ?? encoding);
  });

  it.each([
    ['gpt-4o-2024-08-06', 'o200k_base'],
    ['gpt-4.1-mini-2025-04-14', 'o200k_base'],
    ['gpt-5.1-codex', 'o200k_base'],
    ['o3-pro', 'o200k_base'],
    ['gpt-4-0613', 'cl100k_base'],
    ['ft:gpt-4o-mini-2024-07-18:org:name:id', 'o200k_base'],
    ['ft:gpt-3.5-turbo:org', 'cl100k_base'],
    ['code-davinci-002', 'p50k_base'],
    ['code-search-ada-code-001', 'r50k_base'],
  ])('%s reads with %s', (model, encoding) => {
    expect(encodingOf(model)).toBe(encoding);
  });

  it.each(['', 'gpt', 'gpt-4oo', 'gpt-4.10', 'o11', 'ada-002', 'davinci-9', 'GPT-4', 'ft:', 'ft:x', '*', 'claude-3', 'toString'])(
    '%j is unknown',
    (model) => {
      expect(encodingOf(model)).toBeUndefined();
    },
  );
});
