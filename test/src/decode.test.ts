/**
 * Decoding, held to the laws of segments with TextDecoder as the oracle, for every charset; and what the laws cannot see: the
 * report of bad bytes, labels, signatures.
 */
import { describe, expect, it } from 'vitest';
import { CHARSETS, charsetOf, decoder, signatureOf } from '../../src/decode.js';
import { IngestError } from '../../src/errors.js';
import { conformDecoder, decodedWhole } from '../conformance/segments.js';
import { type Rng, seeded, troubleBytes, troubleText } from '../support/random.js';
import { onBytes } from '../support/repro.js';
import { drained, joinedSegments } from '../support/whole.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** UTF-16 with lone halves and now and then a byte too many or too few. */
function wideBytes(rng: Rng, big: boolean): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(troubleText(rng, rng.between(0, 300)), 'utf16le'));
  if (big) new Uint8Array(Buffer.from(bytes.buffer, 0, bytes.length).swap16());
  return rng.chance(0.3) ? bytes.subarray(0, Math.max(0, bytes.length - 1)) : bytes;
}

function conform(charset: string, bytes: Uint8Array, at = 0): void {
  onBytes(bytes, (each) => conformDecoder({ make: () => decoder(charset, at, () => {}), charset, at }, each));
}

describe('the UTF-8 decoder', () => {
  it('keeps the laws on random trouble', () => {
    seeded(150, (rng) => conform('utf-8', troubleBytes(rng, rng.between(0, 300)), rng.pick([0, 3, 2 ** 32])));
  });

  it('keeps the laws on documents longer than it decodes at once', () => {
    seeded(2, (rng) => conform('utf-8', troubleBytes(rng, 140_000)));
  });

  it.each([
    ['a truncated character of two bytes', 'c3'],
    ['of three', 'e282'],
    ['of four', 'f09f98'],
    ['one at the end of a good text', '61e282'],
    ['continuation bytes alone', '80bf9f'],
    ['an overlong solidus in two', 'c0af'],
    ['in three', 'e080af'],
    ['in four', 'f08080af'],
    ['a surrogate', 'eda080'],
    ['a pair of them', 'eda0bdedb880'],
    ['what lies past U+10FFFF', 'f4908080'],
    ['bytes that are never used', 'fef8ff'],
    ['a sound U+FFFD', '61efbfbd62'],
    ['a lead byte before a good character', 'f0e282ac'],
    ['the signature of a charset, which is text here', 'efbbbf61'],
    ['nothing', ''],
  ])('agrees with TextDecoder on %s', (_, hex) => {
    conform('utf-8', new Uint8Array(Buffer.from(hex, 'hex')));
  });

  it('reports each maximal bad part once, by its bytes, wherever the buffers are cut', () => {
    const bytes = new Uint8Array(Buffer.from('61f09f98e282c062f09f', 'hex'));
    for (let at = 0; at <= bytes.length; at++) {
      const bad: [number, number][] = [];
      const machine = decoder('utf-8', 10, (start, end) => bad.push([start, end]));
      drained(machine, [bytes.subarray(0, at), bytes.subarray(at)]);
      expect(bad).toEqual([
        [11, 14],
        [14, 16],
        [16, 17],
        [18, 20],
      ]);
    }
  });

  it('is stopped by a report that throws', () => {
    const machine = decoder('utf-8', 0, (start) => {
      throw new Error(`bad at ${start}`);
    });
    expect(() => drained(machine, [Uint8Array.of(0x61, 0xff)])).toThrow('bad at 1');
  });

  it('never makes a bad part verbatim, nor a sound U+FFFD a replacement', () => {
    const segments = joinedSegments(
      drained(
        decoder('utf-8', 0, () => {}),
        [new Uint8Array([...bytesOf('a\ufffd'), 0xff])],
      ),
    );
    expect(segments).toEqual([
      { text: 'a\ufffd', start: 0, end: 4, verbatim: true },
      { text: '\ufffd', start: 4, end: 5, verbatim: false },
    ]);
  });
});

describe.each(['utf-16le', 'utf-16be'])('the %s decoder', (charset) => {
  it('keeps the laws on random trouble', () => {
    seeded(100, (rng) => conform(charset, wideBytes(rng, charset === 'utf-16be'), rng.pick([0, 2])));
  });

  it.each([
    ['half a unit at the end', '610062'],
    ['a low half alone', '00dc6100'],
    ['a high half alone', '3dd86100'],
    ['a high half at the end', '61003dd8'],
    ['a high half and half a unit at the end', '61003dd800'],
    ['two high halves and a low one', '3dd83dd800de'],
    ['a pair', '3dd800de'],
  ])('agrees with TextDecoder on %s', (_, hex) => {
    const bytes = Buffer.from(hex, 'hex');
    if (charset === 'utf-16be') bytes.subarray(0, bytes.length - (bytes.length % 2)).swap16();
    conform(charset, new Uint8Array(bytes));
  });
});

describe('one-byte decoders', () => {
  const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);

  it.each(CHARSETS.filter((charset) => !charset.startsWith('utf-')))('%s reads every byte as TextDecoder does', (charset) => {
    const segments = drained(
      decoder(charset, 0, () => {}),
      [every],
    );
    expect(segments.map((segment) => segment.text).join('')).toBe(decodedWhole(every, charset));
    expect(segments.filter(({ verbatim, text }) => !verbatim && text !== '\ufffd')).toEqual([]);
  });

  it.each(['windows-1252', 'windows-1253', 'koi8-r', 'iso-8859-8'])('%s keeps the laws on random bytes', (charset) => {
    seeded(15, (rng) =>
      conform(
        charset,
        Uint8Array.from({ length: rng.between(0, 200) }, () => rng.between(0, 255)),
      ),
    );
  });

  it('read 0x80 to 0x9F of windows-1252 as printed signs, in one piece or many', () => {
    expect(
      drained(
        decoder('windows-1252', 0, () => {}),
        [Uint8Array.of(0x80, 0x93, 0x94)],
      )[0]?.text,
    ).toBe('€“”');
  });
});

describe('charsetOf', () => {
  it.each([
    ['UTF8', 'utf-8'],
    ['utf-16', 'utf-16le'],
    ['latin1', 'windows-1252'],
    ['ascii', 'windows-1252'],
    ['cp1251', 'windows-1251'],
    ['KOI8-R', 'koi8-r'],
    [' iso-8859-15 ', 'iso-8859-15'],
  ])('knows %j as %s', (label, charset) => expect(charsetOf(label)).toBe(charset));

  it.each(['shift_jis', 'gb18030', 'utf-7', 'nonsense', '', 'replacement'])('does not know %j', (label) =>
    expect(charsetOf(label)).toBeUndefined(),
  );
});

describe('signatureOf', () => {
  it.each([
    ['efbbbf61', 'auto', 'utf-8', 3],
    ['fffe6100', 'auto', 'utf-16le', 2],
    ['feff0061', 'auto', 'utf-16be', 2],
    ['616263', 'auto', 'utf-8', 0],
    ['efbb', 'auto', 'utf-8', 0],
    ['', 'auto', 'utf-8', 0],
    ['efbbbf', 'utf-8', 'utf-8', 3],
    ['efbbbf', 'windows-1252', 'windows-1252', 0],
    ['fffe', 'utf-16be', 'utf-16be', 0],
    ['fffe', 'utf-16le', 'utf-16le', 2],
  ])('reads %s, encoding %s, as %s with %d bytes', (hex, encoding, charset, bytes) => {
    expect(signatureOf(new Uint8Array(Buffer.from(hex, 'hex')), encoding)).toEqual({ charset, bytes });
  });
});

describe('decoder', () => {
  it('refuses a charset it has no table for', () => {
    expect(() => decoder('shift_jis', 0, () => {})).toThrow(IngestError);
    expect(() => decoder('shift_jis', 0, () => {})).toThrow(/shift_jis is not supported; use one of utf-8/);
  });
});
