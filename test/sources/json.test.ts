/** The `json` splitter: records at paths, held to the laws of splitters of records; JSON.parse and a model are the oracles. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type JsonOptions, json } from '../../sources/json.js';
import { ANY, jsonPathSteps } from '../../sources/json-paths.js';
import type { Segment } from '../../src/types.js';
import { conformRecords, type Split, split } from '../conformance/records.js';
import { randomJson, randomObject, type Scalar, scalarsIn } from '../support/json.js';
import { type Rng, seeded } from '../support/random.js';
import { onBytes } from '../support/repro.js';

const encoder = new TextEncoder();
const undone = (raw: string): string => (JSON.parse(`"${raw}"`) as string).toWellFormed();

function optionsOf(given: Partial<JsonOptions>): JsonOptions {
  return { encoding: 'auto', onInvalid: () => {}, text: [], pack: false, maxRecordBytes: 1 << 24, ...given };
}

function subject(given: Partial<JsonOptions>) {
  return { make: (report: (error: Error) => void) => json({ uri: 'a.json' }, optionsOf(given), report), unescape: undone };
}

/** Under all laws. */
function read(source: string | Uint8Array, given: Partial<JsonOptions> = {}): Split {
  return conformRecords(subject(given), typeof source === 'string' ? encoder.encode(source) : source);
}

/** The fields with their texts, in order. */
function fields({ documents }: Split): [field: string | undefined, text: string][] {
  return documents.map(({ doc, segments }) => [doc.field, joined(segments)]);
}

function joined(segments: readonly Segment[]): string {
  return segments.map(({ text }) => text).join('');
}

/** Where the records are, in what bytes. */
function records({ documents }: Split): unknown[] {
  return documents.map(({ doc }) => [doc.record!.path, doc.record!.start, doc.record!.end]);
}

it('finds no value after the signature alone', () => {
  expect(read('\ufeff').faults).toMatchObject([{ reason: 'no-value', at: 3 }]);
});

describe('the json splitter finds records', () => {
  it('the whole document, as its own text, where nothing is asked for', () => {
    const found = read(' [1, {"a": 2}]\n');
    expect(fields(found)).toEqual([[undefined, '[1, {"a": 2}]']]);
    expect(records(found)).toEqual([['$', 1, 14]]);
  });

  it('the elements of a root array, where texts are asked for, or records packed', () => {
    const source = '[{"t":"a"},{"t":"b","n":1}]';
    const found = read(source, { text: ['t'] });
    expect(fields(found)).toEqual([
      ['t', 'a'],
      ['t', 'b'],
    ]);
    expect(records(found)).toEqual([
      ['$[0]', 1, 10],
      ['$[1]', 11, 26],
    ]);
    expect(found.documents[1]!.doc.metadata).toEqual({ n: 1 });
    expect(fields(read(source, { pack: true }))).toEqual([[undefined, '{"t":"a"},{"t":"b","n":1}']]);
    expect(read(source, { pack: true }).documents[0]!.segments.map(({ mark }) => mark?.kind)).toEqual([
      ...['record', 'field', 'between', 'record', 'field', 'field'],
    ]);
  });

  it.each([
    ['items[*]', '{"n":[1],"items":[{"t":"a"},{"t":"b"}],"z":{"items":[{"t":"c"}]}}', ['$.items[0]', '$.items[1]']],
    ['$.a.b[*]', '{"b":[{"t":"x"}],"a":{"c":1,"b":[{"t":"a"}]}}', ['$.a.b[0]']],
    ['[*]', '[{"t":"a"}]', ['$[0]']],
    ['users.*', '{"users":{"ann":{"t":"a"},"odd.one":{"t":"b"}}}', ['$.users.ann', '$.users["odd.one"]']],
    ['$', '{"t":"a"}', ['$']],
    ['["odd.name"]', '{"odd.name":{"t":"a"}}', ['$["odd.name"]']],
    ['a[1]', '{"a":[{"t":"x"},{"t":"a"}]}', ['$.a[1]']],
    ['a', '{"a":{"t":"a"}}', ['$.a']],
    ['a[*].b[*]', '{"a":[{"b":[{"t":"a"}]},{"c":0},{"b":[{"t":"b"},{"t":"c"}]}]}', ['$.a[0].b[0]', '$.a[2].b[0]', '$.a[2].b[1]']],
  ])('at %s', (path, source, expected) => {
    const found = read(source, { records: path, text: ['t'] });
    expect(records(found).map((each) => (each as unknown[])[0])).toEqual(expected);
    expect(found.faults).toEqual([]);
  });

  it('of which some are scalars', () => {
    expect(fields(read('["a",1,null,[],{"x":"y"},"\\u0062"]', { text: ['$'] }))).toEqual([
      ['$', 'a'],
      ['$', '1'],
      ['x', 'y'],
      ['$', 'b'],
    ]);
  });

  it('and says what there is instead where there is none', () => {
    const miss = (source: string, path: string) =>
      read(source, { records: path, text: ['t'] }).faults.map(({ message }) => message);
    expect(miss('{"n":1,"entries":[{"t":"a"}]}', 'items[*]')).toEqual([
      'a.json: there is nothing at items[*] (it has "n", "entries")',
    ]);
    expect(miss('{"items":[{"t":{}}]}', 'items.t')).toEqual([
      'a.json: there is nothing at items.t: $.items is an array, whose elements are $.items[*]',
    ]);
    expect(miss('{"items":[]}', 'items[*]')).toEqual([]);
    expect(miss('{"items":null}', 'items[*]')).toHaveLength(1);
    expect(miss('[]', '[*]')).toEqual([]);
    expect(read('[]', { text: ['t'] }).faults).toEqual([]);
  });

  it('reads its sample', () => {
    const sample = readFileSync(new URL('../../samples/records.json', import.meta.url), 'utf8');
    const { documents, faults } = read(sample, { records: 'items[*]', text: ['body'] });
    expect(faults).toEqual([]);
    expect(documents.map(({ doc }) => [doc.record!.path, doc.field])).toEqual([
      ['$.items[0]', 'body'],
      ['$.items[1]', 'body'],
      ['$.items[3]', 'body'],
      ['$.items[4]', 'body[0]'],
      ['$.items[4]', 'body[1]'],
      ['$.items[4]', 'body[2].note'],
      ['$.items[5]', 'body'],
    ]);
    expect(documents[1]!.doc.metadata).toEqual({ id: 2, weight: 1.1, huge: '1e400', minus: '-0' });
  });
});

describe('the json splitter on random documents', () => {
  it('loses no scalar and makes none up: texts and metadata are what is in, each in its place', () => {
    seeded(60, (rng) => {
      const written = Array.from({ length: rng.between(1, 4) }, () => randomObject(rng, 4));
      const text = rng.pick([['$'], ['body'], ['body', 'meta', 'a'], ['*.a', 'body[*]'], ['["odd.name"]', '$["*"]']]);
      const found = read(`[${written.map((each) => each.json).join(rng.pick([',', ' ,\n']))}]`, { text });
      for (const [index, { scalars }] of written.entries()) {
        const documents = found.documents.filter(({ doc }) => doc.record!.index === index);
        // A record without a text has no document to carry its metadata.
        if (documents.length === 0) continue;
        const texts = documents.map(({ doc, segments }) => [place(jsonPathSteps(doc.field!)), joined(segments)]);
        const kept = scalarsIn(documents[0]!.doc.metadata).map((each) => [place(each.steps), each.kept]);
        const isText = ({ steps }: Scalar) => isUnder(text, steps);
        const expected = scalars.map((each) => [place(each.steps), isText(each) ? each.text : each.kept, isText(each)] as const);
        // null is no text, and what is named as text is no metadata.
        const [asTexts, asKept] = [
          expected.filter(([, said, isOne]) => isOne && said !== 'null'),
          expected.filter(([, , isOne]) => !isOne),
        ];
        expect(texts.toSorted()).toEqual(asTexts.map((each) => each.slice(0, 2)).toSorted());
        expect(kept.toSorted()).toEqual(asKept.map((each) => each.slice(0, 2)).toSorted());
      }
    });
  });

  it('says what JSON.parse says where that is exact', () => {
    seeded(40, (rng) => {
      const { json: source } = randomJson(rng, 5);
      const found = read(`{"t":"","v":${source}}`, { text: ['t'], meta: ['v'] });
      const [value] = Object.values(found.documents[0]!.doc.metadata);
      const parsed = JSON.parse(source, (_, each) => (typeof each === 'string' ? each.toWellFormed() : each));
      if (!/[-.e]|\d{16}/i.test(source.replace(/"(?:[^"\\]|\\.)*"/g, ''))) expect(value).toEqual(parsed);
    });
  });

  it('accepts a document just if JSON.parse does, whatever byte is changed', () => {
    seeded(1500, (rng) => {
      const bytes = encoder.encode(randomObject(rng, 3).json);
      corrupt(rng, bytes);
      const source = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      let valid: string;
      try {
        valid = source.decode(bytes);
      } catch {
        return;
      }
      // A signature is no JSON, but is taken off.
      if (valid.startsWith('\ufeff') || valid.trim() === '') return;
      const found = split(subject({ text: ['$'], records: '$' }).make, [bytes]);
      const isSound = parses(valid);
      if (found.faults.some(({ fatal }) => fatal) === isSound)
        expect.fail(`${JSON.stringify(valid)}: ${JSON.stringify(found.faults)}`);
    });
  });

  it('keeps the laws on corrupt documents, whatever is asked for', () => {
    seeded(40, (rng) => {
      const bytes = encoder.encode(`[${[randomObject(rng, 3), randomObject(rng, 3)].map((each) => each.json).join(',')}]`);
      for (let n = rng.between(0, 2); n > 0; n--) corrupt(rng, bytes);
      const options = {
        text: rng.pick([[], ['$'], ['body', 'a']]),
        pack: rng.chance(0.3),
        maxRecordBytes: rng.pick([1 << 24, 20, 100]),
        ...(rng.chance(0.5) ? { idField: 'id' } : {}),
        ...(rng.chance(0.5) ? { meta: ['meta', 'a', '*[*]'] } : {}),
      };
      const usable = options.pack ? { ...options, text: [] } : options;
      onBytes(bytes, (some) => void conformRecords(subject(usable), some), usable);
    });
  });
});

function place(steps: readonly unknown[]): string {
  return JSON.stringify(steps);
}

/** Whether one of these paths leads to a place, or to a container that it is in. */
function isUnder(paths: readonly string[], place: readonly (string | number)[]): boolean {
  return paths
    .map(jsonPathSteps)
    .some((steps) => steps.every((step, i) => i < place.length && (step === ANY || step === place[i])));
}

function corrupt(rng: Rng, bytes: Uint8Array): void {
  bytes[rng.between(0, bytes.length - 1)] = rng.pick([rng.between(0, 255), ...encoder.encode('{}[],:"\\0-.e \n\ttfn')]);
}

function parses(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}
