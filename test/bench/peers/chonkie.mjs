/**
 * @chonkiejs/core with an exact tokenizer handed in (its own would be one of Hugging Face, loaded from the network). RecursiveChunker has
 * no overlap. Both name UTF-16 offsets.
 */

import { RecursiveChunker, TokenChunker } from '@chonkiejs/core';
import { count, decode, encode } from './o200k.mjs';

const tokenizer = { encode, decode, countTokens: count, decodeBatch: (batch) => batch.map(decode) };

export const token = (text) => chunks(TokenChunker, { chunkOverlap: 50 }, text);
export const recursive = (text) => chunks(RecursiveChunker, {}, text);

async function chunks(Chunker, options, text) {
  const chunker = await Chunker.create({ tokenizer, chunkSize: 512, ...options });
  return (await chunker.chunk(text)).map((chunk) => ({ text: chunk.text, start: chunk.startIndex, end: chunk.endIndex }));
}
