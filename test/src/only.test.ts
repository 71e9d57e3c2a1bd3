/** The ranges that a run is limited to: what a file of them says, and which records they want. */
import { describe, expect, it } from 'vitest';
import { type ByteRange, readOnly, wantedIn } from '../../src/only.js';
import { failure } from '../support/failure.js';
import { seeded } from '../support/random.js';
import { memoryWorld } from '../support/world.js';

const read = (text: string) => readOnly('r.jsonl', memoryWorld({ files: { 'r.jsonl': text } }));

describe('a file of ranges', () => {
  it('gives them by source, in order, joined where they touch; what else a line says does not matter', async () => {
    const only = await read(
      '{"source":"b","start":7,"end":9,"reason":"x"}\n\n{"source":"a","start":40,"end":50}\r\n' +
        '{"source":"a","start":0,"end":5}\n{"source":"a","start":3,"end":4}\n{"source":"a","start":5,"end":8}',
    );
    expect([...only]).toEqual([
      ['b', [[7, 9]]],
      [
        'a',
        [
          [0, 8],
          [40, 50],
        ],
      ],
    ]);
  });

  it('wants all of a source where a line names no range', async () => {
    const only = await read('{"source":"a","start":1,"end":2}\n{"source":"a"}\n{"source":"a","start":3,"end":4}\n');
    expect([...only]).toEqual([['a', 'all']]);
  });

  it('may be empty', async () => expect((await read('')).size).toBe(0));

  it.each([
    ['no JSON', 'line 2 is no object'],
    ['7', 'line 2 is no object'],
    ['null', 'line 2 is no object'],
    ['{"start":1,"end":2}', 'line 2 is no object'],
    ['{"source":"a","start":1}', 'line 2 is no object'],
    ['{"source":"a","start":2,"end":1}', 'line 2 is no object'],
    ['{"source":"a","start":-1,"end":1}', 'line 2 is no object'],
    ['{"source":"a","start":0.5,"end":1}', 'line 2 is no object'],
    ['{"source":"a","start":"0","end":"1"}', 'line 2 is no object'],
  ])('is refused with the line %s', async (line, message) => {
    const error = await failure(read(`{"source":"a"}\n${line}\n`));
    expect([error.kind, error.message]).toEqual(['config', expect.stringContaining(message)]);
  });

  it('must be there', async () => {
    const error = await failure(readOnly('r.jsonl', memoryWorld()));
    expect([error.kind, error.message]).toEqual([
      'config',
      expect.stringMatching(/^r\.jsonl cannot say which records are wanted/),
    ]);
  });
});

describe('a record is wanted', () => {
  it('where it begins within a range, ends excluded', () => {
    const wanted = wantedIn([
      [2, 4],
      [6, 7],
    ]);
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8].filter(wanted)).toEqual([2, 3, 6]);
    expect(wantedIn([])(0)).toBe(false);
  });

  it('as a search through all lines would say', async () => {
    await seeded(50, async (rng) => {
      const ranges = Array.from({ length: rng.between(0, 8) }, (): ByteRange => {
        const start = rng.between(0, 60);
        return [start, start + rng.between(0, 9)];
      });
      const lines = ranges.map(([start, end]) => `${JSON.stringify({ source: 'a', start, end })}\n`).join('');
      const found = (await read(lines)).get('a') ?? [];
      const wanted = wantedIn(found as readonly ByteRange[]);
      for (let at = 0; at < 80; at++) expect(wanted(at)).toBe(ranges.some(([start, end]) => start <= at && at < end));
    });
  });
});
