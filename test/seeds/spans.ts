/** Section 3, 1–22: places and losslessness, size and overlap, counts of tokens. */
import { get_encoding } from 'tiktoken';
import { expect } from 'vitest';
import { type Chunk, type ChunkOptions, chunkStream, loadCounter } from '../../src/index.js';
import { estimate } from '../../src/tokens/units.js';
import type { Doc, Item, TokenCounter } from '../../src/types.js';
import { cuts, seeded, troubleText } from '../support/random.js';
import {
  characters,
  cut,
  EVERY_STRATEGY,
  everyWay,
  expectComplete,
  expectExact,
  expectTiled,
  growth,
  type Row,
  refusal,
  sentencesIn,
  shared,
  TILING_STRATEGIES,
  textsOf,
  wordsIn,
} from './check.js';
import { EMOJI, numbered, PROSE, RUSSIAN, UNBROKEN } from './texts.js';

const MIXED = `${PROSE}${RUSSIAN}\n\n${EMOJI}\n\n${UNBROKEN.Chinese!.slice(0, 120)}\n\n# Mill\n\nconst x = f(a?.b ?? []);\n\n`;

/** What differs between two runs is the overlap, which may be none. */
const sized = (options: ChunkOptions, size: number, overlap: number): ChunkOptions => ({ ...options, size, overlap });

async function streamed(items: readonly Item[], options: ChunkOptions): Promise<Chunk[]> {
  const stream = chunkStream(options);
  for (const item of items) stream.write(item);
  stream.end();
  const all: Chunk[] = [];
  for await (const chunk of stream) all.push(chunk as Chunk);
  return all;
}

export const places: readonly Row[] = [
  {
    id: '3.1',
    seeds: 'CRMW',
    what: 'the bytes of every chunk, read and normalised, are its text: random text, buffers from one byte up',
    async run() {
      await seeded(12, async (rng) => {
        const text = troubleText(rng, rng.between(1, 400), { loneSurrogates: false });
        for (const options of EVERY_STRATEGY) {
          const size = rng.between(3, 40);
          const given = { maxChars: 256, ...sized(options, size, rng.between(0, size - 1)) };
          const whole = await cut(text, given);
          expectExact(text, whole);
          expect(await cut(cuts(rng, Buffer.from(text)), given)).toEqual(whole);
        }
      });
    },
  },
  {
    id: '3.2',
    seeds: 'CMW',
    what: 'without overlap and trimming, chunks lie side by side from the first byte to the last',
    async run() {
      for (const signature of ['', '\ufeff'])
        for (const options of everyWay(['tokens', 'characters', 'words', 'bytes'], TILING_STRATEGIES)) {
          const text = `${signature}${MIXED.trim()}`;
          expectTiled(text, await cut(text, { ...sized(options, 50, 0), whitespace: 'keep' }), Buffer.byteLength(signature));
        }
    },
  },
  {
    id: '3.3',
    seeds: 'MW',
    what: '1,000 equal paragraphs have 1,000 growing places',
    async run() {
      const text = 'The wheel turns.\n\n'.repeat(1000);
      for (const strategy of ['recursive', 'character', 'regex', 'paragraph', 'sentence']) {
        const all = await cut(text, characters(20, { strategy }));
        expect(all.map(({ start }) => start)).toEqual(Array.from({ length: 1000 }, (_, n) => n * 18));
      }
    },
  },
  {
    id: '3.4',
    seeds: 'MW',
    what: 'places stay right after a BOM, CR LF, collapsed and leading blanks (NFC is not done to text)',
    async run() {
      const text = `\ufeff\r\n \r\n${MIXED.replaceAll('\n', ' \r\n').replaceAll(' ', '\u00a0 ')}\u200b e\u0301`;
      for (const whitespace of ['tidy', 'collapse', 'lines', 'keep'] as const)
        for (const options of EVERY_STRATEGY) {
          const all = await cut(text, { ...sized(options, 40, 5), whitespace });
          expectExact(text, all, whitespace);
        }
    },
  },
  {
    id: '3.5',
    seeds: 'MW',
    what: 'no halved characters; a family, a flag, a letter and its accents stay whole where they fit',
    async run() {
      const cells = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(EMOJI)].map(({ index }) => index);
      const edges = new Set(cells.map((index) => Buffer.byteLength(EMOJI.slice(0, index))));
      for (const options of EVERY_STRATEGY.filter(({ unit }) => unit === undefined)) {
        const all = await cut(EMOJI, characters(30, options));
        expectExact(EMOJI, all);
        for (const { start } of all) expect(edges.has(start)).toBe(true);
      }
    },
  },
  {
    id: '3.6',
    seeds: 'CMW',
    what: 'places beyond 2^32 bytes are exact',
    async run() {
      const start = 2 ** 33 + 5;
      const doc: Doc = { origin: { uri: 'big.txt' }, charset: 'utf-8', metadata: {} };
      const segment = { text: PROSE, start, end: start + PROSE.length, verbatim: true };
      const all = await streamed([{ open: doc }, segment, { close: doc }], characters(60, { whitespace: 'keep' }));
      for (const { text, start: from, end } of all) expect(PROSE.slice(from - start, end - start)).toBe(text);
      expect(all[0]!.start).toBe(start);
      expect(all.length).toBeGreaterThan(5);
    },
  },
  {
    id: '3.7',
    seeds: 'CRMW',
    what: 'the same chunks whatever buffers the bytes come in: 1, 7, 4099, 65,536 bytes',
    async run() {
      const bytes = Buffer.from(MIXED.repeat(6));
      const parts = (size: number) =>
        Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
      for (const options of EVERY_STRATEGY) {
        const given = sized(options, 60, 10);
        const whole = await cut(bytes, given);
        for (const size of [1, 7, 4099, 65_536]) expect(await cut(parts(size), given)).toEqual(whole);
      }
    },
  },
  {
    id: '3.8',
    seeds: 'M',
    what: 'separators never come out as patterns, wherever they go; heading marks survive',
    async run() {
      const text = '# One\n\nText 1.\n\n## Two\n\nText 2.';
      for (const separatorPosition of ['start', 'end', 'drop'] as const)
        for (const options of [
          { separators: ['\\n#{1,6} ', '\\n+'], separatorsRegex: true },
          { strategy: 'character', separator: '\\n+', separatorRegex: true },
          { strategy: 'regex', patterns: ['\\n+', '(\\d)\\.'] },
        ]) {
          const all = textsOf(await cut(text, characters(12, { ...options, separatorPosition })));
          for (const each of all) expect(text).toContain(each);
          if (separatorPosition !== 'drop') expect(all.join('')).toBe(text);
        }
      const marked = textsOf(
        await cut(text, characters(20, { separators: '\\n(?=#)', separatorsRegex: true, separatorPosition: 'start' })),
      );
      expect(marked.join('')).toContain('## Two');
    },
  },
];

export const sizes: readonly Row[] = [
  {
    id: '3.9',
    seeds: 'CRMW',
    what: 'no chunk over the size, in any strategy and unit, overlap included; what is kept whole says so',
    async run() {
      const counter = await loadCounter('o200k_base');
      const count = {
        tokens: (text: string) => counter.count(text),
        characters: (text: string) => [...text].length,
        words: (text: string) => wordsIn(text).length,
        bytes: (text: string) => Buffer.byteLength(text),
      };
      for (const options of everyWay(['tokens', 'characters', 'words', 'bytes']))
        for (const [size, overlap] of [
          [7, 3],
          [40, 39],
          [200, 20],
        ] as const)
          for (const { text } of await cut(MIXED, { whitespace: 'keep', ...sized(options, size, overlap) }))
            if (count[options.unit!](text) > size) expect.fail(`${JSON.stringify(options)}: ${JSON.stringify(text)}`);
      const whole = await cut(
        `${'word '.repeat(50)}.\n\nShort one.`,
        characters(30, { strategy: 'paragraph', oversize: 'keep' }),
      );
      expect(whole.map(({ text, metadata }) => [text.length > 30, metadata.oversize === true])).toEqual([
        [true, true],
        [false, false],
      ]);
    },
  },
  {
    id: '3.10',
    seeds: 'CMW',
    what: 'the overlap is applied: whole words, no more than asked for, at least half of it; its ends are in the places',
    async run() {
      const text = numbered(2000).join(' ');
      for (const options of everyWay(['characters', 'bytes'])) {
        if (options.unit !== 'characters' && options.unit !== 'bytes') continue;
        if (['character', 'regex', 'section', 'topic'].includes(options.strategy as string)) continue; // overlap within units only: 3.10b
        const all = await cut(text, { ...sized(options, 200, 50), minSize: 0 });
        for (const bytes of shared(all)) if (bytes < 25 || bytes > 50) expect.fail(`${JSON.stringify(options)}: ${bytes}`);
      }
      for (const unit of ['words', 'tokens'] as const) {
        const all = await cut(text, { strategy: 'sliding', unit, size: 100, overlap: 30 });
        for (const [at, bytes] of shared(all).entries()) {
          const again = text.slice(all[at + 1]!.start, all[at + 1]!.start + bytes);
          expect(all[at]!.text.endsWith(again) && all[at + 1]!.text.startsWith(again)).toBe(true);
          if (unit === 'words') expect(again.trim().split(' ')).toHaveLength(30);
        }
      }
    },
  },
  {
    id: '3.10b',
    seeds: 'M',
    what: 'strategies whose chunks are units of the text overlap where a unit had to be cut, and never across units',
    async run() {
      const long = numbered(100).join(' ');
      for (const strategy of ['character', 'section', 'regex', 'topic']) {
        const text = `# One\n\n${long}\n\n# Two\n\n${long}\n`;
        const all = await cut(text, characters(120, { strategy, overlap: 30 }));
        expect(shared(all).filter((bytes) => bytes > 10).length).toBeGreaterThan(3);
        if (strategy !== 'topic')
          expect(all.filter((chunk) => chunk.text.includes('# Two') && chunk.text.includes('w99'))).toEqual([]);
      }
    },
  },
  {
    id: '3.11',
    seeds: 'M',
    what: 'the overlap goes across levels of separators and buffers, never across documents or records',
    async run() {
      const text = `${numbered(40).join(' ')}.\n\n${numbered(40, 40).join(' ')}, ${numbered(40, 80).join('\n')}\n\n`;
      const all = await cut(text, characters(100, { overlap: 30 }));
      expect(Math.min(...shared(all))).toBeGreaterThan(0);
      expect(await cut(text.split(/(?<=[3,])/), characters(100, { overlap: 30 }))).toEqual(all);
      const records = `${[0, 1, 2].map((n) => JSON.stringify({ t: numbered(30, n * 30).join(' ') })).join('\n')}\n`;
      for (const more of [{ text: 't' }, {}]) {
        const parts = await cut(records, characters(60, { format: 'jsonl', overlap: 20, ...more }));
        for (const [at, chunk] of parts.entries())
          if (chunk.record!.index !== parts[at - 1]?.record?.index)
            expect(chunk.start).toBeGreaterThanOrEqual(parts[at - 1]?.end ?? 0);
        expect(shared(parts).filter((bytes) => bytes > 0).length).toBeGreaterThan(3);
      }
    },
  },
  {
    id: '3.12',
    seeds: 'CMW',
    what: 'no chunk is all overlap; the last one does not lie in the one before',
    async run() {
      for (const options of everyWay(['tokens', 'characters', 'words']))
        for (let length = 1; length < 30; length++) {
          const text = numbered(length).join(' ');
          expectExact(text, await cut(text, sized(options, 12, 9)));
        }
    },
  },
  {
    id: '3.13',
    seeds: 'CMW',
    what: 'overlap >= size, size or step <= 0, NaN, unknown options are refused by name; sizes 1, 2, 20 end',
    async run() {
      const refused: readonly (readonly [object, RegExp])[] = [
        [{ size: 10, overlap: 10 }, /overlap/],
        [{ size: 10, overlap: 11 }, /overlap/],
        [{ size: 0 }, /size/],
        [{ size: -5 }, /size/],
        [{ size: Number.NaN }, /size/],
        [{ size: 1.5 }, /size/],
        [{ size: '10' }, /size/],
        [{ overlap: -1 }, /overlap/],
        [{ overlap: Number.NaN }, /overlap/],
        [{ strategy: 'sliding', step: 0 }, /step/],
        [{ strategy: 'sliding', step: -1 }, /step/],
        [{ strategy: 'sliding', step: Number.NaN }, /step/],
        [{ minSize: 20, size: 10 }, /minSize/],
        [{ chunkSize: 10 }, /chunkSize/],
        [{ strategy: 'recursiv' }, /recursive/],
        [{ unit: 'letters' }, /unit/],
        [{ strategy: 'words', unit: 'bytes' }, /unit/],
        [{ strategy: 'token', minSize: 5 }, /minSize/],
      ];
      for (const [options, name] of refused) expect(await refusal(options)).toMatch(name);
      for (const size of [1, 2, 20])
        for (const options of everyWay(['tokens', 'characters', 'bytes'])) await cut(MIXED, { ...options, size });
    },
  },
  {
    id: '3.14',
    seeds: 'W',
    what: 'an overlap of 0 is one, and loses nothing',
    async run() {
      for (const options of everyWay(['tokens', 'characters'], TILING_STRATEGIES)) {
        const all = await cut(MIXED, sized(options, 30, 0));
        expect(Math.max(0, ...shared(all))).toBe(0);
        expectComplete(MIXED, all);
      }
    },
  },
  {
    id: '3.15',
    seeds: 'M',
    what: 'no size is so small that the default overlap is refused',
    async run() {
      for (let size = 1; size <= 200; size += size < 60 ? 1 : 20) await cut('The wheel turns.', { size });
    },
  },
  {
    id: '3.16',
    seeds: 'M',
    what: 'least and target size work: nothing below the least but a last one; joining drops no text',
    async run() {
      const text = PROSE.repeat(6);
      for (const options of everyWay(['characters', 'words']).filter(
        ({ unit, strategy }) => unit === 'characters' && strategy !== 'token',
      )) {
        const all = await cut(text, { ...sized(options, 300, 0), minSize: 120 });
        const low = textsOf(all)
          .slice(0, -1)
          .filter((each) => each.length < 120);
        if (low.length > 0) expect.fail(`${JSON.stringify(options)}: ${JSON.stringify(low)}`);
        if (options.strategy !== 'regex') expectComplete(text, all);
      }
      const target = await cut(text, characters(300, { strategy: 'sentence', targetSize: 100 }));
      for (const chunk of textsOf(target).slice(0, -1)) {
        const [last = ''] = (await sentencesIn(chunk)).slice(-1);
        expect(chunk.length).toBeGreaterThanOrEqual(100);
        expect(chunk.trimEnd().length - last.length).toBeLessThan(100);
      }
    },
  },
  {
    id: '3.17',
    seeds: 'CRMW',
    what: 'letters, base64, Chinese, blanks without a separator are cut at the limit, in linear time, by all (40 KB each)',
    async run() {
      const runs = { ...UNBROKEN, blanks: `a${' '.repeat(4999)}` };
      for (const [name, run] of Object.entries(runs))
        for (const options of EVERY_STRATEGY) {
          const text = run.repeat(Math.ceil(40_000 / Buffer.byteLength(run)));
          const all = await cut(text, { maxChars: 1024, whitespace: 'keep', ...sized(options, 200, 20) });
          if (name === 'blanks') expectComplete(text, all);
          else expectExact(text, all, 'keep');
          if (name !== 'blanks') expect(all.length).toBeGreaterThan(20);
          expect(Math.max(...all.map((chunk) => chunk.text.length))).toBeLessThanOrEqual(1024);
        }
      return growth((n) => cut('x'.repeat(n), { size: 200 }), 1_000_000);
    },
  },
];

export const counts: readonly Row[] = [
  {
    id: '3.18',
    seeds: 'MW',
    what: "a counter of one's own counts for sizes and in what is written; another gives other chunks",
    async run() {
      const made = (name: string, letters: RegExp): TokenCounter => ({
        name,
        count: (text) => text.match(letters)?.length ?? Number(text !== ''),
      });
      const outputs: string[] = [];
      for (const tokenizer of [made('vowels', /[aeiou]/g), made('spaces', /\s/g)]) {
        const all = await cut(PROSE.repeat(3), { size: 20, overlap: 5, tokenizer });
        for (const { text, tokens } of all) expect([tokens, tokens! <= 20]).toEqual([tokenizer.count(text), true]);
        outputs.push(JSON.stringify(textsOf(all)));
      }
      expect(outputs[0]).not.toBe(outputs[1]);
    },
  },
  {
    id: '3.19',
    seeds: 'R',
    what: 'the estimate (3.8 characters a token, 1 for each CJK character) is exact, adds up, and can be had',
    async run() {
      for (const [text, tokens] of [
        ['a'.repeat(38), 10],
        ['a'.repeat(39), 11],
        ['漢字', 2],
        [`漢${'b'.repeat(19)}`, 6],
        ['', 0],
      ] as const)
        expect(estimate.count(text)).toBe(tokens);
      await seeded(10, async (rng) => {
        // Pieces of 38 characters are 10 tokens each, with nothing to round: their sum is the whole.
        const pieces = Array.from({ length: 50 }, () => (rng.chance(0.3) ? '漢' : 'abc '.repeat(19).slice(0, 38)));
        expect(estimate.count(pieces.join(''))).toBe(pieces.reduce((sum, piece) => sum + estimate.count(piece), 0));
      });
      const all = await cut(PROSE, { tokenizer: 'estimate', size: 30, overlap: 0 });
      for (const { text, tokens } of all) expect(tokens).toBe(Math.ceil(text.length / 3.8));
    },
  },
  {
    id: '3.20',
    seeds: 'M',
    what: 'tokens are those of tiktoken; a megabyte of one letter is counted at once',
    async run() {
      for (const name of ['o200k_base', 'cl100k_base'] as const) {
        const [counter, reference] = [await loadCounter(name), get_encoding(name)];
        for (const text of [MIXED, 'a'.repeat(3000), UNBROKEN.base64!, '<|endoftext|>'])
          expect(counter.count(text)).toBe(reference.encode(text, [], []).length);
        reference.free();
      }
      const counter = await loadCounter('o200k_base');
      return growth(async (n) => counter.count('a'.repeat(n)), 1_000_000);
    },
  },
  {
    id: '3.21',
    seeds: 'M',
    what: 'token windows are source text with its bytes; special tokens are text like any other',
    async run() {
      const text = `${MIXED}<|endoftext|> <|fim_prefix|> <|im_start|>`;
      const all = await cut(text, { strategy: 'token', size: 9, overlap: 0, whitespace: 'keep' });
      expectTiled(text, all);
      expectExact(text, all, 'keep');
      expect(Math.max(...all.map(({ tokens }) => tokens!))).toBe(9);
    },
  },
  {
    id: '3.22',
    seeds: 'RW',
    what: 'tokens of chunks without overlap add up to those of the file, but for one at each cut',
    async run() {
      const counter = await loadCounter('o200k_base');
      const told: string[] = [];
      for (const [name, text] of Object.entries({
        prose: PROSE.repeat(5),
        code: 'const x = f(a?.b ?? []);\n  return x;\n'.repeat(50),
        Chinese: `${UNBROKEN.Chinese!.slice(0, 600)}。`,
        Russian: RUSSIAN.repeat(8),
        emoji: EMOJI,
      })) {
        const all = await cut(text, { size: 40, overlap: 0, whitespace: 'keep' });
        const [sum, whole] = [all.reduce((total, { tokens }) => total + tokens!, 0), counter.count(text)];
        expect(Math.abs(sum - whole)).toBeLessThan(all.length);
        told.push(`${name} ${sum - whole >= 0 ? '+' : ''}${(((sum - whole) / whole) * 100).toFixed(1)} %`);
      }
      return told.join(', ');
    },
  },
];
