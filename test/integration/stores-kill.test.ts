/**
 * SIGKILL while files for stores are written, at any moment: what stands under a final name is complete, byte for byte what a whole
 * run makes; there is no manifest; and the next run leaves just what a whole run leaves. A moment is the one in which a chosen name
 * comes into being, or the end of a chosen part of the input, so that no test waits for time to pass. `MILLRACE_KILLS=150`
 * makes the campaign longer, `MILLRACE_SEED=n` runs one of it.
 */
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, watch } from 'node:fs';
import { expect, it } from 'vitest';
import { manifestIn, start, type Workspace, workspace } from '../support/cli.js';
import { type Rng, rng, seeded } from '../support/random.js';

const KILLS = Number(process.env.MILLRACE_KILLS ?? 9);
const CHUNKS = 1200;
const RECORDS = 60;
const TARGETS = [{ to: 'pgvector' }, { to: 'elasticsearch' }, { to: 'parquet' }] as const;

/** Chunk lines; `edition` is in every text, so that no file of one is a file of the other. */
function lines(edition: string): string[] {
  const chance = rng(11);
  return Array.from({ length: CHUNKS }, (_, n) => {
    const text = Array.from({ length: 40 }, () => chance.between(0, 1e9).toString(36)).join(' ');
    const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    const place = { source: 'mill.txt', index: n, start: n * 10, end: n * 10 + 10 };
    return `${JSON.stringify({ id, ...place, metadata: { n }, text: `${edition} ${text}` })}\n`;
  });
}

const EDITIONS = { old: lines('old'), new: lines('new') };

function argsOf(to: string, records: number, ...more: string[]): string[] {
  const input = ['-', '--format', 'jsonl', '--chunks', '--quiet'];
  return [...input, '--to', to, '--max-records', String(records), '-o', 'out', ...more];
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const digests = (place: Workspace): Map<string, string> =>
  new Map(place.list().map((name) => [name, sha256(place.read(name))] as const));

async function whole(place: Workspace, args: readonly string[], input: readonly string[]): Promise<void> {
  const running = start(args, { cwd: place.dir });
  const ended = running.ended();
  running.child.stdin.end(input.join(''));
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
}

/** Runs, and is killed: when a file, or what is to become one, is there; or when a part of the input has been taken. */
async function killed(place: Workspace, args: readonly string[], input: readonly string[], chance: Rng) {
  const running = start(args, { cwd: place.dir });
  const ended = running.endedUnread();
  const { stdin } = running.child;
  if (chance.seed % 4 === 1 || chance.seed % 4 === 2) {
    // It never ends, so that the run cannot be over before it is killed.
    stdin.write(input.join(''));
    await reached(place, chance.between(1, CHUNKS / RECORDS));
  } else {
    const part = input.slice(0, chance.between(1, input.length)).join('');
    await new Promise((resolve) => stdin.write(part, resolve));
  }
  running.child.kill('SIGKILL');
  expect((await ended).signal).toBe('SIGKILL');
}

/** The file of this number is being written, or one after it, since a partial may have come and gone unseen. */
async function reached(place: Workspace, number: number): Promise<void> {
  const isNow = () => readdirSync(place.dir).some((name) => Number(/^\.out-(\d{5})\./.exec(name)?.[1]) >= number);
  const watcher = watch(place.dir);
  try {
    await new Promise<void>((resolve, reject) => {
      const look = () => isNow() && resolve();
      watcher.on('change', look).once('error', reject);
      look();
    });
  } finally {
    watcher.close();
  }
}

it.each(TARGETS)(
  'leaves files for $to complete or not there, and the next run whole',
  async ({ to }) => {
    const [old, renewed, next] = [workspace(), workspace(), workspace()];
    await whole(old, argsOf(to, RECORDS), EDITIONS.old);
    await whole(renewed, argsOf(to, RECORDS), EDITIONS.new);
    // Of fewer files, so that what is left of the others would be seen.
    await whole(next, argsOf(to, RECORDS * 2), EDITIONS.new);
    const [before, after] = [digests(old), digests(renewed)];
    expect(manifestIn(renewed, 'out').files.filter(({ chunks }) => chunks > 0).length).toBe(CHUNKS / RECORDS);
    await seeded(Math.ceil(KILLS / TARGETS.length), async (chance) => {
      const place = workspace();
      // Two of four seeds, and in `killed` others: the first number of small seeds is no fair coin.
      const isOver = chance.seed % 2 === 0;
      if (isOver) cpSync(old.dir, place.dir, { recursive: true });
      await killed(place, argsOf(to, RECORDS, ...(isOver ? ['--overwrite'] : [])), EDITIONS.new, chance);
      const left = [...digests(place)].filter(([name]) => !name.startsWith('.'));
      const untouched = left.length === before.size && left.every(([name, digest]) => before.get(name) === digest);
      if (!(isOver && untouched))
        for (const [name, digest] of left) expect([isOver ? before.get(name) : undefined, after.get(name)]).toContain(digest);
      if (!untouched) expect(left.map(([name]) => name)).not.toContain('out.manifest.json');
      await whole(place, argsOf(to, RECORDS * 2, ...(untouched && isOver ? ['--overwrite'] : [])), EDITIONS.new);
      expect(digests(place)).toEqual(digests(next));
    });
  },
  // Two processes for each, on a busy machine.
  60_000 + KILLS * 10_000,
);
