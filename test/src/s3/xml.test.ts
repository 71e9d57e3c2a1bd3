import { describe, expect, it } from 'vitest';
import { childText, xmlRoot } from '../../../src/s3/xml.js';

describe('answers of S3', () => {
  it('are elements and text', () => {
    const root = xmlRoot(
      '\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- > --><a:R xmlns="x>y" b=\'/>\'>\n <K>a &lt;b&gt; &amp;amp; &#233;&#x1F600;&quot;&apos;</K><E/><E x="1" /><C><![CDATA[<&]]]></C>\n</a:R>\n',
    );
    expect(root.name).toBe('R');
    expect(childText(root, 'K')).toBe('a <b> &amp; é😀"\'');
    expect(childText(root, 'E')).toBe('');
    expect(childText(root, 'C')).toBe('<&]');
    expect(childText(root, 'none')).toBeUndefined();
    expect(root.children.map(({ name }) => name)).toEqual(['K', 'E', 'E', 'C']);
  });

  it.each([
    '',
    'text',
    '<a>',
    '</a>',
    '<a></b>',
    '<a><b></a></b>',
    '<a/><b/>',
    '<a/>text',
    '<a>&nbsp;</a>',
    '<a>&#x110000;</a>',
    '<a>R&D</a>',
    '<a b="></a>',
    '<a',
    '<!DOCTYPE a><a/>',
    '{"a": 1}',
  ])('are not %j', (text) => {
    expect(() => xmlRoot(text)).toThrow(SyntaxError);
  });

  it('cut anywhere are none', () => {
    const whole = '<L><Contents><Key>a&amp;b</Key><Size>1</Size></Contents><IsTruncated>false</IsTruncated></L>';
    for (let at = 0; at < whole.length; at++) expect(() => xmlRoot(whole.slice(0, at)), whole.slice(0, at)).toThrow(SyntaxError);
  });

  it('take time that grows with their length only', () => {
    const long = `<a ${'x="y" '.repeat(50_000)}>${'<b>c</b>'.repeat(50_000)}</a>`;
    expect(xmlRoot(long).children).toHaveLength(50_000);
    expect(() => xmlRoot(`<a ${'x= '.repeat(50_000)}`)).toThrow(SyntaxError);
  });
});
