/**
 * PostgreSQL with pgvector: rows for COPY in its text format (tab separated, `\N` for null, UTF-8), and beside them `schema.sql`,
 * which makes the table, and `load.sql`, which puts the rows into it through a staging table, so that loading them again changes
 * nothing. A chunk that comes without an embedding leaves the one that its row has: an equal id means equal text.
 *
 * Limits: pgvector's README of 2026 (0.8), and PostgreSQL 18: MaxAllocSize for a line of COPY, JENTRY_OFFLENMASK for jsonb,
 * BTMaxItemSize for a key.
 */
import type { OptionSpec } from '../../src/spec.js';
import type { RecordRef } from '../../src/types.js';
import type { Bytes } from '../bytes.js';
import { jsonOf } from '../escape.js';
import { type Facts, overLimit, rowsBody, type StoreRecord, type StoreSpec } from '../store.js';

const DEFAULT_TABLE = 'chunks';
const STAGING = 'millrace_staging';
/** Of a JSON value in a row. */
const JSONB_BYTES = 0xfff_ffff;
/** Numbers of an embedding that an index takes, of 32 bits each, or of 16. */
const INDEXED = 2000;
const INDEXED_HALF = 4000;
/** From here on a number of 16 bits is infinite. */
const HALF_END = 65_520;
const NAME_BYTES = 63;

const options: readonly OptionSpec[] = [
  {
    name: 'pg-table',
    type: 'string',
    group: 'output',
    value: 'NAME',
    summary: 'table that the SQL beside the rows is for, with its schema before a dot where it is in one',
    defaultText: DEFAULT_TABLE,
  },
];

export const pgvector: StoreSpec = {
  name: 'pgvector',
  summary: 'rows for COPY into PostgreSQL, with the SQL that makes the table and upserts them',
  options,
  needs: 'text',
  ending: '.copy',
  limits: { recordBytes: 0x3fff_ffff, dimensions: 16_000 },
  // psql reads them through a program that load.sql names.
  compress: ['gzip', 'zstd'],
  ids: { pattern: /^[^\0]*$/, maxBytes: 2692, words: 'any text without NUL' },
  nul: 'drop',
  problems({ pgTable = DEFAULT_TABLE }, spelling) {
    const parts = String(pgTable).split('.');
    const areNames =
      parts.length <= 2 && parts.every((part) => part !== '' && !/[\0\n\r]/.test(part) && Buffer.byteLength(part) <= NAME_BYTES);
    const wanted = `1 to ${NAME_BYTES} bytes, or two such with a dot between them`;
    return areNames ? [] : [`${spelling('pg-table')} ${JSON.stringify(pgTable)} is no name of a table: give one of ${wanted}`];
  },
  encoder({ pgTable = DEFAULT_TABLE }) {
    const table = String(pgTable).split('.').map(quoted).join('.');
    const index = quoted(`${String(pgTable).split('.').at(-1)}_embedding`);
    let fitsHalf = true;
    return {
      body: () => rowsBody({ row: writeRow }),
      written({ embedding = [] }) {
        if (embedding.length > INDEXED && fitsHalf) fitsHalf = embedding.every((value) => Math.abs(value) < HALF_END);
      },
      beside(facts) {
        const column = embeddingColumn(facts.dimensions, fitsHalf);
        return [
          { name: 'schema.sql', text: schemaSql(table, column) },
          { name: 'load.sql', text: loadSql(table, index, column, facts) },
        ];
      },
    };
  },
};

/* ------------------------------------------------------------------ rows */

const COLUMNS = ['id', 'source', 'index', 'start', '"end"', 'tokens', 'context', 'record', 'metadata', 'text', 'embedding'];

function writeRow(record: StoreRecord, bytes: Bytes): void {
  const { id, source, index, start, end, tokens = NULL, context, record: within, metadata, text, embedding } = record;
  const json = jsonOf(metadata);
  if (json.length > JSONB_BYTES) throw overLimit(record, `has more metadata than the ${JSONB_BYTES} bytes of a jsonb`);
  const fields = [
    ...[escaped(id), escaped(source), index, start, end, tokens],
    ...[
      context === undefined ? NULL : escaped(context),
      within === undefined ? NULL : escaped(recordJson(within)),
      escaped(json),
    ],
  ];
  bytes.text(`${fields.join('\t')}\t`);
  bytes.text(escaped(text));
  if (embedding === undefined) {
    bytes.ascii(`\t${NULL}\n`);
  } else {
    bytes.ascii('\t[');
    bytes.floats(embedding);
    bytes.ascii(']\n');
  }
}

const NULL = '\\N';

/** What COPY reads as itself. Four searches of the engine are faster than one of ours that knows all four. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');
}

/** It may hold the name or the key of a field, and these a NUL. */
function recordJson(record: RecordRef): string {
  const json = jsonOf(record);
  if (!json.includes('\\u0000')) return json;
  const members = Object.entries(record).map(([key, value]) => [
    key,
    typeof value === 'string' ? value.replaceAll('\0', '') : value,
  ]);
  return jsonOf(Object.fromEntries(members));
}

/* ------------------------------------------------------------------ SQL */

function schemaSql(table: string, { type, remark }: Column): string {
  return `-- The table of the chunks${remark}
create extension if not exists vector;

create table if not exists ${table} (
  id text primary key,
  source text not null,
  index integer not null,
  start bigint not null,
  "end" bigint not null,
  tokens integer,
  context text,
  record jsonb,
  metadata jsonb not null,
  text text not null,
  embedding ${type}
);
`;
}

function loadSql(table: string, index: string, { operators }: Column, { files, stem }: Facts): string {
  const columns = COLUMNS.join(', ');
  const updates = COLUMNS.slice(1, -1).map((column) => `${column} = excluded.${column}`);
  const loads = files.map(
    (file) => `
\\copy ${STAGING} (${columns}) from ${rowsOf(file)} with (format text, encoding 'UTF8')
insert into ${table} as old (${columns})
  select distinct on (id) ${columns} from ${STAGING} order by id, ctid desc
  on conflict (id) do update set ${updates.join(', ')},
    embedding = coalesce(excluded.embedding, old.embedding);
truncate ${STAGING};
`,
  );
  return `-- Puts the rows into the table, all of them or none; may be run again. In the folder of this file, once the table is made:
-- psql -d DATABASE -f ${remarked(stem)}.load.sql
\\set ON_ERROR_STOP on
begin;
create temporary table ${STAGING} (like ${table}) on commit drop;
${loads.join('')}
commit;
${operators === undefined ? '' : `\n${indexSql(table, index, operators)}`}`;
}

/** Made after the rows: before them it would take many times as long. */
function indexSql(table: string, index: string, operators: string): string {
  return `create index if not exists ${index} on ${table} using hnsw (embedding ${operators});\n`;
}

interface Column {
  readonly type: string;
  /** Behind the first line of the schema. */
  readonly remark: string;
  /** Of an index; absent: none can be made. */
  readonly operators?: string;
}

function embeddingColumn(dimensions: number | undefined, fitsHalf: boolean): Column {
  if (dimensions === undefined)
    return {
      type: 'vector',
      remark: '. They came without embeddings: say how many numbers these will have before you index them.',
    };
  if (dimensions <= INDEXED) return { type: `vector(${dimensions})`, remark: '.', operators: 'vector_cosine_ops' };
  if (dimensions <= INDEXED_HALF && fitsHalf) {
    const remark = `. Numbers of 16 bits, since an index takes no more than ${INDEXED} of 32.`;
    return { type: `halfvec(${dimensions})`, remark, operators: 'halfvec_cosine_ops' };
  }
  const remark = `. No index takes these embeddings: of 32 bits it takes ${INDEXED} numbers, of 16 bits ${INDEXED_HALF}.`;
  return { type: `vector(${dimensions})`, remark };
}

/** What psql reads the file from: itself, or a program that undoes its compression. */
function rowsOf(file: string): string {
  const path = `./${file}`;
  const program = PROGRAMS.find(([ending]) => file.endsWith(ending))?.[1];
  if (program === undefined) return literal(path);
  return `program ${literal(`${program} '${path.replaceAll("'", "'\\''")}'`)}`;
}

const PROGRAMS = [
  ['.gz', 'gzip -dc'],
  ['.zst', 'zstd -dc'],
] as const;

/** An identifier. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A string. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** For a remark, which ends with its line. */
const remarked = (text: string): string => text.replaceAll(/[\n\r]/g, ' ');
