/**
 * Found by throwing random values at the options: `tokenizer: null`, `strategy: []` and the like were taken for parts passed as
 * values, and crashed where they were used. Whatever is neither a name nor such a part is a problem that is told, of kind config.
 */
import { expect, it } from 'vitest';
import type { ChunkOptions } from '../../src/chunk-options.js';
import { chunkSettings } from '../../src/settings.js';

it.each([null, [], {}, { name: 'x' }, 5, true, () => 1])('%j is no strategy and no tokenizer', (value) => {
  // A function is a strategy, but counts nothing.
  for (const key of typeof value === 'function' ? ['tokenizer'] : ['strategy', 'tokenizer']) {
    const options = { [key]: value } as unknown as ChunkOptions;
    expect(() => chunkSettings(options)).toThrow(
      expect.objectContaining({ kind: 'config', message: expect.stringContaining(key) }),
    );
  }
});
