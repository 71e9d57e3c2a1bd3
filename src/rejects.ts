/**
 * What becomes of faulty records in a run: it stops at the first, or leaves each out, counts it and writes a line of JSON about
 * it. Lines go to the file as they come and are never gathered (law L8); the file has its name once the run is through (L11).
 */
import { IngestError } from './errors.js';
import type { ByteFile, Place } from './registry.js';
import type { RunSettings } from './settings.js';
import type { Report } from './types.js';

export class Rejects {
  readonly #stops: boolean;
  readonly #tell: Report | undefined;
  readonly #file: ByteFile | undefined;
  readonly #reasons = new Map<string, number>();
  #pending = '';

  private constructor({ onError, onReject }: RunSettings, file: ByteFile | undefined) {
    this.#stops = onError === 'stop';
    this.#tell = onReject;
    this.#file = file;
  }

  static async open(settings: RunSettings, place: Place): Promise<Rejects> {
    const { rejects, dryRun } = settings;
    return new Rejects(settings, rejects === undefined || dryRun ? undefined : await place.open(rejects));
  }

  /** How often each reason was told, by its word. */
  get reasons(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#reasons].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @throws the error itself where the run is to stop at it */
  readonly report: Report = (error) => {
    if (this.#stops || !(error instanceof IngestError)) throw error;
    this.#reasons.set(error.reason, (this.#reasons.get(error.reason) ?? 0) + 1);
    if (this.#file !== undefined) this.#pending += `${JSON.stringify(lineOf(error))}\n`;
    this.#tell?.(error);
  };

  /** Writes what was told since the last time; nothing is gathered while the caller does this often. */
  async flush(): Promise<void> {
    if (this.#pending === '') return;
    const bytes = new TextEncoder().encode(this.#pending);
    this.#pending = '';
    await this.#file!.write(bytes);
  }

  async commit(): Promise<void> {
    await this.flush();
    await this.#file?.commit();
  }

  async abort(): Promise<void> {
    await this.#file?.abort();
  }
}

/** `start` and `end` are the record's bytes; they are absent where the fault is the whole source's. */
function lineOf({ origin, range, record, at, reason, message, excerpt }: IngestError) {
  return { source: origin, start: range?.[0], end: range?.[1], index: record, at, reason, message, excerpt };
}
