/**
 * The proof of output that holds no lines of chunks of its own: files for a store, lines with fields of choice or compressed,
 * chunks that were read back. What their records say cannot be held against sources; but each file must be the one that the
 * manifest describes, byte for byte, and their records must add up. The ranges are proved on the lines that they were made of.
 */
import type { ByteReader } from './blocks.js';
import { type Manifest, manifestPath } from './manifest.js';
import { Fault } from './source-proof.js';
import type { WrittenFile } from './types.js';

/** Opens what was written, by its path or its address. */
export type Reach = (path: string) => Promise<ByteReader>;

/** Whether only the bytes of this output can be proved. */
export function isOpaque({ options: { to, fields, compress, chunks } }: Manifest): boolean {
  return [to, fields, compress, chunks].some((said) => said !== undefined);
}

/** A file of an output, and where it is now. */
export interface Part {
  readonly path: string;
  readonly file: WrittenFile;
}

/** Its files, in order. Only one that is not numbered may have another name now: that of `out`. */
export function partsOf(out: string, { options: { to, maxRecords, maxBytes }, files }: Manifest): readonly Part[] {
  const isNumbered = [to, maxRecords, maxBytes].some((said) => said !== undefined);
  const folder = out.slice(0, out.lastIndexOf('/') + 1);
  return files.map((file) => ({ path: isNumbered ? folder + file.path : out, file }));
}

/**
 * @param out what the files are named after
 * @throws Fault for the first that is another; IngestError kind source for one that cannot be read
 */
export async function proveFiles(out: string, manifest: Manifest, reach: Reach): Promise<void> {
  for (const part of partsOf(out, manifest)) await proveFile(part, reach);
  const records = manifest.files.reduce((sum, { chunks }) => sum + chunks, 0);
  const { chunks } = manifest.totals;
  if (records !== chunks) throw new Fault(`${manifestPath(out)}: its files hold ${records} chunks, but its totals say ${chunks}`);
}

async function proveFile({ path, file: { bytes, sha256 } }: Part, reach: Reach): Promise<void> {
  const reader = await reach(path);
  try {
    if (reader.bytes !== bytes) throw new Fault(`${path}: it has ${reader.bytes} bytes, but the manifest says ${bytes}`);
    const digest = await reader.sha256();
    if (digest !== sha256) throw new Fault(`${path}: it is not the file that the manifest describes (SHA-256 ${digest})`);
  } finally {
    await reader.close();
  }
}
