/** The `sentence` strategy: the laws; that a sentence which fits is never cut; and each of its options. */
import { describe, expect, it } from 'vitest';
import { IngestError } from '../../../src/errors.js';
import { asFlag } from '../../../src/options.js';
import { characters } from '../../../src/tokens/units.js';
import type { Strategy } from '../../../src/types.js';
import { type SentenceStrategyOptions, sentences, sentencesFrom } from '../../../transforms/boundaries/sentence.js';
import { endsSentence } from '../../../transforms/boundaries/sentences.js';
import { type Budget, chunker } from '../../../transforms/chunk.js';
import { conformStrategy } from '../../conformance/strategy.js';
import { documentIn } from '../../conformance/transform.js';
import { seeded } from '../../support/random.js';
import { drained } from '../../support/whole.js';

const PARTS = [
  'It is so. ',
  'Dr. Smith came. ',
  'Why? ',
  '"No!" she said. ',
  '水がない。',
  'word ',
  'a longer sentence with words in it. ',
  '\n\n',
];

conformStrategy(
  'sentence',
  [
    { strategy: sentences() },
    { strategy: sentences({ strictMinSize: true }) },
    { strategy: sentences({ targetSize: 5 }) },
    { strategy: sentences({ wordFallback: false }) },
    { strategy: sentences({ characterFallback: false }) },
    { strategy: sentences({ wordFallback: false, characterFallback: false }) },
    { strategy: sentences({ enders: [';', '. '] }) },
    { strategy: sentences({ engine: 'intl' }) },
  ],
  { parts: PARTS },
);

function pieces(text: string, size: number, options: SentenceStrategyOptions = {}, changes: Partial<Budget> = {}) {
  const plain = { measure: characters, size, overlap: 0, minSize: 0, maxChars: 16_384, trim: false };
  const budget = { ...plain, strategy: sentences(options), ...changes };
  return drained(chunker(budget)(documentIn('utf-8')), [{ text, start: 0, end: Buffer.byteLength(text), verbatim: true }]);
}

const cut = (...given: Parameters<typeof pieces>) => pieces(...given).flatMap((piece) => ('text' in piece ? [piece.text] : []));

describe('sentences', () => {
  it('are packed, and keep their order and repeats', () => {
    expect(cut('One is. Two is. One is. Three is it.', 16)).toEqual(['One is. Two is. ', 'One is. ', 'Three is it.']);
  });

  it('that fit are never cut, however small the chunk before', () => {
    seeded(200, (rng) => {
      const made = Array.from({ length: rng.between(1, 30) }, () => `W${'x'.repeat(rng.between(1, 30))} is.`);
      const text = made.join(' ');
      const size = 40;
      for (const piece of pieces(text, size, {}, { minSize: 10, overlap: rng.pick([0, 8]) })) {
        if (!('end' in piece)) expect.fail('a gap');
        expect(piece.end === text.length || endsSentence(text, piece.end), JSON.stringify(piece)).toBe(true);
      }
    });
  });

  it('after a heading that would stand alone before one that has to be cut are cut with it', () => {
    expect(cut('Title.\n\nA sentence that is far too long for this.', 20, {}, { minSize: 10 })[0]).toBe('Title.\n\nA sentence ');
  });

  it('give way to a least size that was asked for', () => {
    expect(cut('One. Another that fits.', 20, { strictMinSize: true }, { minSize: 10 })).toEqual(['One. Another that ', 'fits.']);
    expect(cut('One. Another that fits.', 20, {}, { minSize: 10 })).toEqual(['One. ', 'Another that fits.']);
  });

  it('close a chunk where it has reached the target', () => {
    expect(cut('Anna. Bert. Cora. Dora. Emma.', 24, { targetSize: 8 })).toEqual(['Anna. Bert. ', 'Cora. Dora. ', 'Emma.']);
    expect(cut('Anna. Bert. Cora.', 24, { targetSize: 6 })).toEqual(['Anna. ', 'Bert. ', 'Cora.']);
  });

  it('may end with what the user says', () => {
    expect(cut('one; two; three', 6, { enders: [';'] })).toEqual(['one; ', 'two; ', 'three']);
  });

  it('may be those of another engine', () => {
    const splitter = { split: (text: string) => [{ type: 'Sentence', range: [0, text.indexOf('|') + 1] as const }] };
    expect(cut('one|two', 5, { engine: 'sentence-splitter', splitter })).toEqual(['one|', 'two']);
  });
});

describe('a sentence over the size', () => {
  const LONG = 'alpha betagammadelta zeta. Yes.';

  it.each<[string, SentenceStrategyOptions, string[]]>([
    ['words, then characters', {}, ['alpha ', 'betagamm', 'adelta ', 'zeta. ', 'Yes.']],
    ['characters', { wordFallback: false }, ['alpha be', 'tagammad', 'elta zet', 'a. Yes.']],
    ['words, which stay whole', { characterFallback: false }, ['alpha ', 'betagammadelta ', 'zeta. ', 'Yes.']],
    ['nothing', { wordFallback: false, characterFallback: false }, ['alpha betagammadelta zeta. ', 'Yes.']],
  ])('is cut at %s', (_, options, chunks) => {
    expect(cut(LONG, 8, options)).toEqual(chunks);
  });

  it('that stays whole is told of, and no other', () => {
    const found = pieces(LONG, 8, { wordFallback: false, characterFallback: false }, { overlap: 3 });
    expect(found.map((piece) => 'metadata' in piece && piece.metadata)).toEqual([{ oversize: true }, false]);
  });
});

describe('its options', () => {
  const made = (given: Record<string, unknown>) => {
    const problems: string[] = [];
    return { strategy: sentencesFrom({ size: 100, ...given }, problems, asFlag), problems: problems.join('\n') };
  };

  it.each([
    [{ targetSize: 101 }, /--target-size must not be larger than --size/],
    [{ enders: [''] }, /ender/],
    [{ enders: [';'], sentenceEngine: 'intl' }, /takes no enders/],
    [{ enders: [';'], sentenceEngine: 'sentence-splitter' }, /takes no enders/],
    [{ sentenceLanguage: '!', sentenceEngine: 'intl' }, /no tag of a language/],
  ])('refuse %j', (given, problem) => {
    expect(made(given).problems).toMatch(problem);
  });

  it('load the package sentence-splitter when it is asked for', async () => {
    const { strategy } = made({ sentenceEngine: 'sentence-splitter', noWordFallback: true });
    if (!('load' in strategy)) expect.fail('nothing is loaded');
    const asked: string[] = [];
    const load = async (name: string) => {
      asked.push(name);
      return { split: () => [] };
    };
    const loaded: Strategy = await strategy.load({ load });
    expect([asked, loaded.levels.length]).toEqual([['sentence-splitter'], 1]);
    await expect(strategy.load({ load: () => Promise.reject(new Error('none')) })).rejects.toThrow(IngestError);
  });
});
