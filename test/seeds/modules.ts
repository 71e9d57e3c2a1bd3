/** Which modules a run of the program loads, as V8 tells it: the vocabulary of a tokenizer is large, and not always needed. */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MAIN, temporary } from '../support/cli.js';

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** Whether a chunk job with these options loads a file of this package. */
export async function loadedBy(options: readonly string[], name: string): Promise<boolean> {
  const place = temporary();
  try {
    const input = place.write('in.txt', 'The wheel turns.');
    const env = { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: place.path('coverage') };
    await promisify(execFile)(process.execPath, [MAIN, input, ...options], { env });
    const files = readdirSync(place.path('coverage')).map((file) => readFileSync(join(place.path('coverage'), file), 'utf8'));
    return files.flatMap((file) => (JSON.parse(file) as Coverage).result).some(({ url }) => url.includes(`/${name}/`));
  } finally {
    place.remove();
  }
}
