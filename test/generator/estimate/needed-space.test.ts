// The bytes of a release and the space of its build, estimated before it reads anything.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { GEOMETRIES, STORED_PAGES } from '../../../format/levels.ts';
import { forecast } from '../../../generator/estimate/estimate.ts';
import { diskOf, expectedBytes, refuseLittleSpace } from '../../../generator/release/needed-space.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { buildOptions, buildUnchecked, WHOLE } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LINKS = { hasLinks: true };
const shape = {
  geometries: GEOMETRIES,
  cells: true,
  neighbours: true,
  parquet: false,
  storedPages: 'all',
  tiles: 8,
} as const;
const diskFor = (...args: Parameters<typeof expectedBytes>): number => expectedBytes(...args).disk;
const size = { bytes: 1e9, drivers: ['GPKG'], isArchive: false, units: [200, 4000, 100_000] };

/** Two GeoPackages, and the most bytes that builds of them had on a file system of their own. */
const MEASURED = [
  {
    name: 'the sample',
    source: { ...size, bytes: 14_999_552, units: [255, 159, 3194, 8212, 0, 0] },
    peaks: [
      [{}, 134_844_416],
      [{ tiles: undefined }, 85_516_288],
      [{ storedPages: 'none' }, 111_652_864],
      [{ tiles: 10 }, 171_700_224],
    ],
  },
  {
    name: '57,544 real units',
    source: { ...size, bytes: 105_488_384, units: [255, 114, 3492, 16_359, 2041, 35_283] },
    peaks: [
      [{}, 722_407_424],
      [{ tiles: undefined }, 563_232_768],
      [{ storedPages: 'none' }, 567_480_320],
      [{ tiles: 10 }, 804_798_464],
    ],
  },
] as const;

test('what is needed is 0.7 to 1.0 of what builds of two datasets had on the disk', () => {
  for (const { name, source, peaks } of MEASURED)
    for (const [options, peak] of peaks) {
      const share = diskFor(source, { ...shape, ...options }, LINKS) / peak;
      assert.ok(share > 0.7 && share < 1, `${name} with ${JSON.stringify(options)}: ${share}`);
    }
});

/** Three GeoPackages, and the bytes of their releases. */
const RELEASES = [
  ['57,544 real units', 105_488_384, [255, 114, 3492, 16_359, 2041, 35_283], {}, 502_447_781],
  [
    '396,280 detailed units',
    559_706_112,
    [277, 3963, 47_554, 146_624, 142_661, 51_516],
    { storedPages: 'none', tiles: undefined },
    1_832_068_006,
  ],
  ['130,000 squares', 24_715_264, [2, 130_000, 0, 0, 0, 0], { storedPages: 'none', tiles: undefined }, 195_748_125],
] as const;

test('the bytes of releases of three datasets are within the range', () => {
  for (const [name, bytes, units, options, built] of RELEASES) {
    const { least, most } = expectedBytes({ ...size, bytes, units }, { ...shape, ...options }, LINKS).release;
    assert.ok(least < built && built < most && most < 2.5 * least, `${name}: ${least} to ${most}, built ${built}`);
  }
});

test('what is needed grows with the source, fewer pages and shards need less, and texts are less than they seem', () => {
  const whole = diskFor(size, shape, LINKS);
  assert.ok(whole > size.bytes && whole < 6 * size.bytes, `${whole}`);
  assert.ok(diskFor({ ...size, bytes: 2e9 }, shape, LINKS) > 1.5 * whole);
  assert.ok(diskFor({ ...size, isArchive: true }, shape, LINKS) > whole);
  // Pages that are the same are copies there.
  assert.ok(diskFor(size, shape, { hasLinks: false }) > whole);
  assert.ok(diskFor(size, { ...shape, tiles: 10 }, LINKS) > whole);
  for (const less of [
    diskFor(size, { ...shape, storedPages: 'none' }, LINKS),
    diskFor(size, { ...shape, cells: false }, LINKS),
    diskFor(size, { ...shape, neighbours: false }, LINKS),
    diskFor(size, { ...shape, tiles: undefined }, LINKS),
    diskFor(size, { ...shape, geometries: ['full'] }, LINKS),
    diskFor(size, shape, LINKS, 4),
    diskFor({ ...size, drivers: ['GeoJSON'] }, shape, LINKS),
  ])
    assert.ok(less < whole, `${less}`);
});

test('the dry run says what the build asks for with each choice of --pages', async (t) => {
  const options = { ...WHOLE, tiles: 3 } as const;
  const [source, out] = [writeCountries(), join(temporaryFolder(), 'out')];
  const { releases } = await forecast(buildOptions(source, out, options), SILENT);
  t.mock.method(fsPromises, 'statfs', async () => ({ bavail: 1, bsize: 1, type: 0 }));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  for (const storedPages of STORED_PAGES) {
    const { space } = releases.find(({ pages }) => pages === storedPages) ?? assert.fail();
    await assert.rejects(buildUnchecked(source, out, { ...options, storedPages }), {
      message: `${out}: the build needs about ${(space / 1e9).toPrecision(1)} GB there, 1e-9 GB are free`,
    });
  }
  assert.ok(!existsSync(out));
});

test('a disk that is too small is refused with the folder, the need and the options; free space is that of the disk', async () => {
  refuseLittleSpace('output', 4e9, 4e9);
  assert.throws(() => refuseLittleSpace('output', 4e9, 3.96e9 - 1e8), {
    message: 'output: the build needs about 4.0 GB there, 3.9 GB are free',
    remedy: /--out .*--pages unfiltered.*--no-tiles.*--no-space-check/,
  });
  const folder = temporaryFolder();
  const disk = await diskOf(join(folder, 'not/made/yet'));
  assert.ok(disk.free > 0 && disk.hasLinks);
  assert.ok(!existsSync(join(folder, 'not')));
});
