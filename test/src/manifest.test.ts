/** The manifest is written in parts as sources end; whatever the number of sources, the parts join to the JSON that readers expect. */
import { describe, expect, it } from 'vitest';
import { nothingDropped } from '../../src/coverage.js';
import {
  added,
  MANIFEST_FORMAT,
  type Manifest,
  manifestPath,
  manifestText,
  NOTHING_YET,
  type SourceReceipt,
} from '../../src/manifest.js';

const receipt = (source: string, tokens?: number): SourceReceipt => ({
  ...{ source, sha256: 'ab'.repeat(32), charset: 'utf-8', format: 'text', documents: 1, chunks: 2, rejected: 3, invalid: 1 },
  ...(tokens === undefined ? {} : { tokens }),
  coverage: { bytes: 10, inChunks: 6, dropped: { ...nothingDropped(), blank: 3, rejected: 1 } },
});

describe('the manifest', () => {
  it.each([0, 1, 3])('is JSON with %d sources', (sources) => {
    const receipts = Array.from({ length: sources }, (_, n) => receipt(`"${n}"\n.txt`, n));
    const totals = receipts.reduce(added, NOTHING_YET);
    const file = { path: 'out.jsonl', bytes: 5, sha256: 'cd'.repeat(32), chunks: 2 * sources };
    const text =
      manifestText.head('1.2.3', { size: 5 }) +
      receipts.map((each, n) => manifestText.source(each, n === 0)).join('') +
      manifestText.tail(totals, [file]);
    const manifest = JSON.parse(text) as Manifest;
    expect(manifest).toEqual({
      millrace: '1.2.3',
      format: MANIFEST_FORMAT,
      options: { size: 5 },
      sources: receipts,
      totals,
      files: [file],
    });
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('stands beside its output', () => expect(manifestPath('a/b.jsonl')).toBe('a/b.jsonl.manifest.json'));
});

describe('totals', () => {
  it('add up everything, by reason', () => {
    const totals = [receipt('a', 4), receipt('b', 5)].reduce(added, NOTHING_YET);
    expect(totals).toEqual({
      ...{ sources: 2, documents: 2, chunks: 4, tokens: 9, bytes: 20, rejected: 6, invalid: 2, inChunks: 12 },
      dropped: { ...nothingDropped(), blank: 6, rejected: 2 },
    });
  });

  it('have no tokens when none are counted', () => {
    expect(added(NOTHING_YET, receipt('a'))).not.toHaveProperty('tokens');
  });
});
