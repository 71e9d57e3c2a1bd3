/**
 * Loaded before a contender (`node --import`): writes what the process has used when it ends, to the file that BENCH_USAGE names. So
 * all contenders are measured alike, a command line we must not change among them.
 */

import { writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.BENCH_USAGE, JSON.stringify(process.resourceUsage())));
