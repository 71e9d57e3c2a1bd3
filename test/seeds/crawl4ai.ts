/**
 * Section 2.0: crawl4ai's chunkers and NLTK's TextTiling and Punkt. 1–17 were reported by users, 18–25 seen in the code.
 */
import { expect } from 'vitest';
import type { ChunkOptions } from '../../src/index.js';
import { rank } from '../../src/rank.js';
import { tilingScores } from '../../transforms/boundaries/text-tiling-scores.js';
import { seeded } from '../support/random.js';
import { optionsOf, TILING_CASES } from '../support/tiling-cases.js';
import {
  characters,
  cut,
  expectComplete,
  expectExact,
  expectTiled,
  expectWithin,
  growth,
  heldWhile,
  type Row,
  refusal,
  sentencesIn,
  textsOf,
  wordsIn,
} from './check.js';
import { numbered, PROSE, RUSSIAN, topics, UNBROKEN } from './texts.js';

const TOPIC: ChunkOptions = characters(100_000, { strategy: 'topic' });

const topicsIn = async (text: string, more: ChunkOptions = {}): Promise<string[]> =>
  textsOf(await cut(text, { ...TOPIC, ...more }));

/** A text whose topics are found just where they begin. */
async function expectTopics(
  count: number,
  words: readonly number[],
  shape: { paragraph?: number; hasNoise?: boolean } = {},
): Promise<void> {
  await seeded(count, async (rng) => {
    const { text, starts } = topics(rng, words, shape);
    const all = await cut(text, TOPIC);
    expect(all.map(({ start }) => start)).toEqual([0, ...starts]);
  });
}

export const crawl4ai: readonly Row[] = [
  {
    id: '2.0-1',
    seeds: 'C',
    what: 'sentences went through a set: order by chance, repeated ones lost',
    async run() {
      const text = 'Yes. The wheel turns. Yes. No. The wheel turns. Yes.';
      expect(await sentencesIn(text)).toEqual(['Yes.', 'The wheel turns.', 'Yes.', 'No.', 'The wheel turns.', 'Yes.']);
    },
  },
  {
    id: '2.0-2',
    seeds: 'C',
    what: 'overlapping windows never end when the overlap is the window or more',
    async run() {
      for (const overlap of [10, 11])
        expect(await refusal({ strategy: 'sliding', unit: 'words', size: 10, overlap })).toMatch(/overlap/);
      expect(await cut(numbered(1000).join(' '), { strategy: 'sliding', unit: 'words', size: 10, overlap: 9 })).toHaveLength(991);
    },
  },
  {
    id: '2.0-3',
    seeds: 'C',
    what: 'the number of chunks is fixed before the overlap is counted; what is left over is one huge last chunk',
    async run() {
      const all = await cut(numbered(20_000).join(' '), { strategy: 'words', size: 2048, overlap: 200 });
      expect(all.every(({ text }) => wordsIn(text).length <= 2048)).toBe(true);
      expect(all.slice(0, -1).every(({ text }) => wordsIn(text).length === 2048)).toBe(true);
    },
  },
  {
    id: '2.0-4',
    seeds: 'C',
    what: 'long documents go to the model as they are',
    async run() {
      const all = await cut(PROSE.repeat(200));
      expect(all.length).toBeGreaterThan(20);
      expect(Math.max(...all.map(({ tokens }) => tokens!))).toBeLessThanOrEqual(512);
    },
  },
  {
    id: '2.0-5',
    seeds: 'C',
    what: 'partial extraction results cannot be combined',
    elsewhere: 'extraction by a model; chunks carry the place to join by',
  },
  {
    id: '2.0-6',
    seeds: 'C',
    what: 'the topic chunker needs a module whose name was misspelt, and data fetched at construction',
    run: () => expectTopics(1, [400, 400]),
  },
  {
    id: '2.0-7',
    seeds: 'C',
    what: 'a delimiter that matches nowhere: nothing comes back',
    async run() {
      for (const options of [
        { strategy: 'regex', patterns: ['@@@'] },
        { strategy: 'character', separator: '@@@' },
        { strategy: 'recursive', separators: '@@@' },
      ])
        expectComplete(PROSE, await cut(PROSE, characters(60, options)));
    },
  },
  {
    id: '2.0-8',
    seeds: 'C',
    what: 'output of the cosine strategy and of models: mixed with markdown, cut, not filtered',
    elsewhere: 'semantic strategy and models',
  },
  {
    id: '2.0-9',
    seeds: 'C',
    what: 'paragraph breaks of TextTiling: quadratic on blanks (11 s for 128 KB)',
    async run() {
      for (const blank of [' ', '\n', ' \n']) {
        const text = `first ${blank.repeat(300_000)} last`;
        expect((await topicsIn(text, { whitespace: 'keep' })).join('').replaceAll(/\s/g, '')).toBe('firstlast');
      }
      return growth((n) => topicsIn(`first ${'\n'.repeat(n)} last`), 200_000);
    },
  },
  {
    id: '2.0-10',
    seeds: 'C',
    what: 'TextTiling gives the text back in one piece',
    run: () => expectTopics(3, [300, 300, 300]),
  },
  {
    id: '2.0-11',
    seeds: 'C',
    what: 'text without blank lines and short mails are errors',
    async run() {
      expect(await topicsIn('Dear Sir, the sacks have come. Yours, the miller.')).toHaveLength(1);
      await seeded(3, async (rng) => {
        const { text, starts } = topics(rng, [400, 400, 400]);
        const flat = text.replaceAll('\n\n', ' ');
        expect((await topicsIn(flat)).length).toBe(starts.length + 1);
      });
    },
  },
  {
    id: '2.0-12',
    seeds: 'C',
    what: 'cutoff policies were wrong: low must find no fewer boundaries than high, each just as NLTK does today',
    run() {
      const found = new Set<string>();
      for (const each of TILING_CASES) {
        const count = (cutoff: 'high' | 'low') =>
          tilingScores(each.text, { ...optionsOf(each), cutoff }).boundaries.filter(Boolean).length;
        expect(count('low')).toBeGreaterThanOrEqual(count('high'));
        if (count('low') > count('high')) found.add(each.name);
        expect(tilingScores(each.text, optionsOf(each)).boundaries.map(Number)).toEqual(each.boundaries);
      }
      expect(found.size).toBeGreaterThan(3);
    },
  },
  {
    id: '2.0-13',
    seeds: 'C',
    what: 'the right-hand peak was looked for from the wrong place',
    run() {
      for (const each of TILING_CASES) {
        const { depths } = tilingScores(each.text, optionsOf(each));
        each.depths.forEach((depth, at) => {
          expect(Math.abs(depths[at]! - depth)).toBeLessThan(1e-9);
        });
      }
    },
  },
  {
    id: '2.0-14',
    seeds: 'C',
    what: 'bad option values crash somewhere inside',
    async run() {
      for (const [name, value] of Object.entries({
        topicWords: 0,
        topicBlock: 0,
        smoothingWidth: -1,
        smoothingRounds: 1.5,
        topicCutoff: 'HC',
      }))
        expect(await refusal({ strategy: 'topic', [name]: value })).toMatch(new RegExp(name));
      const { length } = await topicsIn(PROSE.repeat(10), { topicBlock: 500, topicWords: 3, smoothingWidth: 400 });
      expect(length).toBeGreaterThan(0);
    },
  },
  {
    id: '2.0-15',
    seeds: 'C',
    what: 'the second measure of TextTiling (new words) is missing, then wrong',
    elsewhere: 'not offered: blocks are compared, as issue 5 asks',
  },
  {
    id: '2.0-16',
    seeds: 'C',
    what: 'Punkt: quadratic (3 MB in 373 s), and on very long words',
    async run() {
      const options = characters(1000, { strategy: 'sentence' });
      expect(await cut(`${'a'.repeat(500_000)}. The end.`, options)).toHaveLength(501);
      return growth((n) => cut(PROSE.repeat(n), options), 1000);
    },
  },
  {
    id: '2.0-17',
    seeds: 'C',
    what: 'Russian is not split, nor a sentence that ends in one capital letter',
    async run() {
      expect(await sentencesIn(RUSSIAN)).toEqual(RUSSIAN.split(/(?<=[.?]) /));
      const capital = ['We went with plan B.', 'The others went home.', 'Eat your vitamin C.', 'They say it helps.'];
      expect(await sentencesIn(capital.join(' '))).toEqual(capital);
    },
  },
  {
    id: '2.0-18',
    seeds: 'C',
    what: '20,000 words in chunks of 2048: the last one has 3413',
    async run() {
      const all = await cut(numbered(20_000).join(' '), { strategy: 'words', size: 2048, overlap: 0 });
      expect(all.map(({ text }) => wordsIn(text).length)).toEqual([...Array<number>(9).fill(2048), 20_000 - 9 * 2048]);
    },
  },
  {
    id: '2.0-19',
    seeds: 'C',
    what: 'an overlap that repeats nothing and makes chunks smaller (size 5, overlap 2: three words each)',
    async run() {
      const all = await cut(numbered(11).join(' '), { strategy: 'words', size: 5, overlap: 2 });
      expect(all.map(({ text }) => wordsIn(text))).toEqual([numbered(5), numbered(5, 3), numbered(5, 6)]);
    },
  },
  {
    id: '2.0-20',
    seeds: 'C',
    what: 'a step over the window skips words; step 0 and size 0 crash; the tail window repeats the one before',
    async run() {
      const sliding = { strategy: 'sliding', unit: 'words', size: 10 } as const;
      expect(await refusal({ ...sliding, step: 11 })).toMatch(/step must not be larger than size/);
      expect(await refusal({ ...sliding, step: 0 })).toMatch(/step/);
      expect(await refusal({ ...sliding, size: 0 })).toMatch(/size/);
      const groups = async (tail: 'keep' | 'backfill' | 'drop') =>
        (await cut(numbered(21).join(' '), { ...sliding, step: 5, tail })).map(({ text }) => wordsIn(text));
      const full = [numbered(10), numbered(10, 5), numbered(10, 10)];
      expect(await groups('keep')).toEqual([...full, numbered(6, 15)]);
      expect(await groups('backfill')).toEqual([...full, numbered(10, 11)]);
      expect(await groups('drop')).toEqual(full);
    },
  },
  {
    id: '2.0-21',
    seeds: 'C',
    what: 'word chunkers lose line ends and runs of blanks, and take Chinese or base64 for one word',
    async run() {
      const text = 'one  two\n\n    three\tfour\nfive';
      const all = await cut(text, { strategy: 'words', size: 2, overlap: 0, whitespace: 'keep' });
      expect(textsOf(all).join('')).toBe(text);
      for (const run of Object.values(UNBROKEN)) {
        const pieces = await cut(run, { strategy: 'words', size: 10, overlap: 0, maxChars: 256 });
        expect(Math.max(...pieces.map((piece) => piece.text.length))).toBeLessThanOrEqual(256);
        expectTiled(run, pieces);
      }
    },
  },
  {
    id: '2.0-22',
    seeds: 'C',
    what: 'no chunk can be traced to its source',
    async run() {
      const text = PROSE.repeat(20);
      for (const options of [
        { strategy: 'regex', patterns: ['\\. '] },
        { strategy: 'sentence' },
        { strategy: 'topic' },
        { strategy: 'words', size: 20, overlap: 5 },
        { strategy: 'sliding', size: 20, step: 7 },
      ])
        expectExact(text, await cut(text, { size: 100, ...options }));
    },
  },
  {
    id: '2.0-23',
    seeds: 'C',
    what: 'cosine strategy: quadratic memory, 20 pieces at most, cut in document order',
    elsewhere: 'semantic strategy',
  },
  {
    id: '2.0-24',
    seeds: 'C',
    what: 'TF-IDF: unsorted, no threshold; Chinese unusable',
    run() {
      const chunks = ['Brot und Wasser', '水磨坊在河边，磨坊主数着麻袋。', '山上的雪融化了。', 'the mill by the river'];
      const ranked = rank('磨坊 麻袋', chunks, { minScore: 0.01 });
      expect(ranked.map(({ index }) => index)).toEqual([1]);
      const scores = rank('the river mill', chunks).map(({ score }) => score);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
    },
  },
  {
    id: '2.0-25a',
    seeds: 'C',
    what: 'TextTiling raises an error on short, empty, Chinese, Russian, Arabic text',
    async run() {
      const paragraph = numbered(30).join(' ');
      for (const text of ['One word.', `${paragraph}.\n\n${paragraph}.`, '水磨坊在河边。', RUSSIAN, 'طاحونة الماء بجانب النهر.'])
        expect(await topicsIn(text)).toHaveLength(1);
      expect(await topicsIn('')).toEqual([]);
    },
  },
  {
    id: '2.0-25b',
    seeds: 'C',
    what: 'TextTiling is quadratic and worse: 24 s for 128 KB',
    async run() {
      let text = '';
      await seeded(1, async (rng) => {
        text = topics(rng, Array<number>(10).fill(1000)).text;
      });
      // What is held does not grow with the text, so neither does what each word costs.
      expect(await heldWhile(text.slice(0, 60_000), 80, characters(2000, { strategy: 'topic' }))).toBeLessThan(600_000);
      return growth((n) => cut(text.repeat(n), characters(2000, { strategy: 'topic' })), 8);
    },
  },
  {
    id: '2.0-25c',
    seeds: 'C',
    what: 'four topics in 1,600 words come back as 11 pieces, two in 2,000 words as 24',
    async run() {
      await expectTopics(3, [400, 400, 400, 400]);
      await expectTopics(3, [1000, 1000]);
      await expectTopics(3, [2000]);
    },
  },
  {
    id: '2.0-25d',
    seeds: 'C',
    what: 'a boundary after word 400 is put after word 380',
    run: () => expectTopics(3, [400, 400], { paragraph: 10 }),
  },
  {
    id: '2.0-25e',
    seeds: 'C',
    what: 'digits and signs that were filtered out are counted all the same, so boundaries drift',
    run: () => expectTopics(3, [400, 400, 400], { hasNoise: true }),
  },
  {
    id: '2.0-25f',
    seeds: 'C',
    what: 'pieces do not follow the size that everything else keeps to',
    async run() {
      await seeded(1, async (rng) => {
        const { text } = topics(rng, [400, 400]);
        expectWithin(300, await topicsIn(text, { size: 300 }));
      });
    },
  },
];
