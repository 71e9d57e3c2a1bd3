/** The delimiter of a table, told from its beginning. */
import { describe, expect, it } from 'vitest';
import { guessedDelimiter, HEAD_UNITS, separatorLine } from '../../sources/csv-dialect.js';

describe('the guess', () => {
  it.each([
    [',', 'a,b\n1,2\n'],
    [';', 'a;b\n1;2\n'],
    ['\t', 'a\tb\n1\t2\n'],
    ['|', 'a|b\n1|2\n'],
    [';', 'a;b\r\n1;2\r\n'],
    [';', 'a;b\r1;2\r'],
    [';', 'a;b\r\n1;2\n3;4\r'],
    [';', 'a;b'],
    [';', 'a;b\n'],
    [';', 'price;weight\n1,5;2,5\n3,0;1,25\n'],
    [';', 'a;b\n"x, y, z";1\n"p, q";2\n'],
    [';', 'a;b\n"one\ntwo, three";1\n"four, \n five";2\n'],
    [',', 'a,b\n"x; y; z",1\n"p; q",2\n'],
    ['\t', 'name\tnote\nx\ta, b, c\ny\td\nz\te, f\n'],
    [';', 'Levels of the year\na;b;c\n1;2;3\n4;5;6\n'],
    [';', 'a;b\n\n\n1;2\n\n3;4\n'],
    [',', 'one column\nno delimiter\nat all\n'],
    [',', ''],
    [',', '\n\n'],
    [',', '"a;b"\n"c;d"\n'],
    [',', 'prose; with one\nnone here\nnone there\nand none\n'],
  ])('is %j for %j', (delimiter, head) => {
    expect(guessedDelimiter(head, true, '"')).toBe(delimiter);
  });

  it.each([
    [';', "a;b\n'x, y\n z';1\n'p, q';2\n", "'"],
    [';', 'a;b\n"x;1\n"y;2\n', undefined],
    [';', 'a;b\n"x;1\n"y;2\n', "'"],
  ])('is %j for %j with the quote %j', (delimiter, head, quote) => {
    expect(guessedDelimiter(head, true, quote)).toBe(delimiter);
  });

  it('looks at complete rows', () => {
    expect(guessedDelimiter('a;b\n1;2\n3,4,5,6,7', false, '"')).toBe(';');
    expect(guessedDelimiter('a;b;c, and more of it', false, '"')).toBe(';');
  });

  it('is made in no time on a head that is one quoted cell', () => {
    expect(guessedDelimiter(`a;"${'x,\n'.repeat(HEAD_UNITS / 3)}`.slice(0, HEAD_UNITS), false, '"')).toBe(',');
  });
});

describe('a sep= line', () => {
  it.each([
    ['sep=;\r\na;b\r\n', ';', 7],
    ['sep=,\na', ',', 6],
    ['SEP=\t\ra', '\t', 6],
    ['"sep=;"\r\na;b', ';', 9],
    ['sep=|', '|', 5],
    ['sep=\u{1F3A1}\n', '\u{1F3A1}', 7],
  ])('%j names %j', (text, delimiter, units) => {
    expect(separatorLine(text)).toEqual({ delimiter, units });
  });

  it.each(['', 'sep=', 'sep=\n;', 'sep=;;\n', 'sep=;,a\n', ' sep=;\n', 'sep;a\n', '"sep=;\n', 'sep="\n', '\nsep=;\n'])(
    '%j is none',
    (text) => {
      expect(separatorLine(text)).toBeUndefined();
    },
  );
});
