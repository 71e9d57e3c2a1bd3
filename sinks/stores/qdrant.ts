/**
 * Qdrant: each file is the body of one `PUT /collections/NAME/points`. What a chunk carries is the point's payload, where its
 * metadata stays an object of its own: `metadata.title` is a key to filter by.
 */
import type { Bytes } from '../bytes.js';
import { jsonOf } from '../escape.js';
import { writeOwn } from '../flat-metadata.js';
import { rowsBody, type StoreRecord, type StoreSpec, UUIDS } from '../store.js';
import { nameProblems, vectorField, vectorOf, zeroVectors } from '../vectors.js';

export const qdrant: StoreSpec = {
  name: 'qdrant',
  summary: "bodies of points for a Qdrant collection, each of one request; a chunk's fields are its payload",
  options: [vectorField],
  needs: 'vector',
  ending: '.json',
  // max_request_size_mb of its configuration, unless it was changed.
  limits: { fileBytes: 33_554_432 },
  compress: [],
  ids: UUIDS,
  nul: 'keep',
  problems: (options, spelling) => nameProblems(options, new Set(), spelling),
  encoder({ vectorField: name }) {
    const before = name === undefined ? '","vector":[' : `","vector":{${jsonOf(name)}:[`;
    const after = name === undefined ? '],"payload":{"text":' : ']},"payload":{"text":';
    const row = (record: StoreRecord, bytes: Bytes) => {
      bytes.ascii(`{"id":"${record.id}`);
      bytes.text(before);
      bytes.floats(vectorOf(record));
      bytes.ascii(after);
      bytes.string(record.text);
      bytes.ascii(',');
      writeOwn(record, bytes);
      bytes.ascii(',"metadata":');
      bytes.json(record.metadata);
      bytes.ascii('}}');
    };
    return { body: () => rowsBody({ head: '{"points":[\n', between: ',\n', tail: '\n]}\n', row }), ...zeroVectors() };
  },
};
