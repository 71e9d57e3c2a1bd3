/**
 * What a store's Spec says of it in words, for the help and the table of the README: nothing there is written by hand.
 */
import type { Limits, MetadataRule, StoreSpec } from './store.js';

export interface StoreFacts {
  readonly needs: string;
  /** Ending, and what a file may hold. */
  readonly files: string;
  readonly compress: string;
  readonly ids: string;
  readonly metadata: string;
}

export function factsOf({ needs, ending, limits, compress, ids, metadata, nul }: StoreSpec): StoreFacts {
  return {
    needs: needs === 'vector' ? 'an embedding in each chunk' : 'text',
    files: [`\`${ending}\``, ...limitWords(limits)].join(', '),
    compress: compress.length === 0 ? 'no' : compress.join(', '),
    ids: ids === undefined ? 'any text' : `${ids.words}${ids.maxBytes === undefined ? '' : `, ${size(ids.maxBytes)}`}`,
    metadata: [...(metadata === undefined ? ['any'] : metadataWords(metadata)), ...(nul === 'drop' ? ['no NUL'] : [])].join(', '),
  };
}

/** The same as fragments, for a line of help. */
export function factLines(store: StoreSpec): string[] {
  const { needs, files, compress, metadata } = factsOf(store);
  return [
    ...(store.needs === 'vector' ? [`needs ${needs}`] : []),
    `files ${files.replaceAll('`', '')}`,
    ...(compress === 'no' ? [] : [`compressed: ${compress}`]),
    ...(metadata === 'any' ? [] : [`metadata: ${metadata}`]),
  ];
}

function limitWords({ fileRecords, fileBytes, recordBytes, textBytes, dimensions }: Limits): string[] {
  const most = [
    fileRecords === undefined ? undefined : `${grouped(fileRecords)} records`,
    fileBytes === undefined ? undefined : size(fileBytes),
  ].filter((each) => each !== undefined);
  return [
    ...(most.length === 0 ? [] : [`at most ${most.join(' and ')} each`]),
    ...(recordBytes === undefined ? [] : [`a record ${size(recordBytes)}`]),
    ...(textBytes === undefined ? [] : [`a text ${size(textBytes)}`]),
    ...(dimensions === undefined ? [] : [`an embedding ${grouped(dimensions)} numbers`]),
  ];
}

function metadataWords(rule: MetadataRule): string[] {
  const { nulls = true, objects = true, lists, levels, keyName, keyBytes, keys, valueBytes, totalBytes } = rule;
  const refused = [
    nulls ? undefined : 'null',
    objects ? undefined : 'objects',
    lists === 'none'
      ? 'lists'
      : lists === 'strings'
        ? 'lists but of strings'
        : lists === 'scalars'
          ? 'lists of several kinds'
          : undefined,
  ].filter((each) => each !== undefined);
  return [
    ...(refused.length === 0 ? [] : [`no ${refused.join(', no ')}`]),
    ...(levels === undefined ? [] : [`${levels} levels`]),
    ...(keyName === undefined ? [] : ['some keys renamed']),
    ...(keyBytes === undefined ? [] : [`a key ${size(keyBytes)}`]),
    ...(keys === undefined ? [] : [`${grouped(keys)} keys`]),
    ...(valueBytes === undefined ? [] : [`a value ${size(valueBytes)}`]),
    ...(totalBytes === undefined ? [] : [`${size(totalBytes)} in all`]),
  ];
}

/** Exact, in the largest unit that makes a whole number. */
function size(bytes: number): string {
  const units = [
    [2 ** 30, 'GiB'],
    [10 ** 9, 'GB'],
    [2 ** 20, 'MiB'],
    [10 ** 6, 'MB'],
    [2 ** 10, 'KiB'],
    [10 ** 3, 'kB'],
  ] as const;
  const unit = units.find(([one]) => bytes >= one && bytes % one === 0);
  return unit === undefined ? `${grouped(bytes)} bytes` : `${grouped(bytes / unit[0])} ${unit[1]}`;
}

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
