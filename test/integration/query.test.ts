/**
 * `millrace query` as a real process on what a real run wrote: JSON lines on a pipe, the exit codes, and an answer whatever the
 * file. What scores come out: test/src/query.test.ts.
 */
import { describe, expect, it } from 'vitest';
import { type Ended, millrace, type Workspace, workspace } from '../support/cli.js';

async function chunked(): Promise<Workspace> {
  const place = workspace();
  const lines = Array.from({ length: 60 }, (_, n) => `Line ${n} is about ${n === 31 ? 'the tail race of a mill' : 'bread'}.\n\n`);
  place.write('a.txt', lines.join(''));
  const sizes = ['--unit', 'characters', '--size', '60', '--overlap', '0'];
  const ended = await millrace(['a.txt', ...sizes, '-o', 'out.jsonl'], { cwd: place.dir });
  expect(ended.code, ended.stderr).toBe(0);
  return place;
}

const ask = (place: Workspace, ...args: readonly string[]): Promise<Ended> => millrace(['query', ...args], { cwd: place.dir });

interface Line {
  readonly score: number;
  readonly id: string;
  readonly source: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const linesIn = ({ stdout }: Ended): Line[] =>
  stdout
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

describe('millrace query', () => {
  it('gives the best chunks first, with the bytes they came from', async () => {
    const place = await chunked();
    const ended = await ask(place, 'out.jsonl', 'tail race', '--top', '3');
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toBe('');
    const matches = linesIn(ended);
    expect(matches).toHaveLength(3);
    expect(matches[0]).toMatchObject({ source: 'a.txt' });
    expect(matches[0]!.text).toContain('tail race');
    expect(matches[0]!.score).toBeGreaterThan(0.2);
    expect(place.read('a.txt').subarray(matches[0]!.start, matches[0]!.end).toString()).toContain('tail race');
    const found = await ask(place, 'out.jsonl', 'tail race', '--min-score', '0.01');
    expect(linesIn(found).map(({ id }) => id)).toEqual([matches[0]!.id]);
  });

  it('gives zeros and exit code 0 where no word is shared', async () => {
    const place = await chunked();
    const ended = await ask(place, 'out.jsonl', '?');
    expect(ended.code, ended.stderr).toBe(0);
    expect(linesIn(ended).map(({ score }) => score)).toEqual(Array(10).fill(0));
    expect(ended.stderr).toContain('no chunk shares a word');
  });

  it('exits with 2 for a wrong call, 3 for a missing file, 4 for a bad line', async () => {
    const place = await chunked();
    expect((await ask(place, 'out.jsonl')).code).toBe(2);
    expect((await ask(place, 'out.jsonl', 'a', '--tpo', '3')).stderr).toContain('did you mean --top?');
    expect((await ask(place, 'none.jsonl', 'a')).code).toBe(3);
    place.write('bad.jsonl', `${place.read('out.jsonl').toString()}{"text":\n`);
    const bad = await ask(place, 'bad.jsonl', 'a');
    expect(bad.code).toBe(4);
    expect(bad.stderr).toMatch(/bad\.jsonl, byte \d+: line \d+ is not JSON/);
    expect(bad.stdout.length).toBe(0);
  });

  it('has a page of help', async () => {
    const place = workspace();
    const { stdout, code } = await ask(place, '--help');
    expect(code).toBe(0);
    expect(stdout.toString()).toContain('--min-score');
  });
});
