/**
 * The cutter apart from any one strategy: laws that want long inputs (L8, L12), strategies that behave badly, and what it does
 * with budgets, overlap and gaps. Strategies are held to the other laws in test/transforms/boundaries/.
 */
import { describe, expect, it } from 'vitest';
import { bytes, characters, estimate, words } from '../../src/tokens/units.js';
import type { Level, Segment, Strategy, TokenCounter } from '../../src/types.js';
import { recursive } from '../../transforms/boundaries/recursive.js';
import { type Budget, chunker } from '../../transforms/chunk.js';
import { conformChunkerOfSegments, countedPerUnit, mostHeld } from '../conformance/chunker.js';
import { documentIn } from '../conformance/transform.js';
import { type Rng, rng, seeded, troubleText } from '../support/random.js';
import { drained } from '../support/whole.js';

function budget(changes: Partial<Budget> = {}): Budget {
  const plain = { strategy: recursive(), measure: characters, size: 20, overlap: 0, minSize: 0, maxChars: 16_384, trim: false };
  return { ...plain, ...changes };
}

function verbatim(text: string): Segment {
  return { text, start: 0, end: Buffer.byteLength(text), verbatim: true };
}

function pieces(text: string, changes: Partial<Budget> = {}) {
  const segments = text === '' ? [] : [verbatim(text)];
  return drained(chunker(budget(changes))(documentIn('utf-8')), segments);
}

const texts = (...given: Parameters<typeof pieces>) => pieces(...given).flatMap((piece) => ('text' in piece ? [piece.text] : []));

describe('the cutter', () => {
  it('makes nothing of nothing, and of blanks', () => {
    expect(pieces('')).toEqual([]);
    expect(pieces(' \n\t\u00a0\u3000\u200b\n'.repeat(1000), { maxChars: 300 })).toEqual([]);
  });

  it('delivers one character that is over the size alone', () => {
    expect(texts('漢字', { measure: bytes, size: 1 })).toEqual(['漢', '字']);
    expect(texts('👍', { measure: bytes, size: 1 })).toEqual(['👍']);
  });

  it('measures the size in one unit and counts tokens in another', () => {
    const [first, second] = pieces('one two three four', { measure: words, size: 2, tokens: estimate });
    expect(first).toMatchObject({ text: 'one two ', tokens: estimate.count('one two ') });
    expect(second).toMatchObject({ text: 'three four', tokens: estimate.count('three four') });
  });

  it('leaves tokens out when they are not counted', () => {
    expect(pieces('a')).toEqual([{ text: 'a', start: 0, end: 1 }]);
  });

  it('passes over a boundary that makes a chunk of less than the least size', () => {
    expect(texts('ab\n\ncd ef gh ij', { size: 12 })).toEqual(['ab\n\n', 'cd ef gh ij']);
    expect(texts('ab\n\ncd ef gh ij', { size: 12, minSize: 6 })).toEqual(['ab\n\ncd ef ', 'gh ij']);
  });

  it('never makes a chunk longer than the most characters allowed', () => {
    for (const length of [255, 256, 257, 300, 511, 512, 513, 5000]) {
      const lengths = texts('a'.repeat(length), { size: 1000, maxChars: 256 }).map((text) => text.length);
      expect(Math.max(...lengths), `of ${length}`).toBeLessThanOrEqual(256);
      expect(lengths.reduce((sum, each) => sum + each, 0)).toBe(length);
    }
  });

  it('tells why text is in no chunk, also at the end', () => {
    const strategy = recursive({ separators: [';'], separatorPosition: 'drop' });
    expect(pieces('ab;cd;', { strategy, size: 2 })).toEqual([
      { text: 'ab', start: 0, end: 2 },
      { text: 'cd', start: 3, end: 5, gap: 'separator' },
      { gap: 'separator' },
    ]);
  });

  it.each<[string, (from: number, to: number) => { end: number; next: number }]>([
    ['does not advance', (from) => ({ end: from, next: from })],
    ['goes too far', (_, to) => ({ end: to + 1, next: to + 1 })],
    ['goes back', (from) => ({ end: from + 1, next: from })],
    ['ends beyond the text', (from) => ({ end: from + 1, next: 1e9 })],
    ['is no number', () => ({ end: Number.NaN, next: Number.NaN })],
  ])("refuses a user's level whose cut %s, rather than go round for ever", (_, last) => {
    const level: Level = { name: 'odd', last: (_view, from, to) => last(from, to) };
    const strategy: Strategy = { name: 'mine', packing: 'fill', levels: [level] };
    expect(() => texts('word '.repeat(20), { strategy })).toThrow(/level odd of strategy mine/);
  });

  it('makes a chunk of each unit, which share nothing, and overlaps the parts of one that is too large', () => {
    const strategy: Strategy = { ...recursive({ separators: ['|', ' '] }), packing: 'each' };
    expect(texts('a b|c|dd ee ff|g', { strategy, size: 6, overlap: 3 })).toEqual(['a b|', 'c|', 'dd ee ', 'ee ff|', 'g']);
    expect(texts('a b|c|dd ee ff|g', { strategy, size: 6, overlap: 3, minSize: 5 })).toEqual(['a b|c|', 'dd ee ', 'ee ff|', 'g']);
  });

  it('ends a chunk at the first unit where it has reached the target', () => {
    const strategy: Strategy = { ...recursive({ separators: ['|'] }), targetSize: 3 };
    expect(texts('a|b|c|dddd|e', { strategy, size: 8 })).toEqual(['a|b|', 'c|dddd|', 'e']);
  });

  it('keeps a unit of the last level whole, and says so', () => {
    const strategy: Strategy = { ...recursive({ separators: ['|', ' '] }), oversize: 'keep' };
    const found = pieces('aaaa bbbbbbbbbb c|d', { strategy, size: 6, overlap: 2 });
    expect(found.map((piece) => 'text' in piece && [piece.text, piece.metadata])).toEqual([
      ['aaaa ', undefined],
      ['bbbbbbbbbb ', { oversize: true }],
      ['b c|d', undefined],
    ]);
  });

  it('cuts no unit that fits for the sake of a least size or an overlap, where the strategy says so', () => {
    const strategy: Strategy = { ...recursive({ separators: ['|', ' '] }), keepsUnits: true };
    const cut = { size: 10, minSize: 4, overlap: 3 };
    expect(texts('a|bbb ccc d|', { strategy, ...cut })).toEqual(['a|', 'bbb ccc d|']);
    expect(texts('a|bbb ccc d|', { strategy: { ...strategy, keepsUnits: false }, ...cut })[0]).toBe('a|bbb ccc ');
  });

  it('lets a last window reach back only as far as its context leaves room', () => {
    const strategy: Strategy = { ...recursive({ separators: [' '] }), tail: 'backfill' };
    const doc = { ...documentIn('utf-8'), context: 'cc' };
    const found = drained(chunker(budget({ strategy, size: 12 }))(doc), [verbatim('aa bb dd ee ff')]);
    for (const piece of found) expect('text' in piece && characters.count(`cc\n\n${piece.text}`)).toBeLessThanOrEqual(12);
  });

  it('survives separators that are longer than a chunk may be', () => {
    const strategy = recursive({ separators: ['\n'], separatorPosition: 'drop' });
    expect(texts(`a${'\n'.repeat(2000)}b`, { strategy, size: 4, overlap: 2, maxChars: 256 }).join('')).toMatch(/^a\n*b$/);
  });
});

/** Gives cuts at random, dropping now and then, but always the same for the same view. */
function wild(seed: number): Strategy {
  const level: Level = {
    name: 'wild',
    last(view, from, to) {
      const random = rng(seed + view.charCodeAt(0) + to);
      if (random.chance(0.2)) return undefined;
      const end = random.between(from + 1, to);
      if ((view.charCodeAt(end) & 0xfc00) === 0xdc00) return undefined;
      return { end, next: end };
    },
  };
  return { name: 'wild', packing: 'fill', levels: [level, level] };
}

/** Counts without sense: more text may count less. */
const senseless: TokenCounter = {
  name: 'senseless',
  count: (text) => (text === '' ? 0 : 1 + ((text.length * 7 + text.charCodeAt(0)) % 9)),
};

function anySegments(random: Rng, length: number): Segment[] {
  const segments: Segment[] = [];
  let at = random.between(0, 9);
  for (let given = 0; given < length; ) {
    const text = troubleText(random, random.between(1, 60), { loneSurrogates: false });
    segments.push({ text, start: at, end: at + Buffer.byteLength(text), verbatim: true });
    at += Buffer.byteLength(text) + (random.chance(0.2) ? 3 : 0);
    given += text.length;
  }
  return segments;
}

describe('with any strategy and any counter, the cutter', () => {
  it('keeps the laws where boundaries are strewn at random', () => {
    seeded(60, (random) => {
      const made = budget({ strategy: wild(random.seed), size: random.pick([1, 5, 40]), trim: random.chance(0.5), maxChars: 64 });
      const subject = { ...made, overlap: Math.floor(made.size / 3), charset: 'utf-8' };
      conformChunkerOfSegments({ ...subject, chunker: chunker(subject) }, anySegments(random, 800), random.seed);
    });
  });

  it('keeps the laws where counts make no sense', () => {
    seeded(60, (random) => {
      const made = budget({ measure: senseless, size: random.between(1, 12), trim: random.chance(0.5), maxChars: 64 });
      const subject = { ...made, overlap: random.between(0, made.size - 1), charset: 'utf-8' };
      conformChunkerOfSegments({ ...subject, chunker: chunker(subject) }, anySegments(random, 400), random.seed);
    });
  });
});

const UNITS = 300_000;
const BUFFER = 16_384;

/** Long text, in buffers, of one kind. */
function* long(unit: string): Iterable<string> {
  const buffer = unit.repeat(Math.ceil(BUFFER / unit.length));
  for (let given = 0; given < UNITS; given += buffer.length) yield buffer;
}

const ENDLESS: readonly (readonly [string, string])[] = [
  ['letters', 'a'],
  ['spaces', ' '],
  ['line feeds', '\n'],
  ['words', 'word '],
  ['combining marks', '\u0301'],
  ['ideographs', '漢'],
  ['emoji', '👨‍👩‍👧 '],
  ['zero-width spaces', '\u200b'],
  ['sentences', 'It is so. '],
];

describe('however long the input, the cutter', () => {
  it.each(ENDLESS)('holds no more than its window, its slack and a buffer of %s (L8)', (_, unit) => {
    const make = (overlap: number) => (measure: TokenCounter) => chunker(budget({ measure, size: 512, overlap, maxChars: 2048 }));
    const most = 2048 + 256 + 32_768 + BUFFER + unit.length;
    expect(mostHeld(make(0), estimate, long(unit))).toBeLessThanOrEqual(most);
    expect(mostHeld(make(256), estimate, long(unit))).toBeLessThanOrEqual(most);
  });

  it('holds no more when the dropped separators never end (L8)', () => {
    const strategy = recursive({ separators: ['-'], separatorPosition: 'drop' });
    const make = (measure: TokenCounter) => chunker(budget({ measure, strategy, size: 512, overlap: 50, maxChars: 2048 }));
    expect(mostHeld(make, estimate, long('-'))).toBeLessThanOrEqual(2048 + 256 + 32_768 + BUFFER);
  });

  /*
   * The bound: a search spends some ten counts of about a chunk's length and each level a few more; half of each chunk may be
   * overlap, which doubles it. What matters is that it does not grow with the text or the window.
   */
  it.each(ENDLESS.filter(([name]) => !['spaces', 'line feeds', 'zero-width spaces'].includes(name)))(
    'counts at most 60 characters for each of %s, 120 when half is overlap (L12)',
    (_, unit) => {
      const counted = (length: number, changes: Partial<Budget>) =>
        countedPerUnit(
          (measure) => chunker(budget({ measure, ...changes })),
          estimate,
          unit.repeat(Math.ceil(length / unit.length)),
        );
      const plain = { size: 200, overlap: 20 };
      const half = { size: 200, overlap: 100, minSize: 50 };
      expect(counted(20_000, plain)).toBeLessThanOrEqual(60);
      expect(counted(80_000, plain)).toBeLessThanOrEqual(counted(20_000, plain) * 1.1);
      expect(counted(80_000, half)).toBeLessThanOrEqual(120);
    },
  );

  it('counts a bounded number of characters on random trouble (L12)', () => {
    seeded(5, (random) => {
      const text = troubleText(random, 30_000, { loneSurrogates: false });
      const make = (measure: TokenCounter) => chunker(budget({ measure, size: 100, overlap: 10, minSize: 25 }));
      expect(countedPerUnit(make, estimate, text)).toBeLessThanOrEqual(120);
    });
  });
});
