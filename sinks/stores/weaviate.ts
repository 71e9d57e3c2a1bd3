/**
 * Weaviate: each file is the body of one `POST /v1/batch/objects`, and `class.json` defines the collection. Each key of metadata
 * is a property of its own, `meta_page`, so that it can be filtered by. A property has one type: that of the first value of its
 * key. Values of another type go to a property named after that, `metaText_page`, and the user is told of them.
 *
 * Limits: Weaviate's documentation and its validation of names in 2026 (1.37): a message of 100 MiB. It names no
 * number of objects; its clients send up to 1,000.
 */
import type { OptionSpec } from '../../src/spec.js';
import type { Json } from '../../src/types.js';
import type { Bytes } from '../bytes.js';
import { jsonOf } from '../escape.js';
import { writeOwn } from '../flat-metadata.js';
import { overLimit, rowsBody, type StoreRecord, type StoreSpec, UUIDS } from '../store.js';

const DEFAULT_CLASS = 'Chunk';
const NAME_BYTES = 231;
/** Ours: each property has files of its own, so that many are of no use, and names beyond count are values. */
const MOST_KEYS = 1000;
const MOST_PROPERTIES = 10_000;

const options: readonly OptionSpec[] = [
  {
    name: 'weaviate-class',
    type: 'string',
    group: 'output',
    value: 'NAME',
    summary: 'collection that the objects belong to',
    defaultText: DEFAULT_CLASS,
  },
];

export const weaviate: StoreSpec = {
  name: 'weaviate',
  summary: 'bodies of batches of objects for Weaviate, with the definition of a collection',
  options,
  needs: 'text',
  ending: '.json',
  limits: { fileRecords: 1000, fileBytes: 100_000_000, dimensions: 65_535 },
  compress: [],
  ids: UUIDS,
  metadata: {
    nulls: false,
    objects: false,
    lists: 'scalars',
    keyName: (key) => key.replace(/\W/g, '_'),
    keyBytes: NAME_BYTES - 'metaBooleans_'.length,
    keys: MOST_KEYS,
    joint: '_',
  },
  nul: 'keep',
  problems({ weaviateClass = DEFAULT_CLASS }, spelling) {
    const isName = /^[A-Z]\w{0,254}$/.test(String(weaviateClass));
    const wanted = 'a capital, then letters, digits and _';
    return isName
      ? []
      : [`${spelling('weaviate-class')} ${JSON.stringify(weaviateClass)} is no name of a collection: give ${wanted}`];
  },
  encoder({ weaviateClass = DEFAULT_CLASS }) {
    const before = `{"class":${jsonOf(weaviateClass)},"id":"`;
    const properties = new Properties();
    return {
      body: () =>
        rowsBody({
          head: '{"objects":[\n',
          between: ',\n',
          tail: '\n]}\n',
          row(record, bytes) {
            bytes.ascii(`${before}${record.id}","properties":{`);
            writeOwn(record, bytes);
            bytes.ascii(',"text":');
            bytes.string(record.text);
            properties.write(record, bytes);
            bytes.ascii('}');
            if (record.embedding !== undefined) writeVector(record.embedding, bytes);
            bytes.ascii('}');
          },
        }),
      written: (record) => properties.count(record),
      notices: () => properties.notices(),
      beside({ dimensions }) {
        // Without vectors of ours, whatever makes vectors by default is to make them.
        const vectors = dimensions === undefined ? {} : { vectorizer: 'none', vectorIndexConfig: { distance: 'cosine' } };
        const made = { class: weaviateClass, ...vectors, properties: [...OWN_PROPERTIES, ...properties.defined()] };
        return [{ name: 'class.json', text: `${JSON.stringify(made, null, 2)}\n` }];
      },
    };
  },
};

function writeVector(embedding: readonly number[], bytes: Bytes): void {
  bytes.ascii(',"vector":[');
  bytes.floats(embedding);
  bytes.ascii(']');
}

const STORED = { indexFilterable: false, indexSearchable: false };

const OWN_PROPERTIES: readonly object[] = [
  { name: 'source', dataType: ['text'], tokenization: 'field' },
  { name: 'index', dataType: ['int'] },
  { name: 'start', dataType: ['int'] },
  { name: 'end', dataType: ['int'] },
  { name: 'tokens', dataType: ['int'] },
  { name: 'context', dataType: ['text'] },
  { name: 'record', dataType: ['text'], ...STORED },
  { name: 'text', dataType: ['text'] },
];

/* ------------------------------------------------------------------ properties of metadata */

const TYPES = { Text: 'text', Number: 'number', Boolean: 'boolean', Texts: 'text[]', Numbers: 'number[]', Booleans: 'boolean[]' };
type Kind = keyof typeof TYPES;

class Properties {
  /** Of each key: that of its first value. */
  readonly #firsts = new Map<string, Kind>();
  /** Of each property. */
  readonly #kinds = new Map<string, Kind>();
  /** Values that went to another property than the first of their key. */
  #strays = 0;

  write(record: StoreRecord, bytes: Bytes): void {
    let members = '';
    for (const [key, value] of Object.entries(record.metadata)) {
      const name = this.#nameOf(key, value);
      if (this.#kinds.size > MOST_PROPERTIES) throw overLimit(record, TOO_MANY);
      members += `,"${name}":${jsonOf(value)}`;
    }
    bytes.text(members);
  }

  /** Once for each record: it may have been written twice. */
  count({ metadata }: StoreRecord): void {
    for (const [key, value] of Object.entries(metadata)) if (this.#kindOf(key, value) !== this.#firsts.get(key)) this.#strays++;
  }

  notices(): readonly string[] {
    if (this.#strays === 0) return [];
    return [
      `${this.#strays} values of metadata are of another type than the first of their key: see metaText_, metaNumber_ … in class.json`,
    ];
  }

  defined(): object[] {
    return [...this.#kinds].map(([name, kind]) => ({ name, dataType: [TYPES[kind]] }));
  }

  #nameOf(key: string, value: Json): string {
    const kind = this.#kindOf(key, value);
    const first = this.#firsts.get(key) ?? kind;
    const name = first === kind ? `meta_${key}` : `meta${kind}_${key}`;
    this.#firsts.set(key, first);
    this.#kinds.set(name, kind);
    return name;
  }

  #kindOf(key: string, value: Json): Kind {
    if (!Array.isArray(value)) return KINDS[typeof value as keyof typeof KINDS];
    if (value.length > 0) return `${KINDS[typeof value[0] as keyof typeof KINDS]}s`;
    // Without values it is a list of any type.
    const first = this.#firsts.get(key);
    return first === 'Numbers' || first === 'Booleans' ? first : 'Texts';
  }
}

const KINDS = { string: 'Text', number: 'Number', boolean: 'Boolean' } as const;

const TOO_MANY =
  `is where the keys of metadata are more than ${MOST_PROPERTIES} in all, and weaviate would make a property of each: ` +
  'keep fewer with --meta, or keep objects as text with --metadata encode';
