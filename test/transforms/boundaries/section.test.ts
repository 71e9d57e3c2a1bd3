/** The `section` strategy: the laws; what begins a section and what only looks like it; the path of headings. */
import { describe, expect, it } from 'vitest';
import { characters } from '../../../src/tokens/units.js';
import { type SectionOptions, section, sectionFrom } from '../../../transforms/boundaries/section.js';
import { type Budget, chunker } from '../../../transforms/chunk.js';
import { conformStrategy } from '../../conformance/strategy.js';
import { documentIn } from '../../conformance/transform.js';
import { seeded } from '../../support/random.js';
import { drained } from '../../support/whole.js';

conformStrategy(
  'section',
  [{ strategy: section() }, { strategy: section({ joinsSmall: true }) }, { strategy: section({ capitals: false }) }],
  {
    parts: [
      '# One\n',
      '## Two ##\r\n',
      'Under\n===\n',
      'Line\r\n---\r\n',
      '\nSHORT CAPITALS\n',
      'Some text. ',
      '\n\n',
      '```\n',
      '~~~~\n',
      '\r',
    ],
  },
);

function pieces(text: string, options: SectionOptions = {}, changes: Partial<Budget> = {}) {
  const plain = { measure: characters, size: 1000, overlap: 0, minSize: 250, maxChars: 16_384, trim: true };
  const budget = { ...plain, strategy: section(options), ...changes };
  const segment = { text, start: 0, end: Buffer.byteLength(text), verbatim: true };
  return drained(chunker(budget)(documentIn('utf-8')), text === '' ? [] : [segment]).flatMap((piece) =>
    'text' in piece ? [{ text: piece.text, headings: piece.metadata?.headings }] : [],
  );
}

const paths = (text: string, options?: SectionOptions) => pieces(text, options).map(({ headings }) => headings);

describe('sections', () => {
  it('begin at headings and know the path to them', () => {
    expect(pieces('before\n# A\none\n## B\ntwo\n### C #\nthree\n## D\nfour\n# E\n\nfive\n')).toEqual([
      { text: 'before', headings: undefined },
      { text: '# A\none', headings: ['A'] },
      { text: '## B\ntwo', headings: ['A', 'B'] },
      { text: '### C #\nthree', headings: ['A', 'B', 'C'] },
      { text: '## D\nfour', headings: ['A', 'D'] },
      { text: '# E\n\nfive', headings: ['E'] },
    ]);
  });

  it.each<[string, string, (readonly string[] | undefined)[]]>([
    ['an underlined line', 'Top\n===\ntext\n\nSub\n---\ntext', [['Top'], ['Top', 'Sub']]],
    ['with CR LF', 'Top\r\n===\r\ntext\r\n\r\nSub\r\n---\r\ntext', [['Top'], ['Top', 'Sub']]],
    ['a short line of capitals', 'PREFACE\ntext\n\nCHAPTER ONE\n\ntext', [['PREFACE'], ['CHAPTER ONE']]],
    ['capitals under marks', '# Book\n\nPART I\n\ntext\n\nPART II\n\ntext', [['Book'], ['Book', 'PART I'], ['Book', 'PART II']]],
    ['capitals of other scripts', 'ГЛАВА ПЕРВАЯ\n\nтекст', [['ГЛАВА ПЕРВАЯ']]],
    ['capitals in the middle of a page', '            CHAPTER II.\n\ntext', [['CHAPTER II.']]],
    ['a heading that holds a pipe', '# a | b\ntext', [['a | b']]],
    ['a jump and a return', '### C\nx\n# A\nx\n## B\nx', [['C'], ['A'], ['A', 'B']]],
    ['a heading without text', '# A\n#\nx', [['A'], ['']]],
    ['the last line', 'x\n\n# A', [undefined, ['A']]],
    ['the last line in capitals', 'x\n\nTHE END', [undefined, ['THE END']]],
    ['after a fence', '```\n# no\n```\n# yes', [undefined, ['yes']]],
    ['with its marks closed, but not a name', '# C# and F#\nx', [['C# and F#']]],
  ])('begin at %s', (_, text, headings) => {
    expect(paths(text)).toEqual(headings);
  });

  it.each([
    ['a hashtag', '#tag and more'],
    ['seven marks', '####### x'],
    ['indented code', 'x\n\n    # comment\n'],
    ['code in a fence', '```sh\n# comment\n~~~\n# more\n``\n# still\n```\n'],
    ['code in tildes', '~~~~\n```\n# x\n~~~\n# y\n~~~~'],
    ['a fence without end', '```\n# x\n\nABC DEF\n'],
    ['a rule after a blank line', 'text\n\n---\n\nmore'],
    ['front matter', '---\ntitle: x\n---\ntext'],
    ['front matter of several lines', '---\ntitle: x\ndate: y\n---\ntext'],
    ['the last line of a paragraph', 'one\ntwo\n---\nthree'],
    ['a list over a rule', '- item\n---\n'],
    ['a table', '| A | B |\n|---|---|\n'],
    ['shouting', 'STOP IT!\n\nno'],
    ['a paragraph of capitals', 'THE SOFTWARE IS PROVIDED AS IS\nWITHOUT WARRANTY OF ANY KIND\n'],
    ['capitals within a paragraph', 'this is\nABC DEF\nand on'],
    ['one letter', 'A\n\nb'],
    ['a long line', `# ${'x'.repeat(200)}\ny`],
    ['a long line over an underline', `${'x'.repeat(201)}\n===\n`],
    ['a number', '2024\n\nx'],
  ])('do not begin at %s', (_, text) => {
    expect(new Set(paths(text))).toEqual(new Set([undefined]));
  });

  it('take no line of capitals for a heading when told so', () => {
    expect(paths('ABC DEF\n\ntext', { capitals: false })).toEqual([undefined]);
    expect(sectionFrom({ noCapitals: true }).name).toBe('section');
    expect(paths('# A\n\nABC DEF\n\ntext', { capitals: false })).toEqual([['A']]);
  });

  it('are apart however small, unless a least size is asked for', () => {
    const text = '# A\nx\n# B\ny\n# C\nz';
    expect(pieces(text).length).toBe(3);
    expect(pieces(text, { joinsSmall: true }, { minSize: 8 }).map(({ text: each }) => each)).toEqual([
      '# A\nx\n# B\ny',
      '# C\nz',
    ]);
  });

  it('over the size are cut, heading and first paragraph together, each part with its path, overlap within', () => {
    const text = `# A\n\n${'One is. '.repeat(10)}\n# B\n\nshort`;
    const found = pieces(text, {}, { size: 40, minSize: 10, overlap: 10 });
    expect(found[0]!.text.startsWith('# A\n\nOne is. One')).toBe(true);
    expect(found.slice(0, -1).every(({ headings }) => JSON.stringify(headings) === '["A"]')).toBe(true);
    expect(found.at(-1)).toEqual({ text: '# B\n\nshort', headings: ['B'] });
  });

  it('hold two lines at most, however long lines and however many headings', () => {
    const machine = section().prepare!(documentIn('utf-8'));
    let [given, taken] = [0, 0];
    seeded(1, (rng) => {
      for (let n = 0; n < 3000; n++) {
        const text = rng.pick(['x'.repeat(500), '\n', '# a\n', 'abc\n', '===\n', 'ABC\n', '\r', '```\n']);
        taken += text.length;
        for (const segment of machine.push({ text, start: taken - text.length, end: taken, verbatim: true }))
          given += segment.text.length;
        expect(taken - given).toBeLessThan(1500);
      }
    });
  });
});
