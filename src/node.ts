/**
 * The real World: this process's disk, standard streams, clock and digests. The library's calls use it unless given another.
 */
import { createHash, hash } from 'node:crypto';
import * as fs from 'node:fs';
import { resolve } from 'node:path';
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
