/**
 * The package as its users get it: packed, unpacked into another project, imported by its public name, with its types, and
 * run by its command. Offline: what it depends on is linked from here.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporary, type Workspace } from '../support/cli.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const exec = promisify(execFile);

/** The consumer's tsconfig is stricter than most: the types must hold under all of it. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
  },
  include: ['*.mts'],
};

/** Each `Equal` fails to compile when a type is wider or narrower than it says. */
const TYPES = `
import { createReadStream } from 'node:fs';
import type { Duplex, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type Chunk, type ChunkOptions, chunkStream, chunks, type ErrorKind, EXIT_CODES, IngestError, type Input, jsonl, loadCounter,
  normaliseStream, run, type RunOptions, type Strategy, type Summary, textStream, type TokenCounter, verify, type Verdict,
} from 'millrace';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_T extends true>(): void => {};

const summary = await run({ input: 'corpus/**/*.md', strategy: 'recursive', size: 512, out: 'chunks.jsonl' });
holds<Equal<typeof summary, Summary>>();
holds<Equal<typeof summary.tokens, number | undefined>>();
holds<Equal<RunOptions['input'], string | readonly string[] | undefined>>();

for await (const chunk of chunks(createReadStream('big.txt'), { size: 512 })) {
  holds<Equal<typeof chunk, Chunk>>();
  holds<Equal<typeof chunk.start, number>>();
}
holds<Equal<Parameters<typeof chunks>[0], AsyncIterable<Input> | Iterable<Input> | Input>>();
holds<Equal<ReturnType<typeof chunkStream>, Duplex>>();
holds<Equal<ReturnType<typeof jsonl>, Writable>>();

const counter: TokenCounter = { name: 'lengths', count: (text) => text.length };
const strategy: Strategy = { name: 'none', packing: 'fill', levels: [{ name: 'never', last: () => undefined }] };
const options: ChunkOptions = { tokenizer: counter, strategy, whitespace: 'keep' };
await pipeline(createReadStream('a.txt'), textStream(), normaliseStream('tidy'), chunkStream(options), jsonl('out.jsonl'));

const verdict: Verdict = await verify({ path: 'chunks.jsonl' });
holds<Equal<typeof verdict.fault, string | undefined>>();
holds<Equal<Awaited<ReturnType<typeof loadCounter>>, TokenCounter>>();
try {
  // @ts-expect-error: no such unit
  chunkStream({ unit: 'pages' });
  // @ts-expect-error: no such option
  chunkStream({ sise: 5 });
  // @ts-expect-error: numbers are no text
  chunks([1, 2, 3]);
} catch (error) {
  if (error instanceof IngestError) {
    holds<Equal<typeof error.kind, ErrorKind>>();
    holds<Equal<(typeof EXIT_CODES)[ErrorKind], number>>();
  }
}
`;

const USE = `
import { chunkStream, chunks, run, verify } from 'millrace';
import { Readable } from 'node:stream';
import { writeFileSync } from 'node:fs';
const options = { unit: 'characters', size: 40, overlap: 5 };
writeFileSync('a.txt', 'The race carries water to the wheel. '.repeat(20));
const { chunks: count } = await run({ input: 'a.txt', out: 'out.jsonl', ...options });
const { fault } = await verify({ path: 'out.jsonl' });
let iterated = 0;
for await (const chunk of chunks('The race carries water to the wheel. '.repeat(20), options)) iterated++;
let streamed = 0;
for await (const chunk of Readable.from(['The race carries water to the wheel. '.repeat(20)]).pipe(chunkStream(options))) streamed++;
console.log(JSON.stringify({ count, iterated, streamed, fault: fault ?? null }));
`;

describe('the packed package', () => {
  let place: Workspace;
  let packed: string;

  beforeAll(async () => {
    place = temporary();
    // Without scripts: what is in dist/ was built before the tests began.
    const { stdout } = await exec('npm', ['pack', '--ignore-scripts', '--offline', '--json', '--pack-destination', place.dir], {
      cwd: ROOT,
    });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    packed = place.path('node_modules/millrace');
    mkdirSync(packed, { recursive: true });
    await exec('tar', ['-xzf', place.path(filename), '-C', packed, '--strip-components=1']);
    const { dependencies } = manifest(packed) as { dependencies: Record<string, string> };
    for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types']) {
      const link = place.path(join('node_modules', name));
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), link);
    }
    place.write('package.json', '{ "name": "consumer", "private": true, "type": "module" }');
    return place.remove;
  });

  const manifest = (folder: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;

  it('holds what its manifest points at, the licence, and none of the sources or tests', () => {
    const { bin, exports } = manifest(packed) as { bin: Record<string, string>; exports: Record<string, Record<string, string>> };
    for (const target of [bin.millrace!, exports['.']!.types!, exports['.']!.default!])
      expect(existsSync(join(packed, target)), target).toBe(true);
    expect(existsSync(join(packed, 'LICENSE'))).toBe(true);
    for (const name of ['src', 'test', 'samples', 'node_modules']) expect(existsSync(join(packed, name)), name).toBe(false);
  });

  it('runs in another project, imported by its name', async () => {
    place.write('use.mjs', USE);
    const { stdout } = await exec(process.execPath, ['use.mjs'], { cwd: place.dir });
    const { count, iterated, streamed, fault } = JSON.parse(stdout) as Record<string, unknown>;
    expect(fault).toBeNull();
    expect(count).toBeGreaterThan(15);
    expect([iterated, streamed]).toEqual([count, count]);
  });

  it('has a command that runs where the package is installed', async () => {
    const { bin, version } = manifest(packed) as { bin: Record<string, string>; version: string };
    const main = join(packed, bin.millrace!);
    expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect((await exec(process.execPath, [main, '--version'], { cwd: place.dir })).stdout).toBe(`${version}\n`);
    place.write('b.txt', 'Nothing is lost.');
    const { stdout } = await exec(process.execPath, [main, 'b.txt', '--unit', 'words'], { cwd: place.dir });
    expect(JSON.parse(stdout)).toMatchObject({ source: 'b.txt', text: 'Nothing is lost.' });
  });

  it('has exact types that a strict project compiles against', async () => {
    place.write('types.mts', TYPES);
    place.write('tsconfig.json', JSON.stringify(TSCONFIG));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await exec(process.execPath, [tsc, '-p', place.dir], { cwd: place.dir }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });
});
