/**
 * Memory in which encoders put together what is to be written: text, JSON and numbers become bytes where they will lie, so that
 * nothing is built as one string and encoded again. Two blocks in turn: what was taken may be written while the next is filled.
 * No lone surrogate leaves it: half a pair becomes U+FFFD. It knows no format.
 */
import { jsonOf, writeJsonText } from './escape.js';
import { writeFloats } from './floats.js';

/** Room that is kept; more for one giant text is given back. */
const KEPT_BYTES = 512 * 1024;

export class Bytes {
  #block: Buffer = Buffer.alloc(0);
  #spare: Buffer = Buffer.alloc(0);
  #length = 0;

  /** Bytes since the last `take`. */
  get length(): number {
    return this.#length;
  }

  /** UTF-8. */
  text(text: string): void {
    this.#room(text.length * 3);
    this.#length += this.#block.write(text, this.#length);
  }

  /** Text of ASCII characters only; cheaper than `text`. */
  ascii(text: string): void {
    this.#room(text.length);
    this.#length += this.#block.write(text, this.#length, 'latin1');
  }

  /** A JSON string, quotes included. */
  string(text: string): void {
    this.#room(text.length * 6 + 2);
    this.#block[this.#length] = QUOTE;
    this.#length = writeJsonText(text, this.#block, this.#length + 1);
    this.#block[this.#length++] = QUOTE;
  }

  /** Any value as compact JSON. */
  json(value: unknown): void {
    this.text(jsonOf(value));
  }

  /** Numbers with commas between them, without brackets: short decimals that give the same 32-bit numbers. */
  floats(values: readonly number[]): void {
    this.#room(values.length * 16);
    this.#length = writeFloats(values, this.#block, this.#length);
  }

  /** Four bytes, the lowest first; of a larger number its lowest 32 bits. `at`: in place of what stands there. */
  uint32(value: number, at?: number): void {
    if (at === undefined) {
      this.#room(4);
      at = this.#length;
      this.#length += 4;
    }
    this.#block[at] = value;
    this.#block[at + 1] = value >>> 8;
    this.#block[at + 2] = value >>> 16;
    this.#block[at + 3] = value >>> 24;
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#block.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Forgets what came after the first `length` bytes. */
  cut(length: number): void {
    this.#length = length;
  }

  /** From here to the end; valid until anything is added. */
  since(length: number): Uint8Array {
    // No Buffer, whose `slice` would not copy.
    return new Uint8Array(this.#block.buffer, this.#block.byteOffset + length, this.#length - length);
  }

  /** All of it, which is valid until the `take` after this one. */
  take(): Uint8Array {
    const taken = this.since(0);
    const filled = this.#block.length > KEPT_BYTES * 2 ? Buffer.alloc(0) : this.#block;
    this.#block = this.#spare;
    this.#spare = filled;
    this.#length = 0;
    return taken;
  }

  #room(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#block.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(KEPT_BYTES, needed, needed > KEPT_BYTES * 4 ? 0 : this.#block.length * 2));
    larger.set(this.#block.subarray(0, this.#length));
    this.#block = larger;
  }
}

const QUOTE = 0x22;
