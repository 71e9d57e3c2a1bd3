/**
 * The `recursive` strategy, held to the laws of chunkers over units, overlaps, white space modes, separators and sizes on
 * random documents; and what it does with text that people write.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { asKey } from '../../../src/options.js';
import { loadCounter } from '../../../src/tokens/index.js';
import { bytes, characters, estimate, words } from '../../../src/tokens/units.js';
import type { Segment, TokenCounter } from '../../../src/types.js';
import {
  type RecursiveOptions,
  recursive,
  recursiveFrom,
  SEPARATOR_POSITIONS,
} from '../../../transforms/boundaries/recursive.js';
import { type Budget, chunker } from '../../../transforms/chunk.js';
import { normalise, WHITESPACE_MODES, type WhitespaceMode } from '../../../transforms/normalise.js';
import { conformChunker, conformChunkerOfSegments } from '../../conformance/chunker.js';
import { documentIn } from '../../conformance/transform.js';
import { type Rng, seeded, troubleBytes, troubleText } from '../../support/random.js';
import { onBytes } from '../../support/repro.js';
import { drained } from '../../support/whole.js';

/** Counts as a tokenizer might: words with the blank before them, six letters at most. Has no ruler. */
const toy: TokenCounter = {
  name: 'toy',
  count: (text) => text.match(/ ?[a-z]{1,6}|\s{1,4}|[^a-z]/gisu)?.length ?? 0,
};

const counters: Record<string, TokenCounter> = { estimate, toy, characters, words, bytes };

beforeAll(async () => {
  counters.o200k = await loadCounter('o200k_base');
});

const SEPARATORS: readonly (readonly (string | RegExp)[])[] = [
  [],
  ['\n\n', '\n', ' '],
  [' '],
  ['ab', 'a'],
  ['\u200b', '。'],
  [/\n+/mu, /[.!?]\s/mu],
  [/^#+ /mu],
  [/a|ab|\s+/u],
];

interface Setting {
  readonly unit: string;
  readonly size: number;
  readonly overlap: number;
  readonly minSize: number;
  readonly maxChars: number;
  readonly trim: boolean;
  readonly mode: WhitespaceMode;
  readonly separators: readonly (string | RegExp)[];
  readonly separatorPosition: NonNullable<RecursiveOptions['separatorPosition']>;
}

function anySetting(rng: Rng): Setting {
  const size = rng.pick([1, 2, 7, 64, 512]);
  return {
    unit: rng.pick(Object.keys(counters)),
    size,
    overlap: Math.min(size - 1, Math.floor(size * rng.pick([0, 0.1, 0.5, 1]))),
    minSize: rng.pick([0, Math.floor(size / 4), size]),
    maxChars: rng.pick([8, 64, 256, 16_384]),
    trim: rng.chance(0.4),
    mode: rng.pick(WHITESPACE_MODES),
    separators: rng.pick(SEPARATORS),
    separatorPosition: rng.pick(SEPARATOR_POSITIONS),
  };
}

function budgetOf({ unit, separators, separatorPosition, ...rest }: Setting): Budget {
  const measure = counters[unit]!;
  return {
    ...rest,
    measure,
    tokens: unit === 'words' ? estimate : measure,
    strategy: recursive({ separators, separatorPosition }),
  };
}

function subjectOf(setting: Setting, charset: string) {
  const budget = budgetOf(setting);
  const drops = setting.separatorPosition === 'drop' && setting.separators.length > 0;
  const patterns = setting.separators.map((each) => (typeof each === 'string' ? escaped(each) : each.source));
  return {
    ...budget,
    chunker: chunker(budget),
    charset,
    normalise: normalise(setting.mode),
    normalisePart: normalise(setting.mode, true),
    ...(drops ? { dropped: new RegExp(patterns.join('|'), 'gum') } : {}),
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function shownSetting(setting: Setting): unknown {
  return { ...setting, separators: setting.separators.map(String) };
}

function conform(setting: Setting, document: Uint8Array, charset = 'utf-8'): void {
  onBytes(document, (each) => conformChunker(subjectOf(setting, charset), each), shownSetting(setting));
}

/** Text with replaced parts and gaps, as the splitters of JSON, XML or CSV make it. */
function anySegments(rng: Rng): Segment[] {
  const segments: Segment[] = [];
  let at = rng.between(0, 100);
  for (let n = rng.between(1, 20); n > 0; n--) {
    const verbatim = rng.chance(0.5);
    const text = troubleText(rng, rng.between(1, verbatim ? 30 : 3), { loneSurrogates: false });
    const width = verbatim ? Buffer.byteLength(text) : rng.between(1, 12);
    segments.push({ text, start: at, end: at + width, verbatim });
    at += width + (rng.chance(0.3) ? rng.between(1, 9) : 0);
  }
  return segments;
}

describe('recursive', () => {
  it('keeps the laws with any setting on short random documents', () => {
    seeded(400, (rng) => conform(anySetting(rng), troubleBytes(rng, rng.between(0, 60))));
  });

  it('keeps the laws with any setting on longer random documents', () => {
    seeded(60, (rng) => conform(anySetting(rng), troubleBytes(rng, rng.between(500, 3000))));
  });

  it('keeps the laws beyond what it holds at once, which is where buffers could tell', () => {
    seeded(6, (rng) => {
      const setting = { ...anySetting(rng), maxChars: rng.pick([64, 256, 5000]), size: 64, overlap: 6 };
      conform(setting, new TextEncoder().encode(troubleText(rng, 75_000, { loneSurrogates: false })));
    });
  });

  it('keeps the laws in UTF-16 and in one-byte charsets', () => {
    seeded(60, (rng) => {
      const text = troubleText(rng, rng.between(0, 200), { loneSurrogates: false });
      conform(anySetting(rng), new Uint8Array(Buffer.from(text, 'utf16le')), 'utf-16le');
      conform(anySetting(rng), new Uint8Array(Buffer.from(text, 'latin1')), 'windows-1252');
    });
  });

  it('keeps the laws on text with escapes in it, which have no inside', () => {
    seeded(400, (rng) => {
      const setting = anySetting(rng);
      const segments = anySegments(rng);
      try {
        conformChunkerOfSegments(subjectOf(setting, 'utf-8'), segments, rng.seed);
      } catch (error) {
        (error as Error).message += `\n${JSON.stringify(shownSetting(setting))}\n${JSON.stringify(segments)}`;
        throw error;
      }
    });
  });
});

/** Chunk texts, in characters, white space as it is. */
function cut(text: string, size: number, options: RecursiveOptions & { overlap?: number; trim?: boolean } = {}): string[] {
  const { overlap = 0, trim = false } = options;
  const budget = { measure: characters, size, overlap, minSize: 0, maxChars: 16_384, trim, strategy: recursive(options) };
  const segments = [{ text, start: 0, end: Buffer.byteLength(text), verbatim: true }];
  return drained(chunker(budget)(documentIn('utf-8')), segments).flatMap((piece) => ('text' in piece ? [piece.text] : []));
}

describe('the default boundaries', () => {
  it.each([
    ['a text that fits is one chunk', 'One. Two.\n\nThree.', 40, ['One. Two.\n\nThree.']],
    ['a paragraph before a line', 'a b\n\nc d\ne f\ng h i', 14, ['a b\n\n', 'c d\ne f\ng h i']],
    ['a line before a sentence', 'One. Two.\nThree. Four.', 16, ['One. Two.\n', 'Three. Four.']],
    ['a sentence before a word', 'One two. Three four.', 15, ['One two. ', 'Three four.']],
    ['an abbreviation ends no sentence', 'See Dr. Smith at noon. Then go on.', 30, ['See Dr. Smith at noon. ', 'Then go on.']],
    ['a word before a letter', 'alpha beta', 8, ['alpha ', 'beta']],
    ['letters when nothing else is left', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['graphemes before code points', 'e\u0301e\u0301e\u0301', 3, ['e\u0301', 'e\u0301', 'e\u0301']],
    ['code points before nothing', 'x\u0301\u0301\u0301\u0301', 2, ['x\u0301', '\u0301\u0301', '\u0301']],
    ['Japanese sentences', '水がない。麦もない。村も。', 11, ['水がない。麦もない。', '村も。']],
    ['no chunk of blanks alone', 'a\n\n\n\n\n\n\n\nb', 3, ['a\n\n', 'b']],
    ['CR LF is not parted', 'abc\r\ndef', 4, ['abc', '\r\ndef'.slice(0, 4), 'f']],
  ])('%s', (_, text, size, chunks) => {
    if (!text.includes('\r')) expect(cut(text, size)).toEqual(chunks);
    else expect(cut(text, size).some((chunk) => chunk.endsWith('\r') || chunk.startsWith('\n'))).toBe(false);
  });

  it('leaves blanks at the edges out when asked to trim', () => {
    expect(cut('  one two  \n\n  three  ', 10, { trim: true })).toEqual(['one two', 'three']);
  });

  it('repeats whole words for overlap', () => {
    expect(cut('one two three four five', 12, { overlap: 6 })).toEqual(['one two ', 'two three ', 'three four ', 'four five']);
  });
});

describe('separators', () => {
  it.each([
    ['end', ['a;b;', 'c;d;', 'e']],
    ['start', ['a;b', ';c;d', ';e']],
    ['drop', ['a;b', 'c;d', 'e']],
  ] as const)('go to the %s', (separatorPosition, chunks) => {
    expect(cut('a;b;c;d;e', 4, { separators: [';'], separatorPosition })).toEqual(chunks);
  });

  it('are tried coarse to fine', () => {
    expect(cut('a-b|c-d|e-f', 6, { separators: ['|', '-'] })).toEqual(['a-b|', 'c-d|', 'e-f']);
    expect(cut('aaa-bbb-ccc|d', 8, { separators: ['|', '-'] })).toEqual(['aaa-bbb-', 'ccc|d']);
  });

  it('may be regular expressions', () => {
    expect(cut('one1two22three', 6, { separators: [/\d+/u] })).toEqual(['one1', 'two22', 'three']);
  });

  it('take a dot literally when they are strings', () => {
    expect(cut('abc.def', 5, { separators: ['.'] })).toEqual(['abc.', 'def']);
  });
});

describe('the options of recursive', () => {
  const made = (given: Record<string, unknown>) => {
    const problems: string[] = [];
    return { strategy: recursiveFrom(given, problems, asKey), problems };
  };

  it('understand escapes in strings', () => {
    const { strategy, problems } = made({ separators: ['\\n\\n', '\\t', '\\u3002', '\\\\n'] });
    expect(problems).toEqual([]);
    expect(strategy.levels.map((level) => level.name)).toEqual(['"\\n\\n"', '"\\t"', '"。"', '"\\\\n"']);
  });

  it.each([
    [{ separators: [''] }, /must not be empty/],
    [{ separators: ['a*'], separatorsRegex: true }, /match the empty text/],
    [{ separators: ['('], separatorsRegex: true }, /is no regular expression/],
    [{ separatorsRegex: true }, /needs separators/],
  ])('refuse %j', (given, problem) => {
    expect(made(given).problems.join('\n')).toMatch(problem);
  });
});
