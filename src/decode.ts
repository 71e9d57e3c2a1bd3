/**
 * Bytes to segments: the charset signature, characters cut by a buffer's edge, bytes that are no text. Whatever the buffers,
 * the same segments' text and spans come out (law L1). A maximal run of bytes that cannot begin a character becomes one
 * U+FFFD (the practice of the WHATWG Encoding standard), reported to `onInvalid`, and is never part of a verbatim segment.
 */
import { IngestError } from './errors.js';
import { isHighSurrogate, isLowSurrogate, replacement } from './segment.js';
import type { Charset, Head, Machine, Segment } from './types.js';

/** Told of each maximal bad part, `[start, end)` in source bytes; may throw. */
export type OnInvalid = (start: number, end: number) => void;

/** One-byte encodings of the Encoding standard that Node has (it lacks iso-8859-16). `latin1` and `ascii` are labels of windows-1252 there, and so here. */
const ONE_BYTE = [
  ...['ibm866', 'koi8-r', 'koi8-u', 'macintosh', 'x-mac-cyrillic', 'windows-874'],
  ...[2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15].map((part) => `iso-8859-${part}`),
  ...[1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page) => `windows-${page}`),
];

export const CHARSETS: readonly Charset[] = ['utf-8', 'utf-16le', 'utf-16be', ...ONE_BYTE];

/**
 * Longest stretch of bytes decoded at once: a caller's huge buffer does not become a huge string, and one wide character
 * doubles the memory of few others.
 */
const STRETCH_BYTES = 1 << 14;

/** The charset that a label such as `UTF8`, `latin1` or `cp1251` means, or undefined where it is unknown or not supported. */
export function charsetOf(label: string): Charset | undefined {
  let name: string;
  try {
    name = new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
  return CHARSETS.find((charset) => charset === name);
}

/** Longest signature looked for, in bytes: `signatureOf` is sure once it has seen this many, or the whole input. */
export const SIGNATURE_BYTES = 3;

/** What the first bytes say: the charset, and how many of them are its signature (BOM). Without one: `fallback`. */
export function signatureOf(head: Uint8Array, encoding: 'auto' | Charset): Head {
  const found =
    head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf
      ? { charset: 'utf-8', bytes: 3 }
      : head[0] === 0xff && head[1] === 0xfe
        ? { charset: 'utf-16le', bytes: 2 }
        : head[0] === 0xfe && head[1] === 0xff
          ? { charset: 'utf-16be', bytes: 2 }
          : undefined;
  if (encoding === 'auto') return found ?? { charset: 'utf-8', bytes: 0 };
  return found?.charset === encoding ? found : { charset: encoding, bytes: 0 };
}

/** Decodes an origin from its first byte: finds its signature, takes it off, and decodes the rest. */
export class HeadedDecoder implements Machine<Uint8Array, Segment> {
  readonly #encoding: 'auto' | Charset;
  readonly #onInvalid: OnInvalid;
  /** Bytes held until the signature is decided, at most SIGNATURE_BYTES - 1. */
  #held: Uint8Array = new Uint8Array(0);
  #decoder: Machine<Uint8Array, Segment> | undefined;
  #head: Head | undefined;

  constructor(encoding: 'auto' | Charset, onInvalid: OnInvalid) {
    this.#encoding = encoding;
    this.#onInvalid = onInvalid;
  }

  /** Known before the first segment, and after `end` in any case. */
  get head(): Head | undefined {
    return this.#head;
  }

  push(input: Uint8Array): Iterable<Segment> {
    if (this.#decoder !== undefined) return this.#decoder.push(input);
    this.#held = copied(joined(this.#held, input));
    return this.#held.length >= SIGNATURE_BYTES ? this.#begin().push(this.#rest()) : [];
  }

  *end(): Iterable<Segment> {
    const machine = this.#decoder ?? this.#begin();
    yield* machine.push(this.#rest());
    yield* machine.end();
  }

  #begin(): Machine<Uint8Array, Segment> {
    this.#head = signatureOf(this.#held, this.#encoding);
    this.#decoder = decoder(this.#head.charset, this.#head.bytes, this.#onInvalid);
    return this.#decoder;
  }

  /** What is held beyond the signature; it is held no more. */
  #rest(): Uint8Array {
    const rest = this.#held.length === 0 ? this.#held : this.#held.subarray(this.#head!.bytes);
    this.#held = new Uint8Array(0);
    return rest;
  }
}

/**
 * Decodes bytes that begin at source byte `at`. The signature must already be gone.
 * @throws IngestError kind config when the charset is not one of CHARSETS
 */
export function decoder(charset: Charset, at: number, onInvalid: OnInvalid): Machine<Uint8Array, Segment> {
  if (charset === 'utf-8') return new Decoder(at, onInvalid, UTF8);
  if (charset === 'utf-16le' || charset === 'utf-16be') return new Decoder(at, onInvalid, utf16(charset));
  if (ONE_BYTE.includes(charset)) return new Decoder(at, onInvalid, oneByteOnce(charset));
  throw new IngestError(
    'config',
    'unsupported-encoding',
    `encoding ${charset} is not supported; use one of ${CHARSETS.join(', ')}`,
  );
}

/** What the Decoder needs to know of a family of charsets. */
interface Form {
  /** All of it as text, or undefined when any of it is bad. */
  whole(bytes: Uint8Array): string | undefined;
  /** How many bytes at the end may still become one character with what follows. */
  openTail(bytes: Uint8Array): number;
  /** Length of the character at `from`, or the bad part there as a negative length. */
  step(bytes: Uint8Array, from: number): number;
}

class Decoder implements Machine<Uint8Array, Segment> {
  readonly #onInvalid: OnInvalid;
  readonly #form: Form;
  /** Source byte of the first carried byte, or of the next input when nothing is carried. */
  #at: number;
  /** The open end of the last stretch: at most three bytes, our own copy. */
  #carry: Uint8Array = new Uint8Array(0);

  constructor(at: number, onInvalid: OnInvalid, form: Form) {
    this.#at = at;
    this.#onInvalid = onInvalid;
    this.#form = form;
  }

  *push(input: Uint8Array): Iterable<Segment> {
    for (let from = 0; from < input.length; from += STRETCH_BYTES) {
      const bytes = joined(this.#carry, input.subarray(from, from + STRETCH_BYTES));
      const sure = bytes.length - this.#form.openTail(bytes);
      this.#carry = copied(bytes.subarray(sure));
      if (sure > 0) yield* this.#decode(bytes.subarray(0, sure));
    }
  }

  *end(): Iterable<Segment> {
    const rest = this.#carry;
    this.#carry = new Uint8Array(0);
    if (rest.length > 0) yield* this.#decode(rest);
  }

  *#decode(bytes: Uint8Array): Iterable<Segment> {
    const at = this.#at;
    this.#at = at + bytes.length;
    const text = this.#form.whole(bytes);
    if (text !== undefined) yield { text, start: at, end: this.#at, verbatim: true };
    else yield* this.#decodeParts(bytes, at);
  }

  /** The slow way, for stretches with bad parts in them. */
  *#decodeParts(bytes: Uint8Array, at: number): Iterable<Segment> {
    const form = this.#form;
    let good = 0;
    for (let i = 0; i < bytes.length; ) {
      const step = form.step(bytes, i);
      if (step > 0) {
        i += step;
        continue;
      }
      const text = i > good ? form.whole(bytes.subarray(good, i)) : undefined;
      if (text !== undefined) yield { text, start: at + good, end: at + i, verbatim: true };
      good = i - step;
      this.#onInvalid(at + i, at + good);
      yield replacement('\ufffd', at + i, at + good);
      i = good;
    }
    const text = good < bytes.length ? form.whole(bytes.subarray(good)) : undefined;
    if (text !== undefined) yield { text, start: at + good, end: at + bytes.length, verbatim: true };
  }
}

/** A copy in any case: the `slice` of a Node Buffer would be a view of memory that is not ours to keep. */
function copied(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

function joined(carry: Uint8Array, input: Uint8Array): Uint8Array {
  if (carry.length === 0) return input;
  const both = new Uint8Array(carry.length + input.length);
  both.set(carry);
  both.set(input, carry.length);
  return both;
}

function fatalDecode(textDecoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return textDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const FATAL_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const UTF8: Form = {
  whole: (bytes) => fatalDecode(FATAL_UTF8, bytes),

  openTail(bytes) {
    for (let back = 1; back <= 3 && back <= bytes.length; back++) {
      const byte = bytes[bytes.length - back]!;
      if ((byte & 0xc0) === 0x80) continue;
      return utf8Length(byte) > back ? back : 0;
    }
    return 0;
  },

  step(bytes, from) {
    const lead = bytes[from]!;
    const length = utf8Length(lead);
    if (length <= 1) return lead < 0x80 ? 1 : -1;
    for (let k = 1; k < length; k++) {
      const byte = bytes[from + k];
      // Past the end: the whole of a truncated character is one bad part.
      if (byte === undefined) return -k;
      if (byte < (k === 1 ? lowestSecond(lead) : 0x80) || byte > (k === 1 ? highestSecond(lead) : 0xbf)) return -k;
    }
    return length;
  },
};

/** Bytes of the character a lead byte begins; 0 for a byte that begins none. */
function utf8Length(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** Bounds on the second byte that keep out overlong forms, surrogates and what lies past U+10FFFF (Unicode, table 3-7). */
function lowestSecond(lead: number): number {
  return lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
}

function highestSecond(lead: number): number {
  return lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
}

function utf16(charset: 'utf-16le' | 'utf-16be'): Form {
  const fatal = new TextDecoder(charset, { fatal: true, ignoreBOM: true });
  const little = charset === 'utf-16le';
  const unitAt = (bytes: Uint8Array, i: number) => (little ? bytes[i]! | (bytes[i + 1]! << 8) : (bytes[i]! << 8) | bytes[i + 1]!);
  return {
    whole: (bytes) => fatalDecode(fatal, bytes),
    openTail(bytes) {
      const odd = bytes.length % 2;
      const last = bytes.length - odd - 2;
      return last >= 0 && isHighSurrogate(unitAt(bytes, last)) ? odd + 2 : odd;
    },
    step(bytes, from) {
      if (from + 1 >= bytes.length) return -1;
      const unit = unitAt(bytes, from);
      if (isLowSurrogate(unit)) return -2;
      if (!isHighSurrogate(unit)) return 2;
      // At the end, half a pair and half a unit after it are one truncated character.
      if (from + 3 === bytes.length) return -3;
      return from + 3 < bytes.length && isLowSurrogate(unitAt(bytes, from + 2)) ? 4 : -2;
    },
  };
}

const oneByteForms = new Map<Charset, Form>();

/** Kept, since finding out which bytes are undefined costs more than decoding a chunk. */
function oneByteOnce(charset: Charset): Form {
  const form = oneByteForms.get(charset) ?? oneByte(charset);
  oneByteForms.set(charset, form);
  return form;
}

function oneByte(charset: Charset): Form {
  // In one-shot mode Node 20 decodes windows-1252 wrongly; in stream mode it is right.
  const decode = (bytes: Uint8Array) => {
    const stream = new TextDecoder(charset);
    return stream.decode(bytes, { stream: true }) + stream.decode();
  };
  const undefinedBytes = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte++) undefinedBytes[byte] = decode(Uint8Array.of(byte)) === '\ufffd' ? 1 : 0;
  return {
    whole(bytes) {
      const text = decode(bytes);
      return text.includes('\ufffd') ? undefined : text;
    },
    openTail: () => 0,
    step: (bytes, from) => (undefinedBytes[bytes[from]!] === 1 ? -1 : 1),
  };
}
