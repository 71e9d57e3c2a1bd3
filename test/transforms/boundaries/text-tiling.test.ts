/**
 * TextTiling on texts whose topics are known, in several scripts; and what a stream needs: the same boundaries whatever parts the
 * text comes in, told in time, with no more held for a longer text.
 */
import { describe, expect, it } from 'vitest';
import { TextTiler, type TextTilerOptions } from '../../../transforms/boundaries/text-tiling.js';
import { type Rng, rng as rngOf, seeded, troubleText } from '../../support/random.js';

function boundaries(text: string, options: TextTilerOptions = {}): number[] {
  const tiler = new TextTiler(options);
  return [...tiler.push(text), ...tiler.end()];
}

interface Script {
  /** Its first letter, and how many follow each other. */
  readonly first: number;
  readonly blank: string;
  readonly end: string;
  readonly letters: number;
}

const SCRIPTS: Readonly<Record<string, Script>> = {
  Latin: { first: 0x61, blank: ' ', end: '. ', letters: 26 },
  Greek: { first: 0x3b1, blank: ' ', end: '. ', letters: 17 },
  Cyrillic: { first: 0x430, blank: ' ', end: '. ', letters: 32 },
  Devanagari: { first: 0x915, blank: ' ', end: '। ', letters: 37 },
  Arabic: { first: 0x641, blank: ' ', end: '؟ ', letters: 8 },
  Hangul: { first: 0xac00, blank: ' ', end: '. ', letters: 2000 },
};

interface Shape {
  readonly topics?: number;
  /** Of each topic. */
  readonly words?: number;
  readonly paragraph?: string;
  readonly script?: Script;
}

/** Topics with a vocabulary of 40 words each and as many words that they share; and where each topic but the first begins. */
function made(rng: Rng, { topics = 4, words = 400, paragraph = '\n\n', script = SCRIPTS.Latin! }: Shape = {}) {
  const vocabulary = Array.from({ length: (topics + 1) * 40 }, () =>
    Array.from({ length: rng.between(2, 5) }, () => String.fromCharCode(script.first + rng.between(0, script.letters - 1))).join(
      '',
    ),
  );
  const starts: number[] = [];
  let text = '';
  for (let topic = 1; topic <= topics; topic++) {
    if (topic > 1) starts.push(text.length);
    for (let at = 1; at <= words; at++) {
      text += vocabulary[40 * (rng.chance(0.3) ? 0 : topic) + Math.floor(40 * rng.next() * rng.next())];
      text += at % 50 === 0 ? script.end.trim() + paragraph : at % 10 === 0 ? script.end : script.blank;
    }
  }
  return { text, starts };
}

/** Words of four topics in languages that write no blanks between words. */
const UNSPACED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Chinese: [
    ['冰川', '山谷', '雪', '岩石', '融化', '山峰', '河流', '登山'],
    ['会计', '税收', '发票', '利润', '成本', '资产', '银行', '工资'],
    ['小提琴', '音乐', '交响乐', '指挥', '旋律', '钢琴', '乐队', '演奏'],
    ['编译', '程序', '语法', '变量', '函数', '内存', '软件', '代码'],
  ],
  Japanese: [
    ['氷河', '谷', '雪', '岩', '山頂', '川', '登山', '地形'],
    ['会計', '税金', '請求書', '利益', '費用', '資産', '銀行', '給料'],
    ['バイオリン', '音楽', '交響曲', '指揮', '旋律', 'ピアノ', '楽団', '演奏'],
    ['コンパイラ', 'プログラム', '文法', '変数', '関数', 'メモリ', 'ソフト', 'コード'],
  ],
  Thai: [
    ['ภูเขา', 'หิมะ', 'แม่น้ำ', 'หิน', 'หุบเขา', 'น้ำแข็ง', 'ธรรมชาติ', 'อากาศ'],
    ['บัญชี', 'ภาษี', 'กำไร', 'ต้นทุน', 'ธนาคาร', 'เงินเดือน', 'สินทรัพย์', 'ราคา'],
    ['ดนตรี', 'เพลง', 'เปียโน', 'กีตาร์', 'ทำนอง', 'นักร้อง', 'คอนเสิร์ต', 'จังหวะ'],
    ['โปรแกรม', 'คอมพิวเตอร์', 'ข้อมูล', 'ตัวแปร', 'ภาษา', 'หน่วยความจำ', 'ระบบ', 'เครือข่าย'],
  ],
};

describe('a text of four topics is four segments', () => {
  it.each(Object.entries(UNSPACED))('%s, without blanks', (language, topics) => {
    seeded(5, (rng) => {
      const stop = language === 'Thai' ? ' ' : '。';
      const paragraph = (words: readonly string[]) =>
        `${Array.from({ length: 10 }, () => Array.from({ length: 6 }, () => rng.pick(words)).join('') + stop).join('')}\n\n`;
      const parts = topics.map((words) => Array.from({ length: 7 }, () => paragraph(words)).join(''));
      const starts = [1, 2, 3].map((count) => parts.slice(0, count).join('').length);
      expect(boundaries(parts.join(''))).toEqual(starts);
    });
  });

  it.each(Object.entries(SCRIPTS))('%s', (_, script) => {
    seeded(5, (rng) => {
      const { text, starts } = made(rng, { script });
      expect(boundaries(text)).toEqual(starts);
    });
  });

  it.each(['high', 'low'] as const)('with the cutoff %s', (cutoff) => {
    seeded(10, (rng) => {
      const { text, starts } = made(rng, { words: 350 });
      expect(boundaries(text, { cutoff })).toEqual(starts);
    });
  });

  it('with other groups and blocks, more smoothing, a small window', () => {
    seeded(5, (rng) => {
      const { text, starts } = made(rng);
      expect(boundaries(text, { w: 10, k: 12 })).toEqual(starts);
      expect(boundaries(text, { smoothingWidth: 4, smoothingRounds: 2 })).toEqual(starts);
      expect(boundaries(text, { windowWords: 1 })).toEqual(starts);
    });
  });
});

describe('a text of one topic is one segment', () => {
  it.each(['', ' \n\n ', 'word', 'Two paragraphs.\n\nToo short.', '日本語。'.repeat(9), 'ab '.repeat(20)])('%j', (text) => {
    expect(boundaries(text)).toEqual([]);
  });

  it('random words of one vocabulary', () => {
    seeded(10, (rng) => expect(boundaries(made(rng, { topics: 1, words: 1600 }).text)).toEqual([]));
  });

  it('what is the same again and again', () => {
    const { text } = made(rngOf(1), { topics: 1, words: 100 });
    expect(boundaries(text.repeat(60))).toEqual([]);
    expect(boundaries('a '.repeat(50_000))).toEqual([]);
  });
});

describe('a boundary is', () => {
  it('at a line end that ends a sentence, where there are no blank lines', () => {
    seeded(5, (rng) => {
      const { text, starts } = made(rng, { paragraph: '\n' });
      expect(boundaries(text)).toEqual(starts);
    });
  });

  it('after a sentence, where there are no lines', () => {
    seeded(5, (rng) => {
      const { text } = made(rng, { paragraph: ' ' });
      const found = boundaries(text);
      expect(found.length).toBe(3);
      for (const at of found) expect(text.slice(at - 2, at)).toBe('. ');
    });
  });

  it('between words, where there is nothing else', () => {
    const { text } = made(rngOf(3), { paragraph: ' ' });
    const bare = text.replaceAll('.', '');
    const found = boundaries(bare);
    expect(found.length).toBe(3);
    for (const at of found) expect(bare.slice(at - 1, at + 1)).toMatch(/^ \w$/);
  });

  it('before a heading, not behind it', () => {
    seeded(5, (rng) => {
      const { text, starts } = made(rng);
      const heading = '# Something else\n\n';
      const headed = starts.reduceRight((all, at) => all.slice(0, at) + heading + all.slice(at), text);
      expect(boundaries(headed)).toEqual(starts.map((at, before) => at + before * heading.length));
    });
  });
});

it('smoothing rounds are done', () => {
  const { text } = made(rngOf(1), { topics: 10, words: 100 });
  const [none, once, often] = [0, 1, 4].map((smoothingRounds) => boundaries(text, { w: 5, k: 4, smoothingRounds }).length);
  expect(once).toBeLessThan(none!);
  expect(often).toBeLessThan(once!);
});

it('stop words are those of the language, or the given ones', () => {
  const german = `${'der die das und ist nicht '.repeat(60)}\n\n${'wir ihr sie oder aber war '.repeat(60)}`;
  expect(boundaries(german).length).toBe(1);
  expect(boundaries(german, { language: 'de' })).toEqual([]);
  expect(boundaries(german, { stopWords: new Set(german.split(/\s+/)) })).toEqual([]);
});

it.each([{ w: 0 }, { k: 0.5 }, { smoothingRounds: -1 }, { windowWords: 0 }])('refuses %j', (options) => {
  expect(() => new TextTiler(options)).toThrow(Object.keys(options)[0]);
});

describe('as a stream', () => {
  it('gives the same boundaries whatever parts the text comes in, and none before what it called settled', () => {
    seeded(15, (rng) => {
      const options = { w: rng.between(2, 8), k: rng.between(1, 6), windowWords: 300 };
      const { text } = made(rng, { topics: 12, words: rng.between(50, 200) });
      const mixed = text + troubleText(rng, 3000) + text.slice(0, 2000);
      const tiler = new TextTiler(options);
      const found: number[] = [];
      for (let at = 0; at < mixed.length; ) {
        const to = at + rng.between(1, 500);
        const { settled } = tiler;
        const told = tiler.push(mixed.slice(at, to));
        for (const each of told) expect(each).toBeGreaterThanOrEqual(settled);
        expect(tiler.settled).toBeGreaterThanOrEqual(settled);
        found.push(...told);
        at = to;
      }
      found.push(...tiler.end());
      expect(found).toEqual(boundaries(mixed, options));
      expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
    });
  });

  it.each([
    ['topics', made(rngOf(2), { topics: 20, words: 300 }).text],
    ['no word twice', Array.from({ length: 4000 }, (_, n) => `word${n}`).join(' ')],
    ['one letter', 'x'.repeat(40_000)],
    ['blanks', ' '.repeat(40_000)],
    ['blank lines', 'word.\n\n'.repeat(6000)],
    ['marks', '|---'.repeat(10_000)],
  ])('holds no more for a longer text, and settles it: %s', (_, text) => {
    const tiler = new TextTiler({ windowWords: 2000 });
    const peaks = [2, 40].map((times) => {
      let held = 0;
      for (let done = 0; done < times; done++) {
        tiler.push(text);
        held = Math.max(held, tiler.held);
      }
      return held;
    });
    expect(peaks[1]).toBeLessThan(12_000);
    expect(peaks[1]).toBeLessThanOrEqual(Math.max(1.25 * peaks[0]!, 12_000));
    expect(tiler.settled).toBeGreaterThan(text.length * 42 - 700_000);
  });

  it('tells a boundary within a window of it', () => {
    const { text, starts } = made(rngOf(4), { topics: 40, words: 400 });
    const tiler = new TextTiler({ windowWords: 4000 });
    const late: number[] = [];
    for (let at = 0; at < text.length; at += 100) for (const each of tiler.push(text.slice(at, at + 100))) late.push(at - each);
    expect(late.length).toBeGreaterThan(starts.length / 2);
    // Words here have fewer than six letters and a blank.
    expect(Math.max(...late)).toBeLessThan(4000 * 6);
  });
});
