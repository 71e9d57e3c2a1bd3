/** Reads Parquet files with hyparquet, which shares no code with what writes them. */
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';

const bufferOf = (file: Uint8Array): ArrayBuffer => new Uint8Array(file).buffer;

/** As the reader would, but that it takes U+FEFF at the beginning of a text for a signature. */
const parsers = {
  ...DEFAULT_PARSERS,
  stringFromBytes: (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
};

/** Its rows, in order; whole numbers of 64 bits as bigint. */
export async function parquetRows(file: Uint8Array): Promise<Record<string, unknown>[]> {
  return (await parquetReadObjects({ file: bufferOf(file), parsers })) as Record<string, unknown>[];
}

/** Rows of each row group. */
export function parquetGroups(file: Uint8Array): number[] {
  return parquetMetadata(bufferOf(file)).row_groups.map(({ num_rows: rows }) => Number(rows));
}

/** Columns as `name: type`, with `?` where values may be absent. */
export function parquetColumns(file: Uint8Array): string[] {
  return parquetSchema(parquetMetadata(bufferOf(file))).children.map(({ element, children }) => {
    const value = children[0]?.children[0]?.element ?? element;
    const type = [value.type, value.converted_type].filter((each) => each !== undefined).join(' ');
    return `${element.name}: ${element.converted_type === 'LIST' ? `LIST ${type}` : type}${element.repetition_type === 'OPTIONAL' ? '?' : ''}`;
  });
}
