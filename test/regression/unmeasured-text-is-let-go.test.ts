/**
 * 300 MB of spaces, kept as they are, took 424 MB of memory with an exact tokenizer: a chunker passes over blank text without
 * measuring it, and a ruler held on to everything that it had not yet measured. A ruler holds its window, asked or not.
 */
import { describe, expect, it } from 'vitest';
import { counters } from '../../src/tokens/index.js';
import { rulerOf } from '../../src/tokens/ruler.js';

const WINDOW = ' '.repeat(1 << 16);

describe('a ruler that is never asked', () => {
  it.each(counters)('holds no more than its window: $name', async ({ load }) => {
    const ruler = rulerOf(await load());
    ruler.slide(WINDOW, 0);
    const before = process.memoryUsage().arrayBuffers;
    for (let slides = 0; slides < 500; slides++) ruler.slide(WINDOW, WINDOW.length / 2);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * WINDOW.length);
    expect(ruler.size(0, WINDOW.length)).toBeGreaterThan(0);
  });
});
