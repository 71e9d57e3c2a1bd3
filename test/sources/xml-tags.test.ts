/** Start tags by sax: places of values, and the traps of sax that must not show. */
import { expect, it } from 'vitest';
import { repeated, TagReader } from '../../sources/xml-tags.js';

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

it('reads a tag as it does when it is written in a way that few write', () => {
  const names = ['a', 'b:c', '_', 'x.y-1', 'xmlns', 'hasOwnProperty', '1', ''];
  const values = ['""', '\'"\'', '"a=\'b\' />"', '"&amp;"', '"', "x'"];
  seeded(400, (rng) => {
    const attributes = Array.from({ length: rng.between(0, 4) }, () => [rng.pick(names), rng.pick(values)]);
    const tag = (equals: string) =>
      `<${rng.chance(0.9) ? 'a' : rng.pick(names)}${attributes.map(([name, value]) => ` ${name}${equals}${value}`).join('')}`;
    // sax reads what has a blank before `=`, since no plain tag has one.
    const state = rng.pick([' />', '/>', '>', ' >', '  >']);
    const [plain, odd] = [tag('='), tag(' =')];
    if (plain.split(' ', 1)[0] !== odd.split(' ', 1)[0]) return;
    const [read1, read2] = [reads(`${plain}${state}`), reads(`${odd}${state}`)];
    expect(read1, plain + state).toEqual(read2);
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
