import { describe, expect, it } from 'vitest';
import { floatBase64, floatBytes, isZero, nameProblems, vectorOf, zeroVectors } from '../../sinks/vectors.js';
import { asFlag } from '../../src/options.js';
import { storeChunks } from '../conformance/store.js';

const [chunk] = storeChunks(1, true) as [ReturnType<typeof storeChunks>[0]];

describe('an embedding', () => {
  it('is four bytes a number, the lowest first', () => {
    expect([...floatBytes([1, -0.1])]).toEqual([0, 0, 0x80, 0x3f, 0xcd, 0xcc, 0xcc, 0xbd]);
    expect(floatBytes([])).toHaveLength(0);
    const many = Array.from({ length: 5000 }, (_, at) => at / 7);
    expect(Buffer.from(floatBytes(many)).equals(Buffer.from(Float32Array.from(many).buffer))).toBe(true);
    expect(floatBase64([1, -0.1])).toBe('AACAP83MzL0=');
  });

  it('is there, or the chunk is named', () => {
    expect(vectorOf(chunk)).toBe(chunk.embedding);
    const { embedding: _, ...without } = chunk;
    expect(() => vectorOf(without)).toThrow(chunk.id);
  });

  it('points nowhere when all is zero in 32 bits', () => {
    expect([isZero([0, -0, 1e-60]), isZero([0, 1e-40])]).toEqual([true, false]);
    const { written, notices } = zeroVectors();
    expect(notices()).toEqual([]);
    written({ ...chunk, embedding: [0] });
    expect(notices()).toEqual(['1 embedding is all zeros: a search by cosine finds none such']);
    written({ ...chunk, embedding: [0] });
    written(chunk);
    expect(notices()).toEqual(['2 embeddings are all zeros: a search by cosine finds none such']);
  });
});

it('names of fields that are empty, taken, or the same are problems', () => {
  const taken = new Set(['id']);
  expect(nameProblems({ textField: 'a', vectorField: 'b' }, taken, asFlag)).toEqual([]);
  expect(nameProblems({}, taken, asFlag)).toEqual([]);
  expect(nameProblems({ textField: '', vectorField: 'id' }, taken, asFlag)).toEqual([
    '--text-field is empty: give the name of a field',
    '--vector-field id is the name of another field: choose another',
  ]);
  expect(nameProblems({ textField: 'a', vectorField: 'a' }, taken, asFlag)).toEqual([
    '--text-field and --vector-field name the same field',
  ]);
});
