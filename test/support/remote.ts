/**
 * What tests of remote inputs share: a corpus of which no part equals another, and the output that a local file of it gives, as
 * what that of a remote one is held to.
 */
import { type JobOptions, run } from '../../src/run.js';
import { memoryWorld } from './world.js';

export const OPTIONS: JobOptions = { unit: 'characters', size: 700, overlap: 60, tokenizer: 'none' };

/** The same for the command line. */
export const ARGS: readonly string[] = ['--unit', 'characters', '--size', '700', '--overlap', '60', '--tokenizer', 'none'];

/** Text that differs everywhere from itself. Versions differ in every line, not in length. */
export function prose(lines: number, version: 0 | 1 = 0): string {
  const word = ['water', 'stone'][version];
  const line = (n: number) => `Line ${String(n).padStart(6, '0')}: the ${word} turns the wheel, naïvely “${n % 97}”.\n`;
  return Array.from({ length: lines }, (_, n) => line(n)).join('');
}

/** Lines of JSON, each with such text. */
export function records(count: number, version: 0 | 1 = 0): string {
  return Array.from({ length: count }, (_, n) => `${JSON.stringify({ n, body: prose(3, version) })}\n`).join('');
}

/** The lines that a local file of this name gives. */
export async function local(uri: string, text: string): Promise<string> {
  const world = memoryWorld({ stdin: [Buffer.from(text)] });
  const format = uri.includes('.jsonl') ? 'jsonl' : 'text';
  await run({ ...OPTIONS, input: '-', sourceName: uri, format, compression: 'none', out: 'out.jsonl' }, {}, world);
  return world.files()['out.jsonl']!;
}
