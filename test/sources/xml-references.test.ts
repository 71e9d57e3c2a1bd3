/** References undone: what they say, where they were, and which are refused. */
import { expect, it } from 'vitest';
import { referenceProblem, undoReferences } from '../../sources/xml-references.js';

it('says where each reference was and what it became', () => {
  const source = '..a&lt;é&#x1F600;&#10;b..';
  expect(undoReferences(source, 2, source.length - 2, false)).toEqual({
    text: 'a<é😀\nb',
    escapes: [1, 1, 1, 4, 3, 2, 6, 9, 5, 1, 15, 5],
    stop: source.length - 2,
  });
});

it.each([
  '&',
  '& ',
  '&;',
  '&lt',
  '&#;',
  '&#x;',
  '&#xg;',
  '&#-1;',
  '&foo;',
  '&LT;',
  '&#0;',
  '&#55296;',
  '&#xffff;',
  '&#1114112;',
  '&#8;',
])('stops at %s', (reference) => {
  const source = `a&gt;b${reference}`;
  expect(undoReferences(source, 0, source.length, false)).toEqual({ text: 'a>b', escapes: [1, 1, 1, 4], stop: 6 });
  expect(referenceProblem(source, 6).excerpt).toBe(reference.trim());
});

it('leaves entities that may be defined, and no others', () => {
  const source = '&foo;&lt;&é.1;';
  expect(undoReferences(source, 0, source.length, true)).toEqual({
    text: '&foo;<&é.1;',
    escapes: [5, 1, 5, 4],
    stop: source.length,
  });
  for (const bad of ['&1;', '& ;', '&#0;', '&a b;', '&#x41']) expect(undoReferences(bad, 0, bad.length, true).stop).toBe(0);
});

it('does not look past its end', () => {
  expect(undoReferences('a&lt;', 0, 4, false)).toEqual({ text: 'a', escapes: [], stop: 1 });
  expect(undoReferences('a&foo;', 0, 4, true)).toEqual({ text: 'a', escapes: [], stop: 1 });
  expect(undoReferences('ab&lt;', 0, 2, false)).toEqual({ text: 'ab', escapes: [], stop: 2 });
});
