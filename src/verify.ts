/**
 * The proof: re-reads the bytes that every chunk names and shows that they give its text, that its record, metadata and context
 * are those of the place, that its tokens are counted right and within the budget, that chunks follow each other in order with
 * no more overlap than allowed, and that what is in no chunk is what the receipt says. Shares splitting, decoding, normalising
 * and counting with the run, but none of its carrying of positions: each range is read alone, from the source, by its numbers.
 * Bounded memory, whatever the sizes (L8).
 */

import { type ByteReader, linesOf } from './blocks.js';
import type { ChunkOptions } from './chunk-options.js';
import { COMPRESSIONS } from './compression.js';
import { CHARSETS } from './decode.js';
import type { Licence, Terms } from './document-proof.js';
import { countersOf } from './engine.js';
import { IngestError } from './errors.js';
import { isOpaque, type Part, partsOf, proveFiles, type Reach } from './files-proof.js';
import { type InputChoices, type InputSettings, inputSettings } from './input-settings.js';
import { isAddress, reopenInput } from './inputs.js';
import type { Progress, RunHooks } from './job.js';
import { added, type Manifest, manifestPath, NOTHING_YET, type SourceReceipt } from './manifest.js';
import { asKey } from './options.js';
import { formats, located, recordOptions, strategies } from './registry.js';
import { chunkSettings } from './settings.js';
import { Fault, SourceProof } from './source-proof.js';
import type { Chunk, TokenCounter, WrittenFile } from './types.js';
import type { World } from './world.js';

/** What is said of how inputs are reached is said of the sources. `root` is the one of the run unless given. */
export interface VerifyOptions extends InputChoices {
  /** A file of chunks with its manifest beside it, or a directory of such files. */
  readonly path: string;
  /** `NAME=PATH`: where a source is now, as for one that came from standard input. The path may be that of any input. */
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
  /** A sentence or two for people, a line each. */
  readonly summary: string;
}

/** @throws IngestError when something cannot be read; a fault in the chunks is no error but the verdict */
export async function verify(options: VerifyOptions, hooks: RunHooks, world: World): Promise<Verdict> {
  const outputs = isAddress(options.path) ? [options.path] : await outputsAt(options.path, world);
  // What was written is read as it is.
  const { root: _, ...choices } = options;
  const access: InputSettings = { ...inputSettings(choices), compression: 'none' };
  const reach: Reach = (path) => reopenInput(path, access, world, hooks.signal);
  let chunks = 0;
  let sources = 0;
  let bytes = 0;
  let files = 0;
  try {
    for (const out of outputs) {
      const manifest = await manifestOf(out, reach);
      if (isOpaque(manifest)) {
        await proveFiles(out, manifest, reach);
        files += manifest.files.length;
        continue;
      }
      const proof = await Proof.open(out, manifest, options, hooks, world);
      await proof.perform(partsOf(out, manifest), reach);
      chunks += proof.manifest.totals.chunks;
      sources += proof.manifest.totals.sources;
      bytes += proof.manifest.totals.bytes;
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { fault: error.message, chunks, sources, bytes, summary: error.message };
  }
  const proved = `proved: ${chunks} chunks of ${sources} source${sources === 1 ? '' : 's'}, every one of ${bytes} bytes accounted for`;
  const whole = `unchanged: ${files} file${files === 1 ? '' : 's'}, byte for byte; what is in them is proved on the lines of chunks of the same inputs`;
  const summary = [...(files < 1 || chunks > 0 ? [proved] : []), ...(files > 0 ? [whole] : [])].join('\n');
  return { chunks, sources, bytes, summary };
}

async function outputsAt(path: string, { fs }: World): Promise<string[]> {
  const stat = await fs.promises.stat(path).catch(() => undefined);
  // Files that are numbered are named after a path at which there is none.
  if (stat === undefined && (await fs.promises.stat(manifestPath(path)).catch(() => undefined)) !== undefined) return [path];
  if (stat === undefined) throw new IngestError('source', 'not-found', 'no such file or directory', { origin: path });
  if (!stat.isDirectory()) return [path];
  const suffix = manifestPath('');
  const names = (await fs.promises.readdir(path)).filter((name) => name.endsWith(suffix)).sort();
  if (names.length === 0)
    throw new IngestError('source', 'no-manifest', `no ${suffix} in this directory: nothing to prove`, { origin: path });
  return names.map((name) => `${path}/${name.slice(0, -suffix.length)}`);
}

async function manifestOf(out: string, reach: Reach): Promise<Manifest> {
  const path = manifestPath(out);
  try {
    const found: unknown = JSON.parse(await textOf(await reach(path)));
    if (!isManifest(found)) throw new TypeError('it is not what a run writes');
    return found;
  } catch (error) {
    const isDamaged = error instanceof SyntaxError || error instanceof TypeError;
    const isMissing = error instanceof IngestError && ['not-found', 'read-failed'].includes(error.reason);
    if (!isDamaged && !isMissing) throw error;
    const sentence =
      'the manifest that a run writes beside its output is missing or damaged; without it there is nothing to hold the chunks against';
    throw new IngestError('source', 'no-manifest', sentence, { origin: path, cause: error });
  }
}

async function textOf(reader: ByteReader): Promise<string> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  try {
    for await (const bytes of reader.range(0, reader.bytes)) text += utf8.decode(bytes, { stream: true });
  } finally {
    await reader.close();
  }
  return text + utf8.decode();
}

/** Whether it has all that the proof looks at. What the numbers say is for the proof to judge. */
function isManifest(found: unknown): found is Manifest {
  const { options, sources, totals, files } = (found ?? {}) as { readonly [key in keyof Manifest]?: unknown };
  const isReceipt = (each: Partial<SourceReceipt> | null) =>
    typeof each?.source === 'string' &&
    CHARSETS.includes(each.charset ?? '') &&
    (each.compression === undefined || COMPRESSIONS.includes(each.compression)) &&
    isObject(each.coverage?.dropped) &&
    (each.only === undefined || (Array.isArray(each.only) && each.only.every(Array.isArray)));
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

/** Bytes of a UTF-16 unit in a line, when it is escaped; and of all else in the line, generously. */
const ESCAPED_BYTES = 6;
const OTHER_BYTES = 2 ** 20;

/** One output, be it in one file or several, held against its manifest and its sources. */
class Proof {
  readonly manifest: Manifest;
  readonly #out: string;
  readonly #terms: Terms;
  readonly #paths: ReadonlyMap<string, string>;
  readonly #root: string | undefined;
  readonly #access: InputSettings;
  /** Compressed as the user says, whatever the receipts say. */
  readonly #compression: InputChoices['compression'];
  readonly #hooks: RunHooks;
  readonly #world: World;
  /** 1-based, of the line under proof. */
  #line = 0;
  /** Of the file under proof: which it is, and its line. */
  #path: string;
  #lineOfPart = 0;
  /** Where each source stands in the manifest, and which is next. */
  readonly #places: ReadonlyMap<string, number>;
  #next = 0;
  #source: SourceProof | undefined;
  #bytes = 0;

  private constructor(out: string, manifest: Manifest, options: VerifyOptions, terms: Terms, hooks: RunHooks, world: World) {
    this.#out = out;
    this.#path = out;
    this.manifest = manifest;
    this.#places = new Map(manifest.sources.map(({ source }, place) => [source, place]));
    this.#terms = terms;
    const { root = manifest.options.root as string | undefined, compression, source = [], ...choices } = options;
    this.#root = root;
    this.#access = inputSettings(choices);
    this.#compression = compression;
    this.#paths = new Map(source.map((given) => renamed(given, this.#places)));
    this.#hooks = hooks;
    this.#world = world;
  }

  static async open(out: string, manifest: Manifest, options: VerifyOptions, hooks: RunHooks, world: World): Promise<Proof> {
    const terms = await termsOf(manifest, options.tokenizer);
    return new Proof(out, manifest, options, terms, hooks, world);
  }

  async perform(parts: readonly Part[], reach: Reach): Promise<void> {
    try {
      for (const part of parts) await this.#proveLines(part, await reach(part.path), part === parts.at(-1));
    } finally {
      await this.#source?.close();
    }
  }

  /** Closes the reader. */
  async #proveLines({ path, file }: Part, reader: ByteReader, isLast: boolean): Promise<void> {
    const mostBytes = this.#terms.settings.maxChars * ESCAPED_BYTES + OTHER_BYTES;
    this.#path = path;
    this.#lineOfPart = 0;
    try {
      for await (const line of linesOf(reader, mostBytes, () => this.#fail(`the next line is longer than ${mostBytes} bytes`))) {
        this.#hooks.signal?.throwIfAborted();
        this.#line++;
        this.#lineOfPart++;
        await this.#prove(this.#parsed(line));
      }
      if (isLast) await this.#finish();
      await this.#proveFile(file, reader);
    } finally {
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
    const moved = this.#paths.get(receipt.source);
    const path = moved ?? (isAddress(receipt.source) ? receipt.source : located(receipt.source, this.#root));
    if (path === '-') {
      const sentence = 'it came from standard input: say where its bytes are now with --source -=PATH';
      throw new IngestError('source', 'no-source', sentence, { origin: receipt.source });
    }
    const compression = this.#compression ?? (moved === undefined ? (receipt.compression ?? 'none') : 'auto');
    const reader = await reopenInput(path, { ...this.#access, compression }, this.#world, this.#hooks.signal);
    return SourceProof.open(receipt, reader, this.#terms, this.#world, (what) => this.#fail(what));
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

  async #proveFile({ sha256, bytes }: WrittenFile, reader: ByteReader): Promise<void> {
    const digest = await reader.sha256();
    if (digest === sha256 && reader.bytes === bytes) return;
    throw new Fault(
      `${this.#path}: every chunk is right, but the file is not the one the manifest describes (SHA-256 ${digest})`,
    );
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
    throw new Fault(`${this.#path}, line ${this.#lineOfPart}: ${what}`);
  }
}

async function termsOf(manifest: Manifest, own: TokenCounter | undefined): Promise<Terms> {
  const { options } = manifest;
  const known = Object.fromEntries(Object.entries(options).filter(([key]) => PROVABLE.has(key)));
  const settings = chunkSettings((own === undefined ? known : { ...known, tokenizer: own }) as ChunkOptions);
  return { settings, licence: licenceOf(options), ...(await countersOf(settings)) };
}

/** A strategy of the user's own may do what it likes: it need not be there for its chunks to be proved. */
function licenceOf(options: Manifest['options']): Licence {
  const spec = strategies.find(({ name }) => name === options.strategy);
  const isOwn = spec === undefined;
  return {
    adds: (name) => isOwn || spec.adds?.includes(name) === true,
    keepsOversize: isOwn || options.oversize === 'keep' || options.noCharacterFallback === true,
    backfills: isOwn || options.tail === 'backfill',
    dropsTail: isOwn || options.tail === 'drop',
  };
}

/**
 * The options that a chunk can be held against: how it was counted, and how its source was split. Where text was cut needs no
 * proof: any cut is right that keeps the laws.
 */
const PROVABLE = new Set(
  [
    ...['format', 'encoding', 'strict-encoding', 'whitespace', 'size', 'overlap', 'unit', 'tokenizer', 'max-chars'],
    ...[...recordOptions, ...formats.flatMap(({ options = [] }) => options)].map(({ name }) => name),
  ].map(asKey),
);

/** Of several `=`, the first behind the name of a source parts it from the path, else the last. */
function renamed(given: string, names: ReadonlyMap<string, unknown>): [string, string] {
  let at = given.indexOf('=');
  while (at >= 0 && !names.has(given.slice(0, at))) at = given.indexOf('=', at + 1);
  if (at < 0) at = given.lastIndexOf('=');
  if (at < 1) throw new IngestError('config', 'bad-options', `--source takes NAME=PATH, not ${JSON.stringify(given)}`);
  return [given.slice(0, at), given.slice(at + 1)];
}
