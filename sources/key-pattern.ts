/**
 * Patterns of object keys, with what patterns of files have: `*` and `?` within a part, `**` over parts, `[a-z]`, `[!a-z]`, `{a,b}`.
 * As there, a part that begins with a dot is matched only by a pattern that says so. A `\` makes the next character plain.
 */

export interface KeyPattern {
  /** What every key that matches begins with. */
  readonly prefix: string;
  matches(key: string): boolean;
}

/** Undefined: it is no pattern, but a key. */
export function keyPattern(text: string): KeyPattern | undefined {
  const first = text.search(/[*?[{]/);
  if (first < 0) return undefined;
  const prefix = text.slice(0, first);
  // What follows a backslash, and the backslash itself, are no part of a prefix.
  const plain = prefix.includes('\\') ? prefix.slice(0, prefix.indexOf('\\')) : prefix;
  const expression = new RegExp(`^${expressionOf(text)}$`, 's');
  return { prefix: plain, matches: (key) => expression.test(key) };
}

/** No dot where a part begins. */
const SHOWN = '(?!\\.)';

function expressionOf(pattern: string): string {
  let expression = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const isStart = at === 0 || pattern[at - 1] === '/';
    const [taken, meaning] = oneOf(rest, isStart, depth);
    if (taken === '{') depth++;
    if (taken === '}' && depth > 0) depth--;
    expression += meaning;
    at += taken.length;
  }
  // A brace that is never closed is a brace.
  return depth === 0 ? expression : expressionOf(pattern.replace(/(?<!\\)\{/g, '\\{'));
}

/** What the pattern begins with, and what that means. */
function oneOf(rest: string, isStart: boolean, depth: number): readonly [taken: string, meaning: string] {
  const shown = isStart ? SHOWN : '';
  const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest);
  if (isStart && rest.startsWith('**/')) return ['**/', `(?:${SHOWN}[^/]*/)*`];
  if (isStart && rest === '**') return ['**', `(?:${SHOWN}[^/]*/)*${SHOWN}[^/]*`];
  if (rest.startsWith('*')) return [/^\*+/.exec(rest)![0], `${shown}[^/]*`];
  if (rest.startsWith('?')) return ['?', `${shown}[^/]`];
  if (set !== null) return [set[0], `${shown}(?!/)[${set[1] === '' ? '' : '^'}${set[2]!.replace(/[\\\]^]/g, '\\$&')}]`];
  if (rest.startsWith('{')) return ['{', '(?:'];
  if (rest.startsWith('}') && depth > 0) return ['}', ')'];
  if (rest.startsWith(',') && depth > 0) return [',', '|'];
  const plain = /^\\(.)/s.exec(rest);
  if (plain !== null) return [plain[0], quoted(plain[1]!)];
  return [rest[0]!, quoted(rest[0]!)];
}

const quoted = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
