/**
 * One flat object of all that a chunk carries beside its text and its vector, for stores whose metadata is flat: the program's own
 * fields, then the chunk's metadata. The record it came from is JSON text there. A key of the metadata that is the name of an own
 * field is no key that such a store takes: its nearest has `_` behind it.
 */
import type { Bytes } from './bytes.js';
import { jsonOf } from './escape.js';
import type { StoreRecord } from './store.js';

const OWN_NAMES: readonly string[] = ['id', 'text', 'context', 'source', 'index', 'start', 'end', 'tokens', 'record'];

/** For `keyName` of a rule: what is left of a key once it is none of the own names, nor one of `taken`. */
export function freeKeys(...taken: readonly string[]): (key: string) => string {
  const names = new Set([...OWN_NAMES, ...taken]);
  return (key) => {
    let free = key;
    while (names.has(free)) free += '_';
    return free;
  };
}

/** The own fields, without braces. */
export function writeOwn({ context, source, index, start, end, tokens, record }: StoreRecord, bytes: Bytes): void {
  const own = { source, index, start, end, tokens, context, record: record && jsonOf(record) };
  bytes.text(jsonOf(own).slice(1, -1));
}

/** The chunk's metadata behind other members: a comma, and it without its braces. */
export function writeMembers({ metadata }: StoreRecord, bytes: Bytes): void {
  const members = jsonOf(metadata).slice(1, -1);
  if (members === '') return;
  bytes.ascii(',');
  bytes.text(members);
}
