/** The `topic` strategy: the laws; a chunk for each topic; what it holds of text without words or end. */
import { describe, expect, it } from 'vitest';
import { characters } from '../../../src/tokens/units.js';
import { topic, topicFrom } from '../../../transforms/boundaries/topic.js';
import { type Budget, chunker } from '../../../transforms/chunk.js';
import { conformStrategy } from '../../conformance/strategy.js';
import { documentIn } from '../../conformance/transform.js';
import { rng as rngOf } from '../../support/random.js';
import { drained } from '../../support/whole.js';

conformStrategy(
  'topic',
  [{ strategy: topic() }, { strategy: topic({ w: 2, k: 2, joinsSmall: true }) }, { strategy: topic({ w: 1, k: 1 }) }],
  {
    parts: ['water wheel race ', 'bread oven flour ', 'moon star night ', 'Dough. ', '\n\n', '水車', '\u{20bb7}'],
  },
);

/** Paragraphs about one thing: words of its own, and function words. */
function about(words: string, paragraphs: number, seed: number): string {
  const random = rngOf(seed);
  const own = words.split(' ');
  const sentence = () =>
    `${Array.from({ length: 9 }, (_, n) => (n % 3 === 1 ? random.pick(['the', 'of', 'and']) : random.pick(own))).join(' ')}. `;
  return Array.from({ length: paragraphs }, () => `${sentence()}${sentence()}${sentence()}${sentence()}\n\n`).join('');
}

const TOPICS = [
  about('water wheel race mill stone grain sluice paddle shaft bucket', 12, 1),
  about('planet orbit star moon comet telescope galaxy crater eclipse', 12, 2),
  about('bread dough oven yeast flour crust loaf baker knead salt', 12, 3),
  about('violin bow string concert orchestra melody tempo rhythm chord', 12, 4),
];

function pieces(text: string, changes: Partial<Budget> = {}) {
  const plain = { measure: characters, size: 20_000, overlap: 0, minSize: 0, maxChars: 40_000, trim: false, strategy: topic() };
  const segment = { text, start: 0, end: Buffer.byteLength(text), verbatim: true };
  return drained(chunker({ ...plain, ...changes })(documentIn('utf-8')), [segment]).flatMap((piece) =>
    'text' in piece ? [piece.text] : [],
  );
}

describe('topics', () => {
  it('are chunks, four for four of them', () => {
    expect(pieces(TOPICS.join(''))).toEqual(TOPICS);
  });

  it('are not hidden by a number that stands after each word', () => {
    const numbered = TOPICS.map((text) => text.replaceAll(/\w+/g, '$& 7'));
    expect(pieces(numbered.join(''))).toEqual(numbered);
  });

  it('over the size are cut at paragraphs, and never across a change', () => {
    const chunks = pieces(TOPICS.join(''), { size: 1000, minSize: 250, overlap: 50 });
    expect(chunks.length).toBeGreaterThan(8);
    expect(chunks.every((chunk) => TOPICS.some((each) => each.includes(chunk)))).toBe(true);
  });

  it('of a short text are one', () => {
    expect(pieces('Two words.')).toEqual(['Two words.']);
  });

  it('take the names of a command line', () => {
    expect(
      topicFrom({ topicWords: 5, topicBlock: 3, smoothingWidth: 4, smoothingRounds: 2, topicCutoff: 'low', topicLanguage: 'de' }),
    ).toMatchObject({
      name: 'topic',
      targetSize: 1,
    });
    expect(topicFrom({ minSize: 4 }).targetSize).toBeUndefined();
  });

  it.each(['-', 'a', '7', '7 ', 'word ', '\n', '漢', `${'x'.repeat(63)} `, `a${'-'.repeat(120)}`])(
    'hold a bounded part of %j without end',
    (part) => {
      const machine = topic().prepare!(documentIn('utf-8'));
      const text = part.repeat(Math.ceil(65_536 / part.length));
      const bytes = Buffer.byteLength(text);
      let [taken, given, most] = [0, 0, 0];
      for (let n = 0; n < 60; n++) {
        for (const segment of machine.push({ text, start: n * bytes, end: (n + 1) * bytes, verbatim: true }))
          given += segment.text.length;
        taken += text.length;
        most = Math.max(most, taken - given);
      }
      // Ten thousand words of 130 units at most, and a buffer.
      expect(most).toBeLessThan(1_400_000);
    },
  );
});
