/**
 * Levels of records, held to the laws of chunkers on random records; and what they promise besides: a record is cut only when it
 * alone is over the budget, then before a field; what goes before the text is counted.
 */
import { describe, expect, it } from 'vitest';
import { unitCounter } from '../../../src/tokens/index.js';
import { estimate } from '../../../src/tokens/units.js';
import type { Piece, Segment, TokenCounter } from '../../../src/types.js';
import { withRecordLevels } from '../../../transforms/boundaries/records.js';
import { recursive } from '../../../transforms/boundaries/recursive.js';
import { chunker } from '../../../transforms/chunk.js';
import { conformChunkerOfSegments } from '../../conformance/chunker.js';
import { type Rng, seeded } from '../../support/random.js';

interface Record {
  readonly at: number;
  readonly text: string;
  /** Where its fields begin, in its text. */
  readonly fields: readonly number[];
}

const anyMeasure = (rng: Rng) => rng.pick([unitCounter('characters'), unitCounter('words'), estimate]);

/** Records of words, some with fields, parted by a line end, a comma or nothing. */
function anyRecords(rng: Rng): { readonly segments: Segment[]; readonly records: Record[] } {
  const segments: Segment[] = [];
  const records: Record[] = [];
  const between = rng.pick(['\n', ',\n', '']);
  let at = 0;
  const add = (text: string, mark?: Segment['mark']) => {
    segments.push({ text, start: at, end: at + text.length, verbatim: true, ...(mark === undefined ? {} : { mark }) });
    at += text.length;
  };
  for (let index = 0; index < rng.between(1, 30); index++) {
    if (index > 0 && between !== '') add(between, { kind: 'between' });
    const begin = at;
    const parts = Array.from(
      { length: rng.between(1, 4) },
      (_, n) => `<f${n} ${'word '.repeat(rng.between(0, rng.pick([3, 3, 30])))}>`,
    );
    const text = parts.join('');
    const fields: number[] = [];
    for (const [n, part] of parts.entries()) {
      if (n > 0) fields.push(at - begin);
      const record = { index, start: begin, end: begin + text.length };
      add(part, n === 0 ? { kind: 'record', record, label: `$[${index}]` } : { kind: 'field', label: `$[${index}].f${n}` });
    }
    records.push({ at: begin, text, fields });
  }
  return { segments, records };
}

function piecesOf(
  rng: Rng,
  measure: TokenCounter,
  segments: readonly Segment[],
  size: number,
  overlap: number,
  context: string | undefined,
): Piece[] {
  const budget = { measure, tokens: measure, size, overlap, minSize: size >> 2, maxChars: 4096, trim: false };
  return conformChunkerOfSegments(
    {
      ...budget,
      charset: 'utf-8',
      chunker: chunker({ ...budget, strategy: withRecordLevels(recursive({})) }),
      dropped: /,/g,
      ...(context === undefined ? {} : { context }),
    },
    segments,
    rng.seed,
  );
}

describe('levels of records', () => {
  it('keep the laws, and records whole that fit', () => {
    seeded(300, (rng) => {
      const { segments, records } = anyRecords(rng);
      const size = rng.between(4, 120);
      const context = rng.chance(0.3) ? 'a,b,c' : undefined;
      const measure = anyMeasure(rng);
      const pieces = piecesOf(rng, measure, segments, size, rng.pick([0, size >> 2, size >> 1]), context);
      for (const { at, text } of records) {
        const end = at + text.length;
        const whole = pieces.some((piece) => piece.start <= at && piece.end >= end);
        const parts = pieces.filter((piece) => piece.start < end && piece.end > at);
        if (whole) continue;
        // Cut: then it alone was over the budget, and its parts hold nothing of other records.
        for (const part of parts) expect(part.start >= at && part.end <= end, JSON.stringify(part)).toBe(true);
        expect(parts.length).toBeGreaterThan(1);
        const embedded = parts[0]!.context === undefined ? text : `${parts[0]!.context}\n\n${text}`;
        expect(measure.count(embedded)).toBeGreaterThan(size);
      }
    });
  });

  it('name the records of each piece, and the place where a part begins', () => {
    seeded(200, (rng) => {
      const { segments, records } = anyRecords(rng);
      for (const piece of piecesOf(rng, anyMeasure(rng), segments, rng.between(20, 200), 0, undefined)) {
        const touched = records.flatMap(({ at, text }, index) =>
          at < piece.end && at + text.length > piece.start ? [{ index, start: at, end: at + text.length }] : [],
        );
        const [first] = touched;
        expect(piece.record).toEqual({ ...first, end: touched.at(-1)!.end, count: touched.length });
        const begins = piece.start === first!.start;
        if (begins) expect(piece.context).toBeUndefined();
        else if (piece.context !== undefined) expect(piece.context).toMatch(new RegExp(`^\\$\\[${first!.index}\\]`));
      }
    });
  });

  const cut = (texts: readonly (readonly [string, Segment['mark']?])[], size: number, overlap = 0, context?: string) => {
    let at = 0;
    const segments = texts.map(([text, mark]) => {
      const segment = { text, start: at, end: at + text.length, verbatim: true, ...(mark === undefined ? {} : { mark }) };
      at = segment.end;
      return segment;
    });
    const measure = unitCounter('characters');
    const budget = { measure, size, overlap, minSize: size >> 2, maxChars: 4096, trim: false };
    const doc = { origin: { uri: 'a' }, charset: 'utf-8', metadata: {}, ...(context === undefined ? {} : { context }) };
    const machine = chunker({ ...budget, strategy: withRecordLevels(recursive({})) })(doc);
    const pieces = segments.flatMap((segment) => [...machine.push(segment)]);
    return [...pieces, ...machine.end()].filter((each): each is Piece => 'text' in each);
  };
  const RECORD = { kind: 'record' } as const;
  const BETWEEN = { kind: 'between' } as const;

  it('take as many whole records as fit, small ones too', () => {
    const texts = cut(
      [
        ['aaaa', RECORD],
        ['\n', BETWEEN],
        ['bb', RECORD],
        ['\n', BETWEEN],
        ['c'.repeat(19), RECORD],
      ],
      20,
    );
    expect(texts.map(({ text }) => text)).toEqual(['aaaa\nbb', 'c'.repeat(19)]);
  });

  it('cut a record that is too long before a field, and put nothing of the next to its rest', () => {
    const long = [
      ['{"a":"xxxxxxxxx",', { kind: 'record', label: '$[0]' }],
      ['"b":1}', { kind: 'field', label: '$[0].b' }],
      [',', BETWEEN],
      ['{"c":2}', { kind: 'record', label: '$[1]' }],
    ] as const;
    const found = cut(long, 20).map(({ text, context }) => [context, text]);
    expect(found).toEqual([
      [undefined, '{"a":"xxxxxxxxx",'],
      ['$[0].b', '"b":1}'],
      [undefined, '{"c":2}'],
    ]);
  });

  it('repeat whole records only', () => {
    const rows = ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee'].flatMap((text, n) =>
      n === 0 ? [[text, RECORD] as const] : [['\n', BETWEEN] as const, [text, RECORD] as const],
    );
    expect(cut(rows, 14, 5).map(({ text }) => text)).toEqual(['aaaa\nbbbb\ncccc', 'cccc\ndddd\neeee']);
    expect(cut(rows, 14, 3).map(({ text }) => text)).toEqual(['aaaa\nbbbb\ncccc', 'dddd\neeee']);
  });

  it('count the context, and leave one out that takes more than half of the size', () => {
    const rows = ['aaaa', 'bbbb', 'cccc'].flatMap((text, n) =>
      n === 0 ? [[text, RECORD] as const] : [['\n', BETWEEN] as const, [text, RECORD] as const],
    );
    expect(cut(rows, 13, 0, 'h,i').map(({ context, text }) => [context, text])).toEqual([
      ['h,i', 'aaaa'],
      ['h,i', 'bbbb'],
      ['h,i', 'cccc'],
    ]);
    expect(cut(rows, 13, 0, 'header').map(({ context, text }) => [context, text])).toEqual([
      [undefined, 'aaaa\nbbbb'],
      [undefined, 'cccc'],
    ]);
  });
});
