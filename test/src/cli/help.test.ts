import { expect, it } from 'vitest';
import { commands } from '../../../src/cli/commands.js';
import { helpText } from '../../../src/cli/help.js';
import { EXIT_CODES } from '../../../src/errors.js';

const page = {
  usages: ['<input>... [options]', 'verify <file>'],
  summary: 'Cuts.',
  examples: [{ command: 'millrace a.txt', says: 'the simplest' }],
  options: [
    { name: 'size', type: 'integer', group: 'chunking', summary: 'how much', defaultText: '512' },
    { name: 'out', short: 'o', type: 'string', group: 'output', value: 'PATH', summary: 'where to' },
    { name: 'unit', type: 'choice', group: 'chunking', summary: 'of what', choices: ['tokens', 'words'] },
    { name: 'many', type: 'choice', group: 'chunking', summary: 'of many', choices: ['a'.repeat(20), 'b'.repeat(20)] },
    { name: 'meta', type: 'list', group: 'input', value: 'FIELD', summary: 'carried' },
    { name: 'quiet', type: 'flag', group: 'run', summary: 'says nothing' },
  ],
  components: [
    {
      title: 'Strategies (--strategy)',
      specs: [
        {
          name: 'recursive',
          summary: 'the usual',
          options: [{ name: 'separators', type: 'list', group: 'chunking', value: 'T', summary: 'x' }],
        },
      ],
    },
    { title: 'Nothing', specs: [] },
  ],
  notes: ['See also.'],
} as const;

it('is made from the specs alone', () => {
  const lines = helpText(page).split('\n');
  expect(lines.slice(0, 2)).toEqual(['Usage: millrace <input>... [options]', '       millrace verify <file>']);
  const at = (text: string) => lines.findIndex((line) => line.includes(text));
  expect(lines).toContain('  --size N                  how much (default: 512)');
  expect(lines).toContain('  -o, --out PATH            where to');
  expect(lines).toContain('  --unit tokens|words       of what');
  expect(lines[at('--many NAME')]).toContain(`of many (one of ${'a'.repeat(20)},`);
  expect(lines).toContain('  --meta FIELD              carried (repeatable)');
  expect(lines).toContain('  --quiet                   says nothing');
  expect(lines).toContain('    --separators T          x (repeatable)');
  // Groups in their own order, whatever the order of the options; empty ones are left out.
  expect(at('Input:')).toBeLessThan(at('Chunking:'));
  expect(at('Chunking:')).toBeLessThan(at('Output:'));
  expect(at('Text:')).toBe(-1);
  expect(at('Nothing')).toBe(-1);
});

it.each(commands)(
  'of $name fits in 100 columns and shows every option, those of all components once',
  ({ page: own, options }) => {
    const text = helpText(own);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(text).not.toMatch(/[^\S\n]+$/m);
    const shown = (name: string) => text.match(new RegExp(`^ +(-., )?--${name}( |$)`, 'gm'))?.length;
    for (const { name } of own.options) expect(shown(name), name).toBe(1);
    for (const { name } of options) expect(shown(name), name).toBeGreaterThan(0);
  },
);

it('names every exit code', () => {
  const text = helpText(page);
  for (const code of [0, 1, 130, ...Object.values(EXIT_CODES)]) expect(text).toMatch(new RegExp(`^  ${code} +\\S`, 'm'));
});
