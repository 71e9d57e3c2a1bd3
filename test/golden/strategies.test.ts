/**
 * The gallery: a small text for each strategy, cut with the settings of a table and held byte for byte against
 * samples/strategies/expected/. White space is kept, so each chunk's text must simply be its bytes.
 * `UPDATE_GOLDEN=1 npx vitest run test/golden` writes the expected files anew; look at the difference before you commit it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Chunk, type ChunkOptions, chunks } from '../../src/index.js';
import { strategies } from '../../src/registry.js';

const characters = (size: number, more: ChunkOptions = {}): ChunkOptions => ({ unit: 'characters', size, ...more });

/** Each strategy's settings. Its sample is `<strategy>.txt`. */
const SETTINGS: Readonly<Record<string, ChunkOptions>> = {
  recursive: characters(160, { language: 'python', overlap: 0 }),
  character: characters(120, { separator: '\\n---\\n', separatorPosition: 'drop' }),
  regex: characters(200, { patterns: ['\\n(?=\\[)', '\\n== .* ==\\n'] }),
  sentence: characters(160, { targetSize: 100, overlap: 0 }),
  paragraph: characters(120, { oversize: 'keep', overlap: 0 }),
  section: characters(160),
  topic: characters(2000),
  words: { size: 12, overlap: 3 },
  token: { size: 24, overlap: 6 },
  sliding: { unit: 'words', size: 20, step: 10, tail: 'backfill' },
};

const SAMPLES = new URL('../../samples/strategies/', import.meta.url);

async function cut(strategy: string, bytes: Uint8Array): Promise<Chunk[]> {
  const found: Chunk[] = [];
  const options = { ...SETTINGS[strategy]!, strategy, whitespace: 'keep', sourceName: `${strategy}.txt` } as const;
  for await (const chunk of chunks(bytes, options)) found.push(chunk);
  return found;
}

describe('the gallery', () => {
  it.each(strategies.map(({ name }) => name))('shows what %s does', async (strategy) => {
    const bytes = readFileSync(new URL(`${strategy}.txt`, SAMPLES));
    const found = await cut(strategy, bytes);
    const text = found.map((chunk) => `${JSON.stringify(chunk)}\n`).join('');
    const file = new URL(`expected/${strategy}.jsonl`, SAMPLES);
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
    for (const chunk of found) expect(bytes.subarray(chunk.start, chunk.end).toString('utf8')).toBe(chunk.text);
    expect(found.length, 'a sample that is not cut shows nothing').toBeGreaterThan(2);
  });

  it('holds nothing else', () => {
    const names = strategies.map(({ name }) => name).sort();
    expect(readdirSync(new URL('expected/', SAMPLES)).sort()).toEqual(names.map((name) => `${name}.jsonl`));
    const texts = readdirSync(SAMPLES).filter((name) => name.endsWith('.txt') && name !== 'gallery.txt');
    expect(texts.sort()).toEqual(names.map((name) => `${name}.txt`));
  });
});
