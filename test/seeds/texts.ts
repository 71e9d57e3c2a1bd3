/**
 * The texts that the seeds are shown to fail on, where more than one check needs them.
 */
import type { Rng } from '../support/random.js';

/** `w0 w1 w2 …` */
export const numbered = (count: number, from = 0): string[] => Array.from({ length: count }, (_, n) => `w${from + n}`);

export const PROSE =
  'The mill stood at the edge of the village, where the river turned. In the evening the wheel was stopped, and nobody heard it ' +
  'again before dawn. Who had left the gate open? The miller did not say. He counted the sacks twice; one was missing.\n\n' +
  'By noon the rain had come. The road was gone, and with it the bridge. Nobody from the valley came to the market that week.\n\n';

export const RUSSIAN =
  'Мельница стояла на краю деревни. Вечером колесо остановили. Кто оставил ворота открытыми? Мельник не сказал.';

export const EMOJI = '👨‍👩‍👧‍👦👍🏽🇫🇷😀e\u0301𠮷'.repeat(40);

export const ABBREVIATIONS =
  'Dr. Smith of the U.S. Dept. met Mr. J. R. Hale at 5 p.m. e.g. with Prof. A. B. Cole vs. St. Ives etc. ';

/** Without any place to cut: letters, base64, a URL, Chinese, digits. */
export const UNBROKEN: Readonly<Record<string, string>> = {
  letters: 'a'.repeat(5000),
  base64: Buffer.from(Array.from({ length: 3750 }, (_, n) => (n * 167 + (n >> 3)) & 255)).toString('base64'),
  url: `https://mill.example/${'path%20/and?query=1&'.replaceAll(' ', '').repeat(250)}`,
  Chinese: '水磨坊在河边山谷里有一条路通向村庄'.repeat(300),
};

export interface Topics {
  readonly text: string;
  /** Where each but the first begins. */
  readonly starts: readonly number[];
}

/** Topics of so many words, 40 of their own each and 40 that all share; a blank line after every `paragraph`
 * words; numbers and signs between them by choice. */
export function topics(rng: Rng, words: readonly number[], { paragraph = 50, hasNoise = false } = {}): Topics {
  const word = () => Array.from({ length: rng.between(3, 8) }, () => String.fromCharCode(97 + rng.between(0, 25))).join('');
  const noise = () => (hasNoise ? rng.pick(['-- % ', `${rng.between(0, 9999)} `, '= ', '*** ']) : '');
  const vocabulary = Array.from({ length: (words.length + 1) * 40 }, word);
  const starts: number[] = [];
  let text = '';
  for (const [topic, count] of words.entries()) {
    if (topic > 0) starts.push(text.length);
    for (let at = 1; at <= count; at++) {
      const first = rng.chance(0.3) ? 0 : (topic + 1) * 40;
      text += vocabulary[first + Math.floor(40 * rng.next() * rng.next())];
      text += at % paragraph === 0 ? '.\n\n' : at % 10 === 0 ? `${noise()}. ` : ` ${noise()}`;
    }
  }
  return { text, starts };
}
