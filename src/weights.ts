/**
 * TF-IDF with the numbers of scikit-learn's default vectoriser: how many documents hold each term (Frequencies), then how close
 * a text is to the query (Scorer). The query counts as a document; a term's weight is its count times ln((1 + n) / (1 + df)) + 1;
 * the score is the cosine of the two vectors, 0 where one is empty.
 *
 * Of more terms than the table may hold only an upper bound of the documents is kept, in cells that several of them share. A text
 * with such terms gets two scores between which its own lies, until somebody has counted these terms alone.
 */
import { eachHash, TermTable } from './term-table.js';

/** Between which two the score lies; they are equal when all is known. */
export interface Score {
  readonly least: number;
  readonly most: number;
}

const ZERO: Score = { least: 0, most: 0 };

/** Each with a count and a mark: 16 MiB. */
const CELLS = 2 ** 21;

/** A term, and how often it is in a text. */
interface Asked {
  readonly high: number;
  readonly low: number;
  times: number;
}

/** In how many documents each term is. */
export class Frequencies {
  readonly asked: readonly Asked[];
  readonly table: TermTable;
  /** The query's terms alone: a table that stays in the processor's cache. */
  readonly #askedTable: TermTable;
  /** Pairs of count and mark; there only when the table was full. */
  #cells: Uint32Array | undefined;
  #documents = 0;

  /** `mostTerms` bounds memory, at 22 to 43 bytes each; those of the query come on top. */
  constructor(query: string, mostTerms: number) {
    this.asked = askedBy(query);
    this.#askedTable = new TermTable(this.asked.length);
    for (const { high, low } of this.asked) this.#askedTable.add(high, low);
    this.table = new TermTable(mostTerms + this.asked.length);
    this.add(query);
  }

  /** The query is one. */
  get documents(): number {
    return this.#documents;
  }

  /** Counts the terms of a document. Gives whether any is the query's. */
  add(text: string): boolean {
    this.#documents++;
    const mark = this.#documents >>> 0 || 1;
    let wanted = false;
    eachHash(text, (high, low) => {
      wanted ||= this.#askedTable.find(high, low) >= 0;
      const place = this.table.add(high, low);
      if (place < 0) this.#countInCell(high, mark);
      else this.table.countOnce(place, mark);
    });
    return wanted;
  }

  /** No fewer than the documents that hold this term, which is not in the table. */
  boundOf(high: number): number {
    return this.#cells![cellOf(high)]!;
  }

  /** Puts the terms of a text that are not in this table into another, as far as it takes them. */
  collectStrangers(text: string, into: TermTable): void {
    eachHash(text, (high, low) => {
      if (this.table.find(high, low) < 0) into.add(high, low);
    });
  }

  idf(documents: number): number {
    return Math.log((1 + this.#documents) / (1 + documents)) + 1;
  }

  #countInCell(high: number, mark: number): void {
    this.#cells ??= new Uint32Array(CELLS * 2);
    const cell = cellOf(high);
    if (this.#cells[cell + 1] === mark) return;
    this.#cells[cell + 1] = mark;
    this.#cells[cell]!++;
  }
}

const cellOf = (high: number): number => (high & (CELLS - 1)) * 2;

function askedBy(query: string): Asked[] {
  const asked = new Map<string, Asked>();
  eachHash(query, (high, low) => {
    const key = `${high} ${low}`;
    const known = asked.get(key);
    if (known === undefined) asked.set(key, { high, low, times: 1 });
    else known.times++;
  });
  return [...asked.values()];
}

/** Scores texts once all documents are counted. The table's marks are its own from then on. */
export class Scorer {
  readonly #frequencies: Frequencies;
  /** Exact counts of terms that are not in the table. */
  readonly #counted: TermTable | undefined;
  /** The places of the query's terms, and their weights in the query. */
  readonly #asked: readonly { readonly place: number; readonly idf: number; readonly weight: number }[];
  readonly #queryNorm: number;
  /** Places whose mark is how often their term is in the text at hand. */
  #places: number[] = [];

  constructor(frequencies: Frequencies, counted?: TermTable) {
    this.#frequencies = frequencies;
    this.#counted = counted;
    const { table } = frequencies;
    table.clearMarks();
    this.#asked = frequencies.asked.map(({ high, low, times }) => {
      const place = table.find(high, low);
      const idf = frequencies.idf(table.countAt(place));
      return { place, idf, weight: times * idf };
    });
    this.#queryNorm = Math.sqrt(this.#asked.reduce((sum, { weight }) => sum + weight ** 2, 0));
  }

  score(text: string): Score {
    const { table } = this.#frequencies;
    const strangers = this.#count(text);
    let product = 0;
    for (const { place, idf, weight } of this.#asked) product += weight * table.markAt(place) * idf;
    const score = product === 0 ? ZERO : this.#scoreOf(product, strangers);
    for (const place of this.#places) table.setMark(place, 0);
    this.#places = [];
    return score;
  }

  /** Marks each place with how often its term is in the text; gives the terms without a place. */
  #count(text: string): Strangers | undefined {
    const { table } = this.#frequencies;
    let strangers: Strangers | undefined;
    eachHash(text, (high, low) => {
      const place = table.find(high, low);
      if (place < 0) {
        strangers ??= new Strangers();
        strangers.add(high, low);
        return;
      }
      const times = table.markAt(place);
      if (times === 0) this.#places.push(place);
      table.setMark(place, times + 1);
    });
    return strangers;
  }

  #scoreOf(product: number, strangers: Strangers | undefined): Score {
    const { table } = this.#frequencies;
    let known = 0;
    for (const place of this.#places) known += (table.markAt(place) * this.#frequencies.idf(table.countAt(place))) ** 2;
    let [least, most] = [known, known];
    for (const { high, low, times } of strangers?.all() ?? []) {
      const documents = this.#documentsOf(high, low);
      least += (times * this.#frequencies.idf(documents.most)) ** 2;
      most += (times * this.#frequencies.idf(documents.least)) ** 2;
    }
    // The longer the vector, the lower the score.
    return { least: this.#cosine(product, most), most: this.#cosine(product, least) };
  }

  #documentsOf(high: number, low: number): Score {
    const place = this.#counted?.find(high, low) ?? -1;
    if (place < 0) return { least: 1, most: this.#frequencies.boundOf(high) };
    const documents = this.#counted!.countAt(place);
    return { least: documents, most: documents };
  }
  /** Rounded, so that texts with the same words in another order are equal. */
  #cosine(product: number, square: number): number {
    return Math.round((product / (this.#queryNorm * Math.sqrt(square))) * 1e12) / 1e12;
  }
}

/** The terms of one text that are not in the table of all. */
class Strangers {
  readonly #table = new TermTable(Number.POSITIVE_INFINITY);
  readonly #hashes: number[] = [];

  add(high: number, low: number): void {
    const { size } = this.#table;
    const place = this.#table.add(high, low);
    if (this.#table.size > size) this.#hashes.push(high, low);
    this.#table.setMark(place, this.#table.markAt(place) + 1);
  }

  *all(): Generator<Asked> {
    for (let at = 0; at < this.#hashes.length; at += 2) {
      const [high, low] = [this.#hashes[at]!, this.#hashes[at + 1]!];
      yield { high, low, times: this.#table.markAt(this.#table.find(high, low)) };
    }
  }
}
