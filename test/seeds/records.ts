/** Section 3, 47–50: records. The formats have suites of their own in test/sources. */
import { expect } from 'vitest';
import { chunks, IngestError } from '../../src/index.js';
import { characters, cut, expectTiled, type Row, textsOf } from './check.js';

async function failure(input: string | Uint8Array, options: object): Promise<IngestError> {
  const error = await cut(input, options).catch((reason: unknown) => reason);
  if (!(error instanceof IngestError)) expect.fail(`it did not fail: ${JSON.stringify(error)}`);
  return error;
}

export const records: readonly Row[] = [
  {
    id: '3.47',
    seeds: 'MW',
    what: 'JSON: a list, an object of lists, values in a row, lines, a path to the records; a record over the limit is cut with its path',
    async run() {
      const items = Array.from({ length: 40 }, (_, n) => ({ id: n, t: `Text ${n}.` }));
      const ids = (all: readonly { readonly metadata: object; readonly text: string }[]) =>
        all.map(({ metadata, text }) => ({ ...metadata, t: text }));
      const options = { text: 't', ...characters(1000) };
      expect(ids(await cut(JSON.stringify(items), { ...options, format: 'json' }))).toEqual(items);
      expect(
        ids(await cut(JSON.stringify({ a: { items }, b: 1 }), { ...options, format: 'json', records: '$.a.items[*]' })),
      ).toEqual(items);
      for (const between of ['', '\n', '  '])
        expect(ids(await cut(items.map((each) => JSON.stringify(each)).join(between), { ...options, format: 'jsonl' }))).toEqual(
          items,
        );
      expect(ids(await cut(items.map((each) => `${JSON.stringify(each)}\n`).join(''), { ...options, format: 'jsonl' }))).toEqual(
        items,
      );
      const large = JSON.stringify([{ a: items, b: { c: 'word '.repeat(50) } }]);
      const parts = await cut(large, characters(100, { format: 'json' }));
      expect(parts.slice(1).every(({ context }) => /^\$\[0\]/.test(context ?? ''))).toBe(true);
      expect(JSON.parse(`${textsOf(parts).join('')}`)).toEqual(JSON.parse(large));
    },
  },
  {
    id: '3.48',
    seeds: 'M',
    what: 'JSON: real indexes, key order, odd keys, scalar and null values, numbers as written (ensureAscii, convertLists: stores)',
    async run() {
      const source = '[{"root":1,"__proto__":{"x":[0,1]},"b":1,"a":12345678901234567890123},null,"s",1.50]';
      const all = await cut(source, characters(1000, { format: 'json', records: '$[*]' }));
      expect(textsOf(all)).toEqual([
        '{"root":1,"__proto__":{"x":[0,1]},"b":1,"a":12345678901234567890123}',
        'null',
        '"s"',
        '1.50',
      ]);
      expect(all.map(({ record }) => record!.path)).toEqual(['$[0]', '$[1]', '$[2]', '$[3]']);
      const packed = await cut(source, characters(1000, { format: 'json', pack: true }));
      expect(packed).toHaveLength(1);
      expect(packed[0]!.record).toMatchObject({ index: 0, count: 4 });
    },
  },
  {
    id: '3.49',
    seeds: 'RW',
    what: 'CSV: quotes, line ends within, CR / LF / CR LF, BOM, other delimiters; rows whole, exact bytes; a stray quote is told with its byte',
    async run() {
      const rows = 'n;t\r\n1;"a ""b""\nc; d"\r2;e\n3;\n';
      const source = `\ufeff${rows}`;
      const all = await cut(source, { format: 'csv', text: 't' });
      expect(all.map(({ text, metadata }) => [metadata.n, text])).toEqual([
        ['1', 'a "b"\nc; d'],
        ['2', 'e'],
      ]);
      const bytes = Buffer.from(source);
      const first = all[0]!.record!;
      expect(bytes.subarray(first.start, first.end).toString()).toBe('1;"a ""b""\nc; d"');
      const packed = await cut(`h\n${'one row of the table\n'.repeat(50)}`, characters(100, { format: 'csv', pack: true }));
      for (const { text } of packed) expect(text).toMatch(/^(?:one row of the table\n?)+$/);
      const broken = 'n,t\n1,"open\n2,b\n';
      const error = await failure(broken, { format: 'csv', text: 't' });
      expect(error.at).toBe(broken.indexOf('"'));
      const read: string[] = [];
      for await (const { text } of chunks(broken, { format: 'csv', text: 't', onError: 'skip' })) read.push(text);
      expect(read).toEqual(['b']);
    },
  },
  {
    id: '3.50',
    seeds: 'CRMW',
    what: 'bad UTF-8, JSON cut short, NUL bytes: stop, replace or skip, with the byte',
    async run() {
      const bad = Buffer.concat([Buffer.from('The wheel '), Uint8Array.of(0xff), Buffer.from(' turns.\0')]);
      const [whole] = await cut(bad);
      expect(whole!.text).toBe('The wheel \ufffd turns.\0');
      expect(whole!.end).toBe(bad.length);
      expect((await failure(bad, { strictEncoding: true })).at).toBe(10);
      expect((await failure('{"a":1,', { format: 'json' })).at).toBe(7);
      const skipped: IngestError[] = [];
      const lines = '{"t":"one"}\n{"t":"tw\n{"t":"three"}\n';
      const all = await cut(lines, { format: 'jsonl', text: 't', onReject: (error) => skipped.push(error as IngestError) });
      expect(textsOf(all)).toEqual(['one', 'three']);
      expect(skipped.map(({ record }) => record)).toEqual([1]);
      expectTiled('ab', await cut('ab'));
    },
  },
];
