/** The `paragraph` strategy: the laws; short paragraphs together, long ones cut or whole. */
import { describe, expect, it } from 'vitest';
import { characters } from '../../../src/tokens/units.js';
import { type ParagraphOptions, paragraphs, paragraphsFrom } from '../../../transforms/boundaries/paragraph.js';
import { type Budget, chunker } from '../../../transforms/chunk.js';
import { conformStrategy } from '../../conformance/strategy.js';
import { documentIn } from '../../conformance/transform.js';
import { drained } from '../../support/whole.js';

conformStrategy(
  'paragraph',
  [{ strategy: paragraphs() }, { strategy: paragraphs({ strictMinSize: true }) }, { strategy: paragraphs({ oversize: 'keep' }) }],
  { parts: ['A paragraph. ', '\n\n', 'word ', '\n', 'Another one of them, longer. '] },
);

function pieces(text: string, size: number, options: ParagraphOptions = {}, changes: Partial<Budget> = {}) {
  const plain = { measure: characters, size, overlap: 0, minSize: 0, maxChars: 16_384, trim: true };
  const budget = { ...plain, strategy: paragraphs(options), ...changes };
  const segment = { text, start: 0, end: Buffer.byteLength(text), verbatim: true };
  return drained(chunker(budget)(documentIn('utf-8')), [segment]).flatMap((piece) =>
    'text' in piece ? [[piece.text, piece.metadata]] : [],
  );
}

const plain = (...texts: string[]) => texts.map((text) => [text, undefined]);

describe('paragraphs', () => {
  it('are packed while they are short', () => {
    expect(pieces('one\n\ntwo\n\nthree', 10)).toEqual(plain('one\n\ntwo', 'three'));
  });

  it('that fit are not cut', () => {
    expect(pieces('one\n\nIt is. It was. It', 18, {}, { minSize: 9 })).toEqual(plain('one', 'It is. It was. It'));
    expect(pieces('one\n\nIt is. It was. It', 18, { strictMinSize: true }, { minSize: 9 })).toEqual(
      plain('one\n\nIt is.', 'It was. It'),
    );
  });

  it('that do not fit are cut at sentences', () => {
    expect(pieces('It is. It was. It will be.\n\nEnd', 15)).toEqual(plain('It is. It was.', 'It will be.', 'End'));
  });

  it('stay whole when asked to, and say so', () => {
    expect(pieces('a\n\nIt is. It was. It will be.\n\nb\n\nc', 15, { oversize: 'keep' }, { minSize: 4 })).toEqual([
      ['a', undefined],
      ['It is. It was. It will be.', { oversize: true }],
      ['b\n\nc', undefined],
    ]);
  });

  it('stay whole up to the longest chunk only', () => {
    const found = pieces('x'.repeat(1000), 100, { oversize: 'keep' }, { maxChars: 300 });
    expect(found.map(([text, metadata]) => [(text as string).length, metadata])).toEqual([
      [300, { oversize: true }],
      [300, { oversize: true }],
      [300, { oversize: true }],
      [100, undefined],
    ]);
  });

  it('take their options from a command line', () => {
    expect(paragraphsFrom({ oversize: 'keep', minSize: 5 })).toEqual(paragraphs({ oversize: 'keep', strictMinSize: true }));
  });
});
