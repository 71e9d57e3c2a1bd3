/**
 * Every fault of the four seed systems, and every check that shows us better: those that concern text, tokens, places, records and
 * ranking are run on our build; the others say where they belong.
 */
import type { Row } from './check.js';
import { crawl4ai } from './crawl4ai.js';
import { mastraFound, mastraReported } from './mastra.js';
import { parity } from './parity.js';
import { ragTextChunker } from './rag-text-chunker.js';
import { records } from './records.js';
import { rest } from './rest.js';
import { counts, places, sizes } from './spans.js';
import { streaming } from './streaming.js';
import { weave } from './weave.js';

export const rows: readonly Row[] = [
  ...crawl4ai,
  ...ragTextChunker,
  ...mastraReported,
  ...mastraFound,
  ...weave,
  ...places,
  ...sizes,
  ...counts,
  ...streaming,
  ...parity,
  ...records,
  ...rest,
];
