/**
 * From settings to the parts of a flow: loads the counters that are asked for, and joins format, normalisation and chunker.
 */
import { IngestError } from './errors.js';
import { Flow } from './flow.js';
import type { Sha1 } from './identity.js';
import { chunker, formats, normalise } from './registry.js';
import type { ChunkSettings } from './settings.js';
import { loadCounter, unitCounter } from './tokens/index.js';
import type { Origin, TokenCounter } from './types.js';

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

export interface Engine extends Counters {
  /** A fresh flow for one origin. `onInvalid` is told of each bad part that became U+FFFD. */
  flow(origin: Origin, onInvalid: () => void): Flow;
}

/** @throws IngestError when the vocabulary cannot be loaded */
export async function engineOf(settings: ChunkSettings, { sha1 }: { readonly sha1: Sha1 }): Promise<Engine> {
  const { strictEncoding, encoding } = settings;
  const { measure, tokens } = await countersOf(settings);
  const format = formats[0]!;
  const shared = {
    transforms: [normalise(settings.whitespace)],
    chunker: chunker({ ...settings, measure, ...(tokens === undefined ? {} : { tokens }) }),
    sha1,
  };
  return {
    measure,
    tokens,
    flow(origin, onInvalid) {
      const bad = strictEncoding ? (at: number) => stopAt(origin, at) : onInvalid;
      const splitter = (from: Origin) => format.create(from, { encoding, onInvalid: bad });
      return new Flow(origin, { ...shared, splitter }, (error) => {
        throw error;
      });
    },
  };
}

function stopAt(origin: Origin, at: number): never {
  const sentence = 'these bytes are no text in this encoding (leave out the strict setting to have them replaced by U+FFFD)';
  throw new IngestError('record', 'invalid-bytes', sentence, { origin: origin.uri, at });
}
