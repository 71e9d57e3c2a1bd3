/**
 * One error class. Its kind says who must act, and so fixes the exit code; its reason is a stable word that programs may test.
 * Messages name the thing and the byte, then say in a sentence what is wrong and what to do. They never carry a key or a
 * signed address.
 */

export type ErrorKind = 'config' | 'source' | 'record' | 'sink' | 'bug';

/** The process exit code for each kind (contract: 0 done, 1 verify found a fault, 130 interrupted). */
export const EXIT_CODES: Readonly<Record<ErrorKind, number>> = { config: 2, source: 3, record: 4, sink: 5, bug: 70 };

export interface ErrorDetails {
  /** URI of the origin concerned. */
  readonly origin?: string;
  /** Byte in that origin. */
  readonly at?: number;
  /** 0-based record index. */
  readonly record?: number;
  /** The bytes of the faulty record, half-open, where it is known where the next one begins. */
  readonly range?: readonly [start: number, end: number];
  /** The beginning of what is wrong, for people. */
  readonly excerpt?: string;
  readonly cause?: unknown;
}

export class IngestError extends Error {
  override readonly name = 'IngestError';
  readonly kind: ErrorKind;
  /** Stable kebab-case word, for example `not-found`. */
  readonly reason: string;
  readonly origin: string | undefined;
  readonly at: number | undefined;
  readonly record: number | undefined;
  readonly range: readonly [start: number, end: number] | undefined;
  readonly excerpt: string | undefined;

  constructor(kind: ErrorKind, reason: string, sentence: string, details: ErrorDetails = {}) {
    const place = [details.origin, details.at === undefined ? undefined : `byte ${details.at}`]
      .filter((part) => part !== undefined)
      .join(', ');
    super(place === '' ? sentence : `${place}: ${sentence}`, details.cause === undefined ? {} : { cause: details.cause });
    this.kind = kind;
    this.reason = reason;
    this.origin = details.origin;
    this.at = details.at;
    this.record = details.record;
    this.range = details.range;
    this.excerpt = details.excerpt;
  }
}

/** All problems of a configuration at once, one a line. */
export function configError(problems: readonly string[]): IngestError {
  return new IngestError('config', 'bad-options', problems.join('\n'));
}

/** The system's word for what went wrong, such as ENOENT; undefined where it gave none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
