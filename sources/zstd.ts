/**
 * zstd: frames that follow each other, those to be skipped among them. Node's decompressor where it has one, else fzstd, which
 * is slower and proves nothing: the content's length and its XXH64, where a frame has these, are then held against it here.
 */
import { copy } from '../src/copies.js';
import type { Feed } from './feed.js';
import { through, zstdEngine } from './zlib.js';
import { type Frame, framesIn, type Part } from './zstd-frames.js';

/** @throws IngestError `not-zstd`, `cut-short`, `damaged`, `unsupported`, `trailing-bytes` */
export function unzstd(feed: Feed): AsyncGenerator<Uint8Array> {
  return zstdEngine === undefined ? unzstdByPackage(feed) : unzstdByNode(feed, zstdEngine());
}

async function* unzstdByNode(feed: Feed, engine: ReturnType<NonNullable<typeof zstdEngine>>): AsyncGenerator<Uint8Array> {
  const parts = framesIn(feed);
  let unused = 0;
  const input = {
    async slice(): Promise<Uint8Array | undefined> {
      for (;;) {
        const { done, value } = await parts.next();
        if (done === true) return undefined;
        if (value.bytes.length > 0) return value.bytes;
      }
    },
    back: (bytes: number) => {
      unused = bytes;
    },
  };
  yield* through(engine, input, feed, 'the zstd data');
  if (unused > 0) throw feed.fault('damaged', 'the zstd data ends before its frame does');
}

/** For Node before 22.15. */
export async function* unzstdByPackage(feed: Feed): AsyncGenerator<Uint8Array> {
  const [{ Decompress }, { default: xxhash }] = await Promise.all([import('fzstd'), import('xxhash-wasm')]);
  const { create64 } = await xxhash();
  let found: Uint8Array[] = [];
  const begin = () => ({ decompress: new Decompress((piece) => found.push(piece)), hash: create64(0n), length: 0 });
  let frame = begin();
  let header: Frame = { at: 0, content: undefined };
  for await (const part of framesIn(feed)) {
    if (part.begins !== undefined) {
      header = part.begins;
      frame = begin();
    }
    push(part);
    for (const piece of found) {
      frame.hash.update(piece);
      frame.length += piece.length;
      if (piece.length > 0) yield piece;
    }
    found = [];
    if (part.ends !== undefined) prove(part.ends.checksum);
  }

  function push({ bytes, ends }: Part): void {
    try {
      // It may keep them until there is a whole block, and they are used again.
      frame.decompress.push(copy(bytes));
      if (ends !== undefined) frame.decompress.push(new Uint8Array(0), true);
    } catch (error) {
      throw feed.fault('damaged', `the zstd data is damaged: ${(error as Error).message}`, { cause: error });
    }
  }

  function prove(checksum: number | undefined): void {
    const { at, content = frame.length } = header;
    if (frame.length !== content) throw feed.fault('damaged', 'a zstd frame is not as long as it says', { at });
    if (checksum !== undefined && Number(frame.hash.digest() & 0xffff_ffffn) !== checksum) {
      throw feed.fault('damaged', 'a zstd frame does not have the checksum that it says', { at });
    }
  }
}
