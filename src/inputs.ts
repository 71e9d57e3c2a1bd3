/**
 * From what the user named to sources, in order, each once. The run's own output is no input: in a directory it is passed over,
 * named alone it is an error, whatever name it goes by.
 */
import { configError } from './errors.js';
import { manifestPath } from './manifest.js';
import { inputs as inputKinds } from './registry.js';
import type { RunSettings } from './settings.js';
import type { Source } from './types.js';
import type { World } from './world.js';

/**
 * `beside`: files that are no inputs either, since other runs of the same configuration write them.
 * @throws IngestError kind source for what cannot be found, kind config for names that clash
 */
export async function openInputs(settings: RunSettings, beside: readonly string[], world: World): Promise<Source[]> {
  const { root, bufferBytes, sourceName } = settings;
  const options = { bufferBytes, sourceName, ...(root === undefined ? {} : { root }) };
  const isOwn = await ownFiles(settings, beside, world);
  const named = new Map<string, Source>();
  for (const input of settings.inputs) {
    const kind = inputKinds.find((each) => each.takes(input))!;
    const opened = await kind.open(input, options, world);
    const others: Source[] = [];
    for (const source of opened) if (!(await isOwn(source))) others.push(source);
    // In a directory the output of the last run is passed over; an input that is nothing else would be lost.
    if (opened.length > 0 && others.length === 0) throw configError([`${input} is both input and output`]);
    for (const source of others) {
      const name = source.origin?.uri ?? sourceName;
      const same = named.get(name);
      if (same === undefined) named.set(name, source);
      else if (same.origin === undefined || source.origin === undefined)
        throw configError([`${name} is the name of a file and of standard input: give that another`]);
    }
  }
  return [...named.values()];
}

/** Tells of a source whether it reads what this run writes, by whatever name. */
async function ownFiles({ out, summary, rejects }: RunSettings, beside: readonly string[], { fs }: World) {
  const manifest = out === undefined ? undefined : manifestPath(out);
  const written = [out, manifest, summary, rejects, ...beside].filter((path) => path !== undefined);
  const real = (path: string) => fs.promises.realpath(path).catch(() => undefined);
  const own = new Set(await Promise.all(written.map(real)));
  own.delete(undefined);
  return async ({ paths = [] }: Source): Promise<boolean> => {
    if (own.size === 0) return false;
    for (const path of paths) if (own.has(await real(path))) return true;
    return false;
  };
}
