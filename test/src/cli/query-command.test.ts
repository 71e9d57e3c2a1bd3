/** The command on a world in memory: what it prints for people and for programs, and what it refuses. */
import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/cli/commands.js';
import { queryCommand } from '../../../src/cli/query-command.js';
import type { OptionSpec } from '../../../src/spec.js';
import type { World } from '../../../src/world.js';
import { failure } from '../../support/failure.js';
import { memoryWorld } from '../../support/world.js';

const GENERAL: readonly OptionSpec[] = [
  { name: 'progress', type: 'choice', group: 'run', choices: ['auto', 'always', 'never'], summary: '' },
  { name: 'quiet', type: 'flag', group: 'run', summary: '' },
];

const TEXTS = ['The mill race', 'Bread\n\tand  water', `mill \u001b[31m${'x'.repeat(200)}`];
const line = (text: string, n: number) =>
  `${JSON.stringify({ id: `id-${n}`, source: `${n}\n.txt`, index: 0, start: n, end: n + 9, metadata: {}, text })}\n`;

interface Printed {
  readonly out: string;
  readonly err: string;
}

async function perform(call: Partial<Call>, { isTTY = false, file = TEXTS.map(line).join('') } = {}): Promise<Printed> {
  const memory = memoryWorld({ files: { 'c.jsonl': file } });
  let [out, err] = ['', ''];
  const world: World = {
    ...memory,
    stdout: {
      ...memory.stdout,
      isTTY,
      write(data) {
        out += data;
        return true;
      },
    },
    stderr: {
      ...memory.stderr,
      write(data) {
        err += data;
        return true;
      },
    },
  };
  const whole: Call = { positionals: ['c.jsonl', 'mill race'], options: {}, problems: [], ...call };
  expect(await queryCommand(GENERAL, world).perform(whole, new AbortController().signal)).toBe(0);
  return { out, err };
}

describe('millrace query', () => {
  it('prints JSON lines where stdout is no terminal', async () => {
    const { out, err } = await perform({ options: { top: 2 } });
    const matches = out
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each) as Record<string, unknown>);
    expect(matches.map(({ id, text }) => [id, text])).toEqual([
      ['id-0', TEXTS[0]],
      ['id-2', TEXTS[2]],
    ]);
    expect(Object.keys(matches[0]!)).toEqual(['score', 'id', 'source', 'start', 'end', 'text']);
    expect(err).toBe('');
  });

  it('prints two lines for each match on a terminal, and JSON there when asked', async () => {
    const { out } = await perform({}, { isTTY: true });
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^1\. 0\.\d{4} {2}0\\n\.txt {2}bytes 0-9$/);
    expect(lines[1]).toBe('   The mill race');
    expect(lines[3]).toBe(`   mill \\u001b[31m${'x'.repeat(70)}`);
    expect(lines[5]).toBe('   Bread and water');
    expect(lines).toHaveLength(7);
    const { out: asked } = await perform({ options: { json: true } }, { isTTY: true });
    expect(asked).toBe((await perform({})).out);
  });

  it('leaves out what scores too little', async () => {
    expect((await perform({ options: { minScore: 0.01 } })).out.split('\n')).toHaveLength(3);
    expect(await perform({ options: { minScore: 0.99, quiet: true } })).toEqual({ out: '', err: '' });
  });

  it('says on stderr when there is nothing to find', async () => {
    const call = { positionals: ['c.jsonl', 'astronomy'] };
    const { out, err } = await perform(call);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((each) => (JSON.parse(each) as { score: number }).score),
    ).toEqual([0, 0, 0]);
    expect(err).toBe('millrace: no chunk shares a word with the question\n');
    expect((await perform(call, { file: '' })).err).toBe('millrace: the file has no chunks\n');
    expect((await perform({ ...call, options: { quiet: true } })).err).toBe('');
  });

  it('shows progress when asked', async () => {
    expect((await perform({ options: { progress: 'always' } })).err).toContain('%');
  });

  it.each([
    [{ positionals: ['c.jsonl'] }, 'question'],
    [{ positionals: ['c.jsonl', 'mill', 'race'] }, 'quotes'],
    [{ positionals: ['-', 'mill'] }, 'stdin'],
    [{ options: { top: 0 } }, '--top must be from 1 to 10000'],
    [{ options: { minScore: 1.5 } }, '--min-score'],
    [{ options: { tops: 1 } }, 'did you mean --top?'],
    [{ problems: ['the first'], options: { top: 0 } }, 'the first\n--top'],
  ])('refuses %j', async (call, said) => {
    const error = await failure(perform(call));
    expect(error.kind).toBe('config');
    expect(error.message).toContain(said);
  });

  it('says all that it takes on its page', () => {
    const { options, page } = queryCommand(GENERAL);
    expect(options.map(({ name }) => name)).toEqual(['top', 'min-score', 'json', 'progress', 'quiet']);
    expect(page.options).toEqual(options);
  });
});
