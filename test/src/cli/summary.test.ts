import { describe, expect, it } from 'vitest';
import { summaryText } from '../../../src/cli/summary.js';
import { columnsOf } from '../../../src/cli/text.js';
import type { Summary } from '../../../src/run.js';

const plain: Summary = {
  chunks: 1,
  documents: 1,
  sources: 1,
  bytes: 999,
  seconds: 0,
  peakMemory: 64e6,
  rejected: 0,
  reasons: {},
  invalid: 0,
  dropped: {},
  files: [],
  unit: 'tokens',
};
const file = (path: string) => ({ path, bytes: 500, sha256: '', chunks: 1 });
const wide = { columns: 1000 };

describe('the paragraph', () => {
  it('says what was done and what it took', () => {
    expect(summaryText(plain, wide)).toBe('1 chunk from 1 input, 999 B. Took 0.00 s (0.0 MB/s) and at most 64.0 MB of memory.\n');
  });

  it('says all that is out of the ordinary', () => {
    const full = {
      ...plain,
      ...{
        chunks: 203_481,
        tokens: 104_202_118,
        tokenizer: 'o200k_base',
        documents: 12,
        sources: 3,
        bytes: 104.9e6,
        seconds: 125,
      },
      ...{ rejected: 3, reasons: { 'bad-json': 2, 'no-text': 1 }, rejects: 'bad\n.jsonl' },
      ...{ invalid: 2, dropped: { signature: 3, blank: 1204, separator: 0, novel: 1 }, files: [file('out.jsonl')] },
    };
    expect(summaryText(full, wide)).toBe(
      '203,481 chunks of 104,202,118 tokens in all (o200k_base) from 12 documents in 3 inputs, 104.9 MB. ' +
        'Took 2:05 (0.8 MB/s) and at most 64.0 MB of memory. Written to out.jsonl (500 B). ' +
        '3 records rejected (2 bad-json, 1 no-text; see bad\\n.jsonl). ' +
        '2 invalid byte sequences were replaced by U+FFFD. ' +
        '1,208 bytes of the input are in no chunk (1,204 blank, 3 byte order marks, 1 novel).\n',
    );
  });

  it('does not name a file of rejects where there is none', () => {
    const text = summaryText({ ...plain, rejected: 1, reasons: { 'bad-row': 1 } }, wide);
    expect(text).toContain('1 record rejected (1 bad-row).');
  });

  it('does not say a number twice when there is one reason only', () => {
    const text = summaryText({ ...plain, dropped: { blank: 1 } }, wide);
    expect(text).toContain('1 byte of the input is in no chunk (blank).');
  });

  it('names up to three files, of more the first and the last', () => {
    const files = ['a', 'b', 'c', 'd\n'].map(file);
    expect(summaryText({ ...plain, files: files.slice(0, 3) }, wide)).toContain('Written to a, b, c (1.5 kB).');
    expect(summaryText({ ...plain, files }, wide)).toContain('Written to 4 files: a … d\\n (2.0 kB).');
  });

  it('is wrapped at 80 columns', () => {
    const text = summaryText({
      ...plain,
      dropped: { blank: 5e6, trimmed: 7 },
      files: ['a/b.jsonl', 'c', 'd'].map(file),
      invalid: 9,
    });
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(text.split('\n').length).toBeGreaterThan(3);
  });
});

describe('the histogram of a dry run', () => {
  const histogram = [
    { from: 1, to: 1, chunks: 1 },
    { from: 2, to: 512, chunks: 0 },
    { from: 513, to: 1024, chunks: 123_456_789 },
    { from: 1025, to: Number.MAX_SAFE_INTEGER, chunks: 10 },
  ];
  const dry = { ...plain, chunks: 123_456_800, histogram };

  it('has a line a class, and fits in 80 columns', () => {
    const [paragraph, table] = summaryText(dry).split('\n\n') as [string, string];
    expect(paragraph.replaceAll('\n', ' ')).toContain('Nothing was written (dry run).');
    const lines = table.trimEnd().split('\n');
    for (const line of table.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(80);
    expect(lines.map((line) => line.replace(/ +/g, ' ').trim())).toEqual([
      'tokens chunks',
      '1 ▏ 1 0%',
      '2–512 0 0%',
      expect.stringMatching(/^513–1,024 █+ 123,456,789 100%$/),
      '≥ 1,025 ▏ 10 0%',
    ]);
  });

  it('is shown for a dry run only, and copes with no chunks', () => {
    expect(summaryText(plain)).not.toContain('dry run');
    expect(summaryText({ ...plain, chunks: 0, histogram: [] })).toContain('chunks');
  });
});

describe('a store', () => {
  it('has what became of metadata told, each key once, and what else there is to know', () => {
    const metadata = { nested: { flattened: 1200, dropped: 1 }, 'odd\n': { renamed: 3 } };
    expect(summaryText({ ...plain, metadata, notices: ['2 chunks are long', 'so are these'] }, wide)).toMatch(
      /Metadata that the store does not take: "nested" flattened 1,200 times and dropped once, "odd\\n" renamed 3 times\. 2 chunks are long\. so are these\.\n$/,
    );
  });

  it('has the first keys named, and the others counted', () => {
    const metadata = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`k${at}`, { dropped: 1 }]));
    const text = summaryText({ ...plain, metadata, notices: [] }, wide);
    expect(text).toContain('"k4" dropped once, and 3 keys more (--summary tells of all).');
    expect(text).not.toContain('"k5"');
  });

  it('that had nothing to refuse is not told of', () => {
    expect(summaryText({ ...plain, metadata: {}, notices: [] }, wide)).toBe(summaryText(plain, wide));
  });
});

describe('collections', () => {
  const histogram = [{ from: 1, to: 512, chunks: 1 }];

  it('have a block each, and a total', () => {
    const collections = { 'a\n': { ...plain, files: [file('a.jsonl')] }, b: { ...plain, histogram } };
    const [a, b, table, total] = summaryText({ ...plain, chunks: 2, documents: 2, sources: 2, collections }, wide).split('\n\n');
    expect(a).toMatch(/^a\\n: 1 chunk from 1 input, 999 B\. .* Written to a\.jsonl \(500 B\)\.$/);
    expect(b).toMatch(/^b: 1 chunk .* Nothing was written \(dry run\)\.$/);
    expect(table).toContain('█');
    expect(total).toBe('Total: 2 chunks from 2 inputs, 999 B. Took 0.00 s (0.0 MB/s) and at most 64.0 MB of memory.\n');
  });

  it('have no total where one alone ran', () => {
    expect(summaryText({ ...plain, collections: { a: plain } }, wide)).toBe(`a: ${summaryText(plain, wide)}`);
  });
});
