/**
 * The laws of a source: an origin is announced before its bytes, all bytes come in order, reading again gives the same (L10),
 * an abort ends it, and what goes wrong is an IngestError of kind source that names the origin.
 */
import { expect } from 'vitest';
import { IngestError } from '../../src/errors.js';
import type { Origin, Source } from '../../src/types.js';

/** An origin's name and all its bytes. */
export interface Read {
  readonly origin: Origin;
  readonly bytes: Uint8Array;
}

/** All laws of a source that can be read. `make` opens it anew; `expected` is what it should give. */
export async function conformSource(make: () => Promise<Source> | Source, expected: readonly (readonly [string, Uint8Array])[]) {
  const first = await readAll(await make());
  givesTheseOrigins(first, expected);
  const second = await readAll(await make());
  givesTheseOrigins(second, expected);
  expect(second.map(withoutProgress), 'read a second time').toEqual(first.map(withoutProgress));
  await stopsWhenAborted(await make());
}

/** How far a reading is, is its own. */
function withoutProgress({ origin: { done: _, ...origin } }: Read): Origin {
  return origin;
}

/** Order: origins as expected, each with its bytes whole, and its length right where it is announced. */
function givesTheseOrigins(found: readonly Read[], expected: readonly (readonly [string, Uint8Array])[]): void {
  expect(found.map(({ origin }) => origin.uri)).toEqual(expected.map(([uri]) => uri));
  for (const [at, { origin, bytes }] of found.entries()) {
    const [uri, wanted] = expected[at]!;
    expect(Buffer.compare(bytes, wanted), `the bytes of ${uri}`).toBe(0);
    // With `done`, the length is that of what is stored.
    if (origin.bytes !== undefined && origin.done === undefined) expect(origin.bytes, `the length of ${uri}`).toBe(wanted.length);
  }
}

/** An abort is an end: the signal's reason comes out, or nothing more does. */
async function stopsWhenAborted(source: Source): Promise<void> {
  const abort = new AbortController();
  const reason = new Error('enough');
  let bytes = 0;
  try {
    for await (const item of source.read(abort.signal)) {
      if (abort.signal.aborted && item instanceof Uint8Array) bytes += item.length;
      abort.abort(reason);
    }
  } catch (error) {
    expect([reason.message, 'The operation was aborted'], 'what an aborted read throws').toContain((error as Error).message);
  }
  expect(bytes, 'bytes given after the abort').toBe(0);
}

/** What goes wrong says who must act, why in a stable word, and where. */
export async function failsAs(reading: Promise<unknown>, reason: string, origin: string): Promise<IngestError> {
  const error = await reading.then(
    () => expect.fail('nothing failed'),
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(IngestError);
  expect(error).toMatchObject({ kind: 'source', reason, origin });
  expect((error as IngestError).message).toContain(origin);
  return error as IngestError;
}

/** Reads to the end. Buffers may be reused once the next is asked for, so they are copied. */
export async function readAll(source: Source, signal = new AbortController().signal): Promise<Read[]> {
  const found: { origin: Origin; parts: Buffer[] }[] = [];
  for await (const item of source.read(signal)) {
    if (!(item instanceof Uint8Array)) found.push({ origin: item, parts: [] });
    else {
      expect(found, 'bytes before an origin').not.toHaveLength(0);
      found.at(-1)!.parts.push(Buffer.from(item));
    }
  }
  return found.map(({ origin, parts }) => ({ origin, bytes: Buffer.concat(parts) }));
}
