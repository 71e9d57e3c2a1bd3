/**
 * Makes a failure short. A law that fails on a random document is tried on ever smaller parts of it; the error then names the
 * smallest that still fails, as a string to paste into a regression test.
 */

/** Attempts at something smaller, in all, and the bytes they may take together: a law can be slow on a long document. */
const PATIENCE = 400;
const PATIENCE_BYTES = 2_000_000;

/** Runs a law on bytes. @throws the error of the smallest input found that breaks it, with that input in its message */
export function onBytes(bytes: Uint8Array, law: (bytes: Uint8Array) => void, setting?: unknown): void {
  const failure = failureOf(law, bytes);
  if (failure === undefined) return;
  const [small, error] = shrunk(bytes, law, failure);
  if (!(error instanceof Error)) throw error;
  const made = setting === undefined ? '' : ` with ${JSON.stringify(setting)}`;
  error.message = `${error.message}\nshortest input that fails${made}: ${shown(small)} (${small.length} bytes)`;
  throw error;
}

function shrunk(bytes: Uint8Array, law: (bytes: Uint8Array) => void, failure: { error: unknown }): [Uint8Array, unknown] {
  let best = bytes;
  let { error } = failure;
  let patience = PATIENCE;
  let bytesLeft = PATIENCE_BYTES;
  for (let size = bytes.length >> 1; size > 0 && patience > 0 && bytesLeft > 0; ) {
    let smaller = false;
    for (let at = 0; at < best.length && patience > 0 && bytesLeft > 0; patience--) {
      bytesLeft -= best.length;
      const tried = new Uint8Array([...best.subarray(0, at), ...best.subarray(at + size)]);
      const again = failureOf(law, tried);
      if (again === undefined) at += size;
      else [best, error, smaller] = [tried, again.error, true];
    }
    if (!smaller) size >>= 1;
  }
  return [best, error];
}

function failureOf(law: (bytes: Uint8Array) => void, bytes: Uint8Array): { error: unknown } | undefined {
  try {
    law(bytes);
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** A Latin-1 string literal for `Buffer.from(…, 'latin1')`, beginning and end of it when it is long. */
function shown(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  return text.length <= 400 ? escaped(text) : `${escaped(text.slice(0, 300))} … ${escaped(text.slice(-60))}`;
}

function escaped(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1);
  return `'${inner.replace(/[\x7f-\xff]/g, (each) => `\\x${each.charCodeAt(0).toString(16)}`)}'`;
}
