/**
 * Typesense: lines for the import of documents, which are lines of chunks as they are, and `schema.json`, which makes the
 * collection. What a schema does not name is stored all the same, so that metadata of any shape loads; the schema names those keys
 * of it, to search and filter by, whose values were of one kind in the whole run. Typesense 30's documentation (2026) knows no
 * limit for an import; the size of a file is what a request can well carry.
 */
import type { OptionSpec } from '../../src/spec.js';
import type { Json } from '../../src/types.js';
import { writeLine } from '../lines.js';
import { rowsBody, type StoreRecord, type StoreSpec } from '../store.js';

const DEFAULT_COLLECTION = 'chunks';
/** Each is an index of its own in memory. */
const MOST_KEYS = 100;

const options: readonly OptionSpec[] = [
  {
    name: 'typesense-collection',
    type: 'string',
    group: 'output',
    value: 'NAME',
    summary: 'collection that the schema beside the documents is for',
    defaultText: DEFAULT_COLLECTION,
  },
];

export const typesense: StoreSpec = {
  name: 'typesense',
  summary: 'documents for the import of Typesense, with the schema of a collection',
  options,
  needs: 'text',
  ending: '.jsonl',
  limits: { fileBytes: 100_000_000 },
  compress: [],
  // It stands in URLs without being encoded.
  ids: { pattern: /^[\w.~-]+$/, words: 'letters, digits, - . _ and ~' },
  nul: 'keep',
  encoder({ typesenseCollection = DEFAULT_COLLECTION }) {
    const kinds = new Kinds();
    return {
      body: () => rowsBody({ row: (record, bytes) => writeLine(record, bytes) }),
      written: (record) => kinds.add(record),
      beside({ dimensions }) {
        const fields = [
          ...OWN_FIELDS,
          ...kinds.fields(),
          ...(dimensions === undefined ? [] : [{ name: 'embedding', type: 'float[]', num_dim: dimensions, optional: true }]),
        ];
        const schema = { name: typesenseCollection, enable_nested_fields: true, fields };
        return [{ name: 'schema.json', text: `${JSON.stringify(schema, null, 2)}\n` }];
      },
    };
  },
};

interface Field {
  readonly name: string;
  readonly type: string;
  readonly optional?: true;
}

const OWN_FIELDS: readonly Field[] = [
  { name: 'source', type: 'string' },
  { name: 'index', type: 'int32' },
  { name: 'start', type: 'int64' },
  { name: 'end', type: 'int64' },
  { name: 'tokens', type: 'int32', optional: true },
  { name: 'context', type: 'string', optional: true },
  { name: 'text', type: 'string' },
];

/* ------------------------------------------------------------------ keys of metadata */

type Kind = 'string' | 'bool' | 'int64' | 'float';
/** `lists` of one kind of values, or these values alone; `unfit` for a field. */
type Type = Kind | `${Kind}[]` | 'unfit';

/** What values each key had. */
class Kinds {
  readonly #types = new Map<string, Type>();

  add({ metadata }: StoreRecord): void {
    for (const key of Object.keys(metadata)) {
      const before = this.#types.get(key);
      if (before === 'unfit' || !NAMES.test(key) || (before === undefined && this.#types.size >= MOST_KEYS)) continue;
      const type = typeOf(metadata[key]!);
      // A list without values fits any list; as the first of its key it tells nothing.
      if (type !== undefined) this.#types.set(key, before === undefined ? type : joined(before, type));
    }
  }

  fields(): Field[] {
    const fits = [...this.#types].filter(([, type]) => type !== 'unfit');
    return fits.map(([key, type]) => ({ name: `metadata.${key}`, type, optional: true }));
  }
}

/** A dot would be a key within, a star a pattern. */
const NAMES = /^[\p{L}\p{N}_-]+$/u;

/** Undefined: an empty list. */
function typeOf(value: Json): Type | undefined {
  if (!Array.isArray(value)) return kindOf(value);
  if (value.length === 0) return undefined;
  const kind = value.map(kindOf).reduce(joined);
  return kind === 'unfit' ? kind : (`${kind}[]` as Type);
}

function kindOf(value: Json): Kind | 'unfit' {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value !== 'number' || !Number.isFinite(Math.fround(value))) return 'unfit';
  return Number.isSafeInteger(value) ? 'int64' : 'float';
}

/** Of all values of which some are of one type, some of another. Whole numbers go with others. */
function joined<T extends Type>(one: T, other: T): T {
  if (one === other) return one;
  const pair = new Set<Type>([one, other]);
  if (pair.has('int64') && pair.has('float')) return 'float' as T;
  return (pair.has('int64[]') && pair.has('float[]') ? 'float[]' : 'unfit') as T;
}
