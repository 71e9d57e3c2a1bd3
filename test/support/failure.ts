/**
 * The error that a piece of work must fail with.
 */
import { expect } from 'vitest';
import { IngestError } from '../../src/errors.js';

export async function failure(work: Promise<unknown>): Promise<IngestError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(IngestError);
  return error as IngestError;
}
