/**
 * Seeded chance for tests: numbers, documents made of trouble, and cuttings of bytes. The same seed gives the same values on
 * every machine, for ever; so nothing here reads a clock or Math.random. A test calls `seeded`, which names the seed when its
 * body fails; `MILLRACE_SEED=<that number> npx vitest …` then runs that seed alone.
 *
 *     seeded(50, (rng) => {
 *       const bytes = troubleBytes(rng, rng.between(0, 2000));
 *       expect(join(split(cuts(rng, bytes)))).toEqual(join(split([bytes])));
 *     });
 */

/** A stream of chance. Every call moves it on. */
export interface Rng {
  /** What it was made from. */
  readonly seed: number;
  /** A number in [0, 1). */
  next(): number;
  /** A whole number in [low, high], both ends included. */
  between(low: number, high: number): number;
  /** True this often: 0 never, 1 always. */
  chance(probability: number): boolean;
  /** One of the list, which must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** A new order; the list itself stays as it is. */
  shuffle<T>(list: readonly T[]): T[];
}

export interface TroubleOptions {
  /** May half a surrogate pair stand alone? Default true; a decoder never makes one, a user's string can hold one. */
  readonly loneSurrogates?: boolean;
}

/** mulberry32: 32 bits of state, good enough to choose test data. `seed` is taken modulo 2^32. */
export function rng(seed: number): Rng {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    seed,
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('pick: the list is empty');
      return list[between(0, list.length - 1)]!;
    },
    shuffle: (list) => {
      const order = [...list];
      for (let at = order.length - 1; at > 0; at--) {
        const other = between(0, at);
        [order[at], order[other]] = [order[other]!, order[at]!];
      }
      return order;
    },
  };
}

/**
 * Runs `body` with `count` different streams of chance (seeds 1 … count). An error that leaves it, or a promise it returns,
 * is given the seed in its message. Await the result when `body` is asynchronous.
 */
export function seeded(count: number, body: (rng: Rng) => void): void;
export function seeded(count: number, body: (rng: Rng) => Promise<void>): Promise<void>;
export function seeded(count: number, body: (rng: Rng) => void | Promise<void>): void | Promise<void> {
  const only = process.env.MILLRACE_SEED;
  const seeds = only === undefined ? Array.from({ length: count }, (_, n) => n + 1) : [Number(only)];
  for (const [at, seed] of seeds.entries()) {
    let running: void | Promise<void>;
    try {
      running = body(rng(seed));
    } catch (error) {
      throw named(error, seed);
    }
    if (running instanceof Promise) return later(running, seed, seeds.slice(at + 1), body);
  }
}

async function later(
  running: Promise<void>,
  seed: number,
  rest: readonly number[],
  body: (rng: Rng) => void | Promise<void>,
): Promise<void> {
  await running.catch((error: unknown) => {
    throw named(error, seed);
  });
  for (const next of rest) {
    try {
      await body(rng(next));
    } catch (error) {
      throw named(error, next);
    }
  }
}

/** The same error, so that vitest still shows its difference and its place. */
function named(error: unknown, seed: number): unknown {
  if (!(error instanceof Error)) return new Error(`[MILLRACE_SEED=${seed}] ${String(error)}`, { cause: error });
  error.message = `[MILLRACE_SEED=${seed}] ${error.message}`;
  return error;
}

/** What documents of trouble are made of. Each entry is as likely as the next; those that matter most stand here in variants. */
const TROUBLE: readonly string[] = [
  // Line ends, and what looks like one.
  ...[
    '\n',
    '\r',
    '\r\n',
    '\r\r\n',
    '\n\r',
    '\n\n',
    '\r\n\r\n',
    '\n \t\n',
    '\n\n\n\n\n',
    '\u0085',
    '\u2028',
    '\u2029',
    '\v',
    '\f',
  ],
  // Blanks.
  ...[' ', '  ', '\t', '\t\t\t', ' \n', '\n    ', '\u00a0', '\u2003', '\u202f', '\u3000', ' '.repeat(40), '\n'.repeat(40)],
  // Zero width: signature (also inside), space, word joiner, non-joiner, soft hyphen.
  ...['\ufeff', '\ufeff\ufeff', '\u200b', '\u2060', '\u200c', '\u00ad'],
  // Plain words, so that something normal lies between.
  ...[
    'The',
    ' quick brown fox. ',
    'jumps; over ',
    'lazy ',
    'dog! ',
    "don't ",
    'e.g. ',
    'A.B. ',
    '3.14 ',
    '1,000 ',
    'naïve café ',
  ],
  // Combining marks, families, flags, skin tones, keycaps.
  ...[
    'e\u0301',
    'a\u0300\u0323\u0330',
    'Z\u0351\u036b\u0343\u036a',
    '\u0301',
    '👨\u200d👩\u200d👧\u200d👦',
    '👍🏽',
    '🇫🇷🇯🇵',
    '🇩',
    '1\ufe0f\u20e3',
  ],
  // Beyond the first plane: pairs of surrogates that are letters, ideographs, and the very last code point.
  ...['𝒳', '𐍈', '𠮷野家', '😀', '\u{10ffff}', '\uffff', '\ufffd', '\u0000'],
  // What a tokenizer or a format takes for itself.
  ...[
    '<|endoftext|>',
    '<|im_start|>',
    '<|endofprompt|>',
    '"',
    '""',
    '\\"',
    '\\',
    "'",
    '","',
    '{"a":"b"}',
    '\\n',
    '\\u0041',
    '\\ud83d',
  ],
  ...['# ', '```\n', '---\n', '<b>', '</b>', '&amp;', '&#x1F600;', '<!-- ', ']]>', '\\begin{a}', '|', ';', ':', '…', '—', '·'],
  // Scripts.
  ...[
    '漢字',
    '日本語のテキスト。',
    '中文，没有空格！',
    'カタカナー',
    '한국어 문장',
    'ภาษา\u200bไทย',
    'ພາສາ\u200bລາວ',
    'မြန်မာ\u200bစာ',
  ],
  ...['العربية ', 'می\u200cخواهم ', 'हिन्दी। ', 'क्\u200dष', 'Ελληνικά ', 'Русский текст. ', 'עִבְרִית ', 'ﬁ', 'İ', 'ß', 'ǆ'],
];

const HIGH = [0xd800, 0xd83d, 0xd842, 0xdbff];
const LOW = [0xdc00, 0xde00, 0xdfb7, 0xdfff];

/** Long runs without any edge: they are cut to the room that is left, so only long documents hold a whole one. */
const RUNS = ['a'.repeat(5000), ' '.repeat(3000), '漢'.repeat(2000), '-'.repeat(1000), '\u0301'.repeat(500), '!?'.repeat(500)];

/**
 * A document of exactly `length` UTF-16 units in which everything that ever broke a splitter is likely. With
 * `loneSurrogates: false` it is well-formed Unicode.
 */
export function troubleText(rng: Rng, length: number, options: TroubleOptions = {}): string {
  const lone = options.loneSurrogates ?? true;
  // A document leans to a few kinds of trouble: an even mix of everything would seldom have two of a kind in a row.
  const palette = rng.chance(0.5) ? TROUBLE : Array.from({ length: rng.between(1, 8) }, () => rng.pick(TROUBLE));
  const parts: string[] = [];
  let room = length;
  while (room > 0) {
    let part = rng.chance(0.002) ? rng.pick(RUNS) : rng.pick(palette);
    if (lone && rng.chance(0.02)) part = String.fromCharCode(rng.pick(rng.chance(0.5) ? HIGH : LOW));
    if (part.length > room) part = cutTo(part, room, lone);
    parts.push(part);
    room -= part.length;
  }
  return parts.join('');
}

/** Every part is well-formed, so only its cut end can hold half a pair. */
function cutTo(part: string, room: number, lone: boolean): string {
  const cut = part.slice(0, room);
  const halved = (cut.charCodeAt(room - 1) & 0xfc00) === 0xd800;
  return halved && !lone ? `${cut.slice(0, -1)}x` : cut;
}

/** Bytes that are not UTF-8, each wrong in its own way. */
const BAD_BYTES: readonly (readonly number[])[] = [
  [0x80], // continuation bytes that continue nothing
  [0xbf, 0xbf, 0xbf],
  [0xc2], // truncated: two, three and four bytes
  [0xe2, 0x82],
  [0xe2],
  [0xf0, 0x9f, 0x98],
  [0xf0, 0x9f],
  [0xf0],
  [0xc0, 0x80], // overlong
  [0xc1, 0xbf],
  [0xe0, 0x80, 0xaf],
  [0xf0, 0x80, 0x80, 0xaf],
  [0xed, 0xa0, 0xbd], // surrogates: high, low, a pair (CESU-8)
  [0xed, 0xb8, 0x80],
  [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  [0xf4, 0x90, 0x80, 0x80], // past U+10FFFF
  [0xf5, 0x80, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80], // five bytes, as in the first UTF-8
  [0xfe],
  [0xff],
  [0xff, 0xfe], // signatures of other charsets, where none belongs
  [0xfe, 0xff],
  [0xef, 0xbb], // two thirds of a BOM
];

/**
 * Exactly `length` bytes: {@link troubleText} in UTF-8, with truncated and overlong sequences, stray continuation bytes,
 * surrogates and 0xFE/0xFF between. The end may lie inside a character. One document in four is valid up to there.
 */
export function troubleBytes(rng: Rng, length: number): Uint8Array {
  const rate = rng.chance(0.25) ? 0 : rng.pick([0.02, 0.2, 0.6]);
  const bytes = new Uint8Array(length);
  const encoder = new TextEncoder();
  for (let at = 0; at < length; ) {
    const bad = rng.chance(rate);
    const size = rng.between(1, rate === 0 ? 400 : 40);
    const part = bad ? Uint8Array.from(rng.pick(BAD_BYTES)) : encoder.encode(troubleText(rng, size, { loneSurrogates: false }));
    bytes.set(part.subarray(0, length - at), at);
    at += part.length;
  }
  return bytes;
}

/**
 * `bytes` cut at random into buffers that join to them: single bytes, long ones, empty ones. Each is a view on memory of its
 * own, at an offset that is seldom 0 and with 0xA5 around it, so that reading past a view, or a test that poisons a buffer
 * after use, spoils nothing else.
 */
export function cuts(rng: Rng, bytes: Uint8Array): Uint8Array[] {
  const buffers: Uint8Array[] = [];
  const longest = rng.pick([1, 3, 16, 200, 5000, Math.max(1, bytes.length)]);
  let at = 0;
  while (at < bytes.length || rng.chance(0.2)) {
    const size = rng.chance(0.1) ? 0 : Math.min(rng.between(1, longest), bytes.length - at);
    const before = rng.between(0, 7);
    const view = new Uint8Array(before + size + rng.between(0, 7)).fill(0xa5).subarray(before, before + size);
    view.set(bytes.subarray(at, at + size));
    buffers.push(view);
    at += size;
  }
  return buffers;
}
