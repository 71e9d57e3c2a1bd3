/**
 * The test runner's settings: which files are tests, and the closing tally. Benchmarks and the store checks need packages or
 * servers that a plain checkout lacks, so they keep their own package.json and are not found from here.
 */
import { defineConfig } from 'vitest/config';
import { Tally } from './test/support/tally.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/stores/**', '**/node_modules/**'],
    // Room for a busy machine; a test that needs seconds on an idle one is too slow.
    // By default one core of two would stand idle.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', new Tally()],
  },
});
