import { describe, expect, it } from 'vitest';
import { fieldMap } from '../../sinks/fields.js';
import { linesSink } from '../../sinks/lines.js';
import { placeOf } from '../../sinks/place.js';
import type { Chunk } from '../../src/types.js';
import { memoryWorld } from '../support/world.js';

const chunk: Chunk = {
  ...{ id: 'i', source: 's', index: 0, start: 1, end: 2, text: 'a\ud83d' },
  metadata: { title: 'T', deep: { x: [1] }, 'a.b': 'dotted' },
};

function fields(...given: string[]) {
  const problems: string[] = [];
  const map = fieldMap(given, problems, '--fields');
  return { of: problems.length > 0 ? {} : map.of(chunk), problems };
}

describe('fields of choice', () => {
  it('are renamed, nested, dropped', () => {
    expect(fields('content=text,meta.src=source,meta.title=metadata.title', 'id').of).toEqual({
      content: 'a\ud83d',
      meta: { src: 's', title: 'T' },
      id: 'i',
    });
  });

  it('reach into metadata, and leave out what is not there', () => {
    const { of, problems } = fields(
      'x=metadata.deep.x,all=metadata,no=metadata.none,tokens,t=metadata.title.more,r=record.index',
    );
    expect(problems).toEqual([]);
    expect(of).toEqual({ x: [1], all: chunk.metadata });
  });

  it('have names with points, commas and equals signs behind a backslash', () => {
    const { of, problems } = fields(String.raw`a\.b=metadata.a\.b,c\,d=id,e\=f=id,g\\=id`);
    expect(problems).toEqual([]);
    expect(of).toEqual({ 'a.b': 'dotted', 'c,d': 'i', 'e=f': 'i', 'g\\': 'i' });
  });

  it('may be called __proto__', () => {
    const { of } = fields('__proto__.x=id,constructor=text');
    expect(JSON.stringify(of)).toBe('{"__proto__":{"x":"i"},"constructor":"a\\ud83d"}');
  });

  it.each([
    [
      'a=b',
      '--fields "a=b": a chunk has no b (it has id, source, index, start, end, tokens, context, record, metadata, text, embedding)',
    ],
    ['a=text.x', '--fields "a=text.x": text is one value; only metadata and record hold others'],
    ['a=', '--fields takes NAME=FIELD, such as content=text, not "a="'],
    ['=text', '--fields takes NAME=FIELD, such as content=text, not "=text"'],
    ['a=text=id', '--fields takes NAME=FIELD, such as content=text, not "a=text=id"'],
    ['a=text,a=id', '--fields names a twice'],
    ['a=text,a.b=id', '--fields makes a both a value and an object that holds others'],
  ])('%s is told of', (given, problem) => {
    expect(fields(given).problems).toEqual([problem]);
  });

  it('are what a line holds, without half a surrogate pair', async () => {
    const world = memoryWorld();
    const sink = linesSink({
      path: 'out',
      place: placeOf(world),
      stdout: world.stdout,
      fields: fieldMap(['b.c=text', 'a=id'], [], ''),
    });
    await sink.write(chunk);
    await sink.commit();
    expect(world.files().out).toBe('{"b":{"c":"a\ufffd"},"a":"i"}\n');
  });
});
