/**
 * Requests for OpenAI's batch API, endpoint /v1/embeddings: one line a chunk, whose id is the request's `custom_id`. Answers come
 * in any order, so that id is all that joins them to the chunks again. Limits: the OpenAPI description of August 2026.
 */
import { embedded } from '../../src/context.js';
import type { OptionSpec } from '../../src/spec.js';
import { jsonOf } from '../escape.js';
import { overLimit, rowsBody, type StoreSpec } from '../store.js';

const DEFAULT_MODEL = 'text-embedding-3-small';
/** Of one input. */
const MOST_TOKENS = 8192;

const options: readonly OptionSpec[] = [
  {
    name: 'embed-model',
    type: 'string',
    group: 'output',
    value: 'NAME',
    summary: 'model that the requests name',
    defaultText: DEFAULT_MODEL,
  },
  {
    name: 'embed-dimensions',
    type: 'integer',
    group: 'output',
    value: 'N',
    min: 1,
    max: 65_536,
    summary: 'numbers that the requests ask for in each embedding',
    defaultText: 'as many as the model gives',
  },
];

export const openaiBatch: StoreSpec = {
  name: 'openai-batch',
  summary: "requests for OpenAI's batch API that embed each chunk; custom_id is the chunk's id",
  options,
  needs: 'text',
  ending: '.jsonl',
  // One input a request: 50,000 requests and 50,000 inputs are the same then.
  limits: { fileRecords: 50_000, fileBytes: 200_000_000 },
  compress: [],
  ids: { words: 'any' },
  nul: 'keep',
  encoder({ embedModel = DEFAULT_MODEL, embedDimensions }) {
    const before = '{"custom_id":';
    const between = `,"method":"POST","url":"/v1/embeddings","body":{"model":${jsonOf(embedModel)},"input":`;
    const after = `${embedDimensions === undefined ? '' : `,"dimensions":${embedDimensions}`},"encoding_format":"float"}}\n`;
    let long = 0;
    return {
      body: () =>
        rowsBody({
          row(record, bytes) {
            if (record.text === '') throw overLimit(record, 'has no text, and the API refuses to embed none');
            bytes.ascii(before);
            bytes.string(record.id);
            bytes.text(between);
            bytes.string(embedded(record.context ?? '', record.text));
            bytes.ascii(after);
          },
        }),
      written({ tokens = 0 }) {
        if (tokens > MOST_TOKENS) long++;
      },
      notices() {
        const who = long === 1 ? 'chunk has' : 'chunks have';
        return long === 0
          ? []
          : [`${long} ${who} more than the ${MOST_TOKENS} tokens that the API takes, if its tokenizer counts alike`];
      },
    };
  },
};
