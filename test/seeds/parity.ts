/** Section 3, 32–46: the strategies of the seeds, at parity or better. */
import { expect } from 'vitest';
import { rank } from '../../src/rank.js';
import type { Level, Marks } from '../../src/types.js';
import { LANGUAGES } from '../../transforms/boundaries/languages.js';
import { sentence } from '../../transforms/boundaries/sentences.js';
import { tilingScores } from '../../transforms/boundaries/text-tiling-scores.js';
import { LABELLED } from '../support/labelled-sentences.js';
import { seeded } from '../support/random.js';
import { rankingCases } from '../support/ranking.js';
import { optionsOf, TILING_CASES } from '../support/tiling-cases.js';
import {
  characters,
  cut,
  expectComplete,
  expectExact,
  expectTiled,
  expectWithin,
  type Row,
  refusal,
  sentencesIn,
  textsOf,
  wordsIn,
} from './check.js';
import { DEFINITIONS } from './definitions.js';
import { numbered, PROSE, topics } from './texts.js';

/** crawl4ai's groups of so many words, written down from what it does: windows at every step, and one more that ends with the text. */
function crawl4aiWindows(words: readonly string[], window: number, step: number): string[][] {
  if (words.length <= window) return [[...words]];
  const groups: string[][] = [];
  for (let at = 0; at + window <= words.length; at += step) groups.push(words.slice(at, at + window));
  if ((words.length - window) % step !== 0) groups.push(words.slice(-window));
  return groups;
}

const NO_MARKS: Marks = { last: () => undefined, first: () => undefined };

/** Where the level says that sentences begin, blanks passed over. */
function begins(level: Level, text: string): number[] {
  const places = new Set<number>();
  for (let to = text.length; to > 0; ) {
    const found = level.last(text, 0, to, NO_MARKS);
    if (found === undefined) break;
    const at = found.end + (text.slice(found.end).length - text.slice(found.end).trimStart().length);
    if (at < text.length) places.add(at);
    to = found.end - 1;
  }
  return [...places];
}

/** What Mastra's rule finds: a mark, white space, A–Z; not after a title, letters with stops, one capital, a number, am or pm. */
function mastraBegins(text: string): number[] {
  const places: number[] = [];
  for (const match of text.matchAll(/[.!?]\s+(?=[A-Z])/g)) {
    const word = /\S*$/.exec(text.slice(0, match.index))![0];
    const isKept = match[0][0] === '.' && /^(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|(?:[A-Za-z]\.)+[A-Za-z]|[A-Z]|\d+|[ap]m)$/i.test(word);
    if (!isKept) places.push(match.index + match[0].length);
  }
  return places;
}

function f1(found: (text: string) => readonly number[]): number {
  let [right, wrong, missed] = [0, 0, 0];
  for (const { text, ends } of LABELLED) {
    const places = new Set(found(text));
    const hits = ends.filter((end) => places.has(end)).length;
    right += hits;
    wrong += places.size - hits;
    missed += ends.length - hits;
  }
  return (2 * right) / (2 * right + wrong + missed);
}

function expectClose(actual: readonly number[], expected: readonly number[], most: number): void {
  expect(actual).toHaveLength(expected.length);
  for (const [at, each] of actual.entries()) expect(Math.abs(each - expected[at]!)).toBeLessThanOrEqual(most);
}

export const parity: readonly Row[] = [
  {
    id: '3.32',
    seeds: 'C',
    what: 'regex: several patterns, no empty pieces, groups leak nothing, patterns that run away or match nothing are refused',
    async run() {
      const text = '\n\none, two\n\n\n\nthree; (four)\n\n';
      const all = textsOf(
        await cut(text, characters(100, { strategy: 'regex', patterns: ['\\n\\s*\\n', '([,;])\\s'], whitespace: 'keep' })),
      );
      expect(all).toEqual(['one', 'two', 'three', '(four)']);
      for (const pattern of ['x*', '(a+)+b', '(?:)', '(a|a)*c', '(['])
        expect(await refusal({ strategy: 'regex', patterns: [pattern] })).toContain(pattern);
    },
  },
  {
    id: '3.33',
    seeds: 'C',
    what: "words: crawl4ai's groups (100; 100/50 with its tail), but as source text",
    async run() {
      for (const count of [1, 99, 100, 101, 150, 199, 200, 260, 1234]) {
        const text = numbered(count)
          .map((word, at) => word + (at % 7 === 6 ? '\n\n\t' : at % 5 === 4 ? '  ' : ' '))
          .join('');
        const fixed = await cut(text, { strategy: 'words', size: 100, overlap: 0, whitespace: 'keep' });
        expect(fixed.map((chunk) => wordsIn(chunk.text))).toEqual(
          Array.from({ length: Math.ceil(count / 100) }, (_, n) => numbered(Math.min(100, count - n * 100), n * 100)),
        );
        expectComplete(text, fixed);
        const sliding = { strategy: 'sliding', unit: 'words', size: 100, step: 50, whitespace: 'keep' } as const;
        const windows = await cut(text, { ...sliding, tail: 'backfill' });
        expect(windows.map((chunk) => wordsIn(chunk.text))).toEqual(crawl4aiWindows(numbered(count), 100, 50));
        expectExact(text, windows, 'keep');
        for (const tail of ['keep', 'drop'] as const) {
          const groups = (await cut(text, { ...sliding, tail })).map((chunk) => wordsIn(chunk.text));
          const full = crawl4aiWindows(numbered(count), 100, 50).filter((group, at) => group[0] === `w${at * 50}`);
          expect(groups.slice(0, full.length)).toEqual(full);
          if (tail === 'drop') expect(groups).toHaveLength(full.length);
          else expect(groups.at(-1)!.at(-1)).toBe(`w${count - 1}`);
        }
      }
    },
  },
  {
    id: '3.34',
    seeds: 'CRMW',
    what: 'sentences: order and repeats, titles, initials, decimals, ellipses, quotes, marks of all scripts; F1 above Mastra and 0.97',
    async run() {
      const texts = [
        ['Dr. A. B. Hale paid 3.5 crowns.', 'She left at 5 p.m. on Monday.', 'Why?', 'Why?'],
        ['He said: "Stop."', 'Then he left (at last).', 'Well... maybe.'],
        ['Η μυλόπετρα γυρίζει.', 'Ποιος ήρθε;', 'Κανείς.'],
        ['वह घर गया।', 'फिर वह सो गया।'],
        ['هل جاء؟', 'لا أحد يعلم.'],
        ['Он ушёл.', 'Ёлка упала!', 'кто там?'],
        ['It rained.', 'Émile stayed.', '42 men left.'],
      ];
      for (const all of texts) expect(await sentencesIn(all.join(' '))).toEqual(all);
      const level = sentence();
      const [ours, mastra] = [f1((text) => begins(level, text)), f1(mastraBegins)];
      expect(ours).toBeGreaterThan(0.97);
      expect(ours).toBeGreaterThan(mastra);
      return `F1 ${ours.toFixed(3)} on ${LABELLED.length} texts; Mastra's rule ${mastra.toFixed(3)}`;
    },
  },
  {
    id: '3.35',
    seeds: 'RM',
    what: 'a sentence over the size: words, then characters, each to be switched off',
    async run() {
      const text = `Short one. Here are ${'many words '.repeat(4)}and ${'x'.repeat(50)} as one. Last one.`;
      const pieces = async (more: object) =>
        await cut(text, characters(20, { strategy: 'sentence', whitespace: 'keep', ...more }));
      const both = textsOf(await pieces({}));
      expectWithin(20, both);
      expect(both.filter((each) => !/\s$/.test(each) && !each.includes('xx') && each !== both.at(-1))).toEqual([]);
      const noWords = textsOf(await pieces({ noWordFallback: true }));
      expectWithin(20, noWords);
      expect(noWords.some((each) => each.length === 20 && !/\s$/.test(each))).toBe(true);
      const noCharacters = await pieces({ noCharacterFallback: true });
      expect(noCharacters.filter(({ metadata }) => metadata.oversize === true).map((chunk) => chunk.text.trim())).toEqual([
        'x'.repeat(50),
      ]);
      const neither = await pieces({ noWordFallback: true, noCharacterFallback: true });
      expect(neither.map(({ metadata }) => metadata.oversize === true)).toEqual([false, true, false]);
      for (const all of [both, noWords, textsOf(noCharacters), textsOf(neither)]) expect(all.join('')).toBe(text);
    },
  },
  {
    id: '3.36',
    seeds: 'C',
    what: "TextTiling: NLTK's scores to 1e-9 on fixtures; rounds, boundaries and other scripts done right; 4 topics are 4 segments",
    async run() {
      for (const each of TILING_CASES) {
        const scores = tilingScores(each.text, optionsOf(each));
        expectClose(scores.gaps, each.gaps, 1e-9);
        expectClose(scores.smoothed, each.smoothed, 1e-9);
        expectClose(scores.depths, each.depths, 1e-9);
      }
      const options = characters(100_000, { strategy: 'topic' });
      let differs = false;
      await seeded(5, async (rng) => {
        const { text, starts } = topics(rng, [400, 400, 400, 400]);
        expect((await cut(text, options)).map(({ start }) => start)).toEqual([0, ...starts]);
        const few = await cut(text, { ...options, topicWords: 5, topicBlock: 3, smoothingRounds: 1 });
        differs ||= few.length !== (await cut(text, { ...options, topicWords: 5, topicBlock: 3, smoothingRounds: 9 })).length;
        const greek = [...text]
          .map((letter) => (/[a-z]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0x3b1 - 97) : letter))
          .join('');
        expect(await cut(greek, options)).toHaveLength(4);
      });
      expect(differs).toBe(true);
      expect(await cut('Short.', options)).toHaveLength(1);
    },
  },
  {
    id: '3.37',
    seeds: 'C',
    what: "TF-IDF: scikit-learn's scores to 1e-6; top, threshold, stable order, zeros without a vocabulary (a file of any size: test/src/query.test.ts)",
    run() {
      for (const { query, chunks, scores } of rankingCases) {
        const ranked = rank(query, chunks);
        expectClose(
          ranked.toSorted((a, b) => a.index - b.index).map(({ score }) => score),
          scores,
          1e-6,
        );
        for (const [at, { score, index }] of ranked.entries()) {
          const before = ranked[at - 1];
          if (before !== undefined) expect(before.score > score || (before.score === score && before.index < index)).toBe(true);
        }
        expect(rank(query, chunks, { top: 2 })).toEqual(ranked.slice(0, 2));
        expect(rank(query, chunks, { minScore: 0.1 })).toEqual(ranked.filter(({ score }) => score >= 0.1));
      }
      expect(rank('?', ['!', '']).map(({ score }) => score)).toEqual([0, 0]);
      return `${rankingCases.length} cases`;
    },
  },
  {
    id: '3.38',
    seeds: 'RMW',
    what: 'recursive: own separators, patterns, position; a piece of just the size stays whole; characters come last by themselves',
    async run() {
      expect(textsOf(await cut('aaaa|bbbb|cccccc', characters(5, { separators: '|' })))).toEqual([
        'aaaa|',
        'bbbb|',
        'ccccc',
        'c',
      ]);
      expect(textsOf(await cut('aaaa|bbbb|ccccc', characters(5, { separators: '|', separatorPosition: 'start' })))).toEqual([
        'aaaa',
        '|bbbb',
        '|cccc',
        'c',
      ]);
      expect(textsOf(await cut('aaaaa|bbbbb|c', characters(5, { separators: '|', separatorPosition: 'drop' })))).toEqual([
        'aaaaa',
        'bbbbb',
        'c',
      ]);
      expect(textsOf(await cut('aaa1bbb22ccc', characters(5, { separators: '\\d+', separatorsRegex: true })))).toEqual([
        'aaa1',
        'bbb22',
        'ccc',
      ]);
      const coarse = textsOf(await cut('aa-bb|cc-dd|ee', characters(6, { separators: ['|', '-'] })));
      expect(coarse).toEqual(['aa-bb|', 'cc-dd|', 'ee']);
    },
  },
  {
    id: '3.39',
    seeds: 'R',
    what: 'paragraphs packed, whole or cut; sections by #, underlines, capitals (by choice), not in fences',
    async run() {
      const paragraphs = 'One.\n\nTwo.\n\nThree is longer than the others.\n\n';
      const packed = await cut(paragraphs, characters(20, { strategy: 'paragraph' }));
      expect(packed[0]!.text.trim()).toBe('One.\n\nTwo.');
      expectWithin(20, textsOf(packed));
      expect(textsOf(await cut(paragraphs, characters(20, { strategy: 'paragraph', oversize: 'keep', trim: true })))).toEqual([
        'One.\n\nTwo.',
        'Three is longer than the others.',
      ]);
      const text =
        '# A\n\na\n\n~~~\n# x\n```\n# y\n~~~\n\n## B ##\n\nb\n\nSome C\n======\n\nc\n\nD E\n---\n\nd\n\nPART TWO\n\np\n\n#no heading\n';
      const paths = async (more: object) =>
        (await cut(text, characters(1000, { strategy: 'section', ...more }))).map(({ metadata }) => metadata.headings);
      expect(await paths({ noCapitals: true })).toEqual([['A'], ['A', 'B'], ['Some C'], ['Some C', 'D E']]);
      expect((await paths({})).at(-1)).toEqual(['Some C', 'D E', 'PART TWO']);
      const long = await cut(`# Long\n\n${PROSE.repeat(5)}`, characters(200, { strategy: 'section' }));
      expectWithin(200, textsOf(long));
      for (const { metadata } of long) expect(metadata.headings).toEqual(['Long']);
    },
  },
  { id: '3.40', seeds: 'M', what: 'markdown headers', elsewhere: 'markdown' },
  { id: '3.41', seeds: 'M', what: 'semantic markdown', elsewhere: 'markdown' },
  { id: '3.42', seeds: 'M', what: 'HTML by headers and sections', elsewhere: 'HTML' },
  {
    id: '3.43',
    seeds: 'M',
    what: 'LaTeX: environments whole, comments and verbatim respected',
    elsewhere: 'LaTeX; the preset of recursive keeps every command (2.2#2)',
  },
  {
    id: '3.44',
    seeds: 'MW',
    what: 'all 26 languages: indented, exported, pub, async, decorated definitions begin chunks, with their comments; long ones are cut within',
    async run() {
      expect(Object.keys(DEFINITIONS).sort()).toEqual([...LANGUAGES].sort());
      for (const [language, marked] of Object.entries(DEFINITIONS)) {
        const text = marked.replaceAll('§', '');
        const expected = [0];
        for (let at = marked.indexOf('§'); at >= 0; at = marked.indexOf('§', at + 1)) expected.push(at - expected.length + 1);
        // Each definition fits, and no two of them do.
        const largest = Math.max(...marked.split('§').map((each) => each.length));
        const all = await cut(text, characters(largest, { language, whitespace: 'keep', minSize: 1 }));
        expectTiled(text, all);
        const starts = new Set(all.map(({ start }) => start));
        const packed = expected.filter((at) => !starts.has(at));
        // What is not where a chunk begins was packed with the definition before: cut apart where that is too long.
        for (const at of packed) {
          const chunk = all.findLast(({ start }) => start < at)!;
          expect(expected, `${language}: ${JSON.stringify(chunk.text)}`).toContain(chunk.start);
        }
        for (const start of starts)
          expect(expected, `${language}: ${JSON.stringify(text.slice(start, start + 40))}`).toContain(start);
        expectTiled(text, await cut(text, characters(25, { language, whitespace: 'keep' })));
      }
      const long = `export function one() {\n${Array.from({ length: 20 }, (_, n) => `  if (a${n}) {\n    call(b);\n  }\n`).join('')}}\n`;
      for (const chunk of (await cut(long, characters(120, { language: 'ts', whitespace: 'keep' }))).slice(1))
        expect(chunk.text).toMatch(/^(?: {2}if|\})/);
    },
  },
  { id: '3.45', seeds: 'W', what: 'a similarity strategy that uses a similarity', elsewhere: 'semantic strategy' },
];
