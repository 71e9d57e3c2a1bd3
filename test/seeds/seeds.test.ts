/**
 * The faults of the four seed systems, each with the input that shows it, on our build. `npm run conformance:seeds` prints them as a
 * table.
 */
import { describe, expect, it } from 'vitest';
import { rows } from './checks.js';

declare module 'vitest' {
  interface TaskMeta {
    /** What is shown beside the row. */
    note?: string;
    /** Rows that are not checked here. */
    elsewhere?: readonly { readonly id: string; readonly seeds: string; readonly what: string; readonly elsewhere: string }[];
  }
}

/** How many numbers each section has. */
const SECTIONS = { '2.0-': 25, '2.1#': 7, '2.2-': 21, '2.2#': 21, '2.3#': 13, '3.': 60 };

describe('the seeds', () => {
  it('are here with every fault', ({ task }) => {
    const numbers = new Set(rows.map(({ id }) => id.replace(/[a-z]$/, '')));
    const expected = Object.entries(SECTIONS).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, n) => `${section}${n + 1}`),
    );
    expect([...numbers].sort()).toEqual(expected.sort());
    task.meta.elsewhere = rows.filter((row) => 'elsewhere' in row);
  });

  for (const row of rows)
    if ('run' in row)
      it(`${row.id} | ${row.seeds} | ${row.what}`, async ({ task }) => {
        const note = await row.run();
        if (typeof note === 'string') task.meta.note = note;
      });
});
