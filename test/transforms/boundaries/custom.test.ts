/** Strategies of a user's own: the laws for a function that cuts; modules with one; what is told of modules without. */
import { describe, expect, it } from 'vitest';
import { type CutFunction, custom, isModule, moduleStrategy, strategyOf } from '../../../transforms/boundaries/custom.js';
import { conformStrategy } from '../../conformance/strategy.js';

const semicolon: CutFunction = (view, from, to) => {
  const at = view.lastIndexOf(';', to - 1) + 1;
  return at > from ? at : undefined;
};

conformStrategy('a function', [{ strategy: custom(semicolon) }], { parts: ['a;', 'bc', '; ', ';'] });

describe('a strategy of a user', () => {
  it('is a function or an object, and nothing else', () => {
    expect(strategyOf(semicolon)).toMatchObject({ name: 'semicolon', packing: 'fill' });
    expect(strategyOf((() => undefined) as CutFunction)?.name).toBe('custom');
    const object = { name: 'x', packing: 'each', levels: [{ name: 'a', last: () => undefined }] };
    expect(strategyOf(object)).toBe(object);
    for (const other of [
      undefined,
      null,
      'recursive',
      5,
      [],
      {},
      { name: 'x' },
      { ...object, packing: 'some' },
      { ...object, levels: [{}] },
    ])
      expect(strategyOf(other), JSON.stringify(other)).toBeUndefined();
    expect(strategyOf({ ...object, levels: [] })).toBeUndefined();
  });

  it.each(['./mine.js', '../a/b.mjs', '/abs/x', 'mine.js', 'dir\\mine.cjs', '.\\mine'])(
    'may be named by its path: %s',
    (path) => {
      expect(isModule(path)).toBe(true);
    },
  );

  it.each(['recursive', 'recursiv', 'js', 'a/b', ''])('is no path: %s', (name) => {
    expect(isModule(name)).toBe(false);
  });

  it('comes from the default export of a module, and is called by its path', async () => {
    const { name, load } = moduleStrategy('./mine.js');
    expect(name).toBe('./mine.js');
    expect(await load({ load: async () => ({ default: semicolon }) })).toMatchObject({ name: './mine.js', packing: 'fill' });
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'there is no such module',
      () => Promise.reject(new Error('Cannot find module')),
      /\.\/mine\.js could not be loaded: Cannot find/,
    ],
    ['it has no default export', async () => ({ semicolon }), /must have a default export that is a function/],
    ['what it exports is no strategy', async () => ({ default: { name: 'x' } }), /must have a default export/],
  ])('is an error of the configuration when %s', async (_, load, message) => {
    const failed = moduleStrategy('./mine.js').load({ load });
    await expect(failed).rejects.toMatchObject({ kind: 'config', message: expect.stringMatching(message) });
  });
});
