/**
 * From settings to the parts of a flow: loads the counters that are asked for, and joins an origin's format with what becomes
 * of white space there and with the chunker.
 */
import { endingOf } from './compression.js';
import type { OnInvalid } from './decode.js';
import { IngestError } from './errors.js';
import { Flow } from './flow.js';
import { chunker, type FormatSpec, formats, normalise, type WhitespaceMode, withRecordLevels } from './registry.js';
import type { ChunkSettings } from './settings.js';
import { loadCounter, unitCounter } from './tokens/index.js';
import type { Chunker, Doc, Origin, Report, Splitter, TokenCounter } from './types.js';
import type { World } from './world.js';

export interface Counters {
  /** What sizes are counted in. */
  readonly measure: TokenCounter;
  /** What `tokens` counts with; absent: not counted. */
  readonly tokens: TokenCounter | undefined;
}

/** @throws IngestError when a vocabulary cannot be loaded */
export async function countersOf({ tokenizer, unit }: Pick<ChunkSettings, 'tokenizer' | 'unit'>): Promise<Counters> {
  const tokens = typeof tokenizer === 'string' ? await loadCounter(tokenizer) : tokenizer;
  return { measure: unit === 'tokens' ? tokens! : unitCounter(unit), tokens };
}

/** An origin whose format does not follow from its name: what a splitter's stream gives. */
export interface FormattedOrigin extends Origin {
  readonly format: string;
}

/** The format of an origin: its own, the one that the user named, or the one that its name ends like. */
export function formatOf(origin: Origin | FormattedOrigin, { format }: Pick<ChunkSettings, 'format'>): FormatSpec {
  const name = 'format' in origin ? origin.format : format;
  const [text] = formats as readonly [FormatSpec];
  if (name !== 'auto') return formats.find((each) => each.name === name)!;
  const ending = /\.[^./]+$/.exec(endingOf(origin.uri).rest)?.[0].toLowerCase() ?? '';
  return formats.find(({ extensions }) => extensions.includes(ending)) ?? text;
}

/** A record that is its own text, or many of them: where its fields begin is marked in it. */
function isSource({ field }: Doc, { isRecords }: FormatSpec): boolean {
  return isRecords && field === undefined;
}

/** What becomes of white space in a document of this format. In records that are their own text, line ends are all that may change. */
export function whitespaceOf(doc: Doc, format: FormatSpec, { whitespace }: Pick<ChunkSettings, 'whitespace'>): WhitespaceMode {
  if (isSource(doc, format)) return whitespace === 'keep' ? 'keep' : 'lines';
  return whitespace ?? format.whitespace;
}

/** What a run wants to hear of while an origin is split. */
export interface SplitHooks {
  /** Told of each bad part that became U+FFFD. */
  readonly onInvalid: OnInvalid;
  /** Whether the record that begins at this byte is wanted; absent: all are. */
  readonly wanted?: (start: number) => boolean;
}

export function splitterOf(
  format: FormatSpec,
  { strictEncoding, encoding, records }: Pick<ChunkSettings, 'strictEncoding' | 'encoding' | 'records'>,
  { onInvalid, wanted }: SplitHooks,
): Splitter {
  return (origin, report) => {
    const bad: OnInvalid = strictEncoding ? (at) => stopAt(origin, at) : onInvalid;
    return format.create(origin, { ...records, encoding, onInvalid: bad, ...(wanted === undefined ? {} : { wanted }) }, report);
  };
}

/** What becomes of a faulty record, where the caller has nothing to add. */
export function reportOf({ onError, onReject }: Pick<ChunkSettings, 'onError' | 'onReject'>): Report {
  return (error) => {
    if (onError === 'stop') throw error;
    onReject?.(error);
  };
}

export interface Engine extends Counters {
  /** A fresh flow for one origin. `report` is told of each faulty record; if it throws, all unwinds. */
  flow(origin: Origin, hooks: SplitHooks, report: Report): Flow;
}

/** @throws IngestError when the vocabulary or the strategy cannot be loaded */
export async function engineOf(settings: ChunkSettings, world: Pick<World, 'sha1' | 'load'>): Promise<Engine> {
  const { measure, tokens } = await countersOf(settings);
  const strategy = 'load' in settings.strategy ? await settings.strategy.load(world) : settings.strategy;
  const chunkerWith = (levels: typeof strategy): Chunker =>
    chunker({ ...settings, strategy: levels, measure, ...(tokens === undefined ? {} : { tokens }) });
  const plain = chunkerWith(strategy);
  const ofSource = chunkerWith(withRecordLevels(strategy));
  return {
    measure,
    tokens,
    flow(origin, hooks, report) {
      const format = formatOf(origin, settings);
      const parts = {
        splitter: splitterOf(format, settings, hooks),
        transforms: [(doc: Doc) => normalise(whitespaceOf(doc, format, settings))(doc)],
        chunker: (doc: Doc) => (isSource(doc, format) ? ofSource : plain)(doc),
        sha1: world.sha1,
      };
      return new Flow(origin, parts, report);
    },
  };
}

function stopAt(origin: Origin, at: number): never {
  const sentence = 'these bytes are no text in this encoding (leave out the strict setting to have them replaced by U+FFFD)';
  throw new IngestError('record', 'invalid-bytes', sentence, { origin: origin.uri, at });
}
