/**
 * A sample of each store's files: the chunks of samples/stores/chunks.jsonl, two in a file, held byte for byte against
 * samples/stores/<store>/. What such files have to be is told by the tests of the stores; here a change of them is seen.
 * `UPDATE_GOLDEN=1 npx vitest run test/golden` writes them anew; look at the difference before you commit it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { batchSink } from '../../sinks/batch.js';
import { sinks } from '../../sinks/index.js';
import { placeOf } from '../../sinks/place.js';
import type { StoreSpec } from '../../sinks/store.js';
import type { Chunk } from '../../src/types.js';
import { memoryWorld } from '../support/world.js';

const SAMPLES = new URL('../../samples/stores/', import.meta.url);
const INPUT = 'chunks.jsonl';

const stores = sinks.flatMap(({ store }) => (store === undefined ? [] : [store]));

const chunks = readFileSync(new URL(INPUT, SAMPLES), 'utf8')
  .split('\n')
  .slice(0, -1)
  .map((line) => JSON.parse(line) as Chunk);

/** By name. */
async function filesFor(store: StoreSpec): Promise<Map<string, Buffer>> {
  const world = memoryWorld();
  const sink = batchSink(store, { path: 'chunks', options: {}, place: placeOf(world), maxRecords: 2 });
  for (const chunk of chunks) await sink.write(chunk);
  const files = await sink.commit();
  const read = async (path: string) => Buffer.from((await world.fs.promises.readFile(path)) as Uint8Array);
  return new Map(await Promise.all(files.map(async ({ path }) => [path, await read(path)] as const)));
}

describe('the sample of a store', () => {
  it.each(stores.map((store) => [store.name, store] as const))('%s is what its sink writes', async (name, store) => {
    const files = await filesFor(store);
    const folder = new URL(`${name}/`, SAMPLES);
    if (process.env.UPDATE_GOLDEN === '1') {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      for (const [file, bytes] of files) writeFileSync(new URL(file, folder), bytes);
    }
    expect(readdirSync(folder).sort()).toEqual([...files.keys()].sort());
    for (const [file, bytes] of files) {
      const expected = readFileSync(new URL(file, folder));
      expect(bytes.toString('latin1') === expected.toString('latin1'), `${name}/${file} differs`).toBe(true);
    }
  });

  it('is there for each, and nothing else is', () => {
    expect(readdirSync(SAMPLES).sort()).toEqual([INPUT, ...stores.map(({ name }) => name)].sort());
  });
});
