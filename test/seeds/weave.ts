/** Section 2.3: Weave's chunkers. */
import { expect } from 'vitest';
import { chunkStream } from '../../src/index.js';
import type { Strategy, TokenCounter } from '../../src/types.js';
import {
  characters,
  cut,
  everyWay,
  expectComplete,
  expectExact,
  expectTiled,
  expectWithin,
  type Row,
  refusal,
  sentencesIn,
  shared,
  textsOf,
} from './check.js';
import { EMOJI, numbered, PROSE, RUSSIAN, UNBROKEN } from './texts.js';

export const weave: readonly Row[] = [
  {
    id: '2.3#1',
    seeds: 'W',
    what: 'fixed, overlap 0: the first chunk only, the rest is lost',
    async run() {
      const text = PROSE.repeat(50).trim();
      const all = await cut(text, { strategy: 'token', size: 100, overlap: 0, whitespace: 'keep' });
      expectTiled(text, all);
      expect(all.slice(0, -1).every(({ tokens }) => tokens! > 90)).toBe(true);
    },
  },
  {
    id: '2.3#2',
    seeds: 'W',
    what: 'fixed with overlap: never ends, or panics on short text (1024/100, and by default)',
    async run() {
      for (const text of ['short', PROSE.repeat(30)])
        for (const options of [{ size: 1024, overlap: 100 }, { size: 512 }, { size: 20, overlap: 19 }])
          expectComplete(text, await cut(text, { strategy: 'token', ...options }));
    },
  },
  {
    id: '2.3#3',
    seeds: 'W',
    what: 'recursive: runs without separators over 2048 bytes are cut short, or never end',
    async run() {
      for (const run of Object.values(UNBROKEN))
        for (const overlap of [0, 50]) {
          const all = await cut(run, { size: 512, overlap });
          expectComplete(run, all);
          if (overlap === 0) expectTiled(run, all);
        }
    },
  },
  {
    id: '2.3#4',
    seeds: 'W',
    what: 'equal paragraphs all have the place of the first',
    async run() {
      const text = 'The wheel turns.\n\n'.repeat(1000);
      const all = await cut(text, characters(20));
      expect(all.map(({ start }) => start)).toEqual(Array.from({ length: 1000 }, (_, n) => n * 18));
    },
  },
  {
    id: '2.3#5',
    seeds: 'W',
    what: 'overlap in bytes: within words and characters, pushes the next chunk over its budget, slivers of repeated text',
    async run() {
      const text = `${RUSSIAN} ${PROSE}`.repeat(10);
      const all = await cut(text, { unit: 'bytes', size: 200, overlap: 50 });
      expectExact(text, all);
      for (const { text: each } of all) expect(Buffer.byteLength(each)).toBeLessThanOrEqual(200);
      const bytes = Buffer.from(text);
      for (const { start } of all.slice(1)) expect(bytes.subarray(0, start).toString().at(-1)).toMatch(/\s/);
      for (const [at, { start, end }] of all.entries())
        if (at > 0) expect(end - all[at - 1]!.end).toBeGreaterThan((end - start) / 10);
    },
  },
  {
    id: '2.3#6',
    seeds: 'W',
    what: 'places drift with every blank that is dropped, from the second chunk on',
    async run() {
      const text = `\ufeff\r\n\r\n  ${PROSE.replaceAll(' ', '  ').replaceAll('\n', ' \r\n').repeat(10)}`;
      for (const whitespace of ['tidy', 'collapse', 'lines', 'keep'] as const) {
        const all = await cut(text, characters(150, { strategy: 'sentence', whitespace }));
        expectExact(text, all, whitespace);
        expectComplete(text, all);
      }
    },
  },
  {
    id: '2.3#7',
    seeds: 'W',
    what: 'windows of bytes halve characters',
    async run() {
      for (const size of [4, 5, 7, 64])
        for (const text of [EMOJI, RUSSIAN.repeat(5), UNBROKEN.Chinese!.slice(0, 500)]) {
          const all = await cut(text, { unit: 'bytes', size, overlap: 0 });
          expectExact(text, all);
          for (const { start, end } of all) expect(end - start).toBeLessThanOrEqual(size);
        }
    },
  },
  {
    id: '2.3#8',
    seeds: 'W',
    what: 'tokens are bytes / 4 whatever counter is given',
    async run() {
      const vowels: TokenCounter = { name: 'vowels', count: (text) => text.match(/[aeiou]/g)?.length ?? Number(text !== '') };
      const all = await cut(PROSE.repeat(5), { size: 20, overlap: 0, tokenizer: vowels });
      for (const { text, tokens } of all) {
        expect(tokens).toBe(vowels.count(text));
        expect(tokens).toBeLessThanOrEqual(20);
      }
      expect(textsOf(all)).not.toEqual(textsOf(await cut(PROSE.repeat(5), { size: 20, overlap: 0 })));
    },
  },
  {
    id: '2.3#9',
    seeds: 'W',
    what: 'sliding, overlap of the size or more: a chunk for each byte; the last chunk lies in the one before',
    async run() {
      for (const unit of ['tokens', 'words'] as const) {
        expect(await refusal({ strategy: 'sliding', unit, size: 10, overlap: 10 })).toMatch(/overlap must be smaller than size/);
        for (const tail of ['keep', 'backfill'] as const)
          for (let length = 1; length < 40; length++) {
            const text = numbered(length).join(' ');
            const all = await cut(text, { strategy: 'sliding', unit, size: 10, overlap: 7, tail });
            expectExact(text, all);
            expectComplete(text, all);
          }
      }
    },
  },
  {
    id: '2.3#10',
    seeds: 'W',
    what: 'semantic (sentences): no upper bound, English marks only, white space and overlap lost',
    async run() {
      expectWithin(50, textsOf(await cut(`${'word '.repeat(100)}.`, characters(50, { strategy: 'sentence' }))));
      expect(await sentencesIn('水来了。真的吗？')).toHaveLength(2);
      expect(await sentencesIn('वह घर गया। फिर वह सो गया।')).toHaveLength(2);
      const text = 'One  two.\n\n\tThree  four. '.repeat(30).trim();
      expectTiled(text, await cut(text, characters(60, { strategy: 'sentence', whitespace: 'keep' })));
      expect(Math.max(...shared(await cut(text, characters(60, { strategy: 'sentence', overlap: 30 }))))).toBeGreaterThan(10);
    },
  },
  {
    id: '2.3#11',
    seeds: 'W',
    what: 'code: a Go func hides all other borders, long functions stay whole, comments parted from what they describe, no overlap',
    async run() {
      const body = (name: string) => `// ${name} turns.\nfunc ${name}() int {\n${'\tx := turn(1)\n'.repeat(4)}\treturn x\n}\n\n`;
      const text = `package mill\n\n${['one', 'two', 'three'].map(body).join('')}type Wheel struct {\n\tn int\n\tspokes []string\n}\n`;
      const all = await cut(text, characters(110, { language: 'go', whitespace: 'keep', minSize: 1 }));
      expectTiled(text, all);
      const firsts = textsOf(all).map((each) => each.split('\n', 1)[0]);
      expect(firsts).toEqual(['package mill', '// one turns.', '// two turns.', '// three turns.', 'type Wheel struct {']);
      const long = `func long() {\n${'\tx := turn(1)\n'.repeat(300)}}\n`;
      expectWithin(500, textsOf(await cut(long, characters(500, { language: 'go' }))));
      expect(Math.min(...shared(await cut(long, characters(500, { language: 'go', overlap: 50 }))))).toBeGreaterThan(0);
    },
  },
  {
    id: '2.3#12',
    seeds: 'W',
    what: 'the name of the strategy selects nothing',
    async run() {
      const text = `# Mill\n\nIt turns.\n\n# Wheel\n\nIt turns too.\n\n# Race\n\n${PROSE}\n`;
      const outputs = await Promise.all(
        ['recursive', 'character', 'sentence', 'section', 'words', 'token'].map((strategy) =>
          cut(text, { strategy, size: 30, overlap: 0 }),
        ),
      );
      expect(new Set(outputs.map((all) => JSON.stringify(textsOf(all)))).size).toBe(outputs.length);
      const halves: Strategy = {
        name: 'halves',
        packing: 'fill',
        levels: [
          {
            name: 'e',
            last: (view, from, to) => ({
              end: Math.max(from + 1, view.lastIndexOf('e', to - 1) + 1),
              next: Math.max(from + 1, view.lastIndexOf('e', to - 1) + 1),
            }),
          },
        ],
      };
      for (const each of textsOf(await cut(PROSE, characters(40, { strategy: halves }))).slice(0, -1))
        expect(each.at(-1)).toBe('e');
      for (const options of everyWay(['tokens'])) expect((await cut(text, { size: 30, ...options })).length).toBeGreaterThan(0);
    },
  },
  {
    id: '2.3#13a',
    seeds: 'W',
    what: 'cannot be cancelled, does not stream',
    async run() {
      const stop = new AbortController();
      const stream = chunkStream({ size: 10 }, stop.signal);
      const failed = new Promise<Error>((resolve) => stream.once('error', resolve));
      stream.write(PROSE.repeat(100));
      stop.abort();
      expect((await failed).name).toBe('AbortError');
    },
  },
  {
    id: '2.3#13b',
    seeds: 'W',
    what: 'no batches, no resume, nothing found twice; orphans after a failed store',
    elsewhere: 'stores and resumption',
  },
];
