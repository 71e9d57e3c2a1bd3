/**
 * Two tables on purpose: where bytes come from (inputs) and how they split into documents (formats). Any of one works with any
 * of the other.
 */

import type { S3Options } from '../src/s3/address.js';
import type { OptionSpec, Spec } from '../src/spec.js';
import type { Origin, Report, Source, Splitting } from '../src/types.js';
import type { World } from '../src/world.js';
import { csv, tsv } from './csv.js';
import { files } from './files.js';
import { json } from './json.js';
import { jsonPathProblem } from './json-paths.js';
import { jsonl } from './jsonl.js';
import type { RecordFormatOptions } from './records.js';
import { stdin } from './stdin.js';
import { text } from './text.js';
import { type Unescape, unescapeCsv, unescapeJson, unescapeXml } from './unescape.js';
import { xml, xmlPathProblem } from './xml.js';

export interface InputOptions {
  readonly root?: string;
  readonly bufferBytes: number;
  /** What chunks call standard input. */
  readonly sourceName: string;
  readonly s3: S3Options;
  /** A public server may redirect to a private or loopback address. */
  readonly allowPrivate: boolean;
  /** Ends the search for what an input names. */
  readonly signal: AbortSignal;
}

export interface InputSpec extends Spec {
  /** Whether an input, as the user wrote it, is of this kind. The first that says so has it. */
  readonly takes: (input: string) => boolean;
  open(input: string, options: InputOptions, world: World): Promise<readonly Source[]>;
}

/** Of objects that are read, and of those that are written. */
const s3Options: readonly OptionSpec[] = [
  {
    name: 's3-endpoint',
    type: 'string',
    group: 'input',
    value: 'URL',
    summary: 'the server of s3:// names, such as https://minio.example:9000',
    defaultText: 'AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the endpoint_url of the profile, else AWS itself',
  },
  {
    name: 's3-path-style',
    type: 'flag',
    group: 'input',
    summary: 'put the bucket into the path of s3:// requests, not before the host (MinIO, Ceph)',
    defaultText: 'on where the endpoint is localhost, an IP address, or the bucket has a dot',
  },
  {
    name: 's3-region',
    type: 'string',
    group: 'input',
    value: 'NAME',
    summary: 'the region of the bucket',
    defaultText: 'AWS_REGION, AWS_DEFAULT_REGION, that of the profile, else us-east-1',
  },
  {
    name: 's3-profile',
    type: 'string',
    group: 'input',
    value: 'NAME',
    summary: 'whose keys are used, of the files ~/.aws/credentials and ~/.aws/config',
    defaultText: 'AWS_PROFILE, else default',
  },
  { name: 's3-anonymous', type: 'flag', group: 'input', summary: 'send s3:// requests without a signature, to public buckets' },
];

export const inputs: readonly InputSpec[] = [
  {
    name: 'stdin',
    summary: '- reads standard input',
    takes: (input) => input === '-',
    open: async (_, options, world) => [stdin(options.sourceName, world)],
  },
  {
    name: 's3',
    summary: 's3://bucket/key, all under s3://bucket/prefix/, or a pattern such as "s3://bucket/a*.jsonl.gz"',
    takes: (input) => input.startsWith('s3://'),
    options: s3Options,
    // Loaded, like http, only by those who need it.
    open: async (input, options, world) => (await import('./s3.js')).s3(input, options.s3, world, options.signal),
  },
  {
    name: 'http',
    summary: 'an address that begins with http:// or https://',
    takes: (input) => /^https?:\/\//i.test(input),
    options: [
      {
        name: 'allow-private',
        type: 'flag',
        group: 'input',
        summary: 'follow redirects from a public server to a private or loopback address',
      },
    ],
    open: async (input, options, world) => (await import('./http.js')).http(input, options, world),
  },
  {
    name: 'files',
    summary: 'a file, a pattern such as "docs/**/*.md", or a directory with all that is in it, hidden files left out',
    takes: () => true,
    open: files,
  },
];

/** What all formats may be asked for; each takes what concerns it. */
export interface FormatOptions extends RecordFormatOptions {
  /** Where the records are. */
  readonly records?: string;
  /** One character, or `auto`. */
  readonly delimiter: string;
  /** One character; undefined: cells are never quoted. */
  readonly quote: string | undefined;
  readonly noHeader: boolean;
}

export interface FormatSpec extends Spec {
  /** How names of files of this format end, in lower case. */
  readonly extensions: readonly string[];
  /** What is done to white space unless asked otherwise. */
  readonly whitespace: 'tidy' | 'lines';
  /** Whether it splits into records, and so has the options of them. */
  readonly isRecords: boolean;
  /** What is wrong with a path to its records, or to a field of one; undefined: nothing. */
  readonly pathProblem?: (path: string, of: 'records' | 'field') => string | undefined;
  /** For verify: what a stretch of text says that has escapes in it; absent: the format has none. */
  readonly unescape?: Unescape;
  create(origin: Origin, options: FormatOptions, report: Report): Splitting;
}

/** What every format of records has. */
export const recordOptions: readonly OptionSpec[] = [
  {
    name: 'text',
    type: 'list',
    group: 'records',
    value: 'FIELD',
    summary: 'a field that is text: each is its own document',
    defaultText: 'a record is its own text, as it stands in the source',
  },
  {
    name: 'meta',
    type: 'list',
    group: 'records',
    value: 'FIELD',
    summary: 'a field that becomes metadata',
    defaultText: 'with --text: all other fields',
  },
  { name: 'id-field', type: 'string', group: 'records', value: 'FIELD', summary: 'the field that is the key of a record' },
  {
    name: 'pack',
    type: 'flag',
    group: 'records',
    summary: 'fill chunks with whole records, as they stand in the source; the header of a table is their context',
  },
  {
    name: 'max-record-bytes',
    type: 'integer',
    group: 'records',
    value: 'N',
    min: 1024,
    max: 2 ** 30,
    summary: 'most of a record that is held while its metadata may still follow',
    defaultText: '8388608',
  },
];

const tableOptions: readonly OptionSpec[] = [
  {
    name: 'delimiter',
    type: 'string',
    group: 'records',
    value: 'CHAR',
    summary: 'what parts cells: one character, tab, or auto',
    defaultText: 'auto: what the beginning of the table says; a tab in tsv',
  },
  {
    name: 'quote',
    type: 'string',
    group: 'records',
    value: 'CHAR',
    summary: 'what cells are quoted with, or none',
    defaultText: '"',
  },
  { name: 'no-header', type: 'flag', group: 'records', summary: 'the first row is a record; columns are column1, column2 …' },
];

const jsonRecords: OptionSpec = {
  name: 'records',
  type: 'string',
  group: 'records',
  value: 'PATH',
  summary: 'where the records are: items[*], $.data.items[*], users.*, or $ for the whole',
  defaultText: 'the whole; with text or pack: the elements of an array',
};

const xmlRecords: OptionSpec = {
  name: 'records',
  type: 'string',
  group: 'records',
  value: 'PATH',
  summary: 'which elements are records: /feed/entry, /a/*/b, or //page at any depth',
  defaultText: 'the root; with text or pack: what is in the root',
};

const ofRecords = { whitespace: 'lines', isRecords: true } as const;

export const formats: readonly FormatSpec[] = [
  {
    name: 'text',
    summary: 'a file is one document of plain text',
    extensions: [],
    whitespace: 'tidy',
    isRecords: false,
    create: text,
  },
  {
    ...ofRecords,
    name: 'json',
    summary: 'one document of JSON; fields are paths in a record, such as body, meta.summary, paras[*]',
    extensions: ['.json'],
    options: [jsonRecords],
    pathProblem: jsonPathProblem,
    unescape: unescapeJson,
    create: json,
  },
  {
    ...ofRecords,
    name: 'jsonl',
    summary: 'a line of JSON is a record; also values that follow each other, with or without line ends',
    extensions: ['.jsonl', '.ndjson'],
    pathProblem: jsonPathProblem,
    unescape: unescapeJson,
    create: jsonl,
  },
  {
    ...ofRecords,
    name: 'csv',
    summary: 'a row is a record, a cell a field',
    extensions: ['.csv'],
    options: tableOptions,
    unescape: unescapeCsv,
    create: csv,
  },
  {
    ...ofRecords,
    name: 'tsv',
    summary: 'the same with tabs between the cells',
    extensions: ['.tsv', '.tab'],
    options: tableOptions,
    unescape: unescapeCsv,
    create: tsv,
  },
  {
    ...ofRecords,
    name: 'xml',
    summary: 'an element is a record; fields are paths in it, such as title, revision/text, @id',
    extensions: ['.xml'],
    options: [xmlRecords],
    pathProblem: xmlPathProblem,
    unescape: unescapeXml,
    create: xml,
  },
];
