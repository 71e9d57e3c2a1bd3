/** The algebra of one segment, against Buffer.byteLength and whole-string arithmetic. */
import { describe, expect, it } from 'vitest';
import {
  isHighSurrogate,
  isLowSurrogate,
  replacement,
  Slicer,
  simpleParts,
  splitsPair,
  unitBytes,
  utf8Bytes,
} from '../../src/segment.js';
import { seeded, troubleText } from '../support/random.js';
import { escaped } from '../support/segments.js';
import { encodedBytes, joinedSegments, plainParts, Whole } from '../support/whole.js';

describe('utf8Bytes', () => {
  it('is what Node encodes, for any stretch between characters, lone surrogates included', () => {
    seeded(200, (rng) => {
      const text = troubleText(rng, rng.between(0, 200));
      const places = Array.from({ length: text.length + 1 }, (_, at) => at).filter((at) => !splitsPair(text, at));
      const [i, j] = [rng.pick(places), rng.pick(places)].sort((a, b) => a - b) as [number, number];
      expect(utf8Bytes(text, i, j)).toBe(Buffer.byteLength(text.slice(i, j)));
    });
  });
});

describe('unitBytes', () => {
  it.each([
    ['utf-8', 0],
    ['utf-16le', 2],
    ['utf-16be', 2],
    ['windows-1252', 1],
    ['koi8-r', 1],
  ])('of %s is %d', (charset, bytes) => expect(unitBytes(charset)).toBe(bytes));
});

describe('splitsPair', () => {
  it('is true between the halves of a pair and nowhere else', () => {
    const text = 'a😀\ud83d\ude00\ude00\ud83d';
    expect(Array.from({ length: text.length + 1 }, (_, at) => splitsPair(text, at))).toEqual([
      false,
      false,
      true,
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  it('tells the halves apart', () => {
    expect(
      ['\ud7ff', '\ud800', '\udbff', '\udc00', '\udfff', '\ue000'].map((each) => isHighSurrogate(each.charCodeAt(0))),
    ).toEqual([false, true, true, false, false, false]);
    expect(
      ['\ud7ff', '\ud800', '\udbff', '\udc00', '\udfff', '\ue000'].map((each) => isLowSurrogate(each.charCodeAt(0))),
    ).toEqual([false, false, false, true, true, false]);
  });
});

describe('the slicer', () => {
  it.each(['utf-8', 'utf-16le', 'windows-1252'])('gives each slice its exact bytes, in %s', (charset) => {
    seeded(100, (rng) => {
      const raw = troubleText(rng, rng.between(1, 150), { loneSurrogates: false });
      const text = charset === 'windows-1252' ? raw.replace(/[^\x00-\x7f]/g, 'é') : raw;
      const start = rng.pick([0, 3, 2 ** 32 + 1]);
      const segment = { text, start, end: start + encodedBytes(text, charset), verbatim: true };
      const whole = new Whole([segment], charset);
      const slicer = new Slicer(segment, charset);
      for (let i = 0; i < text.length; ) {
        let j = i + rng.between(1, 20);
        while (!whole.mayCut(j)) j++;
        j = Math.min(j, text.length);
        expect(slicer.slice(i, j)).toEqual({
          text: text.slice(i, j),
          start: whole.startOf(i),
          end: whole.endOf(j),
          verbatim: true,
        });
        i = rng.chance(0.5) ? j : Math.min(text.length, j + 1);
        while (!whole.mayCut(i)) i++;
      }
    });
  });

  it.each(['utf-8', 'utf-16le', 'windows-1252'])(
    'gives slices of text with escapes their bytes and their escapes, in %s',
    (charset) => {
      seeded(200, (rng) => {
        const raw = troubleText(rng, rng.between(1, 100), { loneSurrogates: false });
        const text = charset === 'windows-1252' ? raw.replace(/[^\x00-\x7f]/g, 'é') : raw;
        const segment = escaped(rng, text, charset, rng.pick([0, 3, 2 ** 32 + 1]));
        const whole = new Whole([segment], charset);
        const slicer = new Slicer(segment, charset);
        const slices = [];
        for (let i = 0; i < text.length; ) {
          let j = Math.min(text.length, i + rng.between(1, 20));
          while (!whole.mayCut(j)) j++;
          slices.push(slicer.slice(i, j));
          i = j;
        }
        expect(slices.map((slice) => slice.text).join('')).toBe(text);
        for (const slice of slices)
          expect(slice.text).toBe(
            plainParts(slice, charset)
              .map((part) => part.text)
              .join(''),
          );
        expect(joinedSegments(slices, charset)).toEqual(joinedSegments([segment], charset));
      });
    },
  );

  it('keeps the mark on the first slice', () => {
    const segment = { text: 'abc', start: 0, end: 3, verbatim: true, mark: { kind: 'field' } as const };
    const slicer = new Slicer(segment, 'utf-8');
    expect([slicer.slice(0, 1).mark, slicer.slice(1, 3).mark]).toEqual([{ kind: 'field' }, undefined]);
  });

  it('gives the whole segment back as itself', () => {
    const segment = { text: 'aé', start: 5, end: 8, verbatim: true };
    expect(new Slicer(segment, 'utf-8').slice(0, 2)).toBe(segment);
  });
});

describe('simpleParts', () => {
  it('are what the test says a segment is made of', () => {
    seeded(100, (rng) => {
      const text = troubleText(rng, rng.between(1, 60), { loneSurrogates: false });
      const segment = escaped(rng, text, 'utf-8', 7);
      expect([...simpleParts(segment, 'utf-8')]).toEqual(plainParts(segment, 'utf-8'));
    });
  });
});

describe('replacement', () => {
  it('stands for its bytes as a whole', () => {
    expect(replacement('\n', 3, 5)).toEqual({ text: '\n', start: 3, end: 5, verbatim: false });
  });
});
