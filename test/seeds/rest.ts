/** Section 3, 46 and 51–60: collections, sources, white space, what is written, and small files. */
import { expect } from 'vitest';
import { run } from '../../src/run.js';
import { chunksIn } from '../support/cli.js';
import { memoryWorld } from '../support/world.js';
import { characters, cut, expectExact, type Row, textsOf } from './check.js';
import { PROSE, RUSSIAN } from './texts.js';

export const rest: readonly Row[] = [
  {
    id: '3.46',
    seeds: 'W',
    what: 'collections: a strategy, sizes and a counter for each, defaults for what is absent, a zero that is one',
    async run() {
      const text = '# Mill\n\nIt turns.\n\n# Wheel\n\nIt turns too.\n\n'.repeat(40);
      const collections = {
        plain: { input: 'in.txt', out: 'plain.jsonl' },
        sections: { input: 'in.txt', out: 'sections.jsonl', strategy: 'section', overlap: 0 },
        words: { input: 'in.txt', out: 'words.jsonl', strategy: 'words', size: 40, overlap: 8, tokenizer: 'estimate' },
      };
      const world = memoryWorld({ files: { 'in.txt': text, 'millrace.json': JSON.stringify({ collections }) } });
      await run({ config: 'millrace.json' }, {}, world);
      const files = world.files();
      const optionsOf = (name: string) => (JSON.parse(files[`${name}.jsonl.manifest.json`]!) as { options: object }).options;
      expect(optionsOf('plain')).toMatchObject({ collection: 'plain', strategy: 'recursive', size: 512, overlap: 50 });
      expect(optionsOf('sections')).toMatchObject({ strategy: 'section', size: 512, overlap: 0 });
      expect(optionsOf('words')).toMatchObject({ strategy: 'words', size: 40, overlap: 8, tokenizer: 'estimate' });
      const [plain, sections, words] = Object.keys(collections).map((name) => chunksIn(files[`${name}.jsonl`]!));
      expect(plain!.length).toBeLessThan(5);
      expect(sections).toHaveLength(80);
      expect(textsOf(words!.slice(0, -1)).map((each) => each.trim().split(/\s+/).length)).toEqual(
        Array(words!.length - 1).fill(40),
      );
    },
  },
  { id: '3.51', seeds: 'W', what: 'gzip, zstd, http, S3 give the same bytes', elsewhere: 'sources' },
  {
    id: '3.52',
    seeds: 'R',
    what: 'BOMs of UTF-8 and UTF-16 are dropped, over buffers too, and counted; one within text is dropped by the rule of --whitespace',
    async run() {
      const utf16 = Buffer.from(`\ufeff${PROSE}`, 'utf16le');
      for (const [bytes, first] of [
        [Buffer.from(`\ufeff${PROSE}`), 3],
        [utf16, 2],
        [Buffer.from(utf16).swap16(), 2],
      ] as const)
        for (const size of [1, bytes.length]) {
          const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
            bytes.subarray(n * size, (n + 1) * size),
          );
          const all = await cut(parts, characters(100, { whitespace: 'keep' }));
          expect(all[0]!.start).toBe(first);
          expect(textsOf(all).join('')).toBe(PROSE);
        }
      const within = 'one\ufefftwo';
      expectExact(within, await cut(within));
    },
  },
  {
    id: '3.53',
    seeds: 'R',
    what: 'trimming, collapsing, CR LF, no-break and zero-width spaces: each at buffer edges; switched off, nothing changes',
    async run() {
      const text = ' one \r\n\r\n\u00a0\u00a0two\u200b  three\r\rfour \t ';
      const modes = {
        keep: text,
        lines: text.replaceAll(/\r\n?/g, '\n'),
        tidy: ' one\n\n  two  three\n\nfour',
        collapse: ' one\n\n two three\n\nfour',
      };
      for (const [whitespace, expected] of Object.entries(modes) as ['keep' | 'lines' | 'tidy' | 'collapse', string][]) {
        expect(
          textsOf(
            await cut(
              [...Buffer.from(text)].map((byte) => Uint8Array.of(byte)),
              { whitespace },
            ),
          ),
        ).toEqual([expected]);
        expect(textsOf(await cut(text, { whitespace, trim: true }))).toEqual([expected.trim()]);
      }
    },
  },
  {
    id: '3.54',
    seeds: 'CRMW',
    what: 'each line that is written is JSON by itself; U+2028 and controls come back as they were; id, text, index, start, end, tokens, source, metadata',
    async run() {
      const world = memoryWorld({ files: { 'in.txt': `one\u2028two "three"\\ \u0007\n\n${PROSE}` } });
      await run({ input: 'in.txt', out: 'out.jsonl', size: 20 }, {}, world);
      const lines = world.files()['out.jsonl']!;
      expect(lines).not.toMatch(/[\r\u0007]/);
      const all = chunksIn(lines);
      expect(all.length).toBeGreaterThan(3);
      for (const chunk of all)
        expect(Object.keys(chunk)).toEqual(['id', 'source', 'index', 'start', 'end', 'tokens', 'metadata', 'text']);
      expect(all[0]!.text).toContain('\u2028');
    },
  },
  {
    id: '3.55',
    seeds: 'W',
    what: 'ids depend on content and place: the same again, another for equal text elsewhere, near ones only after a change',
    async run() {
      const paragraphs = Array.from({ length: 100 }, (_, n) => `Paragraph ${n} of the text.\n\n`);
      const ids = async (text: string) => (await cut(text, characters(40, { strategy: 'paragraph' }))).map(({ id }) => id);
      const before = await ids(paragraphs.join(''));
      expect(await ids(paragraphs.join(''))).toEqual(before);
      const after = await ids(paragraphs.map((each, n) => (n === 50 ? 'Another one, longer than it was.\n\n' : each)).join(''));
      expect(after.map((id, n) => id === before[n]).filter((isSame) => !isSame)).toHaveLength(1);
      expect(new Set(await ids('The same.\n\n'.repeat(50))).size).toBe((await ids('The same.\n\n'.repeat(50))).length);
    },
  },
  { id: '3.56', seeds: 'MW', what: 'batches for vector stores', elsewhere: 'stores' },
  { id: '3.57', seeds: 'W', what: 'kill and resume', elsewhere: 'resumption' },
  { id: '3.58', seeds: 'M', what: 'title, summary, keywords, questions', elsewhere: 'extract' },
  {
    id: '3.59',
    seeds: 'CW',
    what: 'an empty file, blanks only, one byte, no final line end: the right number of chunks',
    async run() {
      for (const options of [
        {},
        { strategy: 'sentence' },
        { strategy: 'section' },
        { strategy: 'topic' },
        { strategy: 'token' },
        { strategy: 'words' },
      ])
        for (const [text, count] of [
          ['', 0],
          [' \n\n\t ', 0],
          ['x', 1],
          ['The wheel turns.', 1],
          [RUSSIAN, 1],
        ] as const)
          expect(await cut(text, options)).toHaveLength(count);
      const world = memoryWorld({ files: { 'in.txt': '' } });
      expect((await run({ input: 'in.txt', out: 'out.jsonl' }, {}, world)).chunks).toBe(0);
      expect(world.files()['out.jsonl']).toBe('');
    },
  },
  { id: '3.60', seeds: 'CRMW', what: 'a report that runs all of this', elsewhere: 'this table' },
];
