/** Patterns that run away, which are refused; and patterns that people write, none of which is. */
import { describe, expect, it } from 'vitest';
import { patternProblem } from '../../../transforms/boundaries/regex-safety.js';

const problemOf = (source: string, flags = 'um') => patternProblem(new RegExp(source, flags));

describe('patterns that can run away are refused', () => {
  it.each([
    '(a+)+b',
    '(a*)*b',
    '(?:a|a)*b',
    '(?:a|aa)+$',
    '(?:a|ab|b)*c',
    '(?:\\w+\\s?)+:',
    '(?:x+x+)+y',
    '(.*)*=',
    '(?:[ab]|b+)*c',
    '(?:\\d+,?)+;',
    '(?<word>\\w+\\b)+!',
    '(a?b?)*c',
    '(?=(?:a+)+b)x',
    '(?<!(?:a+)+b)x',
    '(?:[а-я]|[э-ё]+)+!',
    '(?:(?:a{1,9}){1,9})z',
    '-([a-c]+|b\\d?)*(?:\\n|$)',
    // As many ways as the text is long, squared by all the places where it may begin.
    '.*.*=',
    'a*a*b',
    '\\s+\\n\\s+#',
    '\\w+\\d+!',
    '\\n\\s*\\n\\s*(?=[A-Z])',
    '[a-f]+[0-9a-c]*x',
    '(\\s+)\\1x',
    '(?<a>[ab]+)\\k<a>c',
  ])('%s', (source) => expect(problemOf(source)).toMatch(/run away/));
});

describe('patterns that may match nothing are refused', () => {
  it.each(['a*', '', '(?:a|)', '^', '$', '\\b', '(?=\\n#)', 'a{0,3}', '(?:a?){4}', '(?<x>a)?', '\\n*(?<!a)'])('%j', (source) =>
    expect(problemOf(source)).toMatch(/empty text/),
  );
});

describe('what people write is let through', () => {
  it.each([
    '\\n\\n+',
    '\\r?\\n(?:[^\\S\\n]*\\n)+',
    '(?:\\r?\\n){2,}',
    '(?:\\s*\\n)+',
    '(?:\\n\\s*){2,}',
    '\\s*\\n\\s*',
    '\\s+',
    '[.!?]+["\')\\]]*\\s+',
    '(?<=[.!?])\\s+(?=[A-Z])',
    '^#{1,6} .+$',
    '^#+ ',
    '^(?:export |async |public )*(?:class|function|interface) \\w+',
    '\\n(?:class|def|\\tdef|if|for|while) ',
    '^-{3,}$',
    '<(?:p|div|h[1-6])\\b[^>]*>',
    '\\\\(?:sub)*section\\*?\\{[^}]*\\}',
    '\\[\\d{1,2}:\\d{2}(?::\\d{2})?\\]',
    '\\d{4}-\\d{2}-\\d{2}T\\d+',
    '[\\u3002\\uff01\\uff1f]+',
    '\\p{Lu}[\\p{L}\\p{M}]*:',
    '"(?:[^"\\\\]|\\\\.)*"',
    '/\\*[^*]*\\*+(?:[^/*][^*]*\\*+)*/',
    '^(?:[A-Z]+-)+\\d+:',
    '(?:\\d{1,3}\\.){3}\\d{1,3}',
    '(?:a+)+',
    '(["\']).*?\\1',
    '(?:\\ud83d\\ude00|\\u{1f601})+',
    '[\\]\\\\[]{3}',
    'a|b|\\cJ|\\x41|\\0',
    ['one', 'two', 'three', 'chapter', 'section', 'appendix'].join('|'),
    `^(?:${Array.from({ length: 200 }, (_, n) => `keyword${n}`).join('|')})\\s`,
  ])('%s', (source) => expect(problemOf(source)).toBeUndefined());
});

it('judges by the characters that flags let in', () => {
  expect(problemOf('(?:a+|A)+b', 'u')).toMatch(/run away/);
  expect(problemOf('(?:a|A)+b', 'u')).toBeUndefined();
  expect(problemOf('(?:a|A)+b', 'iu')).toMatch(/run away/);
  expect(problemOf('(?:.|\\n)+b', 'u')).toBeUndefined();
  expect(problemOf('(?:.|\\n)+b', 'su')).toMatch(/run away/);
});

it('refuses what is too large to be judged, at once', () => {
  expect(problemOf(`(?:${'[ab]?'.repeat(3000)})+c`)).toMatch(/too large/);
  expect(problemOf(`(?:${Array.from({ length: 400 }, (_, n) => `\\w${n}\\w+`).join('|')})*!`)).toMatch(/too large|run away/);
});
