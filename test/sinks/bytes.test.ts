import { expect, it } from 'vitest';
import { Bytes } from '../../sinks/bytes.js';
import { seeded, troubleText } from '../support/random.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

it('holds what was added, in order, whatever its size, also after a take', () => {
  seeded(30, (rng) => {
    const bytes = new Bytes();
    for (let round = 0; round < 4; round++) {
      let wanted = '';
      for (let left = rng.between(0, 12); left > 0; left--) {
        const piece = troubleText(rng, rng.pick([0, 3, 200, 90_000]));
        switch (rng.between(0, 3)) {
          case 0:
            bytes.text(piece);
            wanted += piece.toWellFormed();
            break;
          case 1:
            bytes.string(piece);
            wanted += JSON.stringify(piece.toWellFormed());
            break;
          case 2:
            bytes.json({ piece });
            wanted += JSON.stringify({ piece: piece.toWellFormed() });
            break;
          default:
            bytes.ascii('[1,');
            bytes.floats([0.5, 2]);
            bytes.raw(Buffer.from('é]'));
            wanted += '[1,0.5,2é]';
        }
      }
      expect(bytes.length).toBe(Buffer.byteLength(wanted));
      expect(text(bytes.take())).toBe(wanted);
      expect(bytes.length).toBe(0);
    }
  });
});

it('keeps what was taken until it is taken from again', () => {
  const bytes = new Bytes();
  bytes.text('first');
  const first = bytes.take();
  bytes.text('second');
  expect(text(first)).toBe('first');
  expect(text(bytes.take())).toBe('second');
});

it('forgets what is cut off, and shows what came last', () => {
  const bytes = new Bytes();
  bytes.ascii('abc');
  bytes.ascii('def');
  expect(text(bytes.since(3))).toBe('def');
  bytes.cut(2);
  bytes.ascii('x');
  expect(text(bytes.take())).toBe('abx');
});
