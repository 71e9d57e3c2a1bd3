/** Terms: those of scikit-learn where scripts have spaces, words where they have none. */
import { describe, expect, it } from 'vitest';
import { termsOf } from '../../src/terms.js';
import { rng } from '../support/random.js';
import { rankingCases } from '../support/ranking.js';

describe('terms', () => {
  it.each(rankingCases)('are those of scikit-learn: $name', ({ query, chunks, terms }) => {
    expect([query, ...chunks].map(termsOf)).toEqual(terms);
  });

  it('are runs of two or more word characters, in lower case', () => {
    expect(termsOf('A bC, d_e! f')).toEqual(['bc', 'd_e']);
    expect(termsOf('')).toEqual([]);
    expect(termsOf('x\ud835 \udc9a yz')).toEqual(['yz']);
    // One character outside of the plane is two units, but no term.
    expect(termsOf('𝒳 𝒳𝒴 a𝒳')).toEqual(['𝒳𝒴', 'a𝒳']);
  });

  it.each([
    ['Chinese', '我喜欢喝水。', ['我', '喜欢', '喝水']],
    ['Japanese', '水車が回る、カレー', ['水車', 'が', '回る', 'カレー']],
    ['Thai', 'น้ำไหลผ่าน', ['น้ำ', 'ไหล', 'ผ่าน']],
  ])('are words in %s', (_, text, words) => {
    expect(termsOf(text)).toEqual(words);
  });

  it.each([
    ['Lao', 'ນ້ຳໄຫຼຜ່ານ'],
    ['Khmer', 'ទឹកហូរកាត់'],
    ['Burmese', 'ရေစီးသည်'],
  ])('are several words in %s, and all of the text', (_, text) => {
    const terms = termsOf(text);
    expect(terms.length).toBeGreaterThan(1);
    expect(terms.join('')).toBe(text);
  });

  it('part where a script without spaces meets another', () => {
    expect(termsOf('GPT模型2024年v')).toEqual(['gpt', '模型', '2024', '年']);
    expect(termsOf('𠀀𠀁ab')).toEqual([...termsOf('𠀀𠀁'), 'ab']);
  });

  it('leave to other scripts what all of them share', () => {
    expect(termsOf('oʼzbek n\u0303andu')).toEqual(['oʼzbek', 'andu']);
  });

  it('lose nothing where a long stretch is cut into windows, nor does a character fall apart there', () => {
    const random = rng(5);
    const letters = [...'我们在水车旁边喝茶吃饭山川河流人大中国学生𠀀𠀁𠮷'];
    for (const length of [127, 128, 129, 500, 3000]) {
      const text = Array.from({ length }, () => random.pick(letters)).join('');
      const terms = termsOf(text);
      expect(terms.join('')).toBe(text);
      expect(terms.every((term) => term.isWellFormed())).toBe(true);
    }
    const sentence = '水车在河边慢慢转动';
    const alone = termsOf(sentence);
    expect(new Set(termsOf(sentence.repeat(60)))).toEqual(new Set(alone));
  });
});
