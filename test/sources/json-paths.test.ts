/** Paths into JSON: what is one, where it leads, and that a written path leads back to its place. */
import { describe, expect, it } from 'vitest';
import {
  ANY,
  elementPath,
  jsonPathProblem,
  jsonPathSteps,
  memberPath,
  PATH_UNITS,
  PathState,
  Trail,
} from '../../sources/json-paths.js';
import { seeded, troubleText } from '../support/random.js';

describe('a path', () => {
  it.each([
    ['$', []],
    ['a', ['a']],
    ['$.a', ['a']],
    ['a.b', ['a', 'b']],
    ['items[*]', ['items', ANY]],
    ['[*]', [ANY]],
    ['$[*].a', [ANY, 'a']],
    ['users.*', ['users', ANY]],
    ['*', [ANY]],
    ['a[3][ 0 ]', ['a', 3, 0]],
    ['a.3', ['a', '3']],
    ['["odd.name"]', ['odd.name']],
    ['a["b\\"]"].c', ['a', 'b"]', 'c']],
    ['[""]', ['']],
    ['["*"]', ['*']],
    ['$price', ['$price']],
    ['odd name', ['odd name']],
  ])('%s has its steps', (path, steps) => {
    expect(jsonPathProblem(path)).toBeUndefined();
    expect(jsonPathSteps(path)).toEqual(steps);
  });

  it.each([
    ['', 'a path is empty: write $ for the whole value'],
    ['a.', 'expected a name, [*], [3] or ["a name"] at the end of the path "a."'],
    ['a..b', 'expected a name, [*], [3] or ["a name"] at ".b" in the path "a..b"'],
    ['.a', 'expected a name, [*], [3] or ["a name"] at ".a" in the path ".a"'],
    ['items[]', 'expected a name, [*], [3] or ["a name"] at "[]" in the path "items[]"'],
    ['a[1', 'expected a name, [*], [3] or ["a name"] at "[1" in the path "a[1"'],
    ['a[-1]', 'expected a name, [*], [3] or ["a name"] at "[-1]" in the path "a[-1]"'],
    ['a[b]', 'expected a name, [*], [3] or ["a name"] at "[b]" in the path "a[b]"'],
    ['["a]', 'expected a name, [*], [3] or ["a name"] at "["a]" in the path "["a]"'],
    ['["\\x"]', 'expected a name, [*], [3] or ["a name"] at "["\\x"]" in the path "["\\x"]"'],
    ['[1]a', 'a . or a [ is missing at "a" in the path "[1]a"'],
    ['a]', 'a . or a [ is missing at "]" in the path "a]"'],
  ])('%j is none', (path, problem) => {
    expect(jsonPathProblem(path)).toBe(problem);
    expect(() => jsonPathSteps(path)).toThrow(problem);
  });

  it('that is written leads back to its place', () => {
    seeded(300, (rng) => {
      const steps = Array.from({ length: rng.between(0, 5) }, () =>
        rng.chance(0.3)
          ? rng.between(0, 1000)
          : rng.chance(0.3)
            ? rng.pick(['*', '$', '$.a', '', '3', 'a.b', "it's"])
            : troubleText(rng, rng.between(0, 10)).toWellFormed(),
      );
      const start = rng.pick(['', '$']);
      const write = (path: string, step: string | number) =>
        typeof step === 'number' ? elementPath(path, step) : memberPath(path, step);
      const written = steps.reduce(write, start);
      if (written !== '') expect(jsonPathSteps(written)).toEqual(steps);
    });
  });

  it('is cut where it is too long to be written with every chunk', () => {
    const long = memberPath('$', 'n'.repeat(PATH_UNITS * 2));
    expect(long).toHaveLength(PATH_UNITS + 1);
    expect(long.endsWith('n…')).toBe(true);
    expect(memberPath(long, 'a')).toBe(long);
    expect(elementPath(long, 3)).toBe(long);
  });
});

describe('paths that are matched', () => {
  const uses = (paths: readonly string[], ...place: (string | number)[]): readonly string[] => {
    let state: PathState<string> | undefined = new PathState(paths.map((path) => ({ steps: jsonPathSteps(path), use: path })));
    for (const step of place) state = state?.at(step);
    return state?.uses ?? [];
  };

  it('are known at their places, all of them', () => {
    expect(uses(['a.b', 'a.*', '*.b', 'a'], 'a', 'b')).toEqual(['a.b', 'a.*', '*.b']);
    expect(uses(['a.b', 'a.*', '*.b', 'a'], 'a', 'c')).toEqual(['a.*']);
    expect(uses(['a.b', 'a.*', '*.b', 'a'], 'x', 'b')).toEqual(['*.b']);
    expect(uses(['a.b', 'a'], 'a')).toEqual(['a']);
    expect(uses(['$'])).toEqual(['$']);
    expect(uses(['a'], 'a', 'b')).toEqual([]);
  });

  it('tell an index from a name, and take both for any', () => {
    expect(uses(['a[0]'], 'a', 0)).toEqual(['a[0]']);
    expect(uses(['a[0]'], 'a', '0')).toEqual([]);
    expect(uses(['a.0'], 'a', 0)).toEqual([]);
    expect(uses(['a[*]'], 'a', 7)).toEqual(['a[*]']);
    expect(uses(['a[*]'], 'a', 'b')).toEqual(['a[*]']);
  });

  it('find no member that an object has by nature', () => {
    expect(uses(['a'], 'constructor')).toEqual([]);
    expect(uses(['__proto__'], '__proto__')).toEqual(['__proto__']);
  });
});

describe('a trail', () => {
  it('knows the place it has come to', () => {
    const trail = new Trail<string>();
    trail.begin(new PathState([{ steps: jsonPathSteps('a[1]'), use: 'here' }]), '$');
    trail.value();
    expect([trail.path, trail.isElement]).toEqual(['$', false]);
    trail.enter(true);
    trail.name('a');
    trail.value();
    expect([trail.path, trail.label, trail.isElement]).toEqual(['$.a', 'a', false]);
    trail.enter(false);
    trail.value();
    expect([trail.path, trail.label, trail.state?.uses]).toEqual(['$.a[0]', '[0]', undefined]);
    trail.value();
    expect([trail.path, trail.isElement, trail.state?.uses]).toEqual(['$.a[1]', true, ['here']]);
    trail.leave();
    trail.name('odd.name');
    trail.value();
    expect([trail.path, trail.state]).toEqual(['$["odd.name"]', undefined]);
  });
});
