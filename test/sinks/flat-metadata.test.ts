import { describe, expect, it } from 'vitest';
import { Bytes } from '../../sinks/bytes.js';
import { freeKeys, writeMembers, writeOwn } from '../../sinks/flat-metadata.js';
import type { Chunk } from '../../src/types.js';
import { storeChunks } from '../conformance/store.js';

const [plain] = storeChunks(1, false) as [Chunk];
const chunk: Chunk = { id: 'a', source: 's"', index: 1, start: 2 ** 40, end: 2 ** 40 + 3, metadata: {}, text: 'x' };

function flat(given: Chunk): string {
  const bytes = new Bytes();
  bytes.ascii('{');
  writeOwn(given, bytes);
  writeMembers(given, bytes);
  bytes.ascii('}');
  return Buffer.from(bytes.take()).toString('utf8');
}

describe('one flat object', () => {
  it('is this text', () => {
    expect(flat(chunk)).toBe('{"source":"s\\"","index":1,"start":1099511627776,"end":1099511627779}');
    const full = { ...chunk, tokens: 7, context: 'C\n', record: { index: 2, start: 0, end: 9 }, metadata: { k: 'é\ud83d' } };
    expect(flat(full)).toBe(
      '{"source":"s\\"","index":1,"start":1099511627776,"end":1099511627779,"tokens":7,"context":"C\\n",' +
        '"record":"{\\"index\\":2,\\"start\\":0,\\"end\\":9}","k":"é\ufffd"}',
    );
  });

  it('keeps keys that JavaScript has its own mind about', () => {
    const metadata = JSON.parse('{"__proto__":1,"10":2,"2":3}');
    expect(JSON.parse(flat({ ...plain, metadata }))).toMatchObject({ 2: 3, 10: 2 });
    expect(flat({ ...plain, metadata })).toContain('"__proto__":1');
  });
});

it('keys give way to own names', () => {
  const free = freeKeys('values', 'text_');
  expect(['source', 'values', 'text', 'title', 'constructor'].map(free)).toEqual([
    'source_',
    'values_',
    'text__',
    'title',
    'constructor',
  ]);
});
