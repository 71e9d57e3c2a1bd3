/**
 * What escapes say, against examples and against what wrote them; and that a stretch cut inside an escape is told.
 */
import { describe, expect, it } from 'vitest';
import { unescapeCsv, unescapeJson, unescapeXml } from '../../sources/unescape.js';
import { type Rng, seeded, troubleText } from '../support/random.js';

describe('the inside of a JSON string', () => {
  it('says what JSON.stringify was given', async () => {
    await seeded(100, (rng: Rng) => {
      const text = troubleText(rng, rng.between(0, 300));
      expect(unescapeJson(JSON.stringify(text).slice(1, -1), undefined)).toBe(text.toWellFormed());
    });
  });

  it.each([
    ['\\ud83d\\ude00', '😀'],
    ['\\ud83d', '\ufffd'],
    ['\\ude00\\ud83d', '\ufffd\ufffd'],
    ['a\\/b\\u0000', 'a/b\0'],
    ['', ''],
  ])('%j is %j', (raw, text) => expect(unescapeJson(raw, undefined)).toBe(text));

  it.each(['\\', 'x\\u', '\\u00e', '\\x', '"', 'a"b', '","'])('%j is cut or none', (raw) =>
    expect(unescapeJson(raw, undefined)).toBeUndefined(),
  );
});

describe('the inside of a quoted cell', () => {
  it.each([
    ['a""b', undefined, 'a"b'],
    ['""""', undefined, '""'],
    ['it\'\'s ""', "'", 'it\'s ""'],
    ['plain', undefined, 'plain'],
  ])('%j quoted with %j is %j', (raw, quote, text) => expect(unescapeCsv(raw, quote)).toBe(text));

  it.each(['"', 'a"b', '"""', '""x"'])('%j is cut', (raw) => expect(unescapeCsv(raw, undefined)).toBeUndefined());
});

describe('character data', () => {
  it.each([
    ['&lt;&gt;&amp;&quot;&apos;', '<>&"\''],
    ['&#65;&#x42;&#x1F600;', 'AB😀'],
    ['&amp;lt;', '&lt;'],
    ['&own; and &amp;', '&own; and &'],
    ['&constructor;', '&constructor;'],
    ['&#x110000;', '&#x110000;'],
    ['plain;', 'plain;'],
  ])('%j is %j', (raw, text) => expect(unescapeXml(raw, undefined)).toBe(text));

  it.each(['&', 'a &am', '&#x1', '&amp;&'])('%j is cut', (raw) => expect(unescapeXml(raw, undefined)).toBeUndefined());
});
