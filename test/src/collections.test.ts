/**
 * Collections on a disk in memory: what each is run with, what is told about all of them before anything is touched, and what
 * stays when one fails.
 */
import { describe, expect, it } from 'vitest';
import { collectionsOf, type JobOptions, totalOf } from '../../src/collections.js';
import type { IngestError } from '../../src/errors.js';
import type { Manifest } from '../../src/manifest.js';
import { asFlag } from '../../src/options.js';
import { type Progress, run } from '../../src/run.js';
import type { Chunk } from '../../src/types.js';
import type { World } from '../../src/world.js';
import { failure } from '../support/failure.js';
import { type MemoryWorld, memoryWorld } from '../support/world.js';

const TEXT = Array.from({ length: 60 }, (_, n) => `Sentence ${n} says nothing new.`).join(' ');
const A = { input: 'a.txt', out: 'a.jsonl' };
const B = { input: 'b.txt', out: 'b.jsonl' };
const BOTH: JobOptions = { unit: 'characters', collections: { a: A, b: B } };

const settingsOf = (configuration: JobOptions, caller: JobOptions = {}) =>
  new Map(collectionsOf(configuration, caller).chosen.map(({ name, settings }) => [name, settings]));

const worldWith = (files: Record<string, string> = {}): MemoryWorld =>
  memoryWorld({ files: { 'a.txt': TEXT, 'b.txt': TEXT.toUpperCase(), ...files } });

const chunksIn = (world: MemoryWorld, file: string): Chunk[] =>
  world
    .files()
    [file]!.split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Chunk);

/** The lines of the error about these. */
async function problemsOf(configuration: unknown, caller: JobOptions = {}, world: World = worldWith()): Promise<string[]> {
  const put = world as MemoryWorld;
  put.put('c.json', JSON.stringify(configuration));
  const before = put.files();
  const error = await failure(run({ config: 'c.json', ...caller }, { spelling: asFlag }, world));
  expect([error.kind, put.files()]).toEqual(['config', before]);
  return error.message.split('\n');
}

describe('the settings of a collection', () => {
  it('are 512 and 50 where nobody says anything', () => {
    const { size, overlap, strategy } = settingsOf({ collections: { a: A } }).get('a')!;
    expect([size, overlap, strategy.name]).toEqual([512, 50, 'recursive']);
  });

  it('are its own over the defaults beside it, and the caller over both', () => {
    const configuration: JobOptions = {
      size: 100,
      overlap: 5,
      collections: { a: { ...A, size: 200 }, b: { ...B, overlap: 7, strategy: 'sentence' } },
    };
    const told = (caller: JobOptions) =>
      [...settingsOf(configuration, caller)].map(([name, { size, overlap, strategy }]) => [name, size, overlap, strategy.name]);
    expect(told({})).toEqual([
      ['a', 200, 5, 'recursive'],
      ['b', 100, 7, 'sentence'],
    ]);
    expect(told({ size: 300, strategy: 'paragraph' })).toEqual([
      ['a', 300, 5, 'paragraph'],
      ['b', 300, 7, 'paragraph'],
    ]);
  });

  it('have an overlap of 0 where 0 is said, by whomever', () => {
    const overlaps = (configuration: JobOptions, caller: JobOptions = {}) =>
      [...settingsOf(configuration, caller).values()].map(({ overlap }) => overlap);
    expect(overlaps({ overlap: 0, collections: { a: A, b: { ...B, overlap: 9 } } })).toEqual([0, 9]);
    expect(overlaps({ overlap: 9, collections: { a: A, b: { ...B, overlap: 0 } } })).toEqual([9, 0]);
    expect(overlaps({ collections: { a: { ...A, overlap: 9 }, b: B } }, { overlap: 0 })).toEqual([0, 0]);
  });

  it('take what is undefined as not said', () => {
    expect(settingsOf({ collections: { a: { ...A, size: 99 } } }, { size: undefined } as object).get('a')!.size).toBe(99);
  });

  it('are made for those that are chosen only, in the order of the configuration', () => {
    const broken = { ...BOTH.collections, c: { size: 0 } };
    const names = (collection: string | string[]) => [...settingsOf({ ...BOTH, collections: broken }, { collection }).keys()];
    expect(names('b')).toEqual(['b']);
    expect(names(['b', 'a', 'b'])).toEqual(['a', 'b']);
  });

  it('survive any name', () => {
    const configuration = JSON.parse(
      `{"collections": {"__proto__": ${JSON.stringify(A)}, "": ${JSON.stringify(B)}}}`,
    ) as JobOptions;
    expect([...settingsOf(configuration).keys()]).toEqual(['__proto__', '']);
  });
});

describe('what is wrong with collections', () => {
  it('is told at once, each with its name, before anything is read or written', async () => {
    const collections = {
      a: { ...A, size: 0, sise: 3 },
      b: { ...B, strategy: 'sentense', config: 'd.json' },
      c: { input: [], size: 10, overlap: 10 },
      d: [],
      e: { input: 'missing', out: '-' },
    };
    expect(await problemsOf({ collections })).toEqual([
      'collection "d" must be an object of options, such as {"input": "docs", "out": "a.jsonl"}',
      'collection "a": --size must be from 1 to 1000000, not 0',
      'collection "a": unknown option sise; did you mean --size?',
      'collection "b": it cannot take its options from another file',
      expect.stringMatching(/^collection "b": --strategy takes one of .*; did you mean sentence\?$/),
      'collections "c", "e": it has no --out: each collection goes to a file of its own',
      expect.stringMatching(/^collection "c": no input: /),
      'collection "c": --overlap must be smaller than --size: 10 is not below 10',
    ]);
  });

  it('is told once where all of them have it', async () => {
    expect(await problemsOf({ ...BOTH, sise: 3 })).toEqual(['collections "a", "b": unknown option sise; did you mean --size?']);
  });

  it.each([
    [{}, 'must be an object'],
    [[A], 'must be an object'],
    [null, 'must be an object'],
    ['a', 'must be an object'],
  ])('is told of %j in their place', async (collections, said) => {
    expect(await problemsOf({ collections })).toEqual([expect.stringContaining(said)]);
  });

  it.each<readonly [what: string, collections: JobOptions['collections'], said: string]>([
    ['one output', { a: A, b: { ...B, out: './x/../a.jsonl' } }, './x/../a.jsonl and ./x/../a.jsonl.manifest.json'],
    ['a manifest', { a: A, b: { ...B, out: 'a.jsonl.manifest.json' } }, 'a.jsonl.manifest.json'],
    ['one file of rejects', { a: { ...A, rejects: 'r' }, b: { ...B, rejects: 'r' } }, 'r'],
    ['a summary over an output', { a: { ...A, summary: 'b.jsonl' }, b: B }, 'b.jsonl'],
  ])('is two that would write %s, also when one of them is not to run', async (_, collections, said) => {
    const problem = `collection "a" and collection "b" would both be written to ${said}`;
    expect(await problemsOf({ collections })).toEqual([problem]);
    expect(await problemsOf({ collections }, { collection: 'b' })).toEqual([problem]);
  });

  it('is a summary of all in the place of an output', async () => {
    expect(await problemsOf(BOTH, { summary: 'b.jsonl' })).toEqual([
      'the summary of all and collection "b" would both be written to b.jsonl',
    ]);
    expect(await problemsOf({ ...BOTH, summary: 7 })).toEqual(['--summary takes a text, not 7']);
  });

  it('is standard input for two', async () => {
    expect(await problemsOf({ ...BOTH, collections: { a: { ...A, input: ['x', '-'] }, b: { ...B, input: '-' } } })).toEqual([
      'collections "a", "b" read standard input, which can be read only once',
    ]);
  });

  it('is what the caller says but cannot mean for several, or for any', async () => {
    expect(await problemsOf(BOTH, { input: ['x', 'y'], out: 'o', rejects: 'r' })).toEqual([
      'collections have inputs of their own: leave out x y (to run only some, use --collection NAME)',
      '--out names one file, but 2 collections run: say it in each collection, or choose one with --collection NAME',
      '--rejects names one file, but 2 collections run: say it in each collection, or choose one with --collection NAME',
    ]);
    expect(await problemsOf(BOTH, { collection: ['a', 'c'] })).toEqual(['there is no collection "c" (there are: a, b)']);
    expect(await problemsOf(A, { collection: 'a' })).toEqual([
      '--collection chooses among the collections of a configuration, but there are none',
    ]);
  });

  it('with their formats is told of all too, once inputs are known', async () => {
    const collections = { a: { ...A, idField: 'x' }, b: { ...B, delimiter: ';' } };
    const problems = await problemsOf({ collections });
    expect(problems).toEqual([
      expect.stringMatching(/^collection "a": --id-field/),
      expect.stringMatching(/^collection "b": --delim/),
    ]);
  });
});

describe('a run of collections', () => {
  it('writes each as a run of its own would, with a manifest that names it', async () => {
    const own = { strategy: 'sentence', size: 80, overlap: 0 };
    const world = worldWith();
    const summary = await run({ ...BOTH, size: 50, collections: { a: A, b: { ...B, ...own } } }, {}, world);
    const alone = worldWith();
    const first = await run({ ...A, unit: 'characters', size: 50 }, {}, alone);
    const second = await run({ ...B, ...own, unit: 'characters' }, {}, alone);
    for (const file of ['a.jsonl', 'b.jsonl']) expect(world.files()[file]).toBe(alone.files()[file]);
    expect(Object.keys(summary.collections!)).toEqual(['a', 'b']);
    expect(summary.collections).toMatchObject({ a: { chunks: first.chunks }, b: { chunks: second.chunks, files: second.files } });
    expect(summary).toMatchObject({ chunks: first.chunks + second.chunks, sources: 2, bytes: 2 * TEXT.length });
    const options = (file: string) => (JSON.parse(world.files()[`${file}.manifest.json`]!) as Manifest).options;
    expect(options('b.jsonl')).toMatchObject({ collection: 'b', ...own });
    expect(options('a.jsonl')).toMatchObject({ collection: 'a', strategy: 'recursive', size: 50, overlap: 5 });
  });

  it('cuts the same input differently where strategies differ', async () => {
    const world = worldWith();
    const collections = { a: A, b: { ...A, out: 'b.jsonl', strategy: 'words', unit: 'words' as const, size: 7, overlap: 0 } };
    await run({ collections }, {}, world);
    expect(chunksIn(world, 'a.jsonl')).not.toEqual(chunksIn(world, 'b.jsonl'));
    expect(chunksIn(world, 'b.jsonl')[0]!.text.trim().split(/\s+/)).toHaveLength(7);
  });

  it('takes nothing for input that another writes, whichever ran first', async () => {
    const collections = { a: { input: '.', out: 'x.txt' }, b: { input: '.', out: 'y.txt', summary: 'z.txt' } };
    const world = worldWith();
    const first = await run({ collections }, {}, world);
    const again = await run({ collections }, {}, world);
    const one = await run({ collections, collection: 'a' }, {}, world);
    for (const { sources } of [...Object.values(first.collections!), ...Object.values(again.collections!), one])
      expect(sources).toBe(2);
    const chained = { a: A, b: { input: 'a.jsonl', out: 'b.jsonl' } };
    expect((await failure(run({ collections: chained }, {}, worldWith({ 'a.jsonl': '{}' })))).message).toContain(
      'collection "b": a.jsonl is both input',
    );
  });

  it('writes summaries where each is asked for: of one, and of all', async () => {
    const world = worldWith();
    const collections = { a: { ...A, summary: 'one.json' }, b: B };
    const summary = await run({ collections, summary: 'all.json' }, {}, world);
    expect(JSON.parse(world.files()['all.json']!)).toEqual(summary);
    expect(JSON.parse(world.files()['one.json']!)).toEqual(summary.collections!.a);
  });

  it('gives out and rejects of the caller to the one that runs', async () => {
    const world = worldWith({ 'c.json': JSON.stringify(BOTH), 'd.csv': 'id,x\n1,"a" b\n2,c\n' });
    await run({ config: 'c.json', collection: 'b', out: 'o.jsonl', rejects: 'r.jsonl' }, {}, world);
    expect(world.files()).toHaveProperty(['o.jsonl']);
    expect(world.files()).toHaveProperty(['r.jsonl']);
    expect(world.files()).not.toHaveProperty(['b.jsonl']);
  });

  it('that is dry writes nothing and has a histogram for each', async () => {
    const world = worldWith();
    const before = world.files();
    const { collections, histogram } = await run({ ...BOTH, dryRun: true }, {}, world);
    expect([world.files(), histogram]).toEqual([before, undefined]);
    for (const each of Object.values(collections!))
      expect(each.histogram!.reduce((sum, bar) => sum + bar.chunks, 0)).toBe(each.chunks);
  });

  it('tells how far all of them are', async () => {
    const told: Progress[] = [];
    await run({ ...BOTH, bufferBytes: 500 }, { onProgress: (each) => told.push(each) }, worldWith());
    const bytes = told.map((each) => each.bytes);
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b));
    expect(new Set(told.map(({ totalBytes }) => totalBytes))).toEqual(new Set([2 * TEXT.length]));
    expect(bytes.at(-1)).toBe(2 * TEXT.length);
  });

  it('finds a missing file of the last before the first is written', async () => {
    const world = worldWith();
    const before = world.files();
    const error = await failure(run({ collections: { a: A, b: { ...B, input: 'none.txt' } } }, {}, world));
    expect(error.message).toBe('collection "b": none.txt: no such file or directory');
    expect(world.files()).toEqual(before);
  });

  it('ends where one fails, says which are complete, and leaves those and nothing else', async () => {
    const files = { 'a.txt': TEXT, 'b.csv': 'id,x\n1,"a" b\n', 'c.txt': TEXT };
    const world = memoryWorld({ files });
    const collections = { a: A, b: { input: 'b.csv', text: 'x', out: 'b.jsonl' }, c: { input: 'c.txt', out: 'c.jsonl' } };
    const error: IngestError = await failure(run({ collections }, {}, world));
    expect([error.kind, error.reason]).toEqual(['record', 'stray-quote']);
    expect(error.message).toMatch(/^collection "b": b\.csv, byte .*\(collection "a" is complete\)$/);
    expect(Object.keys(world.files()).sort()).toEqual([...Object.keys(files), 'a.jsonl', 'a.jsonl.manifest.json'].sort());
  });

  it('ends with the reason of the signal, whichever is under way', async () => {
    const world = worldWith();
    const stop = new AbortController();
    const onProgress = ({ source }: Progress) => {
      if (source === 'b.txt') stop.abort(new Error('enough'));
    };
    await expect(run({ ...BOTH, bufferBytes: 100 }, { signal: stop.signal, onProgress }, world)).rejects.toThrow(/^enough$/);
    expect(world.files()).toHaveProperty(['a.jsonl']);
    expect(Object.keys(world.files()).filter((name) => name.includes('b.jsonl'))).toEqual([]);
  });
});

describe('the total', () => {
  const one = {
    ...{
      chunks: 1,
      documents: 2,
      sources: 3,
      tokens: 4,
      tokenizer: 'estimate',
      unit: 'tokens',
      bytes: 5,
      seconds: 6,
      peakMemory: 7,
    },
    ...{ rejected: 1, reasons: { 'bad-row': 1 }, invalid: 2, dropped: { blank: 3, outside: 0 }, files: [] },
  };

  it('adds up what adds up', () => {
    const file = { path: 'x', bytes: 1, sha256: '', chunks: 1 };
    const two = { ...one, unit: 'words', reasons: { 'bad-row': 2, late: 1 }, dropped: { blank: 4, outside: 1 }, files: [file] };
    expect(totalOf({ one, two })).toEqual({
      ...{ chunks: 2, documents: 4, sources: 6, tokens: 8, tokenizer: 'estimate', unit: 'tokens, words', bytes: 10 },
      ...{ rejected: 2, reasons: { 'bad-row': 3, late: 1 }, invalid: 4, dropped: { blank: 7, outside: 1 }, files: [file] },
      collections: { one, two },
    });
  });

  it('has no tokens where counters differ', () => {
    const { tokens: _, tokenizer: __, ...uncounted } = one;
    expect(totalOf({ one, other: { ...one, tokenizer: 'bytes4' } })).not.toHaveProperty('tokens');
    expect(totalOf({ one, uncounted })).not.toHaveProperty('tokens');
    expect(totalOf({ uncounted })).not.toHaveProperty('tokenizer');
  });
});
