/** The `jsonl` splitter: lines, and what stands for lines; what a bad one costs. Held to the laws of splitters of records. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { jsonl } from '../../sources/jsonl.js';
import type { RecordFormatOptions } from '../../sources/records.js';
import { conformRecords, type Split, split } from '../conformance/records.js';
import { randomObject } from '../support/json.js';
import { seeded } from '../support/random.js';
import { onBytes } from '../support/repro.js';

const encoder = new TextEncoder();
const undone = (raw: string): string => (JSON.parse(`"${raw}"`) as string).toWellFormed();

function subject(given: Partial<RecordFormatOptions>) {
  const options = { encoding: 'auto', onInvalid: () => {}, text: ['t'], pack: false, maxRecordBytes: 1 << 24, ...given } as const;
  return { make: (report: (error: Error) => void) => jsonl({ uri: 'a.jsonl' }, options, report), unescape: undone };
}

/** Under all laws. */
function read(source: string, given: Partial<RecordFormatOptions> = {}): Split {
  return conformRecords(subject(given), encoder.encode(source));
}

/** For each text: its line, its record, what it says. */
function texts({ documents }: Split): unknown[] {
  return documents.map(({ doc, segments }) => [doc.record!.line, doc.record!.index, segments.map(({ text }) => text).join('')]);
}

function faults({ faults: told }: Split): unknown[] {
  return told.map(({ reason, at, range }) => [reason, at, range]);
}

describe('the jsonl splitter', () => {
  it.each([
    [
      'lines, blank ones and an unended last one',
      '{"t":"a"}\n\n \t\n{"t":"b"}\r\n{"t":"c"}',
      [
        [1, 'a'],
        [4, 'b'],
        [5, 'c'],
      ],
    ],
    [
      'values after each other on a line',
      '{"t":"a"}{"t":"b"} {"t":"c"}\n',
      [
        [1, 'a'],
        [1, 'b'],
        [1, 'c'],
      ],
    ],
    [
      'values over several lines',
      '{\n "t":\n "a"\n}\n{"t":"b"}\n',
      [
        [1, 'a'],
        [5, 'b'],
      ],
    ],
    [
      'record separators',
      '\u001e{"t":"a"}\n\u001e{"t":\n"b"}\n\u001e\u001e{"t":"c"}\n',
      [
        [1, 'a'],
        [2, 'b'],
        [4, 'c'],
      ],
    ],
    [
      'CR as a blank',
      '{"t":"a"}\r{"t":"b"}',
      [
        [1, 'a'],
        [1, 'b'],
      ],
    ],
  ])('reads %s', (_, source, expected) => {
    const found = read(source);
    expect(texts(found)).toEqual(expected.map(([line, text], index) => [line, index, text]));
    expect(found.faults).toEqual([]);
  });

  it('finds no record in nothing', () => {
    for (const source of ['', '\n', ' \r\n\t\n', '\u001e\n']) expect(read(source)).toEqual({ documents: [], faults: [] });
  });

  it('gives values that are no objects', () => {
    const found = read('"a"\n1\nnull\ntrue\n[2]\n""', { text: ['$'] });
    expect(texts(found)).toEqual([
      [1, 0, 'a'],
      [2, 1, '1'],
      [4, 3, 'true'],
      [5, 4, '2'],
      [6, 5, ''],
    ]);
  });

  it('gives the bytes of a record, and of a text in it', () => {
    const found = read('{"é":1,"t":"x\\n\\u00e9y"}\n{"t":"z"}', { idField: 'é' });
    const [{ doc, segments }] = found.documents as [Split['documents'][0]];
    expect(doc.record).toEqual({ index: 0, start: 0, end: 25, line: 1, field: 't', key: '1' });
    expect(segments).toEqual([{ text: 'x\néy', start: 13, end: 23, verbatim: true, escapes: [1, 1, 1, 2, 2, 1, 3, 6] }]);
  });

  it.each([
    [
      'a bad value',
      '{"t":"a"}\n{"t":x}\n{"t":"c"}',
      [['bad-json', 15, [10, 18]]],
      [
        [1, 0, 'a'],
        [3, 2, 'c'],
      ],
    ],
    ['a bad value at the end', '{"t":"a"}\n{"t"', [['unexpected-end', 14, [10, 14]]], [[1, 0, 'a']]],
    ['a string without an end', '{"t":"a\n{"t":"b"}\n', [['unterminated-string', 7, [0, 8]]], [[2, 1, 'b']]],
    ['an object without an end', '{"t":"a"\n{"t":"b"}\n', [['bad-json', 9, [0, 9]]], [[2, 1, 'b']]],
    [
      'a list that many lines go on with',
      '[1,\n2,\n{"t":"b"}\n{"t":"c"}',
      [
        ['bad-json', 17, [0, 4]],
        ['bad-json', 5, [5, 7]],
      ],
      [
        [3, 3, 'b'],
        [4, 4, 'c'],
      ],
    ],
    ['a list that never ends', '[\n{"t":"b"}', [['unexpected-end', 11, [0, 2]]], [[2, 1, 'b']]],
    [
      'what follows a value on its line',
      '{"t":"a"} x y\n{"t":"b"}',
      [['bad-json', 10, [10, 14]]],
      [
        [1, 0, 'a'],
        [2, 2, 'b'],
      ],
    ],
    ['numbers that run together', '01\n{"t":"b"}', [['bad-json', 1, [0, 3]]], [[2, 1, 'b']]],
    ['a record cut off before a separator', '\u001e{"t":\n"a\u001e{"t":"b"}', [['bad-json', 9, [1, 9]]], [[2, 1, 'b']]],
  ] as const)('gives up %s, and not what follows', (_, source, told, expected) => {
    const found = read(source);
    expect(faults(found)).toEqual(told);
    expect(texts(found)).toEqual(expected);
  });

  it('reads on after each fault at the next line, in any mode', () => {
    const line = (i: number) => (i % 3 === 1 ? '{"t":"bad' : i % 3 === 2 ? `{"t":[${i},` : `{"t":"${i}"}`);
    const source = Array.from({ length: 12 }, (_, i) => line(i)).join('\n');
    expect(texts(read(source)).map((each) => (each as string[])[2])).toEqual(['0', '3', '6', '9']);
    expect(read(source, { text: [] }).documents).toHaveLength(4);
    expect(read(source, { text: [], pack: true }).documents).toHaveLength(4);
  });

  it('does not go back where texts have gone out', () => {
    const found = read(`{"t":"${'x'.repeat(100)}",\n"u":1\n{"t":"b"}\n{"t":"c"}`, { maxRecordBytes: 50 });
    expect(faults(found)).toEqual([['bad-json', 115, [0, 125]]]);
    expect(texts(found).slice(1)).toEqual([[4, 1, 'c']]);
  });

  it('costs no more than the input is long, however often it goes back', () => {
    const source = encoder.encode('[\n'.repeat(200_000));
    const { documents, faults: told } = split(subject({}).make, [source]);
    expect(documents).toEqual([]);
    expect(told.length).toBeLessThan(100);
    expect(told.findLast(({ range }) => range !== undefined)!.range![1]).toBe(source.length);
  });

  it('leaves out what is not wanted, and its faults', () => {
    const source = '{"t":"a"}\n{"t":"b"}\n{"t":bad}\n';
    const found = read(source, { wanted: (start) => start === 10 });
    expect(texts(found)).toEqual([[2, 1, 'b']]);
    expect(found.faults).toEqual([]);
  });

  it('keeps the laws on lines good and bad, whatever is asked for', () => {
    seeded(30, (rng) => {
      const lines = Array.from({ length: rng.between(0, 5) }, () => {
        const { json } = randomObject(rng, 2);
        return rng.chance(0.3) ? json.slice(0, rng.between(0, json.length)) : json;
      });
      const bytes = encoder.encode(lines.join(rng.pick(['\n', '\r\n', '', '\n\u001e'])));
      const text = rng.pick([[], ['$'], ['body', 'a']]);
      const options = {
        text,
        pack: text.length === 0 && rng.chance(0.5),
        maxRecordBytes: rng.pick([1 << 24, 20, 100]),
        ...(rng.chance(0.5) ? { idField: 'id' } : {}),
        ...(rng.chance(0.5) ? { meta: ['meta', 'a', '*[*]'] } : {}),
      };
      onBytes(bytes, (some) => void conformRecords(subject(options), some), options);
    });
  });

  it('finds every sound line between bad ones', () => {
    seeded(15, (rng) => {
      const lines = Array.from({ length: rng.between(1, 8) }, (_, i) =>
        rng.chance(0.4) ? rng.pick(['{', '{"t":"', '}', 'nul', '{"t":1]', '"\\x"', '\u0001']) : `{"t":"line ${i}"}`,
      );
      const found = texts(read(lines.join('\n'))).map((each) => (each as string[])[2]);
      expect(found).toEqual(lines.flatMap((line) => (line.startsWith('{"t":"line') ? [line.slice(6, -2)] : [])));
    });
  });

  it('reads its sample', () => {
    const sample = readFileSync(new URL('../../samples/records.jsonl', import.meta.url), 'utf8');
    const { documents, faults } = read(sample, { text: ['body'] });
    expect(documents.map(({ doc }) => doc.metadata.id)).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
    expect(faults.map(({ reason }) => reason)).toEqual(['unterminated-string', 'bad-json']);
  });
});
