/**
 * What the stores that take vectors share: an embedding as bytes, the name of its field, and a word on vectors that point
 * nowhere. Finite numbers that fit 32 bits are the caller's promise.
 */
import type { Spelling } from '../src/options.js';
import type { OptionSpec } from '../src/spec.js';
import { overLimit, type StoreOptions, type StoreRecord } from './store.js';

/** Its four bytes a number, the lowest first. Valid until the next call. */
export function floatBytes(values: readonly number[]): Uint8Array {
  const length = values.length * 4;
  if (held.byteLength < length) held = new DataView(new ArrayBuffer(length * 2));
  for (let i = 0; i < values.length; i++) held.setFloat32(i * 4, values[i]!, true);
  return new Uint8Array(held.buffer, 0, length);
}

let held = new DataView(new ArrayBuffer(0));

/** The same as base64, without a comma or a bracket. */
export function floatBase64(values: readonly number[]): string {
  const bytes = floatBytes(values);
  return Buffer.from(bytes.buffer, 0, bytes.length).toString('base64');
}

/** Of a record of a store that `needs` vectors. */
export function vectorOf(record: StoreRecord): readonly number[] {
  if (record.embedding === undefined) throw overLimit(record, 'has no embedding');
  return record.embedding;
}

/** All of its numbers are zero in 32 bits: it has no direction, so that no cosine tells how near it is. */
export function isZero(values: readonly number[]): boolean {
  return values.every((value) => Math.fround(value) === 0);
}

/** The parts of an Encoder that count such vectors, for stores that take them. */
export function zeroVectors(): { written(record: StoreRecord): void; notices(): readonly string[] } {
  let zeros = 0;
  return {
    written({ embedding }) {
      if (embedding !== undefined && isZero(embedding)) zeros++;
    },
    notices() {
      const who = zeros === 1 ? 'embedding is' : 'embeddings are';
      return zeros === 0 ? [] : [`${zeros} ${who} all zeros: a search by cosine finds none such`];
    },
  };
}

/** One option of several stores. Absent: each has its own name for it. */
export const vectorField: OptionSpec = {
  name: 'vector-field',
  type: 'string',
  group: 'output',
  value: 'NAME',
  summary: "what the store's schema calls the field of the embedding",
  defaultText: '`vector` for milvus, `values` for pinecone, the unnamed vector of a point for qdrant',
};

/** Another. */
export const textField: OptionSpec = {
  name: 'text-field',
  type: 'string',
  group: 'output',
  value: 'NAME',
  summary: "what the store's schema calls the field of the text",
  defaultText: '`text`',
};

/** What is wrong with the names a user gave, beside those that are taken already. */
export function nameProblems(options: StoreOptions, taken: ReadonlySet<string>, spelling: Spelling): readonly string[] {
  const { textField: text, vectorField: vector } = options;
  const problems: string[] = [];
  for (const [{ name }, value] of [
    [textField, text],
    [vectorField, vector],
  ] as const) {
    if (value === '') problems.push(`${spelling(name)} is empty: give the name of a field`);
    if (taken.has(value as string)) problems.push(`${spelling(name)} ${value} is the name of another field: choose another`);
  }
  if (text !== undefined && text === vector)
    problems.push(`${spelling(textField.name)} and ${spelling(vectorField.name)} name the same field`);
  return problems;
}
