/** Ranking a file on a disk in memory: as `rank` does it, whatever the limits; clear when a line is bad; stopped when told. */
import { describe, expect, it } from 'vitest';
import { type QueryHooks, type QueryLimits, type QueryOptions, type QueryResult, query } from '../../src/query.js';
import { rank } from '../../src/rank.js';
import type { Chunk } from '../../src/types.js';
import { failure } from '../support/failure.js';
import { type Rng, seeded } from '../support/random.js';
import { rankingCases } from '../support/ranking.js';
import { type Faults, memoryWorld } from '../support/world.js';

const PATH = 'chunks.jsonl';

const chunkOf = (text: string, index: number): Chunk => ({
  id: `id-${index}`,
  source: 'a.txt',
  index,
  start: index * 10,
  end: index * 10 + 9,
  metadata: { index },
  text,
});

const linesOf = (texts: readonly string[]): string => texts.map((text, n) => `${JSON.stringify(chunkOf(text, n))}\n`).join('');

interface Ask extends Partial<QueryOptions> {
  readonly hooks?: QueryHooks;
  readonly limits?: Partial<QueryLimits>;
  readonly faults?: Faults;
}

function ask(file: string | Uint8Array, { hooks = {}, limits, faults = {}, ...options }: Ask): Promise<QueryResult> {
  const world = memoryWorld({ files: { [PATH]: file }, faults });
  const all = { terms: 1000, lineBytes: 1e6, ...limits };
  return query({ path: PATH, query: 'mill race', ...options }, hooks, world, ...(limits === undefined ? [] : [all]));
}

/** What `rank` makes of it. */
const expected = (question: string, texts: readonly string[], options = {}) => rank(question, texts.map(chunkOf), options);

const anyTexts = (random: Rng): string[] =>
  Array.from({ length: random.between(0, 60) }, () =>
    Array.from({ length: random.between(0, 20) }, () => `w${random.between(0, 80)}`).join(' '),
  );

describe('query', () => {
  it.each(rankingCases)('gives the scores of scikit-learn: $name', async ({ query: question, chunks, scores }) => {
    const { matches, exact, chunks: count } = await ask(linesOf(chunks), { query: question, top: 1000 });
    expect([exact, count, matches.length]).toEqual([true, chunks.length, chunks.length]);
    for (const { index, score, chunk } of matches) {
      expect(chunk).toEqual(chunkOf(chunks[index]!, index));
      expect(Math.abs(score - scores[index]!)).toBeLessThan(1e-9);
    }
  });

  it('ranks as `rank` does, with any options', async () => {
    await seeded(40, async (random) => {
      const texts = anyTexts(random);
      const options = { top: random.between(1, 12), minScore: random.pick([0, 0.05, 0.2]) };
      const { matches, exact } = await ask(linesOf(texts), { query: 'w1 w2 w1', ...options });
      expect(matches).toEqual(expected('w1 w2 w1', texts, options));
      expect(exact).toBe(true);
    });
  });

  it('is exact in a third pass when there are more terms than the table takes', async () => {
    let thirds = 0;
    await seeded(80, async (random) => {
      const texts = anyTexts(random);
      const options = { top: random.between(1, 12), minScore: random.pick([0, 0.1]) };
      // The third pass may hold as many strangers as the table: here all there can be.
      const totals = new Set<number>();
      const hooks: QueryHooks = { onProgress: ({ totalBytes }) => totals.add(totalBytes) };
      const { matches, exact } = await ask(linesOf(texts), { query: 'w1 w2 w3', ...options, limits: { terms: 45 }, hooks });
      if (totals.size > 1) thirds++;
      expect(matches).toEqual(expected('w1 w2 w3', texts, options));
      expect(exact).toBe(true);
    });
    expect(thirds).toBeGreaterThan(20);
  });

  it('says when it is not exact, and is then too low rather than too high', async () => {
    let rough = 0;
    await seeded(60, async (random) => {
      const texts = anyTexts(random);
      const limits = random.pick([{ terms: 2 }, { terms: 45, closeCalls: 0 }]);
      const { matches, exact } = await ask(linesOf(texts), { query: 'w1 w2 w3', top: 5, limits });
      const right = expected('w1 w2 w3', texts);
      if (exact) return expect(matches).toEqual(right.slice(0, 5));
      rough++;
      for (const { index, score } of matches) {
        expect(score).toBeLessThanOrEqual(right.find((each) => each.index === index)!.score);
      }
    });
    expect(rough).toBeGreaterThan(5);
  });

  it('gives ten unless told', async () => {
    const texts = Array.from({ length: 30 }, (_, n) => `mill ${n}`);
    expect((await ask(linesOf(texts), {})).matches).toHaveLength(10);
  });

  it('reads lines wherever the blocks end, and keeps what else a chunk has', async () => {
    const texts = Array.from({ length: 9 }, (_, n) => `${n === 5 ? 'mill race' : 'väter'} ${'ü wasser '.repeat(40_000 + n)}`);
    const { matches, chunks } = await ask(linesOf(texts), { top: 2 });
    expect(chunks).toBe(9);
    expect(matches[0]!.chunk).toEqual(chunkOf(texts[5]!, 5));
    const lastWithoutFeed = await ask(linesOf(texts).slice(0, -1), { top: 2 });
    expect(lastWithoutFeed.matches).toEqual(matches);
  });

  it('takes an empty file for one without chunks', async () => {
    expect(await ask('', {})).toEqual({ matches: [], chunks: 0, exact: true });
  });

  it('tells how far it is, over all passes', async () => {
    const file = linesOf(Array.from({ length: 20_000 }, (_, n) => `mill ${n}`));
    const told: { bytes: number; totalBytes: number }[] = [];
    await ask(file, { hooks: { onProgress: ({ bytes, totalBytes }) => told.push({ bytes, totalBytes }) } });
    expect(told.length).toBeGreaterThan(3);
    expect(told.map(({ bytes }) => bytes)).toEqual(told.map(({ bytes }) => bytes).sort((a, b) => a - b));
    expect(told.at(-1)).toEqual({ bytes: 2 * file.length, totalBytes: 2 * file.length });
  });
});

describe('what goes wrong', () => {
  const good = linesOf(['mill', 'race']);

  it.each([
    ['{"text"', 'bad-line', 'is not JSON'],
    ['', 'bad-line', 'is not JSON'],
    ['[]', 'bad-line', 'it has no text'],
    ['null', 'bad-line', 'it is no object'],
    ['{"id":"a","source":"b","start":0,"end":1}', 'bad-line', 'it has no text'],
    ['{"text":"a","source":"b","start":0,"end":1}', 'bad-line', 'it has no id'],
    ['{"text":"a","id":"b","start":0,"end":1}', 'bad-line', 'it has no source'],
    ['{"text":"a","id":"b","source":"c","start":0.5,"end":1}', 'bad-line', 'it has no byte range'],
    [`{"text":"${'x'.repeat(400)}"}`, 'line-too-long', 'longer than 300 bytes'],
  ])('a line such as %j is named by its number and byte', async (line, reason, said) => {
    const error = await failure(ask(`${good}${line}\n${good}`, { limits: { lineBytes: 300 } }));
    expect([error.kind, error.reason, error.at, error.record]).toEqual(['record', reason, good.length, 2]);
    expect(error.message).toContain('line 3');
    expect(error.message).toContain(said);
    expect(error.message).toContain(PATH);
  });

  it('a line that is too long is not gathered: it is told when the limit is reached', async () => {
    const error = await failure(ask(`${good}${'x'.repeat(5e6)}`, { limits: { lineBytes: 2e6 } }));
    expect(error.reason).toBe('line-too-long');
  });

  it('a file that is missing, is none, or cannot be read', async () => {
    const world = memoryWorld({ files: { 'd/x': '' } });
    expect((await failure(query({ path: 'nowhere', query: 'a' }, {}, world))).kind).toBe('source');
    expect((await failure(query({ path: 'd', query: 'a' }, {}, world))).kind).toBe('source');
    const error = await ask(good, { faults: { readAfterBytes: 10 } }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
  });

  it('options, all at once', async () => {
    const error = await failure(ask(good, { top: 0, minScore: 2, query: 'x'.repeat(100_001) }));
    expect(error.kind).toBe('config');
    expect(error.message.split('\n')).toHaveLength(3);
  });

  it('a file that changes between the passes', async () => {
    // More than is held of a file, so that the second pass reads it again.
    const texts = Array.from({ length: 12 }, () => 'water '.repeat(100_000));
    const [long, short] = [linesOf(texts), linesOf(texts.slice(1))];
    const world = memoryWorld({ files: { [PATH]: long } });
    const changed = `${short.slice(0, -1)}${' '.repeat(long.length - short.length)}\n`;
    const hooks: QueryHooks = {
      onProgress: ({ bytes }) => {
        if (bytes === long.length) world.put(PATH, changed);
      },
    };
    expect((await failure(query({ path: PATH, query: 'mill' }, hooks, world))).reason).toBe('changed');
  });

  it('an abort ends it with the reason', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const file = linesOf(Array.from({ length: 40_000 }, (_, n) => `mill ${n}`));
    const hooks: QueryHooks = { signal: abort.signal, onProgress: () => abort.abort(reason) };
    await expect(ask(file, { hooks })).rejects.toBe(reason);
  });
});
