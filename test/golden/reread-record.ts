/**
 * Samples of records read again by other means than the product has: TextDecoder, JSON.parse, and a few regular expressions that
 * may be slow and know no buffers. They say what the bytes of a chunk must read as; that the samples are well-formed where no
 * record is rejected they take for granted.
 */
import type { Chunk, ChunkOptions } from '../../src/index.js';

/** A stretch of a record's source and what it says as text. */
type Said = readonly [source: string, text: string];

/** What the chunk's bytes say: the source itself where records are their own text, else with the format's escapes undone. */
export function rereadRecord(sample: string, bytes: Uint8Array, options: ChunkOptions, chunk: Chunk): string {
  const encoding = encodingOf(bytes, options);
  const decoded = (start: number, end?: number) => new TextDecoder(encoding).decode(bytes.subarray(start, end));
  const raw = decoded(chunk.start, chunk.end);
  const record = () => decoded(chunk.record!.start, chunk.record!.end);
  const within = (said: Iterable<Said>) => saidWithin(said, chunk, NODE_NAMES[encoding]!);
  const text = (() => {
    if (options.text === undefined) return raw;
    if (/\.jsonl?$/.test(sample)) return (JSON.parse(`"${raw}"`) as string).toWellFormed();
    return within(/\.xml$/.test(sample) ? xml(record()) : table(record(), delimiterOf(decoded(0))));
  })();
  return options.whitespace === 'keep' ? text : text.replace(/\r\n?/g, '\n');
}

const NODE_NAMES: Readonly<Record<string, BufferEncoding>> = { 'utf-8': 'utf8', 'utf-16le': 'utf16le', 'windows-1252': 'latin1' };

function encodingOf([first, second]: Uint8Array, { encoding = 'utf-8' }: ChunkOptions): string {
  return first === 0xff && second === 0xfe ? 'utf-16le' : encoding;
}

/** What the stretches say that lie in the chunk's bytes; they follow each other from where the record begins. */
function saidWithin(said: Iterable<Said>, { start, end, record }: Chunk, encoding: BufferEncoding): string {
  let at = record!.start;
  let text = '';
  for (const [source, says] of said) {
    const next = at + Buffer.byteLength(source, encoding);
    if (at >= start && next <= end) text += says;
    at = next;
  }
  return text;
}

/** The first character of the table that may be one: no name in the samples has such a character in it. */
const delimiterOf = (text: string): string => /[,;\t]/.exec(text)![0];

function* table(record: string, delimiter: string): Iterable<Said> {
  for (const [cell, quoted] of record.matchAll(new RegExp(`"((?:[^"]|"")*)"|[^${delimiter}\r\n]+|.`, 'gsu'))) {
    if (quoted === undefined) for (const character of cell) yield [character, character];
    else {
      yield ['"', ''];
      for (const [each] of quoted.matchAll(/""|./gsu)) yield [each, each === '""' ? '"' : each];
      yield ['"', ''];
    }
  }
}

const MARKUP = /<!\[CDATA\[(.*?)\]\]>|<!--.*?-->|<\?.*?\?>|<(?:"[^"]*"|'[^']*'|[^>"'])*>|&#x([0-9a-f]+);|&#([0-9]+);|&\w+;|./gisu;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'" };

function* xml(record: string): Iterable<Said> {
  for (const [each, data, hexadecimal, decimal] of record.matchAll(MARKUP)) {
    if (data !== undefined) {
      yield ['<![CDATA[', ''];
      for (const character of data) yield [character, character];
      yield [']]>', ''];
    } else if (each.startsWith('<')) yield [each, ''];
    else if (hexadecimal !== undefined) yield [each, String.fromCodePoint(Number.parseInt(hexadecimal, 16))];
    else if (decimal !== undefined) yield [each, String.fromCodePoint(Number.parseInt(decimal, 10))];
    else yield [each, ENTITIES[each] ?? each];
  }
}
