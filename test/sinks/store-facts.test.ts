import { expect, it } from 'vitest';
import { sinks } from '../../sinks/index.js';
import { type StoreSpec, UUIDS } from '../../sinks/store.js';
import { factLines, factsOf } from '../../sinks/store-facts.js';

const bare: StoreSpec = {
  ...{ name: 'x', summary: '', needs: 'text', ending: '.csv', limits: {}, compress: [], nul: 'keep' },
  encoder: () => {
    throw new Error('nothing is encoded here');
  },
};

it('a store without limits has little to tell', () => {
  expect(factsOf(bare)).toEqual({ needs: 'text', files: '`.csv`', compress: 'no', ids: 'any text', metadata: 'any' });
  expect(factLines(bare)).toEqual(['files .csv']);
});

it('every limit and rule is told, in units that are exact', () => {
  const strict: StoreSpec = {
    ...{ ...bare, needs: 'vector', compress: ['gzip', 'zstd'], nul: 'drop', ids: { ...UUIDS, maxBytes: 64 } },
    limits: { fileRecords: 50_000, fileBytes: 200_000_000, recordBytes: 1234, textBytes: 40 * 2 ** 20, dimensions: 4096 },
    metadata: {
      ...{ nulls: false, objects: false, lists: 'strings', levels: 3, keyName: (key) => key, keyBytes: 36 },
      ...{ keys: 32, valueBytes: 8182, totalBytes: 40_960 },
    },
  };
  expect(factsOf(strict)).toEqual({
    needs: 'an embedding in each chunk',
    files: '`.csv`, at most 50,000 records and 200 MB each, a record 1,234 bytes, a text 40 MiB, an embedding 4,096 numbers',
    compress: 'gzip, zstd',
    ids: 'a UUID, 64 bytes',
    metadata:
      'no null, no objects, no lists but of strings, 3 levels, some keys renamed, a key 36 bytes, 32 keys, a value 8,182 bytes, 40 KiB in all, no NUL',
  });
  expect(factLines(strict)).toHaveLength(4);
});

it('the sinks of stores bring theirs', () => {
  for (const { store, facts } of sinks) expect(facts).toEqual(store === undefined ? undefined : factLines(store));
});
