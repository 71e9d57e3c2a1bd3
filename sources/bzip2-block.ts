/**
 * One block of bzip2: bits to symbols (canonical Huffman codes), to the last column of the sorted rotations (move to front, runs of
 * zeros), to the text before it was sorted. What the first stage of bzip2 made of runs of equal bytes is undone while the
 * text is taken, so that a block of 900,000 bytes that says 46 million needs no room for them.
 */

/** Something in the block is not as it can be. */
export class Impossible extends Error {}
/** The bits ended. */
export class Short extends Error {}

/** Bytes behind the end that may be read, all 0, before it is noticed: those that a group of symbols may take. */
export const SLACK_BYTES = 256;

const MOST_SYMBOLS = 258;
const MOST_TABLES = 6;
const GROUP = 50;
const MOST_BITS = 20;
/** Codes up to this length are looked up at once. */
const QUICK_BITS = 10;
const RUN_A = 0;
const RUN_B = 1;

/** Bits of a buffer, the highest of a byte first. */
export class Bits {
  bytes: Uint8Array;
  /** Where the bytes end; SLACK_BYTES of 0 follow. */
  end: number;
  /** The next byte; `held` bits before it, fewer than 8, are still to be read. */
  at: number;
  held = 0;
  #window = 0;

  constructor(bytes: Uint8Array, at: number, end: number) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** @param count up to 24 */
  read(count: number): number {
    while (this.held < count) {
      if (this.at >= this.end) throw new Short();
      this.#window = (this.#window << 8) | this.bytes[this.at++]!;
      this.held += 8;
    }
    this.held -= count;
    return (this.#window >>> this.held) & ((1 << count) - 1);
  }

  /** 32 bits, unsigned. */
  word(): number {
    return this.read(16) * 0x10000 + this.read(16);
  }

  /** On to the next whole byte. */
  align(): void {
    this.held = 0;
  }

  /** The state for a loop that reads by itself, and back. */
  get window(): number {
    return this.#window;
  }

  /** Bytes that were read too far, those of the slack perhaps, are read again. */
  resume(at: number, held: number, window: number): void {
    const whole = held >>> 3;
    if (at - whole > this.end) throw new Short();
    this.at = at - whole;
    this.held = held & 7;
    this.#window = window >>> (whole * 8);
  }
}

/** The codes of one table. */
class Codes {
  /** By the next QUICK_BITS bits: symbol << 5 | length; 0: it is longer. */
  readonly quick = new Uint16Array(1 << QUICK_BITS);
  /** By length: the first code above it, moved up to MOST_BITS bits. */
  readonly limit = new Int32Array(MOST_BITS + 2);
  /** By length: what is added to a code to have its place in `symbols`. */
  readonly offset = new Int32Array(MOST_BITS + 2);
  readonly symbols = new Uint16Array(MOST_SYMBOLS);
  longest = 0;

  /** Of the lengths of the codes of each symbol. */
  fill(lengths: Uint8Array, count: number): void {
    const { quick, limit, offset, symbols } = this;
    quick.fill(0);
    this.longest = 0;
    let code = 0;
    let place = 0;
    for (let length = 1; length <= MOST_BITS; length++) {
      offset[length] = place - code;
      for (let symbol = 0; symbol < count; symbol++) {
        if (lengths[symbol] !== length) continue;
        symbols[place++] = symbol;
        if (length <= QUICK_BITS) {
          const first = code << (QUICK_BITS - length);
          quick.fill((symbol << 5) | length, first, first + (1 << (QUICK_BITS - length)));
        }
        code++;
        this.longest = length;
      }
      // More codes than there can be.
      if (code > 1 << length) throw new Impossible();
      limit[length] = code << (MOST_BITS - length);
      code <<= 1;
    }
  }
}

/** Decodes blocks into memory that it keeps. */
export class BlockDecoder {
  /** The text in sorted order, a byte in the low 8 bits of each; above them, where the byte after it is. */
  readonly #links: Uint32Array;
  readonly #tables = Array.from({ length: MOST_TABLES }, () => new Codes());
  readonly #selectors = new Uint8Array(1 << 15);
  readonly #used = new Uint8Array(256);
  #length = 0;
  #start = 0;

  constructor(mostBytes: number) {
    this.#links = new Uint32Array(mostBytes);
  }

  /** What follows the checksum of a block. @throws Short, Impossible */
  decode(bits: Bits): void {
    // Of bzip2 before 0.9.5, for what it took to be hard to sort.
    if (bits.read(1) === 1)
      throw new Impossible('blocks are "randomised", as bzip2 did until 1999: decompress it with bzip2 -dc');
    const origin = bits.read(24);
    const symbols = this.#alphabet(bits);
    const selectors = this.#codes(bits, symbols + 2);
    const counts = this.#symbolsOf(bits, symbols + 1, selectors);
    if (origin >= this.#length) throw new Impossible();
    this.#link(counts);
    this.#start = origin;
  }

  /** The bytes that occur; gives how many. */
  #alphabet(bits: Bits): number {
    const rows = bits.read(16);
    let count = 0;
    for (let row = 0; row < 16; row++) {
      if (((rows >>> (15 - row)) & 1) === 0) continue;
      const columns = bits.read(16);
      for (let column = 0; column < 16; column++)
        if (((columns >>> (15 - column)) & 1) === 1) this.#used[count++] = row * 16 + column;
    }
    if (count === 0) throw new Impossible();
    return count;
  }

  /** The tables, and which is used for which group of symbols; gives how many groups there may be. */
  #codes(bits: Bits, symbols: number): number {
    const tables = bits.read(3);
    const selectors = bits.read(15);
    if (tables < 2 || tables > MOST_TABLES || selectors === 0) throw new Impossible();
    const front = Uint8Array.from({ length: tables }, (_, table) => table);
    for (let at = 0; at < selectors; at++) {
      let place = 0;
      while (bits.read(1) === 1) if (++place === tables) throw new Impossible();
      const table = front[place]!;
      front.copyWithin(1, 0, place);
      front[0] = table;
      this.#selectors[at] = table;
    }
    const lengths = new Uint8Array(MOST_SYMBOLS);
    for (let table = 0; table < tables; table++) {
      let length = bits.read(5);
      for (let symbol = 0; symbol < symbols; symbol++) {
        while (bits.read(1) === 1) length += bits.read(1) === 1 ? -1 : 1;
        if (length < 1 || length > MOST_BITS) throw new Impossible();
        lengths[symbol] = length;
      }
      this.#tables[table]!.fill(lengths, symbols);
    }
    return selectors;
  }

  /** The last column, into `#links`; gives how often each byte is in it. The hot loop: its bits are its own. */
  #symbolsOf(bits: Bits, last: number, selectors: number): Int32Array {
    const { bytes, end } = bits;
    let { at, held, window } = bits;
    const links = this.#links;
    const most = links.length;
    const front = this.#used;
    const counts = new Int32Array(256);
    let [length, run, weight] = [0, 0, 1];
    for (let group = 0; group < selectors; group++) {
      const { quick, limit, offset, symbols, longest } = this.#tables[this.#selectors[group]!]!;
      // A group takes 125 bytes at most, which the slack has.
      if (at - (held >>> 3) > end) throw new Short();
      for (let left = GROUP; left > 0; left--) {
        while (held < MOST_BITS) {
          window = (window << 8) | bytes[at++]!;
          held += 8;
        }
        let symbol: number;
        const entry = quick[(window >>> (held - QUICK_BITS)) & ((1 << QUICK_BITS) - 1)]!;
        if (entry !== 0) {
          held -= entry & 31;
          symbol = entry >>> 5;
        } else {
          const code = (window >>> (held - MOST_BITS)) & ((1 << MOST_BITS) - 1);
          let size = 1;
          while (size <= longest && code >= limit[size]!) size++;
          if (size > longest) throw wrong(at, held, end);
          held -= size;
          symbol = symbols[(code >>> (MOST_BITS - size)) + offset[size]!]!;
        }
        if (symbol <= RUN_B) {
          run += (symbol === RUN_A ? 1 : 2) * weight;
          weight *= 2;
          if (run > most) throw wrong(at, held, end);
          continue;
        }
        if (run > 0) {
          if (length + run > most) throw wrong(at, held, end);
          const byte = front[0]!;
          counts[byte]! += run;
          links.fill(byte, length, length + run);
          length += run;
          [run, weight] = [0, 1];
        }
        if (symbol === last) {
          this.#length = length;
          bits.resume(at, held, window);
          return counts;
        }
        if (length === most) throw wrong(at, held, end);
        const place = symbol - 1;
        const byte = front[place]!;
        if (place < 32) for (let to = place; to > 0; to--) front[to] = front[to - 1]!;
        else front.copyWithin(1, 0, place);
        front[0] = byte;
        counts[byte]!++;
        links[length++] = byte;
      }
    }
    throw wrong(at, held, end);
  }

  /** From the last column to the text: each byte is told where the one after it is. */
  #link(counts: Int32Array): void {
    const links = this.#links;
    let before = 0;
    for (let byte = 0; byte < 256; byte++) {
      const count = counts[byte]!;
      counts[byte] = before;
      before += count;
    }
    for (let at = 0; at < this.#length; at++) {
      const to = counts[links[at]! & 0xff]!++;
      links[to] = links[to]! | (at << 8);
    }
  }

  /** The text of the block, in pieces in the same memory, with its checksum at the end. */
  *text(piece: Uint8Array): Generator<Uint8Array, number> {
    const links = this.#links;
    let checksum = -1;
    let filled = 0;
    let link = links[this.#start]! >>> 8;
    let [last, equal] = [-1, 0];
    for (let left = this.#length; left > 0; left--) {
      const entry = links[link]!;
      const byte = entry & 0xff;
      link = entry >>> 8;
      let times = 1;
      if (equal === 4) {
        times = byte;
        equal = 0;
      } else {
        equal = byte === last ? equal + 1 : 1;
        last = byte;
      }
      // Almost always one.
      for (; times > 0; times--) {
        piece[filled++] = last;
        checksum = (checksum << 8) ^ CHECKSUMS[(checksum >>> 24) ^ last]!;
        if (filled < piece.length) continue;
        yield piece;
        filled = 0;
      }
      if (equal === 0) last = -1;
    }
    if (filled > 0) yield piece.subarray(0, filled);
    return ~checksum >>> 0;
  }
}

/** Bits behind the end say anything. */
function wrong(at: number, held: number, end: number): Error {
  return at - (held >>> 3) > end ? new Short() : new Impossible();
}

/** CRC-32 by the highest bit first. */
const CHECKSUMS = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ 0x04c1_1db7 : value << 1;
  return value;
});
