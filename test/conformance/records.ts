/**
 * The laws of a splitter of records, on one input: L1 and L10 (any cutting of the bytes gives the same documents and the same
 * faults in the same places), L2 (verbatim text is its bytes decoded, an escape is its bytes un-escaped, order never goes back,
 * a text lies within its record), and that documents open and close in turn.
 */
import { expect } from 'vitest';
import { IngestError } from '../../src/errors.js';
import type { Item, Report, Splitting } from '../../src/types.js';
import { drained, joinedSegments } from '../support/whole.js';
import { conformMachine } from './machine.js';
import { type Document, documentsOf, spansAreInOrder, spansAreTheirBytes } from './segments.js';

export interface RecordSubject {
  /** A fresh splitter, which tells its faults to this. */
  make(report: Report): Splitting;
  /** What the source text of one escape says, in another way than the splitter's. */
  readonly unescape: (raw: string) => string;
}

/** A fault as it was told, and after how many documents. `fatal`: it was thrown. */
export interface Told {
  readonly reason: string;
  readonly at: number | undefined;
  readonly range: readonly [number, number] | undefined;
  readonly record: number | undefined;
  readonly fatal: boolean;
  readonly message: string;
}

export interface Split {
  readonly documents: readonly Document[];
  readonly faults: readonly Told[];
}

/** All laws. Returns what was found, for what only the test of the splitter can know. */
export function conformRecords(subject: RecordSubject, bytes: Uint8Array, seed = 1): Split {
  conformMachine({ make: () => withFaults(subject), result: flattened }, bytes, seed);
  const machine = withFaults(subject);
  const found = drained(machine, [bytes]);
  const { documents, faults } = splitOf(found);
  let last = machine.head()?.bytes ?? 0;
  for (const { doc, segments } of documents) {
    spansAreInOrder(segments, last, bytes.length);
    spansAreTheirBytes(segments, bytes, 0, doc.charset, subject.unescape);
    const { record } = doc;
    const [first, end] = [segments[0], segments.at(-1)?.end ?? last];
    if (record !== undefined && first !== undefined && (first.start < record.start || end > (record.end ?? end))) {
      expect.fail(`a text [${first.start}, ${end}) outside of its record ${JSON.stringify(record)}`);
    }
    last = end;
  }
  for (const { at, range } of faults) {
    if (at !== undefined && (at < 0 || at > bytes.length)) expect.fail(`a fault at byte ${at} of ${bytes.length}`);
    if (range !== undefined && !(range[0] < range[1] && range[1] <= bytes.length)) expect.fail(`a fault's range ${range}`);
  }
  return { documents, faults };
}

/** What a splitter gives for these buffers, without the laws. */
export function split(make: (report: Report) => Splitting, buffers: Iterable<Uint8Array>): Split {
  return splitOf(drained(withFaults({ make }), buffers));
}

type Found = Item | { readonly fault: Told };

/** The splitter with its faults among its items. After one that is thrown nothing comes. */
function withFaults(subject: Pick<RecordSubject, 'make'>) {
  const told: Told[] = [];
  let stopped = false;
  const tell = (error: unknown, fatal: boolean): void => {
    if (!(error instanceof IngestError) || error.kind !== 'record') throw error;
    const { reason, at, range, record, message } = error;
    told.push({ reason, at, range, record, fatal, message });
  };
  const machine = subject.make((error) => tell(error, false));
  function* guarded(items: () => Iterable<Item>): Iterable<Found> {
    if (stopped) return;
    try {
      for (const item of items()) {
        yield* told.splice(0).map((fault) => ({ fault }));
        yield item;
      }
    } catch (error) {
      tell(error, true);
      stopped = true;
    }
    yield* told.splice(0).map((fault) => ({ fault }));
  }
  return {
    push: (input: Uint8Array) => guarded(() => machine.push(input)),
    end: () => guarded(() => machine.end()),
    head: () => machine.head,
  };
}

function splitOf(found: readonly Found[]): Split {
  const faults = found.flatMap((each) => ('fault' in each ? [each.fault] : []));
  const items = found.filter((each): each is Item => !('fault' in each));
  // A thrown fault may leave a document open.
  const open = items.findLast((item) => 'open' in item || 'close' in item);
  if (faults.at(-1)?.fatal === true && open !== undefined && 'open' in open) items.push({ close: open.open });
  return { documents: documentsOf(items), faults };
}

function flattened(found: readonly Found[]): unknown {
  const { documents, faults } = splitOf(found);
  const texts = documents.map(({ doc, segments }) => ({ doc, segments: joinedSegments(segments, doc.charset) }));
  return { texts, faults };
}
