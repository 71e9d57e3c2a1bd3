/** Section 3, 23–31: streaming, memory, speed. */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { chunkStream, chunks } from '../../src/index.js';
import { run } from '../../src/run.js';
import { memoryWorld } from '../support/world.js';
import { characters, cut, EVERY_STRATEGY, expectComplete, growth, heldWhile, type Row } from './check.js';
import { ABBREVIATIONS, PROSE } from './texts.js';

/** A counted supply of the same text. */
function supply(unit: string, count: number): { readonly input: Iterable<string>; readonly taken: number } {
  let taken = 0;
  const input = (function* () {
    for (; taken < count; taken++) yield unit;
  })();
  return {
    input,
    get taken() {
      return taken;
    },
  };
}

export const streaming: readonly Row[] = [
  {
    id: '3.23',
    seeds: 'CMW',
    what: 'what is held does not grow with the file (measured as memory: test/integration/memory.test.ts)',
    async run() {
      const held = await Promise.all([2000, 8000].map((count) => heldWhile(PROSE, count, characters(500))));
      expect(held[1]).toBe(held[0]);
      return `${held[0]} characters`;
    },
  },
  {
    id: '3.24',
    seeds: 'CRMW',
    what: 'one endless line, paragraph, JSON string, CSV cell: bounded',
    async run() {
      const line = 'word '.repeat(2000);
      for (const options of EVERY_STRATEGY.filter(({ strategy }) => strategy !== 'topic'))
        expect(await heldWhile(line, 60, { size: 200, overlap: 10, maxChars: 4096, ...options })).toBeLessThan(150_000);
      expect(await heldWhile(line, 150, characters(500, { strategy: 'topic' }))).toBeLessThan(600_000);
      for (const [format, first, last] of [
        ['json', '{"t":"', '"}'],
        ['csv', 't\n"', '"\n'],
      ] as const) {
        const source = supply(line, 300);
        const input = (function* () {
          yield first;
          yield* source.input;
          yield last;
        })();
        let most = 0;
        const options = characters(500, { format, text: 't', maxRecordBytes: 1 << 16 });
        for await (const { end } of chunks(input, options)) most = Math.max(most, source.taken * line.length - end);
        expect(most).toBeLessThan(300_000);
      }
    },
  },
  {
    id: '3.25',
    seeds: 'CRMW',
    what: 'a slow consumer holds the reader back',
    async run() {
      const source = supply(PROSE, 100_000);
      const iterator = chunks(source.input, characters(500));
      for (let n = 0; n < 20; n++) await iterator.next();
      expect(source.taken * PROSE.length).toBeLessThan(20 * 500 + 100_000);
      const stream = chunkStream(characters(500));
      let accepted = 0;
      while (accepted < 10_000 && stream.write(PROSE.repeat(10))) accepted++;
      for (let n = 0; n < 20; n++) await setImmediate();
      expect(stream.writableNeedDrain).toBe(true);
      expect(accepted).toBeLessThan(200);
      stream.destroy();
    },
  },
  {
    id: '3.26',
    seeds: 'CRMW',
    what: 'the first chunk is out before 1 % of the input is read',
    async run() {
      for (const options of EVERY_STRATEGY.filter(({ strategy }) => strategy !== 'topic')) {
        const source = supply(PROSE, 50_000);
        await chunks(source.input, { size: 100, ...options }).next();
        expect(source.taken).toBeLessThan(500);
      }
      const source = supply(PROSE, 500_000);
      await chunks(source.input, { size: 100, strategy: 'topic' }).next();
      expect(source.taken).toBeLessThan(5000);
    },
  },
  ...EVERY_STRATEGY.map(
    (options, at): Row => ({
      id: `3.27${String.fromCharCode(97 + at)}`,
      seeds: 'CMW',
      what: `twice the input, twice the time: ${JSON.stringify(options).replaceAll(/["{}]/g, '').replaceAll(',', ', ')}`,
      async run() {
        const texts = {
          prose: (n: number) => PROSE.repeat(n),
          'no separators': (n: number) => 'x'.repeat(400 * n),
          abbreviations: (n: number) => ABBREVIATIONS.repeat(4 * n),
          headings: (n: number) => '# h\n\nt\n\n'.repeat(40 * n),
        };
        const given = { size: 200, maxChars: 4096, ...options };
        const told: string[] = [];
        for (const [name, text] of Object.entries(texts)) {
          if (options.strategy !== 'regex') expectComplete(text(20), await cut(text(20), given));
          const ratio = await growth((n) => cut(text(n), given), 400);
          if (ratio !== undefined) told.push(`${name} ${ratio.replace('twice takes ', '')}`);
        }
        return told.join('; ');
      },
    }),
  ),
  {
    id: '3.28',
    seeds: 'M',
    what: '200,000 sections do not overflow the stack (200,000 chunks: 2.2#11)',
    async run() {
      expect(await cut('# h\n\nt\n\n'.repeat(200_000), characters(10, { strategy: 'section' }))).toHaveLength(200_000);
    },
  },
  {
    id: '3.29',
    seeds: 'C',
    what: 'TextTiling goes on in a window, at a linear cost (10 MB in under 10 s: test/bench)',
    async run() {
      const words = Array.from({ length: 997 }, (_, n) =>
        `${'abcdefghij'[n % 10]}${(n * 7919) % 997}x`.replaceAll(/\d/g, (digit) => 'klmnopqrst'[Number(digit)]!),
      );
      const text = (n: number) =>
        Array.from({ length: n }, (_, at) => words[(at * at + at) % 997] + (at % 50 === 49 ? '.\n\n' : ' ')).join('');
      return growth((n) => cut(text(n), characters(2000, { strategy: 'topic' })), 60_000);
    },
  },
  {
    id: '3.30',
    seeds: 'W',
    what: 'an abort stops within a buffer; nothing is left of the output',
    async run() {
      const stop = new AbortController();
      let taken = 0;
      const stdin = (function* () {
        for (; taken < 10_000; taken++) {
          if (taken === 20) stop.abort();
          yield Buffer.from(PROSE.repeat(20));
        }
      })();
      const world = memoryWorld({ stdin });
      const failed = await run(
        { input: '-', out: 'out.jsonl', size: 100, unit: 'characters' },
        { signal: stop.signal },
        world,
      ).then(
        () => undefined,
        (error: Error) => error,
      );
      expect(failed?.name).toBe('AbortError');
      expect(taken).toBeLessThan(24);
      expect(world.files()).toEqual({});
    },
  },
  { id: '3.31', seeds: 'CRMW', what: 'one thread and workers give the same bytes', elsewhere: 'workers' },
];
