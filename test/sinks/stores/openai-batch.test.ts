import { describe, expect, it } from 'vitest';
import { batchSink } from '../../../sinks/batch.js';
import { placeOf } from '../../../sinks/place.js';
import { openaiBatch } from '../../../sinks/stores/openai-batch.js';
import { conformStore, type StoredRecord, storeChunks } from '../../conformance/store.js';
import { memoryWorld } from '../../support/world.js';

const embedded = ({ context, text }: { readonly context?: string; readonly text: string }) =>
  context === undefined ? text : `${context}\n\n${text}`;

conformStore(openaiBatch, {
  textOf: embedded,
  read(file) {
    const lines = Buffer.from(file).toString('utf8').split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line): StoredRecord => {
      const { custom_id, method, url, body, ...others } = JSON.parse(line);
      expect({ method, url, others }).toEqual({ method: 'POST', url: '/v1/embeddings', others: {} });
      expect(body).toEqual({ model: 'text-embedding-3-small', input: expect.any(String), encoding_format: 'float' });
      return { id: custom_id, text: body.input };
    });
  },
});

async function lines(options: Record<string, unknown>, ...chunks: ReturnType<typeof storeChunks>) {
  const world = memoryWorld();
  const sink = batchSink(openaiBatch, { path: 'out.jsonl', options, place: placeOf(world) });
  for (const chunk of chunks) await sink.write(chunk);
  await sink.commit();
  return { text: world.files()['out-00001.jsonl']!, report: sink.report!() };
}

const [chunk] = storeChunks(1, false) as [ReturnType<typeof storeChunks>[0]];

describe('a request', () => {
  it('is this line', async () => {
    const { text } = await lines(
      { embedModel: 'm"', embedDimensions: 256 },
      { ...chunk, context: 'C', text: 'a\u2028"\\\n\0😀\ud83d' },
    );
    expect(text).toBe(
      '{"custom_id":"00000000-0000-5000-8000-000000000000","method":"POST","url":"/v1/embeddings","body":{"model":"m\\"",' +
        '"input":"C\\n\\na\u2028\\"\\\\\\n\\u0000😀\ufffd","dimensions":256,"encoding_format":"float"}}\n',
    );
  });

  it('for no text is refused', async () => {
    await expect(lines({}, { ...chunk, text: '' })).rejects.toMatchObject({ kind: 'sink', reason: 'over-limit' });
  });

  it('that may be too long is told of', async () => {
    expect((await lines({}, { ...chunk, tokens: 8193 }, { ...chunk, tokens: 8192 })).report.notices).toEqual([
      '1 chunk has more than the 8192 tokens that the API takes, if its tokenizer counts alike',
    ]);
    expect((await lines({}, chunk)).report.notices).toEqual([]);
  });
});
