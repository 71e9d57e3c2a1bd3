import { describe, expect, it } from 'vitest';
import { progressMeter, renderProgress } from '../../../src/cli/progress.js';
import { columnsOf } from '../../../src/cli/text.js';
import type { Output } from '../../../src/world.js';

const half = { bytes: 50e6, totalBytes: 100e6, chunks: 54_321, source: 'corpus/en.txt', elapsedMs: 2000, columns: 120 };

describe('the line', () => {
  it('shows share, bytes, speed, time left, chunks and the name', () => {
    expect(renderProgress(half)).toBe(
      ' 50% ██████████░░░░░░░░░░  50.0 MB of 100.0 MB  25.0 MB/s  0:02 left  54,321 chunks  corpus/en.txt',
    );
  });

  it('has no share and no time left when the total is unknown, or nothing', () => {
    const { totalBytes: _, ...endless } = half;
    const line = '50.0 MB  25.0 MB/s  54,321 chunks  corpus/en.txt';
    expect(renderProgress(endless)).toBe(line);
    expect(renderProgress({ ...half, totalBytes: 0 })).toBe(line);
  });

  it('never shows more than all, nor an endless time', () => {
    expect(renderProgress({ ...half, bytes: 2e8 })).toContain('100% ████████████████████  200.0 MB of 100.0 MB');
    expect(renderProgress({ ...half, bytes: 0, elapsedMs: 0 })).toBe(
      '  0% ░░░░░░░░░░░░░░░░░░░░  0 B of 100.0 MB  0.0 MB/s  54,321 chunks  corpus/en.txt',
    );
  });

  it('is narrower than the terminal, whatever it is to show', () => {
    for (const source of [
      '',
      'a',
      'corpus/'.repeat(40),
      '漢字'.repeat(60),
      'e\u0301'.repeat(60),
      'odd\r\n\u001b[2J',
      '👩‍👩‍👧.txt',
    ]) {
      for (let columns = 1; columns < 200; columns++) {
        const line = renderProgress({ ...half, source, columns });
        expect(columnsOf(line)).toBeLessThan(Math.max(columns, 1));
        expect(line).not.toMatch(/\p{Cc}/u);
      }
    }
  });

  it('loses the name first, then the bar, then from the right', () => {
    const at = (columns: number) => renderProgress({ ...half, columns });
    expect(at(97)).toMatch(/ {2}…\S+en\.txt$/);
    expect(at(86)).toMatch(/^ 50% █.*54,321 chunks$/);
    expect(at(70)).toBe(' 50%  50.0 MB of 100.0 MB  25.0 MB/s  0:02 left  54,321 chunks');
    expect(at(30)).toBe(' 50%  50.0 MB of 100.0 MB');
    expect(at(10)).toBe(' 50%');
  });
});

function terminal(isTTY: boolean) {
  let written = '';
  let time = 5000;
  const output: Output = {
    isTTY,
    columns: 80,
    write: (data) => {
      written += String(data);
      return true;
    },
    once: () => {},
    off: () => {},
  };
  const taken = () => {
    const since = written;
    written = '';
    return since;
  };
  return { output, now: () => time, pass: (ms: number) => (time += ms), taken };
}

const state = { bytes: 1000, chunks: 1, source: 'a' };

describe('the meter', () => {
  it('on a terminal begins after a second and draws ten times a second at most', () => {
    const { output, now, pass, taken } = terminal(true);
    const meter = progressMeter({ output, now, when: 'auto' });
    for (let ms = 0; ms < 999; ms++) {
      meter.update(state);
      pass(1);
    }
    expect(taken()).toBe('');
    for (let ms = 0; ms <= 1000; ms++) {
      pass(1);
      meter.update(state);
    }
    const draws = taken().split('\r').length - 1;
    expect(draws).toBeGreaterThan(5);
    expect(draws).toBeLessThanOrEqual(11);
  });

  it('draws over all of the line before, and takes the last one away', () => {
    const { output, now, pass, taken } = terminal(true);
    const meter = progressMeter({ output, now, when: 'auto' });
    pass(2000);
    meter.update({ ...state, source: 'a-long-name' });
    const first = taken();
    pass(100);
    meter.update(state);
    expect(columnsOf(taken().slice(1))).toBe(columnsOf(first.slice(1)));
    meter.erase();
    expect(taken()).toMatch(/^\r +\r$/);
    meter.erase();
    expect(taken()).toBe('');
  });

  it.each([
    ['auto', false, false],
    ['never', true, false],
    ['always', false, true],
    ['always', true, true],
  ] as const)('with %s and a terminal %s draws at once: %s', (when, isTTY, draws) => {
    const { output, now, taken } = terminal(isTTY);
    const meter = progressMeter({ output, now, when });
    meter.update(state);
    meter.erase();
    expect(taken() !== '').toBe(draws);
  });
});
