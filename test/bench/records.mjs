/**
 * Records, file → chunks of one field → JSONL: how quickly does each format go, against plain text of the same words; what does it
 * hold for one file and for ten times it; and how much of the input was read when the first chunk came out?
 *
 *   npm run build
 *   node test/bench/records.mjs [--text FIELD] [--times 10] en.txt recs.jsonl recs.csv recs.json recs.xml
 *
 * The format is the file's ending; a `.txt` is chunked whole. The larger file holds the same records again and again: it is made in
 * the system's folder for temporary files, and removed. Each run is a process of its own; MB are 10⁶ bytes, `CPU` is user and
 * system time of all threads.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, createReadStream, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const MB = 1e6;
const PART_BYTES = 1 << 16;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CLI = here('../../dist/src/cli/main.js');
const SIZE = ['--unit', 'characters', '--size', '2000', '--quiet'];

const optionsFor = (file, field) => (extname(file) === '.txt' ? [] : ['--format', extname(file).slice(1), '--text', field]);

/** A whole run: seconds, CPU seconds, peak. */
function run(file, field, dir) {
  const usageFile = join(dir, 'usage.json');
  const started = performance.now();
  const child = spawnSync(
    process.execPath,
    ['--import', pathToFileURL(here('usage.mjs')).href, CLI, file, ...optionsFor(file, field), ...SIZE, '-o', join(dir, 'out')],
    { encoding: 'utf8', env: { ...process.env, BENCH_USAGE: usageFile } },
  );
  if (child.status !== 0) throw new Error(child.stderr);
  const usage = JSON.parse(readFileSync(usageFile, 'utf8'));
  return {
    seconds: (performance.now() - started) / 1000,
    cpu: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
    peak: (usage.maxRSS * 1024) / MB,
  };
}

/** The part of the input that was given, in percent, when the first chunk came out. It is given slowly, so that none waits. */
async function firstChunkAfter(file, field) {
  const options = optionsFor(file, field);
  const child = spawn(process.execPath, [CLI, '-', ...options, ...SIZE], { stdio: ['pipe', 'pipe', 'inherit'] });
  const out = new Promise((resolve) => child.stdout.once('data', resolve));
  let given = 0;
  let came = false;
  out.then(() => {
    came = true;
  });
  child.stdin.on('error', () => {});
  for await (const part of createReadStream(file, { highWaterMark: PART_BYTES })) {
    child.stdin.write(part);
    given += part.length;
    // Long enough for any chunk that these bytes make.
    await Promise.race([out, new Promise((resolve) => setTimeout(resolve, given === part.length ? 1500 : 150))]);
    if (came) break;
  }
  child.kill('SIGKILL');
  return (100 * given) / statSync(file).size;
}

/** How many bytes at the two ends of a file frame its records: what is between them may be repeated, with this before each again. */
function frameOf(file) {
  const head = Buffer.alloc(4096);
  const fd = openSync(file, 'r');
  readSync(fd, head, 0, head.length, 0);
  const tail = Buffer.alloc(64);
  readSync(fd, tail, 0, tail.length, statSync(file).size - tail.length);
  closeSync(fd);
  switch (extname(file)) {
    case '.csv':
      return { head: head.indexOf('\n') + 1, tail: 0, again: '' };
    case '.json':
      return { head: head.indexOf('[') + 1, tail: tail.length - tail.lastIndexOf(']'), again: ',' };
    case '.xml':
      return { head: head.indexOf('>', head.indexOf('?>') + 2) + 1, tail: tail.length - tail.lastIndexOf('</'), again: '' };
    default:
      return { head: 0, tail: 0, again: '' };
  }
}

function repeated(file, times, to) {
  const { head, tail, again } = frameOf(file);
  const { size } = statSync(file);
  const from = openSync(file, 'r');
  const into = openSync(to, 'w');
  const buffer = Buffer.alloc(1 << 20);
  const copy = (start, end) => {
    for (let at = start; at < end; ) {
      const bytes = readSync(from, buffer, 0, Math.min(buffer.length, end - at), at);
      writeSync(into, buffer, 0, bytes);
      at += bytes;
    }
  };
  copy(0, head);
  for (let n = 0; n < times; n++) {
    if (n > 0) writeSync(into, again);
    copy(head, size - tail);
  }
  copy(size - tail, size);
  closeSync(from);
  closeSync(into);
  return to;
}

async function main(files, { text, times }) {
  console.log(`${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`);
  console.log(`load ${loadavg()[0].toFixed(1)} before; chunks of 2000 characters, overlap 50\n`);
  console.log(`| input | MB | s | MB/s | CPU s | peak MB | peak MB, ${times} times the input | first chunk after % |`);
  console.log('|---|--:|--:|--:|--:|--:|--:|--:|');
  for (const file of files) {
    const dir = mkdtempSync(join(tmpdir(), 'millrace-records-'));
    try {
      const mb = statSync(file).size / MB;
      const [one, two] = [run(file, text, dir), run(file, text, dir)];
      const { seconds, cpu, peak } = one.seconds < two.seconds ? one : two;
      const first = await firstChunkAfter(file, text);
      const large = run(repeated(file, Number(times), join(dir, basename(file))), text, dir);
      const cells = [mb.toFixed(1), seconds.toFixed(2), (mb / seconds).toFixed(1), cpu.toFixed(2), peak.toFixed(0)];
      console.log(`| ${[basename(file), ...cells, large.peak.toFixed(0), first.toFixed(2)].join(' | ')} |`);
    } finally {
      rmSync(dir, { recursive: true });
    }
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { text: { type: 'string', default: 'body' }, times: { type: 'string', default: '10' } },
});
if (positionals.length === 0) throw new Error('name files: node test/bench/records.mjs en.txt recs.jsonl recs.csv');
await main(positionals, values);
