/**
 * One peer, one file, in a process of its own: node run.mjs ADAPTER FUNCTION INPUT OUTPUT. Adapters (the files beside this one) turn a
 * whole text into [{ text, start?, end? }]; here it is read and written, the same way for all.
 */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

const BATCH = 1000;

const [adapter, name, input, output] = process.argv.slice(2);
const peer = await import(`./${adapter}.mjs`);
const chunks = await peer[name](readFileSync(input, 'utf8'));
const file = openSync(output, 'w');
for (let at = 0; at < chunks.length; at += BATCH) {
  const lines = chunks.slice(at, at + BATCH).map((chunk) => `${JSON.stringify(chunk)}\n`);
  writeSync(file, lines.join(''));
}
closeSync(file);
