/** Elements to records: what becomes a value where elements, text and texts of their own are mixed. */
import { expect, it } from 'vitest';
import { xml } from '../../sources/xml.js';
import { split } from '../conformance/records.js';

function metadataOf(inside: string, text: string, meta?: readonly string[]): unknown {
  const options = { text: [text], pack: false, maxRecordBytes: 1 << 20, encoding: 'auto' as const, onInvalid: () => {} };
  const bytes = new TextEncoder().encode(`<r><a>${inside}</a></r>`);
  const found = split(
    (report) => xml({ uri: 'a.xml' }, { ...options, ...(meta === undefined ? {} : { meta }) }, report),
    [bytes],
  );
  return found.documents.at(-1)!.doc.metadata;
}

it.each([
  ['text only', '<x>1</x>', { x: '1' }],
  ['elements only', '<x> <y>1</y> <z/> </x>', { 'x/y': '1', 'x/z': '' }],
  ['text, then elements', '<x>1<y>2</y></x>', { x: '12' }],
  ['elements, then text', '<x><y k="v">2</y><y>3</y>1</x>', { x: '231' }],
  ['mixed in an element of elements', '<x><y>1<z>2</z></y><y>3</y></x>', { 'x/y': ['12', '3'] }],
  ['blanks only', '<x> </x>', { x: ' ' }],
  ['CDATA and comments', '<x>1<!-- 2 --><![CDATA[<3>]]></x>', { x: '1<3>' }],
  ['text of the record itself, beside elements', 'stray<x>1</x>', { x: '1' }],
  ['around a text of its own', '<x>1<y>2</y><t>T</t><z>3</z></x>', { 'x/y': '2', 'x/z': '3' }],
])('%s', (_, inside, expected) => {
  const more = inside.includes('<t>') ? '' : '<t>T</t>';
  expect(metadataOf(inside + more, '//t')).toEqual(expected);
});

it('an element that is named stands for all that is in it, its attributes too', () => {
  expect(metadataOf('<b k="v">1</b><c>2</c><t/>', 't', ['b'])).toEqual({ 'b/@k': 'v', b: '1' });
});
