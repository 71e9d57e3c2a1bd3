/**
 * Records as users meet them: the command line on small files of each format, what becomes of faulty ones, and runs that are
 * limited to some.
 */
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/run.js';
import type { Chunk } from '../../src/types.js';
import { chunksIn, type Ended, manifestIn, millrace, type Workspace, workspace } from '../support/cli.js';

const CHARACTERS = ['--unit', 'characters', '--size', '200'];

const ok = (ended: Ended): Ended => {
  expect(ended.stderr).not.toContain('bug');
  expect(ended.code, ended.stderr).toBe(0);
  return ended;
};

/** The same three records in each format: the title, then the text, as they must come out. */
const RECORDS = [
  ['first', 'Café, “quoted” 😀\nand a line'],
  ['second', 'a "quote" & <more>'],
  ['third', ''],
] as const;

const encoded = (text: string): string => JSON.stringify(text).replace('😀', '\\ud83d\\ude00').replace('é', '\\u00e9');
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replace('é', '&#xe9;');

const lines = RECORDS.map(([title, body], n) => `{"id": ${n}, "title": "${title}", "body": ${encoded(body)}}`);
const SAME: Readonly<Record<string, string>> = {
  'r.json': `{"made": [1, 2], "items": [\n${lines.join(',\n')}\n]}\n`,
  'r.jsonl': `${lines.join('\n')}\n`,
  'r.csv': `id,title,body\r\n${RECORDS.map(([title, body], n) => `${n},${title},${cell(body)}`).join('\r\n')}\r\n`,
  'r.tsv': `id\ttitle\tbody\n${RECORDS.map(([title, body], n) => `${n}\t${title}\t${cell(body)}`).join('\n')}`,
  'r.xml': `<?xml version="1.0"?>\n<feed><made>1</made>${RECORDS.map(
    ([title, body], n) => `<entry id="${n}"><title>${title}</title><body>${escaped(body)}</body></entry>`,
  ).join('\n')}</feed>`,
};
const WHERE: Readonly<Record<string, readonly string[]>> = {
  'r.json': ['--records', 'items[*]', '--id-field', 'id'],
  'r.xml': ['--records', '/feed/entry', '--id-field', '@id'],
};

function placed(files: Readonly<Record<string, string>> = SAME): Workspace {
  const place = workspace();
  for (const [name, content] of Object.entries(files)) place.write(name, content);
  return place;
}

describe.each(Object.keys(SAME))('%s', (name) => {
  const where = WHERE[name] ?? ['--id-field', 'id'];

  it('gives a document for each text, with its record, its key and its metadata', async () => {
    const place = placed();
    const chunks = chunksIn(ok(await millrace([name, '--text', 'body', ...where, ...CHARACTERS], { cwd: place.dir })).stdout);
    const bytes = place.read(name);
    expect(chunks.map(({ text }) => text)).toEqual(RECORDS.map(([, body]) => body).filter((body) => body !== ''));
    for (const [n, { record, metadata, index, start, end }] of chunks.entries()) {
      expect(record).toMatchObject({ index: n, field: 'body', key: `${n}` });
      expect(metadata.title).toBe(RECORDS[n]![0]);
      expect(index).toBe(0);
      const own = bytes.subarray(record!.start, record!.end).toString();
      expect(own).toContain(RECORDS[n]![0]);
      expect(own).not.toContain(RECORDS[n + 1]![0]);
      expect(record!.start < start && end <= record!.end!).toBe(true);
    }
  });

  it('takes only the fields that are named, in any number', async () => {
    const place = placed();
    const args = [name, ...where.slice(0, -2), '--text', 'title', '--text', 'body', ...CHARACTERS];
    const meta = name === 'r.xml' ? '@id' : 'id';
    const chunks = chunksIn(ok(await millrace([...args, '--meta', meta], { cwd: place.dir })).stdout);
    expect(chunks.map(({ record }) => record!.field)).toEqual(['title', 'body', 'title', 'body', 'title']);
    for (const { metadata } of chunks) expect(Object.keys(metadata)).toEqual([meta]);
  });

  it('without a text field gives each record as it stands in the source', async () => {
    const place = placed();
    const chunks = chunksIn(ok(await millrace([name, ...where.slice(0, -2), ...CHARACTERS], { cwd: place.dir })).stdout);
    const bytes = place.read(name);
    expect(chunks).toHaveLength(RECORDS.length);
    for (const { text, start, end, record, metadata } of chunks) {
      expect(text).toBe(bytes.subarray(start, end).toString());
      expect([start, end]).toEqual([record!.start, record!.end]);
      expect(metadata).toEqual({});
    }
  });

  it('packs whole records', async () => {
    const place = placed();
    const args = [name, ...where.slice(0, -2), '--pack', '--unit', 'characters', '--size', '2000', '-o', 'out.jsonl'];
    ok(await millrace(args, { cwd: place.dir }));
    const [chunk, ...others] = chunksIn(place.read('out.jsonl')) as [Chunk, ...Chunk[]];
    expect(others).toEqual([]);
    expect(chunk.record).toMatchObject({ index: 0, count: RECORDS.length });
    expect(chunk.text).toBe(place.read(name).subarray(chunk.start, chunk.end).toString().replaceAll('\r\n', '\n'));
    if (/sv$/.test(name)) expect(chunk.context).toMatch(/^id[,\t]title[,\t]body$/);
  });

  it('is told of in the manifest, and every byte is accounted for', async () => {
    const place = placed();
    ok(await millrace([name, '--text', 'body', ...where, ...CHARACTERS, '-o', 'out.jsonl'], { cwd: place.dir }));
    const { sources, options } = manifestIn(place, 'out.jsonl');
    expect(options).toMatchObject({ text: ['body'], idField: where.at(-1), onError: 'stop' });
    const { format, rejected, documents, coverage } = sources[0]!;
    expect([`r.${format}`, rejected, documents]).toEqual([name, 0, RECORDS.length]);
    const dropped = Object.values(coverage.dropped).reduce((sum, bytes) => sum + bytes, 0);
    expect([coverage.inChunks + dropped, coverage.bytes]).toEqual([coverage.bytes, place.read(name).length]);
    expect(coverage.dropped.outside).toBeGreaterThan(0);
  });
});

describe('the format', () => {
  it('is each file’s own in a directory, and all that ends otherwise is text', async () => {
    const place = placed({
      'd/a.CSV': 'id,body\n1,one\n',
      'd/b.ndjson': '{"body":"two"}\n',
      'd/c.md': 'three',
      'd/e.tab': 'body\nfour\n',
    });
    const ended = ok(await millrace(['d', '--text', 'body', ...CHARACTERS], { cwd: place.dir }));
    expect(chunksIn(ended.stdout).map(({ source, text }) => [source, text])).toEqual([
      ['d/a.CSV', 'one'],
      ['d/b.ndjson', 'two'],
      ['d/c.md', 'three'],
      ['d/e.tab', 'four'],
    ]);
  });

  it('of a table may be said in full', async () => {
    const place = placed({ 'a.csv': "1|'a''b'\n2|c\n", 'b.csv': '1\t"a"\n' });
    const texts = async (...args: string[]) =>
      chunksIn(ok(await millrace([...args, '--no-header', '--text', 'column2', ...CHARACTERS], { cwd: place.dir })).stdout).map(
        ({ text }) => text,
      );
    expect(await texts('a.csv', '--delimiter', '|', '--quote', "'")).toEqual(["a'b", 'c']);
    expect(await texts('b.csv', '--delimiter', 'tab', '--quote', 'none')).toEqual(['"a"']);
    expect(await texts('b.csv', '--format', 'tsv')).toEqual(['a']);
  });

  it('of standard input is what is said, or what the name that is given to it ends like', async () => {
    const stdin = ['{"body":"one"}\n'];
    for (const args of [
      ['--format', 'jsonl'],
      ['--source-name', 'piped.jsonl'],
    ]) {
      const ended = ok(await millrace(['-', ...args, '--text', 'body', ...CHARACTERS], { stdin }));
      expect(chunksIn(ended.stdout).map(({ text }) => text)).toEqual(['one']);
    }
    const plain = ok(await millrace(['-', ...CHARACTERS], { stdin }));
    expect(chunksIn(plain.stdout)[0]!.text).toBe(stdin[0]);
  });

  it('that has no such option is told of before anything is read', async () => {
    const place = placed({ 'a.txt': 'text', 'a.csv': 'a\n1\n', 'a.json': '[]' });
    const refused = async (...args: string[]) => {
      const { code, stderr, stdout } = await millrace(args, { cwd: place.dir });
      expect([code, stdout.length]).toEqual([2, 0]);
      return stderr;
    };
    expect(await refused('a.txt', '--text', 'body')).toContain(
      '--text means nothing to the format text; if it holds records, say',
    );
    expect(await refused('a.json', '--format', 'csv', '--records', '[*]')).toContain('--records means nothing to the format csv');
    expect(await refused('a.csv', 'a.txt', '--records', '[*]')).toContain('--records means nothing to the format csv, text');
    expect(await refused('a.json', '--records', 'a[')).toContain('--records: ');
    expect(await refused('-', '--format', 'xml', '--text', '/a')).toContain('--text: ');
    expect(await refused('a.csv', '--pack', '--text', 'a', '--delimiter', ';;', '--max-record-bytes', '1')).toMatch(
      /--max-record-bytes must be .*--text means nothing with --pack.*--delimiter takes one character/s,
    );
  });
});

const FAULTY: Readonly<Record<string, string>> = {
  'f.jsonl': '{"body":"one"}\n{"body":"two}\n{"body":"three"}\n',
  'f.csv': 'body,n\none,1\n"two" x,2\nthree,3\n',
};

describe('faulty records', () => {
  it.each(Object.keys(FAULTY))('of %s end the run: exit code 4, a line that says where, and nothing written', async (name) => {
    const place = placed(FAULTY);
    const ended = await millrace([name, '--text', 'body', ...CHARACTERS, '-o', 'out.jsonl'], { cwd: place.dir });
    expect(ended.code).toBe(4);
    expect(ended.stderr).toMatch(new RegExp(`^millrace: ${name.replace('.', '\\.')}, byte \\d+: .*\n.*--on-error skip`));
    expect(place.list()).toEqual(Object.keys(FAULTY).sort());
  });

  it.each(Object.keys(FAULTY))('of %s are left out where that is asked for, and counted', async (name) => {
    const place = placed(FAULTY);
    const args = [name, '--text', 'body', ...CHARACTERS, '--on-error', 'skip', '--summary', 's.json', '-o', 'out.jsonl'];
    const ended = ok(await millrace(args, { cwd: place.dir }));
    expect(chunksIn(place.read('out.jsonl')).map(({ text, record }) => [text, record!.index])).toEqual([
      ['one', 0],
      ['three', 2],
    ]);
    expect(ended.stderr.replaceAll('\n', ' ')).toMatch(/1 record rejected \(1 [a-z-]+\)\./);
    const { sources, totals } = manifestIn(place, 'out.jsonl');
    expect([sources[0]!.rejected, totals.rejected]).toEqual([1, 1]);
    expect(totals.dropped.rejected).toBeGreaterThan(8);
    const { rejected, reasons, rejects } = JSON.parse(place.read('s.json').toString()) as Summary;
    expect([rejected, Object.values(reasons), rejects]).toEqual([1, [1], undefined]);
  });

  it('are listed, and once they are mended a run can be limited to them', async () => {
    const place = placed({
      'in/a.csv': FAULTY['f.csv']!,
      'in/b.jsonl': FAULTY['f.jsonl']!,
      'in/c.txt': 'text',
      'in/d.csv': 'body\nx\n',
    });
    const common = ['in', '--text', 'body', ...CHARACTERS];
    const first = ok(await millrace([...common, '--rejects', 'bad.jsonl', '-o', 'out.jsonl'], { cwd: place.dir }));
    ok(await millrace(['verify', 'out.jsonl'], { cwd: place.dir }));
    expect(first.stderr.replaceAll('\n', ' ')).toMatch(/2 records rejected \(.*; see bad\.jsonl\)\./);
    const rejects = place
      .read('bad.jsonl')
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rejects).toMatchObject([
      { source: 'in/a.csv', index: 1, start: 13 },
      { source: 'in/b.jsonl', index: 1, start: 15 },
    ]);
    for (const each of rejects)
      expect(Object.keys(each)).toEqual(['source', 'start', 'end', 'index', 'at', 'reason', 'message', 'excerpt']);

    place.write('in/a.csv', FAULTY['f.csv']!.replace('"two" x', '"two x"'));
    place.write('in/b.jsonl', FAULTY['f.jsonl']!.replace('two}', 'two"}'));
    place.write('in/c.txt', 'is not even looked at');
    ok(await millrace([...common, '--only', 'bad.jsonl', '-o', 'more.jsonl'], { cwd: place.dir }));
    expect(chunksIn(place.read('more.jsonl')).map(({ source, text, record }) => [source, text, record!.index])).toEqual([
      ['in/a.csv', 'two x', 1],
      ['in/b.jsonl', 'two', 1],
    ]);
    ok(await millrace(['verify', 'more.jsonl'], { cwd: place.dir }));
    const { sources, options } = manifestIn(place, 'more.jsonl');
    expect(options.only).toBe('bad.jsonl');
    expect(sources.map(({ source, only }) => [source, only])).toEqual(
      rejects.map(({ source, start, end }) => [source, [[start, end]]]),
    );
  });

  it('that no one can find the end of stop the run whatever is asked for', async () => {
    const place = placed({ 'a.json': '[{"body":"one"},{"body":two}]' });
    const args = ['a.json', '--text', 'body', ...CHARACTERS, '--on-error', 'skip', '--rejects', 'bad.jsonl', '-o', 'out.jsonl'];
    const ended = await millrace(args, { cwd: place.dir });
    expect(ended.code).toBe(4);
    expect(ended.stderr).toMatch(/^millrace: a\.json, byte 25: .*\n$/);
    expect(place.list()).toEqual(['a.json']);
  });

  it('and a path that leads nowhere are told in the same way', async () => {
    const place = placed();
    const args = ['r.json', '--records', 'item[*]', '--text', 'body', ...CHARACTERS];
    const stopped = await millrace(args, { cwd: place.dir });
    expect([stopped.code, stopped.stderr]).toEqual([4, expect.stringContaining('items')]);
    const skipped = ok(await millrace([...args, '--on-error', 'skip'], { cwd: place.dir }));
    expect(skipped.stderr.replaceAll('\n', ' ')).toContain('1 record rejected (1 no-records)');
  });
});

describe('a run that is limited to some records', () => {
  it('has nothing to do when there were no rejects', async () => {
    const place = placed({ 'a.csv': 'body\none\n', 'none.jsonl': '' });
    const ended = ok(await millrace(['a.csv', '--text', 'body', '--only', 'none.jsonl', ...CHARACTERS], { cwd: place.dir }));
    expect(ended.stdout.length).toBe(0);
  });

  it('refuses what cannot be meant', async () => {
    const place = placed({
      'a.csv': 'body\none\n',
      'a.txt': 'text',
      'other.jsonl': '{"source":"x.csv","start":0,"end":9}\n',
      'text.jsonl': '{"source":"a.txt","start":0,"end":9}\n',
      'bad.jsonl': 'no JSON\n',
    });
    const refused = async (...args: string[]) => {
      const { code, stderr } = await millrace([...args, ...CHARACTERS], { cwd: place.dir });
      expect(code, stderr).toBe(2);
      return stderr;
    };
    expect(await refused('a.csv', '--only', 'other.jsonl')).toContain('names none of the inputs, but "x.csv"');
    expect(await refused('a.txt', '--only', 'text.jsonl')).toContain('--only means nothing to a.txt');
    expect(await refused('a.csv', '--only', 'bad.jsonl')).toContain('bad.jsonl cannot say which records are wanted: line 1');
    expect(await refused('a.csv', '--only', 'gone.jsonl')).toContain('gone.jsonl');
    expect(await refused('a.csv', '--rejects', 'x', '-o', 'x')).toContain('--rejects and --out name the same file');
  });
});

describe('a dry run', () => {
  it('counts records and rejects and writes neither', async () => {
    const place = placed(FAULTY);
    const ended = ok(
      await millrace(['f.csv', '--text', 'body', '--dry-run', '--rejects', 'bad.jsonl', ...CHARACTERS], { cwd: place.dir }),
    );
    expect(ended.stderr.replaceAll('\n', ' ')).toMatch(
      /2 chunks .*from 2 documents in 1 input.*1 record rejected \(1 stray-quote\)/,
    );
    expect(place.list()).toEqual(Object.keys(FAULTY).sort());
  });
});
