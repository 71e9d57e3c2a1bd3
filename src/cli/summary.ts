/**
 * What a run did, in plain words: one paragraph for each collection, and for a dry run a histogram of chunk sizes. Pure;
 * src/cli/commands.ts prints it on stderr, since stdout carries data only.
 */
import type { Summary } from '../run.js';
import { bar, byteSize, columnsOf, counted, duration, grouped, megabytesPerSecond, printable, wrapped } from './text.js';

export interface SummaryOptions {
  /** Where paragraphs are wrapped; a file name that is longer is not broken. */
  readonly columns?: number;
}

/** A block for the run, or one for each collection and, where they are several, their total. Ends with a line feed. */
export function summaryText(summary: Summary, { columns = 80 }: SummaryOptions = {}): string {
  if (summary.collections === undefined) return block(summary, columns);
  const blocks = Object.entries(summary.collections).map(([name, each]) => block(each, columns, `${printable(name)}: `));
  const total = wrapped(`Total: ${workDone(summary)} ${resources(summary)}`, columns).join('\n');
  return (blocks.length > 1 ? [...blocks, `${total}\n`] : blocks).join('\n');
}

function block(summary: Summary, columns: number, title = ''): string {
  const sentences = [
    `${title}${workDone(summary)}`,
    resources(summary),
    destination(summary),
    rejected(summary),
    replaced(summary),
    leftOut(summary),
    changedMetadata(summary),
    noticed(summary),
  ];
  const paragraph = wrapped(sentences.filter((each) => each !== undefined).join(' '), columns).join('\n');
  const histogram = summary.histogram === undefined ? '' : `\n${histogramText(summary)}`;
  return `${paragraph}\n${histogram}`;
}

function workDone(summary: Summary): string {
  const { chunks, tokens, tokenizer, documents, sources, bytes } = summary;
  const counter = tokenizer === undefined ? '' : ` (${tokenizer})`;
  const size = tokens === undefined ? '' : ` of ${counted(tokens, 'token')} in all${counter}`;
  const from = documents === sources ? '' : `${counted(documents, 'document')} in `;
  return `${counted(chunks, 'chunk')}${size} from ${from}${counted(sources, 'input')}, ${byteSize(bytes)}.`;
}

function resources({ bytes, seconds, peakMemory }: Summary): string {
  return `Took ${duration(seconds)} (${megabytesPerSecond(bytes, seconds)}) and at most ${byteSize(peakMemory)} of memory.`;
}

const NAMED_FILES = 3;

function destination({ files, histogram }: Summary): string | undefined {
  if (histogram !== undefined) return 'Nothing was written (dry run).';
  if (files.length === 0) return undefined;
  const shown = files.length > NAMED_FILES ? [files[0]!, files.at(-1)!] : files;
  const names = shown.map((file) => printable(file.path)).join(files.length > NAMED_FILES ? ' … ' : ', ');
  const count = files.length > NAMED_FILES ? `${counted(files.length, 'file')}: ` : '';
  return `Written to ${count}${names} (${byteSize(files.reduce((sum, file) => sum + file.bytes, 0))}).`;
}

function rejected({ rejected: count, reasons, rejects }: Summary): string | undefined {
  if (count === 0) return undefined;
  const told = Object.entries(reasons).map(([reason, times]) => `${grouped(times)} ${reason}`);
  const see = rejects === undefined ? '' : `; see ${printable(rejects)}`;
  return `${counted(count, 'record')} rejected (${told.join(', ')}${see}).`;
}

function replaced({ invalid }: Summary): string | undefined {
  if (invalid === 0) return undefined;
  return `${counted(invalid, 'invalid byte sequence')} ${invalid === 1 ? 'was' : 'were'} replaced by U+FFFD.`;
}

/** The reasons of DropReason in words; a reason that is not here is shown as it is. */
const REASONS: Readonly<Record<string, string>> = {
  signature: 'byte order marks',
  blank: 'blank',
  separator: 'separators',
  outside: 'outside of the texts',
  rejected: 'of rejected records',
};

function leftOut({ dropped }: Summary): string | undefined {
  const reasons = Object.entries(dropped)
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a);
  if (reasons.length === 0) return undefined;
  const total = reasons.reduce((sum, [, bytes]) => sum + bytes, 0);
  const parts = reasons.map(([reason, bytes]) =>
    reasons.length === 1 ? (REASONS[reason] ?? reason) : `${grouped(bytes)} ${REASONS[reason] ?? reason}`,
  );
  return `${counted(total, 'byte')} of the input ${total === 1 ? 'is' : 'are'} in no chunk (${parts.join(', ')}).`;
}

const NAMED_KEYS = 5;

/** Each key once. */
function changedMetadata({ metadata = {} }: Summary): string | undefined {
  const keys = Object.entries(metadata);
  if (keys.length === 0) return undefined;
  const named = keys.slice(0, NAMED_KEYS).map(([key, deeds]) => {
    const said = Object.entries(deeds).map(([deed, times]) => `${deed} ${grouped(times)} times`.replace(/ 1 times$/, ' once'));
    return `${printable(JSON.stringify(key))} ${said.join(' and ')}`;
  });
  const others =
    keys.length > NAMED_KEYS ? `, and ${counted(keys.length - NAMED_KEYS, 'key')} more (--summary tells of all)` : '';
  return `Metadata that the store does not take: ${named.join(', ')}${others}.`;
}

function noticed({ notices = [] }: Summary): string | undefined {
  return notices.length === 0 ? undefined : notices.map((notice) => `${printable(notice)}.`).join(' ');
}

const HISTOGRAM_COLUMNS = 80;

/** One line a class: its sizes, a bar, chunks, share of all chunks. Fits 80 columns. */
function histogramText({ histogram = [], unit, chunks }: Summary): string {
  const labels = histogram.map(({ from, to }) => sizeLabel(from, to));
  const counts = histogram.map((each) => grouped(each.chunks));
  const labelColumns = Math.max(unit.length, ...labels.map(columnsOf));
  const countColumns = Math.max('chunks'.length, ...counts.map(columnsOf));
  const most = Math.max(1, ...histogram.map((each) => each.chunks));
  // Two spaces between the four columns; the share takes four: `100%`.
  const barColumns = Math.max(1, HISTOGRAM_COLUMNS - labelColumns - countColumns - 4 - 6);
  const lines = histogram.map((each, at) => {
    const drawn = each.chunks === 0 ? '' : bar(each.chunks / most, barColumns) || '▏';
    const padded = drawn + ' '.repeat(barColumns - columnsOf(drawn));
    const share = `${Math.round((100 * each.chunks) / Math.max(1, chunks))}%`;
    return `${labels[at]!.padStart(labelColumns)}  ${padded}  ${counts[at]!.padStart(countColumns)}  ${share.padStart(4)}`;
  });
  return `${[`${unit.padStart(labelColumns)}  ${' '.repeat(barColumns)}  ${'chunks'.padStart(countColumns)}`, ...lines].join('\n')}\n`;
}

/** Both ends are included. The last class may have no upper end: it is then the largest whole number. */
function sizeLabel(from: number, to: number): string {
  if (to >= Number.MAX_SAFE_INTEGER) return `≥ ${grouped(from)}`;
  return from === to ? grouped(from) : `${grouped(from)}–${grouped(to)}`;
}
