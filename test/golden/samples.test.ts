/**
 * The samples through the public API, with the settings of a table, held byte for byte against samples/expected/. A snapshot
 * alone proves nothing, so each line is also read again from its sample's bytes, counted again, and held to its budget.
 * `UPDATE_GOLDEN=1 npx vitest run test/golden` writes the expected files anew; look at the difference before you commit it.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { decoder, signatureOf } from '../../src/decode.js';
import { type Chunk, type ChunkOptions, chunks, IngestError, jsonl } from '../../src/index.js';
import { chunkSettings } from '../../src/settings.js';
import { loadCounter, unitCounter } from '../../src/tokens/index.js';
import { normalise } from '../../transforms/normalise.js';
import { documentIn } from '../conformance/transform.js';
import { chunksIn } from '../support/cli.js';
import { chained, drained } from '../support/whole.js';
import { rereadRecord } from './reread-record.js';

interface Golden {
  /** The name of the file, with its ending where that names a format. */
  readonly sample: string;
  /** Tells several settings for one sample apart: `prose.words.jsonl`. */
  readonly as?: string;
  readonly options: ChunkOptions;
  /** Only the count and a digest are kept: the output is too long to look at. */
  readonly digestOnly?: boolean;
  /** The faults that are told of, in order: byte and reason. Absent: none. */
  readonly faults?: Faults;
}

type Faults = readonly (readonly [at: number, reason: string])[];

const characters = (size: number, more: ChunkOptions = {}): ChunkOptions => ({ unit: 'characters', size, overlap: 0, ...more });

const TEXTS: readonly Golden[] = [
  { sample: 'prose', options: { size: 256 } },
  { sample: 'prose', as: 'words', options: { unit: 'words', size: 120, overlap: 20, trim: true } },
  { sample: 'prose', as: 'keep', options: characters(600, { whitespace: 'keep', tokenizer: 'none' }) },
  { sample: 'prose', as: 'lines', options: characters(300, { separators: ['\\n'], separatorPosition: 'drop' }) },
  { sample: 'russian', options: { size: 128, tokenizer: 'cl100k_base' } },
  { sample: 'greek', options: { unit: 'bytes', size: 500, overlap: 60 } },
  { sample: 'chinese', options: { size: 128, overlap: 20 } },
  { sample: 'japanese', options: characters(120, { overlap: 12 }) },
  { sample: 'arabic', options: { size: 100, overlap: 10 } },
  { sample: 'hebrew', options: { unit: 'words', size: 60 } },
  { sample: 'hindi', options: { size: 160, overlap: 0 } },
  { sample: 'thai', options: characters(200) },
  { sample: 'bom-crlf', options: characters(80) },
  { sample: 'bom-crlf', as: 'keep', options: characters(80, { whitespace: 'keep' }) },
  { sample: 'utf16le', options: characters(40, { overlap: 4 }) },
  { sample: 'utf16be', options: characters(40, { overlap: 4 }) },
  { sample: 'emoji', options: { unit: 'bytes', size: 160, overlap: 0 } },
  { sample: 'invalid', options: characters(120) },
  { sample: 'empty', options: {} },
  { sample: 'blanks', options: characters(10) },
  { sample: 'one-byte', options: { size: 1 } },
  { sample: 'no-final-newline', options: characters(40) },
  { sample: 'special-tokens', options: { size: 64 } },
  { sample: 'separators', options: characters(60) },
  { sample: 'separators', as: 'collapse', options: characters(60, { whitespace: 'collapse', trim: true }) },
  { sample: 'zero-width', options: characters(80) },
  { sample: 'log', options: { size: 512 }, digestOnly: true },
  { sample: 'long-line', options: { size: 512, tokenizer: 'estimate' }, digestOnly: true },
];

const ITEMS: ChunkOptions = { records: 'items[*]' };
const PAGES: ChunkOptions = { records: '/mediawiki/page' };
const ENTRIES: ChunkOptions = { records: '/feed/entry' };
/** The first string ends with its line; of the list, a comma was awaited where a third line begins. */
const BAD_LINES: Faults = [
  [300, 'unterminated-string'],
  [457, 'bad-json'],
];
const STRAY_QUOTES: Faults = [
  [25, 'stray-quote'],
  [67, 'stray-quote'],
  [117, 'unterminated-quote'],
];

/** Each sample as texts, as itself, and packed, as far as that shows something. */
const RECORDS: readonly Golden[] = [
  { sample: 'records.json', options: characters(300, { overlap: 30 }) },
  {
    sample: 'records.json',
    as: 'text',
    options: { ...ITEMS, text: ['body'], idField: 'id', unit: 'words', size: 8, overlap: 2 },
  },
  {
    sample: 'records.json',
    as: 'fields',
    options: characters(40, { ...ITEMS, text: ['title', 'meta'], meta: ['weight', 'id'] }),
  },
  { sample: 'records.json', as: 'users', options: characters(60, { records: 'users.*', text: ['body'] }) },
  { sample: 'records.json', as: 'pack', options: { ...ITEMS, size: 80, pack: true } },
  { sample: 'records.jsonl', options: characters(60, { meta: ['id', 'n'] }), faults: BAD_LINES },
  { sample: 'records.jsonl', as: 'text', options: { size: 12, overlap: 3, text: ['body'] }, faults: BAD_LINES },
  { sample: 'records.jsonl', as: 'pack', options: { size: 60, overlap: 0, pack: true }, faults: BAD_LINES },
  { sample: 'rs.jsonl', options: characters(40, { text: ['body'] }), faults: [[34, 'bad-json']] },
  { sample: 'invalid.jsonl', options: { unit: 'bytes', size: 8, overlap: 0, text: ['body'] }, faults: [[25, 'bad-json']] },
  { sample: 'utf16.json', options: characters(40, { text: ['body'] }) },
  { sample: 'utf16.json', as: 'pack', options: characters(40, { pack: true }) },
  { sample: 'mill-orders.csv', options: characters(20, { overlap: 5, text: ['note'], idField: 'order' }) },
  { sample: 'mill-orders.csv', as: 'source', options: characters(90, { idField: 'order', meta: ['paid'], whitespace: 'keep' }) },
  { sample: 'mill-orders.csv', as: 'pack', options: { size: 60, overlap: 16, pack: true } },
  { sample: 'levels.csv', options: characters(60, { pack: true }) },
  { sample: 'levels.csv', as: 'no-header', options: characters(60, { noHeader: true, text: ['column3'] }) },
  { sample: 'wheels.tsv', options: characters(60, { text: ['note'], idField: 'wheel' }) },
  { sample: 'stray-quotes.csv', options: characters(60, { text: ['note'] }), faults: STRAY_QUOTES },
  { sample: 'stray-quotes.csv', as: 'pack', options: characters(60, { pack: true }), faults: STRAY_QUOTES },
  { sample: 'mixed-ends.csv', options: characters(12, { text: ['note'] }) },
  { sample: 'mixed-ends.csv', as: 'pack', options: characters(60, { pack: true }) },
  { sample: 'utf16.csv', options: characters(40, { text: ['note'], idField: 'gate' }) },
  { sample: 'utf16.csv', as: 'pack', options: characters(60, { pack: true }) },
  { sample: 'latin.csv', options: characters(40, { text: ['note'], encoding: 'windows-1252' }) },
  { sample: 'mill-wiki.xml', options: { ...PAGES, text: ['revision/text'], idField: 'id', size: 20, overlap: 4 } },
  { sample: 'mill-wiki.xml', as: 'pack', options: { ...PAGES, size: 150, pack: true } },
  {
    sample: 'mill-feed.xml',
    options: characters(24, { ...ENTRIES, text: ['title', 'summary', 'content'], meta: ['id', '@m:nr'] }),
  },
  { sample: 'mill-feed.xml', as: 'titles', options: characters(40, { records: '//title', text: ['.'] }) },
  { sample: 'mill-feed.xml', as: 'pack', options: { size: 60, pack: true } },
  { sample: 'odd-markup.xml', options: characters(70) },
  { sample: 'odd-markup.xml', as: 'text', options: characters(16, { records: '/mill', text: ['wheel', 'été'] }) },
];

const TABLE: readonly Golden[] = [...TEXTS, ...RECORDS];

const SAMPLES = new URL('../../samples/', import.meta.url);
/** Kinds of files that are samples: plain text, and what the formats are named by. */
const ENDINGS = /\.(txt|json|jsonl|csv|tsv|xml)$/;
const nameOf = ({ sample }: Pick<Golden, 'sample'>) => (ENDINGS.test(sample) ? sample : `${sample}.txt`);
const fileOf = ({ sample, as }: Golden) => new URL(`expected/${sample}${as === undefined ? '' : `.${as}`}.jsonl`, SAMPLES);
const bytesOf = (golden: Golden) => new Uint8Array(readFileSync(new URL(nameOf(golden), SAMPLES)));

interface Output {
  readonly text: string;
  readonly lines: readonly Chunk[];
  readonly faults: Faults;
}

async function outputOf(golden: Golden): Promise<Output> {
  const faults: [number, string][] = [];
  const onReject = (error: Error) => {
    if (!(error instanceof IngestError)) throw error;
    faults.push([error.at!, error.reason]);
  };
  const written: Buffer[] = [];
  const target = new Writable({
    write(part: Buffer, _, done) {
      written.push(Buffer.from(part));
      done();
    },
  });
  const input = chunks(bytesOf(golden), { ...golden.options, sourceName: nameOf(golden), onReject });
  await pipeline(input, jsonl(target));
  const text = Buffer.concat(written).toString();
  return { text, lines: chunksIn(text), faults };
}

/** What is kept of it: all, or how many lines and their SHA-256. */
function kept({ digestOnly = false }: Golden, text: string): string {
  if (!digestOnly) return text;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return `${JSON.stringify({ lines: text.split('\n').length - 1, bytes: Buffer.byteLength(text), sha256 })}\n`;
}

/** L5 for each line; and gaps, when they are read, show nothing, so that no text is missing. */
function readsAgain({ options }: Golden, lines: readonly Chunk[], bytes: Uint8Array): void {
  const { charset, bytes: signature } = signatureOf(bytes, 'auto');
  const reread = (start: number, end: number) =>
    drained(
      chained(
        decoder(charset, start, () => {}),
        normalise(options.whitespace ?? 'tidy', true)(documentIn(charset)),
      ),
      [bytes.subarray(start, end)],
    )
      .map((segment) => segment.text)
      .join('');
  let last = signature;
  for (const { start, end, text } of lines) {
    expect(reread(start, end), `bytes ${start} to ${end}`).toBe(text);
    if (start > last)
      expect(reread(last, start), `bytes ${last} to ${start}, in no chunk`).toMatch(/^[\s\u0085\u200b-\u200d\u2060]*$/);
    last = end;
  }
  expect(reread(last, bytes.length), 'the bytes after the last chunk').toMatch(/^[\s\u0085\u200b-\u200d\u2060]*$/);
}

/** L5 for each line of records, whose own bytes hold it; a packed record is cut only where it is alone. */
function recordsReadAgain({ sample, options }: Golden, lines: readonly Chunk[], bytes: Uint8Array): void {
  for (const chunk of lines) {
    const { start, end, text } = chunk;
    const record = chunk.record!;
    expect(rereadRecord(sample, bytes, options, chunk), `bytes ${start} to ${end}`).toBe(text);
    expect([record.start <= start, end <= record.end!], JSON.stringify(chunk)).toEqual([true, true]);
    if (start !== record.start || end !== record.end) expect(record.count ?? 1, JSON.stringify(chunk)).toBe(1);
  }
}

/** L6 for each line: what is counted is what would be embedded, context and a blank line before the text. */
async function keepsItsBudget({ options }: Golden, lines: readonly Chunk[]): Promise<void> {
  const { unit, size, tokenizer } = chunkSettings(options);
  const tokens = typeof tokenizer === 'string' ? await loadCounter(tokenizer) : undefined;
  const measure = unit === 'tokens' ? tokens! : unitCounter(unit);
  for (const { context, text, tokens: said } of lines) {
    const whole = context === undefined ? text : `${context}\n\n${text}`;
    expect(said).toBe(tokens?.count(whole));
    expect(measure.count(whole), whole).toBeLessThanOrEqual(size);
  }
}

/** Chunks count from 0 in each document, and no two have the same id. */
function areNumbered(lines: readonly Chunk[]): void {
  for (const [at, { index }] of lines.entries()) if (index !== 0) expect(index).toBe(lines[at - 1]!.index + 1);
  expect(lines[0]?.index ?? 0).toBe(0);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
}

describe('the samples', () => {
  it.each(TABLE.map((golden) => ({ ...golden, file: fileOf(golden).pathname.split('/').at(-1) })))(
    'give $file',
    async (golden) => {
      const { text, lines, faults } = await outputOf(golden);
      if (process.env.UPDATE_GOLDEN === '1') writeFileSync(fileOf(golden), kept(golden, text));
      expect(kept(golden, text)).toBe(readFileSync(fileOf(golden), 'utf8'));
      expect(faults).toEqual(golden.faults ?? []);
      if (RECORDS.some(({ sample }) => sample === golden.sample)) recordsReadAgain(golden, lines, bytesOf(golden));
      else readsAgain(golden, lines, bytesOf(golden));
      await keepsItsBudget(golden, lines);
      areNumbered(lines);
    },
  );

  it('are all in the table, and nothing else is expected', () => {
    const samples = readdirSync(SAMPLES).filter((name) => ENDINGS.test(name));
    expect([...new Set(TABLE.map(nameOf))].sort()).toEqual(samples.sort());
    const expected = readdirSync(new URL('expected/', SAMPLES)).sort();
    expect(expected).toEqual(TABLE.map((golden) => fileOf(golden).pathname.split('/').at(-1)).sort());
    expect(TABLE.every((golden) => existsSync(fileOf(golden)))).toBe(true);
  });

  it('in UTF-16 give the same texts in both byte orders', async () => {
    const textsOf = async (sample: string) =>
      (await outputOf(TABLE.find((each) => each.sample === sample)!)).lines.map(({ text }) => text);
    expect(await textsOf('utf16le')).toEqual(await textsOf('utf16be'));
  });
});
