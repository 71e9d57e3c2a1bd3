/**
 * Which elements and attributes of an XML document the user named, and what each is in a record. Paths are of element names:
 * absolute (`/feed/entry`) or at any depth (`//entry`, and for records also plain `entry`); `*` is any name; a field may end in
 * an attribute (`author/@name`), and `.` is the record itself. A step without a prefix means the local name, whatever prefix
 * the document has; one with a prefix means the name as it is written.
 */

interface PathPattern {
  /** It may begin at any depth. */
  readonly anywhere: boolean;
  readonly steps: readonly string[];
  /** The attribute it ends in. */
  readonly attribute: string | undefined;
}

const STEP = /^(?:\*|[^\s/@*[\](){}'"|,;=<>.:][^\s/@*[\](){}'"|,;=<>:]*(?::[^\s/@*[\](){}'"|,;=<>:]+)?)$/;

/** What is wrong with a path; undefined: nothing. */
export function xmlPathProblem(path: string, of: 'records' | 'field'): string | undefined {
  if (of === 'field' && path === '.') return undefined;
  if (of === 'field' && path.startsWith('/') && !path.startsWith('//')) {
    return `${path} is no field: it begins in the record, as in revision/text or @id`;
  }
  const { steps, attribute } = patternOf(path);
  if (of === 'records' && attribute !== undefined) return `${path} is no path to records: an attribute is no record`;
  const all = attribute === undefined ? steps : [...steps, attribute];
  if (all.length > 0 && all.every((step) => STEP.test(step))) return undefined;
  return of === 'records'
    ? `${path} is no path to records: write element names, as in /feed/entry, /feed/* or //entry`
    : `${path} is no field: write element names, then perhaps an attribute, as in revision/text, link/@href or //title`;
}

function patternOf(path: string): PathPattern {
  const rest = path.replace(/^\/\/?/, '');
  const steps = rest === '' || rest === '.' ? [] : rest.split('/');
  const last = steps.at(-1);
  const attribute = last?.startsWith('@') ? last.slice(1) : undefined;
  if (attribute !== undefined) steps.pop();
  return { anywhere: path.startsWith('//'), steps, attribute };
}

/** Where the records are. Without a path: the root element is one; its children are, where a part of each is asked for. */
export class RecordPath {
  readonly #pattern: PathPattern;

  constructor(path: string | undefined, many: boolean) {
    const pattern = patternOf(path ?? (many ? '/*/*' : '/*'));
    this.#pattern = path?.startsWith('/') === false ? { ...pattern, anywhere: true } : pattern;
  }

  /** Whether the element of this name in the open elements of these names, outermost first, is a record. */
  matches(open: readonly { readonly name: string }[], name: string): boolean {
    const { anywhere, steps } = this.#pattern;
    const outer = open.length + 1 - steps.length;
    if (outer < 0 || (outer > 0 && !anywhere)) return false;
    if (!isNamed(steps.at(-1)!, name)) return false;
    for (let k = steps.length - 2; k >= 0; k--) if (!isNamed(steps[k]!, open[outer + k]!.name)) return false;
    return true;
  }
}

function isNamed(step: string, name: string): boolean {
  return step === '*' || step === name || (!step.includes(':') && step === name.slice(name.indexOf(':') + 1));
}

/** Longest path that is written in full, in units: elements may be deep, and each has a path. */
export const PATH_UNITS = 1024;

/** The path of an element from the names of what it is in, itself first. Of a long one only the end: `//`, and the last names. */
export function pathOf(names: Iterable<string>, before: '' | '/'): string {
  let path = '';
  for (const name of names) {
    if (path.length + name.length > PATH_UNITS && path !== '') return `//${path}`;
    path = path === '' ? name : `${name}/${path}`;
  }
  return before + path;
}

/** What an attribute is in a record. */
export interface AttributeRole {
  readonly text: boolean;
  readonly meta: boolean;
  readonly key: boolean;
}

export interface Fields {
  readonly text: readonly PathPattern[];
  /** Undefined: all that is not in a text. */
  readonly meta: readonly PathPattern[] | undefined;
  readonly key: PathPattern | undefined;
}

/** `meta` undefined: all others, or none where a record is its own text. */
export function fieldsOf(text: readonly string[], meta: readonly string[] | undefined, key: string | undefined): Fields {
  const named = meta ?? (text.length === 0 ? [] : undefined);
  return { text: text.map(patternOf), meta: named?.map(patternOf), key: key === undefined ? undefined : patternOf(key) };
}

/** Places remembered for one document, and the longest name among them: a document may have no end of either. */
const KEPT_PLACES = 4096;
const KEPT_NAME_UNITS = 64;

/** Remembers places, until there are too many. */
class Memory {
  #places = 0;

  /** The map with one more; undefined where there is none, and nothing is kept. */
  kept<V>(map: Map<string, V> | undefined, name: string, value: V): Map<string, V> | undefined {
    if (this.#places >= KEPT_PLACES || name.length > KEPT_NAME_UNITS) return map;
    this.#places++;
    return (map ?? new Map<string, V>()).set(name, value);
  }
}

/** A place in records: the elements of one path. */
export class Place {
  /** Of elements of the window's text it holds none: names are its own. */
  readonly name: string;
  /** 0: the record itself. */
  readonly depth: number;
  /** Its element is a text of its own. What is inside of a text is part of that, and no other text. */
  readonly text: boolean;
  readonly meta: boolean;
  readonly key: boolean;
  readonly #fields: Fields;
  readonly #memory: Memory;
  readonly #parent: Place | undefined;
  /** It is a text or in one. */
  readonly #inText: boolean;
  #children: Map<string, Place> | undefined;
  #attributes: Map<string, AttributeRole> | undefined;
  #path: string | undefined;

  private constructor(fields: Fields, memory: Memory, parent: Place | undefined, name: string) {
    this.name = name;
    this.#fields = fields;
    this.#memory = memory;
    this.#parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    const inText = parent === undefined ? false : parent.#inText;
    this.text = !inText && fields.text.some((pattern) => this.#matches(pattern));
    this.#inText = inText || this.text;
    const named = fields.meta?.some((pattern) => this.#matches(pattern));
    this.meta = named === undefined ? !this.#inText : named || (parent?.meta ?? false);
    this.key = fields.key !== undefined && this.#matches(fields.key);
  }

  static record(fields: Fields): Place {
    return new Place(fields, new Memory(), undefined, '');
  }

  /** Of an element in this one. `name` may be a slice of something larger. */
  child(name: string): Place {
    const known = this.#children?.get(name);
    if (known !== undefined) return known;
    const place = new Place(this.#fields, this.#memory, this, ownName(name));
    this.#children = this.#memory.kept(this.#children, place.name, place);
    return place;
  }

  attribute(name: string): AttributeRole {
    const known = this.#attributes?.get(name);
    if (known !== undefined) return known;
    const own = ownName(name);
    const role = this.#roleOf(own);
    this.#attributes = this.#memory.kept(this.#attributes, own, role);
    return role;
  }

  /** `.`, or names from the record on. */
  get path(): string {
    this.#path ??= this.#parent === undefined ? '.' : pathOf(this.#names(), '');
    return this.#path;
  }

  pathOfAttribute(name: string): string {
    return this.#parent === undefined ? `@${name}` : `${this.path}/@${name}`;
  }

  *#names(): Iterable<string> {
    for (let place: Place = this; place.#parent !== undefined; place = place.#parent) yield place.name;
  }

  #roleOf(name: string): AttributeRole {
    if (name === 'xmlns' || name.startsWith('xmlns:')) return { text: false, meta: false, key: false };
    const { text: texts, meta, key } = this.#fields;
    const inside = this.#inText && !this.text;
    const text = !inside && texts.some((pattern) => this.#matches(pattern, name));
    const named = meta?.some((pattern) => this.#matches(pattern, name));
    return {
      text,
      meta: named === undefined ? !inside && !text : named || this.meta,
      key: key !== undefined && this.#matches(key, name),
    };
  }

  #matches({ anywhere, steps, attribute }: PathPattern, name?: string): boolean {
    if (attribute === undefined ? name !== undefined : name === undefined || !isNamed(attribute, name)) return false;
    if (this.depth < steps.length || (this.depth > steps.length && !anywhere)) return false;
    let place: Place = this;
    for (let k = steps.length - 1; k >= 0; k--) {
      if (!isNamed(steps[k]!, place.name)) return false;
      place = place.#parent!;
    }
    return true;
  }
}

/** A copy: a slice would keep all of the text that it is a slice of. */
export function ownName(name: string): string {
  // An engine copies what is shorter when it slices.
  return name.length < SLICED_UNITS ? name : name.split('').join('');
}

const SLICED_UNITS = 13;
