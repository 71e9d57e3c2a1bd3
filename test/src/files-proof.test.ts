import { describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../../src/run.js';
import { verify } from '../../src/verify.js';
import { memoryWorld } from '../support/world.js';

const TEXT = Array.from({ length: 60 }, (_, n) => `Sentence ${n} says nothing new.`).join(' ');

async function written(options: RunOptions) {
  const world = memoryWorld({ files: { 'f/a.txt': TEXT } });
  const summary = await run({ input: 'f/a.txt', out: 'f/out.jsonl', unit: 'characters', size: 200, ...options }, {}, world);
  return { world, summary, prove: (path = 'f/out.jsonl') => verify({ path }, {}, world) };
}

describe('output of which only the bytes can be proved', () => {
  it.each<RunOptions>([{ to: 'csv' }, { fields: 'text' }, { compress: 'gzip' }, { compress: 'gzip', maxRecords: 3 }])(
    '%j is unchanged',
    async (options) => {
      const { prove, summary } = await written(options);
      const verdict = await prove();
      expect(verdict).not.toHaveProperty('fault');
      expect(verdict.summary).toContain(`unchanged: ${summary.files.length} file`);
      expect((await prove('f')).summary).toBe(verdict.summary);
    },
  );

  it('is another where a byte of any file is', async () => {
    for (const number of [0, 1]) {
      const { world, summary, prove } = await written({ maxRecords: 6, fields: 'text' });
      const { path, bytes } = summary.files[number]!;
      const text = world.files()[path]!;
      world.put(path, text.replace('Sentence', 'sentence'));
      expect((await prove()).fault).toBe(
        `${path}: it is not the file that the manifest describes (SHA-256 ${await digest(world, path)})`,
      );
      world.put(path, `${text}x`);
      expect((await prove()).fault).toBe(`${path}: it has ${bytes + 1} bytes, but the manifest says ${bytes}`);
    }
  });

  it('does not add up where a file is missing from the manifest, and cannot be read where it is gone', async () => {
    const { world, summary, prove } = await written({ maxRecords: 3, to: 'csv' });
    const manifest = JSON.parse(world.files()['f/out.jsonl.manifest.json']!);
    world.put('f/out.jsonl.manifest.json', JSON.stringify({ ...manifest, files: manifest.files.slice(1) }));
    expect((await prove()).fault).toContain(`but its totals say ${summary.chunks}`);
    await world.fs.promises.rm(summary.files[1]!.path);
    await expect(prove()).rejects.toMatchObject({ kind: 'source' });
  });

  it('is proved beside lines that are proved from their source', async () => {
    const { world } = await written({ to: 'csv', out: 'f/table' });
    await run({ input: 'f/a.txt', out: 'f/out.jsonl', unit: 'characters', size: 200 }, {}, world);
    const { summary } = await verify({ path: 'f' }, {}, world);
    expect(summary).toMatch(/^proved: \d+ chunks of 1 source, [^\n]*\nunchanged: 1 file, /);
  });
});

describe('lines of chunks in several files', () => {
  it('are proved like those in one', async () => {
    const { prove, summary } = await written({ maxRecords: 3 });
    expect(summary.files.length).toBeGreaterThan(2);
    expect((await prove()).summary).toBe(
      `proved: ${summary.chunks} chunks of 1 source, every one of ${TEXT.length} bytes accounted for`,
    );
    expect(await prove('f')).toEqual(await prove());
  });

  it('have a fault in the line of the file where it is', async () => {
    const { world, summary, prove } = await written({ maxRecords: 3 });
    const { path } = summary.files[1]!;
    const lines = world.files()[path]!.split('\n');
    world.put(path, [lines[0], lines[1]!.replace('Sentence', 'sentence'), ...lines.slice(2)].join('\n'));
    expect((await prove()).fault).toMatch(new RegExp(`^${path}, line 2: `));
    world.put(path, [lines[0], ...lines.slice(2)].join('\n'));
    expect((await prove()).fault).toMatch(new RegExp(`^${path}, line 2: .* are in no chunk`));
  });

  it('are not proved where the file that is there is another in its bytes alone', async () => {
    const { world, summary, prove } = await written({ maxRecords: 3 });
    const { path } = summary.files[0]!;
    world.put(path, world.files()[path]!.replace('{', '{ '));
    expect((await prove()).fault).toContain(`${path}: every chunk is right, but the file is not the one`);
  });
});

async function digest(world: ReturnType<typeof memoryWorld>, path: string): Promise<string> {
  const hash = world.sha256();
  hash.update(new TextEncoder().encode(world.files()[path]!));
  return hash.digest();
}
