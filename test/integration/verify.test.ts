/**
 * `millrace verify` as a real process on what real runs wrote: exit code 0 when all is right, 1 and the line when anything is
 * not, 3 when there is nothing to hold the chunks against. What exactly is found: test/src/verify.test.ts.
 */
import { rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verify } from '../../src/index.js';
import { chunksIn, type Ended, manifestIn, millrace, SAMPLES, sampleNames, type Workspace, workspace } from '../support/cli.js';
import { type Rng, seeded } from '../support/random.js';

const SIZES = ['--unit', 'characters', '--size', '160', '--overlap', '24'];

const proved = (ended: Ended): void => {
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toContain('proved');
  expect(ended.stdout.length).toBe(0);
};

const faulty = (ended: Ended, ...words: readonly string[]): void => {
  expect(ended.code, ended.stderr).toBe(1);
  for (const word of words) expect(ended.stderr).toContain(word);
  expect(ended.stdout.length).toBe(0);
};

/** A directory with two sources that have been chunked into out.jsonl. */
async function chunked(): Promise<Workspace> {
  const place = workspace();
  place.write('a.txt', Array.from({ length: 40 }, (_, n) => `The ${n}th wheel turns; water passes below it.\n\n`).join(''));
  place.write('b.txt', Array.from({ length: 40 }, (_, n) => `Das ${n}. Rad dreht sich über dem Wasser.\r\n`).join(''));
  const ended = await millrace(['a.txt', 'b.txt', ...SIZES, '-o', 'out.jsonl'], { cwd: place.dir });
  expect(ended.code, ended.stderr).toBe(0);
  return place;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const check = (place: Workspace, ...args: readonly string[]) => millrace(['verify', ...args], { cwd: place.dir });

describe('millrace verify', () => {
  it.each([
    [['--unit', 'characters', '--size', '300', '--overlap', '30']],
    [['--tokenizer', 'estimate', '--size', '64', '--whitespace', 'keep', '--trim']],
    [['--unit', 'bytes', '--size', '90', '--overlap', '0', '--whitespace', 'collapse', '--tokenizer', 'none']],
  ])('proves every sample, chunked with %j, with exit code 0', async (options) => {
    const place = workspace();
    const samples = sampleNames.map((name) => join(SAMPLES, name));
    const ended = await millrace([...samples, '--root', SAMPLES, ...options, '-o', 'out.jsonl'], { cwd: place.dir });
    expect(ended.code, ended.stderr).toBe(0);
    proved(await check(place, 'out.jsonl'));
    expect(manifestIn(place, 'out.jsonl').sources.map(({ source }) => source)).toEqual(sampleNames);
  });

  it('proves chunks of real tokens, the usual unit', async () => {
    const place = workspace();
    // Not the long line: what it is for takes a fraction of the time in other units.
    const samples = sampleNames.filter((name) => name !== 'long-line.txt').map((name) => join(SAMPLES, name));
    for (const tokenizer of ['o200k_base', 'text-embedding-3-small']) {
      const options = ['--root', SAMPLES, '--size', '100', '--tokenizer', tokenizer];
      const ended = await millrace([...samples, ...options, '-o', 'out.jsonl'], { cwd: place.dir });
      expect(ended.code, ended.stderr).toBe(0);
      for (const { tokens } of chunksIn(place.read('out.jsonl'))) expect(tokens).toBeLessThanOrEqual(100);
      proved(await check(place, 'out.jsonl'));
    }
  });

  it('exits with 1 and names the line when the output was damaged', async () => {
    const place = await chunked();
    const good = place.read('out.jsonl');
    const lines = good.toString().split('\n').slice(0, -1);
    const chunk = chunksIn(good)[4]!;
    const damages: readonly (readonly [what: string, lines: readonly string[] | string, said: string])[] = [
      ['a letter changed', lines.with(4, lines[4]!.replace('wheel', 'wheeI')), 'line 5'],
      ['a token count changed', lines.with(4, lines[4]!.replace(/"tokens":\d+/, '"tokens":1')), 'line 5'],
      ['an end changed', lines.with(4, lines[4]!.replace(`"end":${chunk.end}`, `"end":${chunk.end - 1}`)), 'line 5'],
      ['a line cut', lines.with(4, lines[4]!.slice(0, 50)), 'line 5'],
      ['a line removed', lines.toSpliced(4, 1), 'line 5'],
      ['a line doubled', lines.toSpliced(4, 0, lines[4]!), 'line 6'],
      ['two lines swapped', lines.with(4, lines[5]!).with(5, lines[4]!), 'line 5'],
      ['the end cut off', good.toString().slice(0, -20), `line ${lines.length}`],
    ];
    for (const [what, damaged, said] of damages) {
      place.write('out.jsonl', typeof damaged === 'string' ? damaged : damaged.map((line) => `${line}\n`).join(''));
      const ended = await check(place, 'out.jsonl');
      expect(ended.code, what).toBe(1);
      faulty(ended, 'out.jsonl', said);
    }
    place.write('out.jsonl', good);
    proved(await check(place, 'out.jsonl'));
  });

  it('exits with 1 when a source has changed', async () => {
    const place = await chunked();
    place.write('b.txt', place.read('b.txt').toString().replace('über', 'uber'));
    faulty(await check(place, 'out.jsonl'), 'b.txt has changed');
  });

  it('exits with 1 when the manifest was changed', async () => {
    const place = await chunked();
    const manifest = place.read('out.jsonl.manifest.json').toString();
    place.write('out.jsonl.manifest.json', manifest.replace(/"inChunks":\d+/, '"inChunks":7'));
    faulty(await check(place, 'out.jsonl'), 'a.txt', 'inChunks');
  });

  it('finds each of many bytes changed at random in a file on disk', async () => {
    const place = await chunked();
    const good = place.read('out.jsonl');
    await seeded(300, async (rng: Rng) => {
      const bytes = Uint8Array.from(good);
      const at = rng.between(0, bytes.length - 1);
      bytes[at] = bytes[at]! ^ rng.between(1, 255);
      place.write('out.jsonl', bytes);
      const { fault } = await verify({ path: place.path('out.jsonl'), root: place.dir });
      expect(fault, `byte ${at} became ${bytes[at]}`).toContain('out.jsonl');
    });
  });

  it('finds an output that ends anywhere before its end', async () => {
    const place = await chunked();
    const good = place.read('out.jsonl');
    for (let length = good.length - 1; length >= 0; length -= 97) {
      place.write('out.jsonl', good);
      truncateSync(place.path('out.jsonl'), length);
      const { fault } = await verify({ path: place.path('out.jsonl'), root: place.dir });
      expect(fault, `${length} bytes`).toContain('out.jsonl');
    }
  });

  it('proves every output in a directory and names the one that is wrong', async () => {
    const place = await chunked();
    place.write('made/note', '');
    for (const name of ['a', 'b']) await millrace([`${name}.txt`, ...SIZES, '-o', `made/${name}.jsonl`], { cwd: place.dir });
    proved(await check(place, 'made'));
    place.write('made/b.jsonl', place.read('made/b.jsonl').toString().replace('Rad', 'Rat'));
    faulty(await check(place, 'made'), 'made/b.jsonl, line 1');
  });

  it('proves what came from standard input when --source says where it is now', async () => {
    const place = await chunked();
    for (const [name, more] of [
      ['-', []],
      ['piped', ['--source-name', 'piped']],
    ] as const) {
      const stdin = [place.read('a.txt')];
      await millrace(['-', ...more, ...SIZES, '-o', 'piped.jsonl'], { cwd: place.dir, stdin });
      proved(await check(place, 'piped.jsonl', `--source=${name}=a.txt`));
      faulty(await check(place, 'piped.jsonl', `--source=${name}=b.txt`), 'changed since the run');
      const ended = await check(place, 'piped.jsonl');
      expect(ended.code).toBe(3);
      expect(ended.stderr).toContain(name);
    }
  });

  it('finds the sources from anywhere with --root', async () => {
    const place = await chunked();
    place.write('elsewhere/x', '');
    const there = await millrace(['verify', '../out.jsonl', '--root', '..'], { cwd: place.path('elsewhere') });
    proved(there);
    expect((await millrace(['verify', '../out.jsonl'], { cwd: place.path('elsewhere') })).code).toBe(3);
  });

  it.each([
    ['fields as text', ['--text', 'body', '--id-field', 'id']],
    ['records as they are', []],
    ['packed records', ['--pack']],
  ])('proves a directory of all formats with %s, and names the line when a source says something else', async (_, options) => {
    const place = workspace();
    const records = Array.from({ length: 12 }, (_, n) => ({ id: `r${n}`, body: `Wheel ${n} says "turn",\n& water < stone.` }));
    const cells = records.map(({ id, body }) => `${id},"${body.replaceAll('"', '""')}"\n`).join('');
    const elements = records.map(({ id, body }) => `<r><id>${id}</id><body>${escaped(body)}</body></r>`).join('\n');
    place.write('in/a.json', JSON.stringify(records));
    place.write('in/b.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    place.write('in/c.csv', `id,body\n${cells}`);
    place.write('in/d.txt', records.map(({ body }) => body).join('\n\n'));
    place.write('in/e.xml', `<all>\n${elements}\n</all>\n`);
    const ended = await millrace(['in', ...options, ...SIZES, '-o', 'out.jsonl'], { cwd: place.dir });
    expect(ended.code, ended.stderr).toBe(0);
    proved(await check(place, 'out.jsonl'));
    for (const name of ['a.json', 'b.jsonl', 'c.csv', 'e.xml']) {
      const good = place.read(`in/${name}`);
      place.write(`in/${name}`, good.toString().replace('Wheel 7', 'Wheel 8'));
      faulty(await check(place, 'out.jsonl'), 'line ', `in/${name} has changed since the run`);
      place.write(`in/${name}`, good);
    }
  });

  it('proves what is left when faulty records are skipped, and a run of some records only', async () => {
    const place = workspace();
    const lines = Array.from({ length: 9 }, (_, n) => (n === 4 ? '{"body": oops}' : `{"body": "Water \\u0041 ${n}."}`));
    place.write('a.jsonl', lines.join('\n'));
    const options = ['a.jsonl', '--text', 'body', ...SIZES, '-o', 'out.jsonl'];
    const ended = await millrace([...options, '--rejects', 'rejects.jsonl'], { cwd: place.dir });
    expect(ended.code, ended.stderr).toBe(0);
    expect(chunksIn(place.read('out.jsonl'))).toHaveLength(8);
    proved(await check(place, 'out.jsonl'));

    place.write('a.jsonl', lines.with(4, '{"body": "ok"  }').join('\n'));
    faulty(await check(place, 'out.jsonl'), 'a.jsonl has changed');
    const again = await millrace([...options, '--only', 'rejects.jsonl'], { cwd: place.dir });
    expect(again.code, again.stderr).toBe(0);
    expect(chunksIn(place.read('out.jsonl')).map(({ text }) => text)).toEqual(['ok']);
    rmSync(place.path('rejects.jsonl'));
    proved(await check(place, 'out.jsonl'));
    const manifest = place.read('out.jsonl.manifest.json').toString();
    place.write('out.jsonl.manifest.json', manifest.replace(/"only":\[\[\d+,\d+\]\],/, ''));
    faulty(await check(place, 'out.jsonl'), 'out.jsonl, line 1: ');
  });

  it('exits with 3 and one clear line without manifest, chunks or source', async () => {
    const place = await chunked();
    for (const missing of ['a.txt', 'out.jsonl.manifest.json', 'out.jsonl']) {
      rmSync(place.path(missing));
      const ended = await check(place, 'out.jsonl');
      expect(ended.code, ended.stderr).toBe(3);
      expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(ended.stderr).toContain(missing);
    }
  });
});
