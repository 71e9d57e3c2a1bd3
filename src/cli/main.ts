#!/usr/bin/env node
/**
 * The program. It chooses the command, turns signals into an abort and errors into lines and exit codes, and ends the process;
 * the commands themselves are in commands.ts. What a command needs is loaded when it runs, so that `--version` and a typing
 * error answer at once.
 */
import { VERSION } from '../version.js';
import { parseArgv } from './argv.js';
import type { Command } from './commands.js';
import { reportOf, SIGNAL_CODES, type StopSignal } from './report.js';

const abort = new AbortController();
let stopped: StopSignal | undefined;
let commandName = 'chunk';

/** The first signal lets the work clean up after itself; the second ends the process as if we had never listened. */
for (const signal of Object.keys(SIGNAL_CODES) as StopSignal[]) {
  process.on(signal, () => {
    if (stopped !== undefined) {
      // Not `process.exit`: that waits for a system call under way, such as opening a named pipe that nobody reads.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
    stopped ??= signal;
    abort.abort(new Error(`stopped by ${signal}`));
  });
}

// Whoever writes learns of an error from its own listener. These keep one that comes after the last write, such as EPIPE when
// help goes to `head`, from being thrown where nobody can catch it.
let lateError: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error) => {
  lateError ??= error;
});
process.stderr.on('error', () => {});
process.on('uncaughtException', (error) => void leave(fail(error)));

void leave(await main(process.argv.slice(2)).catch(fail));

async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) return print(`${VERSION}\n`);
  const { commands } = await import('./commands.js');
  const named = commands.find(({ name }) => name === argv[0]);
  const command = named ?? commands[0];
  commandName = command.name;
  return perform(command, named === undefined ? argv : argv.slice(1));
}

async function perform(command: Command, argv: readonly string[]): Promise<number> {
  const problems: string[] = [];
  const call = { ...parseArgv(argv, command.options, problems), problems };
  if (call.options.help === true) return print((await import('./help.js')).helpText(command.page));
  if (call.options.version === true) return print(`${VERSION}\n`);
  return command.perform(call, abort.signal);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function fail(error: unknown): number {
  const { lines, code } = reportOf(error, commandName, stopped);
  if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`);
  return code;
}

/**
 * Ends the process once all that was written is out. Ended, not left to end by itself: a pipe on stdin that nobody closes would
 * keep it alive. When a signal ended the work, stdout is not waited for: its reader may have stalled.
 */
async function leave(code: number): Promise<never> {
  if (stopped === undefined || code === 0) await flushed(process.stdout);
  if (code === 0 && lateError !== undefined && lateError.code !== 'EPIPE') {
    process.stderr.write(`millrace: cannot write to stdout: ${lateError.message}\n`);
    code = 5;
  }
  await flushed(process.stderr);
  process.exit(code);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
