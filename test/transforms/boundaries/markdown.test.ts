/** Headings and rules of Markdown, and what only looks like one. */
import { describe, expect, it } from 'vitest';
import type { Marks } from '../../../src/types.js';
import { markdownLevels } from '../../../transforms/boundaries/markdown.js';

const NO_MARKS: Marks = { last: () => undefined, first: () => undefined };

/** Where each level cuts last, by its name. */
function found(text: string): Record<string, number> {
  const cuts = markdownLevels().map((level) => [level.name, level.last(text, 0, text.length, NO_MARKS)?.end] as const);
  return Object.fromEntries(cuts.filter((cut): cut is [string, number] => cut[1] !== undefined));
}

describe('markdown', () => {
  it.each([
    ['x\n# a\n', { 'heading 1': 2 }],
    ['x\n###### a\n   ## b', { 'heading 6': 2, 'heading 2': 11 }],
    ['x\n#\n', { 'heading 1': 2 }],
    ['x\n#a\n####### b\n    # c\n', {}],
    ['x\n\na | b\n===\n', { 'heading 1': 3 }],
    ['x\n\na\n--\n', { 'heading 2': 3 }],
    ['x\na\n===\n', {}],
    ['x\n\n---\n\n* * *\n', { rule: 8 }],
    ['x\n\n___\n', { rule: 3 }],
    ['x\n```\n# a\n```\n# b\n', { 'heading 1': 14 }],
    ['x\n````\n```\n# a\n````\n', {}],
    ['x\n~~~\n```\n# a\n~~~\n## b\n', { 'heading 2': 18 }],
    // The view begins within a fence: the next one that says what it holds sets it right.
    ['x = 1\n```\n# a\n```py\n# no\n```\n# b\n', { 'heading 1': 29 }],
  ])('%j', (text, cuts) => expect(found(text)).toEqual(cuts));

  it('gives the furthest within bounds', () => {
    const [level] = markdownLevels();
    expect(level!.last('# a\n# b\n# c\n', 0, 7, NO_MARKS)?.end).toBe(4);
    expect(level!.last('# a\n# b\n# c\n', 4, 7, NO_MARKS)).toBeUndefined();
    expect(level!.last('# a\n# b\n# c\n', 0, 8, NO_MARKS)?.end).toBe(8);
  });
});
