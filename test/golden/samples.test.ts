/**
 * The samples through the public API, with the settings of a table, held byte for byte against samples/expected/. A snapshot
 * alone proves nothing, so each line is also read again from its sample's bytes, counted again, and held to its budget.
 * `UPDATE_GOLDEN=1 npx vitest run test/golden` writes the expected files anew; look at the difference before you commit it.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decoder, signatureOf } from '../../src/decode.js';
import { type Chunk, type ChunkOptions, chunks } from '../../src/index.js';
import { chunkSettings } from '../../src/settings.js';
import { loadCounter, unitCounter } from '../../src/tokens/index.js';
import { normalise } from '../../transforms/normalise.js';
import { documentIn } from '../conformance/transform.js';
import { chained, drained } from '../support/whole.js';

interface Golden {
  readonly sample: string;
  /** Tells several settings for one sample apart: `prose.words.jsonl`. */
  readonly as?: string;
  readonly options: ChunkOptions;
  /** Only the count and a digest are kept: the output is too long to look at. */
  readonly digestOnly?: boolean;
}

const characters = (size: number, more: ChunkOptions = {}): ChunkOptions => ({ unit: 'characters', size, overlap: 0, ...more });

const TABLE: readonly Golden[] = [
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

const SAMPLES = new URL('../../samples/', import.meta.url);
const fileOf = ({ sample, as }: Golden) => new URL(`expected/${sample}${as === undefined ? '' : `.${as}`}.jsonl`, SAMPLES);
const bytesOf = ({ sample }: Golden) => new Uint8Array(readFileSync(new URL(`${sample}.txt`, SAMPLES)));

async function linesOf(golden: Golden): Promise<string> {
  const options = { ...golden.options, sourceName: `${golden.sample}.txt` };
  let text = '';
  for await (const chunk of chunks(bytesOf(golden), options)) text += `${JSON.stringify(chunk)}\n`;
  return text;
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

/** L6 for each line. */
async function keepsItsBudget({ options }: Golden, lines: readonly Chunk[]): Promise<void> {
  const { unit, size, tokenizer } = chunkSettings(options);
  const tokens = typeof tokenizer === 'string' ? await loadCounter(tokenizer) : undefined;
  const measure = unit === 'tokens' ? tokens! : unitCounter(unit);
  for (const { text, tokens: said } of lines) {
    expect(said).toBe(tokens?.count(text));
    expect(measure.count(text), text).toBeLessThanOrEqual(size);
  }
}

describe('the samples', () => {
  it.each(TABLE.map((golden) => ({ ...golden, file: fileOf(golden).pathname.split('/').at(-1) })))(
    'give $file',
    async (golden) => {
      const text = await linesOf(golden);
      if (process.env.UPDATE_GOLDEN === '1') writeFileSync(fileOf(golden), kept(golden, text));
      expect(kept(golden, text)).toBe(readFileSync(fileOf(golden), 'utf8'));
      const lines = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Chunk);
      readsAgain(golden, lines, bytesOf(golden));
      await keepsItsBudget(golden, lines);
      expect(lines.map(({ index }) => index)).toEqual(lines.map((_, at) => at));
      expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
    },
  );

  it('are all in the table, and nothing else is expected', () => {
    const samples = readdirSync(SAMPLES).filter((name) => name.endsWith('.txt'));
    expect([...new Set(TABLE.map(({ sample }) => `${sample}.txt`))].sort()).toEqual(samples.sort());
    const expected = readdirSync(new URL('expected/', SAMPLES)).sort();
    expect(expected).toEqual(TABLE.map((golden) => fileOf(golden).pathname.split('/').at(-1)).sort());
    expect(TABLE.every((golden) => existsSync(fileOf(golden)))).toBe(true);
  });

  it('in UTF-16 give the same texts in both byte orders', async () => {
    const textsOf = async (sample: string) => {
      const golden = TABLE.find((each) => each.sample === sample)!;
      return (await linesOf(golden))
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as Chunk).text);
    };
    expect(await textsOf('utf16le')).toEqual(await textsOf('utf16be'));
  });
});
