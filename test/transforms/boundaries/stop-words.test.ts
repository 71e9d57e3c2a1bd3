/** The lists of function words: that each can be met at all, since words are compared in lower case and hold no apostrophe. */
import { describe, expect, it } from 'vitest';
import { STOP_WORD_LANGUAGES, stopWords } from '../../../transforms/boundaries/stop-words.js';

describe.each(STOP_WORD_LANGUAGES)('%s', (language) => {
  const words = [...stopWords(language)];

  it('holds words in lower case, of letters and marks alone', () => {
    expect(words.filter((word) => !/^[\p{L}\p{M}]+$/u.test(word) || word !== word.toLowerCase())).toEqual([]);
  });

  it('is a list of function words, not a dictionary', () => {
    expect(words.length).toBeGreaterThan(70);
    expect(words.length).toBeLessThan(250);
  });
});

it('has the words of NLTK for English', () => {
  const english = stopWords('en');
  expect(english.size).toBe(153);
  for (const word of ['the', 'ourselves', 'don', 't', 'wouldn']) expect(english).toContain(word);
});
