/**
 * The laws of a strategy: those of chunkers (chunker.ts) over random documents, budgets, units, overlaps and white space modes,
 * in several charsets, beyond one window, and on text with escapes; and on endless text what it holds (L8) and counts (L12). A
 * strategy's test calls this once with all its variants, and shows in cases of its own where it cuts.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadCounter } from '../../src/tokens/index.js';
import { bytes, characters, estimate, words } from '../../src/tokens/units.js';
import type { Charset, Strategy, TokenCounter } from '../../src/types.js';
import { type Budget, chunker } from '../../transforms/chunk.js';
import { normalise, WHITESPACE_MODES, type WhitespaceMode } from '../../transforms/normalise.js';
import { type Rng, seeded, troubleBytes, troubleText } from '../support/random.js';
import { onBytes } from '../support/repro.js';
import { anySegments } from '../support/segments.js';
import { conformChunker, conformChunkerOfSegments, countedPerUnit, mostHeld } from './chunker.js';

/** One way to set a strategy up. */
export interface Variant {
  readonly strategy: Strategy;
  /** The separators that it drops. */
  readonly dropped?: RegExp;
  /** What this variant fixes; everything else of the budget is left to chance. */
  readonly budget?: Partial<Pick<Budget, 'size' | 'overlap' | 'minSize' | 'maxChars' | 'trim'>>;
}

export interface StrategyConformance {
  /** The units it can be measured in; absent: all. */
  readonly units?: readonly Unit[];
  /** What half of the documents are made of besides trouble: what the strategy looks for. */
  readonly parts?: readonly string[];
  /** More texts without end that must cost no more than others. */
  readonly endless?: readonly string[];
}

/** `tokens`: o200k_base. `toy`: a length function of a user's own. */
export type Unit = 'tokens' | 'toy' | 'estimate' | 'characters' | 'words' | 'bytes';
const UNITS: readonly Unit[] = ['tokens', 'toy', 'estimate', 'characters', 'words', 'bytes'];

/** Counts as a tokenizer might: words with the blank before them, six letters at most. Has no ruler. */
const toy: TokenCounter = {
  name: 'toy',
  count: (text) => text.match(/ ?[a-z]{1,6}|\s{1,4}|[^a-z]/gisu)?.length ?? 0,
};

const counters: Record<Unit, TokenCounter> = { tokens: estimate, toy, estimate, characters, words, bytes };

const ENDLESS = ['a', ' ', '\n', '\n\n', '-', '漢', 'one two three. ', 'A line of text.\n\n', 'Dr. e.g. U.S. ', '\u200b'];

/** Most that is held besides the window: the edge, the slack, and a buffer. */
const BUFFER = 1 << 16;
const BEYOND_WINDOW = 256 + (1 << 15) + BUFFER;

export function conformStrategy(name: string, variants: readonly Variant[], options: StrategyConformance = {}): void {
  const { units = UNITS, parts = [], endless = [] } = options;
  const any = (rng: Rng) => anyTrial(rng, variants, units);
  const textOf = (rng: Rng, length: number) =>
    parts.length > 0 && rng.chance(0.5) ? mixed(rng, parts, length) : troubleText(rng, length, { loneSurrogates: false });

  describe(`${name} keeps the laws`, () => {
    beforeAll(async () => {
      counters.tokens = await loadCounter('o200k_base');
    });

    it('on short random documents', () => {
      seeded(80, (rng) => conform(any(rng), troubleBytes(rng, rng.between(0, 60))));
      seeded(40, (rng) => conform(any(rng), Buffer.from(textOf(rng, rng.between(0, 120)))));
    });

    it('on longer random documents', () => {
      seeded(8, (rng) => conform(any(rng), troubleBytes(rng, rng.between(500, 3000))));
      seeded(8, (rng) => conform(any(rng), Buffer.from(textOf(rng, rng.between(500, 3000)))));
    });

    it('beyond what is held at once, which is where buffers could tell', () => {
      seeded(2, (rng) => {
        const budget = { size: 64, overlap: 6, maxChars: rng.pick([256, 5000]) };
        conform({ ...any(rng), ...budget }, Buffer.from(textOf(rng, 75_000)));
      });
    });

    it('in UTF-16 and in one-byte charsets', () => {
      seeded(12, (rng) => {
        const text = textOf(rng, rng.between(0, 200));
        conform(any(rng), new Uint8Array(Buffer.from(text, 'utf16le')), 'utf-16le');
        conform(any(rng), new Uint8Array(Buffer.from(text, 'latin1')), 'windows-1252');
      });
    });

    it('on text with escapes in it, which have no inside', () => {
      seeded(120, (rng) => {
        const trial = any(rng);
        const segments = anySegments(rng, 'utf-8');
        try {
          conformChunkerOfSegments(subjectOf(trial, 'utf-8'), segments, rng.seed);
        } catch (error) {
          (error as Error).message += `\n${JSON.stringify(shown(trial))}\n${JSON.stringify(segments)}`;
          throw error;
        }
      });
    });

    it.each([...ENDLESS, ...endless, ...parts])('on %j without end: bounded (L8) and linear (L12)', (part) => {
      for (const { strategy, budget } of variants) staysSmall({ strategy, trim: false, ...PLAIN, ...budget }, part);
    });
  });
}

const PLAIN = { size: 200, overlap: 20, minSize: 50, maxChars: 2048 };

/** L8, and that what is counted grows no faster than the text. */
function staysSmall(budget: Omit<Budget, 'measure'>, part: string): void {
  const make = (measure: TokenCounter) => chunker({ ...budget, measure });
  const long = part.repeat(Math.ceil(BUFFER / 2 / part.length));
  const most = budget.maxChars + BEYOND_WINDOW + part.length;
  const held = mostHeld(make, estimate, Array<string>(6).fill(long));
  expect(held, `units held, by ${budget.strategy.name}`).toBeLessThanOrEqual(most);
  const counted = (length: number) => countedPerUnit(make, estimate, part.repeat(Math.ceil(length / part.length)));
  expect(counted(60_000), `counted, by ${budget.strategy.name}`).toBeLessThanOrEqual(counted(20_000) * 1.2 + 1);
}

function mixed(rng: Rng, parts: readonly string[], length: number): string {
  let text = '';
  while (text.length < length) text += rng.chance(0.7) ? rng.pick(parts) : troubleText(rng, 12, { loneSurrogates: false });
  return text;
}

interface Trial extends Omit<Budget, 'measure' | 'tokens'> {
  readonly unit: Unit;
  readonly mode: WhitespaceMode;
  readonly dropped: RegExp | undefined;
}

function anyTrial(rng: Rng, variants: readonly Variant[], units: readonly Unit[]): Trial {
  const { strategy, dropped, budget } = rng.pick(variants);
  const size = budget?.size ?? rng.pick([1, 2, 7, 64, 512]);
  return {
    strategy,
    dropped,
    size,
    overlap: Math.min(size - 1, Math.floor(size * rng.pick([0, 0.1, 0.5, 1]))),
    minSize: rng.pick([0, Math.floor(size / 4), size]),
    maxChars: rng.pick([8, 64, 256, 16_384]),
    trim: rng.chance(0.4),
    ...budget,
    unit: rng.pick(units),
    mode: rng.pick(WHITESPACE_MODES),
  };
}

function conform(trial: Trial, document: Uint8Array, charset: Charset = 'utf-8'): void {
  onBytes(document, (each) => conformChunker(subjectOf(trial, charset), each), shown(trial));
}

function subjectOf({ unit, mode, dropped, ...budget }: Trial, charset: Charset) {
  const measure = counters[unit];
  const whole: Budget = { ...budget, measure, tokens: unit === 'words' ? estimate : measure };
  return {
    ...whole,
    chunker: chunker(whole),
    charset,
    normalise: normalise(mode),
    normalisePart: normalise(mode, true),
    ...(dropped === undefined ? {} : { dropped }),
  };
}

function shown({ strategy, dropped, ...rest }: Trial): unknown {
  const { name, packing, levels } = strategy;
  return { ...rest, dropped: String(dropped), name, packing, levels: levels.map((level) => level.name) };
}
