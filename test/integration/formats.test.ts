/**
 * One set of records in every format: whatever it is written in, and however its writer escapes, the same texts come out, chunk for
 * chunk, and verify proves each from its own file. And one record that is larger than memory should be, in every format.
 */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../src/run.js';
import { chunksIn, type Ended, millrace, start, temporary, type Workspace, workspace } from '../support/cli.js';
import { type Rng, rng } from '../support/random.js';

const ok = (ended: Ended): Ended => {
  expect(ended.stderr).not.toContain('bug');
  expect(ended.code, ended.stderr).toBe(0);
  return ended;
};

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** What at least one of the formats has to escape, and what none may touch. */
const PIECES = [
  ...[
    'The race carries water to the wheel. ',
    'nothing is lost; ',
    'mill ',
    '“turn” ',
    'café ',
    '水車が回る。',
    'é',
    '😀',
    '👩‍🌾 ',
  ],
  ...['\n', '\n\n', '\r\n', '\t', '  ', ',', ';', '"', '""', '"quoted" ', "it's ", '\\', '\\n ', '/', '{"a": [1]} ', '</body>'],
  ...['&', '&amp;', '<', '<b>bold</b> ', '<!-- -->', ']]>', '<![CDATA[', '&#65; ', '\u{1d11e}', '\u00a0', '\u2028', '\u007f'],
];

function textOf(random: Rng, pieces: number): string {
  return Array.from({ length: pieces }, () => random.pick(PIECES)).join('');
}

function entries(random: Rng): Entry[] {
  return Array.from({ length: 50 }, (_, n) => ({
    id: `${n}`,
    title: `no. ${n} ${random.pick(PIECES)}`,
    body: n % 10 === 7 ? '' : textOf(random, random.between(1, n % 10 === 3 ? 400 : 30)),
  }));
}

/* ------------------------------------------------------------------ writers, as different as the formats allow */

/** Each character, with what the writer makes of it: some as they are, others in any of the ways there are. */
function escaped(text: string, ways: (character: string) => readonly string[], random: Rng): string {
  return [...text].map((character) => random.pick(ways(character))).join('');
}

const hex = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };

function jsonString(text: string, random: Rng): string {
  const ways = (character: string) => {
    const units = character.split('').map(hex).join('');
    if (SHORT[character] !== undefined) return [SHORT[character], units];
    return character === '/' ? ['/', '\\/', units] : [character, character, character, units];
  };
  return `"${escaped(text, ways, random)}"`;
}

function jsonRecord({ id, title, body }: Entry, random: Rng): string {
  const members = [`"id":${jsonString(id, random)}`, `"title": ${jsonString(title, random)}`];
  members.splice(random.between(0, 2), 0, `"body" :${jsonString(body, random)}`);
  return `{${members.join(random.pick([',', ' , ', ',\t']))}}`;
}

function cell(text: string, random: Rng): string {
  const plain = !/["\n\r,\t]/.test(text) && random.chance(0.5);
  return plain ? text : `"${text.replaceAll('"', '""')}"`;
}

function table(records: readonly Entry[], delimiter: string, random: Rng): string {
  const rows = records.map(({ id, title, body }) => [id, body, title].map((each) => cell(each, random)).join(delimiter));
  const ends = () => random.pick(['\n', '\r\n']);
  return `\ufeffid${delimiter}body${delimiter}title${ends()}${rows.map((row) => row + ends()).join('')}`;
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Text as such, or in a CDATA section, with a comment here and there; a CR has to be a reference, or it were a line end of the file's. */
function xmlText(text: string, random: Rng): string {
  const ways = (character: string) => {
    const point = character.codePointAt(0)!;
    const numeric = [`&#${point};`, `&#x${point.toString(16)};`];
    if (character === '\r') return numeric;
    const named = NAMED[character];
    return named === undefined ? [character, character, character, character, ...numeric] : [named, ...numeric];
  };
  const parts = text.split(/(?<= )/).map((part) => {
    if (random.chance(0.2) && !part.includes(']]>') && !part.includes('\r')) return `<![CDATA[${part}]]>`;
    return escaped(part, ways, random) + (random.chance(0.1) ? '<!-- & -->' : '');
  });
  return parts.join('');
}

function xmlRecord({ id, title, body }: Entry, random: Rng): string {
  const parts = [`<title>${xmlText(title, random)}</title>`, `<body>${xmlText(body, random)}</body>`];
  return `<entry id="${id}">\n${(random.chance(0.5) ? parts : parts.reverse()).join('\n  ')}</entry>`;
}

interface Format {
  readonly name: string;
  /** Where its records and their keys are. */
  readonly where: readonly string[];
  write(records: readonly Entry[], random: Rng): string;
}

const FORMATS: readonly Format[] = [
  {
    name: 'json',
    where: ['--records', 'made.items[*]', '--id-field', 'id'],
    write: (records, random) =>
      `{"by": [{"body": "none"}], "made": {"items": [\n${records.map((each) => jsonRecord(each, random)).join(',\n')}\n]}}`,
  },
  {
    name: 'jsonl',
    where: ['--id-field', 'id'],
    write: (records, random) =>
      records.map((each) => `${jsonRecord(each, random)}${random.pick(['\n', '\r\n', '\n\n'])}`).join(''),
  },
  { name: 'csv', where: ['--id-field', 'id'], write: (records, random) => table(records, ',', random) },
  { name: 'tsv', where: ['--id-field', 'id'], write: (records, random) => table(records, '\t', random) },
  {
    name: 'xml',
    where: ['--records', '/feed/entry', '--id-field', '@id'],
    write: (records, random) =>
      `<?xml version="1.0"?>\n<feed><body>none</body>${records.map((each) => xmlRecord(each, random)).join('\n')}</feed>\n`,
  },
];

describe('the same records in every format', () => {
  const random = rng(4);
  const records = entries(random);
  let place: Workspace;

  beforeAll(() => {
    place = temporary();
    for (const { name, write } of FORMATS) place.write(`r.${name}`, write(records, random));
  });
  afterAll(() => place.remove());

  /** What comes out, without what has to differ: bytes, paths, and the names that a format gives to fields. */
  async function told({ name, where }: Format, settings: readonly string[]) {
    const out = `${name}-${settings.join('')}.jsonl`;
    ok(await millrace([`r.${name}`, '--text', 'body', ...where, ...settings, '-o', out], { cwd: place.dir }));
    ok(await millrace(['verify', out], { cwd: place.dir }));
    return chunksIn(place.read(out)).map(({ index, tokens, record, metadata, text }) => {
      const { index: nr, key, field } = record!;
      return { index, tokens, nr, key, field, title: metadata.title, text };
    });
  }

  it.each([
    [['--unit', 'characters', '--size', '60', '--overlap', '10']],
    [['--size', '40', '--overlap', '8']],
    [['--unit', 'words', '--size', '2000', '--whitespace', 'keep', '--tokenizer', 'none']],
  ])('gives the same texts, chunk for chunk, with %s', async (settings) => {
    const [first, ...others] = FORMATS as readonly [Format, ...Format[]];
    const wanted = await told(first, settings);
    const shown = records.filter(({ body }) => body.trim() !== '');
    expect([...new Set(wanted.map(({ key }) => key))]).toEqual(shown.map(({ id }) => id));
    expect(wanted.length > shown.length).toBe(!settings.includes('2000'));
    for (const other of others) expect(await told(other, settings), other.name).toEqual(wanted);
    if (settings.includes('keep')) expect(wanted.map(({ text }) => text)).toEqual(shown.map(({ body }) => body));
  });
});

/* ------------------------------------------------------------------ one record, far larger than what is held */

const MEGABYTES = 60;
const MOST_BYTES = 200 * 2 ** 20;

interface Huge {
  readonly name: string;
  readonly first: string;
  /** Again and again. */
  readonly unit: string;
  readonly last: string;
  readonly meta: string;
}

const HUGE: readonly Huge[] = [
  {
    name: 'a string of JSON',
    first: '{"id": 1, "body": "',
    unit: 'The race carries\\nwater; \\"nothing\\" is lost: caf\\u00e9 \\ud83d\\ude00 水. ',
    last: '"}\n',
    meta: 'id',
  },
  {
    name: 'a cell of CSV',
    first: 'id,body\n1,"',
    unit: 'The race carries\r\nwater; ""nothing"" is lost: café 😀 水. ',
    last: '"\n',
    meta: 'id',
  },
  {
    name: 'a text of XML',
    first: '<feed><entry id="1"><body>',
    unit: 'The race carries\nwater; &quot;nothing&quot; is <![CDATA[<lost>]]>: caf&#xe9; &#128512; 水. ',
    last: '</body></entry></feed>\n',
    meta: '@id',
  },
];

const argumentsOf = ({ name, meta }: Huge): string[] => [
  ...['-', '--format', name.split(' ').at(-1)!.toLowerCase(), '--text', 'body', '--meta', meta],
  ...['--unit', 'characters', '--size', '2000', '--tokenizer', 'none'],
];

/** So many bytes at least. */
const filled = (unit: string, bytes: number): Buffer => Buffer.from(unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit))));

describe.each(HUGE)('$name of 60 MB', (huge) => {
  it('is chunked in less than 200 MB of memory', async () => {
    const place = workspace();
    const args = [...argumentsOf(huge), '-o', place.path('out.jsonl'), '--summary', place.path('summary.json')];
    const { child, ...running } = start(args, { node: ['--max-old-space-size=64'] });
    const ended = running.ended();
    const block = filled(huge.unit, 2 ** 18);
    child.stdin.write(huge.first);
    for (let fed = 0; fed < MEGABYTES * 1e6 && child.stdin.writable; fed += block.length)
      if (!child.stdin.write(block)) await Promise.race([once(child.stdin, 'drain'), ended]);
    child.stdin.end(huge.last);
    ok(await ended);
    const { bytes, chunks, peakMemory } = JSON.parse(place.read('summary.json').toString()) as Summary;
    expect(bytes).toBeGreaterThan(MEGABYTES * 1e6);
    expect(chunks).toBeGreaterThan(10_000);
    expect(peakMemory).toBeLessThan(MOST_BYTES);
  });

  it('gives its first chunk before the hundredth part of it is read, if no more than that may be held', async () => {
    const { child, ...running } = start([...argumentsOf(huge), '--max-record-bytes', '65536']);
    child.stdin.write(huge.first);
    child.stdin.write(filled(huge.unit, MEGABYTES * 1e4 - 1000));
    await once(child.stdout, 'readable');
    const ended = running.ended();
    child.stdin.end(huge.last);
    const [chunk] = chunksIn(ok(await ended).stdout);
    expect(chunk!.record).toMatchObject({ index: 0, field: 'body' });
    expect(chunk!.record!.end).toBeUndefined();
    expect(chunk!.metadata).toEqual({ [huge.meta]: huge.meta === 'id' && huge.first.startsWith('{') ? 1 : '1' });
  });
});
