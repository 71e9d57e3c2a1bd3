/** From settings to a flow: which counter counts what, and what becomes of bytes that are no text. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { engineOf } from '../../src/engine.js';
import { IngestError } from '../../src/errors.js';
import { type ChunkOptions, chunkSettings } from '../../src/settings.js';
import { drained } from '../support/whole.js';

const world = { sha1: (text: string) => createHash('sha1').update(text, 'utf8').digest('hex') };

const engineFor = (options: ChunkOptions) => engineOf(chunkSettings(options), world);

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
    const chunks = drained(
      engine.flow({ uri: 'a' }, () => {}),
      [new TextEncoder().encode('abcdefg')],
    );
    expect(chunks.map(({ text, tokens }) => [text, tokens])).toEqual([
      ['abcd', 4],
      ['efg', 3],
    ]);
  });

  it('tells of bad bytes and goes on', async () => {
    const engine = await engineFor({ unit: 'characters' });
    let bad = 0;
    const chunks = drained(
      engine.flow({ uri: 'a' }, () => bad++),
      [Uint8Array.of(0x61, 0xff, 0x62, 0xe2, 0x82)],
    );
    expect([bad, chunks[0]!.text]).toEqual([2, 'a\ufffdb\ufffd']);
  });

  it('stops at bad bytes when it is strict, naming origin and byte', async () => {
    const engine = await engineFor({ unit: 'characters', strictEncoding: true });
    const flow = engine.flow({ uri: 'a.txt' }, () => expect.fail('told of what it stops at'));
    const reading = () => drained(flow, [Uint8Array.of(0x61, 0xff)]);
    expect(reading).toThrow(IngestError);
    expect(reading).toThrow(/^a\.txt, byte \d+: these bytes are no text/);
  });

  it('gives each origin a flow of its own', async () => {
    const engine = await engineFor({ unit: 'characters', size: 3, overlap: 0 });
    const [first, second] = [engine.flow({ uri: 'a' }, () => {}), engine.flow({ uri: 'b' }, () => {})];
    const bytes = new TextEncoder().encode('abc');
    for (const _ of first.push(bytes));
    expect(drained(second, [bytes]).map(({ source, text }) => [source, text])).toEqual([['b', 'abc']]);
    expect([...first.end()].map(({ source, text }) => [source, text])).toEqual([['a', 'abc']]);
  });

  it('reads in the encoding that it is told', async () => {
    const engine = await engineFor({ unit: 'characters', encoding: 'latin1' });
    expect(
      drained(
        engine.flow({ uri: 'a' }, () => {}),
        [Uint8Array.of(0xe9)],
      )[0]!.text,
    ).toBe('é');
  });
});
