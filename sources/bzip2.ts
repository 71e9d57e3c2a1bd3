/**
 * bzip2: streams that follow each other, as parallel compressors and Wikipedia's multi-stream dumps write them. The checksum of
 * each block and of each stream is proved. A block is decoded when enough bytes for any block are there, or no more come; so
 * memory is that of one block and of its compressed bytes, and what is not asked for is not decoded.
 *
 * Our own, as the packages for it have no backpressure, or want the whole, and take an end within a block for a fault of theirs.
 */
import { MAGIC } from '../src/compression.js';
import { Bits, BlockDecoder, Impossible, Short, SLACK_BYTES } from './bzip2-block.js';
import type { Feed } from './feed.js';

const LEVEL_BYTES = 100_000;
/** The most that a block of level 9 may take: 20 bits for each symbol, and its tables. */
const MOST_BLOCK_BYTES = Math.ceil((9 * LEVEL_BYTES * 20) / 8) + (1 << 16);
const PIECE_BYTES = 1 << 16;
/** Half of the number that a block begins with, and of the one that a stream ends with. */
const BLOCK = [0x314159, 0x265359];
const END = [0x177245, 0x385090];

/** @throws IngestError `not-bzip2`, `cut-short`, `damaged`, `unsupported`, `trailing-bytes` */
export async function* unbzip2(feed: Feed): AsyncGenerator<Uint8Array> {
  const input = new Input(feed);
  const piece = new Uint8Array(PIECE_BYTES);
  let decoder: { level: number; blocks: BlockDecoder } | undefined;
  do {
    const level = await input.header();
    if (decoder?.level !== level) decoder = { level, blocks: new BlockDecoder(level * LEVEL_BYTES) };
    let combined = 0;
    for (;;) {
      const said = await input.block(decoder.blocks);
      if (said.ends) {
        if (said.checksum !== combined) throw input.fault('damaged', 'a bzip2 stream does not have the checksum that it says');
        break;
      }
      const text = decoder.blocks.text(piece);
      let next = text.next();
      for (; next.done !== true; next = text.next()) yield next.value;
      if (next.value !== said.checksum) throw input.fault('damaged', 'a bzip2 block does not have the checksum that it says');
      combined = (((combined << 1) | (combined >>> 31)) ^ next.value) >>> 0;
    }
  } while (await input.goesOn());
}

/** The bits of a feed, as many at once as any block may need. */
class Input {
  readonly #feed: Feed;
  readonly #bits = new Bits(new Uint8Array(MOST_BLOCK_BYTES + SLACK_BYTES), 0, 0);
  /** Stored bytes before the buffer. */
  #before = 0;
  #ended = false;

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /** The level of a stream. */
  async header(): Promise<number> {
    const bits = this.#bits;
    await this.#fill(4);
    const start = bits.bytes.subarray(bits.at, Math.min(bits.at + 4, bits.end));
    const level = (start[3] ?? 0x31) - 0x30;
    const isHeader = start.every((byte, place) => place === 3 || byte === MAGIC.bzip2[place]) && level >= 1 && level <= 9;
    if (!isHeader && this.#position > 0) {
      throw this.fault('trailing-bytes', 'something other than bzip2 follows the compressed data: cut it off');
    }
    if (!isHeader)
      throw this.fault('not-bzip2', 'it does not begin as bzip2 does; if it is not compressed, say --compression none');
    if (start.length < 4) throw this.#feed.cutShort('the bzip2 data');
    bits.at += 4;
    return level;
  }

  /** Decodes the next block, or finds that the stream ends; gives the checksum that either says it has. */
  async block(blocks: BlockDecoder): Promise<{ readonly ends: boolean; readonly checksum: number }> {
    const bits = this.#bits;
    await this.#fill(MOST_BLOCK_BYTES);
    const at = this.#position;
    try {
      const magic = [bits.read(24), bits.read(24)];
      const checksum = bits.word();
      const ends = magic[0] === END[0] && magic[1] === END[1];
      if (ends) bits.align();
      else if (magic[0] === BLOCK[0] && magic[1] === BLOCK[1]) blocks.decode(bits);
      else throw new Impossible();
      this.#feed.held = bits.end - bits.at;
      return { ends, checksum };
    } catch (error) {
      if (error instanceof Short) throw this.#feed.cutShort('the bzip2 data');
      if (!(error instanceof Impossible)) throw error;
      if (error.message !== '') throw this.#feed.fault('unsupported', error.message, { at });
      throw this.#feed.fault('damaged', 'a bzip2 block is damaged', { at });
    }
  }

  /** Whether anything follows. */
  async goesOn(): Promise<boolean> {
    await this.#fill(1);
    return this.#bits.at < this.#bits.end;
  }

  fault(reason: string, sentence: string) {
    return this.#feed.fault(reason, sentence, { at: this.#position });
  }

  get #position(): number {
    return this.#before + this.#bits.at;
  }

  /** So many bytes are there, or no more come. */
  async #fill(wanted: number): Promise<void> {
    const bits = this.#bits;
    if (this.#ended || bits.end - bits.at >= wanted) return;
    const { bytes } = bits;
    bytes.copyWithin(0, bits.at, bits.end);
    this.#before += bits.at;
    bits.end -= bits.at;
    bits.at = 0;
    const room = bytes.length - SLACK_BYTES;
    while (bits.end < room) {
      const slice = await this.#feed.slice(room - bits.end);
      if (slice === undefined) {
        this.#ended = true;
        break;
      }
      bytes.set(slice, bits.end);
      bits.end += slice.length;
    }
    bytes.fill(0, bits.end, bits.end + SLACK_BYTES);
  }
}
