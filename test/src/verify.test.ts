/**
 * The proof on a disk in memory: it accepts what runs write, whatever the sample and the options, and names the first thing
 * that is wrong when anything at all was changed in the chunks, in the manifest or in a source.
 */
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/manifest.js';
import { type RunOptions, run } from '../../src/run.js';
import type { TokenCounter } from '../../src/types.js';
import { type VerifyOptions, verify } from '../../src/verify.js';
import { SAMPLES, sampleNames } from '../support/cli.js';
import { dayBook, forms } from '../support/compressed.js';
import { failure } from '../support/failure.js';
import { type Rng, seeded, troubleBytes } from '../support/random.js';
import { type MemoryWorld, memoryWorld } from '../support/world.js';

const samples: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  sampleNames.map((name) => [name, new Uint8Array(readFileSync(`${SAMPLES}/${name}`))]),
);

const OUT = 'out.jsonl';
const MANIFEST = `${OUT}.manifest.json`;
const OPTIONS: RunOptions = { unit: 'characters', size: 160, overlap: 24, out: OUT };

/** A world where these files have been chunked. */
async function chunked(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: RunOptions = OPTIONS,
): Promise<MemoryWorld> {
  const world = memoryWorld({ files });
  await run({ input: Object.keys(files), ...options }, {}, world);
  return world;
}

const faultIn = async (world: MemoryWorld, options: Partial<VerifyOptions> = {}): Promise<string | undefined> =>
  (await verify({ path: OUT, ...options }, {}, world)).fault;

const proves = async (world: MemoryWorld, options: Partial<VerifyOptions> = {}): Promise<void> =>
  expect(await faultIn(world, options)).toBeUndefined();

describe('what runs write is proved', () => {
  const variants: readonly RunOptions[] = [
    { unit: 'characters', size: 200, overlap: 40 },
    { unit: 'characters', size: 1, overlap: 0 },
    { unit: 'characters', size: 90, overlap: 89, minSize: 0 },
    { unit: 'bytes', size: 64, overlap: 16, whitespace: 'keep' },
    { unit: 'words', size: 30, overlap: 5, whitespace: 'collapse' },
    { tokenizer: 'estimate', size: 50, trim: true },
    { tokenizer: 'bytes4', size: 400, overlap: 100, minSize: 390 },
    { unit: 'characters', size: 300, overlap: 0, tokenizer: 'none', trim: true, whitespace: 'keep' },
    { unit: 'characters', size: 80, overlap: 10, separators: ['\\n\\n', '. ', ' '], separatorPosition: 'drop' },
    { unit: 'characters', size: 80, overlap: 10, separators: ['\\n', '。', ' '], separatorPosition: 'start', trim: true },
    {
      unit: 'characters',
      size: 100,
      overlap: 20,
      separators: ['[.!?]\\s+', '\\s+'],
      separatorsRegex: true,
      separatorPosition: 'drop',
    },
    { unit: 'characters', size: 100, overlap: 20, encoding: 'latin1' },
    { unit: 'characters', size: 100, overlap: 20, encoding: 'utf-16le' },
  ];

  it.each(variants.map((options) => [JSON.stringify(options), options] as const))(
    'for every sample with %s',
    async (_, options) => {
      // Where each chunk goes on by one character, nothing is learnt from a million of them.
      const files =
        options.size! - (options.overlap ?? 0) === 1
          ? { ...samples, 'long-line.txt': samples['long-line.txt']!.subarray(0, 5000) }
          : samples;
      const world = await chunked(files, { ...options, out: OUT });
      await proves(world);
    },
  );

  it('for documents of trouble, whatever the options', async () => {
    await seeded(40, async (rng: Rng) => {
      const size = rng.between(1, 300);
      const options: RunOptions = {
        unit: rng.pick(['characters', 'bytes', 'words'] as const),
        size,
        overlap: rng.between(0, size - 1),
        minSize: rng.between(0, size),
        whitespace: rng.pick(['tidy', 'collapse', 'keep'] as const),
        trim: rng.chance(0.5),
        ...(rng.chance(0.4) && {
          separators: rng.shuffle(['\\n', ' ', 'a', '. ', '!?']),
          separatorPosition: rng.pick(['start', 'end', 'drop'] as const),
        }),
      };
      const world = await chunked({ 'a.txt': troubleBytes(rng, rng.between(0, 6000)) }, { ...options, out: OUT });
      expect(await faultIn(world), JSON.stringify(options)).toBeUndefined();
    });
  });

  it('for text longer than what is read at once, with characters across its edges', async () => {
    const world = await chunked({ 'a.txt': `x${'水車 '.repeat(350_000)}` }, { ...OPTIONS, size: 5000, overlap: 500 });
    await proves(world);
  });

  it('for sources of which none, some or all have chunks', async () => {
    const full = 'The race carries water to the wheel. '.repeat(30);
    const sets = [['', ' \n'], ['', full, ' ', '', full, '\n\n\n'], [full, full], []] as const;
    for (const texts of sets) {
      const files = Object.fromEntries(texts.map((text, n) => [`${n}.txt`, text]));
      if (texts.length > 0) await proves(await chunked(files));
    }
  });

  it('for standard input, when it is said where its bytes are now', async () => {
    const text = 'Water that has somewhere to go. '.repeat(40);
    for (const sourceName of ['-', 'piped.txt', 'a=b']) {
      const world = memoryWorld({ stdin: [new TextEncoder().encode(text)] });
      await run({ ...OPTIONS, input: '-', sourceName }, {}, world);
      world.put('copy.txt', text);
      await proves(world, { source: [`${sourceName}=copy.txt`] });
      const error = await failure(faultIn(world));
      expect([error.kind, error.origin]).toEqual(['source', sourceName]);
    }
  });

  it('for names relative to a root, as the run had it or as it is said', async () => {
    const world = memoryWorld({ files: { 'corpus/x/a.txt': 'Some text.', 'moved/x/a.txt': 'Some text.' } });
    await run({ ...OPTIONS, input: 'corpus', root: 'corpus' }, {}, world);
    await proves(world);
    await proves(world, { root: 'moved' });
    expect((await failure(faultIn(world, { root: 'nowhere' }))).kind).toBe('source');
  });

  it('for a counter of the caller’s own, when it is passed again', async () => {
    const tokenizer: TokenCounter = { name: 'thirds', count: (text) => Math.ceil(text.length / 3) };
    const world = await chunked({ 'a.txt': 'Nothing is lost. '.repeat(90) }, { tokenizer, size: 20, out: OUT });
    await proves(world, { tokenizer });
    const otherwise = { ...tokenizer, count: (text: string) => Math.ceil(text.length / 2) };
    expect(await faultIn(world, { tokenizer: otherwise })).toContain('line 1: it says');
    const error = await failure(faultIn(world));
    expect(error.kind).toBe('config');
    expect(error.message).toContain('thirds');
  });

  it('for every file of a directory', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'First. '.repeat(50), 'b.txt': 'Second. '.repeat(50) } });
    await run({ ...OPTIONS, input: 'a.txt', out: 'made/1.jsonl' }, {}, addFolder(world, 'made'));
    await run({ ...OPTIONS, input: 'b.txt', out: 'made/2.jsonl' }, {}, world);
    const verdict = await verify({ path: 'made' }, {}, world);
    expect(verdict).toMatchObject({ sources: 2, bytes: 750 });
    expect(verdict.fault).toBeUndefined();
    world.put('b.txt', 'Second. '.repeat(49));
    expect((await verify({ path: 'made' }, {}, world)).fault).toContain('made/2.jsonl, line');
  });

  it('and says how far it is', async () => {
    const world = await chunked({ 'a.txt': 'Nothing is lost. '.repeat(90), 'b.txt': 'x' });
    const told: number[] = [];
    await verify({ path: OUT }, { onProgress: ({ bytes }) => told.push(bytes) }, world);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(told.at(-1)).toBe('Nothing is lost. '.length * 90 + 1);
  });
});

function addFolder(world: MemoryWorld, name: string): MemoryWorld {
  world.put(`${name}/note`, '');
  return world;
}

/* ------------------------------------------------------------------ damage */

const FIRST = Array.from({ length: 40 }, (_, n) => `The ${n}th wheel turns; water passes below it.\n\n`).join('');
const SECOND = `\ufeff${Array.from({ length: 30 }, (_, n) => `Überlauf ${n}: 水 fließt weiter.\r\n`).join('')}\uffff end`;
const files = { 'a.txt': FIRST, 'blank.txt': ' \n', 'b.txt': new Uint8Array([...new TextEncoder().encode(SECOND), 0xe2, 0x82]) };

const lines = (world: MemoryWorld): string[] => world.files()[OUT]!.split('\n').slice(0, -1);
const joined = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');

/** The fault after the lines of good output were changed. */
async function faultOf(change: (all: string[]) => string | readonly string[]): Promise<string | undefined> {
  const world = await chunked(files);
  const changed = change(lines(world));
  const text = typeof changed === 'string' ? changed : joined(changed);
  expect(text).not.toBe(world.files()[OUT]);
  world.put(OUT, text);
  return faultIn(world);
}

/** One key of line `n` (from 0) changed. */
const edited =
  (n: number, change: (chunk: Record<string, unknown>) => unknown) =>
  (all: string[]): string[] =>
    all.with(n, JSON.stringify(change(JSON.parse(all[n]!) as Record<string, unknown>)));

const plus =
  (key: string, by: number) =>
  (chunk: Record<string, unknown>): unknown => ({ ...chunk, [key]: (chunk[key] as number) + by });

describe('a change in a line of chunks is found and its line is named', () => {
  it.each([
    ['its text has another letter', edited(5, (chunk) => ({ ...chunk, text: (chunk.text as string).replace('w', 'v') }))],
    ['its text is shorter', edited(5, (chunk) => ({ ...chunk, text: (chunk.text as string).slice(0, -1) }))],
    ['its text is longer', edited(5, (chunk) => ({ ...chunk, text: `${chunk.text} ` }))],
    ['its text is empty', edited(5, (chunk) => ({ ...chunk, text: '' }))],
    ['its text is no text', edited(5, (chunk) => ({ ...chunk, text: null }))],
    ['it starts later', edited(5, plus('start', 1))],
    ['it starts earlier', edited(5, plus('start', -1))],
    ['it ends later', edited(5, plus('end', 1))],
    ['it ends earlier', edited(5, plus('end', -1))],
    ['it starts at no number', edited(5, (chunk) => ({ ...chunk, start: '0' }))],
    ['it starts before the source', edited(5, (chunk) => ({ ...chunk, start: -1 }))],
    ['it ends after the source', edited(5, (chunk) => ({ ...chunk, end: 1e9 }))],
    ['it ends between two bytes', edited(5, plus('end', 0.5))],
    ['it ends where it starts', edited(5, (chunk) => ({ ...chunk, end: chunk.start }))],
    ['it has a token more', edited(5, plus('tokens', 1))],
    ['it has a token less', edited(5, plus('tokens', -1))],
    ['it has no tokens', edited(5, ({ tokens: _, ...chunk }) => chunk)],
    ['it has another id', edited(5, (chunk) => ({ ...chunk, id: '00000000-0000-5000-8000-000000000000' }))],
    ['it has no id', edited(5, ({ id: _, ...chunk }) => chunk)],
    ['it has another index', edited(5, plus('index', 1))],
    ['it comes from another source', edited(5, (chunk) => ({ ...chunk, source: 'b.txt' }))],
    ['it comes from a source that no one read', edited(5, (chunk) => ({ ...chunk, source: 'c.txt' }))],
    ['it has no source', edited(5, ({ source: _, ...chunk }) => chunk)],
    ['it is cut', (all: string[]) => all.with(5, all[5]!.slice(0, -10))],
    ['it is no object', (all: string[]) => all.with(5, '5')],
    ['it is null', (all: string[]) => all.with(5, 'null')],
    ['it is empty', (all: string[]) => all.with(5, '')],
    ['it is broken in two', (all: string[]) => all.toSpliced(5, 1, all[5]!.slice(0, 20), all[5]!.slice(20))],
    ['it is gone', (all: string[]) => all.toSpliced(5, 1)],
    ['there is another before it', (all: string[]) => all.toSpliced(5, 0, all[0]!)],
    ['it stands after the next', (all: string[]) => all.with(5, all[6]!).with(6, all[5]!)],
    ['it is there twice', (all: string[]) => all.toSpliced(5, 0, all[4]!)],
  ])('when %s', async (_, change) => {
    expect(await faultOf(change)).toContain(`${OUT}, line 6: `);
  });

  it('when the last line is cut, gone, doubled, or lacks its line feed', async () => {
    const last = lines(await chunked(files)).length;
    expect(await faultOf((all) => joined(all).slice(0, -5))).toContain(`line ${last}: it is not JSON`);
    expect(await faultOf((all) => all.slice(0, -1))).toContain(`${last - 1} lines`);
    expect(await faultOf((all) => [...all, all.at(-1)!])).toContain(`line ${last + 1}: `);
    expect(await faultOf((all) => [...all, ''])).toContain(`line ${last + 1}: `);
    expect(await faultOf((all) => joined(all).slice(0, -1))).toContain(OUT);
  });

  it('when the sources stand in another order', async () => {
    expect(
      await faultOf((all) => {
        const second = all.findIndex((line) => line.includes('"b.txt"'));
        return [...all.slice(second), ...all.slice(0, second)];
      }),
    ).toContain('line 1');
  });

  it('when the last chunk of a source is gone', async () => {
    const second = lines(await chunked(files)).findIndex((line) => line.includes('"b.txt"'));
    expect(await faultOf((all) => all.toSpliced(second - 1, 1))).toContain(`line ${second}: `);
  });

  it('when all is gone', async () => {
    expect(await faultOf(() => '')).toContain('0 lines');
  });

  it('when lines are right but written otherwise', async () => {
    expect(await faultOf((all) => joined(all).replaceAll('\n', '\r\n'))).toContain(OUT);
    expect(await faultOf(edited(5, (chunk) => ({ ...chunk, more: 1 })))).toContain(OUT);
    expect(await faultOf((all) => `\ufeff${joined(all)}`)).toContain('line 1: it is not JSON');
  });

  it('when any single bit or byte is another', async () => {
    const world = await chunked(files);
    const good = new TextEncoder().encode(world.files()[OUT]!);
    await seeded(400, async (rng: Rng) => {
      const bytes = good.slice();
      const at = rng.between(0, bytes.length - 1);
      bytes[at] = rng.chance(0.5) ? bytes[at]! ^ (1 << rng.between(0, 7)) : (bytes[at]! + rng.between(1, 255)) & 255;
      world.put(OUT, bytes);
      expect(await faultIn(world), `byte ${at} became ${bytes[at]}`).toContain(OUT);
    });
  });
});

describe('a change in the manifest is found', () => {
  async function faultWith(change: (manifest: Manifest) => unknown): Promise<string | undefined> {
    const world = await chunked(files);
    const manifest = JSON.parse(world.files()[MANIFEST]!) as Manifest;
    world.put(MANIFEST, JSON.stringify(change(manifest)));
    return faultIn(world);
  }

  const receipt = (change: object) => (manifest: Manifest) => ({
    ...manifest,
    sources: manifest.sources.with(0, { ...manifest.sources[0]!, ...change }),
  });
  const coverage = (change: object) => (manifest: Manifest) =>
    receipt({ coverage: { ...manifest.sources[0]!.coverage, ...change } })(manifest);
  const dropped = (change: object) => (manifest: Manifest) =>
    coverage({ dropped: { ...manifest.sources[0]!.coverage.dropped, ...change } })(manifest);

  it.each([
    ['chunks of a source', receipt({ chunks: 3 })],
    ['documents of a source', receipt({ documents: 2 })],
    ['tokens of a source', receipt({ tokens: 3 })],
    ['bad sequences of a source', receipt({ invalid: 1 })],
    ['digest of a source', receipt({ sha256: '00' })],
    ['encoding of a source', receipt({ charset: 'utf-16le' })],
    ['bytes of a source', coverage({ bytes: 3 })],
    ['bytes in chunks', coverage({ inChunks: 3 })],
    ['blank bytes', dropped({ blank: 3 })],
    ['bytes of the signature', dropped({ signature: 3 })],
    ['bytes of separators', dropped({ separator: 3 })],
  ])('when it is the %s', async (_, change) => {
    expect(await faultWith(change)).toContain('a.txt');
  });

  it.each([
    ['a source less', (manifest: Manifest) => ({ ...manifest, sources: manifest.sources.slice(0, -1) })],
    ['a source more', (manifest: Manifest) => ({ ...manifest, sources: [...manifest.sources, manifest.sources[1]] })],
    ['sources in another order', (manifest: Manifest) => ({ ...manifest, sources: manifest.sources.toReversed() })],
    ['other totals', (manifest: Manifest) => ({ ...manifest, totals: { ...manifest.totals, bytes: 1 } })],
    ['other total chunks', (manifest: Manifest) => ({ ...manifest, totals: { ...manifest.totals, chunks: 1 } })],
    ['a smaller size', (manifest: Manifest) => ({ ...manifest, options: { ...manifest.options, size: 100, overlap: 24 } })],
    ['a smaller overlap', (manifest: Manifest) => ({ ...manifest, options: { ...manifest.options, overlap: 3 } })],
    ['other white space', (manifest: Manifest) => ({ ...manifest, options: { ...manifest.options, whitespace: 'keep' } })],
    ['another tokenizer', (manifest: Manifest) => ({ ...manifest, options: { ...manifest.options, tokenizer: 'bytes4' } })],
    ['another digest of the file', (manifest: Manifest) => ({ ...manifest, files: [{ ...manifest.files[0]!, sha256: '00' }] })],
    ['another length of the file', (manifest: Manifest) => ({ ...manifest, files: [{ ...manifest.files[0]!, bytes: 1 }] })],
  ])('when it has %s', async (_, change) => {
    expect(await faultWith(change)).toBeDefined();
  });

  it.each([
    ['missing', undefined],
    ['no JSON', '{"millrace": '],
    ['empty', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['without sources', '{"options":{},"totals":{},"files":[{}]}'],
    ['with a source that is none', '{"options":{},"totals":{},"files":[{}],"sources":[null]}'],
    ['with an encoding that is none', '{"options":{},"totals":{},"files":[{}],"sources":[{"source":"a","charset":"x"}]}'],
    ['without the file', '{"options":{},"totals":{},"files":[],"sources":[]}'],
  ])('and it is an error of the source when it is %s', async (_, text) => {
    const world = await chunked(files);
    if (text === undefined) await world.fs.promises.rm(MANIFEST);
    else world.put(MANIFEST, text);
    const error = await failure(faultIn(world));
    expect([error.kind, error.reason, error.origin]).toEqual(['source', 'no-manifest', MANIFEST]);
  });
});

describe('a change in a source is found', () => {
  const bytes = new TextEncoder().encode(FIRST);

  it.each([
    ['has another byte', bytes.with(700, 0x21)],
    ['is shorter', bytes.subarray(0, -1)],
    ['is much shorter', bytes.subarray(0, 30)],
    ['is empty', bytes.subarray(0, 0)],
    ['is longer', new Uint8Array([...bytes, 0x21])],
    ['is longer by blanks', new Uint8Array([...bytes, 0x20])],
    ['has other blanks at its end', bytes.with(bytes.length - 1, 0x20)],
    ['begins with a signature', new Uint8Array([0xef, 0xbb, 0xbf, ...bytes])],
    ['begins with the signature of another encoding', new Uint8Array([0xff, 0xfe, ...bytes])],
  ])('when it %s', async (_, changed) => {
    const world = await chunked(files);
    world.put('a.txt', changed);
    expect(await faultIn(world)).toMatch(/a\.txt|line \d+/);
  });

  it('and the message says that the source has changed', async () => {
    const world = await chunked(files);
    world.put('a.txt', FIRST.replace('The 20th wheel', 'The 20th weeel'));
    expect(await faultIn(world)).toMatch(/line \d+: its text is not what bytes .*a\.txt has changed since the run/);
  });

  it('when it had no chunks and now has text', async () => {
    const world = await chunked(files);
    world.put('blank.txt', 'x\n');
    expect(await faultIn(world)).toContain('"x"');
  });

  it('and it is an error of the source when it is gone', async () => {
    const world = await chunked(files);
    await world.fs.promises.rm('b.txt');
    const error = await failure(faultIn(world));
    expect([error.kind, error.origin]).toEqual(['source', 'b.txt']);
  });
});

describe('verify', () => {
  it('of a path that is not there, or of a directory without manifests, is an error of the source', async () => {
    const world = memoryWorld({ files: { 'empty/x.txt': '' } });
    for (const path of ['nothing.jsonl', 'empty']) {
      const error = await failure(verify({ path }, {}, world));
      expect([error.kind, error.origin]).toEqual(['source', path]);
    }
  });

  it('refuses a renamed source that names no path', async () => {
    const world = await chunked(files);
    expect((await failure(faultIn(world, { source: ['a.txt'] }))).kind).toBe('config');
  });

  it('stops with the reason of the signal', async () => {
    const world = await chunked(files);
    const reason = new Error('enough');
    await expect(verify({ path: OUT }, { signal: AbortSignal.abort(reason) }, world)).rejects.toBe(reason);
  });
});

describe('compressed sources', () => {
  const lines = Array.from({ length: 400 }, (_, n) => `{"id":${n},"body":"Sack ${n} of rye, ground on day ${n % 31}."}\n`).join(
    '',
  );
  const LARGE: RunOptions = { ...OPTIONS, size: 4000, overlap: 100 };
  const RECORDS: RunOptions = { unit: 'characters', size: 60, overlap: 10, out: OUT, text: ['body'] };

  it.each(forms.map((form) => [form.name, form] as const))('are proved as they were read: %s', async (name, { bytes }) => {
    const world = await chunked({ [name]: bytes, 'plain.txt': dayBook }, LARGE);
    await proves(world);
    const manifest = JSON.parse(world.files()[MANIFEST]!) as Manifest;
    const [one, other] = manifest.sources.map(({ source: _, compression: __, ...receipt }) => receipt);
    expect(one).toEqual(other);
    expect(manifest.sources.map(({ compression }) => compression)).toEqual([expect.any(String), undefined]);
  });

  it('have the format that the rest of their name says', async () => {
    const world = await chunked(
      { 'a.jsonl.gz': gzipSync(lines), 'b.jsonl': lines, 'c.jsonl.br': brotliCompressSync(lines) },
      RECORDS,
    );
    const manifest = JSON.parse(world.files()[MANIFEST]!) as Manifest;
    expect(manifest.sources.map(({ format, documents }) => [format, documents])).toEqual([
      ['jsonl', 400],
      ['jsonl', 400],
      ['jsonl', 400],
    ]);
    await proves(world);
  });

  it('may have come from standard input, and be compressed or not now', async () => {
    const world = memoryWorld({
      stdin: [gzipSync(dayBook)],
      files: { 'now.txt': dayBook, 'now.bz2': forms[5]!.bytes, 'now.b': forms[2]!.bytes },
    });
    await run({ ...LARGE, input: '-' }, {}, world);
    await proves(world, { source: ['-=now.txt'] });
    await proves(world, { source: ['-=now.bz2'] });
    await proves(world, { source: ['-=now.b'], compression: 'br' });
    expect(await faultIn(world, { source: ['-=now.b'] })).toBeDefined();
  });

  it('are told when what is in them has changed, or is not whole', async () => {
    const world = await chunked({ 'a.gz': gzipSync(dayBook) }, LARGE);
    const other = dayBook.slice();
    other[1000] = 0x21;
    world.put('a.gz', gzipSync(other, { level: 1 }));
    expect(await faultIn(world)).toContain('has changed since the run');
    // Other bytes, the same text.
    world.put('a.gz', gzipSync(dayBook, { level: 1 }));
    await proves(world);
    world.put('a.gz', gzipSync(dayBook).subarray(0, -3));
    expect(await failure(verify({ path: OUT }, {}, world))).toMatchObject({ kind: 'source', reason: 'cut-short' });
  });

  it('that were read as they are, are proved as they are', async () => {
    const bytes = gzipSync('some text');
    const world = await chunked({ 'a.gz': bytes }, { ...OPTIONS, compression: 'none' });
    await proves(world);
    world.put(MANIFEST, world.files()[MANIFEST]!.replace('"sha256"', '"compression":"rar","sha256"'));
    expect(await failure(verify({ path: OUT }, {}, world))).toMatchObject({ reason: 'no-manifest' });
  });

  it('are found under names with = in them', async () => {
    const world = await chunked({ 'a=b.txt': 'some text' });
    world.put('c=d.txt', 'some text');
    await proves(world, { source: ['a=b.txt=c=d.txt'] });
  });

  it('of a name that is a directory now are told', async () => {
    const world = memoryWorld({ stdin: [Buffer.from('x')], files: { 'd/a': 'x', 'd/b': 'x' } });
    await run({ ...OPTIONS, input: '-' }, {}, world);
    expect(await failure(verify({ path: OUT, source: ['-=d'] }, {}, world))).toMatchObject({ reason: 'not-a-file', origin: 'd' });
  });
});
