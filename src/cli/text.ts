/**
 * Text for a terminal: how many columns it takes, wrapping, shortening, numbers for people. What is shown here is measured by
 * code point with the East Asian double width; a terminal that draws otherwise only gets a line a little short or long.
 */

/** Code points that take two columns: Hangul, kana, ideographs, full-width forms, most emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

const widthOf = (point: string): number => (NO_WIDTH.test(point) ? 0 : WIDE.test(point) ? 2 : 1);

/** Columns that a text takes. */
export function columnsOf(text: string): number {
  // Most of what is shown; the classes above take milliseconds to compile, and help is to be there at once.
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const point of text) columns += widthOf(point);
  return columns;
}

/** The text, or as much of its end as fits after an ellipsis: the end of a path says more than its beginning. */
export function shortened(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  const points = [...text];
  let room = columns - 1;
  let from = points.length;
  while (from > 0 && room >= widthOf(points[from - 1]!)) room -= widthOf(points[--from]!);
  return columns < 1 ? '' : `…${points.slice(from).join('')}`;
}

/** Lines of at most `columns`, broken at spaces; a longer word gets a line of its own. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && columnsOf(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** One line whatever the text holds: a file may be named with a line break or an escape sequence in it. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (control) => {
    const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[control];
    return named ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** 1234567 → 1,234,567. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** `1 chunk`, `1,200 chunks`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${grouped(count)} ${count === 1 ? noun : plural}`;

/** Bytes with a decimal unit: 1 kB = 1,000 bytes. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB', 'PB'];
  let size = bytes / 1000;
  let unit = 0;
  // 999.95 would be shown as 1000.0.
  while (size >= 999.95 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size.toFixed(1)} ${units[unit]}`;
}

/** `0.4 s`, `12.3 s`, `2:05`, `1:00:05` (hours, minutes, seconds). */
export function duration(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 0.0995 ? 2 : 1)} s`;
  return clock(seconds);
}

/** `0:07`, `2:05`, `1:00:05`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** Bytes a second, in MB (10^6 bytes): three digits at most. */
export function megabytesPerSecond(bytes: number, seconds: number): string {
  const speed = seconds > 0 ? bytes / 1e6 / seconds : 0;
  return `${speed >= 100 ? speed.toFixed(0) : speed.toFixed(1)} MB/s`;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `share` (0–1) of `columns`, to an eighth of a column, without padding. */
export function bar(share: number, columns: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}
