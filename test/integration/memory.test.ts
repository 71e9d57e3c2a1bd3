/**
 * The bound on memory, measured (L8): a child process with a small heap runs the job over hundreds of megabytes that are made
 * as they are read, and tells its own highest resident memory. What it is given has broken splitters before: no separator at
 * all, nothing but blanks, blanks between two letters.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/run.js';

const DIST = new URL('../../dist/src/', import.meta.url);
const MOST_BYTES = 200 * 2 ** 20;

/** Of a child: `unit` is repeated up to so many megabytes; `first` and `last` stand around. Each character is a byte. */
interface Input {
  readonly first?: string;
  readonly unit: string;
  readonly last?: string;
  readonly megabytes: number;
}

interface Told {
  readonly chunks: number;
  readonly bytes: number;
  readonly dropped: Readonly<Record<string, number>>;
  /** Highest resident memory in bytes, for as much input as that: a quarter, then all. */
  readonly after: readonly number[];
  readonly written: number;
}

/** Runs in the child. One buffer is used again and again. Written for the built files, since a child knows no TypeScript. */
const PROGRAM = `
const [dist, input, options] = JSON.parse(process.argv[1]);
const { run } = await import(dist + 'run.js');
const { nodeWorld } = await import(dist + 'node.js');
const buffer = Buffer.alloc(1 << 18, input.unit, 'latin1');
const size = buffer.length - (buffer.length % input.unit.length);
const after = [];
const peak = () => process.resourceUsage().maxRSS * 1024;
async function* stdin() {
  yield Buffer.from(input.first ?? '');
  const count = Math.ceil((input.megabytes * 1e6) / size);
  for (let n = 0; n < count; n++) {
    if (n === Math.floor(count / 4)) after.push(peak());
    yield buffer.subarray(0, size);
  }
  yield Buffer.from(input.last ?? '');
}
let written = 0;
const stdout = { write: (data) => { written += data.length; return true; }, once() {}, off() {} };
const { chunks, bytes, dropped } = await run({ input: '-', ...options }, {}, { ...nodeWorld, stdin: stdin(), stdout });
after.push(peak());
console.log(JSON.stringify({ chunks, bytes, dropped, after, written }));
`;

async function told(input: Input, options: RunOptions): Promise<Told> {
  const argument = JSON.stringify([DIST.href, input, options]);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=64', '--input-type=module', '--eval', PROGRAM, '--', argument],
    { cwd: fileURLToPath(DIST), env: { ...process.env, NODE_OPTIONS: '' } },
  );
  return JSON.parse(stdout) as Told;
}

const USUAL: RunOptions = { unit: 'characters', size: 2000, overlap: 200, tokenizer: 'none' };
const KEPT: RunOptions = { ...USUAL, whitespace: 'keep' };

/** Words enough to be seen growing were they held; blanks cost little, so there are more of them. */
const WORDS = 40;
const BLANKS = 200;

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
const PROSE = latin1('The race carries water to the wheel. It turns, and "nothing" is lost; nothing is added. 水車。\n\n');

describe('memory stays below 200 MB and does not grow with the input', () => {
  it.each<readonly [what: string, input: Input, options: RunOptions, chunks: 'some' | 'none' | 'two']>([
    ['ordinary prose', { unit: PROSE, megabytes: WORDS }, USUAL, 'some'],
    ['CR LF lines with blanks at their ends', { unit: 'water to the wheel \t\r\n', megabytes: WORDS }, USUAL, 'some'],
    ['one line without any separator', { unit: 'abcdefghijklmnopqrstuvwxyz', megabytes: WORDS }, KEPT, 'some'],
    ['one line of ideographs', { unit: latin1('水'), megabytes: WORDS }, USUAL, 'some'],
    ['bytes that are no text', { unit: 'ab\xff\xc3', megabytes: WORDS / 20 }, USUAL, 'some'],
    ['blanks only, kept', { unit: ' ', megabytes: BLANKS }, KEPT, 'none'],
    ['blanks only, tidied', { unit: ' ', megabytes: BLANKS }, USUAL, 'none'],
    ['line breaks only', { unit: '\r\n', megabytes: WORDS }, USUAL, 'none'],
    ['blanks between two letters', { first: 'x', unit: ' ', last: 'y', megabytes: BLANKS }, USUAL, 'some'],
    ['blanks between two letters, kept', { first: 'x', unit: ' \t', last: 'y', megabytes: BLANKS }, KEPT, 'two'],
  ])('for %s', async (_, input, options, chunks) => {
    const { after, ...result } = await told(input, options);
    expect(result.bytes).toBeGreaterThan(input.megabytes * 0.99e6);
    const dropped = Object.values(result.dropped).reduce((sum, bytes) => sum + bytes, 0);
    expect(dropped).toBeLessThanOrEqual(result.bytes);
    if (chunks === 'none') expect([result.chunks, dropped, result.written]).toEqual([0, result.bytes, 0]);
    else expect(result.chunks).toBeGreaterThan(0);
    if (chunks === 'two') expect(result.chunks).toBe(2);
    expect(Math.max(...after), JSON.stringify(after)).toBeLessThan(MOST_BYTES);
    expect(after[1]! - after[0]!, JSON.stringify(after)).toBeLessThan(32 * 2 ** 20);
  });
});
