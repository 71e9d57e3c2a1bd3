/**
 * Regular expressions as trees: what regex-safety.ts looks at. Knows the grammar of JavaScript's patterns with the flag `u`, which
 * the engine has already found to be right; what a class or an escape matches is the engine's to say.
 */

/** `assert`: a place, not text. `atom`: one character, by its source. `repeat`: at least `min` times; `max` may be Infinity. */
export type Tree =
  | { readonly kind: 'assert'; readonly within?: Tree }
  | { readonly kind: 'atom'; readonly source: string }
  | { readonly kind: 'all'; readonly parts: readonly Tree[] }
  | { readonly kind: 'any'; readonly parts: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly part: Tree; readonly min: number; readonly max: number };

export function treeOf(source: string): Tree {
  return new Reader(source).tree();
}

export const EMPTY: Tree = { kind: 'all', parts: [] };

const ESCAPE =
  /\\(?:u\{[0-9a-f]+\}|u[d][89ab][0-9a-f]{2}\\u[d][c-f][0-9a-f]{2}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|p\{[^}]*\}|k<[^>]*>|[1-9][0-9]*|.)/isuy;
const CLASS = /\[(?:\\.|[^\]\\])*\]/suy;
const GROUP = /\((?:\?(?:<?[=!]|<([^>]*)>|[a-z-]*:))?/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const CHARACTER = /./suy;

class Reader {
  readonly #source: string;
  #at = 0;
  /** What a reference to a group stands for: another text that the group may match. */
  readonly #groups = new Map<string, Tree>();
  #count = 0;

  constructor(source: string) {
    this.#source = source;
  }

  tree(): Tree {
    const parts = [this.#sequence()];
    while (this.#takes('|')) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { kind: 'any', parts };
  }

  #sequence(): Tree {
    const parts: Tree[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) parts.push(this.#term());
    return parts.length === 1 ? parts[0]! : { kind: 'all', parts };
  }

  #term(): Tree {
    const part = this.#part();
    const quantifier = this.#match(QUANTIFIER);
    if (quantifier === undefined) return part;
    const [, sign, least, comma, most] = quantifier;
    if (sign !== undefined) return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    const max = comma === undefined ? Number(least) : most === '' ? Infinity : Number(most);
    return { kind: 'repeat', part, min: Number(least), max };
  }

  #part(): Tree {
    const here = this.#source[this.#at]!;
    if (here === '(') return this.#group();
    if (here === '^' || here === '$') {
      this.#at++;
      return { kind: 'assert' };
    }
    if (here === '[') return { kind: 'atom', source: this.#match(CLASS)![0] };
    if (here !== '\\') return { kind: 'atom', source: this.#match(CHARACTER)![0] };
    const [escaped] = this.#match(ESCAPE)!;
    if (escaped === '\\b' || escaped === '\\B') return { kind: 'assert' };
    const reference = /^\\(?:k<(.*)>|([1-9]\d*))$/su.exec(escaped);
    if (reference === null) return { kind: 'atom', source: escaped };
    return this.#groups.get(reference[1] ?? reference[2]!) ?? EMPTY;
  }

  #group(): Tree {
    const [opening, name] = this.#match(GROUP)!;
    const captures = opening === '(' || name !== undefined;
    const number = captures ? ++this.#count : 0;
    const within = this.tree();
    this.#at++;
    if (captures) this.#groups.set(String(number), within);
    if (name !== undefined) this.#groups.set(name, within);
    return /[=!]$/.test(opening) ? { kind: 'assert', within } : within;
  }

  #takes(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#source) ?? undefined;
    if (match !== undefined) this.#at = sticky.lastIndex;
    return match;
  }
}
