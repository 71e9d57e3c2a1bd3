/**
 * The frame of splitters, its window and its collector, by a toy format: a line is a record of `name=value` parts separated by
 * `;`, a value in `<>` may hold line ends and has `\\x` for x, and a line that begins with `!` is faulty. What the real formats
 * share is tested here; their grammars have tests of their own.
 */
import { describe, expect, it } from 'vitest';
import type { RecordOptions } from '../../sources/collector.js';
import { recordSplitter, type Scanner, type ScannerOf } from '../../sources/records.js';
import type { Report } from '../../src/types.js';
import { conformRecords, type Split, split } from '../conformance/records.js';
import { type Rng, seeded } from '../support/random.js';

const origin = { uri: 'toy' };
const encoded = (text: string) => new TextEncoder().encode(text);

const toy: ScannerOf = (window, collector) => {
  let [line, inRecord, inText, streamed] = [1, false, false, 0];
  const isDone = (at: number, all: string, final: boolean) => final && at >= all.length;

  /** A value in brackets from `at`: hands over what there is. Returns where it ends, or the negative place up to which it went. */
  const value = (all: string, at: number, wanted: boolean): number => {
    let [said, i] = ['', at];
    const escapes: number[] = [];
    for (; i < all.length && all[i] !== '>'; i++) {
      if (all[i] === '\\' && i + 1 === all.length) break;
      if (all[i] === '\\') escapes.push(said.length, 1, i++ - at, 2);
      said += all[i];
    }
    if (wanted && i > at) collector.addText(window.unescaped(at, i, said, escapes));
    return all[i] === '>' ? i + 1 : -i - 1;
  };

  const scanner: Scanner = {
    scan(all, final) {
      let at = 0;
      for (;;) {
        if (inText) {
          const end = value(all, at, !collector.isSource);
          if (end < 0 && !final) return -end - 1;
          if (end < 0) {
            if (window.reaches(streamed, all.length)) {
              // The first line is given up, and the next is read again.
              const begins = streamed;
              collector.reject('open', 'a value that does not end', { at: begins, end: firstLine });
              window.rewind(firstLine, all.length);
              collector.rewound();
              [inRecord, inText] = [false, false];
              return 'again';
            }
            collector.reject('open', 'a value that does not end', { end: window.endOf(all.length) });
            return all.length;
          }
          if (!collector.isSource) collector.closeText();
          inText = false;
          at = end;
        }
        if (isDone(at, all, final)) {
          if (inRecord) collector.end(at);
          return at;
        }
        const stop = nextOf(all, at, inRecord);
        if (stop < 0 && !final) return at;
        const to = stop < 0 ? all.length : stop;
        if (!inRecord) {
          if (all[at] === '\n') {
            at++;
            line++;
            continue;
          }
          const feed = all.indexOf('\n', at);
          if (feed < 0 && !final) return at;
          firstLine = feed < 0 ? window.endOf(all.length) : window.endOf(feed + 1);
          streamed = window.startOf(at);
          window.keepFrom(streamed);
          collector.begin(at, { line });
          if (all[at] === '!') {
            const end = feed < 0 ? all.length : feed;
            collector.reject('bad', 'it says so', { end: window.endOf(end) });
            at = end;
            continue;
          }
          inRecord = true;
          continue;
        }
        if (all[at] === '\n') {
          collector.end(at);
          inRecord = false;
          continue;
        }
        if (all[at] === ';') {
          at++;
          collector.mark(at, 'field', `line ${line}`);
          continue;
        }
        const equals = all.indexOf('=', at);
        const name = equals < 0 || equals > to ? all.slice(at, to) : all.slice(at, equals);
        if (all[at + name.length + 1] === '<') {
          if (!collector.isSource) collector.openText(name);
          inText = true;
          at += name.length + 2;
          continue;
        }
        const plain = all.slice(at + name.length + 1, to);
        if (!collector.isSource && collector.spend(plain.length)) collector.meta(name, plain);
        at = to;
      }
    },
  };
  let firstLine = 0;
  return scanner;
};

/** Where a part ends: it must be seen to be sure. */
function nextOf(all: string, at: number, inRecord: boolean): number {
  if (!inRecord) return all.indexOf('\n', at);
  const match = /[;\n]|=</g;
  match.lastIndex = at;
  return match.exec(all)?.index ?? -1;
}

function options(given: Partial<RecordOptions> = {}) {
  return { text: ['t'], pack: false, maxRecordBytes: 1 << 20, encoding: 'auto' as const, onInvalid: () => {}, ...given };
}

function subject(given: Partial<RecordOptions> = {}) {
  const all = options(given);
  return {
    make: (report: Report) => recordSplitter(origin, all, report, toy),
    unescape: (raw: string) => raw.slice(1),
  };
}

const shown = ({ documents, faults }: Split) => ({
  documents: documents.map(({ doc, segments }) => ({
    ...doc.record,
    ...(doc.field === undefined ? {} : { field: doc.field }),
    metadata: doc.metadata,
    text: segments.map((segment) => segment.text).join(''),
  })),
  faults: faults.map(({ reason, at, range, record, fatal }) => [reason, at, range, record, fatal]),
});

const found = (text: string, given: Partial<RecordOptions> = {}) => shown(conformRecords(subject(given), encoded(text)));

describe('records', () => {
  it('hold a text until the metadata after it is known', () => {
    expect(found('a=1;t=<x\\<y>;b=2\n')).toEqual({
      documents: [{ index: 0, start: 0, end: 16, line: 1, field: 't', metadata: { a: '1', b: '2' }, text: 'x<y' }],
      faults: [],
    });
  });

  it('give the texts of a record in order, each with all metadata, and an empty one too', () => {
    const { documents } = found('t=<one>;a=1;u=<>;t=<two>\n');
    expect(documents.map(({ field, text, metadata }) => [field, text, metadata])).toEqual([
      ['t', 'one', { a: '1' }],
      ['u', '', { a: '1' }],
      ['t', 'two', { a: '1' }],
    ]);
  });

  it('make a list of a name that comes again, and an own key of __proto__', () => {
    const { documents } = found('a=1;a=2;__proto__=3;a=4;t=<x>\na=5;t=<y>\n');
    expect(documents.map(({ metadata }) => JSON.stringify(metadata))).toEqual([
      '{"a":["1","2","4"],"__proto__":"3"}',
      '{"a":"5"}',
    ]);
  });

  it('let a long text out before its end, with what came before it and without the end of its record', () => {
    const long = 'x'.repeat(300);
    const { documents, faults } = found(`a=1;t=<${long}>\nt=<y>\n`, { maxRecordBytes: 200 });
    expect(documents.map(({ start, end, metadata, text }) => [start, end, metadata, text])).toEqual([
      [0, undefined, { a: '1' }, long],
      [309, 314, {}, 'y'],
    ]);
    expect(faults).toEqual([]);
  });

  it('tell of metadata that came too late, and go on', () => {
    const { documents, faults } = found(`t=<${'x'.repeat(300)}>;a=1;b=2\nt=<y>\n`, { maxRecordBytes: 200 });
    expect(documents.map(({ metadata }) => metadata)).toEqual([{}, {}]);
    expect(faults).toEqual([['late-metadata', 0, [0, 312], 0, false]]);
  });

  it('reject one with too much metadata', () => {
    const { documents, faults } = shown(split(subject().make, [encoded(`a=${'x'.repeat(2 ** 20 + 1)};t=<x>\nt=<y>\n`)]));
    expect(documents.map(({ text }) => text)).toEqual(['y']);
    expect(faults.map(([reason]) => reason)).toEqual(['too-much-metadata']);
  });

  it('count a rejected record, and tell its bytes', () => {
    const { documents, faults } = found('t=<a>\n!bad\nt=<b>\n');
    expect(documents.map(({ index, line, text }) => [index, line, text])).toEqual([
      [0, 1, 'a'],
      [2, 3, 'b'],
    ]);
    expect(faults).toEqual([['bad', 6, [6, 10], 1, false]]);
  });

  it('go back to the second line of a record that swallowed others', () => {
    // The toy does not count the line that it gives up.
    const { documents, faults } = found('t=<a>\nt=<b\na=1\nb=2', { text: [] });
    expect(documents.map(({ index, line, text }) => [index, line, text])).toEqual([
      [0, 1, 't=<a>'],
      [2, 2, 'a=1'],
      [3, 3, 'b=2'],
    ]);
    expect(faults).toEqual([['open', 6, [6, 11], 1, false]]);
  });

  it('say that no record has the field', () => {
    const { faults } = found('a=1;b=2\na=1\n', { text: ['t'] });
    expect(faults).toEqual([['no-such-field', undefined, undefined, undefined, false]]);
  });

  it('say nothing of fields where every record is faulty', () => {
    const { faults } = found('!bad\n!bad\n', { text: ['t'] });
    expect(faults.map(([reason]) => reason)).toEqual(['bad', 'bad']);
  });

  it('pass over what is not wanted, faults too', () => {
    const { documents, faults } = found('t=<a>\n!bad\nt=<b>\n', { wanted: (start) => start > 8 });
    expect([documents.map(({ text }) => text), faults]).toEqual([['b'], []]);
  });
});

describe('records that are their own text', () => {
  const source = (given: Partial<RecordOptions> = {}) => ({ text: [], ...given });

  it('are a document each, with a mark where a field begins', () => {
    const { documents } = conformRecords(subject(source()), encoded('a=1;b=2\n\nc=3\n'));
    expect(
      documents.map(({ doc, segments }) => [doc.record, segments.map(({ text, mark }) => [mark?.kind, mark?.label, text])]),
    ).toEqual([
      [
        { index: 0, start: 0, end: 7, line: 1 },
        [
          ['record', undefined, 'a=1;'],
          ['field', 'line 1', 'b=2'],
        ],
      ],
      [{ index: 1, start: 9, end: 12, line: 3 }, [['record', undefined, 'c=3']]],
    ]);
  });

  it('are one document when they are packed, with a mark where each begins and ends', () => {
    const { documents } = conformRecords(subject(source({ pack: true })), encoded('a=1\nb=2\n!bad\nc=3\n\n\nd=4'));
    const marks = documents.map(({ segments }) => segments.map(({ text, mark }) => [mark?.kind, mark?.record?.end, text]));
    expect(marks).toEqual([
      [
        ['record', 3, 'a=1'],
        ['between', undefined, '\n'],
        ['record', 7, 'b=2'],
      ],
      [
        ['record', 16, 'c=3'],
        ['between', undefined, '\n\n\n'],
        ['record', 22, 'd=4'],
      ],
    ]);
  });

  it('are other documents after more than a separator', () => {
    const { documents } = conformRecords(subject(source({ pack: true })), encoded(`a=1${'\n'.repeat(300)}b=2\nc=3\n`));
    expect(documents.map(({ segments }) => segments.map(({ text }) => text).join(''))).toEqual(['a=1', 'b=2\nc=3']);
  });

  it('go out before their end when they are long', () => {
    for (const pack of [false, true]) {
      const { documents } = conformRecords(
        subject(source({ pack, maxRecordBytes: 50 })),
        encoded(`a=${'x'.repeat(99)};b=2\nc=3\n`),
      );
      const texts = documents.map(({ segments }) => segments.map(({ text }) => text).join(''));
      expect(texts.join('|')).toBe(pack ? `a=${'x'.repeat(99)};b=2\nc=3` : `a=${'x'.repeat(99)};b=2|c=3`);
      const [first] = documents;
      expect(pack ? first!.segments[0]!.mark?.record : first!.doc.record).toEqual({ index: 0, start: 0, line: 1 });
    }
  });
});

/** Lines of the toy, some faulty, some long. */
function anyLines(rng: Rng): string {
  const part = () => {
    const value = Array.from({ length: rng.between(0, 12) }, () => rng.pick(['x', 'é', '😀', '\\>', '\\\\', '\n', '\\é'])).join(
      '',
    );
    return rng.chance(0.5) ? `${rng.pick(['a', 'b'])}=${value.replace(/[\\\n]/g, '')}` : `${rng.pick(['t', 'u'])}=<${value}>`;
  };
  const line = () => (rng.chance(0.1) ? '!no' : Array.from({ length: rng.between(1, 4) }, part).join(';'));
  return Array.from({ length: rng.between(0, 8) }, line).join(rng.pick(['\n', '\n\n']));
}

describe('the laws', () => {
  it.each(['utf-8', 'utf-16le'] as const)('hold for any lines, any limit, packed or not, in %s', (encoding) => {
    seeded(60, (rng) => {
      const text = anyLines(rng);
      const bytes = encoding === 'utf-8' ? encoded(text) : new Uint8Array(Buffer.from(text, 'utf16le'));
      const given = { maxRecordBytes: rng.pick([1, 70, 1 << 20]), ...rng.pick([{}, { text: [] }, { text: [], pack: true }]) };
      const all = { ...options(given), encoding };
      const make = (report: Report) => recordSplitter(origin, all, report, toy);
      conformRecords({ make, unescape: (raw) => raw.slice(1) }, bytes, rng.seed);
    });
  });
});
