// Sources that were made or damaged to do harm: formats that publish other files of this machine, and what a program
// would wait for or read without end. Each is refused in one line that names it, in bounded time.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { LEVELS } from '../../../format/levels.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { BuildError } from '../../../generator/report/errors.ts';
import { describeDataset } from '../../../generator/source/level-sources.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import { cpuSeconds } from '../../support/cpu-time.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { runSql, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { writeZip } from '../../support/datasets/write-zip.ts';
import { listen } from '../../support/http/listen.ts';
import { compile } from '../../support/processes/compile.ts';
import type { readForDamage } from '../../support/processes/geojson-reading.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const countries = writeCountries();
let made = 0;

/** On a processor, for a machine of any load; what hung did so for minutes or for ever. */
const BOUND_SECONDS = 60;

function goodFolder(): string {
  const path = join(folder, `folder-${made++}`);
  mkdirSync(path);
  copyFileSync(countries, join(path, 'countries.gpkg'));
  return path;
}

async function assertRefused(source: string, message: RegExp, options: object = {}): Promise<void> {
  const before = cpuSeconds();
  await assert.rejects(buildRelease(source, join(folder, `out-${made++}`), options), (error) => {
    assert.ok(error instanceof BuildError, error instanceof Error ? error.stack : String(error));
    assert.match(error.message, message);
    assert.ok(error.lines.length <= 2);
    assert.notEqual(error.remedy, '');
    return true;
  });
  assert.ok(cpuSeconds() - before < BOUND_SECONDS);
}

/** A file outside of the source, with a column that makes it a level. */
const secret = join(folder, 'secret.csv');
writeFileSync(secret, 'GID_0,PASSWORD\nAAA,hunter2\n');

const VRT = `<OGRVRTDataSource><OGRVRTLayer name="secret"><SrcDataSource>${secret}</SrcDataSource>
  <GeometryType>wkbNone</GeometryType></OGRVRTLayer></OGRVRTDataSource>`;

test('a VRT is read only as --source itself, under a name that says so: folders, archives and other names refuse it', async () => {
  for (const name of ['a.vrt', 'a.geojson', 'a.gml', 'a']) {
    const path = goodFolder();
    writeFileSync(join(path, name), VRT);
    await assertRefused(path, /a(\.\w+)?: GDAL cannot open it/);
    if (name !== 'a.vrt') await assertRefused(join(path, name), /a(\.\w+)?: GDAL cannot open it/);
    const zip = join(folder, `vrt-${made++}.zip`);
    writeZip(zip, [{ name, content: Buffer.from(VRT) }]);
    await assertRefused(zip, /a(\.\w+)?: GDAL cannot open it/);
    await assertRefused(`/vsizip/${zip}/${name}`, /a(\.\w+)?: GDAL cannot open it/);
  }
  const vrt = join(folder, 'named.vrt');
  writeFileSync(vrt, VRT);
  const { levels } = await buildRelease(vrt, join(folder, 'named'), { accept: ['empty-geometries'] });
  assert.equal(levels[0]?.features, 1);
});

test('a file that is a GeoJSON and a VRT at once is read as the format that it was found to be', async () => {
  const path = goodFolder();
  rmSync(join(path, 'countries.gpkg'));
  const layer = squares('both', ['GID_0', 'note'], ['BBB', VRT.replaceAll('\n', '')]);
  writeDataset(join(path, 'both.json'), 'GeoJSON', [layer]);
  const { levels } = await buildRelease(path, join(folder, 'both'));
  assert.equal(levels[0]?.features, 1);
});

/** A GeoPackage with a further layer that is not a table. */
function geopackageWith(...statements: string[]): string {
  const file = join(folder, `query-${made++}.gpkg`);
  writeDataset(file, 'GPKG', [squares('units', ['code'], ['AAA'])]);
  const dataset = gdal.open(file, 'r+');
  for (const statement of statements) runSql(dataset, statement);
  dataset.close();
  return file;
}

test('a view without end is refused, also as --source itself', async () => {
  const endless = geopackageWith(
    `CREATE VIEW endless AS WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
     SELECT units.fid, units.geom, 'A' || c.x AS GID_0 FROM c, units`,
    `INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES ('endless', 'features', 'endless', 4326)`,
    `INSERT INTO gpkg_geometry_columns VALUES ('endless', 'geom', 'GEOMETRY', 4326, 0, 0)`,
  );
  await assertRefused(
    endless,
    /query-\d+\.gpkg: no layer has GID columns .*endless \(a view or virtual table, which is not read\)/,
  );
  const layers = [{ level: 0, value: 'endless' }];
  await assertRefused(endless, /query-\d+\.gpkg: layer endless is a view or virtual table, which is not read/, {
    layers,
  });
});

const lacksSpatialite = !hasSpatialite() && 'this GDAL has no SpatiaLite';

test('a virtual table on another file is refused, also as --source itself', { skip: lacksSpatialite }, async () => {
  const reader = geopackageWith(
    `CREATE VIRTUAL TABLE other USING VirtualText('${secret}', 'UTF-8', 1, POINT, NONE, ',')`,
  );
  await assertRefused(reader, /other \(a view or virtual table, which is not read\)/);
  const path = goodFolder();
  copyFileSync(reader, join(path, 'reader.gpkg'));
  await assertRefused(path, /other \(a view or virtual table, which is not read\)/);
});

function hasSpatialite(): boolean {
  try {
    geopackageWith(`CREATE VIRTUAL TABLE t USING VirtualText('${secret}', 'UTF-8', 1, POINT, NONE, ',')`);
    return gdal.open(join(folder, `query-${made - 1}.gpkg`)).layers.count() > 1;
  } catch {
    return false;
  }
}

test('what is neither a file nor a folder is refused, not waited for', async () => {
  for (const name of ['pipe.gpkg', 'readme.txt', 'units.prj']) {
    const path = goodFolder();
    execFileSync('mkfifo', [join(path, name)]);
    await assertRefused(path, /: is a named pipe/);
    await assertRefused(join(path, name), /: is a named pipe/);
  }
  const withSocket = goodFolder();
  const server = createServer().listen(join(withSocket, 's.gpkg'));
  await once(server, 'listening');
  await assertRefused(withSocket, /s\.gpkg: is a socket/);
  server.close();
});

test('links that lead nowhere, to a device or round in a circle, and overlong paths, are refused by name', async () => {
  for (const [target, name, message] of [
    ['loop.gpkg', 'loop.gpkg', /loop\.gpkg: a symbolic link that leads back to itself/],
    ['nowhere.gpkg', 'dangling.gpkg', /dangling\.gpkg: no such file or folder/],
    ['/dev/zero', 'zero.json', /zero\.json: is a device/],
  ] as const) {
    const path = goodFolder();
    symlinkSync(target, join(path, name));
    await assertRefused(path, message);
    await assertRefused(join(path, name), message);
  }
  const circle = goodFolder();
  for (const [from = '', to = ''] of ['ab', 'ba']) {
    mkdirSync(join(circle, from));
    for (const link of ['x', 'y']) symlinkSync(join(circle, to), join(circle, from, link));
  }
  await assertRefused(circle, /a\/x\/x: a symbolic link to a folder that it is in/);
  await assertRefused(`/${'x'.repeat(5000)}`, /the path is longer than the operating system allows/);
  await assertRefused(join(folder, 'x'.repeat(300)), /the path is longer than the operating system allows/);
});

test('an archive of blanks, and sources of too many files, are refused in bounded time', async () => {
  const bomb = join(folder, 'bomb.zip');
  writeZip(bomb, [{ name: 'a.json', content: Buffer.alloc(257 << 20, ' ') }]);
  await assertRefused(bomb, /bomb\.zip\/a\.json: has 269484032 bytes, more than 200 times those of its archive/);
  const many = join(folder, 'many.zip');
  writeZip(
    many,
    Array.from({ length: 20_001 }, (_, i) => ({ name: `${i}.shp`, content: Buffer.alloc(0) })),
  );
  await assertRefused(many, /many\.zip: the source has more than 20,000 files/);
  const path = goodFolder();
  for (let i = 0; i < 20_001; i++) writeFileSync(join(path, `${i}.txt`), '');
  await assertRefused(path, /folder-\d+: the source has more than 20,000 files/);
  rmSync(path, { recursive: true });
});

test('a --layer of 63 stars is compared with a long name in one pass', async () => {
  const name = 'a'.repeat(60);
  const file = writeDataset(join(folder, 'stars.gpkg'), 'GPKG', [squares(name, ['code'], ['AAA'])]);
  const value = `${'*a'.repeat(63)}*b`;
  await assertRefused(file, /--layer lv0=.*: the source has no such layer/, { layers: [{ level: 0, value }] });
  const gidColumns = [{ level: undefined, of: 0, columns: ['code'] }] as const;
  const described = (pattern: string) =>
    describeDataset({ source: [file], levels: LEVELS, layers: [{ level: 0, value: pattern }], gidColumns });
  for (const pattern of ['*', 'a*', '*a', 'a*a*a', name, `${name}*`, `*${name}*`])
    assert.deepEqual(
      described(pattern).levels.map(({ level }) => level),
      [0],
      pattern,
    );
  for (const pattern of ['b*', '*b', `${name}a*`, `${name}*a`, 'a', ''])
    assert.throws(() => described(pattern), /no such layer|GID columns/, pattern);
});

test('what follows a semicolon in --where or --sql is refused, not ignored; one in quotation marks is text', async () => {
  const where = (value: string) => ({ where: [{ level: 0 as const, value }] });
  await assertRefused(
    countries,
    /--where lv0=GID_0 = 'AAA'; DROP TABLE ADM_0: only one condition/,
    where("GID_0 = 'AAA'; DROP TABLE ADM_0"),
  );
  const sql = [{ level: 0 as const, value: 'SELECT * FROM ADM_0; DELETE FROM ADM_0' }];
  await assertRefused(countries, /--sql lv0=SELECT .*: only one condition or statement is possible/, { sql });
  await assertRefused(countries, /1 layer has no units/, where("COUNTRY = 'a;b' AND \"GID_0\" = ';'"));
});

for (const [workers, ended] of [
  // A call in the process itself lets nothing of the program run.
  ['0', [null, 'SIGTERM']],
  ['1', [143, null]],
] as const)
  test(`SIGTERM ends a build that waits for a server, with --workers ${workers}`, async () => {
    const server = createHttpServer(() => {});
    const url = `http://127.0.0.1:${await listen(server)}/a.gpkg`;
    const out = join(folder, `sigterm-${workers}`);
    const args = ['build', '--source', url, '--release', 'r', '--out', out, '--workers', workers];
    const build = spawn(process.execPath, [compile('generator/main.ts'), ...args], { stdio: 'ignore' });
    const exit = once(build, 'exit');
    await once(server, 'connection');
    build.kill('SIGTERM');
    assert.deepEqual(await exit, ended);
  });

test('a GeoJSON file with a list of 700 MB that is no feature takes at most 400 MB of memory', async () => {
  const path = join(folder, 'long-list.geojson');
  writeFileSync(path, '{"type":"FeatureCollection","others":[["');
  // Zeros that take no room on the disk.
  truncateSync(path, 700e6);
  appendFileSync(path, '"]],"features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[null,0]}}]}');
  const module = new URL(`../../support/processes/geojson-reading${extname(import.meta.url)}`, import.meta.url).href;
  const pool = openPool(1, 0, 0);
  const { damage, bytes } = await pool.run<typeof readForDamage>(
    { module, name: 'readForDamage', phase: 'read' },
    path,
  );
  await pool.close();
  // What comes behind the list is looked at all the same.
  assert.match(damage, /feature 1, .*: its geometry has the position \[null,0\]/);
  assert.ok(bytes < 400e6, `${bytes} bytes`);
});

test('an archive in an archive is refused: what it is and what to do', async () => {
  const content = readFileSync(countries);
  const zip = join(folder, 'download.zip');
  writeZip(zip, [{ name: 'countries.gpkg', content }]);
  const outer = join(folder, 'outer.zip');
  writeZip(outer, [{ name: 'all/download.zip', content: readFileSync(zip) }]);
  await assertRefused(outer, /all\/download\.zip: an archive in an archive of the same kind$/);
});

test('a dataset of more than 2,000 layers is refused at once', async () => {
  const path = join(folder, 'layers.gpkg');
  const dataset = gdal.open(path, 'w', 'GPKG');
  runSql(dataset, 'BEGIN');
  for (let i = 0; i < 2_001; i++) runSql(dataset, `CREATE TABLE units_${i} (GID_0 VARCHAR)`);
  runSql(dataset, 'COMMIT');
  dataset.close();
  await assertRefused(path, /layers\.gpkg: has 2,001 layers, more than 2,000$/);
});
