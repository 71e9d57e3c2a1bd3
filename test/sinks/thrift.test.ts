import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { describe, expect, it } from 'vitest';
import { thriftBytes } from '../../sinks/thrift.js';

/** Read by hyparquet. */
function read(bytes: Uint8Array): unknown {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  const value = deserializeTCompactProtocol(reader);
  expect(reader.offset).toBe(bytes.length);
  return value;
}

describe('a struct', () => {
  it('is these bytes, by the specification', () => {
    expect([...thriftBytes([])]).toEqual([0]);
    expect([
      ...thriftBytes([
        [1, { i32: 1 }],
        [2, undefined],
        [3, { text: 'é' }],
        [40, { i64: 300 }],
      ]),
    ]).toEqual([0x15, 2, 0x28, 2, 0xc3, 0xa9, 0x06, 80, 0xd8, 0x04, 0]);
  });

  it('comes back, with numbers of every size', () => {
    for (const number of [0, 1, -1, 63, 64, -64, -65, 8191, 2 ** 31 - 1, -(2 ** 31)])
      expect(read(thriftBytes([[2, { i32: number }]]))).toEqual({ field_2: number });
    for (const number of [0, -1, 2 ** 31, 2 ** 32 + 1, 2 ** 45 + 12_345, Number.MAX_SAFE_INTEGER])
      expect(read(thriftBytes([[1, { i64: number }]]))).toEqual({ field_1: BigInt(number) });
  });

  it('comes back, with lists of every length and structs within', () => {
    for (const length of [0, 1, 14, 15, 16, 200]) {
      const list = Array.from({ length }, (_, at) => ({ struct: [[1, { i32: at }] as const, [20, { list: [] }] as const] }));
      const found = read(thriftBytes([[4, { list }]])) as { field_4: unknown[] };
      expect(found.field_4).toEqual(Array.from({ length }, (_, at) => ({ field_1: at, field_20: [] })));
    }
  });
});
