/**
 * The proof: re-reads the bytes that every chunk names and shows that they give its text, that its tokens are counted right and
 * within the budget, that chunks follow each other in order with no more overlap than allowed, and that what is in no chunk
 * is what the receipt says. Shares decoding, normalising and counting with the run, but none of its carrying of positions:
 * each range is read alone, from the source, by its numbers. Bounded memory, whatever the sizes (L8).
 */

import { BlockReader } from './blocks.js';
import { CHARSETS, decoder, SIGNATURE_BYTES, signatureOf } from './decode.js';
import { IngestError } from './errors.js';
import { Identifier } from './identity.js';
import { added, type Manifest, manifestPath, NOTHING_YET, type SourceReceipt } from './manifest.js';
import { asKey } from './options.js';
import { firstShown, located, normalise } from './registry.js';
import type { Progress, RunHooks } from './run.js';
import { type ChunkOptions, type ChunkSettings, chunkSettings } from './settings.js';
import { loadCounter, unitCounter } from './tokens/index.js';
import type { Chunk, Doc, DropReason, TokenCounter } from './types.js';
import type { World } from './world.js';

export interface VerifyOptions {
  /** A file of chunks with its manifest beside it, or a directory of such files. */
  readonly path: string;
  /** Directory that the names of sources are relative to; absent: the one of the run. */
  readonly root?: string;
  /** `NAME=PATH`: where a source is now, as for one that came from standard input. */
  readonly source?: readonly string[];
  /** Needed when the run counted with a counter of its own. */
  readonly tokenizer?: TokenCounter;
}

export interface Verdict {
  /** The first thing that is wrong, with its line; absent when all is proved. */
  readonly fault?: string;
  readonly chunks: number;
  readonly sources: number;
  readonly bytes: number;
  /** One sentence for people. */
  readonly summary: string;
}

/** @throws IngestError when something cannot be read; a fault in the chunks is no error but the verdict */
export async function verify(options: VerifyOptions, hooks: RunHooks, world: World): Promise<Verdict> {
  const outputs = await outputsAt(options.path, world);
  let chunks = 0;
  let sources = 0;
  let bytes = 0;
  try {
    for (const out of outputs) {
      const proof = await Proof.open(out, options, hooks, world);
      await proof.perform();
      chunks += proof.manifest.totals.chunks;
      sources += proof.manifest.totals.sources;
      bytes += proof.manifest.totals.bytes;
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { fault: error.message, chunks, sources, bytes, summary: error.message };
  }
  const summary = `proved: ${chunks} chunks of ${sources} source${sources === 1 ? '' : 's'}, every one of ${bytes} bytes accounted for`;
  return { chunks, sources, bytes, summary };
}

/** What is wrong with the chunks; not an error of ours. */
class Fault extends Error {}

async function outputsAt(path: string, { fs }: World): Promise<string[]> {
  const stat = await fs.promises.stat(path).catch(() => undefined);
  if (stat === undefined) throw new IngestError('source', 'not-found', 'no such file or directory', { origin: path });
  if (!stat.isDirectory()) return [path];
  const suffix = manifestPath('');
  const names = (await fs.promises.readdir(path)).filter((name) => name.endsWith(suffix)).sort();
  if (names.length === 0)
    throw new IngestError('source', 'no-manifest', `no ${suffix} in this directory: nothing to prove`, { origin: path });
  return names.map((name) => `${path}/${name.slice(0, -suffix.length)}`);
}

async function manifestOf(out: string, { fs }: World): Promise<Manifest> {
  const path = manifestPath(out);
  try {
    const found: unknown = JSON.parse(await fs.promises.readFile(path, 'utf8'));
    if (!isManifest(found)) throw new TypeError('it is not what a run writes');
    return found;
  } catch (error) {
    const sentence =
      'the manifest that a run writes beside its output is missing or damaged; without it there is nothing to hold the chunks against';
    throw new IngestError('source', 'no-manifest', sentence, { origin: path, cause: error });
  }
}

/** Whether it has all that the proof looks at. What the numbers say is for the proof to judge. */
function isManifest(found: unknown): found is Manifest {
  const { options, sources, totals, files } = (found ?? {}) as { readonly [key in keyof Manifest]?: unknown };
  const isReceipt = (each: Partial<SourceReceipt> | null) =>
    typeof each?.source === 'string' && CHARSETS.includes(each.charset ?? '') && isObject(each.coverage?.dropped);
  return (
    isObject(options) &&
    isObject(totals) &&
    Array.isArray(sources) &&
    sources.every(isReceipt) &&
    Array.isArray(files) &&
    isObject(files[0])
  );
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** One output file held against its manifest and its sources. */
class Proof {
  readonly manifest: Manifest;
  readonly #out: string;
  readonly #settings: ChunkSettings;
  readonly #measure: TokenCounter;
  readonly #tokens: TokenCounter | undefined;
  readonly #paths: ReadonlyMap<string, string>;
  readonly #root: string | undefined;
  readonly #hooks: RunHooks;
  readonly #world: World;
  /** 1-based, of the line under proof. */
  #line = 0;
  /** Where each source stands in the manifest, and which is next. */
  readonly #places: ReadonlyMap<string, number>;
  #next = 0;
  #source: SourceProof | undefined;
  #bytes = 0;

  private constructor(
    out: string,
    manifest: Manifest,
    options: VerifyOptions,
    counters: Counters,
    hooks: RunHooks,
    world: World,
  ) {
    this.#out = out;
    this.manifest = manifest;
    this.#places = new Map(manifest.sources.map(({ source }, place) => [source, place]));
    this.#settings = counters.settings;
    this.#measure = counters.measure;
    this.#tokens = counters.tokens;
    this.#root = options.root ?? (manifest.options.root as string | undefined);
    this.#paths = new Map((options.source ?? []).map(renamed));
    this.#hooks = hooks;
    this.#world = world;
  }

  static async open(out: string, options: VerifyOptions, hooks: RunHooks, world: World): Promise<Proof> {
    const manifest = await manifestOf(out, world);
    const counters = await countersOf(manifest, options.tokenizer);
    return new Proof(out, manifest, options, counters, hooks, world);
  }

  async perform(): Promise<void> {
    const reader = await BlockReader.open(this.#out, this.#world, this.#hooks.signal);
    try {
      for await (const line of linesOf(reader, (number) =>
        this.#fail(`line ${number} is longer than ${MOST_LINE_BYTES} bytes`),
      )) {
        this.#hooks.signal?.throwIfAborted();
        this.#line++;
        await this.#prove(this.#parsed(line));
      }
      await this.#finish();
      await this.#proveFile(reader);
    } finally {
      await this.#source?.close();
      await reader.close();
    }
  }

  async #prove(chunk: Chunk): Promise<void> {
    if (this.#source?.receipt.source !== chunk.source && !((this.#places.get(chunk.source) ?? -1) >= this.#next))
      this.#fail(`its source ${JSON.stringify(chunk.source)} is not in the manifest, or out of order`);
    while (this.#source?.receipt.source !== chunk.source) await this.#advance();
    await this.#source!.prove(chunk);
    this.#tell();
  }

  /** To the next source of the manifest; one without chunks must be blank throughout. */
  async #advance(): Promise<void> {
    if (this.#source !== undefined) {
      await this.#source.finish();
      this.#bytes += this.#source.receipt.coverage.bytes;
      await this.#source.close();
      this.#source = undefined;
    }
    this.#source = await this.#open(this.manifest.sources[this.#next++]!);
  }

  async #finish(): Promise<void> {
    if (this.#line !== this.manifest.totals.chunks) {
      throw new Fault(`${this.#out}: ${this.#line} lines, but the manifest says ${this.manifest.totals.chunks} chunks`);
    }
    while (this.#next < this.manifest.sources.length) await this.#advance();
    if (this.#source !== undefined) await this.#source.finish();
    const sum = JSON.stringify(this.manifest.sources.reduce(added, NOTHING_YET));
    const said = JSON.stringify(this.manifest.totals);
    if (said !== sum) throw new Fault(`${manifestPath(this.#out)}: its totals ${said} are not the sum of its sources ${sum}`);
  }

  async #open(receipt: SourceReceipt): Promise<SourceProof> {
    const path = this.#paths.get(receipt.source) ?? located(receipt.source, this.#root);
    if (path === '-') {
      const sentence = 'it came from standard input: say where its bytes are now with --source -=PATH';
      throw new IngestError('source', 'no-source', sentence, { origin: receipt.source });
    }
    const counters = { settings: this.#settings, measure: this.#measure, tokens: this.#tokens };
    const reader = await BlockReader.open(path, this.#world, this.#hooks.signal);
    return SourceProof.open(receipt, reader, counters, this.#world, (what) => this.#fail(what));
  }

  #parsed(line: string): Chunk {
    let chunk: Chunk;
    try {
      chunk = JSON.parse(line) as Chunk;
    } catch {
      return this.#fail('it is not JSON');
    }
    const { source, text, start, end } = chunk ?? {};
    if (typeof source !== 'string' || typeof text !== 'string') this.#fail('it has no source or no text');
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) this.#fail('it has no byte range');
    return chunk;
  }

  async #proveFile(reader: BlockReader): Promise<void> {
    const digest = await reader.sha256();
    const file = this.manifest.files[0];
    if (digest !== file?.sha256 || reader.bytes !== file.bytes) {
      throw new Fault(
        `${this.#out}: every chunk is right, but the file is not the one the manifest describes (SHA-256 ${digest})`,
      );
    }
  }

  #tell(): void {
    const source = this.#source!;
    const progress: Progress = {
      bytes: this.#bytes + source.done,
      totalBytes: this.manifest.totals.bytes,
      chunks: this.#line,
      source: source.receipt.source,
    };
    this.#hooks.onProgress?.(progress);
  }

  #fail(what: string): never {
    throw new Fault(`${this.#out}, line ${this.#line}: ${what}`);
  }
}

interface Counters {
  readonly settings: ChunkSettings;
  readonly measure: TokenCounter;
  readonly tokens: TokenCounter | undefined;
}

async function countersOf(manifest: Manifest, own: TokenCounter | undefined): Promise<Counters> {
  const { options } = manifest;
  const known = Object.fromEntries(Object.entries(options).filter(([key]) => PROVABLE.has(key)));
  const settings = chunkSettings((own === undefined ? known : { ...known, tokenizer: own }) as ChunkOptions);
  const tokens = typeof settings.tokenizer === 'string' ? await loadCounter(settings.tokenizer) : settings.tokenizer;
  return { settings, tokens, measure: settings.unit === 'tokens' ? tokens! : unitCounter(settings.unit) };
}

/** The options that a chunk can be held against. Where text was cut needs no proof: any cut is right that keeps the laws. */
const PROVABLE = new Set(['encoding', 'whitespace', 'size', 'overlap', 'unit', 'tokenizer', 'max-chars'].map(asKey));

function renamed(given: string): [string, string] {
  const at = given.lastIndexOf('=');
  if (at < 1) throw new IngestError('config', 'bad-options', `--source takes NAME=PATH, not ${JSON.stringify(given)}`);
  return [given.slice(0, at), given.slice(at + 1)];
}

/** The chunks of one source, in order. */
class SourceProof {
  readonly receipt: SourceReceipt;
  readonly #reader: BlockReader;
  readonly #counters: Counters;
  readonly #identifier: Identifier;
  readonly #fail: (what: string) => never;
  readonly #doc: Doc;
  readonly #changed: boolean;
  /** Everything before this byte is accounted for; so far also the end of the last chunk. */
  #accounted = 0;
  #lastStart = -1;
  #chunks = 0;
  #tokens = 0;
  #invalid = 0;
  #inChunks = 0;
  readonly #dropped: Record<DropReason, number> = { signature: 0, blank: 0, separator: 0 };

  private constructor(
    receipt: SourceReceipt,
    reader: BlockReader,
    counters: Counters,
    world: World,
    fail: (what: string) => never,
    changed: boolean,
  ) {
    this.receipt = receipt;
    this.#reader = reader;
    this.#counters = counters;
    this.#identifier = new Identifier(receipt.source, world.sha1);
    this.#doc = { origin: { uri: receipt.source }, charset: receipt.charset, metadata: {} };
    this.#changed = changed;
    this.#fail = (what) => fail(changed ? `${what} (${receipt.source} has changed since the run)` : what);
  }

  static async open(
    receipt: SourceReceipt,
    reader: BlockReader,
    counters: Counters,
    world: World,
    fail: (what: string) => never,
  ): Promise<SourceProof> {
    try {
      const changed = reader.bytes !== receipt.coverage.bytes || (await reader.sha256()) !== receipt.sha256;
      const proof = new SourceProof(receipt, reader, counters, world, fail, changed);
      await proof.#skipSignature();
      return proof;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  get done(): number {
    return this.#accounted;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async prove(chunk: Chunk): Promise<void> {
    const { start, end, text } = chunk;
    if (chunk.index !== this.#chunks) this.#fail(`its index is ${chunk.index}, but it is chunk ${this.#chunks} of its document`);
    if (start <= this.#lastStart || end <= this.#accounted || start >= end || end > this.#reader.bytes) {
      this.#fail(`its range [${start}, ${end}) does not follow the chunk before, which ends at ${this.#accounted}`);
    }
    if (start > this.#accounted) await this.#proveGap(start);
    const invalid = await this.#proveText(chunk);
    const repeated = start < this.#accounted ? await this.#proveOverlap(start) : 0;
    this.#proveSize(chunk);
    const id = this.#identifier.idOf({ text, start });
    if (chunk.id !== id) this.#fail(`its id should be ${id}`);
    this.#invalid += invalid - repeated;
    this.#inChunks += end - this.#accounted;
    this.#accounted = end;
    this.#lastStart = start;
    this.#chunks++;
    this.#tokens += chunk.tokens ?? 0;
  }

  /** After the last chunk: the rest of the source, and the receipt as a whole. */
  async finish(): Promise<void> {
    const { receipt } = this;
    if (this.#accounted < this.#reader.bytes) await this.#proveGap(this.#reader.bytes);
    const found = {
      documents: 1,
      chunks: this.#chunks,
      tokens: receipt.tokens === undefined ? undefined : this.#tokens,
      invalid: this.#invalid,
      ...{ bytes: this.#reader.bytes, inChunks: this.#inChunks, ...this.#dropped },
    };
    const { bytes, inChunks, dropped } = receipt.coverage;
    const { documents, chunks, tokens, invalid } = receipt;
    const said = { documents, chunks, tokens, invalid, bytes, inChunks, ...dropped };
    for (const [what, value] of Object.entries(found)) {
      const claim = said[what as keyof typeof said];
      if (claim !== value) throw new Fault(`${receipt.source}: the receipt says ${what} ${claim}, but it is ${value}`);
    }
    if (this.#changed) throw new Fault(`${receipt.source} has changed since the run, though every chunk of it still holds`);
  }

  async #skipSignature(): Promise<void> {
    const head: number[] = [];
    for await (const bytes of this.#reader.range(0, Math.min(SIGNATURE_BYTES, this.#reader.bytes))) head.push(...bytes);
    const { encoding } = this.#counters.settings;
    const signature = signatureOf(Uint8Array.from(head), encoding);
    if (signature.charset !== this.receipt.charset)
      throw new Fault(`${this.receipt.source}: its encoding is not ${this.receipt.charset}`);
    this.#dropped.signature = signature.bytes;
    this.#accounted = signature.bytes;
    this.#lastStart = signature.bytes - 1;
  }

  async #proveText(chunk: Chunk): Promise<number> {
    let at = 0;
    const invalid = await this.#reread(chunk.start, chunk.end, (text) => {
      if (!chunk.text.startsWith(text, at)) this.#fail(differs(chunk, at, text));
      at += text.length;
    });
    if (at !== chunk.text.length) this.#fail(`its text goes on for ${chunk.text.length - at} characters after its bytes end`);
    return invalid;
  }

  #proveSize(chunk: Chunk): void {
    const { measure, tokens, settings } = this.#counters;
    if (tokens !== undefined) {
      const count = tokens.count(chunk.text);
      if (chunk.tokens !== count) this.#fail(`it says ${chunk.tokens} tokens, but ${tokens.name} counts ${count}`);
    }
    const size = measure === tokens ? chunk.tokens! : measure.count(chunk.text);
    if (size > settings.size && [...chunk.text].length > 1) this.#fail(`it measures ${size}, over the size of ${settings.size}`);
  }

  /** What is repeated from the chunk before must fit the overlap. Returns the bad sequences in it. */
  async #proveOverlap(start: number): Promise<number> {
    let text = '';
    const invalid = await this.#reread(start, this.#accounted, (part) => {
      text += part;
    });
    const size = this.#counters.measure.count(text);
    const { overlap } = this.#counters.settings;
    if (size > overlap) this.#fail(`it repeats ${size} of the chunk before, over the overlap of ${overlap}`);
    return invalid;
  }

  /** Bytes in no chunk: blank text, or separators where the run dropped them. */
  async #proveGap(to: number): Promise<void> {
    let shown: string | undefined;
    this.#invalid += await this.#reread(this.#accounted, to, (text) => {
      if (firstShown(text, 0, text.length) >= 0) shown ??= text;
    });
    const mayDrop = this.receipt.coverage.dropped.separator > 0;
    if (shown !== undefined && !mayDrop)
      this.#fail(`bytes ${this.#accounted} to ${to} are in no chunk, but hold ${excerpt(shown.trim())}`);
    this.#dropped[shown === undefined ? 'blank' : 'separator'] += to - this.#accounted;
    this.#accounted = to;
  }

  /** Decodes and normalises `[start, end)` alone. Returns the number of bad sequences. */
  async #reread(start: number, end: number, take: (text: string) => void): Promise<number> {
    let invalid = 0;
    const bytes = decoder(this.receipt.charset, start, () => invalid++);
    const text = normalise(this.#counters.settings.whitespace, true)(this.#doc);
    for await (const block of this.#reader.range(start, end)) {
      for (const segment of bytes.push(block)) for (const part of text.push(segment)) take(part.text);
    }
    for (const segment of bytes.end()) for (const part of text.push(segment)) take(part.text);
    for (const part of text.end()) take(part.text);
    return invalid;
  }
}

function differs(chunk: Chunk, at: number, text: string): string {
  let i = 0;
  while (i < text.length && chunk.text[at + i] === text[i]) i++;
  return `its text is not what bytes ${chunk.start} to ${chunk.end} say: at character ${at + i} it has ${excerpt(chunk.text.slice(at + i))}, the source ${excerpt(text.slice(i))}`;
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 24 ? `${text.slice(0, 24).toWellFormed()}…` : text);
}

/** A longer line is no line of ours: the longest chunk allowed has 64 million units, of at most six bytes each when escaped. */
const MOST_LINE_BYTES = 2 ** 29 - 1024;

/** The lines of a file, each without its LF. */
async function* linesOf(reader: BlockReader, tooLong: (line: number) => never): AsyncIterable<string> {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  let line = 1;
  for await (const block of reader.range(0, reader.bytes)) {
    for (let from = 0; from < block.length; ) {
      const feed = block.indexOf(0x0a, from);
      const part = block.subarray(from, feed < 0 ? block.length : feed);
      from += part.length + 1;
      length += part.length;
      if (length > MOST_LINE_BYTES) tooLong(line);
      if (feed < 0) {
        parts.push(part.slice());
        continue;
      }
      yield utf8.decode(parts.length === 0 ? part : concat([...parts, part], length));
      parts = [];
      length = 0;
      line++;
    }
  }
  // A last line without its LF was cut short, even if what is left of it is JSON.
  if (length > 0) yield utf8.decode(concat(parts, length));
}

function concat(parts: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
