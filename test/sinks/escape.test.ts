import { expect, it } from 'vitest';
import { writeJsonText } from '../../sinks/escape.js';
import { linesSink } from '../../sinks/lines.js';
import { placeOf } from '../../sinks/place.js';
import { conformSink } from '../conformance/sink.js';
import { seeded, troubleText } from '../support/random.js';

function written(text: string): string {
  const into = Buffer.alloc(text.length * 6 + 8, 0xa5);
  const end = writeJsonText(text, into, 3);
  expect([...into.subarray(0, 3), ...into.subarray(end)].every((byte) => byte === 0xa5)).toBe(true);
  return into.toString('utf8', 3, end);
}

it('writes what JSON.stringify writes within its quotes', () => {
  const controls = String.fromCharCode(...Array.from({ length: 0x100 }, (_, code) => code));
  for (const text of ['', controls, controls.repeat(300), '"\\', '\u2028\u2029\ufeff\uffff😀']) {
    expect(written(text)).toBe(JSON.stringify(text).slice(1, -1));
  }
});

it('writes U+FFFD for half a surrogate pair', () => {
  seeded(50, (rng) => {
    const text = troubleText(rng, rng.between(0, 500));
    expect(JSON.parse(`"${written(text)}"`)).toBe(text.replace(/\p{Surrogate}/gu, '\ufffd'));
  });
});

conformSink('escaped lines', (path, world) => linesSink({ path, place: placeOf(world), stdout: world.stdout }));
