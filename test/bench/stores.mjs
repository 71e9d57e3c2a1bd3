/**
 * Files for stores: how quickly is each written, how much memory does it take, and is each file within its limits by a count that
 * knows nothing of the format?
 *
 *   npm run build
 *   node test/bench/stores.mjs [--chunks 1000000] [--dimensions 384] [--only qdrant,parquet] [--vectors] [--dir DIR]
 *
 * The chunks are made in the process that writes them, from words of samples/, some 300 bytes of text each; their making alone
 * is measured too, and its time taken off. Stores that need a vector get one, others with `--vectors`. Each run is a process of its
 * own; MB are 10⁶ bytes of what was written, `peak` is the highest resident memory. The files go to the folder for temporary files,
 * and are removed. Records are counted by a mark in their ids, which stands in the bytes of every format but compressed ones.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { nodeWorld } from '../../dist/src/node.js';
import { placeOf, sinks } from '../../dist/src/registry.js';

const MB = 1e6;
const MARK = '-0000-4000-8000-';
/** Enough that no cache holds the texts of all. */
const TEXTS = 4096;
const VECTORS = 256;
const SAMPLES = ['prose', 'russian', 'greek', 'arabic', 'hindi', 'chinese', 'emoji'];

/** Chunks without end but for `count`: a new object each, with texts and vectors that come again. */
function* chunksOf(count, dimensions) {
  const words = SAMPLES.flatMap((name) =>
    readFileSync(new URL(`../../samples/${name}.txt`, import.meta.url), 'utf8').split(/ /u),
  );
  let seed = 1;
  const word = () => words[(seed = (Math.imul(seed, 48_271) >>> 0) % 2_147_483_647) % words.length];
  const texts = Array.from({ length: TEXTS }, (_, n) => Array.from({ length: 25 + (n % 25) }, word).join(' '));
  const vectors = Array.from({ length: VECTORS }, (_, n) => vectorOf(n, dimensions));
  for (let n = 0; n < count; n++) {
    const text = texts[n % TEXTS];
    const metadata = { title: `Chapter ${n % 100}`, page: n % 1000, tags: ['mill', 'water'], draft: n % 2 === 0 };
    const id = `00000000${MARK}${String(n).padStart(12, '0')}`;
    const record = { index: n, start: n * 400, end: n * 400 + 390, line: n + 1, field: 'text' };
    const place = { source: 'corpus/mills.jsonl', index: 0, start: n * 400 + 20, end: n * 400 + 380, tokens: 80 };
    yield { id, ...place, record, metadata, text, ...(dimensions === 0 ? {} : { embedding: vectors[n % VECTORS] }) };
  }
}

/** Of any digits, as embeddings are. */
function vectorOf(seed, dimensions) {
  const values = Array.from(
    { length: dimensions },
    (_, n) => Math.sin(seed * 1000 + n * 1.7) * 12.9898 - Math.cos(n + seed) * 4.1,
  );
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

/* ------------------------------------------------------------------ in the child */

async function write({ store, count, dimensions, path, options }) {
  const sink = store === 'none' ? undefined : sinkOf(store, path, options);
  await sink?.open?.();
  const started = performance.now();
  for (const chunk of chunksOf(count, dimensions)) {
    const waiting = sink?.write(chunk);
    if (waiting !== undefined) await waiting;
  }
  const files = (await sink?.commit()) ?? [];
  const seconds = (performance.now() - started) / 1000;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  console.log(JSON.stringify({ seconds, cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS * 1024, files }));
}

function sinkOf(name, path, options) {
  const spec = sinks.find((each) => each.name === name);
  return spec.create({ path, options, rolls: true, place: placeOf(nodeWorld), stdout: nodeWorld.stdout });
}

/* ------------------------------------------------------------------ in the parent */

function inChild(job) {
  const args = [fileURLToPath(import.meta.url), '--job', JSON.stringify(job)];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (child.status !== 0) throw new Error(`${job.store}: ${child.stderr}`);
  return JSON.parse(child.stdout);
}

/** Bytes of a file, and how often the mark stands in it. */
function counted(file) {
  const fd = openSync(file, 'r');
  const { size } = fstatSync(fd);
  const buffer = Buffer.alloc(1 << 22);
  let records = 0;
  let kept = 0;
  for (let at = 0; at < size; ) {
    const got = readSync(fd, buffer, kept, buffer.length - kept, at);
    at += got;
    const part = buffer.subarray(0, kept + got);
    for (let found = part.indexOf(MARK); found >= 0; found = part.indexOf(MARK, found + 1)) records++;
    // A mark that the end of this part cuts.
    kept = Math.min(part.length, MARK.length - 1);
    buffer.copyWithin(0, part.length - kept, part.length);
  }
  closeSync(fd);
  return { size, records };
}

function row(job, limits, making) {
  const { seconds, cpu, peak, files } = inChild(job);
  const dir = join(job.path, '..');
  const names = readdirSync(dir).filter((name) => /^out-\d{5}\./.test(name));
  const counts = names.map((name) => counted(join(dir, name)));
  const largest = (key) => Math.max(...counts.map((count) => count[key]));
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const found = counts.reduce((sum, { records }) => sum + records, 0);
  const { fileRecords = Number.POSITIVE_INFINITY, fileBytes = Number.POSITIVE_INFINITY } = limits;
  const isWithin = largest('records') <= fileRecords && largest('size') <= fileBytes;
  const isCompressed = names[0].endsWith('.parquet') && job.options.parquetCodec !== 'none';
  const isWhole = found === job.count || isCompressed;
  const rate = (total, what) => (total / MB / Math.max(what, 1e-9)).toFixed(0);
  return [
    ...[
      (total / MB).toFixed(0),
      names.length,
      (largest('size') / MB).toFixed(1),
      isWithin && isWhole ? 'yes' : `NO (${found} found)`,
    ],
    ...[seconds.toFixed(1), rate(total, seconds - making.seconds), cpu.toFixed(1), rate(total, cpu - making.cpu)],
    (peak / MB).toFixed(0),
  ];
}

/** Each target as it is, and its other forms. */
function* targets({ dimensions, only, vectors }) {
  const chosen = only?.split(',');
  for (const { name, store } of sinks.filter(({ name }) => name !== 'ndjson' && (chosen?.includes(name) ?? true))) {
    const size = store?.needs === 'vector' || vectors ? Number(dimensions) : 0;
    yield { store: name, limits: store?.limits ?? {}, dimensions: size, options: {} };
    for (const options of FORMS[name] ?? []) yield { store: name, limits: {}, dimensions: size, options };
    if (name === 'parquet' && size === 0) yield { store: name, limits: {}, dimensions: Number(dimensions), options: {} };
  }
}

const FORMS = {
  parquet: [{ parquetCodec: 'none' }],
  pinecone: [{ pineconeLayout: 'vectors' }],
  milvus: [{ milvusFormat: 'parquet' }],
};

function main({ chunks, dir, ...choice }) {
  const count = Number(chunks);
  console.log(`${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`);
  console.log(`load ${loadavg()[0].toFixed(1)} before; ${count} chunks\n`);
  console.log('| target | MB | files | largest MB | within limits | s | MB/s | CPU s | MB per CPU s | peak MB |');
  console.log('|---|--:|--:|--:|---|--:|--:|--:|--:|--:|');
  const making = new Map();
  for (const { store, limits, dimensions, options } of targets(choice)) {
    if (!making.has(dimensions)) making.set(dimensions, inChild({ store: 'none', count, dimensions }));
    const folder = mkdtempSync(join(dir ?? tmpdir(), 'millrace-stores-'));
    try {
      const cells = row({ store, count, dimensions, options, path: join(folder, 'out') }, limits, making.get(dimensions));
      const what = [store, ...Object.values(options), ...(dimensions === 0 ? [] : [`${dimensions} numbers`])].join(', ');
      console.log(`| ${what} | ${cells.join(' | ')} |`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '1000000' },
    dimensions: { type: 'string', default: '384' },
    only: { type: 'string' },
    vectors: { type: 'boolean', default: false },
    dir: { type: 'string' },
    job: { type: 'string' },
  },
});
if (values.job === undefined) main(values);
else await write(JSON.parse(values.job));
