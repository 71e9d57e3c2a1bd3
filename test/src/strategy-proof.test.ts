/** Verify over every strategy: what it writes is proved, with its metadata, its whole units and its last windows; and nothing looser than that. */
import { describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../../src/run.js';
import type { Chunk } from '../../src/types.js';
import { verify } from '../../src/verify.js';
import { memoryWorld } from '../support/world.js';

const OUT = 'out.jsonl';
const TEXT = `# One\n\n${'It is a sentence of words. '.repeat(12)}\n\n## Two\n\nA short one.\n\n${'wordswithoutend'.repeat(9)}\n\n# Three\r\n\r\nEnd of it.\n`;
const ROWS = `headings,oversize,body\nmine,yes,"${TEXT}"\nyours,no,"${TEXT.slice(0, 90)}"\n`;
const MINE =
  'export default (view, from, to) => { const at = view.lastIndexOf(" ", to - 1) + 1; return at > from ? at : undefined; };';

async function written(options: RunOptions, file = 'a.md', text = TEXT) {
  const world = {
    ...memoryWorld({ files: { [file]: text } }),
    load: (name: string) => import(name === './mine.js' ? `data:text/javascript,${encodeURIComponent(MINE)}` : name),
  };
  const out: RunOptions = { input: file, out: OUT, ...(options.unit === undefined ? {} : { size: 60, overlap: 10 }), ...options };
  await run(out, {}, world);
  return world;
}

type Written = Awaited<ReturnType<typeof written>>;
const linesOf = (world: Written) => world.files()[OUT]!.trimEnd().split('\n');
const chunksOf = (world: Written) => linesOf(world).map((line) => JSON.parse(line) as Chunk);
const faultOf = async (world: Written) =>
  (await verify({ path: OUT }, {}, { ...world, load: () => Promise.reject(new Error('none')) })).fault;

const CASES: readonly (readonly [string, RunOptions])[] = [
  ['sentence', { strategy: 'sentence', unit: 'characters' }],
  ['sentence, whole', { strategy: 'sentence', unit: 'characters', noWordFallback: true, noCharacterFallback: true }],
  ['sentence, words whole', { strategy: 'sentence', unit: 'characters', noCharacterFallback: true, targetSize: 20 }],
  ['paragraph', { strategy: 'paragraph', unit: 'characters' }],
  ['paragraph, whole', { strategy: 'paragraph', unit: 'characters', oversize: 'keep' }],
  ['section', { strategy: 'section', unit: 'characters' }],
  ['section, joined', { strategy: 'section', unit: 'characters', minSize: 30 }],
  ['topic', { strategy: 'topic', unit: 'characters', topicWords: 2, topicBlock: 2 }],
  ['words', { strategy: 'words', size: 10, overlap: 3 }],
  ['token', { strategy: 'token', size: 10, overlap: 3 }],
  ['sliding', { strategy: 'sliding', size: 10, step: 4 }],
  ['sliding, backfill', { strategy: 'sliding', unit: 'words', size: 10, step: 9, overlap: 1, tail: 'backfill' }],
  ['sliding, drop', { strategy: 'sliding', unit: 'words', size: 10, step: 9, overlap: 1, tail: 'drop' }],
  ['a module', { strategy: './mine.js', unit: 'characters' }],
  ['a function', { strategy: (_view, from, to) => (from + 9 <= to ? from + 9 : undefined), unit: 'characters' }],
];

describe('what a strategy writes is proved', () => {
  it.each(CASES)('of text: %s', async (_, options) => {
    const world = await written(options);
    expect(chunksOf(world).length).toBeGreaterThan(2);
    expect(await faultOf(world)).toBeUndefined();
  });

  it.each(CASES)('of fields, whose metadata has the same names: %s', async (_, options) => {
    const world = await written({ ...options, text: ['body'] }, 'a.csv', ROWS);
    expect(await faultOf(world)).toBeUndefined();
  });

  it.each(CASES)('of records that are their own text: %s', async (_, options) => {
    expect(await faultOf(await written(options, 'a.csv', ROWS))).toBeUndefined();
  });
});

describe('what no strategy may do is found', () => {
  async function changed(
    options: RunOptions,
    at: number,
    change: (chunk: Chunk) => object,
    manifest: [RegExp, string] = [/$/, ''],
  ) {
    const world = await written(options);
    const lines = linesOf(world);
    const place = at < 0 ? lines.length + at : at;
    const line = JSON.stringify({ ...JSON.parse(lines[place]!), ...change(JSON.parse(lines[place]!)) });
    world.put(
      OUT,
      lines
        .with(place, line)
        .map((each) => `${each}\n`)
        .join(''),
    );
    const path = `${OUT}.manifest.json`;
    world.put(path, world.files()[path]!.replace(...manifest));
    return faultOf(world);
  }

  it('metadata that it does not add', async () => {
    const section: RunOptions = { strategy: 'section', unit: 'characters' };
    expect(await changed(section, 1, ({ metadata }) => ({ metadata: { ...metadata, more: 1 } }))).toMatch(/line 2: its metadata/);
    expect(await changed({ ...section, strategy: 'topic' }, 1, () => ({ metadata: { headings: ['x'] } }))).toMatch(
      /its metadata/,
    );
  });

  it('an oversize chunk that does not say so, or was not to be kept', async () => {
    const whole: RunOptions = { strategy: 'paragraph', unit: 'characters', oversize: 'keep' };
    const at = chunksOf(await written(whole)).findIndex(({ metadata }) => metadata.oversize === true);
    expect(await changed(whole, at, () => ({ metadata: {} }))).toMatch(/over the size of 60/);
    expect(await changed(whole, at, () => ({}), [/"oversize":"keep",?/, ''])).toMatch(/over the size of 60/);
  });

  it('a last window that reaches back when it was not to', async () => {
    const filled: RunOptions = { strategy: 'sliding', unit: 'words', size: 10, overlap: 1, tail: 'backfill' };
    expect(await changed(filled, -1, () => ({}), [/"tail":"backfill"/, '"tail":"keep"'])).toMatch(/over the overlap of 1/);
  });

  it('a last window that was not to be dropped', async () => {
    const dropped: RunOptions = { strategy: 'sliding', unit: 'words', size: 10, overlap: 1, tail: 'drop' };
    expect(await changed(dropped, -1, () => ({}), [/"tail":"drop"/, '"tail":"keep"'])).toBeDefined();
  });
});
