/**
 * The frames of zstd (RFC 8878), read as far as to know where they end: their headers, the sizes of their blocks, their
 * checksums. What the blocks say is not looked at. So whoever decompresses them may be one that does not notice an end
 * that comes too soon, takes what is behind a frame for nothing, or wants more memory than there should be.
 */
import { MAGIC } from '../src/compression.js';
import { type Feed, numbersOf } from './feed.js';

/** A piece of a frame. All of them in a row are the frames of the feed, without those that are to be skipped. */
export interface Part {
  /** Valid until the next part is asked for. */
  readonly bytes: Uint8Array;
  /** With the first of a frame. */
  readonly begins?: Frame;
  /** With the last of a frame. */
  readonly ends?: { readonly checksum: number | undefined };
}

export interface Frame {
  /** Where it begins in the feed. */
  readonly at: number;
  /** Bytes that it becomes; undefined: it does not say. */
  readonly content: number | undefined;
}

/** What may be looked back on; as much as the zstd tool allows unless told otherwise. */
const MOST_WINDOW_BYTES = 2 ** 27;
const MOST_BLOCK_BYTES = 2 ** 17;

const FRAME = 'a zstd frame';
const RLE = 1;
const RESERVED = 3;

/** @throws IngestError `not-zstd`, `cut-short`, `damaged`, `unsupported`, `trailing-bytes` */
export async function* framesIn(feed: Feed): AsyncGenerator<Part> {
  do {
    const at = feed.position;
    const start = await feed.peek(4);
    const magic = start.length < 4 ? 0 : numbersOf(start).getUint32(0, true);
    if (MAGIC.zstd.every((byte, place) => byte === start[place])) yield* frame(feed);
    else if (magic >>> 4 === 0x184d2a5) await skip(feed);
    else throw strange(feed, start, at);
  } while ((await feed.peek(1)).length > 0);
}

function strange(feed: Feed, start: Uint8Array, at: number) {
  const isCut = start.length < 4 && [MAGIC.zstd, SKIPPED].some((magic) => start.every((byte, at) => isLike(byte, magic[at]!)));
  if (isCut) return feed.cutShort(FRAME);
  if (at > 0) return feed.fault('trailing-bytes', 'something other than zstd follows the compressed data: cut it off');
  return feed.fault('not-zstd', 'it does not begin as zstd does; if it is not compressed, say --compression none');
}

/** A frame to be skipped begins with any of 16 bytes, and these. */
const SKIPPED = [0x50, 0x2a, 0x4d, 0x18];

function isLike(byte: number, magic: number): boolean {
  return byte === magic || (magic === SKIPPED[0] && byte >>> 4 === magic >>> 4);
}

async function skip(feed: Feed): Promise<void> {
  const header = await feed.take(8, FRAME);
  for (let left = numbersOf(header).getUint32(4, true); left > 0; ) {
    const slice = await feed.slice(left);
    if (slice === undefined) throw feed.cutShort(FRAME);
    left -= slice.length;
  }
}

async function* frame(feed: Feed): AsyncGenerator<Part> {
  const { at, bytes, content, hasChecksum, mostBlockBytes } = await header(feed);
  yield { bytes, begins: { at, content } };
  for (let isLast = false; !isLast; ) {
    const blockAt = feed.position;
    const block = await feed.take(3, FRAME);
    const numbers = block[0]! | (block[1]! << 8) | (block[2]! << 16);
    isLast = (numbers & 1) === 1;
    const kind = (numbers >>> 1) & 3;
    const size = numbers >>> 3;
    if (kind === RESERVED || size > mostBlockBytes) {
      throw feed.fault('damaged', 'a zstd block is of no known kind, or too large', { at: blockAt });
    }
    // Together: an engine that works elsewhere is asked less often.
    yield { bytes: block };
    for (let left = kind === RLE ? 1 : size; left > 0; ) {
      const slice = await feed.slice(left);
      if (slice === undefined) throw feed.cutShort(FRAME);
      left -= slice.length;
      yield { bytes: slice };
    }
  }
  const checksum = hasChecksum ? await feed.take(4, FRAME) : undefined;
  yield { bytes: checksum ?? new Uint8Array(0), ends: { checksum: checksum && numbersOf(checksum).getUint32(0, true) } };
}

interface Header extends Frame {
  readonly bytes: Uint8Array;
  readonly hasChecksum: boolean;
  readonly mostBlockBytes: number;
}

async function header(feed: Feed): Promise<Header> {
  const at = feed.position;
  const descriptor = (await feed.peek(5))[4];
  if (descriptor === undefined) throw feed.cutShort(FRAME);
  const isSingle = (descriptor & 32) !== 0;
  const contentBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >>> 6]!;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const windowBytes = isSingle ? 0 : 1;
  if ((descriptor & 8) !== 0) throw feed.fault('damaged', 'the header of a zstd frame says what it may not');
  const bytes = await feed.take(5 + windowBytes + dictionaryBytes + contentBytes, FRAME);
  const numbers = numbersOf(bytes);
  const dictionary = bytes.subarray(5 + windowBytes, 5 + windowBytes + dictionaryBytes);
  if (dictionary.some((byte) => byte !== 0)) {
    throw feed.fault('unsupported', 'it needs a dictionary: decompress it with zstd -dc -D and pipe that in', { at });
  }
  const content = contentOf(numbers, 5 + windowBytes + dictionaryBytes, contentBytes);
  const window = isSingle ? content! : windowOf(bytes[5]!);
  if (window > MOST_WINDOW_BYTES) {
    throw feed.fault('unsupported', `it looks back on ${window} bytes: decompress it with zstd -dc --long=31 and pipe that in`, {
      at,
    });
  }
  return { at, bytes, content, hasChecksum: (descriptor & 4) !== 0, mostBlockBytes: Math.min(MOST_BLOCK_BYTES, window) };
}

function contentOf(numbers: DataView, at: number, bytes: number): number | undefined {
  switch (bytes) {
    case 0:
      return undefined;
    case 1:
      return numbers.getUint8(at);
    case 2:
      return numbers.getUint16(at, true) + 256;
    case 4:
      return numbers.getUint32(at, true);
    default:
      return Number(numbers.getBigUint64(at, true));
  }
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3));
  return base + (base / 8) * (descriptor & 7);
}
