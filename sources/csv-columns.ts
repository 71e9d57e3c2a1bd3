/**
 * The columns of a table: what they are called, whatever its header says, and what each is asked for as.
 */

/** What is asked for, by names of columns. */
export interface Asked {
  readonly text: readonly string[];
  /** Absent: all columns that are not asked for as text, or none where no text is asked for. */
  readonly meta?: readonly string[];
  readonly idField?: string;
}

export interface Column {
  readonly name: string;
  readonly isText: boolean;
  readonly isMeta: boolean;
  readonly isKey: boolean;
}

/** Columns beyond the header that are remembered. A row may have billions, so others are made when asked for (law L8). */
const REMEMBERED = 1 << 16;

const NUMBERED = /^column([1-9]\d{0,14})$/;

export class Columns {
  /** Of the header, each different. */
  readonly names: readonly string[];
  /** What is asked for and is no column. */
  readonly unknown: readonly string[];
  readonly #named: ReadonlySet<string>;
  readonly #text: ReadonlySet<number>;
  /** Undefined: all that are not text. */
  readonly #meta: ReadonlySet<number> | undefined;
  readonly #key: number | undefined;
  readonly #columns: Column[] = [];

  /** `header`: its cells as they are written; none for a table without. */
  constructor(header: readonly string[], asked: Asked) {
    this.names = distinct(header);
    this.#named = new Set(this.names);
    const places = new Map(this.names.map((name, index) => [name, index]));
    const unknown = new Set<string>();
    const placesOf = (names: readonly string[]): number[] =>
      names.flatMap((name) => {
        const place = places.get(name) ?? numbered(name);
        if (place === undefined) unknown.add(name);
        return place === undefined ? [] : [place];
      });
    this.#text = new Set(placesOf(asked.text));
    const meta = asked.meta ?? (asked.text.length === 0 ? [] : undefined);
    this.#meta = meta === undefined ? undefined : new Set(placesOf(meta));
    this.#key = asked.idField === undefined ? undefined : placesOf([asked.idField])[0];
    this.unknown = [...unknown];
  }

  /** 0-based; also beyond the header. */
  at(index: number): Column {
    const known = this.#columns[index];
    if (known !== undefined) return known;
    const isText = this.#text.has(index);
    const column = {
      name: this.names[index] ?? this.#further(index),
      isText,
      isMeta: this.#meta === undefined ? !isText : this.#meta.has(index),
      isKey: this.#key === index,
    };
    if (index === this.#columns.length && index < this.names.length + REMEMBERED) this.#columns.push(column);
    return column;
  }

  /** What a cell beyond the header belongs to. */
  #further(index: number): string {
    const wish = nameOf(index);
    let name = wish;
    for (let n = 2; this.#named.has(name); n++) name = `${wish}_${n}`;
    return name;
  }
}

function nameOf(index: number): string {
  return `column${index + 1}`;
}

/** The place that a name such as `column3` means where no column has it as its own. */
function numbered(name: string): number | undefined {
  const found = NUMBERED.exec(name);
  return found === null ? undefined : Number(found[1]) - 1;
}

/** The first to have a name keeps it; the others, and those without one, get names that are nobody's. */
function distinct(header: readonly string[]): string[] {
  const written = new Set(header);
  const used = new Set<string>();
  /** What to try next for a name, so that a thousand columns of one name take no million attempts. */
  const next = new Map<string, number>();
  return header.map((name, index) => {
    const wish = name === '' ? nameOf(index) : name;
    let given = wish;
    let n = next.get(wish) ?? 2;
    while (used.has(given) || (given !== name && written.has(given))) given = `${wish}_${n++}`;
    next.set(wish, n);
    used.add(given);
    return given;
  });
}
