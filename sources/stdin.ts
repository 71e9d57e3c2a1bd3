/**
 * The `stdin` source: one origin, read once, of unknown length.
 */
import { IngestError } from '../src/errors.js';
import type { Source } from '../src/types.js';
import type { World } from '../src/world.js';

/** @param name what chunks call it */
export function stdin(name: string, world: Pick<World, 'stdin'>): Source {
  return {
    async *read(signal) {
      yield { uri: name };
      try {
        for await (const buffer of world.stdin) {
          signal.throwIfAborted();
          yield buffer;
        }
      } catch (error) {
        if (signal.aborted || error instanceof IngestError) throw error;
        throw new IngestError('source', 'read-failed', 'standard input could not be read', { origin: name, cause: error });
      }
    },
  };
}
