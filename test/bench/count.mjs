/**
 * How quickly does each tokenizer count o200k_base, and what does it cost to load and to hold?
 *
 *   npm run build && npm ci --prefix test/bench
 *   node test/bench/count.mjs [--mb=N] [--only=NAME,..] english.txt multilingual.txt [code.js]
 *
 * Every figure is from a process of its own that reads the corpus 64 KB at a time, so that memory is the tokenizer's. Cold: the first
 * pass, from a fresh start, loading not included; warm: the second pass, over the first 16 MB. A slow tokenizer counts only the
 * beginning (`most`), and one that does not end in two minutes is given up. `peak` is the most memory the process held, with Node's
 * own 45 MB. Tokens of the first MB are shown so that it can be seen that all count alike.
 */

import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { fileURLToPath } from 'node:url';

const MB = 1e6;
const SLICE = 1 << 16;
const SECONDS = 120;

const CONTENDERS = {
  millrace: { most: Number.POSITIVE_INFINITY, mostRun: 1 * MB, load: loadOurs },
  'gpt-tokenizer': { most: Number.POSITIVE_INFINITY, mostRun: 0.02 * MB, load: loadGptTokenizer },
  tiktoken: { most: 20 * MB, mostRun: 0.02 * MB, load: loadTiktoken },
  'js-tiktoken': { most: 8 * MB, mostRun: 0.01 * MB, load: loadJsTiktoken },
  'ai-tokenizer': { most: 20 * MB, mostRun: 0.02 * MB, load: loadAiTokenizer },
};

async function loadOurs() {
  const { loadBpe } = await import('../../dist/src/tokens/bpe.js');
  const counter = await loadBpe('o200k_base');
  return (text) => counter.count(text);
}

async function loadGptTokenizer() {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const ordinary = { disallowedSpecial: new Set() };
  return (text) => countTokens(text, ordinary);
}

async function loadTiktoken() {
  const { get_encoding } = await import('tiktoken');
  const encoding = get_encoding('o200k_base');
  return (text) => encoding.encode_ordinary(text).length;
}

async function loadJsTiktoken() {
  const [{ Tiktoken }, ranks] = await Promise.all([import('js-tiktoken/lite'), import('js-tiktoken/ranks/o200k_base')]);
  const encoding = new Tiktoken(ranks.default);
  return (text) => encoding.encode(text, [], []).length;
}

async function loadAiTokenizer() {
  const [{ default: Tokenizer }, encoding] = await Promise.all([
    import('ai-tokenizer'),
    import('ai-tokenizer/encoding/o200k_base'),
  ]);
  const tokenizer = new Tokenizer(encoding);
  return (text) => tokenizer.count(text);
}

// ---- what is counted ----

/** Slices of a file of at most `bytes`. */
function* fileSlices(path, bytes) {
  const file = openSync(path, 'r');
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(SLICE);
  try {
    for (let at = 0; at < bytes; ) {
      const read = readSync(file, buffer, 0, Math.min(SLICE, bytes - at), at);
      if (read === 0) break;
      at += read;
      yield decoder.write(buffer.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

/** Words of 3 to 12 letters of which hardly any comes twice. */
function* wordSlices(bytes) {
  let state = 1;
  const roll = (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  for (let at = 0; at < bytes; at += SLICE) {
    let slice = '';
    while (slice.length < SLICE) {
      for (let letters = 3 + roll(10); letters > 0; letters--) slice += String.fromCharCode(97 + roll(26));
      slice += ' ';
    }
    yield slice.slice(0, SLICE);
  }
}

function* runSlices(bytes) {
  yield 'a'.repeat(bytes);
}

function slicesOf(corpus, bytes) {
  if (corpus === 'words') return wordSlices(Math.min(bytes, 8 * MB));
  if (corpus === 'run') return runSlices(bytes);
  return fileSlices(corpus, bytes);
}

// ---- one process: one contender, one corpus ----

async function measure(name, corpus, limit) {
  const { most, mostRun, load } = CONTENDERS[name];
  const bytes = corpus === 'run' ? mostRun : Math.min(most, limit);
  const before = process.memoryUsage().rss;
  const start = performance.now();
  const count = await load();
  const loaded = performance.now() - start;
  const held = process.memoryUsage().rss - before;
  const cold = pass(count, slicesOf(corpus, bytes));
  const warm = pass(count, slicesOf(corpus, Math.min(bytes, 16 * MB)));
  const peak = process.resourceUsage().maxRSS * 1024;
  console.log(JSON.stringify({ loaded, held, cold, warm, peak }));
}

/** Only counting is timed, not reading or making the text. */
function pass(count, slices) {
  let [bytes, seconds, tokens, firstMb] = [0, 0, 0, -1];
  for (const slice of slices) {
    const start = performance.now();
    tokens += count(slice);
    seconds += (performance.now() - start) / 1000;
    bytes += Buffer.byteLength(slice);
    if (firstMb < 0 && bytes >= MB) firstMb = tokens;
  }
  return { bytes, seconds, tokens: firstMb < 0 ? tokens : firstMb };
}

// ---- the table ----

function run(name, corpus, limit) {
  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), `--child=${name}`, `--mb=${limit / MB}`, corpus], {
    encoding: 'utf8',
    timeout: SECONDS * 1000,
  });
  if (child.status === 0) return JSON.parse(child.stdout);
  return { failed: child.signal === null ? (child.stderr.match(/\w*Error.*/)?.[0] ?? 'failed') : `not done in ${SECONDS} s` };
}

function row(title, name, result) {
  if (result.failed !== undefined) return `| ${title} | ${name} | ${result.failed} |  |  |  |  |  |  |`;
  const speed = ({ bytes, seconds }) => (bytes / MB / seconds).toFixed(2);
  const cells = [
    title,
    name,
    speed(result.cold),
    speed(result.warm),
    result.loaded.toFixed(0),
    (result.held / MB).toFixed(0),
    (result.peak / MB).toFixed(0),
    (result.cold.bytes / MB).toFixed(2),
    result.cold.tokens,
  ];
  return `| ${cells.join(' | ')} |`;
}

function main(files, only, limit) {
  const [english, multilingual, code = fileURLToPath(import.meta.resolve('typescript'))] = files;
  const corpora = [
    ['English', english],
    ['multilingual', multilingual],
    ['code', code],
    ['unique words', 'words'],
    ['one run of "a"', 'run'],
  ];
  console.log(`Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`);
  console.log(
    '| corpus | tokenizer | cold MB/s | warm MB/s | load ms | load MB | peak MB | MB counted | tokens in the first MB |',
  );
  console.log('|---|---|--:|--:|--:|--:|--:|--:|--:|');
  for (const [title, corpus] of corpora) {
    if (corpus === undefined || (corpus.includes('/') && !existsSync(corpus))) {
      console.log(`| ${title} | no such file named |  |  |  |  |  |  |  |`);
      continue;
    }
    for (const name of Object.keys(CONTENDERS)) {
      if (only === undefined || only.includes(name)) console.log(row(title, name, run(name, corpus, limit)));
    }
  }
}

const args = process.argv.slice(2);
const option = (name) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const files = args.filter((arg) => !arg.startsWith('--'));
const limit = Number(option('mb') ?? Number.POSITIVE_INFINITY) * MB;
const child = option('child');
if (child === undefined) main(files, option('only')?.split(','), limit);
else await measure(child, files[0], limit);
