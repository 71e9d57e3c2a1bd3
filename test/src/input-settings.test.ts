/** How inputs are reached: defaults that are always legal, and the same options for a run and for its proof. */
import { describe, expect, it } from 'vitest';
import { chunkOptions, verifyOptions } from '../../src/chunk-options.js';
import { accessOptions, inputSettings } from '../../src/input-settings.js';
import { asKey } from '../../src/options.js';
import { runSettings } from '../../src/settings.js';

describe('settings of inputs', () => {
  it('have defaults', () => {
    expect(inputSettings({})).toEqual({
      bufferBytes: 2 ** 20,
      compression: 'auto',
      maxRatio: 1000,
      maxInputBytes: undefined,
      allowPrivate: false,
      s3: { pathStyle: false, anonymous: false },
    });
  });

  it('are what was given', () => {
    const given = {
      root: 'docs',
      bufferBytes: 7,
      compression: 'zstd',
      maxRatio: 3,
      maxInputBytes: 9,
      allowPrivate: true,
    } as const;
    const s3 = { endpoint: 'http://127.0.0.1:1', region: 'r', profile: 'p', pathStyle: true, anonymous: true };
    const named = { s3Endpoint: s3.endpoint, s3Region: 'r', s3Profile: 'p', s3PathStyle: true, s3Anonymous: true };
    expect(inputSettings({ ...given, ...named })).toEqual({ ...given, s3 });
    expect(runSettings({ input: 'a', ...given, ...named }).access).toEqual({ ...given, s3 });
  });

  it('are asked for by a run and by its proof', () => {
    const names = accessOptions.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const options of [chunkOptions, verifyOptions])
      expect(options.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });

  it('are checked', () => {
    const problems = (options: object) => () => runSettings({ input: 'a', ...options });
    expect(problems({ compression: 'gzp' })).toThrow('did you mean gzip?');
    expect(problems({ maxRatio: 0, maxInputBytes: -1 })).toThrow(/maxRatio.*\n.*maxInputBytes|max-ratio.*\n.*max-input-bytes/s);
    for (const { name } of accessOptions) expect(asKey(name)).toMatch(/^[a-z0-9]+([A-Z][a-z0-9]*)*$/);
  });
});
