/**
 * The real World: this process's disk, standard streams, clock and digests. The library's calls use it unless given another.
 */
import { createHash, hash } from 'node:crypto';
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { World } from './world.js';

export const nodeWorld: World = {
  fs,
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  now: () => performance.now(),
  date: () => new Date(),
  sleep: (milliseconds, signal) =>
    setTimeout(milliseconds, undefined, { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    }),
  random: Math.random,
  env: process.env,
  get home() {
    return homedir();
  },
  // Loaded only by what needs it: most runs read files.
  http: async (request) => (await import('./node-http.js')).exchange(request),
  load: (name) => import(/^[@a-z][\w@/-]*$/.test(name) ? name : pathToFileURL(resolve(name)).href),
  // The system counts in KiB.
  peakMemory: () => process.resourceUsage().maxRSS * 1024,
  sha1: (text) => hash('sha1', text, 'hex'),
  sha256() {
    const digest = createHash('sha256');
    return {
      update: (bytes) => void digest.update(bytes),
      digest: () => digest.digest('hex'),
    };
  },
};
