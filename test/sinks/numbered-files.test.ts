import { describe, expect, it } from 'vitest';
import { NumberedFiles } from '../../sinks/numbered-files.js';
import { placeOf } from '../../sinks/place.js';
import { memoryWorld } from '../support/world.js';

describe('names', () => {
  it.each([
    ['points.jsonl', 'points-00012.jsonl', 'points'],
    ['points.jsonl.gz', 'points-00012.jsonl', 'points'],
    ['points', 'points-00012.jsonl', 'points'],
    ['a/b.c/points.v2', 'a/b.c/points.v2-00012.jsonl', 'points.v2'],
    ['/tmp/.jsonl', '/tmp/.jsonl-00012.jsonl', '.jsonl'],
    ['s3://bucket/k/points.jsonl', 's3://bucket/k/points-00012.jsonl', 'points'],
  ])('after %s are like %s', (path, name, stem) => {
    const files = new NumberedFiles(path, '.jsonl');
    expect(files.numbered(12)).toBe(name);
    expect(files.stem).toBe(stem);
    expect(files.has(name.slice(name.lastIndexOf('/') + 1))).toBe(true);
  });

  it('have the ending of what they are compressed with', () => {
    expect(new NumberedFiles('a.csv', '.csv', 'zstd').numbered(1)).toBe('a-00001.csv.zst');
    expect(new NumberedFiles('a.csv.gz', '.csv', 'gzip').beside('load.sql')).toBe('a.load.sql');
  });

  it('of others are not taken for ours', () => {
    const files = new NumberedFiles('a+b.csv', '.csv');
    for (const name of ['a+b-00001.csv', 'a+b-00001.csv.gz', '.a+b-00001.csv.partial', '.a+b-00001.csv.gz.77.partial'])
      expect(files.has(name), name).toBe(true);
    for (const name of [
      'aab-00001.csv',
      'a+b-1.csv',
      'a+b-00001.csvx',
      'xa+b-00001.csv',
      'a+b.csv',
      'a+b-00001.csv.partial',
      '.a+b-00001.csv',
    ])
      expect(files.has(name), name).toBe(false);
  });
});

describe('what a run before has left', () => {
  const COMPLETE = { 'f/out-00001.csv': '1', 'f/out-00002.csv': '2', 'f/out.csv.manifest.json': '{}' };
  const OTHERS = { 'f/out-00001.txt': 'x', 'f/other-00001.csv': 'y' };

  async function cleared(files: Record<string, string>, overwrite = false) {
    const world = memoryWorld({ files: { ...files, ...OTHERS } });
    const numbered = new NumberedFiles('f/out.csv', '.csv');
    const error = await numbered.clear(placeOf(world), overwrite).catch((thrown: unknown) => thrown);
    const { 'f/out-00001.txt': _, 'f/other-00001.csv': __, ...left } = world.files();
    expect(Object.keys(world.files())).toEqual(expect.arrayContaining(Object.keys(OTHERS)));
    return { error, left, world, numbered };
  }

  it('and is complete, is refused', async () => {
    const { error, left } = await cleared(COMPLETE);
    expect(error).toMatchObject({
      kind: 'sink',
      reason: 'output-exists',
      message: expect.stringContaining('f/out.csv.manifest.json'),
    });
    expect(left).toEqual(COMPLETE);
  });

  it('and has no manifest, is refused: it may be anybody’s', async () => {
    const { error, left } = await cleared({ 'f/out-00002.csv': '2' });
    expect(error).toMatchObject({ reason: 'output-exists', message: expect.stringContaining('f/out-00002.csv') });
    expect(left).toEqual({ 'f/out-00002.csv': '2' });
  });

  it('and was killed, goes', async () => {
    const killed = { 'f/out-00001.csv': '1', 'f/.out-00002.csv.partial': '', 'f/.out.csv.manifest.json.partial': '{' };
    const { error, left } = await cleared(killed);
    expect(error).toBeUndefined();
    expect(left).toEqual({ 'f/.out.csv.manifest.json.partial': '{' });
  });

  it('stays for now where it is to be overwritten; then what is not replaced goes', async () => {
    const { error, left, world, numbered } = await cleared({ ...COMPLETE, 'f/.out-00003.csv.9.partial': '' }, true);
    expect(error).toBeUndefined();
    expect(left).toEqual(COMPLETE);
    const place = placeOf(world);
    await numbered.forgetManifest(place);
    await numbered.removeOthers(place, [{ path: 'f/out-00001.csv', bytes: 1, sha256: '', chunks: 1 }]);
    expect(world.files()).toEqual({ 'f/out-00001.csv': '1', ...OTHERS });
  });

  it('is nothing in a folder that is not there', async () => {
    await expect(new NumberedFiles('no/out.csv', '.csv').clear(placeOf(memoryWorld()), false)).resolves.toBeUndefined();
  });
});
