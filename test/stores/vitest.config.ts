/**
 * The store checks: real stores, and the clients of stores, take what the command line wrote. One file after the other: a server
 * and the stores in this process want both cores, and each needs hundreds of megabytes.
 */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { Tally } from '../support/tally.js';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    fileParallelism: false,
    globalSetup: ['./fixture.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', new Tally()],
  },
});
