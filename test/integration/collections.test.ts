/**
 * Collections as users meet them: a configuration on disk, real processes, their files, messages and exit codes.
 */
import { symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/run.js';
import { chunksIn, manifestIn, millrace, SAMPLES, type Workspace, workspace } from '../support/cli.js';

const CONFIG = ['--config', 'samples/collections/mill.json'];
const OUTPUTS = ['lines.jsonl', 'orders.jsonl', 'story.jsonl'];

function placed(): Workspace {
  const place = workspace();
  symlinkSync(SAMPLES, place.path('samples'));
  return place;
}

const outputsIn = (place: Workspace) => place.list().filter((name) => name.endsWith('.jsonl'));

describe('millrace --config with collections', () => {
  it('writes each, all of which verify, and tells of each and of all', async () => {
    const place = placed();
    const { code, stdout, stderr } = await millrace([...CONFIG, '--summary', 'all.json'], { cwd: place.dir });
    expect([code, stdout.length, outputsIn(place)]).toEqual([0, 0, OUTPUTS]);
    expect(stderr.match(/^(\w+): /gm)).toEqual(['story: ', 'orders: ', 'lines: ', 'Total: ']);
    const summary = JSON.parse(place.read('all.json').toString()) as Summary;
    expect(Object.keys(summary.collections!)).toEqual(['story', 'orders', 'lines']);
    for (const [name, { chunks, tokenizer }] of Object.entries(summary.collections!)) {
      expect(chunksIn(place.read(`${name}.jsonl`))).toHaveLength(chunks);
      expect(manifestIn(place, `${name}.jsonl`).options).toMatchObject({ collection: name, tokenizer });
    }
    const verdict = await millrace(['verify', '.'], { cwd: place.dir });
    expect([verdict.code, verdict.stderr]).toEqual([0, expect.stringContaining(`proved: ${summary.chunks} chunks of 4 sources`)]);
  });

  it('runs those that --collection names, with what the command line says over all', async () => {
    const place = placed();
    const choice = ['--collection', 'orders', '--collection', 'story'];
    const run = await millrace([...CONFIG, ...choice, '--size', '20', '--quiet'], { cwd: place.dir });
    expect([run.code, run.stderr, outputsIn(place)]).toEqual([0, '', ['orders.jsonl', 'story.jsonl']]);
    for (const name of ['orders', 'story']) {
      expect(manifestIn(place, `${name}.jsonl`).options).toMatchObject({ size: 20, overlap: 0 });
      for (const { tokens } of chunksIn(place.read(`${name}.jsonl`))) expect(tokens).toBeLessThanOrEqual(20);
    }
  });

  it('shows how each would be cut in a dry run', async () => {
    const place = placed();
    const { code, stderr } = await millrace([...CONFIG, '--dry-run'], { cwd: place.dir });
    expect([code, outputsIn(place)]).toEqual([0, []]);
    expect(stderr.match(/^ *(tokens|words) .* chunks$/gm)).toHaveLength(3);
  });

  it('tells all that is wrong and touches nothing', async () => {
    const place = placed();
    place.write(
      'c.json',
      JSON.stringify({ collections: { a: { input: 'no', size: 0 }, b: { input: 'no', out: 'b', overlap: 512 }, c: 1 } }),
    );
    const { code, stderr } = await millrace(['samples', '--config', 'c.json', '-o', 'x'], { cwd: place.dir });
    expect(code).toBe(2);
    expect(stderr.split('\n').slice(0, -1)).toEqual([
      'millrace: collection "c" must be an object of options, such as {"input": "docs", "out": "a.jsonl"}',
      'millrace: collections have inputs of their own: leave out samples (to run only some, use --collection NAME)',
      'millrace: --out names one file, but 2 collections run: say it in each collection, or choose one with --collection NAME',
      'millrace: collection "a": it has no --out: each collection goes to a file of its own',
      'millrace: collection "a": --size must be from 1 to 1000000, not 0',
      'millrace: collection "b": --overlap must be smaller than --size: 512 is not below 512',
      "Try 'millrace --help'.",
    ]);
    expect(place.list()).toEqual(['c.json', 'samples']);
  });

  it('needs collections for --collection', async () => {
    const place = placed();
    const { code, stderr } = await millrace(['samples/prose.txt', '--collection', 'a'], { cwd: place.dir });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--collection chooses among the collections of a configuration')]);
  });

  it('keeps what is complete when a later one fails, with its exit code', async () => {
    const place = placed();
    const broken = { input: 'samples/stray-quotes.csv', text: 'note', out: 'broken.jsonl' };
    const never = { input: 'samples/prose.txt', out: 'never.jsonl' };
    const good = { input: 'samples/prose.txt', out: 'good.jsonl' };
    place.write('c.json', JSON.stringify({ collections: { good, broken, never } }));
    const { code, stderr } = await millrace(['--config', 'c.json'], { cwd: place.dir });
    expect([code, place.list()]).toEqual([4, ['c.json', 'good.jsonl', 'good.jsonl.manifest.json', 'samples']]);
    expect(stderr).toMatch(
      /^millrace: collection "broken": samples\/stray-quotes\.csv, byte 25: .* \(collection "good" is complete\)$/m,
    );
  });
});
