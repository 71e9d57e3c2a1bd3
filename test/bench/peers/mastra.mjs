/**
 * @mastra/rag: `token` cuts the ids of js-tiktoken, which it brings along; `recursive` takes an exact length function. Both are asked for
 * start indexes, in UTF-16 units.
 */

import { MDocument } from '@mastra/rag';
import { count } from './o200k.mjs';

const SIZES = { maxSize: 512, overlap: 50, addStartIndex: true };

export const token = (text) => chunks(text, { strategy: 'token', encodingName: 'o200k_base', ...SIZES });
export const recursive = (text) => chunks(text, { strategy: 'recursive', lengthFunction: count, ...SIZES });

async function chunks(text, options) {
  const nodes = await MDocument.fromText(text).chunk(options);
  return nodes.map(({ text, metadata: { startIndex } }) => {
    return startIndex === undefined ? { text } : { text, start: startIndex, end: startIndex + text.length };
  });
}
