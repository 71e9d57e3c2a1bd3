/** Boundaries in code: what leads up to a definition, how deep it is, and what the place asked about may lie within. */
import { describe, expect, it } from 'vitest';
import type { Marks } from '../../../src/types.js';
import { type CodeLines, codeLevels } from '../../../transforms/boundaries/code.js';

const NO_MARKS: Marks = { last: () => undefined, first: () => undefined };

const LINES: CodeLines = {
  definition: /^def /,
  top: /^let /,
  block: /^if /,
  lead: /^(?:#|@)/,
  spans: [
    [/^\)$/, /^@/],
    [/\*\/$/, /^\/\*/],
  ],
};

function cutAt(text: string, to = text.length, from = 0): Record<string, number> {
  const cuts = codeLevels(LINES).map((level) => [level.name, level.last(text, from, to, NO_MARKS)?.end] as const);
  return Object.fromEntries(cuts.filter((cut): cut is [string, number] => cut[1] !== undefined));
}

describe('code', () => {
  it('tells definitions by their depth, and blocks from them', () => {
    const text = 'x\ndef a\n    def b\n        def c\n        if d\n                if e\n';
    expect(cutAt(text)).toEqual({
      definition: text.indexOf('def a'),
      'inner definition': text.indexOf('    def b'),
      'deep definition': text.indexOf('        def c'),
      block: text.indexOf('        if d'),
      'deep block': text.indexOf('                if e'),
    });
  });

  it('takes a tab for a step, and some lines for definitions at the top only', () => {
    expect(cutAt('x\n\tdef b\n')).toMatchObject({ 'inner definition': 2 });
    expect(cutAt('x\nlet b\n')).toMatchObject({ definition: 2 });
    expect(cutAt('x\n  let b\n')).toEqual({});
  });

  it.each([
    ['comments', 'x\n', '# a\n# b\ndef f\n'],
    ['decorators of several lines', 'x\n', '@a\n@b(\n  1,\n)\ndef f\n'],
    ['comments whose lines bear no mark', 'x\n', '/* a\nb\n*/\ndef f\n'],
    ['no comment of what is above', 'def g\n    x\n    # end\n', 'def f\n'],
    ['no comment before a blank line', 'x\n# a\n\n', 'def f\n'],
    ['no bracket that closes a call', 'call(\n  1,\n)\n', 'def f\n'],
    ['no definition in one line', 'y\ndef g\n', 'def f\n'],
    ['lines that end in CR LF', 'x\r\n', '# a\r\n@b(\r\n)\r\ndef f\r\n'],
  ])('leaves with a definition: %s', (_, before, definition) => {
    expect(cutAt(before + definition).definition).toBe(before.length);
  });

  it('finds a definition below the place when that lies in what leads up to it', () => {
    const text = 'def a\nx\n# one\n# two\ndef b\n';
    for (const place of ['# one', 'ne', '# two', 'two']) expect(cutAt(text, text.indexOf(place)).definition).toBe(8);
    expect(cutAt(text, 7, 0).definition).toBeUndefined();
    expect(cutAt(text, text.length, 8).definition).toBeUndefined();
  });

  it('looks at no more than 200 lines and the first 200 units of each', () => {
    const leads = '# a\n'.repeat(300);
    expect(cutAt(`x\n${leads}def f\n`).definition).toBe(2 + 4 * 100);
    expect(cutAt(`x\n${' '.repeat(300)}def f\n`)).toEqual({});
  });
});
