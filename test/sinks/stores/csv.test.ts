import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import { csv } from '../../../sinks/stores/csv.js';
import { conformStore, storeChunks } from '../../conformance/store.js';
import { memoryWorld } from '../../support/world.js';

const HEADER = ['id', 'source', 'index', 'start', 'end', 'tokens', 'context', 'record', 'metadata', 'text', 'embedding'];

conformStore(csv, {
  read(file) {
    const { data, errors } = Papa.parse<string[]>(Buffer.from(file).toString('utf8'), { delimiter: ',', newline: '\n' });
    expect(errors).toEqual([]);
    expect(data.pop()).toEqual(['']);
    const [header, ...rows] = data;
    expect(header).toEqual(HEADER);
    return rows.map((row) => {
      expect(row).toHaveLength(HEADER.length);
      return { id: row[0]!, text: row[9]!, metadata: JSON.parse(row[8]!) };
    });
  },
});

it('a row is these bytes', async () => {
  const world = memoryWorld();
  const sink = batchSink(csv, { path: 'out.csv', options: {}, place: placeOf(world) });
  const [chunk] = storeChunks(1, false) as [ReturnType<typeof storeChunks>[0]];
  const { context: _, record: __, tokens: ___, ...plain } = chunk;
  await sink.write({ ...plain, source: 'a,b', metadata: { t: 'x"y' }, text: '', embedding: [0.5, -0.1] });
  await sink.write({
    ...plain,
    start: 2,
    end: 3,
    tokens: 4,
    context: ' c',
    record: { index: 0, start: 1 },
    metadata: {},
    text: 'a\n"b"',
  });
  await sink.commit();
  const { id } = chunk;
  expect(world.files()['out-00001.csv']).toBe(
    `${HEADER.join(',')}\n` +
      `${id},"a,b",0,0,5,,,,"{""t"":""x\\""y""}","","[0.5,-0.1]"\n` +
      `${id},corpus/é.md,0,2,3,4," c","{""index"":0,""start"":1}",{},"a\n""b""",\n`,
  );
});
