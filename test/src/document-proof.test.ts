/**
 * The proof of records on a disk in memory: it accepts what runs write of every format, and names the line when anything in the
 * chunks is not what the source says, or when the source says something else, be it text, an escape, metadata or a border.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { IngestError } from '../../src/errors.js';
import type { Manifest } from '../../src/manifest.js';
import { type RunOptions, run } from '../../src/run.js';
import type { Chunk } from '../../src/types.js';
import { verify } from '../../src/verify.js';
import { SAMPLES } from '../support/cli.js';
import { type Rng, rng as rngOf, seeded, troubleText } from '../support/random.js';
import { type MemoryWorld, memoryWorld } from '../support/world.js';

const OUT = 'out.jsonl';
const MANIFEST = `${OUT}.manifest.json`;
const SIZES: RunOptions = { unit: 'characters', size: 120, overlap: 20, out: OUT };

/* ------------------------------------------------------------------ the same records in every format */

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly note: string;
}

const SENTENCES = [
  'The race carries water to the wheel. ',
  'Das Rad dreht sich; "über" dem Wasser, \'unter\' dem Dach.\n',
  '水は流れる。',
  'a < b && c > d\r\n\r\n',
  'tab\there, emoji 😀 there\n\n\n',
  'A backslash \\ and a slash /. ',
  'Ünïcödé & more… ',
];

const ENTRIES: readonly Entry[] = Array.from({ length: 14 }, (_, n) => ({
  id: `r${n}`,
  title: n % 5 === 4 ? '' : `Nº ${n} "wheel"`,
  body: n % 7 === 3 ? ' \n ' : Array.from({ length: (n * 5) % 17 }, (_, k) => SENTENCES[(n + k * k) % SENTENCES.length]).join(''),
  note: `${n}; 5 < 6`,
}));

const inEscapes = (text: string) =>
  JSON.stringify(text).replace(/[^\0-~]|\//g, (unit) =>
    unit
      .split('')
      .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** Odd ones with all escapes there are, even ones with few. */
const jsonOf = (entry: Entry, n: number): string => {
  const written = n % 2 === 0 ? (text: string) => JSON.stringify(text) : inEscapes;
  return `{"id": ${written(entry.id)}, "title":${written(entry.title)},"n": ${n}.50, "body": ${written(entry.body)}, "more": {"note": ${written(entry.note)}, "big": 9007199254740993}}`;
};

const jsonl = (entries: readonly Entry[]): string => entries.map((entry, n) => `${jsonOf(entry, n)}\n`).join('');
const json = (entries: readonly Entry[]): string =>
  `{"kind": "x", "items": [\n  ${entries.map(jsonOf).join(',\n  ')}\n], "end": null}\n`;

const table = (entries: readonly Entry[], delimiter: string, quote = '"'): string => {
  const cell = (text: string) =>
    /[\n\r]/.test(text) || text.includes(delimiter) || text.includes(quote)
      ? `${quote}${text.replaceAll(quote, quote + quote)}${quote}`
      : text;
  const rows = entries.map(({ id, title, body, note }) => [id, title, body, note].map(cell).join(delimiter));
  return `${['id', 'title', 'body', 'note'].join(delimiter)}\r\n${rows.join('\r\n')}\r\n`;
};

const inReferences = (text: string) => text.replace(/[&<>"']/g, (unit) => `&#${unit.charCodeAt(0)};`).replaceAll('é', '&#xE9;');
const inNames = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const xml = (entries: readonly Entry[]): string =>
  `<?xml version="1.0"?>\n<feed>\n${entries
    .map(({ id, title, body, note }, n) => {
      const half = body.indexOf(' ') + 1;
      const inside =
        n % 3 === 0
          ? inNames(body)
          : n % 3 === 1
            ? `<![CDATA[${body}]]>`
            : `${inReferences(body.slice(0, half))}<!-- gap --><b>${inNames(body.slice(half))}</b>`;
      return `  <entry id="${inNames(id)}">\n    <title>${inNames(title)}</title>\n    <note>${inReferences(note)}</note><body>${inside}</body>\n  </entry>`;
    })
    .join('\n')}\n</feed>\n`;

/** Without what XML cannot say. */
const inXml = (entry: Entry): Entry =>
  JSON.parse(JSON.stringify(entry), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replace(/[^\t\n\r -\ufffd\u{10000}-\u{10ffff}]|\]\]>/gu, '') : value,
  ) as Entry;

const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const BAD_JSONL = jsonl(ENTRIES).replace('"n": 3.50', '"n": 03.50').replace('"n": 9.50', '"n" 9.50');
const BAD_CSV = table(ENTRIES, ',').replace('\r\nr0,', '\r\n"r0"x,').replace('\r\nr7,', '\r\n"r7" ,');

const TEXT: RunOptions = { text: ['body'] };
const BOTH: RunOptions = { text: ['title', 'body'], idField: 'id' };

const CASES: readonly (readonly [name: string, file: string, bytes: Uint8Array, options: RunOptions])[] = [
  ...(
    [
      ['a.json', utf8(json(ENTRIES)), { records: 'items[*]' }],
      ['a.jsonl', utf8(jsonl(ENTRIES)), {}],
      ['a.csv', utf8(table(ENTRIES, ',')), {}],
      ['a.tsv', utf8(table(ENTRIES, '\t')), {}],
      ['a.xml', utf8(xml(ENTRIES)), { records: '/feed/entry' }],
      ['utf16.csv', utf16(table(ENTRIES, ',')), {}],
      ['utf16.jsonl', utf16(jsonl(ENTRIES)), {}],
      ['semicolons.csv', utf8(table(ENTRIES, ';', "'")), { delimiter: ';', quote: "'" }],
      ['signed.jsonl', utf8(`\ufeff${jsonl(ENTRIES)}`), {}],
      ['bad.jsonl', utf8(BAD_JSONL), { onError: 'skip' }],
      ['bad.csv', utf8(BAD_CSV), { onError: 'skip' }],
    ] as const
  ).flatMap(([file, bytes, options]) =>
    (
      [
        ['text', TEXT],
        ['two texts with a key', BOTH],
        ['text, tidied', { ...TEXT, whitespace: 'tidy' }],
        ['source', {}],
        ['packed', { pack: true }],
        ['packed, small', { pack: true, size: 60, overlap: 0, minSize: 0 }],
        ['packed, large', { pack: true, size: 900, overlap: 300 }],
      ] as const
    ).map(([mode, more]) => [`${file}, ${mode}`, file, bytes, { ...options, ...more }] as const),
  ),
  ['a.json, text below', 'a.json', utf8(json(ENTRIES)), { records: 'items[*]', text: ['more.note', 'body'], meta: ['title'] }],
  ['a.json, whole', 'a.json', utf8(json(ENTRIES)), {}],
  [
    'a.jsonl, spilled',
    'a.jsonl',
    utf8(jsonl([{ ...ENTRIES[5]!, body: 'Long, "very". '.repeat(900) }])),
    { ...TEXT, maxRecordBytes: 1024, meta: ['id'] },
  ],
  [
    'a.jsonl, larger than a block',
    'a.jsonl',
    utf8(jsonl([{ ...ENTRIES[5]!, body: 'Zeile, "über".\n'.repeat(90_000) }])),
    { ...TEXT, size: 9000 },
  ],
  ['a.txt', 'a.txt', utf8(ENTRIES.map(({ body }) => body).join('\n')), {}],
];

async function chunked(file: string, bytes: Uint8Array, options: RunOptions): Promise<MemoryWorld> {
  const world = memoryWorld({ files: { [file]: bytes } });
  await run({ ...SIZES, ...options, input: file }, {}, world);
  return world;
}

const faultIn = async (world: MemoryWorld): Promise<string | undefined> => (await verify({ path: OUT }, {}, world)).fault;
const linesIn = (world: MemoryWorld): string[] => world.files()[OUT]!.split('\n').slice(0, -1);
const chunksIn = (world: MemoryWorld): Chunk[] => linesIn(world).map((line) => JSON.parse(line) as Chunk);

describe('what runs write of records is proved', () => {
  it.each(CASES)('%s', async (_, file, bytes, options) => {
    const world = await chunked(file, bytes, options);
    expect(chunksIn(world).length).toBeGreaterThan(2);
    expect(await faultIn(world)).toBeUndefined();
  });

  it('when faulty records were left out, with how many there were', async () => {
    for (const [file, bytes] of [
      ['bad.jsonl', utf8(BAD_JSONL)],
      ['bad.csv', utf8(BAD_CSV)],
    ] as const) {
      const world = await chunked(file, bytes, { ...TEXT, onError: 'skip' });
      const manifest = JSON.parse(world.files()[MANIFEST]!) as Manifest;
      expect(manifest.totals.rejected).toBe(2);
      expect(manifest.totals.dropped.rejected).toBeGreaterThan(20);
      expect(await faultIn(world)).toBeUndefined();
    }
  });

  it('when only some records were asked for', async () => {
    const world = memoryWorld({ files: { 'a.jsonl': jsonl(ENTRIES), 'b.jsonl': jsonl(ENTRIES) } });
    await run({ ...SIZES, ...TEXT, input: ['a.jsonl', 'b.jsonl'] }, {}, world);
    const some = chunksIn(world).filter(({ source, record }) => source === 'a.jsonl' && [2, 4, 5].includes(record!.index));
    world.put('only.jsonl', some.map(({ source, record }) => JSON.stringify({ source, ...record })).join('\n'));
    await run({ ...SIZES, ...TEXT, input: ['a.jsonl', 'b.jsonl'], only: 'only.jsonl' }, {}, world);
    expect(chunksIn(world)).toEqual(some);
    expect(await faultIn(world)).toBeUndefined();
    world.put(MANIFEST, world.files()[MANIFEST]!.replace(/"only":\[\[\d+,/, '"only":[[0,'));
    expect(await faultIn(world)).toContain('line 1');
  });

  it.each([{}, { pack: true }, { text: ['body'] }])('of every sample of records that can be split with %j', async (options) => {
    let proved = 0;
    for (const name of readdirSync(SAMPLES).filter((each) => /\.(jsonl?|csv|tsv|xml)$/.test(each))) {
      const world = memoryWorld({ files: { [name]: new Uint8Array(readFileSync(`${SAMPLES}/${name}`)) } });
      const ended = await run({ ...SIZES, ...options, onError: 'skip', input: name }, {}, world).catch((error: unknown) => error);
      if (ended instanceof IngestError && ended.kind === 'record') continue;
      expect(await faultIn(world), name).toBeUndefined();
      proved++;
    }
    expect(proved).toBeGreaterThan(0);
  });

  it('for random records, whatever the options', async () => {
    await seeded(40, async (rng: Rng) => {
      const entries = Array.from({ length: rng.between(0, 12) }, (_, n) => ({
        id: `${n}`,
        title: troubleText(rng, rng.between(0, 20), { loneSurrogates: false }),
        body: troubleText(rng, rng.between(0, 700)),
        note: troubleText(rng, rng.between(0, 30)),
      }));
      const size = rng.between(4, 300);
      const [file, bytes, options] = rng.pick([
        ['a.json', utf8(json(entries)), { records: 'items[*]' }],
        ['a.jsonl', utf8(jsonl(entries)), {}],
        ['a.csv', utf8(table(entries, ',')), { delimiter: ',' }],
        ['utf16.csv', utf16(table(entries, '|')), { delimiter: '|' }],
        ['a.xml', utf8(xml(entries.map(inXml))), { records: '/feed/entry' }],
      ] as const);
      const all: RunOptions = {
        ...options,
        ...rng.pick<RunOptions>([TEXT, BOTH, {}, { pack: true }, { ...TEXT, idField: 'id' }, { ...BOTH, maxRecordBytes: 1024 }]),
        onError: 'skip',
        unit: rng.pick(['characters', 'bytes', 'words'] as const),
        size,
        overlap: rng.between(0, size - 1),
        minSize: rng.between(0, size),
        trim: rng.chance(0.3),
        ...(rng.chance(0.6) && { whitespace: rng.pick(['tidy', 'collapse', 'lines', 'keep'] as const) }),
      };
      const world = await chunked(file, bytes, all);
      expect(await faultIn(world), JSON.stringify([file, all])).toBeUndefined();
    });
  });
});

/* ------------------------------------------------------------------ damage */

const DAMAGED = CASES.filter(([name]) =>
  /^(a\.(json|jsonl|csv|tsv|xml)|utf16\.csv|bad\.jsonl), (two texts|source|packed$)/.test(name),
);

describe('a change in a line of chunks is found and its line is named', () => {
  it.each(DAMAGED)('in any key: %s', async (_, file, bytes, options) => {
    const world = await chunked(file, bytes, options);
    const lines = linesIn(world);
    const at = Math.floor(lines.length / 2);
    for (const [what, changed] of changes(JSON.parse(lines[at]!) as Chunk)) {
      world.put(
        OUT,
        lines
          .with(at, JSON.stringify(changed))
          .map((line) => `${line}\n`)
          .join(''),
      );
      expect(await faultIn(world), what).toContain(`${OUT}, line ${at + 1}: `);
    }
  });

  it.each(DAMAGED)('in the order or the number of lines: %s', async (_, file, bytes, options) => {
    const world = await chunked(file, bytes, options);
    const lines = linesIn(world);
    for (let at = 1; at < lines.length - 1; at += Math.ceil(lines.length / 6)) {
      for (const changed of [
        lines.toSpliced(at, 1),
        lines.toSpliced(at, 0, lines[at - 1]!),
        lines.with(at, lines[at + 1]!).with(at + 1, lines[at]!),
      ]) {
        world.put(OUT, changed.map((line) => `${line}\n`).join(''));
        expect(await faultIn(world)).toContain(`${OUT}, line ${at + 1}: `);
      }
    }
  });
});

/** A chunk with one thing changed, for each thing in it. */
function* changes(chunk: Chunk): Iterable<[what: string, changed: unknown]> {
  for (const [key, value] of Object.entries(chunk)) {
    yield [`no ${key}`, { ...chunk, [key]: undefined }];
    if (key !== 'record') yield [`another ${key}`, { ...chunk, [key]: another(value) }];
  }
  yield ['another key in the metadata', { ...chunk, metadata: { ...chunk.metadata, more: 1 } }];
  for (const [key, value] of Object.entries(chunk.metadata)) {
    yield [`metadata without ${key}`, { ...chunk, metadata: { ...chunk.metadata, [key]: undefined } }];
    yield [`another ${key}`, { ...chunk, metadata: { ...chunk.metadata, [key]: another(value) } }];
  }
  yield ['a record that has a count', { ...chunk, record: { ...chunk.record, count: 99 } }];
  for (const [key, value] of Object.entries(chunk.record ?? {})) {
    yield [`a record without ${key}`, { ...chunk, record: { ...chunk.record, [key]: undefined } }];
    yield [`a record with another ${key}`, { ...chunk, record: { ...chunk.record, [key]: another(value) } }];
  }
  yield ['a context', { ...chunk, context: `${chunk.context ?? ''}x` }];
  yield ['no record at all', { ...chunk, record: null }];
}

function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  return typeof value === 'string' ? `${value}x` : [value];
}

describe('a change in the source is found', () => {
  it.each(DAMAGED)('whichever byte it is: %s', async (_, file, bytes, options) => {
    const world = await chunked(file, bytes, options);
    const manifest = world.files()[MANIFEST]!;
    const rng = rngOf(7);
    const inText = inChunks(chunksIn(world), bytes);
    for (let tries = 0; tries < 25; tries++) {
      const at = rng.between(0, bytes.length - 1);
      // The sixth bit would only change the case of a digit in an escape.
      const changed = bytes.with(at, bytes[at]! ^ (1 << rng.between(0, 4)));
      world.put(file, changed);
      // Within a chunk, it is found even if the manifest is made to agree.
      world.put(MANIFEST, inText[at] === 1 ? manifest.replace(/"sha256":"\w+"/, `"sha256":"${sha256(changed)}"`) : manifest);
      const fault = await faultIn(world);
      expect(fault, `byte ${at}`).toMatch(inText[at] === 1 ? /line \d+: / : /changed since the run/);
    }
  });

  it.each(DAMAGED)('when a record is gone or there twice: %s', async (_, file, bytes, options) => {
    const world = await chunked(file, bytes, options);
    const { start, end = start } = chunksIn(world)[4]!.record!;
    for (const changed of [
      [bytes.subarray(0, start), bytes.subarray(end)],
      [bytes.subarray(0, end), bytes.subarray(start)],
    ]) {
      world.put(file, new Uint8Array(Buffer.concat(changed)));
      expect(await faultIn(world)).toMatch(/line \d+: .*changed since the run/);
    }
  });
});

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** For each byte of the source, 1 where it is in a chunk and says something: line ends are all one, and so are comments. */
function inChunks(chunks: readonly Chunk[], bytes: Uint8Array): Uint8Array {
  const inside = new Uint8Array(bytes.length);
  for (const { start, end } of chunks) inside.fill(1, start, end);
  const source = Buffer.from(bytes).toString('latin1');
  for (const { index, 0: found } of source.matchAll(/[\r\n]|<!--.*?-->/g)) inside.fill(0, index, index + found.length);
  return inside;
}

describe('a change in the manifest is found', () => {
  const options: RunOptions = { ...BOTH, onError: 'skip' };

  it.each([
    ['format of a source', /"format":"jsonl"/, '"format":"json"'],
    ['number of rejected records', /"rejected":2,"invalid"/g, '"rejected":1,"invalid"'],
    ['rejected bytes', /"rejected":\d\d+/g, '"rejected":7'],
    ['bytes outside of the texts', /"outside":\d+/g, '"outside":7'],
    ['text fields', /"text":\["title","body"\]/, '"text":["body"]'],
    ['key', /"idField":"id"/, '"idField":"title"'],
    ['limit of a record', /"options": \{/, '"options": {"maxRecordBytes":1024,'],
    ['metadata', /"options": \{/, '"options": {"meta":["n"],'],
  ])('when it is the %s', async (_, pattern, instead) => {
    const world = await chunked('bad.jsonl', utf8(BAD_JSONL), options);
    const manifest = world.files()[MANIFEST]!;
    expect(manifest).toMatch(pattern);
    world.put(MANIFEST, manifest.replace(pattern, instead));
    expect(await faultIn(world)).toMatch(/bad\.jsonl|line \d+/);
  });
});
