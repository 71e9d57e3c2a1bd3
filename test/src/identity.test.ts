/** Chunk ids against a UUIDv5 written from the RFC, and the promises of the contract: stable, unique within a run. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Identifier } from '../../src/identity.js';
import { seeded, troubleText } from '../support/random.js';

const sha1 = (text: string) => createHash('sha1').update(text, 'utf8').digest('hex');

/** RFC 9562, section 5.5. */
function uuid5(namespace: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest()
    .subarray(0, 16);
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const NAMESPACE = '6d696c6c-7261-6365-2063-68756e6b7320';

describe('the identifier', () => {
  it('stands on a right UUIDv5 (example of RFC 9562, appendix A.4)', () => {
    expect(uuid5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });

  it('gives the UUIDv5 of source, field, stretch, ordinal and text', () => {
    seeded(100, (rng) => {
      const text = troubleText(rng, rng.between(1, 200), { loneSurrogates: false });
      const start = rng.pick([0, 5, 2 ** 26 - 1, 2 ** 26, 2 ** 33 + 7]);
      const source = rng.pick(['a.txt', '-', 'ä/ö.md']);
      const field = rng.pick(['', 'body']);
      const name = [source, field, Math.floor(start / 2 ** 26), 0, text].join('\0');
      expect(new Identifier(source, sha1).idOf({ text, start }, field)).toBe(uuid5(NAMESPACE, name));
    });
  });

  it('tells equal texts apart by their number, which begins anew with each stretch of 64 MiB', () => {
    const identifier = new Identifier('a', sha1);
    const name = (stretch: number, ordinal: number) => uuid5(NAMESPACE, ['a', '', stretch, ordinal, 'same'].join('\0'));
    const ids = [0, 10, 20, 2 ** 26, 2 ** 26 + 1].map((start) => identifier.idOf({ text: 'same', start }));
    expect(ids).toEqual([name(0, 0), name(0, 1), name(0, 2), name(1, 0), name(1, 1)]);
  });

  it('gives no id twice, also for thousands of equal texts', () => {
    seeded(5, (rng) => {
      const identifier = new Identifier('a', sha1);
      const texts = Array.from({ length: 5 }, (_, n) => `text ${n}`);
      const ids = Array.from({ length: 3000 }, (_, start) => identifier.idOf({ text: rng.pick(texts), start }));
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  it('does not change when other text comes before in the same stretch', () => {
    const plain = new Identifier('a', sha1).idOf({ text: 'b', start: 0 });
    const after = new Identifier('a', sha1);
    after.idOf({ text: 'inserted', start: 0 });
    expect(after.idOf({ text: 'b', start: 9 })).toBe(plain);
  });

  it('depends on the source and on the field', () => {
    const piece = { text: 'b', start: 0 };
    const ids = [
      new Identifier('a', sha1).idOf(piece),
      new Identifier('c', sha1).idOf(piece),
      new Identifier('a', sha1).idOf(piece, 'f'),
    ];
    expect(new Set(ids).size).toBe(3);
  });
});
