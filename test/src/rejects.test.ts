/** Faulty records in a run: stopped at, or counted and written as lines; never gathered, and no file that is not whole. */
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/chunk-options.js';
import { IngestError } from '../../src/errors.js';
import { placeOf } from '../../src/registry.js';
import { Rejects } from '../../src/rejects.js';
import { runSettings } from '../../src/settings.js';
import { failure } from '../support/failure.js';
import { memoryWorld } from '../support/world.js';

const fault = (reason: string, details = {}) => new IngestError('record', reason, 'it is wrong', { origin: 'a.csv', ...details });
const open = (options: Partial<RunOptions>, world = memoryWorld()) =>
  Rejects.open(runSettings({ input: 'a', ...options }), placeOf(world));

describe('rejects', () => {
  it('stop a run unless it is to go on', async () => {
    const error = fault('bad');
    for (const options of [{}, { rejects: 'r', onError: 'stop' }, { onReject: () => {}, onError: 'stop' }] as const) {
      const rejects = await open(options);
      expect(() => rejects.report(error)).toThrow(error);
      expect(rejects.reasons).toEqual({});
    }
  });

  it('are counted by reason, told, and written with what is known of them, in order', async () => {
    const world = memoryWorld();
    const told: Error[] = [];
    const rejects = await open({ rejects: 'r.jsonl', onReject: (error) => told.push(error) }, world);
    const faults = [
      fault('b', { range: [5, 9], record: 2, at: 7, excerpt: 'half \ud83d' }),
      fault('a'),
      fault('b', { range: [9, 12], record: 3 }),
    ];
    for (const error of faults) rejects.report(error);
    await rejects.flush();
    expect(Object.keys(world.files())).toEqual(['.r.jsonl.partial']);
    await rejects.commit();
    expect(world.files()).toEqual({
      'r.jsonl':
        '{"source":"a.csv","start":5,"end":9,"index":2,"at":7,"reason":"b","message":"a.csv, byte 7: it is wrong","excerpt":"half \\ud83d"}\n' +
        '{"source":"a.csv","reason":"a","message":"a.csv: it is wrong"}\n' +
        '{"source":"a.csv","start":9,"end":12,"index":3,"reason":"b","message":"a.csv: it is wrong"}\n',
    });
    expect(JSON.stringify(rejects.reasons)).toBe('{"a":1,"b":2}');
    expect(told).toEqual(faults);
  });

  it('are an empty file where there were none, so that one of an earlier run does not stay', async () => {
    const world = memoryWorld({ files: { 'r.jsonl': 'of before' } });
    await (await open({ rejects: 'r.jsonl' }, world)).commit();
    expect(world.files()).toEqual({ 'r.jsonl': '' });
  });

  it('leave nothing when the run fails, and write nothing when it is dry', async () => {
    const world = memoryWorld({ files: { 'r.jsonl': 'of before' } });
    const rejects = await open({ rejects: 'r.jsonl' }, world);
    rejects.report(fault('b'));
    await rejects.flush();
    await rejects.abort();
    const dry = await open({ rejects: 'r.jsonl', dryRun: true }, world);
    dry.report(fault('b'));
    await dry.commit();
    expect(dry.reasons).toEqual({ b: 1 });
    expect(world.files()).toEqual({ 'r.jsonl': 'of before' });
  });

  it('let through what is no fault of a record', async () => {
    const bug = new TypeError('of ours');
    const rejects = await open({ onError: 'skip' });
    expect(() => rejects.report(bug)).toThrow(bug);
  });

  it('that cannot be written fail at once', async () => {
    const world = memoryWorld({ faults: { open: '.partial' } });
    expect((await failure(open({ rejects: 'r.jsonl' }, world))).kind).toBe('sink');
  });
});
