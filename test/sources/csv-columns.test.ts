/** What columns are called, and what each is asked for as. */
import { describe, expect, it } from 'vitest';
import { Columns } from '../../sources/csv-columns.js';
import { seeded } from '../support/random.js';

const nothing = { text: [] };

describe('names of columns', () => {
  it.each([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      ['', 'a', ''],
      ['column1', 'a', 'column3'],
    ],
    [
      ['a', 'a', 'a'],
      ['a', 'a_2', 'a_3'],
    ],
    [
      ['a', 'a', 'a_2'],
      ['a', 'a_3', 'a_2'],
    ],
    [
      ['a_2', 'a', 'a', 'a_2'],
      ['a_2', 'a', 'a_3', 'a_2_2'],
    ],
    [
      ['', 'column1'],
      ['column1_2', 'column1'],
    ],
    [
      [' a ', 'a', '__proto__', '__proto__'],
      [' a ', 'a', '__proto__', '__proto___2'],
    ],
  ])('of the header %j are %j', (header, names) => {
    expect(new Columns(header, nothing).names).toEqual(names);
  });

  it('are all different, and each written name is its first column', () => {
    seeded(200, (rng) => {
      const parts = ['', 'a', 'a_2', 'a_3', 'column1', 'column2', 'column2_2', 'b'];
      const header = Array.from({ length: rng.between(1, 12) }, () => rng.pick(parts));
      const columns = new Columns(header, nothing);
      const names = [...columns.names, ...Array.from({ length: 4 }, (_, n) => columns.at(header.length + n).name)];
      expect(new Set(names).size, JSON.stringify(header)).toBe(names.length);
      for (const [index, name] of header.entries()) {
        if (name !== '' && header.indexOf(name) === index) expect(names[index]).toBe(name);
      }
    });
  });

  it('beyond the header are their numbers', () => {
    const columns = new Columns(['a', 'column3', 'column4_2'], nothing);
    expect([2, 3, 4, 1e9].map((index) => columns.at(index).name)).toEqual([
      'column4_2',
      'column4',
      'column5',
      'column1000000001',
    ]);
    expect(new Columns(['column2'], nothing).at(1).name).toBe('column2_2');
  });
});

describe('what is asked for', () => {
  const column = (header: string[], asked: ConstructorParameters<typeof Columns>[1], index: number) => {
    const { isText, isMeta, isKey } = new Columns(header, asked).at(index);
    return [isText && 'text', isMeta && 'meta', isKey && 'key'].filter(Boolean).join();
  };

  it('is all but the text as metadata, unless told', () => {
    const asked = { text: ['b'], idField: 'a' };
    expect([0, 1, 2, 5].map((index) => column(['a', 'b', 'c'], asked, index))).toEqual(['meta,key', 'text', 'meta', 'meta']);
  });

  it('is no metadata where a record is its own text, unless told', () => {
    expect(column(['a', 'b'], { text: [] }, 0)).toBe('');
    expect(column(['a', 'b'], { text: [], meta: ['a'] }, 0)).toBe('meta');
  });

  it('may be asked for twice', () => {
    expect(column(['a', 'b'], { text: ['a'], meta: ['a'], idField: 'a' }, 0)).toBe('text,meta,key');
    expect(column(['a', 'b'], { text: ['a'], meta: ['a'] }, 1)).toBe('');
  });

  it('may be a number, where no column has that name', () => {
    expect(column(['a', 'b'], { text: ['column2'] }, 1)).toBe('text');
    expect(column(['column2', 'b'], { text: ['column2'] }, 0)).toBe('text');
    expect(column(['a', 'b'], { text: ['column4'] }, 3)).toBe('text');
    expect(column([], { text: ['column1'] }, 0)).toBe('text');
  });

  it('may not be there: exactly as written, no other case, no blanks', () => {
    const { unknown } = new Columns(['a', 'b'], { text: ['A', 'b ', 'a'], meta: ['column0', 'A'], idField: 'id' });
    expect(unknown).toEqual(['A', 'b ', 'column0', 'id']);
  });
});
