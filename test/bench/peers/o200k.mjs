/**
 * The tokenizer lent to peers that take one: gpt-tokenizer, exact for o200k_base. Special tokens in a text count as the text they are.
 */

import { countTokens, decode as decodeTokens, encode as encodeText } from 'gpt-tokenizer/encoding/o200k_base';

const ordinary = { disallowedSpecial: new Set() };

export const count = (text) => countTokens(text, ordinary);
export const encode = (text) => encodeText(text, ordinary);
export const decode = (tokens) => decodeTokens(tokens);
