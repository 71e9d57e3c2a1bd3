/**
 * A table of comma-separated values (RFC 4180), one row a chunk, for what loads no JSON: databases, data frames, spreadsheets.
 * A header, rows that end with LF, and quotes where a value needs them. Metadata and the record are JSON in one column each, an
 * embedding is `[0.1,0.2]`. A value that a chunk does not have is an empty cell; an empty text is `""`, which PostgreSQL tells
 * apart. All files of a run have the same columns.
 */
import type { Bytes } from '../bytes.js';
import { jsonOf } from '../escape.js';
import { CHUNK_KEYS, rowsBody, type StoreRecord, type StoreSpec } from '../store.js';

export const csv: StoreSpec = {
  name: 'csv',
  summary: 'a table with a header; metadata is JSON in one column',
  needs: 'text',
  ending: '.csv',
  limits: {},
  compress: ['gzip', 'zstd'],
  nul: 'keep',
  encoder: () => ({ body: () => rowsBody({ head: `${CHUNK_KEYS.join(',')}\n`, row: writeRow }) }),
};

function writeRow(record: StoreRecord, bytes: Bytes): void {
  const { id, source, index, start, end, tokens = '', context, record: from, metadata, text, embedding } = record;
  writeCell(id, bytes);
  bytes.ascii(',');
  writeCell(source, bytes);
  bytes.ascii(`,${index},${start},${end},${tokens},`);
  if (context !== undefined) writeCell(context, bytes);
  bytes.ascii(',');
  if (from !== undefined) writeCell(jsonOf(from), bytes);
  bytes.ascii(',');
  writeCell(jsonOf(metadata), bytes);
  bytes.ascii(',');
  writeCell(text, bytes);
  bytes.ascii(',');
  if (embedding !== undefined) {
    bytes.ascii('"[');
    bytes.floats(embedding);
    bytes.ascii(']"');
  }
  bytes.ascii('\n');
}

const NEEDS_QUOTES = /[",\r\n]|^$|^\s|\s$/;

function writeCell(value: string, bytes: Bytes): void {
  bytes.text(NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
}
