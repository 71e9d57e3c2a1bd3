/**
 * The `token` strategy: windows of as many tokens as the size says, edges between characters. A chunk's text is that of the source,
 * never what tokens decode to, and it is counted anew, since a text cut within a word may take a token more.
 */
import type { Spec } from '../../src/spec.js';
import type { Strategy } from '../../src/types.js';
import { codePoint, startsPoint } from './levels.js';

export const tokenSpec: Spec = { name: 'token', summary: 'windows of exactly so many tokens, wherever words end' };

export function token(): Strategy {
  return { name: 'token', packing: 'fill', levels: [codePoint], overlapStarts: startsPoint };
}
