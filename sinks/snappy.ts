/**
 * Snappy's block format (its format_description.txt), writing only: what Parquet files have their pages compressed with. Greedy,
 * with one hash table, as the reference is; the same bytes on every machine. Bounded by what a hash of four bytes finds within 64 KiB.
 */

/** The shortest repeat that is looked for. */
const LEAST = 4;
/** Of a repeat's distance, in an element of three bytes. */
const MOST_DISTANCE = 65_535;
const HASH_BITS = 14;
const TABLE = new Int32Array(1 << HASH_BITS);

/** The most that bytes in which nothing repeats become larger. */
export const STORED_BYTES = 10;

/** The compressed bytes, in memory of their own. `input` is below 2^31 bytes. */
export function snappy(input: Uint8Array): Uint8Array {
  const into = new Uint8Array(input.length + Math.ceil(input.length / 6) + 32);
  let at = writeLength(input.length, into);
  let done = 0;
  TABLE.fill(-1);
  const view = new DataView(input.buffer, input.byteOffset, input.length);
  const last = input.length - LEAST;
  let from = 0;
  let misses = 0;
  while (from <= last) {
    const word = view.getInt32(from, true);
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS);
    const before = TABLE[slot]!;
    TABLE[slot] = from;
    if (before < 0 || from - before > MOST_DISTANCE || view.getInt32(before, true) !== word) {
      // The longer nothing repeats, the fewer places are tried: what is compressed already goes through fast.
      from += 1 + (misses++ >> 5);
      continue;
    }
    const length = LEAST + equalBytes(input, before + LEAST, from + LEAST);
    at = writeLiteral(input, done, from, into, at);
    at = writeRepeat(from - before, length, into, at);
    from += length;
    done = from;
    misses = 0;
  }
  at = writeLiteral(input, done, input.length, into, at);
  if (at > input.length + STORED_BYTES) at = writeLiteral(input, 0, input.length, into, writeLength(input.length, into));
  return into.slice(0, at);
}

/** How many bytes are the same from `a` and from `b`, which is later. */
function equalBytes(input: Uint8Array, a: number, b: number): number {
  const start = b;
  while (b < input.length && input[a] === input[b]) {
    a++;
    b++;
  }
  return b - start;
}

function writeLength(length: number, into: Uint8Array): number {
  let at = 0;
  for (; length > 127; length >>>= 7) into[at++] = (length & 127) | 128;
  into[at] = length;
  return at + 1;
}

function writeLiteral(input: Uint8Array, start: number, end: number, into: Uint8Array, at: number): number {
  if (start === end) return at;
  const length = end - start - 1;
  if (length < 60) {
    into[at++] = length << 2;
  } else {
    const bytes = length < 1 << 8 ? 1 : length < 1 << 16 ? 2 : length < 1 << 24 ? 3 : 4;
    into[at++] = (59 + bytes) << 2;
    for (let i = 0; i < bytes; i++) into[at++] = length >>> (8 * i);
  }
  // Most are short: a loop costs less than a view of them.
  if (length >= 60) into.set(input.subarray(start, end), at);
  else for (let i = 0; i <= length; i++) into[at + i] = input[start + i]!;
  return at + end - start;
}

/** In parts of at most 64 bytes, none of them below four. */
function writeRepeat(distance: number, length: number, into: Uint8Array, at: number): number {
  while (length > 0) {
    const part = length > 64 && length < 64 + LEAST ? 60 : Math.min(64, length);
    if (part < 12 && distance < 2048) {
      into[at++] = 1 | ((part - LEAST) << 2) | ((distance >>> 8) << 5);
      into[at++] = distance;
    } else {
      into[at++] = 2 | ((part - 1) << 2);
      into[at++] = distance;
      into[at++] = distance >>> 8;
    }
    length -= part;
  }
  return at;
}
