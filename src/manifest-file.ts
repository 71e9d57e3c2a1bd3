/**
 * The manifest while it is written, source by source, so that it takes no memory however many there are. It has its name last
 * (L11), and an older one never stays beside new output.
 */
import { manifestPath, manifestText, type SourceReceipt, type Totals } from './manifest.js';
import { type ByteFile, type Place, targetOf } from './registry.js';
import type { RunSettings } from './settings.js';
import type { WrittenFile } from './types.js';
import { VERSION } from './version.js';
import type { World } from './world.js';

export class ManifestFile {
  readonly #file: ByteFile;
  readonly #path: string;
  readonly #place: Place;
  #pending: string;
  #sources = 0;

  private constructor(path: string, file: ByteFile, head: string, place: Place) {
    this.#path = path;
    this.#file = file;
    this.#place = place;
    this.#pending = head;
  }

  /** None where the output is no file that stays: a dry run's, standard output, a device. */
  static async open(settings: RunSettings, place: Place, world: World): Promise<ManifestFile | undefined> {
    const { out, dryRun } = settings;
    if (out === undefined || out === '-' || dryRun || (await targetOf(out, world)).direct) return undefined;
    const path = manifestPath(out);
    return new ManifestFile(path, await place.open(path), manifestText.head(VERSION, settings.described), place);
  }

  async add(receipt: SourceReceipt): Promise<void> {
    this.#pending += manifestText.source(receipt, this.#sources++ === 0);
    if (this.#pending.length > 65_536) await this.#flush();
  }

  /** After the output has its name. If it fails, the manifest of an older output goes: it would stand beside a stranger. */
  async commit(totals: Totals, files: readonly WrittenFile[]): Promise<void> {
    this.#pending += manifestText.tail(totals, files.map(besideManifest));
    try {
      await this.#flush();
      await this.#file.commit();
    } catch (error) {
      await this.#place.remove(this.#path).catch(() => {});
      throw error;
    }
  }

  abort(): Promise<void> {
    return this.#file.abort();
  }

  async #flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    await this.#file.write(new TextEncoder().encode(text));
  }
}

/** Named from where the manifest stands, so that the two may be moved together. */
function besideManifest(file: WrittenFile): WrittenFile {
  return { ...file, path: file.path.slice(file.path.lastIndexOf('/') + 1) };
}
