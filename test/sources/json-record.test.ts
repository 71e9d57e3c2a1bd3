/** What becomes of a record of JSON: texts, metadata, a key, marks; and of one that is too large, or too deep. */
import { describe, expect, it } from 'vitest';
import { PATH_UNITS } from '../../sources/json-paths.js';
import { jsonl } from '../../sources/jsonl.js';
import type { RecordFormatOptions } from '../../sources/records.js';
import type { Item } from '../../src/types.js';
import { conformRecords, type Split, split } from '../conformance/records.js';

const encoder = new TextEncoder();
const undone = (raw: string): string => (JSON.parse(`"${raw}"`) as string).toWellFormed();

function subject(given: Partial<RecordFormatOptions>) {
  const options = { encoding: 'auto', onInvalid: () => {}, text: [], pack: false, maxRecordBytes: 1 << 24, ...given } as const;
  return { make: (report: (error: Error) => void) => jsonl({ uri: 'a.jsonl' }, options, report), unescape: undone };
}

/** Under all laws. */
function read(source: string, given: Partial<RecordFormatOptions>): Split {
  return conformRecords(subject(given), encoder.encode(source));
}

function fields({ documents }: Split): unknown[] {
  return documents.map(({ doc, segments }) => [doc.field, segments.map(({ text }) => text).join('')]);
}

describe('a record of JSON', () => {
  it('gives each field that is asked for as a text, in order of appearance', () => {
    const found = read('{"b":"B","n":{"x":1.50,"y":[true,null,{"z":"é"}]},"a":""}', { text: ['a', 'n', 'b', 'none'] });
    expect(fields(found)).toEqual([
      ['b', 'B'],
      ['n.x', '1.50'],
      ['n.y[0]', 'true'],
      ['n.y[2].z', 'é'],
      ['a', ''],
    ]);
  });

  it('is metadata in all that is no text, its structure kept', () => {
    const found = read('{"t":"T","n":{"t":"in","u":[1,{"v":null}]},"e":[],"id":7}', { text: ['t', 'n.t'] });
    expect(found.documents[0]!.doc.metadata).toEqual({ n: { u: [1, { v: null }] }, e: [], id: 7 });
  });

  it('leaves out of its metadata what only held texts', () => {
    const found = read('{"t":["a","b"],"n":{"x":{"t":"c"}},"k":{},"m":[{"t":"d"},1]}', { text: ['t[*]', 'n.x.t', 'm[*].t'] });
    expect(found.documents[0]!.doc.metadata).toEqual({ k: {}, m: [1] });
  });

  it('gives what is named as metadata under that name, what comes again as a list', () => {
    const found = read('{"t":"T","a":{"b":[{"c":1},{"c":2},{"d":{"e":3}}]},"x":0}', {
      text: ['t'],
      meta: ['a.b[*].c', 'a.b[2]', 't', 'none'],
    });
    expect(found.documents[0]!.doc.metadata).toEqual({ t: 'T', 'a.b[*].c': [1, 2], 'a.b[2]': { d: { e: 3 } } });
  });

  it('has a key of any scalar, which stays metadata', () => {
    const keyOf = (value: string) => read(`{"id":${value},"t":"T"}`, { text: ['t'], idField: 'id' }).documents[0]!.doc;
    expect([keyOf('9007199254740993').record!.key, keyOf('"a\\u00e9"').record!.key, keyOf('true').record!.key]).toEqual([
      ...['9007199254740993', 'aé', 'true'],
    ]);
    expect([keyOf('null').record!.key, keyOf('[1]').record!.key]).toEqual([undefined, undefined]);
    expect(keyOf('1').metadata).toEqual({ id: 1 });
  });

  it('makes a list of metadata that comes twice, and a document of each text that does', () => {
    const found = read('{"t":"a","m":1,"t":"b","m":[2],"m":3,"__proto__":{"x":1}}', { text: ['t'] });
    expect(fields(found)).toEqual([
      ['t', 'a'],
      ['t', 'b'],
    ]);
    expect(JSON.stringify(found.documents[0]!.doc.metadata)).toBe('{"m":[1,[2],3],"__proto__":{"x":1}}');
  });

  it('says U+FFFD for half a surrogate pair, and keeps NUL', () => {
    const [{ segments }] = read('{"t":"a\\ud83d\\u0000\\ude00\\ud83d\\ude00"}', { text: ['t'] }).documents as [
      Split['documents'][0],
    ];
    expect(segments).toEqual([
      {
        text: 'a\ufffd\u0000\ufffd😀',
        start: 6,
        end: 37,
        verbatim: true,
        escapes: [1, 1, 1, 6, 2, 1, 7, 6, 3, 1, 13, 6, 4, 2, 19, 12],
      },
    ]);
  });

  it('that is its own text is marked where its fields and what is in them begin', () => {
    const [{ doc, segments }] = read('{"a":[1,{"b":2}], "c":"x"}', {}).documents as [Split['documents'][0]];
    expect(doc.field).toBeUndefined();
    expect(segments.map(({ text, mark }) => [text, mark?.kind, mark?.label])).toEqual([
      ['{', 'record', undefined],
      ['"a":[', 'field', '$.a'],
      ['1,', 'inner', '$.a[0]'],
      ['{', 'inner', '$.a[1]'],
      ['"b":2}], ', 'inner', '$.a[1].b'],
      ['"c":"x"}', 'field', '$.c'],
    ]);
    expect(read('{}', {}).documents[0]!.segments).toEqual([
      { text: '{}', start: 0, end: 2, verbatim: true, mark: { kind: 'record' } },
    ]);
  });

  it('that is its own text has metadata and a key where they are asked for', () => {
    const source = '{"id":1,"m":{"x":[2]},"y":3}';
    expect(read(source, {}).documents[0]!.doc.metadata).toEqual({});
    const { doc } = read(source, { meta: ['m'], idField: 'id' }).documents[0]!;
    expect([doc.metadata, doc.record!.key]).toEqual([{ m: { x: [2] } }, '1']);
  });

  it('is marked eight levels deep and no deeper', () => {
    const { segments } = read(`${'['.repeat(12)}1${']'.repeat(12)}`, {}).documents[0]!;
    expect(segments.at(-1)!.mark?.label).toBe(`$${'[0]'.repeat(8)}`);
  });

  it('gives texts of any depth, their paths cut', () => {
    const source = encoder.encode(`{"t":${'['.repeat(20_000)}"deep"${',1]'.repeat(20_000)}}`);
    const { documents, faults } = split(subject({ text: ['t'], meta: [] }).make, [source]);
    expect(faults).toEqual([]);
    expect(documents).toHaveLength(20_001);
    expect(documents[0]!.segments[0]!.text).toBe('deep');
    expect(documents[0]!.doc.field).toHaveLength(PATH_UNITS + 1);
    expect(documents.at(-1)!.doc.field).toBe('t[1]');
  });

  it('larger than its limit goes out as it comes, with the metadata before it', () => {
    const machine = subject({ text: ['t'], maxRecordBytes: 100_000 }).make(() => {});
    const items: Item[] = [];
    const push = (source: string) => void items.push(...machine.push(encoder.encode(source)));
    push('{"m":"before","t":"');
    const before = [0, 0];
    for (let i = 0; i < 200; i++) {
      push('some text\\n and more '.repeat(500));
      if (i > 20) before[i % 2] = items.length;
    }
    expect(Math.abs(before[0]! - before[1]!)).toBeLessThan(10);
    expect(items.length).toBeGreaterThan(190);
    push('"}\n');
    items.push(...machine.end());
    const [first, ...others] = items as [{ open: { metadata: unknown; record: unknown } }, ...Item[]];
    expect([first.open.metadata, first.open.record]).toEqual([{ m: 'before' }, { index: 0, start: 0, line: 1, field: 't' }]);
    const units = others.reduce((sum, item) => sum + ('text' in item ? item.text.length : 0), 0);
    expect(units).toBe(200 * 500 * 'some text. and more '.length);
  });

  it('with metadata after a text of more than its limit is told', () => {
    const source = `{"t":"${'x'.repeat(2000)}","late":1,"id":2}\n{"t":"b"}`;
    const found = read(source, { text: ['t'], maxRecordBytes: 1024, idField: 'id' });
    expect(found.faults.map(({ reason, range }) => [reason, range])).toEqual([['late-metadata', [0, 2024]]]);
    expect(fields(found).at(-1)).toEqual(['t', 'b']);
  });

  it('with more metadata than may be is refused, and nothing of it is held', () => {
    const source = encoder.encode(
      `{"m":["${'x'.repeat(1 << 20)}",${'[],'.repeat(1000)}{"a":"${'y'.repeat(1 << 20)}"}],"t":"a"}\n{"t":"b"}`,
    );
    const { documents, faults } = split(subject({ text: ['t'] }).make, [source]);
    expect(faults.map(({ reason, record }) => [reason, record])).toEqual([['too-much-metadata', 0]]);
    expect(documents.map(({ doc }) => doc.record!.index)).toEqual([1]);
  });
});
