/**
 * One origin from bytes to chunks: the receipt accounts for every byte, names and numbers are right, and buffers cannot be told
 * from the outcome. What the parts do is tested with the parts.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decoder } from '../../src/decode.js';
import { Flow, type Parts } from '../../src/flow.js';
import { characters } from '../../src/tokens/units.js';
import type { Chunk, Doc, Item, Splitter } from '../../src/types.js';
import { recursive } from '../../transforms/boundaries/recursive.js';
import { chunker } from '../../transforms/chunk.js';
import { normalise } from '../../transforms/normalise.js';
import { conformMachine } from '../conformance/machine.js';
import { seeded, troubleBytes } from '../support/random.js';
import { onBytes } from '../support/repro.js';
import { drained } from '../support/whole.js';

const sha1 = (text: string) => createHash('sha1').update(text, 'utf8').digest('hex');

/** Each line a document of its own, as a record would be; the line ends are nobody's. A first BOM is the first one's signature. */
const lines: Splitter = (origin) => {
  let held: number[] = [];
  let at = 0;
  let index = 0;
  function* document(): Iterable<Item> {
    const line = Uint8Array.from(held);
    const signature = at === 0 && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
    const record = { index, start: at, end: at + line.length };
    const doc: Doc = { origin, charset: 'utf-8', signature, record, field: `f${index % 2}`, metadata: { line: index } };
    yield { open: doc };
    yield* drained(
      decoder('utf-8', at + signature, () => {}),
      [line.subarray(signature)],
    );
    yield { close: doc };
    at += held.length + 1;
    index++;
    held = [];
  }
  return {
    *push(input) {
      for (const byte of input) {
        if (byte === 0x0a) yield* document();
        else held.push(byte);
      }
    },
    *end() {
      if (held.length > 0) yield* document();
    },
  };
};

function flow(changes: Partial<Parts> = {}, size = 10, overlap = 3): Flow {
  const strategy = recursive();
  const cutter = chunker({ strategy, measure: characters, size, overlap, minSize: 0, maxChars: 1000, trim: false });
  const parts = { splitter: lines, transforms: [normalise('tidy')], chunker: cutter, sha1, ...changes };
  return new Flow({ uri: 'a.txt' }, parts, (error) => {
    throw error;
  });
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** The receipt, worked out from the chunks. */
function covered(chunks: readonly Chunk[], bytes: number): number {
  const taken = new Uint8Array(bytes);
  for (const { start, end } of chunks) taken.fill(1, start, end);
  return taken.reduce((sum, each) => sum + each, 0);
}

describe('a flow', () => {
  it('gives the same chunks however the bytes are cut, and accounts for every byte', () => {
    seeded(40, (rng) => {
      onBytes(troubleBytes(rng, rng.between(0, 250)), (bytes) => {
        conformMachine({ make: () => flow() }, bytes, rng.seed);
        const all = flow();
        const chunks = drained(all, [bytes]);
        const { inChunks, dropped } = all.coverage;
        expect(all.coverage.bytes).toBe(bytes.length);
        expect(inChunks).toBe(covered(chunks, bytes.length));
        expect(inChunks + dropped.blank + dropped.signature + dropped.separator).toBe(bytes.length);
        expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
      });
    });
  });

  it('numbers the chunks of each document from 0, and gives each its record and metadata', () => {
    const chunks = drained(flow({}, 10, 0), [bytesOf('one two three\n\nfour')]);
    expect(chunks.map(({ text, index, record, metadata }) => [text, index, record?.index, metadata.line])).toEqual([
      ['one two ', 0, 0, 0],
      ['three', 1, 0, 0],
      ['four', 0, 2, 2],
    ]);
  });

  it('writes the keys of a chunk in the order of the contract', () => {
    const withContext = chunkerThatGives({ tokens: 1, context: 'Head', metadata: { headings: ['Head'] } });
    const [chunk] = drained(flow({ chunker: withContext }), [bytesOf('text')]);
    expect(Object.keys(chunk!)).toEqual([
      'id',
      'source',
      'index',
      'start',
      'end',
      'tokens',
      'context',
      'record',
      'metadata',
      'text',
    ]);
    expect(chunk!.metadata).toEqual({ line: 0, headings: ['Head'] });
  });

  it('counts the signature, blanks and dropped separators apart, bytes in two chunks once', () => {
    const strategy = recursive({ separators: [';'], separatorPosition: 'drop' });
    const cutter = chunker({ strategy, measure: characters, size: 2, overlap: 0, minSize: 0, maxChars: 1000, trim: false });
    const all = flow({ chunker: cutter });
    drained(all, [bytesOf('\ufeffab;cd  \n')]);
    expect(all.coverage).toEqual({ bytes: 11, inChunks: 4, dropped: { signature: 3, blank: 3, separator: 1 } });
  });

  it('says that a separator at the very end was dropped as one', () => {
    const strategy = recursive({ separators: [';'], separatorPosition: 'drop' });
    const cutter = chunker({ strategy, measure: characters, size: 2, overlap: 0, minSize: 0, maxChars: 1000, trim: false });
    const all = flow({ chunker: cutter });
    drained(all, [bytesOf('ab;cd;')]);
    expect(all.coverage).toEqual({ bytes: 6, inChunks: 4, dropped: { signature: 0, blank: 0, separator: 2 } });
  });

  it('makes nothing of nothing', () => {
    const all = flow();
    expect(drained(all, [])).toEqual([]);
    expect(all.coverage).toEqual({ bytes: 0, inChunks: 0, dropped: { signature: 0, blank: 0, separator: 0 } });
    expect(all.documents).toBe(0);
  });

  it('knows how many documents there were, and the charset of the last', () => {
    const all = flow();
    drained(all, [bytesOf('a\nb\nc')]);
    expect([all.documents, all.charset]).toEqual([3, 'utf-8']);
  });

  it('passes its report on to the splitter', () => {
    const splitter: Splitter = (_, report) => ({
      push() {
        report(new Error('a bad record'));
        return [];
      },
      end: () => [],
    });
    expect(() => drained(flow({ splitter }), [bytesOf('a')])).toThrow('a bad record');
  });
});

/** One piece for each segment, with more to tell than the cutter has. */
function chunkerThatGives(more: { tokens: number; context: string; metadata: { headings: string[] } }): Parts['chunker'] {
  return () => ({
    *push({ text, start, end }) {
      yield { text, start, end, ...more };
    },
    end: () => [],
  });
}
