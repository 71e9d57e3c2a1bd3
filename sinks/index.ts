/**
 * The table of sinks: where chunks can go, by the name given to `--to`. Adding a sink is one file, one row here, one test.
 */
import type { Spec } from '../src/spec.js';
import type { Sink } from '../src/types.js';
import type { World } from '../src/world.js';
import { linesSink } from './lines.js';

export interface SinkSpec extends Spec {
  /** Makes a sink that is not open yet. */
  create(request: SinkRequest): Sink;
}

export interface SinkRequest {
  /** As given to `--out`; absent: stdout. */
  readonly path?: string;
  /** The sink's own options, checked, under their camelCase keys. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly world: World;
}

export const sinks: readonly SinkSpec[] = [
  { name: 'jsonl', summary: 'one JSON object a line', create: linesSink },
  { name: 'ndjson', summary: 'the same under its other name', create: linesSink },
];
