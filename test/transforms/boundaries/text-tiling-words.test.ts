/** The reader of words: which words it finds, where it would cut between them, and that the parts a text comes in change nothing. */
import { describe, expect, it } from 'vitest';
import { PLACES, type Place, WordReader } from '../../../transforms/boundaries/text-tiling-words.js';
import { seeded, troubleText } from '../../support/random.js';

interface Read {
  readonly word: string;
  readonly place: Place;
  readonly cut: number;
}

function read(...parts: readonly string[]): Read[] {
  const words: Read[] = [];
  const reader = new WordReader((word, place, cut) => words.push({ word, place, cut }));
  for (const part of parts) reader.push(part);
  reader.end();
  return words;
}

const wordsOf = (text: string) => read(text).map(({ word }) => word);

/** The text with a letter for the kind of each place that is no mere gap between words: Paragraph, Ended line, Sentence, Line. */
function placesOf(text: string): string {
  const letters = {
    [PLACES.word]: '',
    [PLACES.line]: 'L',
    [PLACES.sentence]: 'S',
    [PLACES.endedLine]: 'E',
    [PLACES.paragraph]: 'P',
  };
  return read(text)
    .filter(({ place }) => place !== PLACES.word)
    .reduceRight((marked, { place, cut }) => `${marked.slice(0, cut)}<${letters[place]}>${marked.slice(cut)}`, text);
}

describe('words', () => {
  it.each([
    ['Don’t stop, r2d2!', ['don', 't', 'stop', 'r2d2']],
    ['L’homme ÉTAIT naïf', ['l', 'homme', 'était', 'naïf']],
    ['Москва и Ἀθῆναι', ['москва', 'и', 'ἀθῆναι']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['e\u0301te\u0301', ['e\u0301te\u0301']],
    ['𝒳𝒴 and 🙂', ['𝒳𝒴', 'and']],
    ['我喜欢音乐。', ['我', '喜欢', '音乐']],
    ['in 1984, 3.5 of ٣ and 12th', ['in', 'of', 'and', '12th']],
    ['第12章 四', ['第', '章', '四']],
    ['ภาษาไทย', ['ภาษา', 'ไทย']],
    ['', []],
    ['\ud800', []],
  ])('%j', (text, words) => expect(wordsOf(text)).toEqual(words));

  it('cuts endless words, and counts a long stretch without any', () => {
    expect(wordsOf('a'.repeat(150)).map((word) => word.length)).toEqual([64, 64, 22]);
    for (const odd of ['-', '7']) expect(wordsOf(`a ${odd.repeat(300)} b`)).toEqual(['a', '', '', 'b']);
  });
});

const LONG = 'one two three four five six seven eight nine ten eleven twelve';

describe('places', () => {
  it.each([
    ['A b. C d', 'A b. <S>C d'],
    ['He said "no." She left', 'He said "no." <S>She left'],
    ['It is 3.5 now', 'It is 3.5 now'],
    ['That was in 1984. It is so', 'That was in 1984. <S>It is so'],
    ['The end.\n\n1984 began', 'The end.\n\n<P>1984 began'],
    ['终于。他说：「好。」然后', '终于。<S>他说：「好。」<S>然后'],
    ['a\nb', 'a\n<L>b'],
    ['a.\nb', 'a.\n<E>b'],
    ['a.\r\nb', 'a.\r\n<E>b'],
    ['a.\n\nb', 'a.\n\n<P>b'],
    ['a.\r\n\r\nb', 'a.\r\n\r\n<P>b'],
    ['a.\n \t\n\n  b', 'a.\n \t\n\n<P>  b'],
    ['a.\u2029b', 'a.\u2029<P>b'],
    ['\n\na', '\n\na'],
    [`${LONG}\n\nb`, `${LONG}\n\n<P>b`],
    ['A heading\n\nIts text', 'A heading\n\n<L>Its text'],
    ['The end.\n\nTitle\n=====\n\nIts text', 'The end.\n\n<P>Title\n=====\n\n<L>Its text'],
    [`${LONG}. Like this:\n\nb`, `${LONG}. <S>Like this:\n\n<L>b`],
    ['The end.\n\n- an item', 'The end.\n\n<P>- an item'],
  ])('%j', (text, marked) => expect(placesOf(text)).toBe(marked));
});

it('reads the same whatever parts the text comes in', () => {
  seeded(200, (rng) => {
    const text = troubleText(rng, rng.between(0, 400));
    const parts: string[] = [];
    for (let at = 0; at < text.length; ) {
      const to = at + rng.between(0, 12);
      parts.push(text.slice(at, to));
      at = to;
    }
    expect(read(...parts)).toEqual(read(text));
  });
});
