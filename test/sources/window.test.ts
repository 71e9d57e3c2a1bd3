/** The window of scanners: bytes of any place, text with its escapes undone, and going back, whatever the decoder's stretches were. */
import { describe, expect, it } from 'vitest';
import { REWIND_BYTES, TextWindow } from '../../sources/window.js';
import { decoder } from '../../src/decode.js';
import type { Charset, Segment } from '../../src/types.js';
import { cuts, type Rng, seeded, troubleText } from '../support/random.js';
import { drained, joinedSegments, plainParts } from '../support/whole.js';

const CHARSETS: readonly Charset[] = ['utf-8', 'utf-16le', 'windows-1252'];

/** Text of the charset, as segments of any length. */
function stretches(rng: Rng, text: string, charset: Charset): Segment[] {
  const bytes = new Uint8Array(Buffer.from(text, charset === 'utf-8' ? 'utf8' : charset === 'utf-16le' ? 'utf16le' : 'latin1'));
  return drained(
    decoder(charset, 0, () => {}),
    cuts(rng, bytes),
  );
}

/** `~x` stands for x, and `~😀` for a pair: as text, and as unit said, units said, window unit, units there. */
function undone(raw: string): { said: string; escapes: number[] } {
  let said = '';
  const escapes: number[] = [];
  for (let i = 0; i < raw.length; ) {
    const character = String.fromCodePoint(raw.codePointAt(raw[i] === '~' && i + 1 < raw.length ? i + 1 : i)!);
    const units = (raw[i] === '~' && i + 1 < raw.length ? 1 : 0) + character.length;
    if (units > character.length) escapes.push(said.length, character.length, i, units);
    said += character;
    i += units;
  }
  return { said, escapes };
}

describe.each(CHARSETS)('the window, %s', (charset) => {
  it('undoes escapes wherever the stretches end, and knows the bytes of each', () => {
    seeded(150, (rng) => {
      const trouble = troubleText(rng, rng.between(1, 60), { loneSurrogates: false });
      const plain = charset === 'windows-1252' ? trouble.replace(/[^\x00-\x7f]/g, 'é') : trouble;
      const text = Array.from(plain, (each) => (rng.chance(0.3) ? `~${each}` : each))
        .join('')
        .replace(/~~/g, '~');
      const window = new TextWindow(charset);
      const given = stretches(rng, text, charset);
      for (const segment of given) window.append(segment);
      window.settle();
      expect(window.text).toBe(text);
      const { said, escapes } = undone(text);
      const found = window.unescaped(0, text.length, said, escapes);
      expect(found.map((segment) => segment.text).join('')).toBe(said);
      // As many parts as there are escapes and stretches between, each with the bytes that a count from the start gives it.
      const bytesOf = (units: number) =>
        charset === 'utf-8' ? Buffer.byteLength(text.slice(0, units)) : charset === 'utf-16le' ? units * 2 : units;
      const replaced = found.flatMap((segment) => plainParts(segment, charset)).filter(({ verbatim }) => !verbatim);
      const expected = Array.from({ length: escapes.length / 4 }, (_, k) => [
        bytesOf(escapes[k * 4 + 2]!),
        bytesOf(escapes[k * 4 + 2]! + escapes[k * 4 + 3]!),
      ]);
      expect(replaced.map(({ start, end }) => [start, end])).toEqual(expected);
      expect(joinedSegments(window.segments(0, text.length), charset)).toEqual(joinedSegments(given, charset));
    });
  });

  it('goes back to any character it was told to keep, and reads on from there', () => {
    seeded(60, (rng) => {
      const trouble = troubleText(rng, rng.between(2, 80), { loneSurrogates: false });
      const text = charset === 'windows-1252' ? trouble.replace(/[^\x00-\x7f]/g, 'é') : trouble;
      const given = stretches(rng, text, charset);
      const window = new TextWindow(charset);
      window.keepFrom(0);
      let read = 0;
      for (const segment of given) {
        window.append(segment);
        window.settle();
        if (!rng.chance(0.5)) continue;
        read += window.text.length;
        window.drop(window.text.length);
      }
      const places = Array.from(text.matchAll(/./gsu), ({ index }) => index);
      const at = rng.pick(places);
      const byte = charset === 'utf-8' ? Buffer.byteLength(text.slice(0, at)) : charset === 'utf-16le' ? at * 2 : at;
      if (!window.reaches(byte, window.text.length)) return;
      window.rewind(byte, window.text.length);
      expect(window.text).toBe(text.slice(at));
      expect(window.startOf(0)).toBe(byte);
      expect(window.endOf(0)).toBe(byte);
      expect(read).toBeLessThanOrEqual(text.length);
    });
  });
});

describe('the window', () => {
  const segment = (text: string, start: number): Segment => ({ text, start, end: start + text.length, verbatim: true });

  it('goes back no further than its limit, nor before what it was told to keep', () => {
    const window = new TextWindow('utf-8');
    window.keepFrom(10);
    for (let at = 0; at < REWIND_BYTES + 100; at += 100) window.append(segment('x'.repeat(100), at));
    window.settle();
    expect(window.reaches(5, 100)).toBe(false);
    expect(window.reaches(10, 100)).toBe(true);
    expect(window.reaches(10, window.text.length)).toBe(false);
    expect(window.reaches(200, REWIND_BYTES + 100)).toBe(true);
  });

  it('reads a bounded part of the input again, however many faults there are (L12)', () => {
    const window = new TextWindow('utf-8');
    window.keepFrom(0);
    let times = 0;
    window.append(segment('x'.repeat(1 << 18), 0));
    window.settle();
    for (; window.reaches(0, window.text.length) && times < 1000; times++) window.rewind(0, window.text.length);
    expect(times).toBeLessThanOrEqual(18);
  });

  it('knows where text ended that is gone', () => {
    const window = new TextWindow('utf-8');
    window.append(segment('abc', 7));
    window.settle();
    window.drop(3);
    expect([window.endOf(0), window.startOf(0)]).toEqual([10, 10]);
  });
});
