import { describe, expect, it } from 'vitest';
import { type Body, type Column, columnsBody, overLimit, rowsBody, UUIDS } from '../../sinks/store.js';
import { storeChunks } from '../conformance/store.js';
import { rng, seeded } from '../support/random.js';

const [chunk] = storeChunks(1, false) as [ReturnType<typeof storeChunks>[0]];

const rows = () => rowsBody({ head: '[', between: ',', tail: ']', row: ({ text }, bytes) => bytes.string(text) });
const COLUMNS: readonly Column[] = [
  { head: '{"a":[', value: ({ text }, bytes) => bytes.string(text) },
  { head: '],"b":[', value: ({ index }, bytes) => bytes.json(index) },
];
const columns = () => columnsBody(COLUMNS, ']}');

function textOf(body: Body, taken: readonly Uint8Array[] = []): string {
  const rest = [...body.end()].map((piece) => piece.slice());
  return Buffer.concat([...taken, ...rest]).toString('utf8');
}

describe.each([
  ['rows', rows, (texts: readonly string[]) => JSON.stringify(texts)],
  ['columns', columns, (texts: readonly string[]) => JSON.stringify({ a: texts, b: texts.map((_, at) => at) })],
])('a body of %s', (_, make, wanted) => {
  it('is what was added, whenever it is taken from', () => {
    seeded(30, (random) => {
      const body = make();
      const taken: Uint8Array[] = [];
      const texts = Array.from({ length: random.between(0, 9) }, (_, at) =>
        `${at}é"`.repeat(random.pick([0, 3, 10_000, 40_000])),
      );
      texts.forEach((text, index) => {
        expect(body.add({ ...chunk, text, index }, Number.POSITIVE_INFINITY)).toBe(true);
        if (body.pending > 0 && random.chance(0.5)) taken.push(body.take().slice());
      });
      // Not compared as texts: they would be shown.
      expect(textOf(body, taken) === wanted(texts)).toBe(true);
    });
  });

  it('takes no record that would make it too large once ended, and is then as it was', () => {
    const texts = ['one', 'two'];
    const most = wanted(texts).length;
    const body = make();
    for (const [index, text] of texts.entries()) expect(body.add({ ...chunk, text, index }, most)).toBe(true);
    expect(body.add({ ...chunk, text: '' }, most)).toBe(false);
    expect(textOf(body)).toBe(wanted(texts));
    const tight = make();
    expect(tight.add({ ...chunk, text: 'one', index: 0 }, most - 1)).toBe(true);
    expect(tight.add({ ...chunk, text: 'two', index: 1 }, most - 1)).toBe(false);
    expect(textOf(tight)).toBe(wanted(['one']));
  });

  it('counts what was taken already', () => {
    const body = make();
    const random = rng(4);
    const texts: string[] = [];
    let taken = Buffer.alloc(0);
    for (let index = 0; ; index++) {
      const text = 'x'.repeat(random.between(0, 60));
      if (!body.add({ ...chunk, text, index }, 1000)) break;
      texts.push(text);
      if (body.pending > 0) taken = Buffer.concat([taken, body.take()]);
    }
    const whole = textOf(body, [taken]);
    expect(whole).toBe(wanted(texts));
    expect(whole.length).toBeLessThanOrEqual(1000);
  });
});

it('UUIDs are written with hyphens', () => {
  expect(UUIDS.pattern!.test('0b0e6a3c-0000-5000-8000-00000000abCD')).toBe(true);
  for (const other of [
    '0b0e6a3c000050008000000000000000',
    '0b0e6a3c-0000-5000-8000-00000000abcg',
    ' 0b0e6a3c-0000-5000-8000-00000000abcd',
    '',
  ])
    expect(UUIDS.pattern!.test(other)).toBe(false);
});

it('an error over a limit names the chunk and its place', () => {
  expect(overLimit({ ...chunk, id: 'i', source: 's', start: 1, end: 2 }, 'is too long')).toMatchObject({
    ...{ kind: 'sink', reason: 'over-limit', origin: 's', message: 's: the chunk i (bytes 1 to 2) is too long' },
  });
});
