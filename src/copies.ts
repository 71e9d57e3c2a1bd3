/**
 * Bytes in memory of their own, for those who keep what they were lent: sources use their buffers again, and the `slice` of a Buffer
 * is a view of the same memory.
 */

export function copy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/** All of them, one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
