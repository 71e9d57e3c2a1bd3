/** @langchain/textsplitters with an exact length function, as its documentation advises. It gives no offsets, only line numbers. */

import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import { count } from './o200k.mjs';

export async function recursive(text) {
  const splitter = new RecursiveCharacterTextSplitter({ chunkSize: 512, chunkOverlap: 50, lengthFunction: count });
  return (await splitter.splitText(text)).map((chunk) => ({ text: chunk }));
}
