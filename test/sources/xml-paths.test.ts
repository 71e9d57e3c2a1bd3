/** Paths of the user in XML: what is refused, what a step means, and that long ones stay short. */
import { describe, expect, it } from 'vitest';
import { fieldsOf, Place, pathOf, RecordPath, xmlPathProblem } from '../../sources/xml-paths.js';

describe('a path', () => {
  it.each(['/feed/entry', '/feed/*', '//entry', 'entry', 'a/b', '/p:a/b.c-d', '/été'])('to records may be %s', (path) => {
    expect(xmlPathProblem(path, 'records')).toBeUndefined();
  });

  it.each(['', '/', '//', '.', '/a//b', '/a[1]', '/a/@b', '/a/', 'a b', '/a/text()', '..', 'a:', 'a:b:c'])(
    'to records may not be %j',
    (path) => {
      expect(xmlPathProblem(path, 'records')).toContain(path);
    },
  );

  it.each(['.', 'title', 'a/b', '@id', 'a/@id', 'a/@*', '//b', '//@id', '*/b', 'p:a'])('to a field may be %s', (path) => {
    expect(xmlPathProblem(path, 'field')).toBeUndefined();
  });

  it.each(['', '/a/b', '@', 'a/@', '@a/b', 'a//b', 'a[1]', '..', '//'])('to a field may not be %j', (path) => {
    expect(xmlPathProblem(path, 'field')).toContain(path);
  });

  it('of an element is written in full, unless it is long', () => {
    expect(pathOf(['c', 'b', 'a'], '/')).toBe('/a/b/c');
    expect(pathOf(['c', 'b', 'a'], '')).toBe('a/b/c');
    const long = pathOf(
      Array.from({ length: 1000 }, () => 'abc'),
      '/',
    );
    expect(long).toMatch(/^\/\/abc(\/abc)+$/);
    expect(long.length).toBeLessThan(1100);
  });
});

describe('a record', () => {
  const matches = (path: string | undefined, names: string, many = false) => {
    const open = names.split('/').map((name) => ({ name }));
    const last = open.pop()!;
    return new RecordPath(path, many).matches(open, last.name);
  };

  it.each([
    ['/a/b', 'a/b', true],
    ['/a/b', 'x/a/b', false],
    ['//a/b', 'x/a/b', true],
    ['b', 'x/a/b', true],
    ['/a', 'a/a', false],
    ['/*/b', 'x/p:b', true],
    ['/*/p:b', 'x/b', false],
    ['/a/b', 'b', false],
  ])('at %s: %s is %s', (path, names, is) => expect(matches(path, names)).toBe(is));

  it('is the root or its child where no path is given', () => {
    expect([
      matches(undefined, 'a'),
      matches(undefined, 'a/b'),
      matches(undefined, 'a', true),
      matches(undefined, 'a/b', true),
    ]).toEqual([true, false, false, true]);
  });
});

it('a place is the same whether it is remembered or not', () => {
  const record = Place.record(fieldsOf(['//n9999', 'a/@x'], undefined, 'a'));
  for (let n = 0; n < 10_000; n++) expect(record.child(`n${n}`).text).toBe(n === 9999);
  expect(record.child('n0')).toBe(record.child('n0'));
  expect(record.child('n9998')).not.toBe(record.child('n9998'));
  expect(record.child('n9998').path).toBe('n9998');
  expect(record.child('a')).toMatchObject({ text: false, meta: true, key: true, path: 'a' });
  expect(record.child('a').attribute('x')).toEqual({ text: true, meta: false, key: false });
  expect(record.child('a').attribute('xmlns:x')).toEqual({ text: false, meta: false, key: false });
});
