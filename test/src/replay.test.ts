/**
 * A replay gives what the splitter gives, in its order and as it is asked, whatever else the reader is asked for between.
 */
import { describe, expect, it } from 'vitest';
import { text } from '../../sources/text.js';
import { BlockReader } from '../../src/blocks.js';
import { Replay, type Replayed } from '../../src/replay.js';
import type { Item, Report, Splitting } from '../../src/types.js';
import { memoryWorld } from '../support/world.js';

const BYTES = Uint8Array.from({ length: 6_000_000 }, (_, at) => 97 + ((at * 7 + (at >> 16)) % 26));

const readerOf = (bytes: Uint8Array): Promise<BlockReader> =>
  BlockReader.open('a.txt', memoryWorld({ files: { 'a.txt': bytes } }));

async function all(replay: Replay, between: () => Promise<void> = async () => {}): Promise<Replayed[]> {
  const found: Replayed[] = [];
  for (let item = await replay.next(); item !== undefined; item = await replay.next()) {
    found.push(item);
    await between();
  }
  return found;
}

const texts = (found: readonly Replayed[]): string => found.map((item) => ('text' in item ? item.text : '')).join('');

describe('a replay', () => {
  it('gives the whole text, though the reader is asked for other bytes between', async () => {
    const reader = await readerOf(BYTES);
    const replay = new Replay(reader, () => text({ uri: 'a.txt' }, { encoding: 'auto', onInvalid: () => {} }));
    let asked = 0;
    const found = await all(replay, async () => {
      // Blocks far apart, so that the memory of all of them is used again.
      const at = ((asked++ * 1_300_003) % 5_900_000) + 7;
      for await (const piece of reader.range(at, at + 10)) expect(piece[0]).toBe(BYTES[at]);
    });
    expect(texts(found)).toBe(new TextDecoder().decode(BYTES));
    expect([found[0], found.at(-1)].map((item) => Object.keys(item!)[0])).toEqual(['open', 'close']);
    await reader.close();
  });

  it('of an empty source gives what there is at the end', async () => {
    const reader = await readerOf(new Uint8Array(0));
    const replay = new Replay(reader, () => text({ uri: 'a.txt' }, { encoding: 'auto', onInvalid: () => {} }));
    expect(await all(replay)).toHaveLength(2);
    expect(await replay.next()).toBeUndefined();
    await reader.close();
  });

  it('tells rejected records in their place, reads no further than asked, and throws what the splitter throws', async () => {
    const pushed: number[] = [];
    const segment = (start: number): Item => ({ text: 'x', start, end: start + 1, verbatim: true });
    const splitting = (report: Report): Splitting => ({
      head: undefined,
      *push(input) {
        pushed.push(input.length);
        yield segment(pushed.length);
        report(new Error(`fault ${pushed.length}`));
        if (pushed.length === 3) throw new Error('lost');
        yield segment(pushed.length + 10);
      },
      end: () => [],
    });
    const reader = await readerOf(BYTES);
    const replay = new Replay(reader, splitting);
    const found: unknown[] = [];
    for (let count = 0; count < 8; count++) {
      const item = (await replay.next())!;
      found.push('rejected' in item ? item.rejected.message : 'text' in item ? item.start : item);
      expect(pushed.length).toBe(Math.floor(count / 3) + 1);
    }
    expect(found).toEqual([1, 'fault 1', 11, 2, 'fault 2', 12, 3, 'fault 3']);
    await expect(replay.next()).rejects.toThrow('lost');
    await reader.close();
  });
});
