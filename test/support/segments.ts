/** Segments of every kind, as splitters may give them: ASCII, wide, replaced, with escapes, with and without gaps between, beginning anywhere. */
import type { Charset, Segment } from '../../src/types.js';
import { type Rng, troubleText } from './random.js';
import { encodedBytes } from './whole.js';

export function anySegments(rng: Rng, charset: Charset, from = rng.pick([0, 0, 3, 2 ** 33])): Segment[] {
  const segments: Segment[] = [];
  let at = from;
  for (let n = rng.between(1, 40); n > 0; n--) {
    const segment = anySegment(rng, charset, at);
    segments.push(segment);
    at = segment.end + (rng.chance(0.2) ? rng.between(1, 5) : 0);
  }
  return segments;
}

function anySegment(rng: Rng, charset: Charset, start: number): Segment {
  const kind = rng.pick(['verbatim', 'verbatim', 'replaced', 'escaped'] as const);
  const raw = troubleText(rng, rng.between(1, kind === 'replaced' ? 4 : 40), { loneSurrogates: false });
  const text = charset === 'windows-1252' || rng.chance(0.3) ? raw.replace(/[^\x00-\x7f]/g, 'x') : raw;
  if (kind === 'replaced') return { text, start, end: start + rng.between(1, 9), verbatim: false };
  return kind === 'verbatim'
    ? { text, start, end: start + encodedBytes(text, charset), verbatim: true }
    : escaped(rng, text, charset, start);
}

/** Verbatim text some characters of which take other bytes than their own. */
export function escaped(rng: Rng, text: string, charset: Charset, start: number): Segment {
  const escapes: number[] = [];
  let unit = 0;
  let byte = 0;
  for (const character of text) {
    const bytes = rng.chance(0.2) ? rng.between(1, 12) : 0;
    if (bytes > 0) escapes.push(unit, character.length, byte, bytes);
    byte += bytes || encodedBytes(character, charset);
    unit += character.length;
  }
  return { text, start, end: start + byte, verbatim: true, ...(escapes.length === 0 ? {} : { escapes }) };
}
