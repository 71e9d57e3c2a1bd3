/**
 * Where chunks go and in what shape, as a user asked for it: the options of that, those of single sinks among them, and the
 * settings they make. Names of files are made when they are opened: sinks/batch.ts.
 */
import { configError } from './errors.js';
import { asKey, checkOptions, type Spelling } from './options.js';
import {
  canSqueeze,
  fieldMap,
  METADATA_POLICIES,
  type MetadataPolicy,
  type SinkRequest,
  type SinkSpec,
  type Squeezing,
  sinks,
} from './registry.js';
import type { OptionSpec } from './spec.js';

/** What a caller may say of the output. Units and ranges: see `outputOptions`, and the options of each sink. */
export interface OutputChoices {
  readonly out?: string;
  readonly to?: string;
  readonly maxRecords?: number;
  readonly maxBytes?: number;
  readonly compress?: 'none' | Squeezing;
  readonly metadata?: MetadataPolicy;
  readonly fields?: readonly string[] | string;
  readonly overwrite?: boolean;
  readonly embedModel?: string;
  readonly embedDimensions?: number;
  readonly index?: string;
  readonly pgTable?: string;
  readonly typesenseCollection?: string;
  readonly azureIndex?: string;
  readonly weaviateClass?: string;
  readonly parquetCodec?: 'snappy' | 'none';
  readonly chromaCloud?: boolean;
  readonly vectorField?: string;
  readonly textField?: string;
  readonly pineconeLayout?: 'documents' | 'vectors';
  readonly milvusFormat?: 'jsonl' | 'json' | 'parquet';
}

export interface OutputSettings {
  readonly sink: SinkSpec;
  /** What the sink is made from, apart from where it writes. */
  readonly request: Omit<SinkRequest, 'path' | 'place' | 'stdout'>;
  /** Files are numbered: `out` is what they are named after. */
  readonly rolls: boolean;
  /** What a manifest tells of it. */
  readonly described: Readonly<Record<string, unknown>>;
}

const MOST_BYTES = 2 ** 44;

/** Options of no single sink. */
export const outputOptions: readonly OptionSpec[] = [
  {
    name: 'out',
    short: 'o',
    type: 'string',
    group: 'output',
    value: 'PATH',
    summary: 'write to this file; where files are numbered, name them after it: points.jsonl makes points-00001.jsonl',
    defaultText: 'standard output',
  },
  {
    name: 'to',
    type: 'choice',
    group: 'output',
    choices: sinks.map((sink) => sink.name),
    summary: 'form of the output: lines of chunks, or files that a store loads',
    defaultText: 'jsonl',
  },
  {
    name: 'max-records',
    type: 'integer',
    group: 'output',
    value: 'N',
    min: 1,
    max: 10 ** 12,
    summary: 'most chunks in a file; then the next is begun',
    defaultText: "the store's limit",
  },
  {
    name: 'max-bytes',
    type: 'integer',
    group: 'output',
    value: 'N',
    min: 1,
    max: MOST_BYTES,
    summary: 'most bytes of a file, before it is compressed; then the next is begun',
    defaultText: "the store's limit",
  },
  {
    name: 'compress',
    type: 'choice',
    group: 'output',
    choices: ['none', 'gzip', 'zstd'],
    summary: 'compress each file, where the store takes that',
    defaultText: 'none',
  },
  {
    name: 'metadata',
    type: 'choice',
    group: 'output',
    choices: METADATA_POLICIES,
    summary:
      'what becomes of metadata that a store refuses: objects flattened to joined keys, or encoded as JSON text; dropped; or an error',
    defaultText: 'flatten',
  },
  {
    name: 'fields',
    type: 'list',
    group: 'output',
    value: 'NAME=FIELD,...',
    summary: 'lines with these fields only, such as content=text,meta.src=source,meta.title=metadata.title',
  },
  {
    name: 'overwrite',
    type: 'flag',
    group: 'output',
    summary: 'replace numbered files of a run before; without it they are an error',
  },
];

/** Options that only some sinks have, each once. */
export const sinkOptions: readonly OptionSpec[] = [
  ...new Map(sinks.flatMap(({ options = [] }) => options).map((option) => [option.name, option])).values(),
];

/** For a caller that has nothing but an output. @throws IngestError kind config, naming all problems */
export function checkedOutput(raw: OutputChoices): OutputSettings {
  const problems: string[] = [];
  const given = checkOptions({ ...raw }, [...outputOptions, ...sinkOptions], problems);
  const settings = outputSettings(given, problems, asKey);
  if (problems.length > 0) throw configError(problems);
  return settings;
}

/** What has been checked, each option alone; what they mean together adds to `problems`. */
export function outputSettings(given: OutputChoices, problems: string[], spelling: Spelling): OutputSettings {
  const sink = sinks.find(({ name }) => name === (given.to ?? 'jsonl')) ?? sinks[0]!;
  const { out, maxRecords, maxBytes, compress = 'none', metadata, fields, overwrite = false } = given;
  const rolls = sink.store !== undefined || maxRecords !== undefined || maxBytes !== undefined;
  const options = ownOptions(sink, given, problems, spelling);
  problems.push(...limitProblems(sink, given, spelling), ...strangeOptions(sink, given, spelling));
  if (rolls && (out === undefined || out === '-'))
    problems.push(`files that are numbered need a name: give ${spelling('out')} PATH`);
  if (compress !== 'none') problems.push(...squeezeProblems(sink, compress, spelling));
  const request = {
    ...{ options, rolls, overwrite },
    ...(maxRecords === undefined ? {} : { maxRecords }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(compress === 'none' ? {} : { squeeze: compress }),
    ...(fields === undefined ? {} : { fields: fieldMap([fields].flat(), problems, spelling('fields')) }),
  };
  return { sink, request, rolls, described: describedOf(given, sink, options) };
}

function ownOptions(sink: SinkSpec, given: OutputChoices, problems: string[], spelling: Spelling) {
  const values = given as Readonly<Record<string, unknown>>;
  const own = new Set((sink.options ?? []).map(({ name }) => name));
  const said = sinkOptions.filter(({ name }) => asKey(name) in values);
  for (const { name } of said) if (!own.has(name)) problems.push(`${spelling(name)} means nothing to the output ${sink.name}`);
  const options = Object.fromEntries(
    said.filter(({ name }) => own.has(name)).map(({ name }) => [asKey(name), values[asKey(name)]]),
  );
  problems.push(...(sink.store?.problems?.(options, spelling) ?? []));
  return options;
}

function limitProblems({ name, store }: SinkSpec, { maxRecords, maxBytes }: OutputChoices, spelling: Spelling): string[] {
  const { fileRecords = Number.POSITIVE_INFINITY, fileBytes = Number.POSITIVE_INFINITY } = store?.limits ?? {};
  const higher = (option: string, value = 0, limit: number) =>
    value > limit ? [`${spelling(option)} ${value} is more than ${name} takes in a file: at most ${limit}`] : [];
  return [...higher('max-records', maxRecords, fileRecords), ...higher('max-bytes', maxBytes, fileBytes)];
}

function strangeOptions({ name, store }: SinkSpec, { metadata, fields }: OutputChoices, spelling: Spelling): string[] {
  const isStore = store !== undefined;
  return [
    ...(metadata !== undefined && store?.metadata === undefined
      ? [`${spelling('metadata')} means nothing to the output ${name}: it refuses none`]
      : []),
    ...(fields !== undefined && isStore
      ? [`${spelling('fields')} means nothing to the output ${name}: only lines have fields of choice`]
      : []),
  ];
}

function squeezeProblems({ name, store }: SinkSpec, squeeze: Squeezing, spelling: Spelling): string[] {
  const taken = store?.compress;
  if (taken !== undefined && !taken.includes(squeeze)) {
    const others = taken.length === 0 ? 'it takes no compressed files' : `it takes ${taken.join(' and ')}`;
    return [`${spelling('compress')} ${squeeze} means nothing to the output ${name}: ${others}`];
  }
  return canSqueeze(squeeze) ? [] : [`${spelling('compress')} ${squeeze} needs Node 22.15 or later: use gzip`];
}

/** Nothing for lines of chunks in one file, which need no telling. */
function describedOf(given: OutputChoices, { name, store }: SinkSpec, options: Readonly<Record<string, unknown>>) {
  const { maxRecords, maxBytes, compress, metadata, fields } = given;
  const said = { maxRecords, maxBytes, compress, metadata, fields };
  const present = Object.entries(said).filter(([, value]) => value !== undefined && value !== 'none');
  return { ...(store === undefined ? {} : { to: name }), ...Object.fromEntries(present), ...options };
}
