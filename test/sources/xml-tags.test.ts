/** Start tags by sax: places of values, and the traps of sax that must not show. */
import { expect, it } from 'vitest';
import { repeated, TagReader } from '../../sources/xml-tags.js';
import { seeded } from '../support/random.js';

const reader = new TagReader();

function read(tag: string): unknown {
  const found = reader.read(tag);
  return 'problem' in found ? found : [found.name, ...found.attributes.map(({ name, from, to }) => [name, tag.slice(from, to)])];
}

it('gives the name and where each value is, for one tag after another', () => {
  expect(read('<a>')).toEqual(['a']);
  expect(read('<p:é b="1"\n c = \'"2"\' d="" />')).toEqual(['p:é', ['b', '1'], ['c', '"2"'], ['d', '']]);
  expect(read('<a b="&lt;&x; > &#1;"/>')).toEqual(['a', ['b', '&lt;&x; > &#1;']]);
  expect(read('<a __proto__="1" hasOwnProperty="2" b="3">')).toEqual([
    'a',
    ['__proto__', '1'],
    ['hasOwnProperty', '2'],
    ['b', '3'],
  ]);
});

it('reads a plain tag as sax reads it', () => {
  const names = ['a', 'b:c', '_', 'x.y-1', 'xmlns', 'hasOwnProperty', '1', ''];
  const values = ['""', `'"'`, `"a='b' />"`, '"&amp;"', 'x', '"1""2"'];
  const found = (tag: string) => {
    const start = new TagReader().read(tag);
    return 'problem' in start ? 'wrong' : [start.name, start.attributes.map(({ name, from, to }) => [name, tag.slice(from, to)])];
  };
  seeded(400, (rng) => {
    const name = rng.pick(names);
    const attributes = Array.from({ length: rng.between(1, 4) }, () => [rng.pick(names), rng.pick(values)]);
    const end = rng.pick([' />', '/>', '>', ' >', '  >', '/ >', '//>']);
    // Plain tags have no blank before `=`: with one it is for sax.
    const [plain, odd] = ['=', ' ='].map(
      (equals) => `<${name}${attributes.map((each) => ` ${each.join(equals)}`).join('')}${end}`,
    );
    expect(found(plain!), plain).toEqual(found(odd!));
  });
});

it('keeps a value of a mebibyte, and goes on after it', () => {
  const value = 'x'.repeat(1 << 20);
  expect(read(`<a b="${value}">`)).toEqual(['a', ['b', value]]);
  expect(read('<a b="1">')).toEqual(['a', ['b', '1']]);
});

it('finds the attribute that comes twice', () => {
  const found = reader.read('<a b="1" c="2" b="3">');
  if ('problem' in found) expect.fail(found.problem);
  expect(repeated(found.attributes)).toEqual({ name: 'b', from: 18, to: 19 });
  expect(repeated(found.attributes.slice(0, 2))).toBeUndefined();
});

it.each([
  ['<a b>', 4],
  ['<a b=c>', 5],
  ['<1>', 1],
  ['<a / >', 4],
  ['<a b="1"c="2">', 8],
  ['<a &amp;="1">', 3],
])('%s is wrong at unit %i', (tag, unit) => expect(new TagReader().read(tag)).toMatchObject({ unit }));
