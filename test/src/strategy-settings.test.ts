/** What a strategy's meaning makes of the general options: units, overlaps, least sizes, and what it cannot have. */
import { describe, expect, it } from 'vitest';
import type { ChunkOptions } from '../../src/chunk-options.js';
import { asFlag } from '../../src/options.js';
import { chunkSettings } from '../../src/settings.js';

const problemsOf = (options: Record<string, unknown>) => {
  try {
    chunkSettings(options as ChunkOptions, asFlag);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('a strategy', () => {
  it('has a unit of its own where no other makes sense', () => {
    expect(chunkSettings({ strategy: 'words' })).toMatchObject({ unit: 'words', minSize: 0, tokenizer: 'estimate' });
    expect(chunkSettings({ strategy: 'token' })).toMatchObject({ unit: 'tokens', tokenizer: 'o200k_base' });
    expect(chunkSettings({ strategy: 'sliding', unit: 'words' }).unit).toBe('words');
    expect(chunkSettings({ strategy: 'words' }).described).toMatchObject({ unit: 'words', strategy: 'words' });
  });

  it.each([
    [{ strategy: 'words', unit: 'tokens' }, /words counts words: it cannot have the --unit tokens/],
    [{ strategy: 'token', unit: 'bytes' }, /token counts tokens: it cannot have the --unit bytes/],
    [{ strategy: 'sliding', unit: 'characters' }, /sliding counts tokens or words/],
    [{ strategy: 'words', minSize: 5 }, /--min-size means nothing to the strategy words/],
    [{ strategy: 'sliding', size: 100, step: 200 }, /text would be lost/],
    [{ strategy: 'sliding', size: 100, step: 60, overlap: 10 }, /contradict each other/],
    [{ strategy: 'sliding', targetSize: 5 }, /--target-size means nothing to the strategy sliding/],
    [{ strategy: 'sentence', size: 100, targetSize: 200 }, /--target-size must not be larger/],
    [{ strategy: 'recursive', step: 5 }, /--step means nothing to the strategy recursive/],
    [{ strategy: './mine.js', step: 5 }, /--step means nothing to the strategy of your own/],
    [{ strategy: 'topic', topicWords: 0 }, /--topic-words must be from 1/],
    [{ strategy: 'mine' }, /--strategy takes one of/],
  ])('refuses %j', (options, problem) => {
    expect(problemsOf(options)).toMatch(problem);
  });

  it('that slides has the overlap that its step comes to', () => {
    expect(chunkSettings({ strategy: 'sliding', size: 100, step: 60 }).overlap).toBe(40);
    expect(chunkSettings({ strategy: 'sliding', size: 100, step: 100 }).overlap).toBe(0);
    expect(chunkSettings({ strategy: 'sliding', size: 100 }).overlap).toBe(10);
  });

  it('passes no boundary of the user over, nor a unit that is to be a chunk', () => {
    expect(chunkSettings({ size: 100 }).minSize).toBe(25);
    expect(chunkSettings({ size: 100, strategy: 'section' }).minSize).toBe(25);
    expect(chunkSettings({ size: 100, strategy: (_view, _from, to) => to }).minSize).toBe(0);
    expect(chunkSettings({ size: 100, strategy: './mine.js' }).minSize).toBe(0);
  });

  it('named by its path is described by it', () => {
    const { strategy, described } = chunkSettings({ strategy: './mine.js' });
    expect([strategy.name, described.strategy]).toEqual(['./mine.js', './mine.js']);
  });
});
