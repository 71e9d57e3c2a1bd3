import { readFileSync } from 'node:fs';
import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base';
import * as o200k from 'gpt-tokenizer/encoding/o200k_base';
import * as p50k from 'gpt-tokenizer/encoding/p50k_base';
import * as r50k from 'gpt-tokenizer/encoding/r50k_base';
import { get_encoding } from 'tiktoken';
import { describe, expect, it } from 'vitest';
import { type BpeEncoding, loadBpe } from '../../../src/tokens/bpe.js';
import { dice, isAddedByUnicode17, SEED, strings, trouble } from './bpe-trouble.js';

const GPT_TOKENIZER = { o200k_base: o200k, cl100k_base: cl100k, p50k_base: p50k, r50k_base: r50k };
const ENCODINGS = Object.keys(GPT_TOKENIZER) as BpeEncoding[];

/**
 * Where the two references part, as found: U+FEFF, which gpt-tokenizer's decoder drops when it looks up bytes, and which is a space to it; U+0085,
 * which is none to it; and what Unicode 17 added, where the engine knows it. We side with tiktoken.
 */
function isDisputed(text: string): boolean {
  return [...text].some((character) => /[\u0085\ufeff]/.test(character) || isAddedByUnicode17(character.codePointAt(0)!));
}

describe.each(ENCODINGS)('%s', (encoding) => {
  const reference = get_encoding(encoding);
  const byTiktoken = (text: string): number => reference.encode_ordinary(text).length;
  const byGptTokenizer = (text: string): number =>
    GPT_TOKENIZER[encoding].countTokens(text, { disallowedSpecial: new Set<string>() });

  it('counts as tiktoken does, and as gpt-tokenizer does where those agree', async () => {
    const counter = await loadBpe(encoding);
    const roll = dice(SEED);
    for (let k = strings(5000); k > 0; k--) {
      const text = trouble(roll);
      const tokens = byTiktoken(text);
      if (counter.count(text) !== tokens)
        expect.fail(`seed ${SEED}: ${counter.count(text)}, not ${tokens}: ${JSON.stringify(text)}`);
      if (isDisputed(text)) continue;
      if (byGptTokenizer(text) !== tokens) expect.fail(`references differ, seed ${SEED}: ${JSON.stringify(text)}`);
    }
  });

  it('counts a text of several blocks as tiktoken does', async () => {
    const counter = await loadBpe(encoding);
    const roll = dice(SEED + 2);
    for (let k = 0; k < 4; k++) {
      let text = '';
      while (text.length < 100_000) text += trouble(roll);
      expect(counter.count(text), `seed ${SEED + 2}`).toBe(byTiktoken(text));
    }
  });

  it('counts runs that are longer than a block', async () => {
    const counter = await loadBpe(encoding);
    for (const [run, tokens] of [
      ['1 ', 2],
      ['1\n', 2],
      ['\ud83d\ude00 ', byTiktoken('😀') + 1],
    ] as const) {
      // Checked by arithmetic, since the references are quadratic on a single piece of this size.
      expect(counter.count(run.repeat(50_000)) / 50_000).toBeLessThanOrEqual(tokens);
    }
    expect(counter.count('a'.repeat(200_000))).toBe(200_000 / (400 / byTiktoken('a'.repeat(400))));
    expect(counter.count(`${'ab'.repeat(40_000)} ${'ab'.repeat(40_000)}`)).toBe(
      counter.count('ab'.repeat(40_000)) + counter.count(` ${'ab'.repeat(40_000)}`),
    );
  });

  // Given files, all of them in slices: BPE_CORPUS=en.txt,multi.txt
  for (const file of process.env.BPE_CORPUS?.split(',') ?? []) {
    it(`counts ${file} as both do`, { timeout: 600_000 }, async () => {
      const counter = await loadBpe(encoding);
      const whole = readFileSync(file, 'utf8');
      let [slices, disputed] = [0, 0];
      for (let i = 0; i < whole.length; i += 50_000) {
        const slice = whole.slice(i, i + 50_000);
        const tokens = byTiktoken(slice);
        slices++;
        expect(counter.count(slice), `from ${i}`).toBe(tokens);
        if (isDisputed(slice)) disputed++;
        else expect(byGptTokenizer(slice), `from ${i}`).toBe(tokens);
      }
      console.info(`${encoding} ${file}: ${slices} slices equal, ${disputed} of them not asked of gpt-tokenizer`);
    });
  }

  it('counts 0 for the empty text only, and special tokens as text', async () => {
    const counter = await loadBpe(encoding);
    expect(counter.count('')).toBe(0);
    expect(counter.count('\0')).toBe(1);
    expect(counter.count('<|endoftext|>')).toBe(byTiktoken('<|endoftext|>'));
    expect(counter.count('<|endoftext|>')).toBeGreaterThan(1);
    expect(counter.count('\ud800')).toBe(counter.count('\ufffd'));
    expect(counter.name).toBe(encoding);
  });
});

describe('loadBpe', () => {
  it('makes one counter for an encoding', () => {
    expect(loadBpe('r50k_base')).toBe(loadBpe('r50k_base'));
  });
});
