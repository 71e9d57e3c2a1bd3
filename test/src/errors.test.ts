/** The one error class: what its message says, what it carries, and the exit code of each kind. */
import { describe, expect, it } from 'vitest';
import { configError, EXIT_CODES, IngestError } from '../../src/errors.js';

describe('IngestError', () => {
  it('names the origin and the byte before it says what is wrong', () => {
    const error = new IngestError('record', 'invalid-bytes', 'these bytes are no text', { origin: 'a.txt', at: 0, record: 3 });
    expect(error.message).toBe('a.txt, byte 0: these bytes are no text');
    expect(error).toMatchObject({
      kind: 'record',
      reason: 'invalid-bytes',
      origin: 'a.txt',
      at: 0,
      record: 3,
      name: 'IngestError',
    });
    expect(error).toBeInstanceOf(Error);
  });

  it.each([
    [{}, 'it went wrong'],
    [{ origin: 'a' }, 'a: it went wrong'],
    [{ at: 7 }, 'byte 7: it went wrong'],
    [{ origin: '', at: 2 ** 40 }, ', byte 1099511627776: it went wrong'],
  ])('with %j says %j', (details, message) => {
    expect(new IngestError('source', 'read-failed', 'it went wrong', details).message).toBe(message);
  });

  it('keeps the cause, and has none when none is given', () => {
    const cause = new Error('EIO');
    expect(new IngestError('source', 'read-failed', 'x', { cause }).cause).toBe(cause);
    expect('cause' in new IngestError('source', 'read-failed', 'x')).toBe(false);
  });
});

describe('configError', () => {
  it('holds all problems, one a line', () => {
    expect(configError(['one', 'two'])).toMatchObject({ kind: 'config', reason: 'bad-options', message: 'one\ntwo' });
  });
});

describe('EXIT_CODES', () => {
  it('are those of the contract, apart from each other and from done, faulty and interrupted', () => {
    expect(EXIT_CODES).toEqual({ config: 2, source: 3, record: 4, sink: 5, bug: 70 });
  });
});
