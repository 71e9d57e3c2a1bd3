/**
 * The whole job, file → chunks of 512 tokens of o200k_base with 50 of overlap → JSONL: how quickly does each chunker do it, what does it
 * hold, and is the output right?
 *
 *   npm run build && npm ci --prefix test/bench
 *   node test/bench/job.mjs [--slice-mb N] [--timeout SECONDS] [--only NAME,..] [corpus ..]
 *
 * Each contender is a process of its own, so loading is in its time; peers get the beginning of the corpus, as they hold all of it, and
 * millrace that and the whole. One that does not end in time is said so and tried again on an eighth. MB are 10⁶ bytes of the source.
 * `CPU s` is user and system time of all threads: on a busy machine the fairer figure. What the columns about the output mean is
 * said in judge.mjs. This process stays small: a child's peak memory never reads lower than what its parent held.
 */

import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const MB = 1e6;
const JUDGE_SECONDS = 600;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const peer = (adapter, name) => (input, output) => [here('peers/run.mjs'), adapter, name, input, output];
const ours =
  (...options) =>
  (input, output) => [here('../../dist/src/cli/main.js'), input, ...options, '-o', output];

const TOKENS = { limit: 512, unit: 'tokens', offsets: 'utf16' };
const CONTENDERS = {
  millrace: { args: ours('--size', '512', '--overlap', '50'), ...TOKENS, offsets: 'bytes', whole: true },
  'millrace, 2000/200 characters': {
    args: ours('--unit', 'characters', '--size', '2000', '--overlap', '200'),
    limit: 2000,
    unit: 'characters',
    offsets: 'bytes',
    whole: true,
  },
  'gpt-tokenizer, counting only': { args: peer('gpt-tokenizer', 'countOnly'), whole: true },
  'langchain recursive': { args: peer('langchain', 'recursive'), ...TOKENS },
  'mastra token': { args: peer('mastra', 'token'), ...TOKENS },
  'mastra recursive': { args: peer('mastra', 'recursive'), ...TOKENS },
  'llamaindex sentence': { args: peer('llamaindex', 'sentence'), ...TOKENS },
  'chonkie token': { args: peer('chonkie', 'token'), ...TOKENS },
  'chonkie recursive': { args: peer('chonkie', 'recursive'), ...TOKENS },
};

const COLUMNS =
  'contender|MB|wall s|MB/s|CPU s|MB per CPU s|peak MB|chunks|over limit|largest|wrong offsets|altered|bytes lost|new U+FFFD|lone surrogates';

// ---- one contender, one file ----

function run(contender, input, dir, seconds) {
  const usageFile = join(dir, 'usage.json');
  const output = join(dir, 'chunks.jsonl');
  rmSync(usageFile, { force: true });
  const start = performance.now();
  const child = spawnSync(
    process.execPath,
    ['--import', pathToFileURL(here('usage.mjs')).href, ...contender.args(input, output)],
    {
      encoding: 'utf8',
      env: { ...process.env, BENCH_USAGE: usageFile },
      timeout: seconds * 1000,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * MB,
    },
  );
  const wall = (performance.now() - start) / 1000;
  if (child.error?.code === 'ETIMEDOUT') return { failed: `not done in ${seconds} s`, late: true };
  if (child.status !== 0) return { failed: child.stderr.match(/\w*Error.*/)?.[0] ?? `exit code ${child.status}` };
  const usage = JSON.parse(readFileSync(usageFile, 'utf8'));
  const cpu = (usage.userCPUTime + usage.systemCPUTime) / 1e6;
  const figures = { mb: statSync(input).size / MB, wall, cpu, peak: (usage.maxRSS * 1024) / MB };
  return contender.limit === undefined ? figures : { ...figures, ...judged(contender, input, output) };
}

function judged({ limit, unit, offsets }, input, output) {
  const child = spawnSync(process.execPath, [here('judge.mjs'), input, output, String(limit), unit, offsets], {
    encoding: 'utf8',
    timeout: JUDGE_SECONDS * 1000,
  });
  if (child.status === 0) return JSON.parse(child.stdout);
  return { unjudged: child.stderr.match(/\w*Error.*/)?.[0] ?? `the judge took more than ${JUDGE_SECONDS} s` };
}

function row(name, result) {
  const width = COLUMNS.split('|').length;
  const { mb, wall, cpu, peak, ...output } = result;
  if (result.failed !== undefined) return line([name, result.failed], width);
  const figures = [
    name,
    mb.toFixed(1),
    wall.toFixed(2),
    (mb / wall).toFixed(2),
    cpu.toFixed(2),
    (mb / cpu).toFixed(2),
    peak.toFixed(0),
  ];
  if (output.unjudged !== undefined) return line([...figures, output.unjudged], width);
  if (output.chunks === undefined) return line(figures, width);
  const { chunks, over, largest, placed, wrong, altered, lost, replaced, lone } = output;
  return line([...figures, chunks, over, largest, placed === 0 ? 'none given' : wrong, altered, lost, replaced, lone], width);
}

const line = (cells, width) => `| ${[...cells, ...Array(width - cells.length).fill('')].join(' | ')} |`;

// ---- one corpus ----

/** The first `bytes` of a file; not one more than whole characters. */
async function slice(path, bytes, to) {
  const { size } = statSync(path);
  let end = Math.min(bytes, size);
  if (end < size) for await (const tail of createReadStream(path, { start: Math.max(0, end - 4), end })) end -= torn(tail);
  await pipeline(createReadStream(path, { end: end - 1 }), createWriteStream(to));
  return to;
}

/** How many of the bytes before the last one belong to its character. */
function torn(tail) {
  let back = 0;
  while (back < 4 && (tail.at(-1 - back) & 0xc0) === 0x80) back++;
  return back;
}

async function compare(corpus, dir, only, sliceBytes, seconds) {
  const part = await slice(corpus, sliceBytes, join(dir, 'slice.txt'));
  const whole = {};
  for (const [name, contender] of Object.entries(CONTENDERS)) {
    if (only !== undefined && !only.some((word) => name.includes(word))) continue;
    const result = run(contender, part, dir, seconds);
    console.log(row(name, result));
    if (result.late) {
      const eighth = await slice(corpus, sliceBytes >> 3, join(dir, 'eighth.txt'));
      console.log(row(`${name}, an eighth`, run(contender, eighth, dir, seconds)));
    }
    if (!contender.whole) continue;
    whole[name] = run(contender, corpus, dir, seconds);
    console.log(row(`${name}, all`, whole[name]));
  }
  return whole;
}

/** The ratio that issue 3 asks for. */
function ratio({ millrace, 'gpt-tokenizer, counting only': counting }) {
  if (millrace?.cpu === undefined || counting?.cpu === undefined) return '';
  const [wall, cpu] = [counting.wall / millrace.wall, counting.cpu / millrace.cpu].map((times) => times.toFixed(1));
  return `File to JSONL against gpt-tokenizer merely counting the file: ${wall} × by the clock, ${cpu} × in CPU time.`;
}

async function main(corpora, { only, 'slice-mb': sliceMb, timeout }) {
  console.log(`${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`);
  for (const corpus of corpora) {
    if (!existsSync(corpus)) {
      console.log(`\nno file ${corpus}`);
      continue;
    }
    const dir = mkdtempSync(join(tmpdir(), 'millrace-job-'));
    console.log(`\n### ${basename(corpus)} (load ${loadavg()[0].toFixed(1)})\n`);
    console.log(`| ${COLUMNS.replaceAll('|', ' | ')} |\n|---${'|--:'.repeat(COLUMNS.split('|').length - 1)}|`);
    try {
      const whole = await compare(corpus, dir, only?.split(','), Math.round(Number(sliceMb) * MB), Number(timeout));
      console.log(`\n${ratio(whole)}`);
    } finally {
      rmSync(dir, { recursive: true });
    }
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    'slice-mb': { type: 'string', default: '4' },
    timeout: { type: 'string', default: '120' },
  },
});
if (positionals.length === 0) throw new Error('name a corpus: node test/bench/job.mjs english.txt multilingual.txt');
await main(positionals, values);
