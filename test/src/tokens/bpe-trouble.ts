/**
 * Random text from an alphabet of trouble, reproducible from a seed, for the tests of the byte-pair counter. `BPE_STRINGS` raises the
 * number of strings, `BPE_SEED` changes the seed.
 */

export const SEED = Number(process.env.BPE_SEED ?? 20261201);

export function strings(byDefault: number): number {
  return Number(process.env.BPE_STRINGS ?? byDefault);
}

/** A whole number in [0, n) at each call. */
export type Dice = (n: number) => number;

/** mulberry32 */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

const SPACES = [
  ' ',
  '  ',
  ' ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '        ',
  '\u00a0',
  '\u0085',
  '\u1680',
  '\u2028',
  '\u3000',
  '\ufeff',
];
const MARKS = ['\u0301', '\u0e33', '\u200d', '\u200b', '\u00ad', '\ufffd', '\0', '\u0f0b', '\u{e0100}'];
const EMOJI = ['👨‍👩‍👧‍👦', '🇩🇪', '😀', '\ud800', '\udc00', '\udbff'];
const CONTRACTIONS = [
  "'",
  '’',
  "'s",
  "'S",
  "'ll",
  "'LL",
  "'re",
  "'Ve",
  "'m",
  "'D",
  "'ſ",
  'ſ',
  '\u212a',
  "don't",
  "WE'RE",
  "'lx",
  "'r",
];
const DIGITS = ['1', '12', '1234567', '١', '½', 'Ⅷ', '²', '0x1F'];
const LETTERS = [
  ...[
    'a',
    'b',
    'The',
    ' the',
    'HELLO',
    'World',
    ' word',
    ' extraordinarily',
    'camelCaseWord',
    'ǅ',
    'ǆ',
    'Ǆ',
    'é',
    'É',
    'ß',
    'ʰ',
    'ª',
  ],
  ...['Привет', 'МИР', '中', '中ABC', '文字列', '日本語', 'ก', 'สวัสดี', 'م', 'مرحبا', 'न', 'नमस्ते', 'ﷺ', '\u{20000}', '\u{1d400}'],
];
const SYMBOLS = [
  '"',
  '/',
  '//',
  '!!',
  '...',
  '_',
  '-',
  '==============',
  '<|endoftext|>',
  '<|fim_prefix|>',
  '/\n/\r\n',
  '#include',
];
const RUNS = ['a', ' ', '=', '中', '\n', '1', 'ab', '😀'];

const PARTS = [...SPACES, ...SPACES, ...MARKS, ...EMOJI, ...CONTRACTIONS, ...DIGITS, ...LETTERS, ...SYMBOLS];

/** Up to `longest` parts; now and then a character from anywhere, a long run of one, or one part again and again. */
export function trouble(roll: Dice, longest = 30): string {
  let text = '';
  for (let parts = 1 + roll(longest); parts > 0; parts--) {
    const kind = roll(40);
    if (kind < 5) text += String.fromCodePoint(roll(2) === 0 ? roll(0x3000) : roll(0x33400));
    else if (kind === 5) text += RUNS[roll(RUNS.length)]!.repeat(1 + roll(100));
    else text += PARTS[roll(PARTS.length)];
  }
  return roll(30) === 0 ? text.repeat(1 + roll(20)) : text;
}

/** Characters that Unicode 17 added and Node 20.20 knows, as ranges: tiktoken 1.0.22 and so we take them for unassigned. */
const ADDED_BY_UNICODE_17 =
  '88f c5c cdc 1acf-1add 1ae0-1aeb a7ce-a7cf a7d2 a7d4 a7f1 10940-10959 10ec5-10ec7 10efa-10efb 11b60-11b67 11db0-11ddb ' +
  '11de0-11de9 16ea0-16eb8 16ebb-16ed3 16ff2-16ff6 187f8-187ff 18d09-18d1e 18d80-18df2 1e6c0-1e6de 1e6e0-1e6f5 1e6fe-1e6ff ' +
  '2b73a-2b73f 2cea2-2cead 323b0-33479';

const RANGES = ADDED_BY_UNICODE_17.split(' ').map((range) => {
  const [low, high] = range.split('-').map((hex) => Number.parseInt(hex, 16));
  return [low, high ?? low];
});

export function isAddedByUnicode17(point: number): boolean {
  return RANGES.some(([low, high]) => point >= low! && point <= high!);
}
