/** SentenceSplitter of LlamaIndexTS (it is in @llamaindex/core) with an exact tokenizer. Its nodes name UTF-16 offsets. */

import { SentenceSplitter } from '@llamaindex/core/node-parser';
import { Document } from '@llamaindex/core/schema';
import { decode, encode } from './o200k.mjs';

export function sentence(text) {
  const splitter = new SentenceSplitter({ chunkSize: 512, chunkOverlap: 50, tokenizer: { encode, decode } });
  const nodes = splitter.getNodesFromDocuments([new Document({ text })]);
  return nodes.map((node) => ({ text: node.text, start: node.startCharIdx, end: node.endCharIdx }));
}
