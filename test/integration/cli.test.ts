/**
 * The command line as a real process on a real disk: inputs of every kind, the same bytes whatever the way they come, what is
 * left behind when a run is stopped, and one clear line with the right exit code for everything that can go wrong.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, statSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  appears,
  chunksIn,
  type Ended,
  MAIN,
  manifestIn,
  millrace,
  partialOf,
  SAMPLES,
  start,
  workspace,
} from '../support/cli.js';
import { rng, troubleText } from '../support/random.js';

const CHARACTERS = ['--unit', 'characters', '--size', '120', '--overlap', '12'];

const ok = (ended: Ended): Ended => {
  expect(ended.stderr).not.toContain('bug');
  expect(ended.code, ended.stderr).toBe(0);
  return ended;
};

/** Ends with this code, says something on one line that holds each of these words, and writes no data. */
const refused = (ended: Ended, code: number, ...words: readonly string[]): void => {
  expect(ended.code, ended.stderr).toBe(code);
  expect(ended.stdout.length).toBe(0);
  const lines = ended.stderr.split('\n').filter((line) => line.startsWith('millrace: '));
  expect(lines, ended.stderr).toHaveLength(1);
  for (const word of words) expect(lines[0]).toContain(word);
};

const sources = (ended: Ended): string[] => [...new Set(chunksIn(ended.stdout).map((chunk) => chunk.source))];

/** Sixty paragraphs: enough for many chunks of any size here. */
const PROSE = Array.from(
  { length: 60 },
  (_, n) => `Paragraph ${n}. The race carries water to the wheel; nothing is lost.\n\n`,
).join('');

describe('inputs', () => {
  it('a file becomes chunk lines on standard output, and nothing else is there', async () => {
    const { stdout, stderr } = ok(await millrace([join(SAMPLES, 'prose.txt'), ...CHARACTERS]));
    const chunks = chunksIn(stdout);
    expect(chunks.length).toBeGreaterThan(10);
    for (const [index, chunk] of chunks.entries()) expect(chunk.index).toBe(index);
    expect(Object.keys(chunks[0]!)).toEqual(['id', 'source', 'index', 'start', 'end', 'tokens', 'metadata', 'text']);
    expect(stderr).toContain('chunks');
  });

  it('several files come in the order they are named, each once', async () => {
    const place = workspace();
    for (const name of ['b.txt', 'a.txt']) place.write(name, `text of ${name}`);
    const ended = ok(await millrace(['b.txt', './a.txt', 'b.txt', './/b.txt', ...CHARACTERS], { cwd: place.dir }));
    expect(sources(ended)).toEqual(['b.txt', 'a.txt']);
    expect(chunksIn(ended.stdout)).toHaveLength(2);
  });

  it('a directory gives all files below it in one order, hidden ones left out', async () => {
    const place = workspace();
    for (const name of ['docs/z.txt', 'docs/B.txt', 'docs/a/2.md', 'docs/a/10.md', 'docs/.hidden', 'docs/ä.txt', 'docs/a.txt'])
      place.write(name, name);
    const ended = ok(await millrace(['docs/', ...CHARACTERS], { cwd: place.dir }));
    expect(sources(ended)).toEqual(['docs/B.txt', 'docs/a.txt', 'docs/a/10.md', 'docs/a/2.md', 'docs/z.txt', 'docs/ä.txt']);
  });

  it('a glob gives what it matches, in one order', async () => {
    const place = workspace();
    for (const name of ['c.md', 'a.md', 'b.txt', 'deep/er/d.md']) place.write(name, name);
    const ended = ok(await millrace(['**/*.md', ...CHARACTERS], { cwd: place.dir }));
    expect(sources(ended)).toEqual(['a.md', 'c.md', 'deep/er/d.md']);
  });

  it('a file whose name looks like a pattern is that file', async () => {
    const place = workspace();
    place.write('[a]*.txt', 'here');
    expect(sources(ok(await millrace(['[a]*.txt', ...CHARACTERS], { cwd: place.dir })))).toEqual(['[a]*.txt']);
  });

  it('standard input is "-", or what --source-name says', async () => {
    expect(sources(ok(await millrace(['-', ...CHARACTERS], { stdin: ['some text'] })))).toEqual(['-']);
    const named = await millrace(['-', '--source-name', 'a/b.txt', ...CHARACTERS], { stdin: ['some text'] });
    expect(sources(ok(named))).toEqual(['a/b.txt']);
  });

  it('standard input and a file of the same name are refused, since their chunks would have the same ids', async () => {
    const place = workspace();
    place.write('a.txt', 'text');
    const args = ['-', 'a.txt', '--source-name', 'a.txt', ...CHARACTERS];
    refused(await millrace(args, { cwd: place.dir, stdin: ['text'] }), 2, 'a.txt', 'standard input');
  });

  it('a configuration file gives options, and the command line wins over it', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    place.write('millrace.json', JSON.stringify({ input: 'a.txt', unit: 'characters', size: 50, overlap: 0 }));
    const fromFile = ok(await millrace(['--config', 'millrace.json'], { cwd: place.dir }));
    expect(Math.max(...chunksIn(fromFile.stdout).map(({ text }) => text.length))).toBeLessThanOrEqual(50);
    const same = ok(await millrace(['a.txt', '--unit', 'characters', '--size', '50', '--overlap', '0'], { cwd: place.dir }));
    expect(fromFile.stdout.equals(same.stdout)).toBe(true);
    const larger = ok(await millrace(['--config', 'millrace.json', '--size', '300'], { cwd: place.dir }));
    expect(chunksIn(larger.stdout).length).toBeLessThan(chunksIn(fromFile.stdout).length / 2);
  });
});

describe('the same bytes come out', () => {
  const text = troubleText(rng(20), 6000, { loneSurrogates: false });
  const args = (input: string) => [input, '--source-name', 'a.txt', ...CHARACTERS];

  it('for a file and for standard input, however it is cut', async () => {
    const place = workspace();
    place.write('a.txt', text);
    const bytes = place.read('a.txt');
    const file = ok(await millrace(args('a.txt'), { cwd: place.dir }));
    expect(chunksIn(file.stdout).length).toBeGreaterThan(20);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 777) }, (_, n) => bytes.subarray(n * 777, n * 777 + 777));
    for (const stdin of [[bytes], pieces]) {
      const piped = ok(await millrace(args('-'), { stdin }));
      expect(piped.stdout.equals(file.stdout)).toBe(true);
    }
  });

  it('for a file and for standard input that is that file', async () => {
    const place = workspace();
    const path = place.write('a.txt', text);
    const file = ok(await millrace(args('a.txt'), { cwd: place.dir }));
    const shell = execFileSync('sh', ['-c', '"$0" "$@" < "$FILE"', process.execPath, MAIN, ...args('-'), '--quiet'], {
      env: { ...process.env, FILE: path },
    });
    expect(shell.equals(file.stdout)).toBe(true);
  });

  it('whatever is read at once', async () => {
    const place = workspace();
    place.write('a.txt', text);
    const usual = ok(await millrace(args('a.txt'), { cwd: place.dir }));
    for (const bytes of ['1', '65536', '1048576']) {
      const other = ok(await millrace([...args('a.txt'), '--buffer-bytes', bytes], { cwd: place.dir }));
      expect(other.stdout.equals(usual.stdout), `--buffer-bytes ${bytes}`).toBe(true);
    }
  });

  it('in every run, chunks and manifest alike, and on standard output as in a file', async () => {
    const place = workspace();
    place.write('a.txt', text);
    const printed = ok(await millrace(args('a.txt'), { cwd: place.dir }));
    for (const out of ['1/out.jsonl', '2/out.jsonl']) {
      place.write(`${out}.manifest.json`, 'of an earlier run');
      ok(await millrace([...args('a.txt'), '-o', out], { cwd: place.dir }));
      expect(place.read(out).equals(printed.stdout)).toBe(true);
    }
    expect(place.read('1/out.jsonl.manifest.json').equals(place.read('2/out.jsonl.manifest.json'))).toBe(true);
  });

  it('with --root, wherever one stands and however the files are named', async () => {
    const place = workspace();
    place.write('corpus/x/a.txt', text);
    place.write('corpus/b.txt', 'b');
    place.write('elsewhere/deep/keep', '');
    const run = async (cwd: string, input: string, root: string) =>
      ok(await millrace([input, '--root', root, ...CHARACTERS], { cwd })).stdout;
    const first = await run(place.dir, 'corpus', 'corpus');
    expect([...new Set(chunksIn(first).map((chunk) => chunk.source))]).toEqual(['b.txt', 'x/a.txt']);
    const deep = place.path('elsewhere/deep');
    for (const [cwd, input, root] of [
      [place.path('corpus'), '.', '.'],
      [place.dir, place.path('corpus'), place.path('corpus')],
      [deep, relative(deep, place.path('corpus')), relative(deep, place.path('corpus'))],
      [deep, '**/*.txt', '../../corpus'],
      [place.dir, '.', './corpus/'],
    ] as const) {
      expect((await run(cwd, input, root)).equals(first), `${input} with --root ${root}`).toBe(true);
    }
  });
});

describe('small inputs', () => {
  it.each([
    ['nothing', '', 0],
    ['blanks only', ' \n\t\r\n\u00a0\u3000\n', 0],
    ['a signature only', '\ufeff', 0],
    ['one byte', 'm', 1],
    ['one character of four bytes', '😀', 1],
    ['a last line without its end', 'first\nlast', 1],
    ['text between blanks', '\n\n\n  x  \n\n\n', 1],
  ])('%s gives the right number of chunks and exit code 0', async (_, text, count) => {
    const place = workspace();
    place.write('in.txt', text);
    for (const input of ['in.txt', '-']) {
      const ended = ok(await millrace([input, ...CHARACTERS], { cwd: place.dir, stdin: [text] }));
      expect(chunksIn(ended.stdout)).toHaveLength(count);
    }
    ok(await millrace(['in.txt', ...CHARACTERS, '-o', 'out.jsonl'], { cwd: place.dir }));
    expect(chunksIn(place.read('out.jsonl'))).toHaveLength(count);
    const { totals } = manifestIn(place, 'out.jsonl');
    expect(totals).toMatchObject({ chunks: count, sources: 1, bytes: Buffer.byteLength(text) });
    const dropped = Object.values(totals.dropped).reduce((sum, bytes) => sum + bytes, 0);
    expect(totals.inChunks + dropped).toBe(totals.bytes);
  });
});

describe('bytes that are no text', () => {
  it('become U+FFFD, are counted, and the count is in summary and manifest', async () => {
    const place = workspace();
    const { stderr } = ok(await millrace([join(SAMPLES, 'invalid.txt'), ...CHARACTERS, '-o', place.path('out.jsonl')]));
    expect(stderr.replace(/\s+/g, ' ')).toContain('42 invalid byte sequences were replaced');
    expect(manifestIn(place, 'out.jsonl').totals.invalid).toBe(42);
  });

  it('end the run with exit code 4, the file and the byte with --strict-encoding, and leave no output', async () => {
    const place = workspace();
    place.write('bad.txt', Buffer.concat([Buffer.from('sound words '.repeat(30)), Buffer.from([0xff]), Buffer.from(' more')]));
    const ended = await millrace(['bad.txt', '--strict-encoding', ...CHARACTERS, '-o', 'out.jsonl'], { cwd: place.dir });
    refused(ended, 4, 'bad.txt', `byte ${12 * 30}`);
    expect(place.list()).toEqual(['bad.txt']);
  });
});

describe('output', () => {
  it('is written with its manifest under the final name only, over what was there', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    place.write('out.jsonl', 'from last time');
    const { stdout } = ok(await millrace(['a.txt', ...CHARACTERS, '-o', 'out.jsonl'], { cwd: place.dir }));
    expect(stdout.length).toBe(0);
    expect(place.list()).toEqual(['a.txt', 'out.jsonl', 'out.jsonl.manifest.json']);
    expect(chunksIn(place.read('out.jsonl')).length).toBe(manifestIn(place, 'out.jsonl').totals.chunks);
  });

  it('-o - is standard output: no file comes of it, no manifest either', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    const printed = ok(await millrace(['a.txt', ...CHARACTERS], { cwd: place.dir }));
    const dashed = ok(await millrace(['a.txt', ...CHARACTERS, '-o', '-'], { cwd: place.dir }));
    expect(dashed.stdout.equals(printed.stdout)).toBe(true);
    expect(place.list()).toEqual(['a.txt']);
  });

  it('goes through a symbolic link, which stays one', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    place.write('real/out.jsonl', '');
    symlinkSync('real/out.jsonl', place.path('link.jsonl'));
    ok(await millrace(['a.txt', ...CHARACTERS, '-o', 'link.jsonl'], { cwd: place.dir }));
    expect(chunksIn(place.read('real/out.jsonl')).length).toBeGreaterThan(1);
  });

  it('of a dry run is a histogram on stderr, and no file', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    const ended = ok(await millrace(['a.txt', ...CHARACTERS, '--dry-run', '-o', 'out.jsonl'], { cwd: place.dir }));
    expect(ended.stdout.length).toBe(0);
    expect(ended.stderr).toContain('dry run');
    expect(ended.stderr).toContain('characters');
    expect(place.list()).toEqual(['a.txt']);
  });

  it('in a directory that is chunked as well is not its own input', async () => {
    const place = workspace();
    place.write('docs/a.txt', PROSE);
    const run = () => millrace(['docs', ...CHARACTERS, '-o', './docs/../docs/out.jsonl'], { cwd: place.dir });
    ok(await run());
    const first = place.read('docs/out.jsonl');
    ok(await run());
    expect(place.read('docs/out.jsonl').equals(first)).toBe(true);
  });

  it('--summary writes the summary as JSON, and --quiet leaves stderr empty', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    const args = ['a.txt', ...CHARACTERS, '-o', 'out.jsonl', '--summary', 'summary.json', '--quiet'];
    const ended = ok(await millrace(args, { cwd: place.dir }));
    expect(ended.stderr).toBe('');
    expect(ended.stdout.length).toBe(0);
    const summary = JSON.parse(place.read('summary.json').toString()) as Record<string, unknown>;
    expect(summary).toMatchObject({
      chunks: chunksIn(place.read('out.jsonl')).length,
      sources: 1,
      bytes: PROSE.length,
      unit: 'characters',
      invalid: 0,
    });
    expect(summary.peakMemory).toBeGreaterThan(1e6);
  });
});

/** Standard input of a child that runs until it is stopped: the text again and again, as fast as the child takes it. */
function feed(stdin: NodeJS.WritableStream, text: string): void {
  const more = () => {
    while (stdin.writable && stdin.write(text));
  };
  stdin.on('drain', more);
  more();
}

const LONG = PROSE.repeat(20);

describe('a run that is stopped', () => {
  it('by its reader ends quietly with exit code 0', async () => {
    const { child, ...running } = start(['-', ...CHARACTERS]);
    feed(child.stdin, LONG);
    await once(child.stdout, 'readable');
    const ended = running.endedUnread();
    child.stdout.destroy();
    expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
  });

  it('by `head` in a shell ends quietly too', async () => {
    const place = workspace();
    place.write('big.txt', LONG.repeat(30));
    const script = '{ "$NODE" "$MAIN" big.txt --unit characters --size 120; echo "code $?" >&2; } | head -n 3';
    const shell = spawn('sh', ['-c', script], { cwd: place.dir, env: { ...process.env, NODE: process.execPath, MAIN } });
    let [stdout, stderr] = ['', ''];
    shell.stdout.on('data', (data) => {
      stdout += data;
    });
    shell.stderr.on('data', (data) => {
      stderr += data;
    });
    await once(shell, 'close');
    expect(stdout.split('\n')).toHaveLength(4);
    expect(stderr).toBe('code 0\n');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s while chunks are written leaves no file and exits with %i', async (signal, code) => {
    const place = workspace();
    const out = place.path('out.jsonl');
    const { child, ...running } = start(['-', ...CHARACTERS, '-o', out]);
    const ended = running.ended();
    feed(child.stdin, LONG);
    await appears(partialOf(out));
    // The partial is made before anything is read; what has been taken in shows that the run is in its middle.
    await once(child.stdin, 'drain');
    expect(place.list()).toContain('.out.jsonl.partial');
    child.kill(signal);
    const { stderr, ...rest } = await ended;
    expect(rest.code).toBe(code);
    expect(stderr).toMatch(/^millrace: (interrupted|terminated)\n$/);
    expect(place.list()).toEqual([]);
  });

  it('by SIGINT while it waits for an input that says nothing ends at once', async () => {
    const place = workspace();
    const out = place.path('out.jsonl');
    const { child, ...running } = start(['-', ...CHARACTERS, '-o', out]);
    const ended = running.ended();
    await appears(partialOf(`${out}.manifest.json`));
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(place.list()).toEqual([]);
  });

  it('by SIGINT while its reader takes nothing ends at once', async () => {
    const { child, ...running } = start(['-', ...CHARACTERS]);
    const ended = running.endedUnread();
    feed(child.stdin, LONG);
    await once(child.stdout, 'readable');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
  });

  it('by SIGINT between two inputs leaves the output of the last run as it was', async () => {
    const place = workspace();
    place.write('big.txt', LONG.repeat(100));
    place.write('out.jsonl', 'from last time');
    const { child, ...running } = start(['big.txt', '-', ...CHARACTERS, '-o', 'out.jsonl'], { cwd: place.dir });
    const ended = running.ended();
    await appears(partialOf(place.path('out.jsonl.manifest.json')));
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(place.list()).toEqual(['big.txt', 'out.jsonl']);
    expect(place.read('out.jsonl').toString()).toBe('from last time');
  });

  it('by SIGKILL leaves nothing under the final name, and the next run is not disturbed by what it left', async () => {
    const place = workspace();
    const out = place.path('out.jsonl');
    const { child, ...running } = start(['-', ...CHARACTERS, '-o', out]);
    const ended = running.ended();
    feed(child.stdin, LONG);
    await appears(partialOf(out));
    await once(child.stdin, 'drain');
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    expect(place.list().filter((name) => !name.startsWith('.'))).toEqual([]);
    ok(await millrace(['-', ...CHARACTERS, '-o', out], { stdin: [PROSE] }));
    expect(place.list()).toEqual(['out.jsonl', 'out.jsonl.manifest.json']);
  });
});

describe('a source that cannot be read', () => {
  it('because it is not there ends with exit code 3 and its name, and no output', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    const ended = await millrace(['a.txt', 'missing.txt', ...CHARACTERS, '-o', 'out.jsonl'], { cwd: place.dir });
    refused(ended, 3, 'missing.txt', 'no such file');
    expect(place.list()).toEqual(['a.txt']);
  });

  it('because a directory holds no files, or a pattern matches none, ends with exit code 3', async () => {
    const place = workspace();
    place.write('empty/.hidden', '');
    refused(await millrace(['empty', ...CHARACTERS], { cwd: place.dir }), 3, 'empty', 'no files');
    refused(await millrace(['*.md', ...CHARACTERS], { cwd: place.dir }), 3, '*.md', 'no file matches');
  });

  it('because a part of its path is a file ends with exit code 3', async () => {
    const place = workspace();
    place.write('a.txt', 'x');
    refused(await millrace(['a.txt/b.txt', ...CHARACTERS], { cwd: place.dir }), 3, 'a.txt/b.txt', 'no such file');
  });

  it.skipIf(process.platform !== 'linux')('because reading it fails midway ends with exit code 3 and no output', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    const ended = await millrace(['a.txt', '/proc/self/mem', ...CHARACTERS, '-o', 'out.jsonl'], { cwd: place.dir });
    refused(ended, 3, '/proc/self/mem');
    expect(place.list()).toEqual(['a.txt']);
  });

  it.skipIf(process.getuid?.() === 0)('because it may not be read ends with exit code 3', async () => {
    const place = workspace();
    place.write('a.txt', 'secret');
    execFileSync('chmod', ['000', place.path('a.txt')]);
    refused(await millrace(['a.txt', ...CHARACTERS], { cwd: place.dir }), 3, 'a.txt', 'permission denied');
  });
});

describe('an output that cannot be written', () => {
  it.skipIf(process.platform !== 'linux')(
    'because the disk is full ends with exit code 5, and nothing is made beside it',
    async () => {
      const before = statSync('/dev').mtimeMs;
      refused(await millrace([join(SAMPLES, 'prose.txt'), ...CHARACTERS, '-o', '/dev/full']), 5, '/dev/full', 'no space');
      expect(statSync('/dev').mtimeMs).toBe(before);
    },
  );

  it.skipIf(process.platform !== 'linux')('because standard output is on a full disk ends with exit code 5', () => {
    const script = '"$NODE" "$MAIN" "$FILE" --unit characters > /dev/full; echo "code $?"';
    const env = { ...process.env, NODE: process.execPath, MAIN, FILE: join(SAMPLES, 'prose.txt') };
    expect(execFileSync('sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'ignore'] }).toString()).toBe('code 5\n');
  });

  it('because its directory is not there ends with exit code 5 before anything is read', async () => {
    const place = workspace();
    const running = start(['-', ...CHARACTERS, '-o', 'no/such/out.jsonl'], { cwd: place.dir });
    refused(await running.ended(), 5, 'no/such/out.jsonl', 'directory does not exist');
    expect(place.list()).toEqual([]);
  });

  it('because it is a directory ends with exit code 5', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    place.write('out/x', '');
    refused(await millrace(['a.txt', ...CHARACTERS, '-o', 'out'], { cwd: place.dir }), 5, 'out', 'is a directory');
  });

  it.each([
    ['by the same name', 'a.txt', 'a.txt'],
    ['by another name', './a.txt', './/a.txt'],
    ['by an absolute and a relative one', 'ABSOLUTE', 'a.txt'],
    ['through a symbolic link', 'a.txt', 'link.txt'],
    ['as the only match of a pattern', '*a.txt', 'a.txt'],
  ])('because it is the input, %s, ends with exit code 2 and leaves the input as it was', async (_, input, out) => {
    const place = workspace();
    place.write('a.txt', PROSE);
    symlinkSync('a.txt', place.path('link.txt'));
    const named = input === 'ABSOLUTE' ? place.path('a.txt') : input;
    refused(await millrace([named, ...CHARACTERS, '-o', out], { cwd: place.dir }), 2, 'both input and output');
    expect(place.read('a.txt').toString()).toBe(PROSE);
  });

  it('because the summary would replace an input ends with exit code 2', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    refused(await millrace(['a.txt', ...CHARACTERS, '--summary', 'a.txt'], { cwd: place.dir }), 2, 'both input and output');
    expect(place.read('a.txt').toString()).toBe(PROSE);
  });

  it('but a hard link of the input may be the output, for the input keeps its bytes', async () => {
    const place = workspace();
    place.write('a.txt', PROSE);
    linkSync(place.path('a.txt'), place.path('b.txt'));
    ok(await millrace(['a.txt', ...CHARACTERS, '-o', 'b.txt'], { cwd: place.dir }));
    expect(place.read('a.txt').toString()).toBe(PROSE);
  });
});

describe('options that are wrong', () => {
  const problems = ({ stderr }: Ended) =>
    stderr
      .split('\n')
      .filter((line) => line.startsWith('millrace: '))
      .map((line) => line.slice(10));

  it('are all told at once, with the nearest names, before anything is opened', async () => {
    const place = workspace();
    const args = [
      'missing.txt',
      '--sise',
      '9',
      '--unit',
      'charcters',
      '--overlap',
      '900',
      '--whitespace',
      'tidi',
      '-o',
      'out.jsonl',
    ];
    const ended = await millrace(args, { cwd: place.dir });
    expect(ended.code).toBe(2);
    expect(ended.stdout.length).toBe(0);
    const told = problems(ended).join('\n');
    for (const part of ['--sise; did you mean --size?', 'did you mean characters?', 'did you mean tidy?', '--overlap', '900'])
      expect(told).toContain(part);
    expect(problems(ended)).toHaveLength(4);
    expect(place.list()).toEqual([]);
  });

  it.each([
    [['-', '--size', '0'], '--size'],
    [['-', '--size', '-5'], '--size'],
    [['-', '--size', 'NaN'], '--size'],
    [['-', '--size', '1e3'], '--size'],
    [['-', '--size', '10', '--overlap', '10'], '--overlap'],
    [['-', '--size', '10', '--min-size', '11'], '--min-size'],
    [['-', '--size'], '--size'],
    [['-', '--size', '5', '--size', '6'], '--size'],
    [['-', '-'], 'named twice'],
    [[], 'no input'],
    [['-', '--encoding', 'utf-9'], 'utf-8'],
    [['-', '--tokenizer', 'o200k_bse'], 'o200k_base'],
    [['-', '--tokenizer', 'none'], '--tokenizer'],
    [['-', '--strategy', 'recursiv'], 'recursive'],
    [['-', '--separators-regex'], '--separators'],
    [['-', '--separators', '(', '--separators-regex'], 'regular expression'],
    [['-', '--config', 'missing.json'], 'missing.json'],
    [['-', '--to', 'jsonll'], 'jsonl'],
    [['-', '--buffer-bytes', '0'], '--buffer-bytes'],
    [['-', '--quiet=yes'], '--quiet'],
    [['verify'], 'verify'],
    [['verify', 'a', 'b'], 'verify'],
    [['verify', 'a', '--rot', 'b'], '--root'],
  ] as const)('%j ends with exit code 2 and names %s', async (args, word) => {
    const ended = await millrace(args);
    expect(ended.code, ended.stderr).toBe(2);
    expect(ended.stdout.length).toBe(0);
    expect(problems(ended)).toHaveLength(1);
    expect(problems(ended)[0]).toContain(word);
  });

  it('in a configuration file are told like those of the command line', async () => {
    const place = workspace();
    for (const [content, word] of [
      ['{"input": "-", "sise": 5}', 'size'],
      ['{"input": "-", "size": "5"}', 'size takes a whole number'],
      ['{"input": "-", "size": 5', 'not JSON'],
      ['["-"]', 'object'],
      ['{"input": [5]}', 'input'],
      ['{"input": ""}', 'input'],
    ] as const) {
      place.write('c.json', content);
      const ended = await millrace(['--config', 'c.json'], { cwd: place.dir });
      expect(ended.code, content + ended.stderr).toBe(2);
      expect(problems(ended)[0]).toContain(word);
    }
  });

  it('a small size alone is none: the default overlap shrinks with it', async () => {
    const { stdout } = ok(await millrace(['-', '--unit', 'characters', '--size', '20'], { stdin: [PROSE] }));
    expect(chunksIn(stdout).length).toBeGreaterThan(100);
  });
});

describe('questions', () => {
  it('--help and --version answer on standard output with exit code 0', async () => {
    const help = ok(await millrace(['--help']));
    expect(help.stdout.toString()).toContain('Usage: millrace');
    for (const option of ['--size', '--overlap', '--unit', '--strategy', '--out', '--separators', '--dry-run', '--encoding'])
      expect(help.stdout.toString()).toContain(option);
    expect(ok(await millrace(['verify', '--help'])).stdout.toString()).toContain('verify');
    expect(ok(await millrace(['--version'])).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
