/** Patterns as trees: written back, a tree says what the pattern said. */
import { describe, expect, it } from 'vitest';
import { type Tree, treeOf } from '../../../transforms/boundaries/regex-tree.js';

/** A tree in a spelling of its own: atoms as they are, `<…>` for what is looked at only, every repeat with its bounds. */
function spelt(tree: Tree): string {
  switch (tree.kind) {
    case 'assert':
      return tree.within === undefined ? '<>' : `<${spelt(tree.within)}>`;
    case 'atom':
      return tree.source;
    case 'all':
      return tree.parts.map(spelt).join(' ');
    case 'any':
      return `(${tree.parts.map(spelt).join(' | ')})`;
    case 'repeat':
      return `[${spelt(tree.part)}]${tree.min}-${tree.max}`;
  }
}

describe('a pattern as a tree', () => {
  it.each([
    ['abc', 'a b c'],
    ['a|bc|', '(a | b c | )'],
    ['a*b+?c{2}d{2,}e{2,3}?f?', '[a]0-Infinity [b]1-Infinity [c]2-2 [d]2-Infinity [e]2-3 [f]0-1'],
    ['^a\\b$', '<> a <> <>'],
    ['(?:ab)+', '[a b]1-Infinity'],
    ['(?=a)(?!b)(?<=c)(?<!d)e', '<a> <b> <c> <d> e'],
    ['[)\\]|(]\\(\\|.', '[)\\]|(] \\( \\| .'],
    ['\\p{L}\\u{1f600}\\u00e9\\x41\\ud83d\\ude00\\cJ\\0', '\\p{L} \\u{1f600} \\u00e9 \\x41 \\ud83d\\ude00 \\cJ \\0'],
    ['😀+', '[😀]1-Infinity'],
    ['(a(?<n>b))\\1\\2\\k<n>', 'a b a b b b'],
    ['\\1(a)', ' a'],
    ['((a)|b)\\2', '(a | b) a'],
  ])('%s', (source, tree) => expect(spelt(treeOf(new RegExp(source, 'u').source))).toBe(tree));
});
