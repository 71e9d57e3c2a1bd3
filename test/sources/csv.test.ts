/**
 * The csv and tsv splitters, held to the laws of splitters of records on every small table here and on random ones; papaparse, on
 * whole strings, and the tables that a test wrote itself are the oracles.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { type CsvOptions, csv, tsv } from '../../sources/csv.js';
import type { Item, Report, Segment, Splitting } from '../../src/types.js';
import { conformRecords, type Split, split } from '../conformance/records.js';
import { type Rng, seeded, troubleBytes, troubleText } from '../support/random.js';
import { onBytes } from '../support/repro.js';

const origin = { uri: 'a.csv' };

const defaults: CsvOptions = {
  encoding: 'auto',
  onInvalid: () => {},
  text: [],
  pack: false,
  maxRecordBytes: 1 << 24,
  delimiter: ',',
  quote: '"',
  noHeader: false,
};

type Given = Partial<CsvOptions>;

function making(given: Given, of = csv): (report: Report) => Splitting {
  return (report) => of(origin, { ...defaults, ...given }, report);
}

/** All laws, and what came. */
function conform(table: string | Uint8Array, given: Given = {}, of = csv): Split {
  const quote = given.quote ?? '"';
  const single = (raw: string) => (raw === quote + quote ? quote : expect.fail(`an escape ${JSON.stringify(raw)}`));
  return conformRecords({ make: making(given, of), unescape: single }, typeof table === 'string' ? Buffer.from(table) : table);
}

const textOf = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join('');

/** The rows of a table whose first column is asked for as text, and all others as metadata, each by its place. */
function rowsOf({ documents }: Split): string[][] {
  return documents.map(({ doc, segments }) => {
    expect(doc.field).toBe('column1');
    const row = [textOf(segments)];
    for (const [name, value] of Object.entries(doc.metadata)) row[Number(name.slice('column'.length)) - 1] = value as string;
    return row;
  });
}

const plain = { noHeader: true, text: ['column1'] };

/** The same, without the laws. */
function rowsOfWhole(table: string, given: Given = {}): string[][] {
  return rowsOf(split(making({ ...plain, ...given }), [Buffer.from(table)]));
}

function faultless(found: Split): Split {
  expect(found.faults).toEqual([]);
  return found;
}

describe('the grammar', () => {
  it.each<[string, string, string[][]]>([
    ['nothing', '', []],
    ['blank lines only', '\n\r\n\r\r\n\n', []],
    ['one cell', 'a', [['a']]],
    ['one row', 'a,b', [['a', 'b']]],
    [
      'all line ends',
      'a,b\nc,d\re,f\r\ng,h',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
        ['g', 'h'],
      ],
    ],
    ['blank lines between', '\r\na\n\n\rb\r\r\n\nc\n\n', [['a'], ['b'], ['c']]],
    ['blanks, which are no blank line', ' \n\t', [[' '], ['\t']]],
    [
      'empty cells',
      ',\n,,\na,\n,b',
      [
        ['', ''],
        ['', '', ''],
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['quoted cells', '"a","b,c"\n"d"', [['a', 'b,c'], ['d']]],
    ['empty quoted cells', '"",""\n""\n', [['', ''], ['']]],
    ['line ends in quotes, kept', '"a\nb\rc\r\nd\n\n",e\n"\r"\r"\n"', [['a\nb\rc\r\nd\n\n', 'e'], ['\r'], ['\n']]],
    [
      'doubled quotes',
      '"""",""""""\n"a""b","""a"\n"a""",b',
      [
        ['"', '""'],
        ['a"b', '"a'],
        ['a"', 'b'],
      ],
    ],
    [
      'quotes in the middle',
      'a"b,c""d,e"\nf " g, "h"',
      [
        ['a"b', 'c""d', 'e"'],
        ['f " g', ' "h"'],
      ],
    ],
    ['quotes after the end', '"a"', [['a']]],
    ['rows too short and too long', 'a,b\nc\nd,e,f,g', [['a', 'b'], ['c'], ['d', 'e', 'f', 'g']]],
    [
      'NUL',
      'a\0,\0\n"\0",b',
      [
        ['a\0', '\0'],
        ['\0', 'b'],
      ],
    ],
    ['other line separators, which are text', 'a\u0085b,c\u2028d\ve\f', [['a\u0085b', 'c\u2028d\ve\f']]],
    [
      'wide characters',
      '水,"😀""e\u0301",👨\u200d👩\n"é""","水"',
      [
        ['水', '😀"e\u0301', '👨\u200d👩'],
        ['é"', '水'],
      ],
    ],
    ['a signature, which is gone', '\ufeff"a",b', [['a', 'b']]],
    ['a second signature, which is text', '\ufeff\ufeffa,b', [['\ufeffa', 'b']]],
  ])('reads %s', (_, table, rows) => {
    expect(rowsOf(faultless(conform(table, plain)))).toEqual(rows);
  });

  it.each<[string, string, Given, string[][]]>([
    [
      'another delimiter',
      'a;b,c\n"d;""e";f',
      { delimiter: ';' },
      [
        ['a', 'b,c'],
        ['d;"e', 'f'],
      ],
    ],
    [
      'a wide delimiter',
      'a🎡b\n"🎡"🎡d🎠',
      { delimiter: '🎡' },
      [
        ['a', 'b'],
        ['🎡', 'd🎠'],
      ],
    ],
    ['another quote', "'a,''b','\n'\n\"c\"", { quote: "'" }, [["a,'b", '\n'], ['"c"']]],
    ['no quote', '"a","b\nc"', { quote: undefined }, [['"a"', '"b'], ['c"']]],
  ])('reads %s', (_, table, given, rows) => {
    const found = conform(table, { ...plain, ...given });
    expect(rowsOf(faultless(found))).toEqual(rows);
  });

  it('reads bytes that are no text as U+FFFD, also beside quotes and line ends', () => {
    const table = Buffer.from('a\xff,"\xe9""\xc3"\n\xf0\x9f,b\xe2\r\n', 'latin1');
    expect(rowsOf(faultless(conform(table, plain)))).toEqual([
      ['a\ufffd', '\ufffd"\ufffd'],
      ['\ufffd', 'b\ufffd'],
    ]);
  });

  it.each<[string, (text: string) => Uint8Array, Given]>([
    ['UTF-16LE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le'), {}],
    ['UTF-16BE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), {}],
    ['UTF-16LE without a signature', (text) => Buffer.from(text, 'utf16le'), { encoding: 'utf-16le' }],
    ['windows-1252', (text) => Buffer.from(text, 'latin1'), { encoding: 'windows-1252' }],
  ])('reads %s', (_, encode, given) => {
    const table = 'caf\u00e9,"\u00fcber ""\u00e4"""\r\n"\r\n\u00df",\u00ff\r';
    const found = faultless(conform(encode(table), { ...plain, ...given }));
    expect(rowsOf(found)).toEqual([
      ['caf\u00e9', '\u00fcber "\u00e4"'],
      ['\r\n\u00df', '\u00ff'],
    ]);
  });

  it('is tab for tsv, unless told', () => {
    expect(rowsOf(faultless(conform('a\tb,c\n"d\te"\tf', { ...plain, delimiter: 'auto' }, tsv)))).toEqual([
      ['a', 'b,c'],
      ['d\te', 'f'],
    ]);
    expect(rowsOf(faultless(conform('a;b\tc\n', { ...plain, delimiter: ';' }, tsv)))).toEqual([['a', 'b\tc']]);
  });
});

describe('records', () => {
  it('know their bytes, lines, fields, key and metadata', () => {
    const { documents, faults } = conform('id,é,note\r\n\r\n007,"a\r\nb",x\n8,c\n\n9,d,e', { text: ['é'], idField: 'id' });
    expect(faults).toEqual([]);
    expect(
      documents.map(({ doc: { record, field, metadata }, segments }) => [record, field, metadata, textOf(segments)]),
    ).toEqual([
      [{ index: 0, start: 14, end: 26, line: 3, field: 'é', key: '007' }, 'é', { id: '007', note: 'x' }, 'a\r\nb'],
      [{ index: 1, start: 27, end: 30, line: 5, field: 'é', key: '8' }, 'é', { id: '8' }, 'c'],
      [{ index: 2, start: 32, end: 37, line: 7, field: 'é', key: '9' }, 'é', { id: '9', note: 'e' }, 'd'],
    ]);
  });

  it('point at the bytes of a cell without its quotes, and at each doubled quote', () => {
    const { documents } = conform('t\n"é""x"""\n', { text: ['t'] });
    expect(documents[0]!.segments).toEqual([
      { text: 'é"x"', start: 3, end: 10, verbatim: true, escapes: [1, 1, 2, 2, 3, 1, 5, 2] },
    ]);
  });

  it('have a document for each field, in order of appearance, also for an empty cell but not for an absent one', () => {
    const { documents } = conform('a,b,c\n1,,3\n4\n', { text: ['c', 'b', 'column4'], meta: ['b', 'a'] });
    expect(documents.map(({ doc, segments }) => [doc.record!.index, doc.field, textOf(segments), doc.metadata])).toEqual([
      [0, 'b', '', { a: '1', b: '' }],
      [0, 'c', '3', { a: '1', b: '' }],
    ]);
  });

  it('keep cells beyond the header as metadata, and odd names', () => {
    const { documents } = conform('t,__proto__,,t\na,b,c,d,e,"f"\n', { text: ['t'] });
    const metadata = JSON.parse('{"__proto__":"b","column3":"c","t_2":"d","column5":"e","column6":"f"}');
    expect(Object.entries(documents[0]!.doc.metadata)).toEqual(Object.entries(metadata));
  });

  it('are their own text where none is asked for: the row without its line end, marked at each cell', () => {
    const table = 'a,"b\nc"\r\n1,"2 ""x"\r\n\r\n,é,\n';
    const { documents, faults } = conform(table, { meta: ['a'], idField: 'a' });
    expect(faults).toEqual([]);
    expect(documents.map(({ doc, segments }) => [textOf(segments), doc.context, doc.metadata, doc.record])).toEqual([
      ['1,"2 ""x"', 'a,"b\nc"', { a: '1' }, { index: 0, start: 9, end: 18, line: 3, key: '1' }],
      [',é,', 'a,"b\nc"', { a: '' }, { index: 1, start: 22, end: 26, line: 5, key: '' }],
    ]);
    const marks = documents.map(({ segments }) =>
      segments.flatMap(({ mark, start }) => (mark ? [[mark.kind, mark.label, start]] : [])),
    );
    expect(marks[0]).toEqual([
      ['record', undefined, 9],
      ['field', 'b\nc', 11],
    ]);
    expect(marks[1]).toEqual([
      ['record', undefined, 22],
      ['field', 'b\nc', 23],
    ]);
  });

  it('are one document where they are packed', () => {
    const { documents } = conform('a,b\r\n1,"2\n"\r\n3,4\n5,6', { pack: true });
    expect(documents.map(({ segments }) => textOf(segments))).toEqual(['1,"2\n"\r\n3,4\n5,6']);
    const kinds = documents[0]!.segments.flatMap(({ mark, text }) => (mark ? [[mark.kind, text]] : []));
    expect(kinds.map(([kind]) => kind)).toEqual(['record', 'field', 'between', 'record', 'field', 'between', 'record', 'field']);
  });

  it('have no context without a header, or where it is long', () => {
    expect(conform('a,b', { noHeader: true }).documents[0]!.doc.context).toBeUndefined();
    for (const [length, has] of [
      [4096, true],
      [4097, false],
    ] as const) {
      const [{ documents }] = [split(making({}), [Buffer.from(`${'h'.repeat(length)}\na\n`)])];
      expect(documents[0]!.doc.context === 'h'.repeat(length)).toBe(has);
    }
  });

  it('that are not wanted are passed over, and still counted', () => {
    const { documents } = conform('a,b\n1,"x\n"\n2,y\n3,z\n', { text: ['b'], wanted: (start) => start === 11 });
    expect(documents.map(({ doc, segments }) => [doc.record, textOf(segments)])).toEqual([
      [{ index: 1, start: 11, end: 14, line: 4, field: 'b' }, 'y'],
    ]);
  });
});

describe('the header', () => {
  it('may be all there is', () => expect(conform('a,b\n', { text: ['b'] })).toEqual({ documents: [], faults: [] }));

  it('may be of several lines, which count', () => {
    const { documents } = faultless(conform('\r\n"a name\r\nof some\nlines",b\r1,2\n', { text: ['b'] }));
    expect(documents.map(({ doc }) => [doc.record!.line, doc.metadata])).toEqual([[5, { 'a name\r\nof some\nlines': '1' }]]);
  });

  it('must have the columns that are asked for', () => {
    const { faults } = conform('\n"a",b\n1,2\n', { text: ['B'], idField: 'id' });
    expect(faults).toMatchObject([{ reason: 'no-such-column', at: 1, fatal: true }]);
    expect(faults[0]!.message).toContain('no column "B", "id": there are a, b');
  });

  it('missing, columns are called by their numbers', () => {
    const { faults } = conform('1,2\n', { text: ['a'], noHeader: true });
    expect(faults).toMatchObject([{ reason: 'no-such-column', at: 0, fatal: true }]);
    expect(faults[0]!.message).toContain('column1, column2 and so on');
  });

  it.each([
    ['a,"b"c\n1,2\n', 'stray-quote', 5],
    ['a,"b\n1,2\n', 'unterminated-quote', 2],
  ])('%j stops all', (table, reason, at) => {
    expect(conform(table).faults).toMatchObject([{ reason, at, fatal: true }]);
  });

  it('has a limit, whatever is wrong beyond it', () => {
    const limit = 1 << 20;
    const read = (header: string) => split(making({}), [Buffer.from(header)]);
    expect(read(`${'a'.repeat(limit)}\n1`).documents).toHaveLength(1);
    for (const header of [`${'a'.repeat(limit + 1)}\n1`, `"${'a\n'.repeat(limit)}`, `"${'a'.repeat(limit)}"b\n`]) {
      expect(read(`\n${header}`).faults).toMatchObject([{ reason: 'long-header', at: 1, fatal: true }]);
      expect(read(`\n${header}`)).toEqual(
        split(
          making({}),
          ['\n', header.slice(0, 70_000), header.slice(70_000)].map((part) => Buffer.from(part)),
        ),
      );
    }
  });
});

describe('the delimiter', () => {
  it.each(['a;b\n1;2\n', 'sep=;\r\na;b\n1;2\n', '"sep=;"\na;b\r\n1;2', '\ufeffsep=;\ra;b\r1;2\r'])('of %j is found', (table) => {
    const { documents } = faultless(conform(table, { text: ['b'], delimiter: 'auto' }));
    expect(documents.map(({ doc, segments }) => [doc.metadata, textOf(segments)])).toEqual([[{ a: '1' }, '2']]);
    expect(documents[0]!.doc.record!.line).toBe(table.includes('sep=') ? 3 : 2);
  });

  it('of a sep= line gives way to the one that is given, and the line is no record all the same', () => {
    expect(rowsOf(conform('sep=;\na,b;c', plain))).toEqual([['a', 'b;c']]);
  });

  it('of a large table is decided on its first 65,536 characters, however they come', () => {
    const head = `a;b\na;${'b'.repeat(65_525)}\n`;
    for (const rest of ['a;b', 'a;b\n', 'a;b\n1,2,3\n4,5,6\n', 'x,y,z;1\n']) {
      const whole = split(making({ ...plain, delimiter: 'auto' }), [Buffer.from(head + rest)]);
      expect(rowsOf(whole)[0]).toEqual(['a', 'b']);
      const parts = [...Buffer.from(head + rest).subarray(65_520)].map((byte) => Uint8Array.of(byte));
      expect(split(making({ ...plain, delimiter: 'auto' }), [Buffer.from(head).subarray(0, 65_520), ...parts])).toEqual(whole);
    }
  });
});

describe('a faulty row', () => {
  const read = (table: string, given: Given = {}) => conform(table, { ...plain, ...given });

  it('with a stray quote is given up to the end of its line', () => {
    const found = read('a,b\r\n"c"d,e"\r\nf,"g" \rh', {});
    expect(rowsOf(found)).toEqual([['a', 'b'], ['h']]);
    expect(found.faults).toMatchObject([
      { reason: 'stray-quote', at: 8, range: [5, 12], record: 1, fatal: false },
      { reason: 'stray-quote', at: 19, range: [14, 20], record: 2, fatal: false },
    ]);
    expect(found.faults[0]!.message).toContain('the quoted cell began at byte 5');
  });

  it('that swallowed others is given up to the end of its first line only', () => {
    const found = read('a\n"b\nc,"d"\ne\n', {});
    expect(rowsOf(found)).toEqual([['a'], ['c', 'd'], ['e']]);
    expect(found.faults).toMatchObject([{ reason: 'stray-quote', at: 8, range: [2, 4], record: 1 }]);
    expect(found.documents.map(({ doc }) => doc.record!.line)).toEqual([1, 3, 4]);
  });

  it.each(['\n', '\r', '\r\n'])('without a closing quote does not swallow the rest, with line ends %j', (end) => {
    const found = read(['a', 'x,"b', 'c', 'd', ''].join(end), {});
    expect(rowsOf(found)).toEqual([['a'], ['c'], ['d']]);
    const at = 1 + end.length;
    expect(found.faults).toMatchObject([{ reason: 'unterminated-quote', at: at + 2, range: [at, at + 4], record: 1 }]);
    expect(found.documents.map(({ doc }) => doc.record!.line)).toEqual([1, 3, 4]);
  });

  it('at the end of input is given up to there', () => {
    expect(read('a\n"b').faults).toMatchObject([{ reason: 'unterminated-quote', at: 2, range: [2, 4] }]);
    expect(read('a\n"b""').faults).toMatchObject([{ reason: 'unterminated-quote', at: 2, range: [2, 6] }]);
    expect(read('a\n"').faults).toMatchObject([{ reason: 'unterminated-quote', at: 2, range: [2, 3] }]);
  });

  it('that is its own text is given up alike, also packed', () => {
    const table = 'h\na\n"b\nc,"d"\n"e"f\ng\n';
    for (const pack of [false, true]) {
      const found = conform(table, { pack });
      expect(found.documents.map(({ segments }) => textOf(segments))).toEqual(pack ? ['a', 'c,"d"', 'g'] : ['a', 'c,"d"', 'g']);
      expect(found.faults.map(({ range }) => range)).toEqual([
        [4, 6],
        [13, 17],
      ]);
    }
  });

  it('is given up to the end of the line of the fault once its texts have gone out', () => {
    const long = 'x'.repeat(2000);
    for (const [given, table] of [
      [{}, `"${long}\n","${long}\n"y\nb\n`],
      [{ text: [] }, `"${long}\n","${long}\n"y\nb\n`],
    ] as const) {
      const found = read(table, { ...given, maxRecordBytes: 1024 });
      expect(found.documents.map(({ segments }) => textOf(segments)).at(-1)).toBe('b');
      expect(found.documents[0]!.doc.record!.end).toBeUndefined();
      expect(found.faults).toMatchObject([{ reason: 'stray-quote', range: [0, table.length - 3] }]);
    }
  });

  it('is given up to the end of the line of the fault where the first line is far behind', () => {
    const rest = `${'x'.repeat(99)}\n`.repeat(6_000);
    const found = split(making({ ...plain, noHeader: true }), [Buffer.from(`a\n"b\n${rest}"y,z\nc\n`)]);
    expect(rowsOf(found)).toEqual([['a'], ['c']]);
    expect(found.faults).toMatchObject([{ reason: 'stray-quote', range: [2, 5 + rest.length + 4] }]);
  });

  it('costs no more time than a few times the input, however many lines open a quote that is closed too late', () => {
    const lines = 60_000;
    const found = split(making(plain), [Buffer.from('a","\n'.repeat(lines))]);
    expect(found.faults.length).toBeGreaterThan(3);
    expect(found.faults.length).toBeLessThan(40);
    expect(found.faults.at(-1)!.range![1]).toBe(lines * 5);
  });

  it('shows its beginning', () => {
    const excerpts: unknown[] = [];
    const report: Report = (error) => excerpts.push((error as { excerpt?: string }).excerpt);
    split(() => making(plain)(report), [Buffer.from(`"b"c,d\n"${'😀'.repeat(60)}"x\n"open`)]);
    expect(excerpts).toEqual(['"b"c', `"${'😀'.repeat(29)}\ufffd`, '"open']);
  });

  it('is passed over in silence where it is not wanted', () => {
    const found = read('a\n"b"c\nd\n', { wanted: (start) => start !== 2 });
    expect(rowsOf(found)).toEqual([['a'], ['d']]);
    expect(found.faults).toEqual([]);
  });
});

/** The items that come for buffers made one by one, and after each how many units of text have come in all. */
function* streamed(machine: Splitting, buffers: Iterable<Uint8Array>): Iterable<{ item?: Item; units: number }> {
  let units = 0;
  for (const buffer of buffers) {
    for (const item of machine.push(buffer)) {
      if ('text' in item) units += item.text.length;
      yield { item, units };
    }
    yield { units };
  }
  for (const item of machine.end()) yield { item, units };
}

describe('what is larger than memory', () => {
  const block = Buffer.from('some text, and ""quoted""\r\n'.repeat(4_000));
  const said = 'some text, and "quoted"\r\n'.repeat(4_000).length;

  it.each<[string, Given]>([
    ['a quoted cell', { text: ['t'] }],
    ['a row that is its own text', {}],
    ['a row that is its own text, packed', { pack: true }],
  ])('%s goes out as it comes', (_, given) => {
    const perBlock = given.text === undefined ? block.length : said;
    const limit = 1 << 20;
    function* buffers() {
      yield Buffer.from('id,t,z\n1,"');
      for (let n = 0; n < 100; n++) yield block;
      yield Buffer.from('",z\n2,b,c\n');
    }
    let pushed = -1;
    let units = 0;
    const docs: unknown[] = [];
    const faults: string[] = [];
    const machine = making({ ...given, maxRecordBytes: limit })((error) => faults.push((error as { reason?: string }).reason!));
    for (const step of streamed(machine, buffers())) {
      if (step.item === undefined) {
        const held = pushed++ * perBlock - step.units;
        expect(held, `after ${pushed} blocks`).toBeLessThan(limit + 2 * block.length);
      } else if ('open' in step.item) docs.push(step.item.open.metadata);
      units = step.units;
    }
    expect(units).toBeGreaterThanOrEqual(100 * perBlock + 1);
    if (given.text !== undefined) expect(docs).toEqual([{ id: '1' }, { id: '2', z: 'c' }]);
    expect(faults).toEqual(given.text === undefined ? [] : ['late-metadata']);
  });

  it('as metadata it is refused, and as what is not asked for it is passed over', () => {
    const table = [Buffer.from('t,m\na,"'), ...Array.from({ length: 12 }, () => block), Buffer.from('"\nb,c\n')];
    const refused = split(making({ text: ['t'] }), table);
    expect(refused.faults).toMatchObject([{ reason: 'too-much-metadata', record: 0 }]);
    expect(refused.documents.map(({ segments }) => textOf(segments))).toEqual(['b']);
    const passed = faultless(split(making({ text: ['t'], meta: [] }), table));
    expect(passed.documents.map(({ segments }) => textOf(segments))).toEqual(['a', 'b']);
  });

  it('takes metadata with it that came before the limit, whatever the buffers', () => {
    const table = (units: number) => `id,m,n\n1,${'x'.repeat(units)},y\n2,b,c\n`;
    const within = faultless(conform(table(700), { meta: ['m'], maxRecordBytes: 1024 }));
    expect(within.documents.map(({ doc }) => doc.metadata)).toEqual([{ m: 'x'.repeat(700) }, { m: 'b' }]);
    const beyond = conform(table(1100), { meta: ['id', 'm'], maxRecordBytes: 1024 });
    expect(beyond.faults).toMatchObject([{ reason: 'late-metadata', record: 0 }]);
    expect(beyond.documents.map(({ doc }) => doc.metadata)).toEqual([{ id: '1' }, { id: '2', m: 'b' }]);
  });

  it('as a row of very many cells it is read too', () => {
    const width = 100_000;
    const names = Array.from({ length: width }, (_, n) => `c${n}`);
    const table = `${names.join()}\n${names.map((name) => `"${name}"`).join()}\n${','.repeat(width - 1)}\n`;
    const { documents } = faultless(split(making({ text: ['c99999'], meta: ['c0', 'c50000'] }), [Buffer.from(table)]));
    expect(documents.map(({ doc, segments }) => [doc.metadata, textOf(segments)])).toEqual([
      [{ c0: 'c0', c50000: 'c50000' }, 'c99999'],
      [{ c0: '', c50000: '' }, ''],
    ]);
    const beyond = `t\na${',b'.repeat(300_000)}\nc\n`;
    expect(split(making({ text: ['t'] }), [Buffer.from(beyond)]).faults).toMatchObject([{ reason: 'too-much-metadata' }]);
    const asked = faultless(split(making({ text: ['t', 'column300001'], meta: [] }), [Buffer.from(beyond)]));
    expect(asked.documents.map(({ doc }) => doc.field)).toEqual(['t', 'column300001', 't']);
  });
});

/** A table, as cells and as text: quoted where it must be, and at random; any line ends; blank lines. */
function written(rng: Rng, delimiter: string, quote: string, lineEnds: readonly string[]): { rows: string[][]; table: string } {
  const special = ['', '', 'a', 'bc', ' ', quote, quote + quote, delimiter, '\n', '\r', '\r\n', `${quote}${delimiter}${quote}`];
  const more = ['é', '水', '😀', '\0', '\u2028', '7', "'", ';', 'x'.repeat(50)];
  const cell = () => Array.from({ length: rng.between(0, 4) }, () => rng.pick(rng.chance(0.7) ? special : more)).join('');
  const rows = Array.from({ length: rng.between(1, 8) }, () => Array.from({ length: rng.between(1, 5) }, cell));
  let table = '';
  for (const row of rows) {
    const cells = row.map((each) => {
      const must = each.startsWith(quote) || each.includes(delimiter) || /[\r\n]/.test(each) || (each === '' && row.length === 1);
      return must || rng.chance(0.3) ? quote + each.replaceAll(quote, quote + quote) + quote : each;
    });
    table += cells.join(delimiter) + rng.pick(lineEnds);
    if (rng.chance(0.1)) table += rng.pick(lineEnds);
  }
  return { rows, table: rng.chance(0.3) ? table.replace(/[\r\n]+$/, '') : table };
}

describe('random tables', () => {
  it('are read as they were written, however that was, and keep the laws', () => {
    seeded(40, (rng) => {
      const delimiter = rng.pick([',', ';', '\t', '|', '¦']);
      const quote = rng.pick(['"', '"', "'"]);
      const { rows, table } = written(rng, delimiter, quote, ['\n', '\r\n', '\r']);
      const found = faultless(conform(table, { ...plain, delimiter, quote, maxRecordBytes: rng.pick([1024, 1 << 24]) }));
      expect(rowsOf(found), JSON.stringify(table)).toEqual(rows);
    });
  });

  it('are read as papaparse reads them', () => {
    seeded(400, (rng) => {
      const newline = rng.pick(['\n', '\r\n', '\r'] as const);
      const { table } = written(rng, ',', '"', [newline]);
      const { data } = Papa.parse<string[]>(table, { delimiter: ',', newline, skipEmptyLines: true });
      // It takes a row of one empty quoted cell for a blank line.
      const rows = rowsOfWhole(table).filter((row) => row.length > 1 || row[0] !== '');
      // A line end of another kind, without quotes, is text to it; here it is written in quotes only.
      expect(rows, JSON.stringify(table)).toEqual(data);
    });
  });

  it('in UTF-16 are read as in UTF-8', () => {
    seeded(15, (rng) => {
      const { rows, table } = written(rng, ',', '"', ['\n', '\r\n']);
      const bytes = Buffer.from(`\ufeff${table}`, 'utf16le');
      expect(rowsOf(faultless(conform(rng.chance(0.5) ? bytes : bytes.swap16(), plain)))).toEqual(rows);
    });
  });
});

describe('random trouble', () => {
  const settings: readonly Given[] = [
    plain,
    { ...plain, maxRecordBytes: 1024 },
    { noHeader: true },
    { noHeader: true, pack: true, maxRecordBytes: 1024 },
    { noHeader: true, meta: ['column1', 'column3'], idField: 'column2', maxRecordBytes: 1024 },
    { meta: [], text: ['column2'], noHeader: true },
    { delimiter: 'auto' },
  ];

  it('keeps the laws', () => {
    seeded(40, (rng) => {
      const given = rng.pick(settings);
      onBytes(troubleBytes(rng, rng.between(0, 160)), (bytes) => void conform(bytes, given), given);
    });
  });

  it('made of quotes keeps the laws, and every line is in a record or a fault', () => {
    seeded(60, (rng) => {
      const given = rng.pick(settings.slice(0, 5));
      const parts = ['"', '"', '""', ',', '\n', '\n', '\r\n', '\r', 'a', 'b"', 'é', 'x'.repeat(400)];
      const table = Array.from({ length: rng.between(0, 30) }, () => rng.pick(parts)).join('');
      onBytes(
        Buffer.from(table),
        (bytes) => {
          const { documents, faults } = conform(bytes, given);
          if (given.pack || given.maxRecordBytes !== undefined) return;
          const ranges = [
            ...documents.map(({ doc }) => [doc.record!.start, doc.record!.end!]),
            ...faults.map(({ range }) => [...range!]),
          ];
          ranges.sort((a, b) => a[0]! - b[0]!);
          let last = 0;
          for (const [start, end] of [...ranges, [bytes.length, bytes.length]]) {
            expect(Buffer.from(bytes.subarray(last, start)).toString(), `between bytes ${last} and ${start}`).toMatch(
              /^[\r\n]*$/,
            );
            last = end!;
          }
        },
        given,
      );
    });
  });

  it('in one long text is nothing but text', () => {
    seeded(5, (rng) => {
      const text = troubleText(rng, 100_000, { loneSurrogates: false });
      const table = `t\n"${text.replaceAll('"', '""')}"\n`;
      const { documents } = faultless(split(making({ text: ['t'] }), [Buffer.from(table)]));
      expect(documents.map(({ segments }) => textOf(segments))).toEqual([text]);
    });
  });
});

describe('samples', () => {
  const sample = (name: string) => readFileSync(new URL(`../../samples/${name}`, import.meta.url));

  it('mill-orders.csv: odd names, ragged rows, quotes', () => {
    const { documents } = faultless(conform(sample('mill-orders.csv'), { text: ['note'], idField: 'order' }));
    expect(documents.map(({ doc, segments }) => [doc.record!.key, doc.record!.line, textOf(segments), doc.metadata])).toEqual([
      [
        '007',
        2,
        'She said "coarse", and meant it.',
        { order: '007', customer: 'Weir, Anna', note_2: 'urgent', column5: '', paid: 'yes' },
      ],
      [
        '008',
        3,
        'Two sacks of rye\none of wheat\n\nand the sieve back',
        { order: '008', customer: 'Brook & Sons', note_2: '', column5: '', paid: 'no' },
      ],
      ['009', 8, '', { order: '009', customer: '', note_2: '', column5: '', paid: '' }],
      [
        '010',
        9,
        'plain "quotes" inside are text',
        {
          order: '010',
          customer: 'Õunapuu',
          note_2: 'x',
          column5: 'y',
          paid: 'yes',
          column7: 'beyond the header',
          column8: 'and again',
        },
      ],
      ['012', 11, '","', { order: '012', customer: 'ends with a quote"', note_2: '"', column5: ' blank ', paid: '1e3' }],
    ]);
  });

  it('levels.csv and wheels.tsv: other delimiters, found', () => {
    const levels = faultless(conform(sample('levels.csv'), { text: ['note'], delimiter: 'auto' }));
    expect(levels.documents.map(({ doc, segments }) => [doc.metadata, textOf(segments)])).toEqual([
      [{ gate: 'north', level: '1,25' }, 'closed'],
      [{ gate: 'south', level: '0,75' }, 'half; open'],
      [{ gate: 'east', level: '1,00' }, 'closed'],
    ]);
    const wheels = faultless(conform(sample('wheels.tsv'), { text: ['note'], delimiter: 'auto' }, tsv));
    expect(wheels.documents.map(({ segments }) => textOf(segments))).toEqual(['tab\there', 'says "fine", and is']);
  });

  it('stray-quotes.csv: what is lost, and what is not', () => {
    const { documents, faults } = conform(sample('stray-quotes.csv'), { text: ['note'] });
    expect(documents.map(({ doc, segments }) => [doc.metadata.id, textOf(segments)])).toEqual([
      ['1', 'fine'],
      ['3', 'fine again'],
      ['5', 'and one\nmore line'],
      ['6', 'fine'],
      ['8', 'fine at last'],
    ]);
    expect(faults.map(({ reason, record }) => [reason, record])).toEqual([
      ['stray-quote', 1],
      ['stray-quote', 3],
      ['unterminated-quote', 6],
    ]);
  });
});

const spectrum = process.env.MILLRACE_CSV_SPECTRUM;

describe.skipIf(spectrum === undefined || !existsSync(spectrum))('csv-spectrum', () => {
  const names = spectrum === undefined ? [] : readdirSync(`${spectrum}/csvs`).map((name) => name.replace(/\.csv$/, ''));

  it.each(names)('%s is equal to its JSON', (name) => {
    const table = readFileSync(`${spectrum}/csvs/${name}.csv`);
    const expected = JSON.parse(readFileSync(`${spectrum}/json/${name}.json`, 'utf8')) as Record<string, string>[];
    const field = Object.keys(expected[0]!)[0]!;
    const { documents } = faultless(conform(table, { text: [field], delimiter: 'auto' }));
    expect(documents.map(({ doc, segments }) => ({ [field]: textOf(segments), ...doc.metadata }))).toEqual(expected);
  });
});
