/**
 * What is loaded into the stores: 5,000 chunks of the samples' sentences in ten languages, made by the command line from records
 * with hostile metadata, each with a seeded embedding of 384 numbers; and a small set of hostile texts among ordinary ones. Made
 * once, before the first test, as lines of chunks on the disk; the same bytes on every machine.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import type { Chunk } from '../../src/types.js';
import { type Rng, rng } from '../support/random.js';

export const COUNT = 5000;
/** Twice each list of metadata with each script. */
export const FEW = 260;
export const DIMENSIONS = 384;

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAIN = here('../../dist/src/cli/main.js');

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the fixture: `chunks.jsonl`, `few.jsonl` (the first of these), `hostile.jsonl`, `odd.jsonl` (what of it is not large). */
    readonly fixture: string;
  }
}

/** Called by vitest. What it returns removes the files. */
export default function setup({ provide }: TestProject): () => void {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-stores-'));
  provide('fixture', dir);
  writeFileSync(join(dir, 'corpus.jsonl'), corpus(COUNT));
  const args = ['corpus.jsonl', '--text', 'text', '--unit', 'characters', '--size', '4000', '-o', 'plain.jsonl'];
  // Its own folder is in no source, so that ids are the same wherever it is.
  execFileSync(process.execPath, [MAIN, ...args, '--quiet'], { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
  const lines = readFileSync(join(dir, 'plain.jsonl'), 'utf8').split('\n').slice(0, -1);
  const chunks = lines.map(withEmbedding);
  writeFileSync(join(dir, 'chunks.jsonl'), chunks.join(''));
  writeFileSync(join(dir, 'few.jsonl'), chunks.slice(0, FEW).join(''));
  const hostile = hostileChunks().map((chunk) => `${JSON.stringify(chunk)}\n`);
  writeFileSync(join(dir, 'hostile.jsonl'), hostile.join(''));
  writeFileSync(join(dir, 'odd.jsonl'), hostile.filter((line) => line.length < 20_000).join(''));
  return () => rmSync(dir, { recursive: true, force: true });
}

/** As a user's transform would; every fourth has a context, as pieces of a table have. */
function withEmbedding(line: string, at: number): string {
  const { metadata, text, ...place } = JSON.parse(line) as Chunk;
  const context = at % 4 === 0 ? { context: `Row ${at} · ряд "${at}"` } : {};
  return `${JSON.stringify({ ...place, ...context, metadata, text, embedding: embedding(at) })}\n`;
}

/** Of length 1, nine digits a number, so that its nearest of 32 bits is not itself. */
export function embedding(seed: number): number[] {
  const chance = rng(seed + 1);
  const numbers = Array.from({ length: DIMENSIONS }, () => chance.next() + chance.next() + chance.next() - 1.5);
  const length = Math.hypot(...numbers);
  return numbers.map((x) => Number((x / length).toPrecision(9)));
}

/* ------------------------------------------------------------------ records */

/** As samples/ names them: Latin, Cyrillic, Greek, Arabic, Hebrew, Devanagari, Thai, Han, Kana; and emoji. */
const SCRIPTS = ['prose', 'russian', 'greek', 'arabic', 'hebrew', 'hindi', 'thai', 'chinese', 'japanese', 'emoji'];

/** JSON members, one list of them for each record, in turn. Text, since an object in code cannot say `__proto__` without care. */
export const METADATA = [
  '"title":"a plain one","page":7,"draft":false,"weight":0.1',
  '"title":null,"gone":null,"page":8',
  '"nested":{"deep":{"deeper":[1,{"none":null}]},"list":["x","y"]},"page":9',
  '"tags":["a","b, \\"c\\"",""],"sizes":[1,2.5,-3],"mixed":[1,"a",null],"empty":{},"none":[]',
  '"__proto__":"own","constructor":"own","toString":"own","hasOwnProperty":true',
  '"nested":{"__proto__":{"polluted":true}}',
  '"$where":"dollar","_private":"line","#tag":"hash","a.b":"dot","a\\"b\\\\c":"quote","":"no name","with space":"x"',
  '"ключ":"значение","مفتاح":"قيمة","鍵":"値","🌊":"wave","e\\u0301":"decomposed"',
  '"id":"not the id","_id":"nor this","vector":"not a vector","embedding":"nor this","source":"elsewhere","context":"none"',
  `"${'k'.repeat(300)}":"long name","long":"${'value '.repeat(300)}"`,
  '"big":12345678901234567890,"tiny":5e-324,"huge":1.7976931348623157e308,"safe":9007199254740991,"minus":-0.5',
  '"lines":"CR LF\\r\\n NEL\\u0085 LS\\u2028 PS\\u2029 VT\\u000b FF\\f tab\\t RS\\u001e","quotes":"\\"\'`\\\\ \\\\n \\\\N \\\\."',
  '"nul":"a\\u0000b","bell":"\\u0007","delete":"\\u007f","bom":"\\ufeffx","rtl":"\\u202eabc\\u202c","joined":"👩‍👩‍👧‍👦"',
];

/** Lines of JSON with the member `text`; each is one chunk of its own. */
export function corpus(records: number): string {
  const chance = rng(7);
  const sentences = SCRIPTS.map(sentencesIn);
  const lines: string[] = [];
  for (let n = 0; n < records; n++) {
    const script = n % SCRIPTS.length;
    const text = someOf(sentences[script]!, chance);
    // Two lists that come together never, so that each key is met with and without the others.
    const hostile = METADATA[Math.floor(n / SCRIPTS.length) % METADATA.length]!;
    lines.push(`{"n":${n},"script":"${SCRIPTS[script]}",${hostile},"text":${JSON.stringify(text)}}\n`);
  }
  return lines.join('');
}

function sentencesIn(sample: string): readonly string[] {
  const text = readFileSync(here(`../../samples/${sample}.txt`), 'utf8');
  return [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)]
    .map(({ segment }) => segment)
    .filter((segment) => segment.trim() !== '');
}

function someOf(sentences: readonly string[], chance: Rng): string {
  return Array.from({ length: chance.between(2, 8) }, () => chance.pick(sentences)).join('');
}

/* ------------------------------------------------------------------ hostile chunks */

/** Every third is hostile; its neighbours say where they stand. Not of a run: no run would make some of these. */
function hostileChunks(): Chunk[] {
  const chunks: Chunk[] = [];
  const add = (name: string, parts: Partial<Chunk>) => {
    const n = chunks.length;
    chunks.push({
      id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      source: 'hostile',
      index: n,
      start: n * 10,
      end: n * 10 + 10,
      metadata: { name },
      text: `the text of ${name}`,
      ...parts,
      embedding: embedding(100_000 + n),
    });
  };
  for (const [name, parts] of HOSTILE) {
    add(`before ${name}`, {});
    add(name, parts);
    add(`after ${name}`, {});
  }
  return chunks;
}

const keys = (count: number): Chunk['metadata'] => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n]));

/** What a hostile chunk has instead of the usual. */
export const HOSTILE: readonly (readonly [name: string, parts: Partial<Chunk>])[] = [
  ['NUL', { text: 'a\0b\0', metadata: { name: 'NUL', nul: '\0' } }],
  ['a long text', { text: 'ten megabytes '.repeat(714_286) }],
  ['a long value', { metadata: { name: 'a long value', long: 'm'.repeat(10_000_000) } }],
  ['many keys', { metadata: { name: 'many keys', ...keys(10_000) } }],
  ['__proto__', { metadata: JSON.parse('{"name":"__proto__","__proto__":{"x":1},"constructor":{"prototype":1}}') }],
  ['quotes', { text: `" ' \` \\ \\" '' "" \\\\ \\N \\. $$ --; /* */ [1,2]` }],
  ['line separators', { text: 'LF\n CR LF\r\n CR\r NEL\u0085 LS\u2028 PS\u2029 VT\v FF\f FS\x1c GS\x1d RS\x1e end\n' }],
  ['a copy end', { text: '\\.\n\\.\n' }],
  ['right to left', { text: 'שלום \u202eabc\u202c مرحبا \u2066x\u2069' }],
  ['emoji', { text: '👩‍👩‍👧‍👦 🏳️‍🌈 🇬🇷 👍🏽 𝒳 \u{10ffff}' }],
  [
    'a lone surrogate',
    { text: 'high \ud83d, low \ude00 end', metadata: { name: 'a lone surrogate', half: '\udc00', '\ud800': 'key' } },
  ],
  ['controls and a signature', { text: '\ufeff\x01\x02\x07\b\x1b[31m\x7f\u0080\u009f\ufffe\uffff' }],
  ['a formula', { text: '=1+1', source: '"=cmd"|,;\t', metadata: { name: 'a formula', 'a,b"c': '=x' } }],
];
