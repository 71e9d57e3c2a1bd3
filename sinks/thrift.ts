/**
 * Thrift's compact protocol, writing only: what the headers and the footer of a Parquet file are. A struct is a list of fields,
 * in the order of their numbers; those that are undefined are left out.
 */

export type Thrift =
  | { readonly i32: number }
  /** Whole, at most 2^53. */
  | { readonly i64: number }
  | { readonly text: string }
  | { readonly list: readonly Thrift[] }
  | { readonly struct: Fields };

/** Field numbers go up. */
export type Fields = readonly (readonly [number: number, value: Thrift | undefined])[];

const I32 = 5;
const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/** The bytes of one struct. */
export function thriftBytes(fields: Fields): Uint8Array {
  const out: number[] = [];
  writeStruct(fields, out);
  return Uint8Array.from(out);
}

function writeStruct(fields: Fields, out: number[]): void {
  let before = 0;
  for (const [number, value] of fields) {
    if (value === undefined) continue;
    const step = number - before;
    if (step <= 15) {
      out.push((step << 4) | kindOf(value));
    } else {
      out.push(kindOf(value));
      writeVarint(number * 2, out);
    }
    writeValue(value, out);
    before = number;
  }
  out.push(0);
}

function kindOf(value: Thrift): number {
  if ('i32' in value) return I32;
  if ('i64' in value) return I64;
  if ('text' in value) return BINARY;
  return 'list' in value ? LIST : STRUCT;
}

function writeValue(value: Thrift, out: number[]): void {
  if ('i32' in value) writeVarint(zigzag(value.i32), out);
  else if ('i64' in value) writeVarint(zigzag(value.i64), out);
  else if ('text' in value) writeText(value.text, out);
  else if ('list' in value) writeList(value.list, out);
  else writeStruct(value.struct, out);
}

function writeText(text: string, out: number[]): void {
  const bytes = new TextEncoder().encode(text);
  writeVarint(bytes.length, out);
  for (const byte of bytes) out.push(byte);
}

/** All of one kind; that of an empty list does not matter. */
function writeList(list: readonly Thrift[], out: number[]): void {
  const kind = list[0] === undefined ? STRUCT : kindOf(list[0]);
  if (list.length < 15) {
    out.push((list.length << 4) | kind);
  } else {
    out.push(0xf0 | kind);
    writeVarint(list.length, out);
  }
  for (const each of list) writeValue(each, out);
}

const zigzag = (value: number): number => (value < 0 ? -value * 2 - 1 : value * 2);

function writeVarint(value: number, out: number[]): void {
  // By division: shifts would cut numbers of more than 32 bits.
  for (; value > 127; value = Math.floor(value / 128)) out.push((value % 128) | 128);
  out.push(value);
}
