/**
 * Chunk ids: UUIDs (version 5, RFC 9562) of what a chunk is and roughly where it stands, so that they are the same in every
 * run and on every machine, and text inserted above leaves them unchanged unless it crosses a 64 MiB line.
 *
 * The name is `source NUL field NUL stretch NUL ordinal NUL text`: `stretch` is floor(start / 2^26), `ordinal` the number of
 * equal texts before this one in that stretch of that source and field. The namespace is the UUID whose sixteen bytes are
 * the ASCII text `millrace chunks ` (6d696c6c-7261-6365-2063-68756e6b7320).
 */
import type { Piece } from './types.js';

/** SHA-1 of the UTF-8 bytes of a text, as 40 lower-case hex digits. */
export type Sha1 = (text: string) => string;

const NAMESPACE = 'millrace chunks ';

/** How far apart equal texts may lie and still be told apart by their ordinal, in source bytes. */
const STRETCH_BYTES = 2 ** 26;

/** Gives ids to the chunks of one source, asked in the order of their starts. */
export class Identifier {
  readonly #sha1: Sha1;
  readonly #source: string;
  #stretch = -1;
  #seen = new Seen();

  constructor(source: string, sha1: Sha1) {
    this.#source = source;
    this.#sha1 = sha1;
  }

  idOf(piece: Pick<Piece, 'text' | 'start'>, field = ''): string {
    const stretch = Math.floor(piece.start / STRETCH_BYTES);
    if (stretch !== this.#stretch) {
      this.#stretch = stretch;
      this.#seen = new Seen();
    }
    const first = this.#digest(piece.text, field, 0);
    const ordinal = this.#seen.add(first);
    return uuid(ordinal === 0 ? first : this.#digest(piece.text, field, ordinal));
  }

  #digest(text: string, field: string, ordinal: number): string {
    return this.#sha1(`${NAMESPACE}${this.#source}\0${field}\0${this.#stretch}\0${ordinal}\0${text}`);
  }
}

/** Version 5 and the RFC's variant, laid over the first 128 bits of a SHA-1. */
function uuid(hex: string): string {
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Counts equal digests by their first 64 bits: an open-addressing table of twelve bytes a place, at most half full. A Map of
 * strings would take ten times that, which tells when chunks are a few characters long.
 */
class Seen {
  #high = new Uint32Array(64);
  #low = new Uint32Array(64);
  #times = new Uint32Array(64);
  #used = 0;

  /** How often this digest was added before. */
  add(hex: string): number {
    if (this.#used * 2 >= this.#times.length) this.#grow();
    const high = Number.parseInt(hex.slice(0, 8), 16);
    const low = Number.parseInt(hex.slice(8, 16), 16);
    const place = this.#place(high, low);
    const times = this.#times[place]!;
    if (times === 0) {
      this.#high[place] = high;
      this.#low[place] = low;
      this.#used++;
    }
    this.#times[place] = times + 1;
    return times;
  }

  #place(high: number, low: number): number {
    const mask = this.#times.length - 1;
    let place = low & mask;
    while (this.#times[place] !== 0 && (this.#high[place] !== high || this.#low[place] !== low)) place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const [high, low, times] = [this.#high, this.#low, this.#times];
    const size = times.length * 2;
    this.#high = new Uint32Array(size);
    this.#low = new Uint32Array(size);
    this.#times = new Uint32Array(size);
    times.forEach((count, from) => {
      if (count === 0) return;
      const place = this.#place(high[from]!, low[from]!);
      this.#high[place] = high[from]!;
      this.#low[place] = low[from]!;
      this.#times[place] = count;
    });
  }
}
