/**
 * The names of files that are numbered, `points-00001.jsonl`, `points-00002.jsonl` … for a PATH `points.jsonl`, and what becomes
 * of those that a run before has left. The stem is PATH without the ending of the files (`.jsonl`, `.jsonl.gz`) where it has
 * that; any other ending stays a part of it. The manifest stands beside PATH itself: `points.jsonl.manifest.json`.
 *
 * A manifest means that an output is complete: it is refused without `overwrite`. With it, the manifest goes before the first new
 * file has its name, and files that the new output does not replace go at its end. Numbered files without a manifest are refused
 * too, since they may be anybody's; unless the partial of a manifest lies there, which is what a killed run leaves: its files go
 * first, complete or not. A run that fails removes what it had completed.
 */
import { IngestError } from '../src/errors.js';
import { manifestPath } from '../src/manifest.js';
import type { WrittenFile } from '../src/types.js';
import type { Place } from './place.js';
import type { Squeezing } from './store.js';

const SUFFIXES: Readonly<Record<Squeezing, string>> = { gzip: '.gz', zstd: '.zst' };

export class NumberedFiles {
  /** What files are called, without folder and number. */
  readonly stem: string;
  readonly #folder: string;
  readonly #ending: string;
  readonly #path: string;
  /** Of a numbered file of this output, compressed or not, by this run or a former one. */
  readonly #isOurs: RegExp;
  readonly #isPartial: RegExp;

  constructor(path: string, ending: string, squeeze?: Squeezing) {
    const slash = path.lastIndexOf('/') + 1;
    const name = path.slice(slash);
    this.#path = path;
    this.#folder = path.slice(0, slash);
    this.#ending = `${ending}${squeeze === undefined ? '' : SUFFIXES[squeeze]}`;
    const known = [...Object.values(SUFFIXES).map((suffix) => `${ending}${suffix}`), ending];
    const own = known.find((each) => name.endsWith(each) && name.length > each.length);
    this.stem = own === undefined ? name : name.slice(0, -own.length);
    const pattern = `${escaped(this.stem)}-\\d{5}${escaped(ending)}(?:\\.gz|\\.zst)?`;
    this.#isOurs = new RegExp(`^${pattern}$`);
    this.#isPartial = new RegExp(`^\\.${pattern}(?:\\.\\d+)?\\.partial$`);
  }

  /** Where they are. */
  get folder(): string {
    return this.#folder === '' ? '.' : this.#folder;
  }

  /** Whether a name in the folder is one of this output, of this run or a former one. */
  has(name: string): boolean {
    return this.#isOurs.test(name) || this.#isPartial.test(name);
  }

  numbered(number: number): string {
    return `${this.#folder}${this.stem}-${String(number).padStart(5, '0')}${this.#ending}`;
  }

  beside(name: string): string {
    return `${this.#folder}${this.stem}.${name}`;
  }

  /** Refuses to go on over a former output, or removes what a killed run left. */
  async clear(place: Place, overwrite: boolean): Promise<void> {
    const names = await place.names(this.folder);
    const manifest = manifestPath(this.#path).slice(this.#folder.length);
    const files = names.filter((name) => this.#isOurs.test(name));
    const isComplete = names.includes(manifest);
    const wasKilled = !isComplete && names.includes(`.${manifest}.partial`);
    if (!overwrite && (isComplete || (files.length > 0 && !wasKilled))) {
      const [found] = isComplete ? [manifest] : files;
      const sentence = `cannot write ${this.#path}: ${this.#folder}${found} is there, of a run before; overwrite it with --overwrite, or choose another name`;
      throw new IngestError('sink', 'output-exists', sentence);
    }
    const left = [...(wasKilled ? files : []), ...names.filter((name) => this.#isPartial.test(name))];
    for (const name of left) await place.remove(`${this.#folder}${name}`);
  }

  forgetManifest(place: Place): Promise<void> {
    return place.remove(manifestPath(this.#path));
  }

  /** Numbered files of a former run. */
  async removeOthers(place: Place, written: readonly WrittenFile[]): Promise<void> {
    const own = new Set(written.map(({ path }) => path));
    for (const name of await place.names(this.folder)) {
      const path = `${this.#folder}${name}`;
      if (this.#isOurs.test(name) && !own.has(path)) await place.remove(path);
    }
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
