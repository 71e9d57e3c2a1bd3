/**
 * Counters that need no vocabulary: characters, bytes, words, and two estimates of tokens. All five are the same machine with
 * another table: a UTF-16 unit falls in one of twelve classes, and a state and a class give a weight and the next state. The
 * size of a text is its sum of weights over a divisor, rounded up once. Time is linear in the text; on text whose units all
 * weigh the same, which a regular expression finds out, a slice costs a subtraction. Counting real tokens is for bpe.ts.
 */
import { isHighSurrogate, isLowSurrogate } from '../segment.js';
import type { Ruler, TokenCounter } from '../types.js';
import { READ_UNITS, readAscii, wordsRead } from './ascii-words.js';

/** What the counters need to know of a UTF-16 unit. */
interface UnitClass {
  /** In UTF-8. Half a surrogate pair on its own counts as U+FFFD does: 3. */
  readonly bytes: 1 | 2 | 3;
  readonly blank?: true;
  /** Of a script written without spaces whose characters count as words: Han, Hiragana, Katakana. */
  readonly ideograph?: true;
  /** An ideograph, a Hangul syllable, or punctuation as wide as one. */
  readonly cjk?: true;
  readonly half?: 'high' | 'low';
}

const CLASSES = [
  { bytes: 1 },
  { bytes: 1, blank: true },
  { bytes: 2 },
  { bytes: 2, blank: true },
  { bytes: 3 },
  { bytes: 3, blank: true },
  { bytes: 3, ideograph: true, cjk: true },
  { bytes: 3, cjk: true },
  { bytes: 3, blank: true, cjk: true },
  { bytes: 3, half: 'high' },
  { bytes: 3, half: 'high', ideograph: true, cjk: true },
  { bytes: 3, half: 'low' },
] as const satisfies readonly UnitClass[];

/**
 * The class of every range of units; what stands later wins. Ranges are whole Unicode blocks and are fixed here rather than
 * taken from `\p{…}`, so that the same text has the same count in every version of every engine.
 */
const RANGES: readonly (readonly [first: number, last: number, unitClass: number])[] = [
  [0x0000, 0x007f, 0],
  [0x0080, 0x07ff, 2],
  [0x0800, 0xffff, 4],
  // Blank: Unicode's White_Space, the signature, and the zero-width space, which parts the words of Thai, Lao, Khmer, Myanmar.
  [0x0009, 0x000d, 1],
  [0x0020, 0x0020, 1],
  [0x0085, 0x0085, 3],
  [0x00a0, 0x00a0, 3],
  [0x1680, 0x1680, 5],
  [0x2000, 0x200b, 5],
  [0x2028, 0x2029, 5],
  [0x202f, 0x202f, 5],
  [0x205f, 0x205f, 5],
  [0xfeff, 0xfeff, 5],
  // Wide punctuation, Hangul and the rest of CJK; then what counts as a word of its own.
  [0x2ff0, 0x33ff, 7],
  [0xa960, 0xa97f, 7],
  [0xac00, 0xd7ff, 7],
  [0xfe30, 0xfe4f, 7],
  [0xff00, 0xffef, 7],
  [0x3000, 0x3000, 8],
  [0x2e80, 0x2fdf, 6],
  [0x3005, 0x3005, 6],
  [0x3007, 0x3007, 6],
  [0x3021, 0x3029, 6],
  [0x3038, 0x303b, 6],
  [0x3041, 0x3096, 6],
  [0x309d, 0x309f, 6],
  [0x30a1, 0x30fa, 6],
  [0x30fd, 0x30ff, 6],
  [0x31f0, 0x31ff, 6],
  [0x32d0, 0x32fe, 6],
  [0x3300, 0x3357, 6],
  [0x3400, 0x4dbf, 6],
  [0x4e00, 0x9fff, 6],
  [0xf900, 0xfaff, 6],
  [0xff66, 0xff6f, 6],
  [0xff71, 0xff9d, 6],
  // Planes 2 and 3 hold nothing but Han; their code points begin with the high surrogates D840 to D8BF.
  [0xd800, 0xdbff, 9],
  [0xd840, 0xd8bf, 10],
  [0xdc00, 0xdfff, 11],
];

/** 64 KiB, made in microseconds. */
const CLASS_OF = /* @__PURE__ */ (() => {
  const table = new Uint8Array(0x1_0000);
  for (const [first, last, unitClass] of RANGES) table.fill(unitClass, first, last + 1);
  return table;
})();

/** What a unit adds, and the state (0 to 3) in which the next one is read. State 0 is the start of a text. */
type Rule = (state: number, unit: UnitClass) => readonly [weight: number, next: number];

interface Scale {
  readonly name: string;
  readonly divisor: number;
  /** Finds the next unit that does not weigh `plain` whatever stands beside it. Absent: there are no others. Global, for `lastIndex`. */
  readonly uneven?: RegExp;
  readonly plain: number;
  /** `weight * 4 + next`, at `state * 16 + class`. */
  readonly steps: Uint16Array;
  /** It counts words, and those of ASCII text can be counted quicker. */
  readonly countsWords?: true;
}

function scale(name: string, divisor: number, rule: Rule, plain = 0, uneven?: RegExp): Scale {
  const steps = new Uint16Array(4 * 16);
  for (let state = 0; state < 4; state++) {
    for (const [at, unit] of CLASSES.entries()) {
      const [weight, next] = rule(state, unit);
      steps[state * 16 + at] = weight * 4 + next;
    }
  }
  return { name, divisor, plain, steps, ...(uneven && { uneven }) };
}

const NOTHING = 0;
const AFTER_HIGH = 1;

/** The low half of a pair adds nothing to its high half; a half alone is a character. */
const characterRule: Rule = (state, { half }) =>
  half === 'low' && state === AFTER_HIGH ? [0, NOTHING] : [1, half === 'high' ? AFTER_HIGH : NOTHING];

/** A pair takes four bytes: three were counted for its high half. */
const byteRule: Rule = (state, { half, bytes }) =>
  half === 'low' && state === AFTER_HIGH ? [1, NOTHING] : [bytes, half === 'high' ? AFTER_HIGH : NOTHING];

const AFTER_CJK_HIGH = 2;

/** In 38ths of a token: a character is 10, a CJK character 38. A high half alone is no CJK character; its low half makes it one. */
const estimateRule: Rule = (state, { half, cjk }) => {
  if (half === 'high') return [10, cjk ? AFTER_CJK_HIGH : AFTER_HIGH];
  if (half === 'low' && state === AFTER_HIGH) return [0, NOTHING];
  if (half === 'low' && state === AFTER_CJK_HIGH) return [28, NOTHING];
  return [cjk ? 38 : 10, NOTHING];
};

const IN_WORD = 1;
const AFTER_OWN_HIGH = 2;
const AFTER_HIGH_IN_WORD = 3;

/**
 * A word is an ideograph, or else a longest run of characters that are neither blank nor ideographs. A word counts where it
 * begins. The high half of an ideograph is taken for a letter until its low half comes: it began a word (state 2) or it
 * continued one (state 3), and then the ideograph is still to be counted.
 */
const wordRule: Rule = (state, { blank, ideograph, half }) => {
  if (half === 'low' && state === AFTER_OWN_HIGH) return [0, NOTHING];
  if (half === 'low' && state === AFTER_HIGH_IN_WORD) return [1, NOTHING];
  if (blank) return [0, NOTHING];
  const began = state === NOTHING ? 1 : 0;
  if (half === 'high' && ideograph) return [began, began ? AFTER_OWN_HIGH : AFTER_HIGH_IN_WORD];
  return ideograph ? [1, NOTHING] : [began, IN_WORD];
};

/** `sum` weights of a text that is not empty. Blanks alone weigh nothing as words, yet only the empty text may count 0. */
function sizeOf(scale: Scale, sum: number): number {
  return Math.max(1, Math.ceil(sum / scale.divisor));
}

/** The first place from `from` on where the text is not plain; its end when it is plain throughout. */
function plainUntil({ uneven }: Scale, text: string, from: number): number {
  if (uneven === undefined) return from;
  uneven.lastIndex = from;
  return uneven.test(text) ? uneven.lastIndex - 1 : text.length;
}

function counter(scale: Scale): TokenCounter {
  return {
    name: scale.name,
    count(text) {
      if (text === '') return 0;
      const plain = plainUntil(scale, text, 0);
      return sizeOf(scale, plain * scale.plain + (plain < text.length ? weightFrom(scale, text, plain) : 0));
    },
    ruler: () => new ScaleRuler(scale),
  };
}

/** The weight of the rest of a text, where what is before it is plain. Looks for plain parts, but less often the fewer it finds. */
function weightFrom(scale: Scale, text: string, at: number): number {
  const { steps, plain } = scale;
  let sum = 0;
  let state = 0;
  for (let stretch = STRIDE; ; ) {
    for (const end = Math.min(text.length, at + stretch); at < end || (state !== 0 && at < text.length); at++) {
      const step = steps[(state << 4) | CLASS_OF[text.charCodeAt(at)]!]!;
      sum += step >> 2;
      state = step & 3;
    }
    if (at >= text.length) return sum;
    const even = plainUntil(scale, text, at) - at;
    sum += even * plain;
    at += even;
    stretch = even > STRIDE ? STRIDE : stretch * 2;
  }
}

/** Units between two marks. */
const STRIDE = 64;

/** Most documents of records are small and plain and need no marks; memory for some in each would keep the collector busy. */
const NO_SUMS = new Float64Array(0);
const NO_STATES = new Uint8Array(0);

/**
 * Measures slices of a window. Where it is plain, by subtraction; elsewhere by marks, one every 64 units, which hold the sum
 * of weights up to there and the state: each unit is read once to set them, and a slice then costs a walk from its start to a
 * mark, a subtraction, and a walk from a mark to its end. A slice reads its first units as the start of a text, the marks
 * read them as its middle; from the first mark where both are in the same state on, they agree for ever.
 */
class ScaleRuler implements Ruler {
  readonly #scale: Scale;
  #text = '';
  /** From here on the window is plain. */
  #plainFrom = 0;
  /** Where the first mark stands. */
  #first = 0;
  #marks = 0;
  #sums = NO_SUMS;
  #states = NO_STATES;
  /** What the last walk found: the registers of `#walk` and `#run`. */
  #sum = 0;
  #state = 0;
  /** Where the last slice ended, for many are asked about that end there, and the sum of the marks up to it. */
  #ended = -1;
  #endSum = 0;

  constructor(scale: Scale) {
    this.#scale = scale;
  }

  slide(text: string, dropped: number): void {
    const kept = Math.max(0, this.#text.length - dropped);
    this.#text = text;
    const plain = plainUntil(this.#scale, text, kept) === text.length;
    this.#plainFrom = plain ? Math.max(0, this.#plainFrom - dropped) : text.length;
    this.#forget(dropped);
    this.#ended = -1;
  }

  size(i: number, j: number): number {
    if (j <= i) return 0;
    return sizeOf(this.#scale, this.#weight(i, j));
  }

  reach(i: number, budget: number, limit: number): number {
    if (!(budget >= 1) || i >= limit) return i;
    const most = Math.floor(budget) * this.#scale.divisor;
    const plain = i >= this.#plainFrom;
    const j = plain ? Math.min(limit, i + Math.floor(most / this.#scale.plain)) : this.#run(i, limit, most);
    return wholeEnd(this.#text, i, j, limit);
  }

  reachBack(j: number, budget: number, floor: number): number {
    if (!(budget >= 1) || j <= floor) return j;
    const most = Math.floor(budget) * this.#scale.divisor;
    const even = Math.max(floor, j - Math.floor(most / this.#scale.plain));
    const i = even >= this.#plainFrom ? even : this.#runBack(j, floor, most);
    return wholeStart(this.#text, i, j, floor);
  }

  #weight(i: number, j: number): number {
    if (i >= this.#plainFrom) return (j - i) * this.#scale.plain;
    this.#run(i, j, Number.POSITIVE_INFINITY);
    return this.#sum;
  }

  /** Reads on from `at` in the state and with the sum of the registers, and stops before the unit that goes past `most`. */
  #walk(at: number, end: number, most: number): number {
    const text = this.#text;
    const { steps } = this.#scale;
    // In small integers, which are faster than the doubles that a long document's sum and an infinite budget need.
    const room = Math.min(most - this.#sum, 0x3fff_ffff) | 0;
    let sum = 0;
    let state = this.#state;
    for (; at < end; at++) {
      const step = steps[(state << 4) | CLASS_OF[text.charCodeAt(at)]!]!;
      const next = sum + (step >> 2);
      if (next > room) break;
      sum = next;
      state = step & 3;
    }
    this.#sum += sum;
    this.#state = state;
    return at;
  }

  /** The same for a slice that begins at `i`, with help from the marks. */
  #run(i: number, end: number, most: number): number {
    this.#mark(end);
    this.#sum = 0;
    this.#state = 0;
    let at = i;
    for (let mark = Math.trunc((i - this.#first + STRIDE - 1) / STRIDE); ; mark++) {
      const stop = this.#first + mark * STRIDE;
      if (stop > end) return this.#walk(at, end, most);
      at = this.#walk(at, stop, most);
      if (at < stop) return at;
      if (this.#states[mark] !== this.#state) continue;
      if (most < Number.POSITIVE_INFINITY) return this.#walk(this.#leap(mark, end, most), end, most);
      this.#sum += this.#sumTo(end) - this.#sums[mark]!;
      return end;
    }
  }

  /** What the marks' sum is at `end`, which is not before the first of them. */
  #sumTo(end: number): number {
    if (this.#ended === end) return this.#endSum;
    const sum = this.#sum;
    const mark = Math.trunc((end - this.#first) / STRIDE);
    this.#sum = this.#sums[mark]!;
    this.#state = this.#states[mark]!;
    this.#walk(this.#first + mark * STRIDE, end, Number.POSITIVE_INFINITY);
    this.#ended = end;
    this.#endSum = this.#sum;
    this.#sum = sum;
    return this.#endSum;
  }

  /** From `mark`, where the registers stand, to the last mark up to `end` that `most` allows. */
  #leap(mark: number, end: number, most: number): number {
    const before = this.#sum - this.#sums[mark]!;
    let low = mark;
    let high = Math.floor((end - this.#first) / STRIDE);
    if (before + this.#sums[high]! <= most) low = high;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (before + this.#sums[middle]! <= most) low = middle;
      else high = middle;
    }
    this.#sum = before + this.#sums[low]!;
    this.#state = this.#states[low]!;
    return this.#first + low * STRIDE;
  }

  /** The smallest i whose slice to `j` weighs no more than `most`: a shorter slice never weighs more, in any of the scales. */
  #runBack(j: number, floor: number, most: number): number {
    let fits = j;
    let over = j;
    for (let back = STRIDE; over === fits; back *= 2) {
      const i = Math.max(floor, j - back);
      if (this.#weight(i, j) > most) over = i;
      else if (i === floor) return floor;
      else over = fits = i;
    }
    while (fits - over > 1) {
      const middle = (over + fits) >> 1;
      if (this.#weight(middle, j) <= most) fits = middle;
      else over = middle;
    }
    return fits;
  }

  /** Sets the marks up to `end`. */
  #mark(end: number): void {
    if (this.#marks === 0) {
      this.#first = 0;
      this.#marks = 1;
      this.#sums[0] = this.#states[0] = 0;
    }
    const at = this.#first + (this.#marks - 1) * STRIDE;
    if (at + STRIDE > end) return;
    this.#makeRoom(Math.floor((end - this.#first) / STRIDE) + 1);
    this.#sum = this.#sums[this.#marks - 1]!;
    this.#state = this.#states[this.#marks - 1]!;
    if (this.#scale.countsWords) this.#markWords(at, end);
    else this.#markUneven(at, end);
  }

  /** Plain parts are passed over; they are looked for less often the fewer there are. */
  #markUneven(at: number, end: number): void {
    for (let look = at, stretch = STRIDE; at + STRIDE <= end; ) {
      if (this.#state === 0 && at >= look) {
        const even = Math.min(end, plainUntil(this.#scale, this.#text, at));
        stretch = even >= at + STRIDE ? STRIDE : stretch * 2;
        for (; at + STRIDE <= even; at += STRIDE) this.#setMark(this.#sum + STRIDE * this.#scale.plain);
        look = at + stretch;
      } else {
        at = this.#walk(at, at + STRIDE, Number.POSITIVE_INFINITY);
        this.#setMark(this.#sum);
      }
    }
  }

  /** Parts that are ASCII are counted by four units at once. */
  #markWords(at: number, end: number): void {
    while (at + STRIDE <= end) {
      const from = at;
      const to = from + Math.min(READ_UNITS, end - from - ((end - from) % STRIDE));
      const isAscii = readAscii(this.#text, from, to);
      for (; at < to; at += STRIDE) {
        if (isAscii) {
          const read = wordsRead(at - from, at - from + STRIDE, this.#state === NOTHING ? 0 : 1);
          this.#sum += read >> 1;
          this.#state = read & 1 ? IN_WORD : NOTHING;
        } else this.#walk(at, at + STRIDE, Number.POSITIVE_INFINITY);
        this.#setMark(this.#sum);
      }
    }
  }

  #setMark(sum: number): void {
    this.#sums[this.#marks] = this.#sum = sum;
    this.#states[this.#marks++] = this.#state;
  }

  /** Moves the marks with the window. */
  #forget(dropped: number): void {
    const gone = Math.max(0, Math.ceil((dropped - this.#first) / STRIDE));
    this.#first += gone * STRIDE - dropped;
    this.#sums.copyWithin(0, gone, this.#marks);
    this.#states.copyWithin(0, gone, this.#marks);
    this.#marks = Math.max(0, this.#marks - gone);
  }

  #makeRoom(marks: number): void {
    if (marks <= this.#sums.length) return;
    const sums = new Float64Array(Math.max(16, marks * 2));
    const states = new Uint8Array(sums.length);
    sums.set(this.#sums);
    states.set(this.#states);
    this.#sums = sums;
    this.#states = states;
  }
}

/**
 * `j`, or one less where `j` lies inside a surrogate pair, for a slice from `i`. At `limit` it cannot be seen whether a pair
 * goes on, for nothing depends on what stands there: a high half at its very end is left out.
 */
export function wholeEnd(text: string, i: number, j: number, limit: number): number {
  return j > i && isHighSurrogate(text.charCodeAt(j - 1)) && (j >= limit || isLowSurrogate(text.charCodeAt(j))) ? j - 1 : j;
}

/** `i`, or one more where `i` lies inside a surrogate pair or the slice begins with a low half at `floor`. */
export function wholeStart(text: string, i: number, j: number, floor: number): number {
  return i < j && isLowSurrogate(text.charCodeAt(i)) && (i <= floor || isHighSurrogate(text.charCodeAt(i - 1))) ? i + 1 : i;
}

const SURROGATE = /[\ud800-\udfff]/g;
const BEYOND_ASCII = /[^\x00-\x7f]/g;
const CJK_OR_SURROGATE =
  /[\u2e80-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\udfff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]/g;

/** Code points; half a surrogate pair on its own is one. */
export const characters: TokenCounter = counter(scale('characters', 1, characterRule, 1, SURROGATE));

/** Bytes in UTF-8; half a surrogate pair on its own is three, as the U+FFFD that an encoder writes for it. */
export const bytes: TokenCounter = counter(scale('bytes', 1, byteRule, 1, BEYOND_ASCII));

/** Longest runs of characters that are not blank, except that each Han, Hiragana or Katakana character is a word. Blanks alone: 1. */
export const words: TokenCounter = counter({ ...scale('words', 1, wordRule), countsWords: true });

/** Characters / 3.8, with 1 for each CJK character, rounded up. */
export const estimate: TokenCounter = counter(scale('estimate', 38, estimateRule, 10, CJK_OR_SURROGATE));

/** Bytes in UTF-8 / 4, rounded up. */
export const bytes4: TokenCounter = counter(scale('bytes4', 4, byteRule, 1, BEYOND_ASCII));
