/**
 * Paths into JSON: `items[*]`, `$.a.b[3]`, `users.*`, `["odd.name"]`, `$`. Reads them, matches any number of them at once while
 * a value is walked through, and writes the path of a place. It sees names and indexes only, no text and no values.
 */

/** A name, an index, or any of either. */
type Step = string | number | typeof ANY;

export const ANY = Symbol('any');

/** Longest path that is written, in UTF-16 units: a path goes out with every chunk. What is longer ends in `…`. */
export const PATH_UNITS = 1024;

const QUOTED = /\[\s*("(?:[^"\\]|\\.)*")\s*\]/y;
const BRACKETED = /\[\s*(\*|\d{1,15})\s*\]/y;
const BARE = /[^.[\]"]+/y;

/** What is wrong with a path; undefined: nothing. */
export function jsonPathProblem(path: string): string | undefined {
  const steps = parsed(path);
  return typeof steps === 'string' ? steps : undefined;
}

/** @throws Error when there is a problem with the path; ask `jsonPathProblem` first */
export function jsonPathSteps(path: string): readonly Step[] {
  const steps = parsed(path);
  if (typeof steps === 'string') throw new Error(steps);
  return steps;
}

/** The steps, or what is wrong. */
function parsed(path: string): readonly Step[] | string {
  if (path === '') return 'a path is empty: write $ for the whole value';
  const steps: Step[] = [];
  const rooted = /^\$(?=$|[.[])/.test(path);
  let at = rooted ? 1 : 0;
  while (at < path.length) {
    const dotted = path[at] === '.' && (rooted || at > 0);
    if (dotted) at++;
    else if (at > 0 && path[at] !== '[') return problemAt(path, at, 'a . or a [ is missing');
    const [step, length] = (dotted || path[at] !== '[' ? bareAt(path, at) : bracketAt(path, at)) ?? [undefined, 0];
    if (step === undefined) return problemAt(path, at, 'expected a name, [*], [3] or ["a name"]');
    steps.push(step);
    at += length;
  }
  return steps;
}

function problemAt(path: string, at: number, what: string): string {
  return `${what} at ${at === path.length ? 'the end of' : `"${path.slice(at, at + 20)}" in`} the path "${path.slice(0, 100)}"`;
}

function bareAt(path: string, at: number): [Step, number] | undefined {
  BARE.lastIndex = at;
  const name = BARE.exec(path)?.[0];
  return name === undefined ? undefined : [name === '*' ? ANY : name, name.length];
}

function bracketAt(path: string, at: number): [Step, number] | undefined {
  BRACKETED.lastIndex = at;
  const bracketed = BRACKETED.exec(path);
  if (bracketed !== null) return [bracketed[1] === '*' ? ANY : Number(bracketed[1]), bracketed[0].length];
  QUOTED.lastIndex = at;
  const quoted = QUOTED.exec(path);
  if (quoted === null) return undefined;
  try {
    return [JSON.parse(quoted[1]!) as string, quoted[0].length];
  } catch {
    return undefined;
  }
}

/** A path with the use that what lies there is put to. */
export interface UsedPath<U> {
  readonly steps: readonly Step[];
  readonly use: U;
}

/** What is left of some paths at one place: those that end here, and where the others go on. */
export class PathState<U> {
  /** Of the paths that end here. */
  readonly uses: readonly U[];
  /** The steps of the first path that goes on. */
  readonly ahead: readonly Step[];
  readonly #named = new Map<string | number, PathState<U>>();
  readonly #others: PathState<U> | undefined;

  constructor(paths: readonly UsedPath<U>[]) {
    const ahead = paths.filter(({ steps }) => steps.length > 0);
    this.uses = paths.filter(({ steps }) => steps.length === 0).map(({ use }) => use);
    this.ahead = ahead[0]?.steps ?? [];
    this.#others = after(ahead, (step) => step === ANY);
    for (const name of new Set(ahead.map(({ steps }) => steps[0]!))) {
      if (name !== ANY) this.#named.set(name, after(ahead, (step) => step === ANY || step === name)!);
    }
  }

  /** At a member of this name, or an element of this index; undefined: no path leads there. */
  at(step: string | number): PathState<U> | undefined {
    return (this.#named.size === 0 ? undefined : this.#named.get(step)) ?? this.#others;
  }
}

function after<U>(paths: readonly UsedPath<U>[], goes: (step: Step) => boolean): PathState<U> | undefined {
  const left = paths.filter(({ steps }) => goes(steps[0]!)).map(({ steps, use }) => ({ steps: steps.slice(1), use }));
  return left.length === 0 ? undefined : new PathState(left);
}

const PLAIN_NAME = /^[^\s.[\]"'*$\u0000-\u001f\u007f]+$/;

export function memberPath(path: string, name: string): string {
  if (path.length > PATH_UNITS) return path;
  const short = name.length > PATH_UNITS ? name.slice(0, PATH_UNITS) : name;
  if (!PLAIN_NAME.test(short)) return bounded(`${path}[${JSON.stringify(short)}]`);
  return bounded(path === '' ? short : `${path}.${short}`);
}

export function elementPath(path: string, index: number): string {
  return path.length > PATH_UNITS ? path : bounded(`${path}[${index}]`);
}

function bounded(path: string): string {
  return path.length > PATH_UNITS ? `${path.slice(0, PATH_UNITS).toWellFormed()}…` : path;
}

/** Instead of an index, in an object. */
const OBJECT = -2;

/** The place in a value that its tokens have come to, as far as it is followed: its path, and what paths have to do with it. */
export class Trail<U> {
  /** Of the value that began last. */
  state: PathState<U> | undefined;
  #root = '';
  #name = '';
  /** Of the containers that it is in, outermost first. */
  #states: (PathState<U> | undefined)[] = [];
  #paths: string[] = [];
  #indexes: number[] = [];

  /** The root value is about to begin. */
  begin(state: PathState<U> | undefined, path: string): void {
    this.state = state;
    this.#root = path;
    // Mostly they are empty; a length is set slowly.
    if (this.#indexes.length > 0) this.#states.length = this.#paths.length = this.#indexes.length = 0;
  }

  /** The next value is a member of this name. */
  name(name: string): void {
    this.#name = name;
  }

  /** A value begins. */
  value(): void {
    const top = this.#indexes.length - 1;
    if (top < 0) return;
    const above = this.#states[top];
    const step = this.#indexes[top] === OBJECT ? this.#name : ++this.#indexes[top]!;
    this.state = above === undefined ? undefined : above.at(step);
  }

  /** Of the value that began last, or that has the name given last. */
  get path(): string {
    const top = this.#indexes.length - 1;
    if (top < 0) return this.#root;
    const index = this.#indexes[top]!;
    return index === OBJECT ? memberPath(this.#paths[top]!, this.#name) : elementPath(this.#paths[top]!, index);
  }

  /** Whether the value that began last is one of an array. */
  get isElement(): boolean {
    return (this.#indexes.at(-1) ?? OBJECT) !== OBJECT;
  }

  /** Of the value that began last: its name as it is, or `[3]`. */
  get label(): string {
    const index = this.#indexes.at(-1) ?? OBJECT;
    return index === OBJECT ? this.#name : `[${index}]`;
  }

  /** The value that began last is a container, and is followed into. */
  enter(isObject: boolean): void {
    this.#paths.push(this.path);
    this.#states.push(this.state);
    this.#indexes.push(isObject ? OBJECT : -1);
  }

  leave(): void {
    this.#paths.pop();
    this.#states.pop();
    this.#indexes.pop();
  }
}
