/**
 * The words of a text that comes in parts, and the places between them where a topic may end. Linear, and independent of how the
 * text was cut: what a later part could change, at most two words, is held back.
 *
 * A word is letters, digits and the marks on them, with at least one letter: numbers tell no topic, and the same number after each
 * word would hide all of them (NLTK leaves them out too). Apostrophes and hyphens part words. Scripts that write no spaces (Han, kana,
 * Thai, Lao, Burmese, Khmer) are cut into words by `Intl.Segmenter`, at most 64 characters at a time: it is quadratic on more.
 */

/** How good a place is to cut at, worst first. */
export const PLACES = { word: 0, line: 1, sentence: 2, endedLine: 3, paragraph: 4 } as const;
export type Place = (typeof PLACES)[keyof typeof PLACES];

/** Takes a word in lower case ('' for a long stretch without words), and where the text is best cut between it and the word before. */
export type WordTaker = (word: string, place: Place, cut: number) => void;

/** Longer runs of letters are several words, so that a text without blanks is read in bounded memory. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,63}/gu;

const NUMBER = /^\p{N}+$/u;

/** Letters of scripts without spaces, by UTF-16 units: surrogates are those of the supplementary ideographs. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\ud840-\ud88f]/;

const WIDE_ENDERS = '。！？｡';
const ENDERS = `.!?…؟۔।॥։${WIDE_ENDERS}`;
const CLOSERS = '"\'”’»›)]}」』）】》〉*_';

/** So much text without a word counts as one: a reader who waits for a number of words must not wait for ever. */
const WORDLESS_UNITS = 128;

/** A paragraph with fewer words and no sentence end is a heading or an item: what follows belongs to it, as after a colon. */
const HEADING_WORDS = 12;

export class WordReader {
  readonly #take: WordTaker;
  readonly #segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  /** Text that is not decided, and where it begins. */
  #rest = '';
  #at = 0;
  #words = 0;
  #paragraphWord = 0;
  #wordless = 0;
  /** Of the text since the last word. */
  #place: Place = PLACES.word;
  #cut = 0;
  #ended = false;
  #colon = false;
  #wideEnd = false;
  #blankLine = false;
  #afterReturn = false;

  constructor(take: WordTaker) {
    this.#take = take;
  }

  push(text: string): void {
    this.#read(this.#rest + text, false);
  }

  end(): void {
    this.#read(this.#rest, true);
  }

  #read(text: string, final: boolean): void {
    const whole = final || !/[\ud800-\udbff]$/.test(text) ? text.length : text.length - 1;
    const known = whole === text.length ? text : text.slice(0, whole);
    let done = 0;
    WORD.lastIndex = 0;
    for (let match = WORD.exec(known); match !== null; match = WORD.exec(known)) {
      const [word] = match;
      const { index } = match;
      this.#between(known, done, index);
      done = index;
      if (index + word.length === whole && !final) break;
      done += word.length;
      if (isNumber(word)) this.#between(known, index, done);
      else this.#word(word, this.#at + index);
    }
    if (WORD.lastIndex === 0) {
      this.#between(known, done, whole);
      done = whole;
    }
    this.#rest = text.slice(done);
    this.#at += done;
  }

  #word(word: string, at: number): void {
    if (!UNSPACED.test(word)) this.#give(word, at);
    else
      for (const { segment, index, isWordLike } of this.#segmenter.segment(word))
        if (isWordLike && !isNumber(segment)) this.#give(segment, at + index);
  }

  #give(word: string, at: number): void {
    const place = this.#words === 0 ? PLACES.word : this.#place;
    if (place === PLACES.paragraph) this.#paragraphWord = this.#words;
    this.#words++;
    this.#take(word.toLowerCase(), place, place === PLACES.word ? at : this.#cut);
    this.#wordless = 0;
    this.#place = PLACES.word;
    this.#ended = false;
    this.#colon = false;
    this.#wideEnd = false;
    this.#blankLine = false;
    this.#afterReturn = false;
  }

  #between(text: string, from: number, to: number): void {
    for (let at = from; at < to; at++) this.#unit(text.charCodeAt(at), this.#at + at + 1);
  }

  /** One unit that is in no word; `after` is the place behind it. */
  #unit(unit: number, after: number): void {
    if (++this.#wordless > WORDLESS_UNITS) this.#give('', after - 1);
    const afterReturn = this.#afterReturn;
    this.#afterReturn = unit === 0x0d;
    if (unit <= 0x20 || unit === 0x3000) this.#wideEnd = false;
    if (unit === 0x20 || unit === 0x09 || unit === 0xa0 || unit === 0x3000) {
      if (this.#ended) this.#offer(PLACES.sentence, after);
    } else if (unit === 0x0a && afterReturn) {
      if (this.#cut === after - 1) this.#cut = after;
    } else if (unit === 0x0a || unit === 0x0d || unit === 0x85 || unit === 0x2028) {
      this.#lineEnd(after);
    } else if (unit === 0x0c || unit === 0x2029) {
      this.#blankLine = true;
      this.#lineEnd(after);
    } else this.#mark(String.fromCharCode(unit), after);
  }

  #lineEnd(after: number): void {
    if (this.#blankLine) {
      const heading = this.#colon || (!this.#ended && this.#words - this.#paragraphWord < HEADING_WORDS);
      this.#offer(heading && this.#place < PLACES.paragraph ? PLACES.line : PLACES.paragraph, after);
    } else this.#offer(this.#ended ? PLACES.endedLine : PLACES.line, after);
    this.#blankLine = true;
  }

  #mark(mark: string, after: number): void {
    this.#blankLine = false;
    this.#colon = mark === ':' || mark === '：';
    if (ENDERS.includes(mark)) this.#ended = true;
    else if (!CLOSERS.includes(mark)) this.#ended = false;
    // Chinese and Japanese sentences end without a blank, and closing marks go with the sentence they close.
    this.#wideEnd = WIDE_ENDERS.includes(mark) || (this.#wideEnd && CLOSERS.includes(mark));
    if (this.#wideEnd) this.#offer(PLACES.sentence, after);
  }

  /** The last of the best places counts. */
  #offer(place: Place, after: number): void {
    if (place < this.#place) return;
    this.#place = place;
    this.#cut = after;
  }
}

function isNumber(word: string): boolean {
  const first = word.charCodeAt(0);
  // Most words begin with a letter of ASCII.
  return (first <= 0x39 || first >= 0x80) && NUMBER.test(word);
}
