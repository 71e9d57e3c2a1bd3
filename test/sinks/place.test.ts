import { expect, it } from 'vitest';
import { placeOf } from '../../sinks/place.js';
import { memoryWorld } from '../support/world.js';

it('of the disk opens, lists and removes; what is not there is no error', async () => {
  const world = memoryWorld({ files: { 'f/a': '1', 'f/b': '2' } });
  const place = placeOf(world);
  const file = await place.open('f/c');
  await file.write(new TextEncoder().encode('3'));
  expect((await place.names('f')).toSorted()).toEqual(['.c.partial', 'a', 'b']);
  await file.commit();
  await place.remove('f/a');
  await place.remove('f/none');
  expect(world.files()).toEqual({ 'f/b': '2', 'f/c': '3' });
  expect(await place.names('none')).toEqual([]);
  await expect(place.names('f/b')).rejects.toMatchObject({ kind: 'sink', reason: 'not-a-directory' });
});

it('of a path that begins with s3:// is a bucket', async () => {
  await expect(placeOf(memoryWorld()).open('s3://bucket/')).rejects.toMatchObject({ kind: 'sink', reason: 'no-name' });
});
