/** The tables: that their words can be found by who looks for them, and what is used together without a language. */
import { describe, expect, it } from 'vitest';
import { vocabularyOf } from '../../../transforms/boundaries/sentence-tables.js';

const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'cs',
  'sv',
  'da',
  'tr',
  'ru',
  'uk',
  'el',
  'hi',
  'ar',
  'fa',
  'he',
];

describe.each(LANGUAGES)('%s', (language) => {
  const { abbreviations, starters, language: known } = vocabularyOf(language);

  it('has words without blanks and without their last stop, short enough to be looked up', () => {
    expect(known).toBe(language);
    for (const word of abbreviations.keys()) expect(word).toMatch(/^[^\s]{1,12}(?<!\.)$/u);
    for (const word of starters) expect(word).toMatch(/^[\p{L}\p{M}]{1,14}$/u);
  });

  it('begins sentences with capitals, where it has them', () => {
    for (const word of starters) expect(word).not.toMatch(/^\p{Ll}/u);
  });
});

describe('vocabularyOf', () => {
  it('takes a tag by its language, and joins all tables for none or an unknown one', () => {
    expect(vocabularyOf('pt-BR')).toBe(vocabularyOf('PT'));
    expect(vocabularyOf('xx')).toBe(vocabularyOf());
    expect(vocabularyOf().abbreviations.get('bzw')).toBe('never');
    expect(vocabularyOf().abbreviations.get('т.д')).toBe('tail');
    expect(vocabularyOf().ordinals).toBe(false);
  });

  it('keeps words that mean something else elsewhere to their language', () => {
    expect(vocabularyOf('nl').abbreviations.has('st')).toBe(true);
    expect(vocabularyOf('de').starters.has('Die')).toBe(true);
    expect(vocabularyOf().starters.has('Die')).toBe(false);
    expect(vocabularyOf('pl').abbreviations.has('in')).toBe(true);
    expect(vocabularyOf().abbreviations.has('in')).toBe(false);
  });
});
