/** Standard input as a source: one origin of unknown length, and what happens when reading fails or is aborted. */
import { describe, expect, it } from 'vitest';
import { stdin } from '../../sources/stdin.js';
import { IngestError } from '../../src/errors.js';
import { conformSource, failsAs, readAll } from '../conformance/source.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Can be read any number of times, unlike a process's. */
function canned(...texts: string[]) {
  return {
    stdin: {
      async *[Symbol.asyncIterator]() {
        for (const text of texts) yield bytesOf(text);
      },
    },
  };
}

function failing(error: unknown) {
  return {
    stdin: (async function* () {
      yield bytesOf('some');
      throw error;
    })(),
  };
}

describe('the stdin source', () => {
  it('keeps the laws of sources', async () => {
    await conformSource(() => stdin('-', canned('one', '', 'two')), [['-', bytesOf('onetwo')]]);
    await conformSource(() => stdin('notes.txt', canned('x')), [['notes.txt', bytesOf('x')]]);
    await conformSource(() => stdin('-', canned()), [['-', bytesOf('')]]);
  });

  it('knows no length beforehand', () => {
    const source = stdin('-', canned('x'));
    expect([source.origin, source.paths]).toEqual([undefined, undefined]);
  });

  it('announces its origin before it has read anything', async () => {
    const source = stdin('-', failing(new Error('EIO')));
    for await (const item of source.read(new AbortController().signal)) {
      expect(item).toEqual({ uri: '-' });
      break;
    }
  });

  it('says what went wrong, with its name and the cause', async () => {
    const cause = new Error('EIO');
    const error = await failsAs(readAll(stdin('log', failing(cause))), 'read-failed', 'log');
    expect(error.cause).toBe(cause);
  });

  it('lets an error of ours pass as it is', async () => {
    const ours = new IngestError('source', 'cut-short', 'x', { origin: 'y' });
    await expect(readAll(stdin('-', failing(ours)))).rejects.toBe(ours);
  });

  it('ends with the reason of the abort, not with a failure of reading', async () => {
    const abort = new AbortController();
    const reason = new Error('interrupted');
    abort.abort(reason);
    await expect(readAll(stdin('-', canned('a', 'b')), abort.signal)).rejects.toBe(reason);
  });
});
