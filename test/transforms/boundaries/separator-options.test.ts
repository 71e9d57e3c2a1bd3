/** Separators as they are written: what is understood, and what is refused. */
import { describe, expect, it } from 'vitest';
import { readSeparators } from '../../../transforms/boundaries/separator-options.js';

describe('separators as options', () => {
  const read = (written: readonly string[], isRegex: boolean) => {
    const problems: string[] = [];
    return { separators: readSeparators(written, isRegex, problems, '--separators'), problems };
  };

  it('understand escapes in texts', () => {
    expect(read(['\\n\\n', '\\t', '\\u3002', '\\\\n', '\\x'], false)).toEqual({
      separators: ['\n\n', '\t', '。', '\\n', '\\x'],
      problems: [],
    });
  });

  it.each([
    [[''], false, '--separators must not be empty'],
    [['('], true, '--separators /(/ is no regular expression'],
    [['a*'], true, '--separators /a*/ may match the empty text'],
    [['(a+)+b'], true, '--separators /(a+)+b/ may run away'],
  ] as const)('refuse %j', (written, isRegex, problem) => {
    const { separators, problems } = read(written, isRegex);
    expect(separators).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});
