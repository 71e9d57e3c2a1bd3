/** The text splitter, held to the laws of splitters: one document, its signature taken off, in every charset it can be told. */
import { describe, expect, it } from 'vitest';
import { text } from '../../sources/text.js';
import type { Charset } from '../../src/types.js';
import { conformSplitter, decodedWhole } from '../conformance/segments.js';
import { seeded, troubleBytes, troubleText } from '../support/random.js';
import { onBytes } from '../support/repro.js';
import { drained } from '../support/whole.js';

const origin = { uri: 'a.txt' };

/** Runs the laws, and checks what a whole text must be besides: one document without gaps, said by TextDecoder. */
function conform(given: Uint8Array, encoding: 'auto' | Charset, charset: Charset, signature: number): void {
  onBytes(given.subarray(signature), (body) => {
    const bytes = new Uint8Array([...given.subarray(0, signature), ...body]);
    const make = () => text(origin, { encoding, onInvalid: () => {} });
    const documents = conformSplitter({ make, mayBeGap: () => false }, bytes);
    expect(documents.map(({ doc }) => doc)).toEqual([{ origin, charset, metadata: {} }]);
    const machine = make();
    drained(machine, [bytes]);
    expect(machine.head).toEqual({ charset, bytes: signature });
    const whole = documents[0]!.segments.map((segment) => segment.text).join('');
    expect(whole).toBe(decodedWhole(body, charset));
  });
}

const SIGNATURES: readonly (readonly [Charset, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

describe('the text splitter', () => {
  it('keeps the laws on random trouble without a signature', () => {
    seeded(60, (rng) => {
      const bytes = troubleBytes(rng, rng.between(0, 200));
      if (SIGNATURES.every(([, signature]) => signature.some((byte, at) => bytes[at] !== byte)))
        conform(bytes, 'utf-8', 'utf-8', 0);
    });
  });

  it.each(SIGNATURES)('finds the signature of %s, keeps the laws, and counts it in offsets', (charset, signature) => {
    seeded(30, (rng) => {
      const body = troubleText(rng, rng.between(0, 100), { loneSurrogates: false });
      const encoded = charset === 'utf-8' ? Buffer.from(body) : Buffer.from(body, 'utf16le');
      if (charset === 'utf-16be') encoded.swap16();
      conform(new Uint8Array([...signature, ...encoded]), 'auto', charset, signature.length);
    });
  });

  it.each([
    ['nothing', []],
    ['one byte', [0x6d]],
    ['two bytes', [0x6d, 0x6d]],
    ['two thirds of a signature', [0xef, 0xbb]],
    ['half of one', [0xff]],
    ['a signature in the middle', [0x61, 0xef, 0xbb, 0xbf]],
  ])('reads %s as UTF-8', (_, bytes) => conform(Uint8Array.from(bytes), 'auto', 'utf-8', 0));

  it('takes only one signature off', () => {
    conform(Uint8Array.of(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf), 'auto', 'utf-8', 3);
  });

  it('believes the encoding that it is told, whatever the first bytes look like', () => {
    conform(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), 'windows-1252', 'windows-1252', 0);
    conform(Uint8Array.of(0xff, 0xfe, 0x61, 0x00), 'utf-16le', 'utf-16le', 2);
  });

  it('opens and closes its document when there is nothing in it', () => {
    const machine = text(origin, { encoding: 'auto', onInvalid: () => {} });
    const items = [...machine.push(new Uint8Array(0)), ...machine.end()];
    expect(items.map((item) => Object.keys(item)[0])).toEqual(['open', 'close']);
  });

  it('tells of bad bytes by their place in the origin, signature counted', () => {
    const bad: number[][] = [];
    const machine = text(origin, { encoding: 'auto', onInvalid: (start, end) => bad.push([start, end]) });
    for (const byte of [0xef, 0xbb, 0xbf, 0x61, 0xff, 0xe2, 0x82]) for (const _ of machine.push(Uint8Array.of(byte)));
    for (const _ of machine.end());
    expect(bad).toEqual([
      [4, 5],
      [5, 7],
    ]);
  });
});
