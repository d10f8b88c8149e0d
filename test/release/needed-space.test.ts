// The space of a build, estimated before it reads anything.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freeSpace, neededSpace, refuseLittleSpace } from '../../generator/release/needed-space.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const shape = { geometries: ['full', 'low'], cells: true, storedPages: 'all' } as const;
const size = { bytes: 1e9, drivers: ['GPKG'], isArchive: false, features: 1000 };

test('what is needed grows with the source, fewer pages and shards need less, and texts are less than they seem', () => {
  const whole = neededSpace(size, shape);
  assert.ok(whole > size.bytes && whole < 4 * size.bytes, `${whole}`);
  assert.ok(neededSpace({ ...size, bytes: 2e9 }, shape) > 1.9 * whole);
  assert.ok(neededSpace({ ...size, isArchive: true }, shape) > whole);
  for (const less of [
    neededSpace(size, { ...shape, storedPages: 'none' }),
    neededSpace(size, { ...shape, cells: false }),
    neededSpace(size, shape, 4),
    neededSpace({ ...size, drivers: ['GeoJSON'] }, shape),
  ])
    assert.ok(less < whole, `${less}`);
});

test('a disk that is too small is refused with the folder, the need and the options; free space is that of the disk', async () => {
  refuseLittleSpace('output', 4e9, 4e9);
  assert.throws(() => refuseLittleSpace('output', 4e9, 3.96e9 - 1e8), {
    message: 'output: the build needs about 4.0 GB there, 3.9 GB are free',
    remedy: /--out .*--pages unfiltered.*--no-space-check/,
  });
  const folder = temporaryFolder();
  const free = await freeSpace(join(folder, 'not/made/yet'));
  assert.ok(free > 0);
  assert.ok(!existsSync(join(folder, 'not')));
});
