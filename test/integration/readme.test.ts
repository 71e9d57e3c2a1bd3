/**
 * What the README shows is what comes out. Each block of console lines is run in a shell, `millrace` being the built program, and
 * each block of JavaScript by Node; `…` in an expected line stands for anything.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAIN, SAMPLES, type Workspace, workspace } from '../support/cli.js';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const LIBRARY = new URL('../../dist/src/index.js', import.meta.url).href;

const blocks = (language: string): string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block!);

function placed(): Workspace {
  const place = workspace();
  symlinkSync(SAMPLES, place.path('samples'));
  return place;
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Holds the lines that came to those that are shown; a shown line that is only `…` stands for any number of them. */
function expectShown(output: string, shown: readonly string[]): void {
  const quoted = shown.map((line) => (line === '…' ? '(?:.*\n)*' : `${line.split('…').map(literal).join('.*')}\n`));
  expect(output).toMatch(new RegExp(`^${quoted.join('')}$`));
}

const SHELL = 'millrace() { "$NODE" "$MAIN" "$@"; }; exec 2>&1; ';

describe('the README', () => {
  it.each(blocks('console').map((block) => [block.split('\n')[0]!, block]))('is right about %s', (_, block) => {
    const place = placed();
    const env = { ...process.env, NODE: process.execPath, MAIN, NODE_OPTIONS: '' };
    for (const example of block.split(/^\$ /m).slice(1)) {
      const [command, ...shown] = example.trimEnd().split('\n') as [string, ...string[]];
      const output = execFileSync('sh', ['-c', `${SHELL}${command}; true`], { cwd: place.dir, env, encoding: 'utf8' });
      expectShown(output, shown);
    }
  });

  it.each(blocks('js').map((block) => [block.split('\n')[0]!, block]))('has a program that runs: %s', (_, block) => {
    const place = placed();
    const program = block.replaceAll("'millrace'", `'${LIBRARY}'`);
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: place.dir,
      encoding: 'utf8',
    });
    expectShown(
      output,
      [...block.matchAll(/^\/\/ → (.*)$/gm)].map(([, line]) => line!),
    );
  });
});
