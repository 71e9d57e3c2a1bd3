import { describe, expect, it } from 'vitest';
import { keyPattern } from '../../sources/key-pattern.js';

describe('patterns of keys', () => {
  it.each([
    [
      'a*.jsonl.gz',
      'a',
      ['a.jsonl.gz', 'a1.jsonl.gz'],
      ['b.jsonl.gz', 'a/b.jsonl.gz', 'a1.jsonl.gzip', 'xa1.jsonl.gz', 'a1xjsonl.gz'],
    ],
    [
      'logs/*/part-?.txt',
      'logs/',
      ['logs/x/part-1.txt'],
      ['logs/part-1.txt', 'logs/x/part-10.txt', 'logs/x/y/part-1.txt', 'logs/.x/part-1.txt'],
    ],
    ['**/*.md', '', ['a.md', 'x/a.md', 'x/y/a.md'], ['x/.a.md', '.x/a.md', 'a.md/b', 'a.mdx']],
    ['docs/**', 'docs/', ['docs/a', 'docs/x/y'], ['docs/.a', 'doc/a', 'docs']],
    ['a**b', 'a', ['ab', 'axxb'], ['a/b']],
    ['data[0-9a].csv', 'data', ['data1.csv', 'dataa.csv'], ['datab.csv', 'data/.csv', 'data10.csv']],
    ['data[!0-9].csv', 'data', ['datax.csv'], ['data1.csv', 'data/.csv']],
    ['[]x].t', '', ['].t', 'x.t'], ['y.t']],
    ['{a,b/c}.t', '', ['a.t', 'b/c.t'], ['c.t', '{a,b/c}.t']],
    ['{a,{b,c}}*', '', ['a', 'b1', 'c2'], ['d']],
    ['a{b', 'a', ['a{b'], ['ab']],
    ['a*[b', 'a', ['ax[b', 'a[b'], ['ab']],
    ['.*', '.', ['.a'], ['a']],
    ['x\\*y*', 'x', ['x*y', 'x*yz'], ['xay']],
    ['a+(1)*', 'a+(1)', ['a+(1)', 'a+(1)$'], ['aa1']],
    ['日*', '日', ['日本', '日\n本'], ['本']],
  ] as const)('%s', (pattern, prefix, matching, others) => {
    const found = keyPattern(pattern)!;
    expect(found.prefix).toBe(prefix);
    for (const key of matching) expect(found.matches(key), key).toBe(true);
    for (const key of others) expect(found.matches(key), key).toBe(false);
  });

  it('are told from keys', () => {
    expect(keyPattern('a/b c+d%20.txt')).toBeUndefined();
    expect(keyPattern('a]b}c,d')).toBeUndefined();
  });
});
