/**
 * What a table's cells are parted by, told from its beginning: papaparse guesses on complete rows whose line ends are made one
 * kind, and its guess is kept only where it makes a table. Where the rows then really are is left to csv.ts.
 */
import Papa from 'papaparse';

/** Units of text that are looked at: neither more nor less, so that buffers never show (law L1). */
export const HEAD_UNITS = 1 << 16;

/** Longest `sep=` line, its line end included, and one unit more. */
export const SEPARATOR_LINE_UNITS = 12;

const CANDIDATES = [',', ';', '\t', '|'];
const FALLBACK = ',';

/** Rows that are looked at. */
const ROWS = 10;

const SEPARATOR_LINE = /^(?:sep=([^"\r\n])|"sep=([^"\r\n])")(?:\r\n?|\n|$)/iu;

/** A first line `sep=;`, which spreadsheets write and read: the delimiter it names, and its units. */
export function separatorLine(text: string): { readonly delimiter: string; readonly units: number } | undefined {
  const found = SEPARATOR_LINE.exec(text.slice(0, SEPARATOR_LINE_UNITS));
  return found === null ? undefined : { delimiter: (found[1] ?? found[2])!, units: found[0].length };
}

/** The delimiter of the table that begins with `head`. `isWhole`: it also ends there. */
export function guessedDelimiter(head: string, isWhole: boolean, quote: string | undefined): string {
  const text = quotedAsUsual(head.replaceAll(/\r\n?/g, '\n'), quote);
  const end = isWhole ? text.length : text.lastIndexOf('\n') + 1;
  const { data, meta } = Papa.parse<string[]>(text.slice(0, end || text.length), {
    delimiter: '',
    delimitersToGuess: CANDIDATES,
    newline: '\n',
    preview: ROWS,
    skipEmptyLines: true,
  });
  return isTable(data) ? meta.delimiter : FALLBACK;
}

/** papaparse guesses with `"` only. */
function quotedAsUsual(text: string, quote: string | undefined): string {
  if (quote === '"') return text;
  const unquoted = text.replaceAll('"', '\0');
  return quote === undefined ? unquoted : unquoted.replaceAll(quote, '"');
}

/** More than one column, and as many in at least half of the rows. */
function isTable(rows: readonly (readonly string[])[]): boolean {
  const widths = rows.map((row) => row.length).sort((a, b) => a - b);
  const middle = widths[widths.length >> 1];
  return middle !== undefined && middle > 1 && widths.filter((width) => width === middle).length * 2 >= widths.length;
}
