/** Compressed inputs: the same bytes as if they were not, whatever they come in and however; a fault for all that is not whole. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inflated } from '../../sources/inflate.js';
import { IngestError } from '../../src/errors.js';
import type { Origin, Source } from '../../src/types.js';
import { conformSource, failsAs, readAll } from '../conformance/source.js';
import { canned, dayBook, decompressed, type Form, forms } from '../support/compressed.js';
import { seeded } from '../support/random.js';

const text = (content: string) => new TextEncoder().encode(content);
const each = forms.map((form) => [form.name, form] as const);

/** What becomes of bytes: those they are, or the reason why not. */
async function outcome(name: string, bytes: Uint8Array): Promise<Uint8Array | string> {
  try {
    const [read] = await readAll(decompressed(name, bytes));
    return read!.bytes;
  } catch (error) {
    if (!(error instanceof IngestError) || error.kind !== 'source' || error.origin !== name) throw error;
    return error.reason;
  }
}

const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

describe('a compressed source', () => {
  it.each(each)('keeps the laws of sources: %s', async (name, { bytes }) => {
    await conformSource(() => decompressed(name, bytes), [[name, dayBook]]);
  });

  it.each(each)('is the same however it comes: %s', async (name, { bytes, compression }) => {
    for (const most of [1000, 65_537]) {
      const [read] = await readAll(decompressed(name, bytes, { most }));
      expect(read!.origin.compression).toBe(compression);
      expect(isSame(read!.bytes, dayBook), `${most} at a time`).toBe(true);
    }
  });

  it.each(forms.filter(({ name }) => /^(book.*(zst|bz2)|frames)/.test(name)).map((form) => [form.name, form] as const))(
    'is the same a byte at a time: %s',
    async (name, { bytes }) => {
      const [read] = await readAll(decompressed(name, bytes, { most: 1 }));
      expect(isSame(read!.bytes, dayBook)).toBe(true);
    },
  );

  it('is the same a byte at a time in the others, where that takes long', async () => {
    const short = dayBook.slice(0, 20_000);
    for (const [name, bytes] of [
      ['a.gz', gzipSync(short)],
      ['a.br', brotliCompressSync(short)],
    ] as const) {
      const [read] = await readAll(decompressed(name, bytes, { most: 1 }));
      expect(isSame(read!.bytes, short)).toBe(true);
    }
  });

  it.each(each.filter(([, { compression }]) => compression !== 'br'))('is known by its first bytes: %s', async (_, form) => {
    for (const most of [64, 1 << 20]) {
      const [read] = await readAll(decompressed('-', form.bytes, { most }));
      expect(read!.origin.compression).toBe(form.compression);
      expect(isSame(read!.bytes, dayBook)).toBe(true);
    }
  });

  it('tells how much of it was read, where it is compressed', async () => {
    const { name, bytes } = forms[0]!;
    let [origin, done]: [Origin | undefined, number] = [undefined, 0];
    for await (const item of decompressed(name, bytes).read(new AbortController().signal)) {
      if (!(item instanceof Uint8Array)) origin = item;
      else {
        expect(origin!.done!()).toBeGreaterThanOrEqual(done);
        done = origin!.done!();
      }
    }
    expect(origin).toMatchObject({ uri: name, bytes: bytes.length, compression: 'gzip' });
    expect(origin!.done!()).toBe(bytes.length);
  });

  it.each(each)('cut at any place is an error: %s', async (name, { bytes, ends }) => {
    await seeded(50, async (rng) => {
      const at = rng.between(0, bytes.length - 1);
      if (ends.includes(at)) return;
      expect(await outcome(name, bytes.subarray(0, at)), `cut at ${at}`).toBe('cut-short');
    });
  });

  it.each(each)('cut near its ends, or where a part of it ends: %s', async (name, { bytes, ends }) => {
    const places = [0, 1, 2, 3, 4, 5, 9, 10, 11, ...Array.from({ length: 12 }, (_, back) => bytes.length - 1 - back)];
    for (const end of ends) places.push(end - 1, end + 1, end + 2, end + 3, end + 7);
    for (const at of places) {
      if (ends.includes(at)) continue;
      expect(await outcome(name, bytes.subarray(0, at)), `cut at ${at}`).toBe('cut-short');
    }
  });

  it.each(each.filter(([name, { compression }]) => compression !== 'br' && !name.startsWith('frames')))(
    'with a bit that changed is an error, or the same: %s',
    async (name, { bytes }) => {
      let errors = 0;
      await seeded(50, async (rng) => {
        const spoilt = bytes.slice();
        const at = rng.between(0, bytes.length - 1);
        spoilt[at]! ^= 1 << rng.between(0, 7);
        const found = await outcome(name, spoilt);
        if (typeof found === 'string') errors++;
        else expect(isSame(found, dayBook), `byte ${at} changed`).toBe(true);
      });
      // What may change is a date in a header and the like.
      expect(errors).toBeGreaterThan(45);
    },
  );

  it('in brotli, which has no checksum, with a bit that changed is an error or other text, but ends', async () => {
    const { name, bytes } = forms.find(({ compression }) => compression === 'br')!;
    await seeded(25, async (rng) => {
      const spoilt = bytes.slice();
      spoilt[rng.between(0, bytes.length - 1)]! ^= 1 << rng.between(0, 7);
      await outcome(name, spoilt);
    });
  });

  it.each(each)('with anything behind it is an error: %s', async (name, { bytes }) => {
    for (const more of [[0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [...text('garbage and some more of it')]]) {
      const whole = Uint8Array.from([...bytes, ...more]);
      for (const most of [1 << 20, bytes.length]) {
        const reading = readAll(decompressed(name, whole, { most }));
        const error = await failsAs(reading, 'trailing-bytes', name);
        expect(error.message).toContain(`at byte ${bytes.length} of the compressed data`);
      }
    }
  });

  it('is an error under a name that says something else', async () => {
    for (const [name, reason] of [
      ['a.txt.gz', 'not-gzip'],
      ['a.zst', 'not-zstd'],
      ['a.zstd', 'not-zstd'],
      ['a.BZ2', 'not-bzip2'],
    ] as const) {
      const error = await failsAs(readAll(decompressed(name, text('plain text, and enough of it'))), reason, name);
      expect(error.message).toContain('--compression none');
    }
    const brotli = await failsAs(readAll(decompressed('a.br', text('plain text, and enough of it'))), 'damaged', 'a.br');
    expect(brotli.message).toContain('--compression none');
    await failsAs(readAll(decompressed('a.gz', forms[3]!.bytes)), 'not-gzip', 'a.gz');
  });

  it('is what the option says, whatever its name and its bytes', async () => {
    const [gzip, , brotli] = forms as [Form, Form, Form];
    const [asIs] = await readAll(decompressed('a.gz', gzip.bytes, { compression: 'none' }));
    expect(asIs!.origin.compression).toBeUndefined();
    expect(isSame(asIs!.bytes, gzip.bytes)).toBe(true);
    const [undone] = await readAll(decompressed('-', brotli.bytes, { compression: 'br' }));
    expect(isSame(undone!.bytes, dayBook)).toBe(true);
    await failsAs(readAll(decompressed('-', text('plain'), { compression: 'gzip' })), 'not-gzip', '-');
  });
});

describe('a source that is not compressed', () => {
  it.each(['', 'x', 'BZ', 'BZh9 is no more than text', '\u001f', '(µ/', 'P*M', 'plain text, and enough of it'])(
    'passes as it is: %j',
    async (content) => {
      for (const most of [1, 4, 1 << 20]) {
        await conformSource(() => decompressed('a.txt', text(content), { most }), [['a.txt', text(content)]]);
        const [read] = await readAll(decompressed('a.txt', text(content), { most }));
        expect(read!.origin).toEqual({ uri: 'a.txt', bytes: text(content).length });
      }
    },
  );

  it('may be one of several origins, compressed or not', async () => {
    const origins = [
      ['a.txt', text('first')],
      ['b.gz', gzipSync('second')],
      ['c.txt', text('')],
      ['d', gzipSync('fourth')],
    ] as const;
    const source: Source = {
      async *read() {
        for (const [uri, bytes] of origins) yield* canned(uri, bytes, 2).read(new AbortController().signal);
      },
    };
    const read = await readAll(inflated(source, { compression: 'auto', maxRatio: 1000, maxInputBytes: undefined }));
    expect(read.map(({ origin: { uri, compression }, bytes }) => [uri, compression, Buffer.from(bytes).toString()])).toEqual([
      ['a.txt', undefined, 'first'],
      ['b.gz', 'gzip', 'second'],
      ['c.txt', undefined, ''],
      ['d', 'gzip', 'fourth'],
    ]);
  });

  it('keeps what is known of it beforehand', () => {
    const source = { ...canned('a.txt', text('x')), paths: ['/a.txt'] };
    expect(inflated(source, { compression: 'auto', maxRatio: 1, maxInputBytes: 1 })).toMatchObject({
      origin: source.origin,
      paths: source.paths,
    });
  });
});

describe('limits', () => {
  /** 70 MiB of nothing, in 70 KB. */
  const bomb = gzipSync(new Uint8Array(70 * 2 ** 20));

  it('stop what grows too much, past the first 64 MiB', async () => {
    const error = await failsAs(readAll(decompressed('a.gz', bomb)), 'ratio', 'a.gz');
    expect(error.message).toContain('--max-ratio');
    expect(error.at).toBeGreaterThan(2 ** 26);
    const [read] = await readAll(decompressed('a.gz', bomb, { maxRatio: 1100 }));
    expect(read!.bytes.length).toBe(70 * 2 ** 20);
    const [small] = await readAll(decompressed('b.gz', gzipSync(new Uint8Array(2 ** 24)), { maxRatio: 1 }));
    expect(small!.bytes.length).toBe(2 ** 24);
  });

  it('stop what is larger than was allowed, compressed or not', async () => {
    const plain = text('twelve bytes');
    for (const [name, bytes] of [
      ['a.txt', plain],
      ['a.gz', gzipSync(plain)],
    ] as const) {
      const error = await failsAs(readAll(decompressed(name, bytes, { maxInputBytes: 11 })), 'too-large', name);
      expect(error.message).toContain('--max-input-bytes');
      const [read] = await readAll(decompressed(name, bytes, { maxInputBytes: 12 }));
      expect(isSame(read!.bytes, plain)).toBe(true);
    }
  });
});

describe('a reading that does not go to its end', () => {
  it('passes on what goes wrong with the source, as it is', async () => {
    for (const { name, bytes } of forms) {
      const cause = new IngestError('source', 'read-failed', 'it could not be read', { origin: name });
      const source: Source = {
        async *read() {
          yield { uri: name };
          yield bytes.subarray(0, bytes.length / 2);
          throw cause;
        },
      };
      const reading = readAll(inflated(source, { compression: 'auto', maxRatio: 1000, maxInputBytes: undefined }));
      await expect(reading, name).rejects.toBe(cause);
    }
  });

  it('closes the source', async () => {
    for (const { name, bytes } of forms) {
      let closed = false;
      const source: Source = {
        async *read(signal) {
          try {
            yield* canned(name, bytes, 1000).read(signal);
          } finally {
            closed = true;
          }
        },
      };
      const items = inflated(source, { compression: 'auto', maxRatio: 1000, maxInputBytes: undefined }).read(
        new AbortController().signal,
      );
      for await (const item of items) if (item instanceof Uint8Array) break;
      expect(closed, name).toBe(true);
    }
  });

  it('asks for no more than it needs', async () => {
    for (const { name, bytes, compression } of forms) {
      let given = 0;
      const source: Source = {
        async *read() {
          yield { uri: name };
          for (;;) {
            given++;
            yield bytes;
          }
        },
      };
      if (compression === 'br') continue;
      let taken = 0;
      const items = inflated(source, { compression: 'auto', maxRatio: 1000, maxInputBytes: undefined }).read(
        new AbortController().signal,
      );
      for await (const item of items) {
        if (item instanceof Uint8Array) taken += item.length;
        if (taken > 5 * dayBook.length) break;
      }
      // bzip2 wants as many bytes as any block may have: 2.3 MB.
      expect(given, name).toBeLessThan(compression === 'bzip2' ? 150 : 15);
    }
  });
});
