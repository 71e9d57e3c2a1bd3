/**
 * Chunk ids: UUIDs (version 5, RFC 9562) of what a chunk is and roughly where it stands, so that they are the same in every
 * run and on every machine, and text inserted above leaves them unchanged unless it crosses a 64 MiB line.
 *
 * The name is `source NUL field NUL stretch NUL ordinal NUL text`: `stretch` is floor(start / 2^26), `ordinal` the number of
 * equal texts before this one in that stretch of that source and field. The namespace is the UUID whose sixteen bytes are
 * the ASCII text `millrace chunks ` (6d696c6c-7261-6365-2063-68756e6b7320).
 */
import { Seen } from './seen.js';
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
    const ordinal = this.#seen.add(Number.parseInt(first.slice(0, 8), 16), Number.parseInt(first.slice(8, 16), 16));
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
