/**
 * An error → what the user reads and the exit code. An error that we foresaw is one clear line (several problems: a line each)
 * and says what to do next; any other is a bug of ours, shown with its stack. Pure; src/cli/main.ts prints it.
 */
import { EXIT_CODES, IngestError } from '../errors.js';
import { printable } from './text.js';

export interface Report {
  readonly lines: readonly string[];
  readonly code: number;
}

/** What the shell expects of a program that ended by a signal: 128 and its number. */
export const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
export type StopSignal = keyof typeof SIGNAL_CODES;

/** `stopped` is the signal that came before the error, which then is no more than its consequence. */
export function reportOf(error: unknown, command: string, stopped?: StopSignal): Report {
  if (stopped !== undefined) {
    return { lines: [said(stopped === 'SIGINT' ? 'interrupted' : 'terminated')], code: SIGNAL_CODES[stopped] };
  }
  if (!(error instanceof IngestError) || error.kind === 'bug') return { lines: bugLines(error), code: EXIT_CODES.bug };
  // The reader has seen enough (`| head`): nothing went wrong.
  if (error.kind === 'sink' && error.reason === 'closed-pipe') return { lines: [], code: 0 };
  const messages = error.kind === 'config' ? error.message.split('\n') : [error.message];
  const hint = hintFor(error, command);
  return { lines: [...messages.map(said), ...(hint === undefined ? [] : [hint])], code: EXIT_CODES[error.kind] };
}

const said = (message: string): string => `millrace: ${printable(message)}`;

function hintFor(error: IngestError, command: string): string | undefined {
  if (error.kind === 'config') return `Try 'millrace ${command === 'chunk' ? '' : `${command} `}--help'.`;
  // Only where it is known where the next record begins.
  if (error.kind === 'record' && error.range !== undefined) return 'To leave faulty records out and go on, use --on-error skip.';
  return undefined;
}

function bugLines(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? String(error)) : `thrown: ${String(error)}`;
  return [
    'millrace: this is a bug in millrace, not in your input. Please report it with the command, the lines below and,',
    'millrace: if you can, a sample of the input that shows it.',
    ...stack.split('\n'),
  ];
}
