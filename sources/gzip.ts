/**
 * gzip (RFC 1952): members that follow each other, each with its CRC-32 and length proved. Only members: zero bytes behind the
 * last, as on tapes, are refused like anything else, since a download that was cut may end in them too. The members'
 * frames are read here, because node:zlib lets pass what is behind one that ends with a buffer.
 */
import { MAGIC } from '../src/compression.js';
import { type Feed, numbersOf } from './feed.js';
import { crc32, deflateEngine, through } from './zlib.js';

const HEADER = 'the header of a gzip member';
const DEFLATE = 8;
/** The flags of a header, by their bits; the others must be 0. */
const FLAGS = { checksum: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 };

/** @throws IngestError `not-gzip`, `cut-short`, `damaged`, `trailing-bytes` */
export async function* gunzipped(feed: Feed): AsyncGenerator<Uint8Array> {
  do {
    await header(feed);
    let [checksum, length] = [0, 0];
    for await (const piece of through(deflateEngine(), feed, feed, 'a gzip member')) {
      checksum = crc32(piece, checksum);
      length += piece.length;
      yield piece;
    }
    const at = feed.position;
    const trailer = numbersOf(await feed.take(8, 'the end of a gzip member'));
    if (trailer.getUint32(0, true) !== checksum) throw feed.fault('damaged', 'its CRC-32 is not that of the data', { at });
    if (trailer.getUint32(4, true) !== length % 2 ** 32)
      throw feed.fault('damaged', 'its length is not that of the data', { at });
  } while ((await feed.peek(1)).length > 0);
}

async function header(feed: Feed): Promise<void> {
  const at = feed.position;
  const magic = await feed.peek(2);
  if (magic.some((byte, place) => byte !== MAGIC.gzip[place])) {
    if (at === 0) throw feed.fault('not-gzip', 'it does not begin as gzip does; if it is not compressed, say --compression none');
    throw feed.fault('trailing-bytes', 'something other than gzip follows the compressed data: cut it off');
  }
  const fixed = await feed.take(10, HEADER);
  const flags = fixed[3]!;
  if (fixed[2] !== DEFLATE || (flags & FLAGS.reserved) !== 0) throw feed.fault('damaged', `${HEADER} says what gzip never does`);
  let checksum = crc32(fixed, 0);
  const noted = async (bytes: number) => {
    const taken = await feed.take(bytes, HEADER);
    checksum = crc32(taken, checksum);
    return taken;
  };
  if (flags & FLAGS.extra) await noted(numbersOf(await noted(2)).getUint16(0, true));
  for (const text of [FLAGS.name, FLAGS.comment]) {
    if (flags & text) while ((await noted(1))[0] !== 0);
  }
  if (flags & FLAGS.checksum) {
    const said = numbersOf(await feed.take(2, HEADER)).getUint16(0, true);
    if (said !== (checksum & 0xffff)) throw feed.fault('damaged', `${HEADER} does not have the checksum that it says`, { at });
  }
}
