/**
 * Brotli (RFC 7932): one compressed text, with nothing behind it. It has neither a mark to know it by nor a checksum: a byte
 * that changed may become other text without a word.
 */
import type { Feed } from './feed.js';
import { brotliEngine, through } from './zlib.js';

/** @throws IngestError `cut-short`, `damaged`, `trailing-bytes` */
export async function* unbrotlied(feed: Feed): AsyncGenerator<Uint8Array> {
  // What begins otherwise than brotli cannot be told from what is damaged.
  yield* through(brotliEngine(), feed, feed, 'the brotli data (say --compression none if it is something else)');
  if ((await feed.peek(1)).length > 0) {
    throw feed.fault('trailing-bytes', 'something follows the end of the brotli data: cut it off');
  }
}
