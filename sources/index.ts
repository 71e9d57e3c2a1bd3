/**
 * Two tables on purpose: where bytes come from (inputs) and how they split into documents (formats). Any of one works with any
 * of the other.
 */

import type { OnInvalid } from '../src/decode.js';
import type { Spec } from '../src/spec.js';
import type { Charset, Item, Machine, Origin, Source } from '../src/types.js';
import type { World } from '../src/world.js';
import { files } from './files.js';
import { stdin } from './stdin.js';
import { text } from './text.js';

export interface InputOptions {
  readonly root?: string;
  readonly bufferBytes: number;
  /** What chunks call standard input. */
  readonly sourceName: string;
}

export interface InputSpec extends Spec {
  /** Whether an input, as the user wrote it, is of this kind. The first that says so has it. */
  readonly takes: (input: string) => boolean;
  open(input: string, options: InputOptions, world: World): Promise<readonly Source[]>;
}

export const inputs: readonly InputSpec[] = [
  {
    name: 'stdin',
    summary: '- reads standard input',
    takes: (input) => input === '-',
    open: async (_, options, world) => [stdin(options.sourceName, world)],
  },
  {
    name: 'files',
    summary: 'a file, a pattern such as "docs/**/*.md", or a directory with all that is in it, hidden files left out',
    takes: () => true,
    open: files,
  },
];

export interface FormatOptions {
  readonly encoding: 'auto' | Charset;
  readonly onInvalid: OnInvalid;
}

export interface FormatSpec extends Spec {
  create(origin: Origin, options: FormatOptions): Machine<Uint8Array, Item>;
}

export const formats: readonly FormatSpec[] = [{ name: 'text', summary: 'a file is one document of plain text', create: text }];
