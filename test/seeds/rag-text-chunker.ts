/** Section 2.1: the RAG Text Chunker, as its page describes it. */
import { expect } from 'vitest';
import { bytes, estimate } from '../../src/tokens/units.js';
import {
  characters,
  cut,
  expectExact,
  expectTiled,
  expectWithin,
  heldWhile,
  type Row,
  sentencesIn,
  shared,
  textsOf,
} from './check.js';
import { PROSE } from './texts.js';

export const ragTextChunker: readonly Row[] = [
  {
    id: '2.1#1',
    seeds: 'R',
    what: 'the whole document is pasted as one text',
    async run() {
      const held = await heldWhile(PROSE, 10_000, characters(500));
      expect(held).toBeLessThan(100_000);
      return `holds ${held} of ${PROSE.length * 10_000} characters`;
    },
  },
  {
    id: '2.1#2',
    seeds: 'R',
    what: 'sentence and paragraph break the size, without a fallback or a warning',
    async run() {
      const long = `${PROSE.replaceAll(/[.?]|\n/g, ' ')
        .repeat(5)
        .trim()}.`;
      for (const strategy of ['sentence', 'paragraph'])
        expectWithin(100, textsOf(await cut(long, characters(100, { strategy }))));
      const [whole, ...more] = await cut(long, characters(100, { strategy: 'paragraph', oversize: 'keep' }));
      expect(more).toEqual([]);
      expect(whole!.metadata).toMatchObject({ oversize: true });
    },
  },
  {
    id: '2.1#3',
    seeds: 'R',
    what: 'copied tokens do not count against the size',
    async run() {
      const all = await cut(PROSE.repeat(20), { size: 50, overlap: 20 });
      expect(Math.max(...all.map(({ tokens }) => tokens!))).toBeLessThanOrEqual(50);
      expect(shared(all).every((bytes) => bytes > 0)).toBe(true);
    },
  },
  {
    id: '2.1#4',
    seeds: 'R',
    what: 'one estimate for everything, off by far for code, Russian, emoji; rounded, so that it does not add up',
    async run() {
      expect(estimate.count('a'.repeat(38))).toBe(10);
      expect(estimate.count('漢字かな')).toBe(4);
      // Each rounding up is one at the end, not one for each piece that was measured: a sum over pieces is over by less than one each.
      const ruler = estimate.ruler!();
      const text = 'ab漢 '.repeat(100);
      ruler.slide(text, 0);
      for (let at = 1; at <= text.length; at++) {
        expect(ruler.size(0, at)).toBe(Math.ceil((at - Math.floor((at + 1) / 4)) / 3.8 + Math.floor((at + 1) / 4) - 1e-9));
      }
      for (const more of ['const x = f(a?.b ?? []);\n', 'Мельница у реки. ', '🇫🇷👍🏽'])
        for (const { text, tokens } of await cut(more.repeat(100), { size: 40, overlap: 0, tokenizer: 'o200k_base' })) {
          expect(tokens).toBeLessThanOrEqual(40);
          expect(tokens).toBeGreaterThan(bytes.count(text) / 12);
        }
    },
  },
  {
    id: '2.1#5',
    seeds: 'R',
    what: 'full stop and space ends a sentence: after abbreviations too; other marks do not',
    async run() {
      const all = ['Dr. Hale paid approx. 3.5 crowns, i.e. too much!', 'Why?', 'He left…', '水来了。', '真的吗？', 'Done.'];
      expect(await sentencesIn(all.join(' '))).toEqual(all);
      expect(await sentencesIn('水来了。真的吗？好！')).toEqual(['水来了。', '真的吗？', '好！']);
    },
  },
  {
    id: '2.1#6',
    seeds: 'R',
    what: 'capitals in tables and comments in code are headings, underlined ones are not',
    async run() {
      const text = [
        'Mill\n====\n\nText.\n',
        '```sh\n# no heading\nNO HEADING\n```\n',
        '| ID | NAME |\n|----|------|\n| 1 | WHEEL |\n',
        'STOP! DO NOT TOUCH IT, EVER; NOBODY KNOWS WHY!\n',
        'Wheel\n-----\n\nMore.\n',
      ].join('\n');
      const all = await cut(text, characters(10_000, { strategy: 'section' }));
      expect(all.map(({ metadata }) => metadata.headings)).toEqual([['Mill'], ['Mill', 'Wheel']]);
      const capitals = 'PART ONE\n\nText.\n\nPART TWO\n\nText.\n';
      expect(await cut(capitals, characters(10_000, { strategy: 'section' }))).toHaveLength(2);
      expect(await cut(capitals, characters(10_000, { strategy: 'section', noCapitals: true }))).toHaveLength(1);
    },
  },
  {
    id: '2.1#7',
    seeds: 'R',
    what: 'no JSON, CSV or code; no places, ids or metadata',
    async run() {
      const json = await cut('[{"t":"One."},{"t":"Two."}]', { format: 'json', text: 't' });
      expect(json.map(({ text, record }) => [text, record?.index])).toEqual([
        ['One.', 0],
        ['Two.', 1],
      ]);
      const csv = await cut('t,n\n"One, two",1\n', { format: 'csv', text: 't' });
      expect(csv.map(({ text, metadata }) => [text, metadata])).toEqual([['One, two', { n: '1' }]]);
      const code = 'function one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n';
      const all = await cut(code, characters(40, { language: 'js', whitespace: 'keep' }));
      expect(all.map(({ text }) => text.slice(0, 13))).toEqual(['function one(', 'function two(']);
      expectTiled(code, all);
      expectExact(code, all, 'keep');
      expect(new Set(all.map(({ id }) => id)).size).toBe(2);
    },
  },
];
