/**
 * Files, patterns and directories as sources: which names, in which order, with which bytes; and one clear error for each way
 * it can go wrong. On a disk in memory, but for symbolic links, which memfs and the real world see differently.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { files, located, tidied } from '../../sources/files.js';
import { nodeWorld } from '../../src/node.js';
import type { Source } from '../../src/types.js';
import type { FileSystem } from '../../src/world.js';
import { conformSource, failsAs, readAll } from '../conformance/source.js';
import { memoryWorld } from '../support/world.js';

const options = { bufferBytes: 4 };
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Several sources read one after the other. */
function inARow(sources: readonly Source[]): Source {
  return {
    async *read(signal) {
      for (const source of sources) yield* source.read(signal);
    },
  };
}

const TREE = {
  'docs/b.md': 'beta',
  'docs/a.md': 'alpha, longer than a buffer',
  'docs/sub/c.txt': 'gamma',
  'docs/sub/Z.md': 'zeta',
  'docs/.hidden/d.md': 'hidden',
  'docs/.secret': 'hidden',
  'other/e.md': '',
  'odd[1].txt': 'brackets',
  'ä ö.txt': 'umlauts',
};

const namesOf = async (input: string, more: object = {}, world = memoryWorld({ files: TREE })) =>
  (await files(input, { ...options, ...more }, world)).map((source) => source.origin?.uri);

describe('the files source', () => {
  it.each([
    ['docs/a.md', ['docs/a.md']],
    ['other/e.md', ['other/e.md']],
    ['docs', ['docs/a.md', 'docs/b.md', 'docs/sub/Z.md', 'docs/sub/c.txt']],
    ['docs/**/*.md', ['docs/a.md', 'docs/b.md', 'docs/sub/Z.md']],
  ])('keeps the laws of sources on %s', async (input, names) => {
    const world = memoryWorld({ files: TREE });
    const make = async () => inARow(await files(input, options, world));
    await conformSource(
      make,
      names.map((name) => [name, bytesOf(TREE[name as keyof typeof TREE])]),
    );
  });

  it('names files tidied, in an order that is the same on every disk', async () => {
    expect(await namesOf('./docs//')).toEqual(['docs/a.md', 'docs/b.md', 'docs/sub/Z.md', 'docs/sub/c.txt']);
    expect(await namesOf('./docs/../docs/a.md')).toEqual(['docs/a.md']);
    expect(await namesOf('docs/{b,a}.md')).toEqual(['docs/a.md', 'docs/b.md']);
    expect(await namesOf('ä ö.txt')).toEqual(['ä ö.txt']);
  });

  it('takes a file whose name looks like a pattern for itself', async () => {
    expect(await namesOf('odd[1].txt')).toEqual(['odd[1].txt']);
  });

  it('leaves hidden files out of directories and patterns, but not when they are named', async () => {
    expect(await namesOf('docs/.secret')).toEqual(['docs/.secret']);
    expect(await namesOf('docs/*')).toEqual(['docs/a.md', 'docs/b.md']);
  });

  it('names files relative to the root, whether the root was written or not', async () => {
    const root = { root: 'docs' };
    expect(await namesOf('sub', root)).toEqual(['sub/Z.md', 'sub/c.txt']);
    expect(await namesOf('docs/sub', root)).toEqual(['sub/Z.md', 'sub/c.txt']);
    expect(await namesOf('docs', root)).toEqual(['a.md', 'b.md', 'sub/Z.md', 'sub/c.txt']);
    expect(await namesOf('*.md', root)).toEqual(['a.md', 'b.md']);
    expect(await namesOf('a.md', { root: './docs/' })).toEqual(['a.md']);
    const absolute = { root: `${process.cwd()}/docs` };
    expect(await namesOf('docs/sub', absolute)).toEqual(['sub/Z.md', 'sub/c.txt']);
    expect(await namesOf(`${process.cwd()}/docs/a.md`, root)).toEqual(['a.md']);
    expect(await namesOf('docs/*.md', absolute)).toEqual(['a.md', 'b.md']);
    expect(await namesOf('a.md', { root: `${process.cwd()}/docs/sub/..` })).toEqual(['a.md']);
  });

  it('says where its bytes are and how many', async () => {
    const [source] = await files('a.md', { ...options, root: 'docs' }, memoryWorld({ files: TREE }));
    expect([source!.origin, source!.paths]).toEqual([{ uri: 'a.md', bytes: 27 }, ['docs/a.md']]);
  });
});

describe('what goes wrong', () => {
  it.each([
    ['no-such.txt', 'not-found'],
    ['docs/a.md/x', 'not-found'],
    ['no-such/*.md', 'no-match'],
  ])('%s: %s', async (input, reason) => {
    await failsAs(files(input, options, memoryWorld({ files: TREE })), reason, input);
  });

  it('a directory without files', async () => {
    await failsAs(files('empty', options, memoryWorld({ files: { 'empty/.hidden': '' } })), 'no-files', 'empty');
  });

  it('a file that goes between looking and reading', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'x' } });
    const [source] = await files('a.txt', options, world);
    await world.fs.promises.rm(`${process.cwd()}/a.txt`);
    await failsAs(readAll(source!), 'not-found', 'a.txt');
  });

  it('a file that becomes shorter', async () => {
    const world = memoryWorld({ files: { 'a.txt': '0123456789' } });
    const [source] = await files('a.txt', options, world);
    world.put('a.txt', '0123');
    const error = await failsAs(readAll(source!), 'cut-short', 'a.txt');
    expect(error.at).toBe(4);
  });

  it.each([
    ['EACCES', 'permission-denied'],
    ['EISDIR', 'is-a-directory'],
    ['EMFILE', 'too-many-files'],
    ['ELOOP', 'link-loop'],
    ['EIO', 'read-failed'],
    [undefined, 'read-failed'],
  ])('a read that fails with %s after some bytes', async (code, reason) => {
    const world = memoryWorld({ files: { 'a.txt': 'abcd' } });
    const cause = Object.assign(new Error('it failed'), code === undefined ? {} : { code });
    let reads = 0;
    const handle = {
      read: async (buffer: Uint8Array) => {
        if (++reads > 1) throw cause;
        buffer.set(Buffer.from('ab'));
        return { bytesRead: 2, buffer };
      },
      close: async () => {},
    };
    const promises = Object.assign(Object.create(world.fs.promises) as FileSystem['promises'], { open: async () => handle });
    const fs: FileSystem = { promises };
    const [source] = await files('a.txt', options, { fs });
    const error = await failsAs(readAll(source!), reason, 'a.txt');
    expect(error.cause).toBe(cause);
  });
});

describe('on the real disk', () => {
  function realTree(): string {
    const root = mkdtempSync(`${tmpdir()}/millrace-files-`);
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(`${root}/docs/sub`, { recursive: true });
    writeFileSync(`${root}/docs/a.txt`, 'alpha');
    writeFileSync(`${root}/docs/sub/b.txt`, 'beta');
    return root;
  }

  it('keeps the laws of sources', async () => {
    const root = realTree();
    const make = async () => inARow(await files('docs', { ...options, root }, nodeWorld));
    await conformSource(make, [
      ['docs/a.txt', bytesOf('alpha')],
      ['docs/sub/b.txt', bytesOf('beta')],
    ]);
  });

  it('ends although links lead in a circle, and gives the same names twice', async () => {
    const root = realTree();
    symlinkSync('..', `${root}/docs/sub/up`);
    symlinkSync('self', `${root}/docs/self`);
    const names = async () => (await files('docs', { ...options, root }, nodeWorld)).map((source) => source.origin!.uri);
    const first = await names();
    expect(first).toEqual(expect.arrayContaining(['docs/a.txt', 'docs/sub/b.txt']));
    expect(first.length).toBeLessThan(100);
    expect(await names()).toEqual(first);
  });

  it('says that a link leads in a circle when it is named', async () => {
    const root = realTree();
    symlinkSync('loop', `${root}/loop`);
    await failsAs(files('loop', { ...options, root }, nodeWorld), 'link-loop', 'loop');
  });

  it('follows a link to a file', async () => {
    const root = realTree();
    symlinkSync('docs/a.txt', `${root}/link`);
    const make = async () => inARow(await files('link', { ...options, root }, nodeWorld));
    await conformSource(make, [['link', bytesOf('alpha')]]);
  });
});

describe('names', () => {
  it.each([
    ['./a//b/', 'a/b'],
    ['a/../b', 'b'],
    ['../a', '../a'],
    ['../../a/..', '../..'],
    ['/a/../..', '/'],
    ['/./a', '/a'],
    ['.', '.'],
    ['', '.'],
    ['a/..', '.'],
  ])('%j is %j', (path, tidy) => expect(tidied(path)).toBe(tidy));

  it('are found under the root unless they are absolute', () => {
    expect([located('a', undefined), located('a', 'r/'), located('/a', 'r'), located('../a', 'r')]).toEqual([
      'a',
      'r/a',
      '/a',
      'a',
    ]);
  });
});
