/**
 * How inputs are reached and read, whoever reads them: a run, or the proof of one. The options of that, those of the kinds of
 * inputs among them, and the settings they make. What the bytes mean, once they are there, is src/settings.ts's.
 */
import { COMPRESSIONS } from './compression.js';
import { type InflateOptions, type InputOptions, inputs } from './registry.js';
import type { S3Options } from './s3/address.js';
import type { OptionSpec } from './spec.js';
import type { Compression } from './types.js';

/** What a caller may say of inputs. Units and ranges: see `inputOptions`. */
export interface InputChoices {
  readonly root?: string;
  readonly bufferBytes?: number;
  readonly compression?: 'auto' | 'none' | Compression;
  readonly maxRatio?: number;
  readonly maxInputBytes?: number;
  readonly s3Endpoint?: string;
  readonly s3PathStyle?: boolean;
  readonly s3Region?: string;
  readonly s3Profile?: string;
  readonly s3Anonymous?: boolean;
  readonly allowPrivate?: boolean;
}

/** All but what standard input is called, which chunks depend on. */
export type InputSettings = Omit<InputOptions, 'sourceName' | 'signal'> & InflateOptions;

/** Options of reading that are none of a single kind's. */
const readOptions: readonly OptionSpec[] = [
  {
    name: 'buffer-bytes',
    type: 'integer',
    group: 'input',
    value: 'N',
    min: 1,
    max: 64 * 2 ** 20,
    summary: 'bytes read at once; never changes the output',
    defaultText: '1048576',
  },
  {
    name: 'compression',
    type: 'choice',
    group: 'input',
    choices: ['auto', 'none', ...COMPRESSIONS],
    summary: 'what inputs are compressed with; none: read them as they are',
    defaultText: 'auto: by the name of each (.gz, .br, .zst, .bz2), else by its first bytes',
  },
  {
    name: 'max-ratio',
    type: 'integer',
    group: 'input',
    value: 'N',
    min: 1,
    max: 2 ** 31,
    summary: 'stop at a source of which a compressed byte becomes more than N, past the first 64 MiB',
    defaultText: '1000',
  },
  {
    name: 'max-input-bytes',
    type: 'integer',
    group: 'input',
    value: 'N',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    summary: 'stop at a source of more than N bytes, decompressed',
    defaultText: 'any number',
  },
];

/** What is said of how inputs are reached, whether they are chunked or held against their chunks. */
export const accessOptions: readonly OptionSpec[] = [...readOptions, ...inputs.flatMap(({ options = [] }) => options)];

/** Of choices that were checked. */
export function inputSettings(given: InputChoices): InputSettings {
  const { root, bufferBytes = 2 ** 20, compression = 'auto', maxRatio = 1000, maxInputBytes, allowPrivate = false } = given;
  return {
    ...(root === undefined ? {} : { root }),
    ...{ bufferBytes, compression, maxRatio, maxInputBytes, allowPrivate },
    s3: s3Of(given),
  };
}

function s3Of({ s3Endpoint, s3PathStyle = false, s3Region, s3Profile, s3Anonymous = false }: InputChoices): S3Options {
  return {
    ...(s3Endpoint === undefined ? {} : { endpoint: s3Endpoint }),
    ...(s3Region === undefined ? {} : { region: s3Region }),
    ...(s3Profile === undefined ? {} : { profile: s3Profile }),
    pathStyle: s3PathStyle,
    anonymous: s3Anonymous,
  };
}
