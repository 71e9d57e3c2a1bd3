/**
 * Each strategy on the same text, file → chunks → JSONL: how quickly, in how much memory; and what does twice the input cost, on prose and
 * on text that is hard for it (no separators at all, abbreviations everywhere, nothing but headings)?
 *
 *   npm run build
 *   node test/bench/strategies.mjs [--only NAME,..] [--mb 10] en.txt
 *
 * Sizes are 2000 characters, overlap 50, but for strategies that count tokens or words. Each run is a process of its own. `CPU s` is user
 * and system time of all its threads: on a busy machine the fairer figure. The ratio is that of the CPU time of the better of two runs
 * each, start-up taken off (a run on an empty file): 2 is linear.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const MB = 1e6;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CLI = here('../../dist/src/cli/main.js');

const CHARACTERS = ['--unit', 'characters', '--size', '2000'];
const STRATEGIES = {
  recursive: CHARACTERS,
  'recursive --language python': [...CHARACTERS, '--language', 'python'],
  character: CHARACTERS,
  regex: [...CHARACTERS, '--patterns', '\\n\\n'],
  token: ['--size', '512'],
  sliding: ['--size', '512', '--step', '448'],
  words: ['--size', '300'],
  sentence: CHARACTERS,
  paragraph: CHARACTERS,
  section: CHARACTERS,
  topic: CHARACTERS,
};

/** Texts that are hard for some strategy, `mb` MB of each. */
const HARD = {
  'no separators': (mb) => 'abcdefghij'.repeat((mb * MB) / 10),
  abbreviations: (mb) => 'Dr. A. B. Smith, e.g. of St. Mary, cf. Fig. 3 vs. p. 12 etc. and so on '.repeat((mb * MB) / 72),
  headings: (mb) => '# A heading\n\nA line below it.\n\nNEXT PART\n\n'.repeat((mb * MB) / 43),
};

function run(file, strategy, dir) {
  const usageFile = join(dir, 'usage.json');
  const [name] = strategy.split(' ');
  const options = ['--strategy', name, ...STRATEGIES[strategy], '--quiet', '-o', join(dir, 'out')];
  const started = performance.now();
  const child = spawnSync(process.execPath, ['--import', pathToFileURL(here('usage.mjs')).href, CLI, file, ...options], {
    encoding: 'utf8',
    env: { ...process.env, BENCH_USAGE: usageFile },
  });
  if (child.status !== 0) throw new Error(child.stderr);
  const seconds = (performance.now() - started) / 1000;
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(readFileSync(usageFile, 'utf8'));
  return { seconds, cpu: (userCPUTime + systemCPUTime) / 1e6, peak: (maxRSS * 1024) / MB };
}

function best(file, strategy, dir) {
  const [one, two] = [run(file, strategy, dir), run(file, strategy, dir)];
  return {
    seconds: Math.min(one.seconds, two.seconds),
    cpu: Math.min(one.cpu, two.cpu),
    peak: Math.max(one.peak, two.peak),
  };
}

/** What twice the input costs, start-up taken off. */
function doubling(text, strategy, dir, startUp) {
  const [half, whole] = [join(dir, 'half.txt'), join(dir, 'whole.txt')];
  writeFileSync(half, text.slice(0, text.length / 2));
  writeFileSync(whole, text);
  return (best(whole, strategy, dir).cpu - startUp) / (best(half, strategy, dir).cpu - startUp);
}

function main([corpus], { only, mb }) {
  if (corpus === undefined) throw new Error('name a text: node test/bench/strategies.mjs english.txt');
  console.log(`${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`);
  console.log(`load ${loadavg()[0].toFixed(1)} before; ${basename(corpus)}; ratios of ${mb} MB to half of it\n`);
  const hard = { prose: (size) => readFileSync(corpus, 'utf8').slice(0, size * MB), ...HARD };
  console.log(
    `| strategy | MB/s | MB per CPU s | peak MB | ${Object.keys(hard).join(' | ')} |\n|---|--:|--:|--:|${'--:|'.repeat(Object.keys(hard).length)}`,
  );
  const dir = mkdtempSync(join(tmpdir(), 'millrace-strategies-'));
  try {
    const empty = join(dir, 'empty.txt');
    writeFileSync(empty, '');
    for (const strategy of Object.keys(STRATEGIES)) {
      if (only !== undefined && !only.split(',').some((word) => strategy.startsWith(word))) continue;
      const startUp = best(empty, strategy, dir).cpu;
      const { seconds, cpu, peak } = best(corpus, strategy, dir);
      const ratios = Object.values(hard).map((make) => doubling(make(Number(mb)), strategy, dir, startUp).toFixed(2));
      const [speed, perCpu] = [seconds, cpu].map((time) => (statSync(corpus).size / MB / time).toFixed(1));
      console.log(`| ${[strategy, speed, perCpu, peak.toFixed(0), ...ratios].join(' | ')} |`);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, mb: { type: 'string', default: '10' } },
});
main(positionals, values);
