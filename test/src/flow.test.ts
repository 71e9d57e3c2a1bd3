/**
 * One origin from bytes to chunks: the receipt accounts for every byte, names and numbers are right, and buffers cannot be told
 * from the outcome. What the parts do is tested with the parts.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nothingDropped } from '../../src/coverage.js';
import { decoder } from '../../src/decode.js';
import { IngestError } from '../../src/errors.js';
import { Flow, type Parts } from '../../src/flow.js';
import { characters } from '../../src/tokens/units.js';
import type { Chunk, Doc, DropReason, Head, Item, Piece, Splitter } from '../../src/types.js';
import { recursive } from '../../transforms/boundaries/recursive.js';
import { chunker } from '../../transforms/chunk.js';
import { normalise } from '../../transforms/normalise.js';
import { conformMachine } from '../conformance/machine.js';
import { seeded, troubleBytes } from '../support/random.js';
import { onBytes } from '../support/repro.js';
import { drained } from '../support/whole.js';

const sha1 = (text: string) => createHash('sha1').update(text, 'utf8').digest('hex');

/**
 * Each line a document of its own, as a record would be; the line ends are nobody's, a first BOM is the signature, and a line that
 * begins with `!` is a fault.
 */
const lines: Splitter = (origin, report) => {
  let head: Head | undefined;
  let held: number[] = [];
  let at = 0;
  let index = 0;
  function* document(): Iterable<Item> {
    const line = Uint8Array.from(held);
    const signature = at === 0 && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
    head ??= { charset: 'utf-8', bytes: signature };
    const record = { index, start: at, end: at + line.length };
    const doc: Doc = { origin, charset: 'utf-8', record, field: `f${index % 2}`, metadata: { line: index } };
    const range = [at + signature, at + line.length] as const;
    if (line[signature] === 0x21) report(new IngestError('record', 'bad', 'it is bad', { range }));
    else {
      yield { open: doc };
      yield* drained(
        decoder('utf-8', at + signature, () => {}),
        [line.subarray(signature)],
      );
      yield { close: doc };
    }
    at += held.length + 1;
    index++;
    held = [];
  }
  return {
    get head() {
      return head;
    },
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
    if ((error as IngestError).reason !== 'bad') throw error;
  });
}

const receipt = (bytes: number, inChunks: number, dropped: Partial<Record<DropReason, number>>) => ({
  bytes,
  inChunks,
  dropped: { ...nothingDropped(), ...dropped },
});

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
        expect(Object.values(dropped).reduce((sum, each) => sum + each, inChunks)).toBe(bytes.length);
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
    expect(all.coverage).toEqual(receipt(11, 4, { signature: 3, blank: 2, separator: 1, outside: 1 }));
  });

  it('says that a separator at the very end was dropped as one', () => {
    const strategy = recursive({ separators: [';'], separatorPosition: 'drop' });
    const cutter = chunker({ strategy, measure: characters, size: 2, overlap: 0, minSize: 0, maxChars: 1000, trim: false });
    const all = flow({ chunker: cutter });
    drained(all, [bytesOf('ab;cd;')]);
    expect(all.coverage).toEqual(receipt(6, 4, { separator: 2 }));
  });

  it('counts what is outside of the documents, and rejected records with their bytes', () => {
    const all = flow();
    const chunks = drained(all, [bytesOf('ab\n!cd\n\nef\n!')]);
    expect(chunks.map(({ text }) => text)).toEqual(['ab', 'ef']);
    expect(all.coverage).toEqual(receipt(12, 4, { outside: 4, rejected: 4 }));
    expect([all.rejected, all.documents]).toEqual([2, 3]);
  });

  it('counts the signature when the first record is rejected', () => {
    const all = flow();
    drained(all, [bytesOf('\ufeff!ab\n')]);
    expect(all.coverage).toEqual(receipt(7, 0, { signature: 3, outside: 1, rejected: 3 }));
  });

  it('names the field in the record, and lets a piece name records of its own', () => {
    const record = { index: 5, start: 0, end: 9, count: 2 };
    const [own] = drained(flow({ chunker: chunkerThatGives({ record }) }), [bytesOf('text')]);
    const [document] = drained(flow(), [bytesOf('text')]);
    expect([own!.record, document!.record]).toEqual([
      { ...record, field: 'f0' },
      { index: 0, start: 0, end: 4, field: 'f0' },
    ]);
  });

  it('makes nothing of nothing', () => {
    const all = flow();
    expect(drained(all, [])).toEqual([]);
    expect(all.coverage).toEqual(receipt(0, 0, {}));
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
      head: undefined,
    });
    expect(() => drained(flow({ splitter }), [bytesOf('a')])).toThrow('a bad record');
  });
});

/** One piece for each segment, with more to tell than the cutter has. */
function chunkerThatGives(more: Partial<Piece>): Parts['chunker'] {
  return () => ({
    *push({ text, start, end }) {
      yield { text, start, end, ...more };
    },
    end: () => [],
  });
}
