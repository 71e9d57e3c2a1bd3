/** From settings to a flow: which counter counts what, and what becomes of bytes that are no text. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ChunkOptions } from '../../src/chunk-options.js';
import { type Engine, engineOf, formatOf, whitespaceOf } from '../../src/engine.js';
import { IngestError } from '../../src/errors.js';
import type { WhitespaceMode } from '../../src/registry.js';
import { chunkSettings } from '../../src/settings.js';
import type { Doc } from '../../src/types.js';
import { drained } from '../support/whole.js';

const world = {
  sha1: (text: string) => createHash('sha1').update(text, 'utf8').digest('hex'),
  load: () => Promise.reject(new Error('nothing to load')),
};

const engineFor = (options: ChunkOptions) => engineOf(chunkSettings(options), world);

const flowIn = (engine: Engine, uri: string, onInvalid = () => {}) =>
  engine.flow({ uri }, { onInvalid }, (error) => {
    throw error;
  });

const formatFor = (uri: string, format = 'auto') => formatOf({ uri }, { format }).name;

describe('the format of an origin', () => {
  it.each([
    ['a.json', 'json'],
    ['a/b.c/D.JSON', 'json'],
    ['a.jsonl', 'jsonl'],
    ['a.ndjson', 'jsonl'],
    ['a.csv', 'csv'],
    ['a.tsv', 'tsv'],
    ['a.tab', 'tsv'],
    ['a.xml', 'xml'],
    ['-', 'text'],
    ['json', 'text'],
    ['a.json/b', 'text'],
    ['a.json.md', 'text'],
    ['.csv', 'csv'],
  ])('%s is %s', (uri, format) => expect(formatFor(uri)).toBe(format));

  it('is what the user says, unless the origin knows it better', () => {
    expect(formatFor('a.json', 'csv')).toBe('csv');
    expect(formatOf({ uri: 'a.json', format: 'xml' }, { format: 'csv' }).name).toBe('xml');
  });
});

describe('white space', () => {
  const modeOf = (uri: string, field: string | undefined, whitespace?: WhitespaceMode) => {
    const doc: Doc = { origin: { uri }, charset: 'utf-8', metadata: {}, ...(field === undefined ? {} : { field }) };
    return whitespaceOf(doc, formatOf(doc.origin, { format: 'auto' }), { whitespace });
  };

  it('is tidy in text and keeps all but line ends in records, unless asked otherwise', () => {
    expect([modeOf('a.txt', undefined), modeOf('a.csv', 'body')]).toEqual(['tidy', 'lines']);
    expect([modeOf('a.txt', undefined, 'keep'), modeOf('a.csv', 'body', 'collapse')]).toEqual(['keep', 'collapse']);
  });

  it('never moves what is marked in a record that is its own text', () => {
    const modes = [undefined, 'tidy', 'collapse', 'lines', 'keep'] as const;
    expect(modes.map((mode) => modeOf('a.csv', undefined, mode))).toEqual(['lines', 'lines', 'lines', 'lines', 'keep']);
  });
});

describe('the engine', () => {
  it.each([
    [{ unit: 'characters' }, 'characters', 'estimate'],
    [{ unit: 'words', tokenizer: 'bytes4' }, 'words', 'bytes4'],
    [{ unit: 'bytes', tokenizer: 'none' }, 'bytes', undefined],
    [{ unit: 'tokens', tokenizer: 'estimate' }, 'estimate', 'estimate'],
  ] as const)('with %j measures %s and counts %s', async (options, measure, tokens) => {
    const engine = await engineFor(options);
    expect([engine.measure.name, engine.tokens?.name]).toEqual([measure, tokens]);
  });

  it('loads the vocabulary of a model', async () => {
    const engine = await engineFor({ tokenizer: 'gpt-4' });
    expect(engine.measure).toBe(engine.tokens);
    expect(engine.tokens!.name).toBe('cl100k_base');
  });

  it('takes a counter of the user’s own', async () => {
    const own = { name: 'own', count: (text: string) => text.length };
    const engine = await engineFor({ tokenizer: own, size: 4 });
    expect(engine.measure).toBe(own);
    const chunks = drained(flowIn(engine, 'a'), [new TextEncoder().encode('abcdefg')]);
    expect(chunks.map(({ text, tokens }) => [text, tokens])).toEqual([
      ['abcd', 4],
      ['efg', 3],
    ]);
  });

  it('tells of bad bytes and goes on', async () => {
    const engine = await engineFor({ unit: 'characters' });
    let bad = 0;
    const chunks = drained(
      flowIn(engine, 'a', () => bad++),
      [Uint8Array.of(0x61, 0xff, 0x62, 0xe2, 0x82)],
    );
    expect([bad, chunks[0]!.text]).toEqual([2, 'a\ufffdb\ufffd']);
  });

  it('stops at bad bytes when it is strict, naming origin and byte', async () => {
    const engine = await engineFor({ unit: 'characters', strictEncoding: true });
    const flow = flowIn(engine, 'a.txt', () => expect.fail('told of what it stops at'));
    const reading = () => drained(flow, [Uint8Array.of(0x61, 0xff)]);
    expect(reading).toThrow(IngestError);
    expect(reading).toThrow(/^a\.txt, byte \d+: these bytes are no text/);
  });

  it('gives each origin a flow of its own', async () => {
    const engine = await engineFor({ unit: 'characters', size: 3, overlap: 0 });
    const [first, second] = [flowIn(engine, 'a'), flowIn(engine, 'b')];
    const bytes = new TextEncoder().encode('abc');
    for (const _ of first.push(bytes));
    expect(drained(second, [bytes]).map(({ source, text }) => [source, text])).toEqual([['b', 'abc']]);
    expect([...first.end()].map(({ source, text }) => [source, text])).toEqual([['a', 'abc']]);
  });

  it('cuts records between fields, and packs them whole', async () => {
    const table = new TextEncoder().encode(`a,b\n${'x'.repeat(30)},${'y'.repeat(30)}\n1,2\n3,4\n`);
    const texts = async (options: ChunkOptions) =>
      drained(flowIn(await engineFor({ unit: 'characters', size: 40, overlap: 0, ...options }), 'a.csv'), [table]).map(
        (each) => each.text,
      );
    expect(await texts({})).toEqual([`${'x'.repeat(30)},`, 'y'.repeat(30), '1,2', '3,4']);
    expect(await texts({ pack: true })).toEqual([`${'x'.repeat(30)},`, 'y'.repeat(30), '1,2\n3,4']);
  });

  it('gives only records that are wanted, and tells of those that are faulty', async () => {
    const engine = await engineFor({ format: 'jsonl', text: ['a'], unit: 'characters' });
    const bytes = new TextEncoder().encode('{"a":"0"}\n{"a":1\n{"a":"2"}\n');
    const faults: Error[] = [];
    const flow = engine.flow({ uri: '-' }, { onInvalid: () => {} }, (error) => faults.push(error));
    expect(drained(flow, [bytes]).map(({ text }) => text)).toEqual(['0', '2']);
    expect([faults.length, flow.rejected]).toEqual([1, 1]);
    const few = engine.flow({ uri: '-' }, { onInvalid: () => {}, wanted: (start) => start === 17 }, (error) =>
      expect.fail(error.message),
    );
    expect(drained(few, [bytes]).map(({ text }) => text)).toEqual(['2']);
  });

  it('reads in the encoding that it is told', async () => {
    const engine = await engineFor({ unit: 'characters', encoding: 'latin1' });
    expect(drained(flowIn(engine, 'a'), [Uint8Array.of(0xe9)])[0]!.text).toBe('é');
  });
});
