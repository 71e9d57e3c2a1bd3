/**
 * What goes before a chunk's text, and how the two are counted and embedded as one. The cutter makes chunks by these rules, and
 * verify holds them to the same.
 */
import type { TokenCounter } from './types.js';

export interface Context {
  /** '' for none. */
  readonly text: string;
  /** What it adds to the chunk, the blank line after it included. */
  readonly size: number;
}

export const NO_CONTEXT: Context = { text: '', size: 0 };

/** A context of these parts, those that there are. One that takes more than half of the size is left out. */
export function contextOf(parts: readonly (string | undefined)[], measure: TokenCounter, size: number): Context {
  const text = parts.filter((part) => part !== undefined).join('\n');
  if (text === '') return NO_CONTEXT;
  const taken = measure.count(embedded(text, ''));
  return taken <= size / 2 ? { text, size: taken } : NO_CONTEXT;
}

/** What is counted and embedded: context, a blank line, text; or the text alone. */
export function embedded(context: string, text: string): string {
  return context === '' ? text : `${context}\n\n${text}`;
}
