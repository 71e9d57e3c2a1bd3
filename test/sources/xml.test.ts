/**
 * The XML splitter. The oracle is sax on the whole string: it builds a tree, over which paths, text and values are worked out
 * again here, plainly.
 */
import { readFileSync } from 'node:fs';
import sax from 'sax';
import { describe, expect, it } from 'vitest';
import { type XmlOptions, xml } from '../../sources/xml.js';
import type { Item, Json } from '../../src/types.js';
import { conformRecords, type Split, split } from '../conformance/records.js';
import { type Rng, seeded, troubleText } from '../support/random.js';

const DEFAULTS: XmlOptions = { text: [], pack: false, maxRecordBytes: 1 << 24, encoding: 'auto', onInvalid: () => {} };

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
const sample = (name: string) => new Uint8Array(readFileSync(new URL(`../../samples/${name}.xml`, import.meta.url)));

function subject(options: Partial<XmlOptions>) {
  return {
    make: (report: (error: Error) => void) => xml({ uri: 'a.xml' }, { ...DEFAULTS, ...options }, report),
    unescape: (raw: string) => treeOf(`<r>${raw}</r>`).parts.join(''),
  };
}

const conform = (source: string | Uint8Array, options: Partial<XmlOptions> = {}, seed = 1): Split =>
  conformRecords(subject(options), typeof source === 'string' ? utf8(source) : source, seed);

const quick = (source: string, options: Partial<XmlOptions> = {}): Split => split(subject(options).make, [utf8(source)]);

/** Each document as its field and its text. */
const texts = ({ documents }: Split) =>
  documents.map(({ doc, segments }) => [doc.field, segments.map(({ text }) => text).join('')]);

/** The metadata of the first document. */
const metadata = ({ documents }: Split) => documents[0]!.doc.metadata;

/* ------------------------------------------------------------------ the oracle */

interface Node {
  readonly name: string;
  readonly attributes: [string, string][];
  readonly parts: (string | Node)[];
}

function treeOf(source: string): Node {
  const parser = sax.parser(true, { strictEntities: true } as object);
  const top: Node = { name: '', attributes: [], parts: [] };
  const open = [top];
  parser.onerror = (error) => {
    throw error;
  };
  parser.onopentagstart = ({ name }) => {
    const node = { name, attributes: [], parts: [] };
    open.at(-1)!.parts.push(node);
    open.push(node);
  };
  parser.onattribute = ({ name, value }) => open.at(-1)!.attributes.push([name, value]);
  parser.onclosetag = () => open.pop();
  parser.ontext = (text) => open.at(-1)!.parts.push(text);
  parser.oncdata = parser.ontext;
  parser.write(source).close();
  return top.parts.find(isNode)!;
}

function isNode(part: string | Node): part is Node {
  return typeof part !== 'string';
}

function textOf({ parts }: Node): string {
  return parts.map((part) => (isNode(part) ? textOf(part) : part)).join('');
}

/** What the texts at `paths` (names only) and the metadata beside them should be, for the record `node`. */
function expected(node: Node, paths: readonly string[]): { texts: string[][]; metadata: Record<string, Json> } {
  const found: string[][] = [];
  const values: [string, string][] = [];
  const within = (path: string, name: string) => (path === '' ? name : `${path}/${name}`);
  const visit = (each: Node, path: string, into: [string, string][]): boolean => {
    const isText = paths.includes(path === '' ? '.' : path);
    for (const [name, value] of each.attributes) {
      if (paths.includes(within(path, `@${name}`))) found.push([within(path, `@${name}`), value]);
      else into.push([within(path, `@${name}`), value]);
    }
    if (isText) {
      found.push([path === '' ? '.' : path, textOf(each)]);
      return true;
    }
    const inner: [string, string][] = [];
    let isAround = false;
    for (const part of each.parts) if (isNode(part) && visit(part, within(path, part.name), inner)) isAround = true;
    const hasNodes = each.parts.some(isNode);
    const hasText = each.parts.some((part) => !isNode(part) && /[^ \t\r\n]/.test(part));
    if (hasNodes && (!hasText || isAround || path === '')) into.push(...inner);
    else if (path !== '' || hasText) into.push([path === '' ? '.' : path, textOf(each)]);
    return isAround;
  };
  visit(node, '', values);
  const lists = new Map<string, string[]>();
  for (const [name, value] of values) lists.set(name, [...(lists.get(name) ?? []), value]);
  return {
    texts: found,
    metadata: Object.fromEntries([...lists].map(([name, all]) => [name, all.length === 1 ? all[0]! : all])),
  };
}

/* ------------------------------------------------------------------ random documents */

const NAMES = ['a', 'b', 'title', 'p:q', 'é', '__proto__', 'x-1'];

function writtenText(rng: Rng, text: string, quote: string | undefined): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0)!;
      const plain = !'<&>'.includes(character) && character !== quote && !/[\0\uffff]/.test(character);
      if (plain && rng.chance(0.95)) return character;
      const named = { '<': '&lt;', '&': '&amp;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }[character];
      if (named !== undefined && rng.chance(0.7)) return named;
      if (/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(character)) return '.';
      return rng.chance(0.5) ? `&#${code};` : `&#x${rng.chance(0.5) ? '0' : ''}${code.toString(16)};`;
    })
    .join('');
}

function randomContent(rng: Rng, depth: number): string {
  const parts = Array.from({ length: rng.between(0, 4) }, () => {
    const text = troubleText(rng, rng.between(0, 12), { loneSurrogates: false });
    switch (rng.between(0, depth > 3 ? 4 : 7)) {
      case 0:
      case 1:
        return writtenText(rng, text, undefined);
      case 2:
        return `<![CDATA[${text.replaceAll(']]>', ']]')}]]>`;
      case 3:
        return rng.pick(['<!-- & <b> -->', '<!---->', '<?pi <a> & ?>', '<!-- \ud83d\ude00- ->-->']);
      case 4:
        return rng.pick([' ', '\n  ', '\r\n', ']', ']]', '']);
      default:
        return randomElement(rng, rng.pick(NAMES), depth + 1);
    }
  });
  return parts.join('');
}

function randomElement(rng: Rng, name: string, depth: number): string {
  const names = rng.chance(0.4) ? rng.shuffle(NAMES).slice(0, rng.between(1, 3)) : [];
  const attributes = names.map((attribute) => {
    const quote = rng.pick(['"', "'"]);
    const value = writtenText(rng, troubleText(rng, rng.between(0, 10), { loneSurrogates: false }), quote);
    return `${rng.pick([' ', '\n'])}${attribute}${rng.pick(['=', ' = '])}${quote}${value}${quote}`;
  });
  const head = `<${name}${attributes.join('')}${rng.pick(['', ' ', '\n'])}`;
  return rng.chance(0.15) ? `${head}/>` : `${head}>${randomContent(rng, depth)}</${name}${rng.pick(['', ' '])}>`;
}

function randomDocument(rng: Rng): string {
  const records = Array.from({ length: rng.between(0, 4) }, () => randomElement(rng, rng.pick(['rec', 'other']), 1));
  const before = rng.pick(['', '<?xml version="1.0"?>\n', '<!-- x -->', '<!DOCTYPE r [<!ENTITY e "]>">]>']);
  return `${before}<top>${records.join(rng.pick(['', '\n', '<!-- between -->']))}</top>${rng.pick(['', '\n', '<!-- y -->'])}`;
}

/* ------------------------------------------------------------------ the tests */

const WAYS: readonly Partial<XmlOptions>[] = [
  {},
  { pack: true },
  { records: '//*' },
  { text: ['.'] },
  { text: ['//text', '//content', '//title', 'wheel', '@a', 'été'] },
  { text: ['//*'], maxRecordBytes: 40 },
  { text: ['//name'], meta: ['title', 'revision', '//@*'], idField: 'id' },
];

describe('xml', () => {
  it.each(['mill-wiki', 'mill-feed', 'odd-markup'])('keeps the laws on %s', (name) => {
    const bytes = sample(name);
    const text = new TextDecoder().decode(bytes);
    for (const options of WAYS) {
      const found = conform(bytes, options);
      expect(found.faults.filter(({ fatal }) => fatal)).toEqual([]);
      // Every two-way split of all of it, in a window that must not see the cuts.
      for (let at = 0; at <= bytes.length; at += 13) {
        expect(texts(split(subject(options).make, [bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(texts(found));
      }
      const wide = conform(utf16(text), options);
      if (options.maxRecordBytes === undefined) expect(texts(wide)).toEqual(texts(found));
    }
  });

  it('finds what sax finds, on random documents', () => {
    seeded(400, (rng) => {
      const source = randomDocument(rng);
      const paths = rng.pick([['.'], ['a'], ['title', 'b/a'], ['@a', '@title', 'b'], ['a/b', '@é', 'p:q']]);
      const found = rng.chance(0.3)
        ? conform(source, { text: paths, records: '/top/rec' }, rng.seed)
        : quick(source, { text: paths, records: '/top/rec' });
      expect(found.faults.filter(({ reason }) => reason !== 'no-records' && reason !== 'no-such-field')).toEqual([]);
      const records = treeOf(source).parts.filter((part) => isNode(part) && part.name === 'rec') as Node[];
      const all = records.map((record) => expected(record, paths));
      expect(texts(found)).toEqual(all.flatMap((each) => each.texts));
      expect(found.documents.map(({ doc }) => doc.metadata)).toEqual(all.flatMap((each) => each.texts.map(() => each.metadata)));
    });
  });

  it('takes a record for its own text, byte for byte', () => {
    seeded(40, (rng) => {
      const source = randomDocument(rng);
      const found = conform(source, { records: '//rec' }, rng.seed);
      const bytes = utf8(source);
      for (const { doc, segments } of found.documents) {
        const own = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(doc.record!.start, doc.record!.end));
        expect(segments.map(({ text }) => text).join('')).toBe(own);
        expect(own).toMatch(/^<rec[\s\S]*>$/);
      }
    });
  });

  it('answers any corruption with a fault or with text whose spans hold', () => {
    seeded(300, (rng) => {
      const source = randomDocument(rng);
      const at = rng.between(0, source.length);
      const junk = rng.pick(['<', '>', '&', '"', "'", '/', ']]>', '<!', '<?', '</a>', '<a>', '&x;', '&#0;', '\0', '\ud83d', '']);
      const spoilt = source.slice(0, at) + junk + source.slice(at + rng.between(0, 3));
      const options = rng.pick(WAYS);
      const { faults } = rng.chance(0.15) ? conform(spoilt, options, rng.seed) : quick(spoilt, options);
      for (const { reason } of faults) expect(reason).toMatch(/^[a-z]+(-[a-z]+)*$/);
    });
  });

  it('keeps the laws where bytes are bad', () => {
    const [a, b] = [utf8('<r><a>x&lt;'), utf8('y</a></r>')];
    const found = conform(new Uint8Array([...a, 0xff, 0xe2, 0x82, ...b]), { text: ['.'] });
    expect(texts(found)).toEqual([['.', 'x<\ufffd\ufffdy']]);
  });
});

describe('records', () => {
  const refs = (found: Split) => found.documents.map(({ doc }) => doc.record!.path);
  const source =
    '<m xmlns:p="u"><s><page>0</page></s><page>1</page><p:page>2</p:page><x><y><page>3<page>in</page></page></y></x></m>';

  it.each([
    ['/m/page', ['/m/page[1]', '/m/p:page[1]']],
    ['/m/p:page', ['/m/p:page[1]']],
    ['page', ['/m/s/page[1]', '/m/page[1]', '/m/p:page[1]', '/m/x/y/page[1]']],
    ['//y/page', ['/m/x/y/page[1]']],
    ['/m/*', ['/m/s[1]', '/m/page[1]', '/m/p:page[1]', '/m/x[1]']],
    ['/m', ['/m']],
    ['/*/*/page', ['/m/s/page[1]']],
  ])('are at %s', (records, paths) => expect(refs(conform(source, { records }))).toEqual(paths));

  it('are the root, or its children where a part of each is asked for', () => {
    expect(refs(conform('<a><b>1</b><b>2</b></a>'))).toEqual(['/a']);
    expect(refs(conform('<a><b>1</b><b>2</b></a>', { text: ['.'] }))).toEqual(['/a/b[1]', '/a/b[2]']);
    expect(conform('<a/>', { text: ['.'] })).toEqual({ documents: [], faults: [] });
  });

  it('have their bytes, their key and their own numbers', () => {
    const found = conform('<a><b id="x">1</b>\n<b id="ÿ">2</b></a>', { text: ['.'], idField: '@id' });
    expect(found.documents.map(({ doc }) => doc.record)).toEqual([
      { index: 0, start: 3, end: 18, path: '/a/b[1]', field: '.', key: 'x' },
      { index: 1, start: 19, end: 35, path: '/a/b[2]', field: '.', key: 'ÿ' },
    ]);
  });

  it('are missed where there are none', () => {
    const { faults } = conform('<a><b/></a>', { records: '/a/c' });
    expect(faults).toMatchObject([{ reason: 'no-records', fatal: false }]);
    expect(faults[0]!.message).toContain('the root element is <a>');
  });

  it('can be left out, and then cost nothing but their tags', () => {
    const found = conform('<a><b>1</b><b>2<c/></b><b>3</b></a>', { text: ['.'], wanted: (start) => start === 11 });
    expect(texts(found)).toEqual([['.', '2']]);
  });

  it('are marked where fields and deeper elements begin', () => {
    const source = `<a><b><c>1</c>${'<d>'.repeat(10)}${'</d>'.repeat(10)}</b></a>`;
    const marks = conform(source, { records: '/a/b' }).documents[0]!.segments.flatMap(({ mark }) => mark ?? []);
    expect(marks.map(({ kind, label }) => [kind, label])).toEqual([
      ['record', '/a/b[1]'],
      ['field', '/a/b[1]/c'],
      ['field', '/a/b[1]/d'],
      ...Array.from({ length: 7 }, (_, n) => ['inner', `/a/b[1]/d${'/d'.repeat(n + 1)}`]),
    ]);
  });

  it('are packed with what parts them', () => {
    const found = conform('<a>\n <b>1</b>\n <b>2</b> <!-- far away, and no mere separator --> <b>3</b>\n</a>', { pack: true });
    expect(texts(found)).toEqual([
      [undefined, '<b>1</b>\n <b>2</b>'],
      [undefined, '<b>3</b>'],
    ]);
  });
});

describe('text', () => {
  it.each([
    ['runs between comments, instructions and tags', 'a<!-- x -->b<?y?>c<i>d</i>e', 'abcde'],
    ['CDATA as it stands', '<![CDATA[<&lt;]]]]><![CDATA[>]]>', '<&lt;]]>'],
    ['references', '&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#x1F600;&#0000067;&#xA;', '<>&"\'AB😀C\n'],
    ['a reference twice undone only once', '&amp;lt;', '&lt;'],
    ['NUL and other control characters as they stand', '\0\u0001', '\0\u0001'],
    ['brackets', ']]]&gt;]', ']]]>]'],
    ['line ends as they stand', 'a\r\nb\rc', 'a\r\nb\rc'],
  ])('is %s', (_, inner, text) => {
    expect(texts(conform(`<r><a>${inner}</a></r>`, { text: ['.'] }))).toEqual([['.', text]]);
    expect(texts(conform(utf16(`<r><a>${inner}</a></r>`), { text: ['.'] }))).toEqual([['.', text]]);
  });

  it('keeps the entities of a document type as they are written', () => {
    const source = '<!DOCTYPE r [<!ENTITY lol "lol">]><r><a b="&lol;">&lol;&constructor;</a></r>';
    const found = conform(source, { text: ['.', '@b'] });
    expect(texts(found)).toEqual([
      ['@b', '&lol;'],
      ['.', '&lol;&constructor;'],
    ]);
  });

  it('is of the fields in the order of appearance, attributes first, and nothing in a text is another', () => {
    const source = '<r><a id="1"><b x="2">p<b x="3">q</b></b><c>s</c><b/></a></r>';
    expect(texts(conform(source, { text: ['c', '//b', '@id', '//@x'] }))).toEqual([
      ['@id', '1'],
      ['b/@x', '2'],
      ['b', 'pq'],
      ['c', 's'],
      ['b', ''],
    ]);
  });

  it('has the bytes of what it came from', () => {
    const [document] = conform('<r><a>é&amp;é</a></r>', { text: ['.'] }).documents;
    expect(document!.segments).toEqual([{ text: 'é&é', start: 6, end: 15, verbatim: true, escapes: [1, 1, 2, 5] }]);
  });

  it('says which fields there are when none is one', () => {
    const { faults } = conform('<r><a><title>x</title></a></r>', { text: ['body'] });
    expect(faults).toMatchObject([{ reason: 'no-such-field' }]);
    expect(faults[0]!.message).toContain('title');
  });
});

describe('metadata', () => {
  const source = `<r><a xmlns="u" xmlns:p="v" p:id="1"><t>T</t><e/><n k="v">
    <m>1</m><m>2</m><t>t</t></n><s>The <b>new</b> <i>one</i></s><body lang="en">B<c d="x">C</c></body></a></r>`;
  const all = { '@p:id': '1', t: 'T', e: '', 'n/@k': 'v', 'n/m': ['1', '2'], 'n/t': 't', s: 'The new one', 'body/@lang': 'en' };

  it('is all that is not in a text: attributes, elements that are values', () => {
    expect(metadata(conform(source, { text: ['body'] }))).toEqual(all);
  });

  it('is what is named, and all in it', () => {
    expect(metadata(conform(source, { text: ['body'], meta: ['t', 'n', '@id', 'body/c'] }))).toEqual({
      '@p:id': '1',
      t: 'T',
      'n/@k': 'v',
      'n/m': ['1', '2'],
      'n/t': 't',
      'body/c/@d': 'x',
      'body/c': 'C',
    });
    expect(metadata(conform(source, { text: ['body'], meta: [] }))).toEqual({});
  });

  it('is none where the record is its own text, unless it is named', () => {
    expect(metadata(conform(source, { records: '/r/a' }))).toEqual({});
    expect(metadata(conform(source, { records: '/r/a', meta: ['t'] }))).toEqual({ t: 'T' });
  });

  it("keeps names that are an object's own", () => {
    const found = conform('<r><a __proto__="1" hasOwnProperty="2" toString="3"><__proto__>4</__proto__><t/></a></r>', {
      text: ['t'],
    });
    const kept = metadata(found);
    expect(Object.entries(kept)).toEqual([
      ['@__proto__', '1'],
      ['@hasOwnProperty', '2'],
      ['@toString', '3'],
      ['__proto__', '4'],
    ]);
  });

  it('goes with a long text when it came before, and is reported when it came after', () => {
    const long = 'x'.repeat(3000);
    const found = conform(`<r><a id="1"><n><t>T</t><body>${long}</body><u>U</u></n></a></r>`, {
      text: ['//body'],
      maxRecordBytes: 1024,
    });
    expect(metadata(found)).toEqual({ '@id': '1', 'n/t': 'T' });
    expect(found.faults).toMatchObject([{ reason: 'late-metadata', fatal: false }]);
  });

  it('has a limit, whatever it is made of', () => {
    const much = 'y'.repeat((1 << 20) + 1);
    for (const inside of [
      `<x>${much}</x>`,
      `<x><y/>${much.slice(9)}<y/>z123456789</x>`,
      `<x a="${much.slice(99)}"/><x>${much.slice(9)}</x>`,
    ]) {
      const { faults, documents } = quick(`<r><a>${inside}<t>1</t></a><a><t>2</t></a></r>`, { text: ['t'] });
      expect(faults).toMatchObject([{ reason: 'too-much-metadata', record: 0, fatal: false }]);
      expect(documents.map(({ doc }) => doc.record!.index)).toEqual([1]);
    }
  });
});

describe('faults', () => {
  /** `¦` stands before the byte that is to be blamed, and is no part of the source. */
  it.each([
    ['no-element', '¦'],
    ['no-element', '¦ <!-- x -->'],
    ['text-outside', '¦x<a/>'],
    ['text-outside', '<a/>\n¦x'],
    ['text-outside', '<a/>¦<![CDATA[x]]>'],
    ['second-root', '<a/>¦<b/>'],
    ['bad-nesting', '<a><b>¦</a></b>'],
    ['bad-nesting', '<a></a>¦</a>'],
    ['bad-nesting', '<aé>¦</a>'],
    ['unterminated', '<r>¦<a>é'],
    ['unterminated', '<r>é¦<a b="c'],
    ['unterminated', '<r>é¦<!-- a ->'],
    ['unterminated', '<r>é¦<![CDATA[ a ]]'],
    ['unterminated', '<r>é¦<?pi ?'],
    ['unterminated', '¦<!DOCTYPE a [ "]>" ] '],
    ['unterminated', '<r>¦</r'],
    ['bad-tag', '<r>¦<a <b/></r>'],
    ['bad-tag', '<r><a b=¦"c></a><d>e</d></r>'],
    ['bad-tag', '<r><a b¦></a></r>'],
    ['bad-tag', '<r><a b=¦c></a></r>'],
    ['bad-tag', '<r><a b="1"¦c="2"></a></r>'],
    ['bad-tag', '<r><a b="1" b="¦2"></a></r>'],
    ['bad-tag', '<r><¦1></1></r>'],
    ['bad-tag', '<r><a ¦&amp;="1"></a></r>'],
    ['bad-markup', '<r>¦<!ELEMENT a></r>'],
    ['bad-markup', '<r>¦<!DOCTYPE r></r>'],
    ['bad-text', '<r>é¦]]></r>'],
    ['bad-reference', '<r>é¦& b</r>'],
    ['bad-reference', '<r>¦&nbsp;</r>'],
    ['bad-reference', '<r>¦&AMP;</r>'],
    ['bad-reference', '<r>¦&constructor;</r>'],
    ['bad-reference', '<r>¦&#0;</r>'],
    ['bad-reference', '<r>¦&#xD800;</r>'],
    ['bad-reference', '<r>¦&#x110000;</r>'],
    ['bad-reference', '<r>¦&#xFFFE;</r>'],
    ['bad-reference', '<r>¦&#1;</r>'],
    ['bad-reference', '<r><a b="é¦&c"/></r>'],
    ['bad-reference', '<r>¦&lt</r>'],
    ['encoding', '¦<?xml version="1.0" encoding="ISO-8859-1"?><r/>'],
    ['encoding', "¦<?xml version='1.0' encoding = 'Shift_JIS' ?><r/>"],
  ])('%s: %s', (reason, marked) => {
    const [before] = marked.split('¦') as [string];
    const source = marked.replace('¦', '');
    for (const options of [{}, { text: ['.'] }, { text: ['//b'], records: '/r' }, { pack: true, maxRecordBytes: 1024 }]) {
      const fault = conform(source, options).faults.at(-1)!;
      expect([fault.reason, fault.at, fault.fatal]).toEqual([reason, utf8(before).length, true]);
    }
    if (reason === 'encoding') return;
    const at = reason === 'no-element' ? 0 : 2 + before.length * 2;
    expect(conform(utf16(source)).faults.at(-1)).toMatchObject({ reason, at });
  });

  it('come after what was sound before them', () => {
    const found = conform('<r><a>1</a><a>2</a><a>3</b></r>', { text: ['.'] });
    expect(texts(found)).toEqual([
      ['.', '1'],
      ['.', '2'],
    ]);
    expect(found.faults).toMatchObject([{ reason: 'bad-nesting', record: 2, fatal: true }]);
  });

  it.each(['utf-8', 'UTF8', 'US-ASCII', 'utf-16'])('none for a declared encoding of %s', (name) => {
    expect(conform(`<?xml version="1.0" encoding="${name}"?><r/>`).faults).toEqual([]);
  });

  it('none where the user or a signature says what the encoding is', () => {
    const latin = new Uint8Array(Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><r>é&#233;</r>', 'latin1'));
    expect(texts(conform(latin, { encoding: 'windows-1252', text: ['.'], records: '/r' }))).toEqual([['.', 'éé']]);
    expect(conform(utf16('<?xml version="1.0" encoding="ISO-8859-1"?><r/>')).faults).toEqual([]);
  });
});

describe('limits', () => {
  const faultOf = (source: string, options: Partial<XmlOptions> = {}) => quick(source, options).faults[0];

  it('lets a tag and a name be so long and no longer', () => {
    expect(faultOf(`<r a="${'x'.repeat((1 << 20) - 10)}"/>`)).toBeUndefined();
    expect(faultOf(`<r a="${'x'.repeat(1 << 20)}"/>`)).toMatchObject({ reason: 'tag-too-long', at: 0 });
    expect(faultOf(`<r></r${' '.repeat(1 << 20)}>`)).toMatchObject({ reason: 'tag-too-long', at: 3 });
    const name = 'n'.repeat((1 << 16) + 1);
    expect(faultOf(`<${name}/>`)).toMatchObject({ reason: 'name-too-long' });
    expect(faultOf(`<r ${name}=""/>`)).toMatchObject({ reason: 'name-too-long' });
    expect(faultOf(`<${name.slice(1)}></${name.slice(1)}>`)).toBeUndefined();
  });

  it('waits for a reference no longer than it may be, and is the same in any buffers', () => {
    const zeros = (count: number) => `<r>${'é'.repeat(9)}&#${'0'.repeat(count)}65;${'z'.repeat(2000)}</r>`;
    expect(texts(conform(zeros(1000), { text: ['.'], records: '/r' }))[0]![1]).toBe(`${'é'.repeat(9)}A${'z'.repeat(2000)}`);
    expect(conform(zeros(1100), { text: ['.'], records: '/r' }).faults).toMatchObject([{ reason: 'bad-reference', at: 21 }]);
    expect(conform(`<r>&${'x'.repeat(5000)}`).faults).toMatchObject([{ reason: 'bad-reference', at: 3 }]);
  });

  it('goes 100,000 elements deep, and not without end', () => {
    const deep = (depth: number) => `${'<a b="1">'.repeat(2)}${'<a>'.repeat(depth)}x${'</a>'.repeat(depth + 2)}`;
    for (const options of [{}, { text: ['.'] }, { text: ['@b'] }, { text: ['@b'], meta: [] }, { records: '//none' }]) {
      const { faults } = quick(deep(100_000), options);
      expect(faults.filter(({ reason }) => !['no-records', 'too-much-metadata'].includes(reason))).toEqual([]);
    }
    expect(faultOf('<a>'.repeat(300_000))).toMatchObject({ reason: 'too-deep', fatal: true });
  });

  it.each([
    ['text', '', ''],
    ['CDATA', '<![CDATA[', ']]>'],
  ])('passes on a %s that never ends', (_, before, after) => {
    const machine = xml({ uri: 'a.xml' }, { ...DEFAULTS, text: ['.'], maxRecordBytes: 1024 }, () => {});
    let [given, pushed] = [0, 0];
    const take = (items: Iterable<Item>) => {
      for (const item of items) if ('text' in item) given += item.text.length;
    };
    take(machine.push(utf8(`<r><a>${before}`)));
    const piece = utf8('abcd]] '.repeat(1000));
    for (let n = 0; n < 200; n++) {
      take(machine.push(piece));
      pushed += piece.length;
      expect(pushed - given).toBeLessThan(64 << 10);
    }
    take(machine.push(utf8(`${after}</a></r>`)));
    take(machine.end());
    expect(given).toBe(pushed);
  });

  it.each([
    ['a comment', '<r><!--', 'a - > ', '--></r>'],
    ['an instruction', '<r><?x ', 'a ? > ', '?></r>'],
    ['a document type', '<!DOCTYPE r [', '<!ENTITY a "]>"> ', ']><r/>'],
    ['unwanted text', '<r><a/><b>', 'a &amp; ', '</b></r>'],
  ])('passes over %s of any length', (_, before, piece, after) => {
    const source = before + piece.repeat(400_000) + after;
    expect(quick(source, { text: ['none'], meta: [], records: '/r/a' }).faults.filter(({ fatal }) => fatal)).toEqual([]);
  });
});
