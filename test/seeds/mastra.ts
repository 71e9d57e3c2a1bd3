/** Section 2.2: Mastra's `.chunk()`. 2.2-n were reported, to it or to libraries of its family; 2.2#n were found by running it. */
import { expect } from 'vitest';
import { loadCounter } from '../../src/index.js';
import { characters as characterCounter } from '../../src/tokens/units.js';
import type { TokenCounter } from '../../src/types.js';
import { LANGUAGES } from '../../transforms/boundaries/languages.js';
import {
  characters,
  cut,
  everyWay,
  expectComplete,
  expectExact,
  expectTiled,
  expectWithin,
  growth,
  heldWhile,
  type Row,
  refusal,
  reread,
  sentencesIn,
  shared,
  TILING_STRATEGIES,
  textsOf,
} from './check.js';
import { loadedBy } from './modules.js';
import { ABBREVIATIONS, EMOJI, numbered, PROSE, RUSSIAN, UNBROKEN } from './texts.js';

const MARKDOWN = '# One\n\nFirst text here.\n\n## Two\n\nSecond text here.\n\n### Three\n\nThird text here.\n';

/** Source in which the separators of the presets occur. */
const SOURCES = {
  markdown: MARKDOWN,
  latex: '\\documentclass{book}\n\\begin{document}\n\\chapter{One}\nText of it.\n\\section{Two}\nMore of it.\n\\end{document}\n',
  rst: 'Title\n=====\n\nText of it.\n\nOther\n-----\n\n.. code-block:: sh\n\n   ls\n',
  php: '<?php\n\nfunction one() {\n  return 1;\n}\n\nclass Two {\n  private function three() {\n  }\n}\n',
};

/** Counts what it is asked to count. */
function counting(counter: TokenCounter): TokenCounter & { readonly counted: number } {
  let counted = 0;
  return {
    name: 'counting',
    count(text) {
      counted += text.length;
      return counter.count(text);
    },
    get counted() {
      return counted;
    },
  };
}

/** Every leaf of a value, as `path=value`, in order. */
function leaves(value: unknown, path = '$'): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}=${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, each]) => leaves(each, `${path}.${key}`));
}

/** A JSON document cut as it is: side by side, within the size with its context, and together the same value. */
async function expectSameJson(value: unknown, size: number): Promise<void> {
  const source = JSON.stringify(value);
  const all = await cut(source, characters(size, { format: 'json' }));
  expectTiled(source, all);
  expectWithin(
    size,
    all.map(({ context, text }) => (context === undefined ? text : `${context}\n\n${text}`)),
  );
  expect(leaves(JSON.parse(textsOf(all).join('')))).toEqual(leaves(value));
}

export const mastraReported: readonly Row[] = [
  {
    id: '2.2-1',
    seeds: 'M',
    what: 'chunks over the size where the overlap is large',
    async run() {
      for (const options of everyWay(['characters']).filter(({ unit }) => unit === 'characters'))
        for (const overlap of [50, 99])
          expectWithin(100, textsOf(await cut(PROSE.repeat(3), characters(100, { ...options, overlap }))));
    },
  },
  { id: '2.2-2', seeds: 'M', what: 'html: text repeated once for each level of nesting', elsewhere: 'HTML' },
  {
    id: '2.2-3',
    seeds: 'M',
    what: 'token: hangs when the overlap is the size',
    async run() {
      expect(await refusal({ strategy: 'token', size: 20, overlap: 20 })).toMatch(/overlap must be smaller than size/);
      expect((await cut(PROSE, { strategy: 'token', size: 20, overlap: 19 })).length).toBeGreaterThan(50);
    },
  },
  {
    id: '2.2-4',
    seeds: 'M',
    what: 'character: text lost with lengths in bytes or tokens, surrogate pairs halved',
    async run() {
      for (const unit of ['bytes', 'tokens'] as const)
        for (const text of [PROSE, EMOJI, RUSSIAN]) {
          const all = await cut(text, { strategy: 'character', separator: ' ', size: 30, overlap: 0, unit, whitespace: 'keep' });
          expectExact(text, all, 'keep');
          expectComplete(text, all);
        }
    },
  },
  {
    id: '2.2-5',
    seeds: 'M',
    what: 'separators in a row and at the end are lost where they go to the chunk after',
    async run() {
      const text = ';;one;;two;three;;';
      for (const options of [
        { strategy: 'character', separator: ';' },
        { strategy: 'recursive', separators: ';' },
        { strategy: 'regex', patterns: ';' },
      ] as const)
        for (const separatorPosition of ['start', 'end'] as const)
          expect(textsOf(await cut(text, characters(6, { ...options, separatorPosition }))).join('')).toBe(text);
    },
  },
  {
    id: '2.2-6',
    seeds: 'M',
    what: 'token is far too slow: the encoder made twice, text encoded again and again',
    async run() {
      const options = { strategy: 'token', size: 200, overlap: 20 };
      for (const { tokens } of (await cut(PROSE.repeat(100), options)).slice(0, -1)) expect(tokens).toBeGreaterThan(195);
      return growth((n) => cut(PROSE.repeat(n), options), 500);
    },
  },
  {
    id: '2.2-7',
    seeds: 'M',
    what: 'a tokenizer is loaded although nothing is counted with it',
    async run() {
      expect(await loadedBy(['--unit', 'tokens'], 'gpt-tokenizer')).toBe(true);
      expect(await loadedBy(['--unit', 'characters'], 'gpt-tokenizer')).toBe(false);
      expect(await loadedBy(['--unit', 'tokens', '--tokenizer', 'estimate'], 'gpt-tokenizer')).toBe(false);
    },
  },
  {
    id: '2.2-8',
    seeds: 'M',
    what: 'text without white space is not split; the first chunk is empty',
    async run() {
      for (const text of Object.values(UNBROKEN))
        for (const options of TILING_STRATEGIES) {
          const all = await cut(text, { size: 100, overlap: 0, maxChars: 1000, ...options });
          expectTiled(text, all);
          expect(all.length).toBeGreaterThan(3);
        }
    },
  },
  { id: '2.2-9', seeds: 'M', what: 'html: chunks far too big, sections without content', elsewhere: 'HTML' },
  { id: '2.2-10', seeds: 'M', what: 'markdown: tables cut', elsewhere: 'markdown' },
  {
    id: '2.2-11',
    seeds: 'M',
    what: 'languages that are listed but throw',
    async run() {
      expect(LANGUAGES).toHaveLength(26);
      for (const language of LANGUAGES) {
        const source = `${SOURCES.php}${MARKDOWN}${SOURCES.latex}`;
        const all = await cut(source, characters(60, { language, whitespace: 'keep' }));
        expectExact(source, all, 'keep');
        expectTiled(source, all);
      }
    },
  },
  {
    id: '2.2-12',
    seeds: 'M',
    what: 'sentences not preserved; json over the size',
    async run() {
      const sentences = PROSE.split(/(?<=[.?])\s+/).filter((each) => each !== '');
      for (const text of textsOf(await cut(PROSE, characters(150, { strategy: 'sentence', trim: true, whitespace: 'collapse' }))))
        expect(sentences).toEqual(expect.arrayContaining(text.split(/(?<=[.?])\s+/)));
      await expectSameJson({ a: ['x'.repeat(346)], b: 'y '.repeat(100) }, 60);
    },
  },
  {
    id: '2.2-13',
    seeds: 'M',
    what: 'character: overlap ignored, then slivers at the end',
    async run() {
      const all = await cut('x'.repeat(1003), characters(100, { strategy: 'character', overlap: 10 }));
      expect(shared(all)).toEqual(Array<number>(all.length - 1).fill(10));
      expect(all.at(-1)!.end - all.at(-2)!.end).toBeGreaterThan(0);
      expect(all.at(-1)!.text.length).toBeGreaterThan(10);
      expect(all).toHaveLength(Math.ceil((1003 - 10) / 90));
    },
  },
  {
    id: '2.2-14',
    seeds: 'M',
    what: 'json: recursion too deep, structure changed',
    async run() {
      const deep = `${'{"a":['.repeat(20_000)}"end"${']}'.repeat(20_000)}`;
      const all = await cut(deep, characters(1000, { format: 'json' }));
      expect(textsOf(all).join('')).toBe(deep);
    },
  },
  {
    id: '2.2-15',
    seeds: 'M',
    what: 'semantic-markdown: sections over the size stay whole',
    elsewhere: 'semantic markdown; the strategy section cuts them (3.39)',
  },
  {
    id: '2.2-16',
    seeds: 'M',
    what: 'inputs over the limit of the embedding model: what is delivered, context and all, must be within it',
    async run() {
      const counter = await loadCounter('o200k_base');
      const csv = `name,story\n${Array.from({ length: 40 }, (_, n) => `mill ${n},"${PROSE.replaceAll('\n', ' ').trim()}"`).join('\n')}\n`;
      const all = await cut(csv, { format: 'csv', size: 64, overlap: 10 });
      expect(all.some(({ context }) => context !== undefined)).toBe(true);
      for (const { context, text } of all)
        expect(counter.count(context === undefined ? text : `${context}\n\n${text}`)).toBeLessThanOrEqual(64);
    },
  },
  {
    id: '2.2-17',
    seeds: 'M',
    what: 'a pattern is put between pieces as text; the start index is then -1',
    async run() {
      const text = 'one1two22three333four';
      for (const separatorPosition of ['start', 'end'] as const) {
        const all = await cut(text, characters(8, { separators: '\\d+', separatorsRegex: true, separatorPosition }));
        expect(textsOf(all).join('')).toBe(text);
        expectTiled(text, all);
      }
    },
  },
  {
    id: '2.2-18',
    seeds: 'M',
    what: 'places are searched for: wrong for repeated text, and where the overlap is in tokens',
    async run() {
      const text = 'The wheel turns. The wheel turns. '.repeat(200);
      for (const options of everyWay(['tokens'])) {
        const all = await cut(text, { size: 20, overlap: 6, ...options });
        expectExact(text, all);
        if (options.strategy !== 'regex') expectComplete(text, all);
      }
    },
  },
  {
    id: '2.2-19',
    seeds: 'M',
    what: 'markdown splitters flatten paragraphs, lose indentation, tabs and heading marks',
    async run() {
      const text = `${MARKDOWN}\n\tcode\n    more code\n\n- item\n    - inner\n`;
      for (const size of [20, 40, 500])
        expect(textsOf(await cut(text, characters(size, { language: 'markdown', whitespace: 'keep' }))).join('')).toBe(text);
    },
  },
  {
    id: '2.2-20',
    seeds: 'M',
    what: 'token windows cut within a character: empty text, shifted places',
    async run() {
      for (const text of [EMOJI, UNBROKEN.Chinese!.slice(0, 600), 'กาลครั้งหนึ่ง'.repeat(50)])
        for (const strategy of ['token', 'sliding']) {
          const all = await cut(text, { strategy, size: 7, overlap: 2 });
          expectExact(text, all);
          expectComplete(text, all);
        }
    },
  },
  {
    id: '2.2-21',
    seeds: 'M',
    what: 'tokens of one long run: quadratic, minutes for a megabyte',
    async run() {
      const counter = await loadCounter('o200k_base');
      for (const each of ['a', '漢', '_']) expect(counter.count(each.repeat(300_000))).toBeGreaterThan(1000);
      return growth(async (n) => counter.count('a'.repeat(n)), 500_000);
    },
  },
];

export const mastraFound: readonly Row[] = [
  {
    id: '2.2#1',
    seeds: 'M',
    what: 'markdown as it is by default: heading marks lost, pattern text put in',
    async run() {
      for (const size of [15, 40, 200]) {
        const all = await cut(MARKDOWN, characters(size, { language: 'markdown' }));
        expect(textsOf(all).join('')).toBe(MARKDOWN);
        expectTiled(MARKDOWN, all);
      }
      const sections = textsOf(await cut(MARKDOWN, characters(40, { language: 'markdown', minSize: 1 })));
      expect(sections.map((text) => text.split('\n', 1)[0])).toEqual(['# One', '## Two', '### Three']);
    },
  },
  {
    id: '2.2#2',
    seeds: 'M',
    what: 'the same for latex, rst, php and patterns of the user',
    async run() {
      for (const [language, source] of Object.entries(SOURCES))
        for (const size of [15, 40, 200])
          expect(textsOf(await cut(source, characters(size, { language }))).join('')).toBe(source);
      const own = { separators: ['(#{1,3} )', '\\n+'], separatorsRegex: true };
      for (const separatorPosition of ['start', 'end'] as const)
        expect(textsOf(await cut(MARKDOWN, characters(30, { ...own, separatorPosition }))).join('')).toBe(MARKDOWN);
      for (const text of textsOf(await cut(MARKDOWN, characters(30, { ...own, separatorPosition: 'drop' }))))
        expect(MARKDOWN).toContain(text);
    },
  },
  {
    id: '2.2#3',
    seeds: 'M',
    what: 'json loses data: 3 of 40 items, scalars beside a long list, most of a long string, a scalar or null as the whole',
    async run() {
      const item = (n: number) => ({ id: n, text: `item ${n}` });
      const items = (count: number) => Array.from({ length: count }, (_, n) => item(n));
      await expectSameJson({ items: items(40) }, 1000);
      await expectSameJson({ items: items(24) }, 300);
      await expectSameJson({ title: 'mill', count: 7, items: items(100), last: null }, 200);
      await expectSameJson({ text: 'z'.repeat(300) }, 60);
      await expectSameJson({ text: '"'.repeat(300) }, 60);
      for (const root of ['mill', null, 5, true, [], {}]) await expectSameJson(root, 60);
      const each = await cut(JSON.stringify({ items: items(40) }), characters(1000, { format: 'json', records: '$.items[*]' }));
      expect(textsOf(each).map((text) => JSON.parse(text))).toEqual(items(40));
    },
  },
  {
    id: '2.2#4',
    seeds: 'M',
    what: 'json over the size: a long string within (346 at 60), Chinese as escapes (134 at 50)',
    async run() {
      await expectSameJson({ a: { b: ['s'.repeat(346)] } }, 60);
      await expectSameJson({ a: '水磨坊在河边'.repeat(30) }, 50);
      const escaped = `{"a":"${'\\u6c34\\u78e8'.repeat(60)}"}`;
      const all = await cut(escaped, characters(50, { format: 'json', text: 'a' }));
      expectWithin(50, textsOf(all));
      expect(textsOf(all).join('')).toBe('水磨'.repeat(60));
    },
  },
  {
    id: '2.2#5',
    seeds: 'M',
    what: 'json is changed: escapes twice or undone, keys unescaped, `root` lost, wrong indexes in paths, another order',
    async run() {
      const source = '{"é\\"":"é \\\\u00e9 \\u00e9","root":{"x":[1,2]},"__proto__":1.0,"b":{"c":1},"a":12345678901234567890}';
      const all = await cut(source, characters(20, { format: 'json' }));
      expect(textsOf(all).join('')).toBe(source);
      const [text] = await cut(source, { format: 'json', text: '["é\\""]' });
      expect(text!.text).toBe('é \\u00e9 é');
      expect(Object.keys(text!.metadata)).toEqual(['root', '__proto__', 'b', 'a']);
      expect(text!.metadata.a).toBe('12345678901234567890');
      const list = JSON.stringify(Array.from({ length: 50 }, (_, n) => `value ${n}`));
      for (const { context, text: part } of (await cut(list, characters(100, { format: 'json', records: '$' }))).slice(1))
        expect(part).toMatch(new RegExp(`^"value ${/\d+/.exec(context!)![0]}"`));
    },
  },
  {
    id: '2.2#6',
    seeds: 'M',
    what: 'json never ends at a size of 20 or less',
    async run() {
      // No blanks: a chunk of nothing else would be left out.
      for (const size of [1, 2, 5, 20]) await expectSameJson({ a: 'longer-'.repeat(20), b: ['w'.repeat(50)] }, size);
    },
  },
  {
    id: '2.2#7',
    seeds: 'M',
    what: 'sentence: the least size without effect, a last chunk that is all overlap, overlap and sentence over the size (97 at 60)',
    async run() {
      const text = PROSE.repeat(4);
      const small = await cut(text, characters(200, { strategy: 'sentence', minSize: 100 }));
      expect(Math.min(...small.slice(0, -1).map((chunk) => chunk.text.length))).toBeGreaterThanOrEqual(100);
      for (const [size, overlap] of [
        [60, 40],
        [60, 59],
        [200, 100],
      ] as const) {
        const all = await cut(text, characters(size, { strategy: 'sentence', overlap }));
        expectWithin(size, textsOf(all));
        expectExact(text, all);
      }
    },
  },
  {
    id: '2.2#8',
    seeds: 'M',
    what: 'sentence: no borders in Russian, Chinese, Japanese, before quotes, digits, small or accented letters; long enders; years',
    async run() {
      for (const all of [
        RUSSIAN.split(/(?<=[.?]) /),
        ['Il pleut.', 'Élodie arrive.'],
        ['He left.', '"Why?" she asked.'],
        ['The year was 1999.', 'Nobody knew.'],
        ['They came in 1848.', '50 men stayed.'],
        ['It works!', 'iPhones are sold here.'],
      ])
        expect(await sentencesIn(all.join(' '))).toEqual(all);
      expect(await sentencesIn('雪が降った。道は白い！行こうか？')).toEqual(['雪が降った。', '道は白い！', '行こうか？']);
      expect(await sentencesIn('One END two END three', { enders: ['END'] })).toEqual(['One END', 'two END', 'three']);
    },
  },
  {
    id: '2.2#9',
    seeds: 'M',
    what: 'sentence: quadratic on abbreviations (56 KB in 5 s)',
    async run() {
      const options = characters(1000, { strategy: 'sentence' });
      expectComplete(ABBREVIATIONS.repeat(5000), await cut(ABBREVIATIONS.repeat(5000), options));
      return growth((n) => cut(ABBREVIATIONS.repeat(n), options), 3000);
    },
  },
  {
    id: '2.2#10',
    seeds: 'M',
    what: 'recursive: surrogate pairs halved at a size of 3',
    async run() {
      for (const size of [2, 3]) {
        const all = await cut(EMOJI, characters(size));
        expectExact(EMOJI, all);
        expectTiled(EMOJI, all);
      }
    },
  },
  {
    id: '2.2#11',
    seeds: 'M',
    what: '120,000 chunks overflow the stack (200,000 sections: 3.28)',
    async run() {
      expect(await cut('word '.repeat(200_000), characters(5))).toHaveLength(200_000);
    },
  },
  {
    id: '2.2#12',
    seeds: 'M',
    what: 'token: U+FFFD for emoji and Chinese, blanks at joins lost, special tokens throw, unknown model: "install the library"',
    async run() {
      const text = `${EMOJI} ${UNBROKEN.Chinese!.slice(0, 300)} a  b   c <|endoftext|> <|im_start|> d`;
      const all = await cut(text, { strategy: 'token', size: 5, overlap: 0, whitespace: 'keep' });
      expect(textsOf(all).join('')).toBe(text);
      expect(await refusal({ tokenizer: 'gpt-9-none' })).toMatch(/unknown tokenizer "gpt-9-none"/);
    },
  },
  {
    id: '2.2#13',
    seeds: 'M',
    what: 'one run of 10,000 letters takes 7 s to count, 40,000 take 115 s',
    async run() {
      const all = await cut('abc'.repeat(100_000), { strategy: 'token', size: 100, overlap: 10 });
      expect(Math.max(...all.map(({ tokens }) => tokens!))).toBe(100);
      return growth((n) => cut('a'.repeat(n), { strategy: 'token', size: 100, overlap: 10 }), 200_000);
    },
  },
  {
    id: '2.2#14',
    seeds: 'M',
    what: "a length function of one's own is called for every prefix (2 KB in 1.75 s)",
    async run() {
      const counted = async (part: string, length: number) => {
        const text = part.repeat(length / part.length);
        const tokenizer = counting(characterCounter);
        await cut(text, { strategy: 'character', size: 100, overlap: 10, minSize: 0, tokenizer });
        return tokenizer.counted / text.length;
      };
      const told: number[] = [];
      for (const part of ['x', PROSE, 'word '])
        for (const length of [4000, 30_000]) {
          const [once, twice] = [await counted(part, length), await counted(part, 2 * length)];
          expect(twice).toBeLessThan(once * 1.3);
          told.push(Math.round(twice));
        }
      return `${Math.max(...told)} characters counted for each of the text`;
    },
  },
  {
    id: '2.2#15',
    seeds: 'M',
    what: 'start index: 16 instead of 0, -1, off for token overlaps',
    async run() {
      const text = `  \n\n${PROSE.repeat(5)}`;
      for (const options of everyWay(['tokens', 'characters'])) {
        const all = await cut(text, { size: 60, overlap: 15, ...options });
        expectExact(text, all);
        expect(reread(text, all[0]!, 'tidy').trimStart().slice(0, 8)).toBe('The mill');
      }
    },
  },
  {
    id: '2.2#16',
    seeds: 'M',
    what: 'no overlap where pieces are longer than it, nor across levels of separators',
    async run() {
      const paragraph = numbered(30).join(' ');
      const text = `${paragraph}.\n\n${'short. '.repeat(3)}\n\n${paragraph}, ${paragraph}\n\n`.repeat(5);
      for (const strategy of ['recursive', 'sentence', 'paragraph']) {
        const all = await cut(text, characters(100, { strategy, overlap: 20 }));
        expect(Math.min(...shared(all))).toBeGreaterThan(0);
      }
    },
  },
  {
    id: '2.2#17',
    seeds: 'M',
    what: 'html: nested text repeated, text before the first heading lost, wrong xpaths',
    elsewhere: 'HTML',
  },
  {
    id: '2.2#18',
    seeds: 'M',
    what: 'markdown headers: tables and code lost, headings with a pipe missed',
    elsewhere: 'markdown',
  },
  {
    id: '2.2#19',
    seeds: 'M',
    what: 'semantic-markdown: sections over the size, ~~~ within ``` ends it, a last heading without text dropped',
    async run() {
      const text = `# One\n\n\`\`\`\n~~~\n# no heading\n~~~\n\`\`\`\n\n# Two\n\n${PROSE.repeat(5)}\n# Last\n`;
      const all = await cut(text, characters(200, { strategy: 'section', whitespace: 'keep' }));
      expectWithin(200, textsOf(all));
      expect(textsOf(all).join('')).toBe(text);
      const headings = all.map(({ metadata }) => String(metadata.headings));
      expect([...new Set(headings)]).toEqual(['One', 'Two', 'Last']);
    },
  },
  {
    id: '2.2#20',
    seeds: 'M',
    what: 'json: every key is serialised again with its group (80,000 keys in 5.4 s)',
    async run() {
      const object = (keys: number) => `{${Array.from({ length: keys }, (_, n) => `"key${n}":${n}`).join()}}`;
      const source = object(80_000);
      expect(textsOf(await cut(source, characters(500, { format: 'json' }))).join('')).toBe(source);
      return growth((n) => cut(object(n), characters(500, { format: 'json' })), 40_000);
    },
  },
  {
    id: '2.2#21',
    seeds: 'M',
    what: 'whole text, pieces and chunks in memory: 602 MB for 74 MB',
    async run() {
      const held = await heldWhile(PROSE, 40_000, characters(4000));
      expect(held).toBeLessThan(100_000);
      return `holds ${held} of ${PROSE.length * 40_000} characters`;
    },
  },
];
