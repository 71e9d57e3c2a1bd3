/**
 * Numbers of an embedding as text: decimals of seven digits, or of eight or nine where those are needed to read back as the same
 * 32-bit number, since stores keep no more. Half of what JSON.stringify takes, at several times its speed. That the numbers are
 * finite and fit 32 bits is the caller's promise.
 */

/** That tell any two of these numbers apart. */
const DIGITS = 9;
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/** Writes from `at`, where there must be room for 16 bytes a number, with commas between them. Returns where it ended. */
export function writeFloats(values: readonly number[], into: Uint8Array, at: number): number {
  for (let i = 0; i < values.length; i++) {
    if (i > 0) into[at++] = COMMA;
    at = writeFloat(Math.fround(values[i]!), into, at);
  }
  return at;
}

/** Where the first stands that is no finite number of 32 bits; -1: none does. */
export function strangeFloat(values: readonly number[]): number {
  for (let i = 0; i < values.length; i++) {
    const value: unknown = values[i];
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value))) return i;
  }
  return -1;
}

/** The same as a string, for formats that are put together otherwise. */
export function floatText(value: number): string {
  const end = writeFloat(Math.fround(value), SHORT, 0);
  return SHORT.toString('latin1', 0, end);
}

const SHORT = Buffer.alloc(24);
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

/**
 * A 32-bit number has nine digits at most. Seven are tried first, then eight, then nine: as a whole number n of 10^-places, both
 * of which a double holds exactly, so that n / 10^places is the decimal rounded once, and one more rounding tells whether it is
 * the number.
 */
function writeFloat(value: number, into: Uint8Array, at: number): number {
  if (value === 0) {
    into[at] = ZERO;
    return at + 1;
  }
  const size = Math.abs(value);
  if (size < 1e-7 || size >= 1e6) return writeRare(value, into, at);
  if (value < 0) into[at++] = MINUS;
  // Digits before the point; below 1 it is how many zeros follow it, as a negative number.
  const magnitude = magnitudeOf(size);
  for (let digits = 7; ; digits++) {
    const places = digits - magnitude;
    const power = POWERS[places]!;
    const whole = Math.round(size * power);
    if (digits === DIGITS || Math.fround(whole / power) === size) return writeDecimal(whole, places, into, at);
  }
}

function magnitudeOf(size: number): number {
  let magnitude = 0;
  if (size >= 1) while (size >= POWERS[magnitude]!) magnitude++;
  else while (size * POWERS[1 - magnitude]! < 1) magnitude--;
  return magnitude;
}

/** `whole` is at most 2^31 - 1, and not 0. */
function writeDecimal(whole: number, places: number, into: Uint8Array, at: number): number {
  // Whole numbers of 32 bits throughout: division by ten is then a multiplication.
  let left = whole | 0;
  for (let tenth = (left / 10) | 0; places > 0 && tenth * 10 === left; tenth = (left / 10) | 0) {
    left = tenth;
    places--;
  }
  const before = Math.max(1, digitsOf(left) - places);
  const end = at + before + (places > 0 ? places + 1 : 0);
  let to = end - 1;
  for (; places > 0; places--) {
    const tenth = (left / 10) | 0;
    into[to--] = ZERO + (left - tenth * 10);
    left = tenth;
    if (places === 1) into[to--] = POINT;
  }
  for (; to >= at; to--) {
    const tenth = (left / 10) | 0;
    into[to] = ZERO + (left - tenth * 10);
    left = tenth;
  }
  return end;
}

function digitsOf(whole: number): number {
  if (whole >= 10_000_000) return whole >= 1_000_000_000 ? 10 : whole >= 100_000_000 ? 9 : 8;
  let digits = 1;
  for (let power = 10; whole >= power; power *= 10) digits++;
  return digits;
}

/** Very small and very large numbers: the engine's text of as many digits as are needed. */
function writeRare(value: number, into: Uint8Array, at: number): number {
  let text = '';
  for (let digits = 1; digits <= DIGITS; digits++) {
    text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) break;
  }
  for (let i = 0; i < text.length; i++) into[at + i] = text.charCodeAt(i);
  return at + text.length;
}
