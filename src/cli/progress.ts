/**
 * One line on stderr that says how far the work is. `renderProgress` draws it and is pure; `progressMeter` decides when: not
 * before the work has lasted a second, at most ten times a second, always over the line before, and the line is gone at the end.
 */
import type { Progress } from '../run.js';
import type { Output } from '../world.js';
import { bar, byteSize, clock, columnsOf, counted, megabytesPerSecond, printable, shortened } from './text.js';

export interface ProgressState extends Progress {
  readonly elapsedMs: number;
  /** Columns of the terminal. The line leaves the last one free, where some terminals wrap. */
  readonly columns: number;
}

const BAR_COLUMNS = 20;
const SHORTEST_NAME = 8;

/**
 * `45% ████▌      47.1 MB of 104.9 MB  41.2 MB/s  0:01 left  54,321 chunks  corpus/en.txt`. Without a total (stdin) there is
 * no percentage and no time left. Where it is narrow, parts fall away: first the name, then the bar, then from the right.
 */
export function renderProgress(state: ProgressState): string {
  const room = state.columns - 1;
  const { head, parts } = progressParts(state);
  const gauge = head === undefined ? undefined : `${head} ${paddedBar(shareOf(state)!)}`;
  for (let kept = parts.length; kept > 0; kept--) {
    const tail = parts.slice(0, kept);
    for (const start of [gauge, head]) {
      const line = [start, ...tail].filter((part) => part !== undefined).join('  ');
      if (columnsOf(line) <= room) return kept === parts.length ? withName(line, state.source, room) : line;
    }
  }
  return shortened(head ?? parts[0]!, Math.max(0, room));
}

function progressParts(state: ProgressState): { head: string | undefined; parts: string[] } {
  const seconds = state.elapsedMs / 1000;
  const share = shareOf(state);
  const parts = [
    share === undefined ? byteSize(state.bytes) : `${byteSize(state.bytes)} of ${byteSize(state.totalBytes!)}`,
    megabytesPerSecond(state.bytes, seconds),
  ];
  if (share !== undefined && share > 0) parts.push(`${clock(seconds / share - seconds)} left`);
  parts.push(counted(state.chunks, 'chunk'));
  return { head: share === undefined ? undefined : `${String(Math.floor(share * 100)).padStart(3)}%`, parts };
}

/** A file may grow while it is read: never more than all of it. */
function shareOf({ bytes, totalBytes }: Progress): number | undefined {
  return totalBytes === undefined || totalBytes <= 0 ? undefined : Math.min(1, bytes / totalBytes);
}

function paddedBar(share: number): string {
  const full = bar(share, BAR_COLUMNS);
  return `${full}${'░'.repeat(BAR_COLUMNS - columnsOf(full))}`;
}

function withName(line: string, source: string, room: number): string {
  const left = room - columnsOf(line) - 2;
  const name = printable(source);
  return name === '' || left < Math.min(SHORTEST_NAME, columnsOf(name)) ? line : `${line}  ${shortened(name, left)}`;
}

export interface ProgressMeter {
  /** Remembers the state and draws it if the time has come. */
  update(progress: Progress): void;
  /** Takes the line away; a later update may draw it again. */
  erase(): void;
}

export interface MeterOptions {
  readonly output: Output;
  /** Milliseconds. */
  readonly now: () => number;
  /** `auto`: only on a terminal. `always`: anywhere, and from the first moment. */
  readonly when: 'auto' | 'always' | 'never';
}

const PATIENCE_MS = 1000;
const REDRAW_MS = 100;
const USUAL_COLUMNS = 80;

/** The clock starts here. */
export function progressMeter({ output, now, when }: MeterOptions): ProgressMeter {
  const wanted = when === 'always' || (when === 'auto' && output.isTTY === true);
  if (!wanted) return { update: () => {}, erase: () => {} };
  const started = now();
  let nextDraw = when === 'always' ? started : started + PATIENCE_MS;
  let drawnColumns = 0;

  const draw = (line: string): void => {
    const columns = columnsOf(line);
    output.write(`\r${line}${' '.repeat(Math.max(0, drawnColumns - columns))}`);
    drawnColumns = columns;
  };
  return {
    update(progress) {
      const time = now();
      if (time < nextDraw) return;
      nextDraw = time + REDRAW_MS;
      draw(renderProgress({ ...progress, elapsedMs: time - started, columns: output.columns ?? USUAL_COLUMNS }));
    },
    erase() {
      if (drawnColumns === 0) return;
      draw('');
      output.write('\r');
    },
  };
}
