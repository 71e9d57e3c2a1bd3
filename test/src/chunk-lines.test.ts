import { describe, expect, it } from 'vitest';
import { linesSink } from '../../sinks/lines.js';
import { placeOf } from '../../sinks/place.js';
import { ChunkLines, Ids } from '../../src/chunk-lines.js';
import type { IngestError } from '../../src/errors.js';
import type { Chunk } from '../../src/types.js';
import { sampleChunks } from '../conformance/sink.js';
import { rng, seeded } from '../support/random.js';
import { memoryWorld } from '../support/world.js';

const world = memoryWorld();

/** Reads the bytes in these pieces, each in memory that is then overwritten. */
function read(pieces: Iterable<Uint8Array>, ids = new Ids()) {
  const faults: IngestError[] = [];
  const lines = new ChunkLines({ uri: 'c.jsonl' }, (error) => faults.push(error as IngestError), ids, world.sha256());
  const chunks: Chunk[] = [];
  const take = (found: Iterable<Chunk>) => {
    for (const chunk of found) {
      lines.note(chunk);
      chunks.push(chunk);
    }
  };
  for (const piece of pieces) {
    const memory = piece.slice();
    take(lines.push(memory));
    memory.fill(0x7b);
  }
  take(lines.end());
  return { chunks, faults, receipt: lines.receipt() };
}

const readText = (text: string) => read([new TextEncoder().encode(text)]);

const line = (parts: object = {}): string =>
  JSON.stringify({ id: 'i', source: 's', index: 0, start: 0, end: 1, metadata: {}, text: 't', ...parts });

describe('lines of chunks', () => {
  it('come back as they were written, whatever the pieces (L1)', async () => {
    const chance = rng(3);
    const chunks = sampleChunks(40).map((chunk) => (chance.chance(0.5) ? { ...chunk, embedding: [0.5, -1, 0.1] } : chunk));
    const disk = memoryWorld();
    const sink = linesSink({ path: 'out', place: placeOf(disk), stdout: disk.stdout });
    for (const chunk of chunks) await sink.write(chunk);
    await sink.commit();
    const bytes = new TextEncoder().encode(disk.files().out!);
    expect(read([bytes]).chunks).toEqual(chunks);
    seeded(8, (random) => {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = random.pick([1, 7, 1000, 100_000]);
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      const { chunks: found, faults, receipt } = read(pieces);
      expect(found).toEqual(chunks);
      expect(faults).toEqual([]);
      expect(receipt).toMatchObject({ chunks: 40, rejected: 0, coverage: { bytes: bytes.length, inChunks: bytes.length } });
    });
  });

  it('may end with CR LF, be blank, begin with a signature, and lack the last line end', () => {
    const { chunks, faults, receipt } = readText(`\ufeff${line({ id: 'a' })}\r\n\n  \r\n${line({ id: 'b' })}`);
    expect(faults).toEqual([]);
    expect(chunks.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(receipt.coverage.dropped.blank).toBe(5);
  });

  it('lose keys that no chunk has', () => {
    const { chunks } = readText(line({ extra: 1, vector: [1] }));
    expect(chunks).toEqual([JSON.parse(line())]);
  });

  it('tell their tokens where all have them', () => {
    expect(readText(`${line({ id: 'a', tokens: 3 })}\n${line({ id: 'b', tokens: 4 })}\n`).receipt.tokens).toBe(7);
    expect(readText(`${line({ id: 'a', tokens: 3 })}\n${line({ id: 'b' })}\n`).receipt).not.toHaveProperty('tokens');
  });
});

describe('a line that is no chunk', () => {
  it.each<[string, string, string]>([
    ['{"id":', 'bad-json', 'it is not JSON'],
    ['[1]', 'not-a-chunk', 'it is no object'],
    ['null', 'not-a-chunk', 'it is no object'],
    [line({ id: 7 }), 'not-a-chunk', 'its id is no text'],
    [line({ id: '' }), 'not-a-chunk', 'its id is no text, or empty'],
    [line({ source: undefined }), 'not-a-chunk', 'its source is no text'],
    [line({ text: null }), 'not-a-chunk', 'its text is no text'],
    [line({ context: 1 }), 'not-a-chunk', 'its context is no text'],
    [line({ index: -1 }), 'not-a-chunk', 'its index is no whole number'],
    [line({ start: 0.5 }), 'not-a-chunk', 'its start is no whole number'],
    [line({ end: 2 ** 53 }), 'not-a-chunk', 'its end is no whole number'],
    [line({ start: 2, end: 1 }), 'not-a-chunk', 'its end is before its start'],
    [line({ tokens: '3' }), 'not-a-chunk', 'its tokens is no whole number'],
    [line({ metadata: [] }), 'not-a-chunk', 'its metadata is no object'],
    [line({ record: 1 }), 'not-a-chunk', 'its record is no object'],
    [line({ embedding: {} }), 'bad-embedding', 'no list of numbers'],
    [line({ embedding: [] }), 'bad-embedding', 'no list of numbers'],
    [line({ embedding: [1, '2'] }), 'bad-embedding', 'number 2 of its embedding'],
    [line({ embedding: [1e39] }), 'bad-embedding', 'number 1 of its embedding'],
    [
      line().replace('"metadata":{}', `"metadata":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
      'too-deep',
      'more than 100 levels',
    ],
  ])('%.40s is told of with its place, and the next is read', (bad, reason, message) => {
    const before = `${line({ id: 'before' })}\n`;
    const { chunks, faults, receipt } = readText(`${before}${bad}\n${line({ id: 'behind' })}\n`);
    expect(chunks.map(({ id }) => id)).toEqual(['before', 'behind']);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ kind: 'record', reason, origin: 'c.jsonl', record: 1, at: before.length });
    expect(faults[0]!.range).toEqual([before.length, before.length + bad.length]);
    expect(faults[0]!.message).toContain(message);
    expect(faults[0]!.message).toContain('line 2');
    expect(receipt).toMatchObject({ rejected: 1, coverage: { dropped: { rejected: bad.length + 1 } } });
  });

  it('may be none for its bytes', () => {
    const bytes = Buffer.concat([Buffer.from(`${line()}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])]);
    expect(read([bytes]).faults).toMatchObject([{ reason: 'invalid-bytes', record: 1 }]);
  });

  it('is not gathered when it is longer than may be held (L8)', () => {
    const piece = Buffer.alloc(1 << 20, 0x20);
    function* pieces() {
      for (let left = 33; left > 0; left--) yield piece;
      yield Buffer.from(`\n${line()}\n`);
    }
    const { chunks, faults } = read(pieces());
    expect(faults).toMatchObject([{ reason: 'too-long', record: 0, range: [0, 33 * 2 ** 20] }]);
    expect(chunks).toHaveLength(1);
  });

  it('has an id that was there before, in any file of the run', () => {
    const ids = new Ids();
    const bytes = [Buffer.from(`${line({ id: 'a' })}\n${line({ id: 'a' })}\n`)];
    expect(read(bytes, ids)).toMatchObject({ chunks: [{ id: 'a' }], faults: [{ reason: 'repeated-id', record: 1 }] });
    expect(read(bytes, ids).chunks).toEqual([]);
  });
});

it('ids are told apart, however alike', () => {
  const ids = new Ids();
  let repeated = 0;
  for (let at = 0; at < 200_000; at++) if (!ids.add(`00000000-0000-5000-8000-${at.toString(16).padStart(12, '0')}`)) repeated++;
  expect(repeated).toBe(0);
  expect(ids.add('00000000-0000-5000-8000-000000000000')).toBe(false);
});
