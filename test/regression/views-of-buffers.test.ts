/**
 * The `slice` of a Node Buffer is a view, where that of a Uint8Array is a copy. Kept or handed on, a view shows what its memory
 * is used for next: text at the edges of buffers was damaged, and so were lines written to a stream that takes its time.
 */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { decoder, HeadedDecoder } from '../../src/decode.js';
import { type Chunk, jsonl } from '../../src/index.js';
import { drained } from '../support/whole.js';

describe('buffers that are used again', () => {
  it.each([
    ['a decoder', () => decoder('utf-8', 0, () => {})],
    ['one that looks for a signature', () => new HeadedDecoder('auto', () => {})],
  ])('do not change what %s has read of them', (_, make) => {
    const bytes = Buffer.from('a😀é漢b', 'utf8');
    const memory = Buffer.alloc(1);
    const machine = make();
    let text = '';
    for (const byte of bytes) {
      memory[0] = byte;
      for (const segment of machine.push(memory)) text += segment.text;
      memory.fill(0xaa);
    }
    for (const segment of machine.end()) text += segment.text;
    expect(text).toBe(
      drained(
        decoder('utf-8', 0, () => {}),
        [bytes],
      )
        .map((segment) => segment.text)
        .join(''),
    );
  });

  it('are not what a stream holds of the lines written to it', async () => {
    const through = new PassThrough({ highWaterMark: 1 << 26 });
    const sink = jsonl(through);
    const chunk = (index: number): Chunk => ({
      id: String(index),
      source: 'a',
      index,
      start: 0,
      end: 1,
      metadata: {},
      text: 'x'.repeat(900),
    });
    for (let index = 0; index < 3000; index++)
      if (!sink.write(chunk(index))) await new Promise((resolve) => sink.once('drain', resolve));
    sink.end();
    let text = '';
    for await (const part of through) text += String(part);
    const ids = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Chunk).index);
    expect(ids).toEqual(Array.from({ length: 3000 }, (_, index) => index));
  });
});
