/**
 * Whether a regular expression can run away: whether there are texts on which a backtracking engine tries exponentially many
 * ways, or more than so many as the text is long, before it gives up. It can when a loop can take one text in two ways, or when
 * two loops that follow each other can share it out in many; unless the pattern may end there, for then it never gives up.
 *
 * Decided on the pattern's automaton: its positions are the pattern's characters, and an edge leads from each to those that may
 * come next, as often as there are ways. What a character matches is asked of the engine, for samples of all kinds of characters.
 */
import { EMPTY, type Tree, treeOf } from './regex-tree.js';

/** What is wrong with a pattern as a separator, as the rest of a sentence about it; undefined: nothing. */
export function patternProblem({ source, flags }: RegExp): string | undefined {
  const tree = treeOf(source);
  if (matchesNothing(tree)) return 'may match the empty text, which separates nothing';
  try {
    for (const part of [tree, ...lookarounds(tree)]) {
      if (new Automaton(part, flags).canRunAway()) return RUNS_AWAY;
    }
  } catch (error) {
    if (error === TOO_LARGE) return 'is too large to be checked: write it as several smaller ones';
    throw error;
  }
  return undefined;
}

const RUNS_AWAY =
  'may run away: repeated parts of it can match the same text in many ways, all of which are tried where it does not match; ' +
  'let neighbouring parts match different characters';

function matchesNothing(tree: Tree): boolean {
  switch (tree.kind) {
    case 'assert':
      return true;
    case 'atom':
      return false;
    case 'all':
      return tree.parts.every(matchesNothing);
    case 'any':
      return tree.parts.some(matchesNothing);
    case 'repeat':
      return tree.min === 0 || matchesNothing(tree.part);
  }
}

/** What stands in lookarounds is matched by itself, and not gone back into. */
function lookarounds(tree: Tree): Tree[] {
  switch (tree.kind) {
    case 'assert':
      return tree.within === undefined ? [] : [tree.within, ...lookarounds(tree.within)];
    case 'atom':
      return [];
    case 'repeat':
      return lookarounds(tree.part);
    default:
      return tree.parts.flatMap(lookarounds);
  }
}

const TOO_LARGE = new Error('too large');
const MOST_POSITIONS = 2000;
const MOST_STEPS = 10_000_000;

/** Repeated no oftener than so, a part is written out; oftener is taken for without end. */
const WRITTEN_OUT = 4;

/** The positions that a part of the pattern can begin and end with. */
interface Ends {
  readonly isNullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
  /** Those of `last` after which nothing can fail. */
  readonly sure: readonly number[];
}

const NONE: Ends = { isNullable: true, first: [], last: [], sure: [] };

class Automaton {
  readonly #flags: string;
  readonly #samples: readonly string[];
  readonly #sets = new Map<string, bigint>();
  /** For each position the samples it matches, a bit each. */
  readonly #matches: bigint[] = [];
  readonly #edges: number[][] = [];
  /** The edges between positions that the pattern may not end at. */
  readonly #next: readonly (readonly number[])[];
  #steps = 0;

  constructor(tree: Tree, flags: string) {
    this.#flags = flags.replace(/[gmy]/g, '');
    this.#samples = samplesFor(tree);
    const sure = new Set(this.#ends(tree).sure);
    // An engine that has been there ends there at the latest, and tries no other way to it.
    this.#next = this.#edges.map((next, position) => (sure.has(position) ? [] : next.filter((each) => !sure.has(each))));
  }

  canRunAway(): boolean {
    const loops = this.#loops();
    return loops.some(
      (loop) =>
        this.#isAmbiguous(loop) ||
        loops.some((other) => other !== loop && other.some((q) => loop.some((p) => this.#shares(p, q)))),
    );
  }

  /* ---------------------------------------------------------------- how it is built */

  #ends(tree: Tree): Ends {
    switch (tree.kind) {
      case 'assert':
        return NONE;
      case 'atom':
        return this.#atom(tree.source);
      case 'all':
        return tree.parts.reduce<Ends>((before, part) => this.#joined(before, part), NONE);
      case 'any':
        return tree.parts.map((part) => this.#ends(part)).reduce(either);
      case 'repeat':
        return this.#repeated(tree.part, tree.min, tree.max);
    }
  }

  #atom(source: string): Ends {
    const position = this.#matches.length;
    if (position >= MOST_POSITIONS) throw TOO_LARGE;
    let set = this.#sets.get(source);
    if (set === undefined) {
      const one = new RegExp(`^(?:${source})$`, this.#flags);
      set = this.#samples.reduce((bits, sample, n) => (one.test(sample) ? bits | (1n << BigInt(n)) : bits), 0n);
      this.#sets.set(source, set);
    }
    this.#matches.push(set);
    this.#edges.push([]);
    return { isNullable: false, first: [position], last: [position], sure: [position] };
  }

  #joined(before: Ends, part: Tree): Ends {
    const after = this.#ends(part);
    this.#link(before.last, after.first);
    return {
      isNullable: before.isNullable && after.isNullable,
      first: before.isNullable ? [...before.first, ...after.first] : before.first,
      last: after.isNullable ? [...before.last, ...after.last] : after.last,
      sure: after.isNullable && !mayFail(part) ? [...before.sure, ...after.sure] : after.sure,
    };
  }

  #repeated(part: Tree, min: number, max: number): Ends {
    if (max > WRITTEN_OUT && min <= 1) {
      const ends = this.#ends(part);
      this.#link(ends.last, ends.first);
      return min === 0 ? { ...ends, isNullable: true } : ends;
    }
    const isEndless = max > WRITTEN_OUT;
    const copies = isEndless ? Math.min(min, WRITTEN_OUT) - 1 : max;
    let ends = NONE;
    for (let n = 0; n < copies; n++) ends = this.#joined(ends, n < min ? part : { kind: 'any', parts: [part, EMPTY] });
    return isEndless ? this.#joined(ends, { kind: 'repeat', part, min: 1, max }) : ends;
  }

  /** Each way counts, also the second from one position to another. */
  #link(from: readonly number[], to: readonly number[]): void {
    for (const position of from) this.#edges[position]!.push(...to);
  }

  /* ---------------------------------------------------------------- what is asked of it */

  /** Positions that lead back to themselves, those that lead to each other together. */
  #loops(): number[][] {
    const reached = this.#next.map((_, position) => this.#reachedFrom(position));
    const loops: number[][] = [];
    const placed = new Set<number>();
    for (const [position, others] of reached.entries()) {
      if (placed.has(position) || !others.has(position)) continue;
      const loop = [...others].filter((other) => reached[other]!.has(position));
      for (const other of loop) placed.add(other);
      loops.push(loop);
    }
    return loops;
  }

  #reachedFrom(position: number): Set<number> {
    const reached = new Set<number>();
    const open = [position];
    for (let here = open.pop(); here !== undefined; here = open.pop()) {
      for (const next of this.#next[here]!) {
        this.#step();
        if (!reached.has(next)) {
          reached.add(next);
          open.push(next);
        }
      }
    }
    return reached;
  }

  /** Whether a text leads from a position of the loop back to it in two ways: then n such texts do in two to the n. */
  #isAmbiguous(loop: readonly number[]): boolean {
    const within = new Set(loop);
    const [start] = loop as [number];
    const isTwice = loop.some((position) => {
      const inside = this.#next[position]!.filter((next) => within.has(next));
      return new Set(inside).size < inside.length;
    });
    if (isTwice) return true;
    const size = this.#next.length;
    const pairs = new Map<number, number[]>();
    const open = [start * size + start];
    for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
      if (pairs.has(pair)) continue;
      const after: number[] = [];
      for (const p of this.#next[Math.floor(pair / size)]!) {
        for (const q of this.#next[pair % size]!) {
          this.#step();
          if (within.has(p) && within.has(q) && (this.#matches[p]! & this.#matches[q]!) !== 0n) after.push(p * size + q);
        }
      }
      pairs.set(pair, after);
      open.push(...after);
    }
    return comesBack(pairs, start * size + start, (pair) => Math.floor(pair / size) !== pair % size);
  }

  /** Whether one text leads from p to p, from p to q and from q to q: then p and q share n such texts out in n ways. */
  #shares(p: number, q: number): boolean {
    const size = this.#next.length;
    const seen = new Set<number>();
    const open: [number, number, number][] = [[p, p, q]];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      for (const a of this.#next[state[0]]!) {
        for (const b of this.#next[state[1]]!) {
          const both = this.#matches[a]! & this.#matches[b]!;
          this.#step();
          if (both === 0n) continue;
          for (const c of this.#next[state[2]]!) {
            this.#step();
            if ((both & this.#matches[c]!) === 0n) continue;
            if (a === p && b === q && c === q) return true;
            const key = (a * size + b) * size + c;
            if (!seen.has(key)) open.push([a, b, c]);
            seen.add(key);
          }
        }
      }
    }
    return false;
  }

  #step(): void {
    if (++this.#steps > MOST_STEPS) throw TOO_LARGE;
  }
}

function either(a: Ends, b: Ends): Ends {
  return {
    isNullable: a.isNullable || b.isNullable,
    first: [...a.first, ...b.first],
    last: [...a.last, ...b.last],
    sure: [...a.sure, ...b.sure],
  };
}

/** Of what matches the empty text: whether it may refuse it all the same, at an assertion. */
function mayFail(tree: Tree): boolean {
  switch (tree.kind) {
    case 'assert':
      return true;
    case 'atom':
      return false;
    case 'repeat':
      return tree.min > 0 && mayFail(tree.part);
    case 'any':
      return tree.parts.filter(matchesNothing).every(mayFail);
    case 'all':
      return tree.parts.some(mayFail);
  }
}

/** Whether a pair of this kind lies on a way from the start back to it. */
function comesBack(pairs: ReadonlyMap<number, readonly number[]>, start: number, isSuch: (pair: number) => boolean): boolean {
  const before = new Map<number, number[]>();
  for (const [pair, after] of pairs) {
    for (const next of after) before.set(next, [...(before.get(next) ?? []), pair]);
  }
  const seen = new Set<number>();
  const open = [start];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    if (isSuch(pair)) return true;
    for (const earlier of before.get(pair) ?? []) {
      if (!seen.has(earlier)) open.push(earlier);
      seen.add(earlier);
    }
  }
  return false;
}

/** Beyond ASCII: blanks, marks, letters of several scripts and cases, digits, ideographs, symbols, a pair. */
const KINDS = '\u0085\u00a0\u2003\u2028\ufeff\u0301\u00ad\u200b«»…—“”。、ßéÉяЯάΩאعहก٣½漢あ한ー€→😀𝒳\u{10ffff}';

/** All of ASCII, a character of each other kind, and what the pattern names itself. */
function samplesFor(tree: Tree): string[] {
  const ascii = Array.from({ length: 128 }, (_, unit) => String.fromCharCode(unit));
  return [...new Set([...ascii, ...KINDS, ...named(tree)])];
}

/** Characters that a pattern writes, as themselves or by number. */
function named(tree: Tree): string[] {
  switch (tree.kind) {
    case 'atom': {
      const written = tree.source.replace(/\\u\{([0-9a-f]+)\}|\\[ux]([0-9a-f]{2,4})/giu, (_, long: string, short: string) =>
        String.fromCodePoint(Number.parseInt(long ?? short, 16)),
      );
      return [...written].filter((character) => character > '\x7f');
    }
    case 'assert':
      return [];
    case 'repeat':
      return named(tree.part);
    default:
      return tree.parts.flatMap(named);
  }
}
