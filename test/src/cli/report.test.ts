import { expect, it } from 'vitest';
import { reportOf } from '../../../src/cli/report.js';
import { configError, IngestError } from '../../../src/errors.js';

it('gives each problem of a call a line, and says where help is', () => {
  const error = configError(['--size must be at least 1, not 0', 'no input']);
  expect(reportOf(error, 'chunk')).toEqual({
    lines: ['millrace: --size must be at least 1, not 0', 'millrace: no input', "Try 'millrace --help'."],
    code: 2,
  });
  expect(reportOf(error, 'verify').lines.at(-1)).toBe("Try 'millrace verify --help'.");
});

it.each([
  ['source', 3],
  ['sink', 5],
] as const)('gives an error of kind %s one line and exit code %i', (kind, code) => {
  const error = new IngestError(kind, 'x', 'it is gone', { origin: 'odd\nname\u001b[2J', at: 7 });
  expect(reportOf(error, 'chunk')).toEqual({ lines: ['millrace: odd\\nname\\u001b[2J, byte 7: it is gone'], code });
});

it('says how to go on after a faulty record', () => {
  const { lines, code } = reportOf(new IngestError('record', 'x', 'no JSON', { range: [3, 9] }), 'chunk');
  expect(code).toBe(4);
  expect(lines[1]).toContain('--on-error skip');
  // Where the next record begins is not known, there is no going on.
  expect(reportOf(new IngestError('record', 'x', 'no JSON'), 'chunk')).toEqual({ lines: ['millrace: no JSON'], code: 4 });
});

it('is silent when the reader of stdout has gone', () => {
  expect(reportOf(new IngestError('sink', 'closed-pipe', 'gone'), 'chunk')).toEqual({ lines: [], code: 0 });
});

it.each([new TypeError('x is undefined'), new IngestError('bug', 'x', 'x is undefined')])(
  'shows a bug with its stack',
  (error) => {
    const { lines, code } = reportOf(error, 'chunk');
    expect(code).toBe(70);
    expect(lines.join('\n')).toContain('bug');
    expect(lines.join('\n')).toContain('report.test.ts');
  },
);

it('copes with anything that was thrown', () => {
  expect(reportOf('odd', 'chunk')).toMatchObject({ code: 70, lines: expect.arrayContaining(['thrown: odd']) });
});

it.each([
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
] as const)('after %s an error is no more than its consequence', (signal, code, word) => {
  expect(reportOf(new Error('aborted'), 'chunk', signal)).toEqual({ lines: [`millrace: ${word}`], code });
});
