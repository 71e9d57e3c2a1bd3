/**
 * The frame of every splitter of records: bytes are decoded, a scanner of the format reads the text and says where records and
 * fields are, a collector makes items of that. A scanner decides on what it has seen only when no more could change it, so
 * buffers never show (law L1); what it is not done with it gets again, longer.
 */
import { HeadedDecoder, type OnInvalid } from '../src/decode.js';
import type { Charset, Head, Item, Origin, Report, Segment, Splitting } from '../src/types.js';
import { Collector, Fault, type RecordOptions } from './collector.js';
import { TextWindow } from './window.js';

export interface RecordFormatOptions extends RecordOptions {
  readonly encoding: 'auto' | Charset;
  readonly onInvalid: OnInvalid;
}

/** The grammar of one format. */
export interface Scanner {
  /**
   * Reads on in the window's text and tells the collector what it finds. Returns how many units it is done with; the rest is
   * at the beginning of the text next time, with more behind it. `final`: nothing more comes, so all is to be decided.
   * `'again'`: it has rewound the window and wants to read it at once.
   */
  scan(text: string, final: boolean): number | 'again';
}

export type ScannerOf = (window: TextWindow, collector: Collector) => Scanner;

export function recordSplitter(origin: Origin, options: RecordFormatOptions, report: Report, scannerOf: ScannerOf): Splitting {
  return new RecordSplitter(origin, options, report, scannerOf);
}

const NOTHING: readonly never[] = [];

interface Parts {
  readonly window: TextWindow;
  readonly collector: Collector;
  readonly scanner: Scanner;
}

class RecordSplitter implements Splitting {
  readonly #origin: Origin;
  readonly #options: RecordFormatOptions;
  readonly #report: Report;
  readonly #scannerOf: ScannerOf;
  readonly #decoder: HeadedDecoder;
  #parts: Parts | undefined;

  constructor(origin: Origin, options: RecordFormatOptions, report: Report, scannerOf: ScannerOf) {
    this.#origin = origin;
    this.#options = options;
    this.#report = report;
    this.#scannerOf = scannerOf;
    this.#decoder = new HeadedDecoder(options.encoding, options.onInvalid);
  }

  get head(): Head | undefined {
    return this.#decoder.head;
  }

  *push(input: Uint8Array): Iterable<Item> {
    for (const segment of this.#decoder.push(input)) {
      // No generator within another: each would cost as much for every item as this one.
      for (const found of this.#take(segment)) if (this.#isItem(found)) yield found;
    }
  }

  *end(): Iterable<Item> {
    for (const segment of this.#decoder.end()) {
      for (const found of this.#take(segment)) if (this.#isItem(found)) yield found;
    }
    const parts = this.#begun();
    this.#read(parts, true);
    parts.collector.finish();
    for (const found of parts.collector.take()) if (this.#isItem(found)) yield found;
  }

  #take(segment: Segment): readonly (Item | Fault)[] {
    const parts = this.#begun();
    parts.window.append(segment);
    if (!parts.window.isDue) return NOTHING;
    this.#read(parts, false);
    return parts.collector.take();
  }

  /** Else a fault: it is told in its place among the items. */
  #isItem(found: Item | Fault): found is Item {
    if (!(found instanceof Fault)) return true;
    if (found.fatal) throw found.error;
    this.#report(found.error);
    return false;
  }

  #begun(): Parts {
    if (this.#parts === undefined) {
      const { charset, bytes } = this.head!;
      const window = new TextWindow(charset, bytes);
      const collector = new Collector(this.#origin, window, this.#options);
      this.#parts = { window, collector, scanner: this.#scannerOf(window, collector) };
    }
    return this.#parts;
  }

  #read({ window, collector, scanner }: Parts, final: boolean): void {
    window.settle();
    for (;;) {
      const done = scanner.scan(window.text, final);
      if (done === 'again') continue;
      collector.passed(done);
      window.drop(done);
      return;
    }
  }
}
