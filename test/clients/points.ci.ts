// Points looked up away from the service: `points`, the module for browsers and Node and points.py find the units that
// the service finds, at points by borders, on vertices and on edges of the sample, of which a run tries a slice.
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { bundleReader } from '../../.package/bundle-reader.js';
import { elementAt } from '../../format/element-at.ts';
import { cellsPath, namesPath, releasePath } from '../../format/layout.ts';
import { LEVELS } from '../../format/levels.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { dice } from '../support/dice.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { placedLevel } from '../support/places.ts';
import { printedBy, without } from '../support/processes/programs.ts';
import { recipesFor } from '../support/processes/recipes.ts';
import { typed } from '../support/processes/typed.ts';
import { withCompiledPrograms } from '../support/processes/typed-commands.ts';
import { codeIn } from '../support/readme-code.ts';
import { pointsOf, proxyLookUp } from '../support/releases/points-beside-gdal.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { sliceOf } from '../support/slice.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = await sampleOutput();
const service = await startService(folder);
const stored = readStored(folder, 'sample');
const home = temporaryFolder();
const reader = join(home, 'points.mjs');
await bundleReader(resolve(), reader);
const { loadLevel, openLevel }: typeof import('administrative-boundaries-service/points') = await import(
  pathToFileURL(reader).href
);

type Place = [longitude: string, latitude: string];

/** By borders and in turn away from them, on vertices and in the middle of edges, with many digits and none. */
function* places(): Generator<Place> {
  const roll = dice(49);
  for (const level of [0, 1, 2, 3] as const) {
    const { lines } = elementAt(stored, level);
    const near = pointsOf(lines, 53 + level);
    for (let i = 0; i < 200; i++) yield near.next().value;
    const rings = placedLevel(lines, 7).rings.flat();
    for (let i = 0; i < 100; i++) {
      const ring = elementAt(rings, roll(rings.length));
      const at = roll(ring.length - 1);
      const [[x1, y1], [x2, y2]] = [elementAt(ring, at), elementAt(ring, at + 1)];
      if (Math.abs(x1 - x2) > 1e9) continue;
      yield [(x1 / 1e7).toFixed(7), (y1 / 1e7).toFixed(7)];
      yield [((x1 + x2) / 2e7).toFixed(8), ((y1 + y2) / 2e7).toFixed(8)];
      yield [`${(x1 / 1e7).toFixed(7)}00000000000000000001`, (y1 / 1e7).toFixed(7)];
    }
  }
}

/** Where the plane ends or begins. */
const EDGES = ['-180', '180', '0', '-0.0'].flatMap((x) => ['-90', '90', '0'].map((y): Place => [x, y]));
const asked = [...sliceOf([...places()]), ...EDGES];
const table = join(home, 'places.csv');
writeFileSync(table, `id,longitude,latitude\n${asked.map((place, i) => `${i},${place}\n`).join('')}`);

function fileOf(path: string): Buffer {
  return readFileSync(join(folder, releasePath('sample'), path));
}

function namesOf(level: (typeof LEVELS)[number]): string {
  return gunzipSync(fileOf(namesPath(level))).toString('utf8');
}

const levels = LEVELS.filter((level) => elementAt(stored, level).lines.length > 0).map((level) => ({
  level,
  points: openLevel(fileOf(cellsPath(level)), namesOf(level)),
}));

/** The rows as the service's own look-up has them: of each level the first unit. */
async function expectedRows(): Promise<(string | null)[][]> {
  const lookUp = await proxyLookUp(folder);
  const rows: (string | null)[][] = [];
  for (const [longitude, latitude] of asked) {
    const row: (string | null)[] = [];
    for (const { level, points } of levels) {
      const [first] = await lookUp(level, longitude, latitude);
      const { gid, name } = first === undefined ? { gid: null, name: null } : elementAt(points.units, first);
      row.push(gid, name);
    }
    rows.push(row);
  }
  return rows;
}

const expected = await expectedRows();
assert.ok(asked.length > 200 && expected.filter(([gid]) => gid !== null).length > 150, 'many places in units');

function csvOf(values: readonly (string | null)[]): string {
  return values
    .map((value) => (/[",]/.test(value ?? '') ? `"${value?.replaceAll('"', '""')}"` : (value ?? '')))
    .join(',');
}

function assertRows(text: string): void {
  const [header = '', ...rows] = text.trimEnd().split('\n');
  assert.equal(header, `id,longitude,latitude,${levels.map(({ level }) => `gid_${level},name_${level}`).join(',')}`);
  assert.equal(rows.length, asked.length);
  for (const [i, row] of rows.entries())
    assert.equal(row, `${i},${asked[i]},${csvOf(elementAt(expected, i))}`, `row ${i}`);
}

test('points finds what the service finds, from a folder and from the service', async () => {
  const env = { TOKEN, XDG_CACHE_HOME: home };
  for (const source of [
    ['--origin', folder],
    ['--url', `${service.url}/api/v1/ogc/`],
  ]) {
    const { status, stdout, stderr } = await typed('proxy', ['points', ...source, table], { env });
    assert.equal(status, 0, stderr);
    assertRows(stdout);
  }
});

test('the module for browsers and Node finds what the service finds, all units of a level, by text and by number', async () => {
  const lookUp = await proxyLookUp(folder);
  for (const { level, points } of levels)
    for (const [longitude, latitude] of asked) {
      const positions = await lookUp(level, longitude, latitude);
      const found = positions.map((position) => elementAt(points.units, position));
      assert.deepEqual(points.at(longitude, latitude), found, `lv${level} ${longitude},${latitude}`);
      if (String(Number(longitude)) === longitude && String(Number(latitude)) === latitude)
        assert.deepEqual(points.at(Number(longitude), Number(latitude)), found);
    }
  const [first] = levels;
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, 181, '', '1e', '1e3', 'a'])
    assert.throws(() => first?.points.at(wrong, 0), RangeError, String(wrong));
  assert.doesNotThrow(() => first?.points.at(1e-9, -1e-7));
});

test('the module loads a level of a service, refuses what is damaged, and needs nothing of Node', async () => {
  const level = await loadLevel({ url: `${service.url}/`, level: 'lv2', token: TOKEN });
  assert.deepEqual(level.units, levels[2]?.points.units);
  await assert.rejects(loadLevel({ url: service.url, level: 'lv2' }), /^Error: 401: /);
  const cells = fileOf(cellsPath(1));
  assert.throws(() => openLevel(cells.subarray(0, -1), namesOf(1)), /bytes, expected/);
  assert.throws(() => openLevel(cells, namesOf(2)), /of \d+ units, names of \d+/);
  assert.throws(() => openLevel(cells, namesOf(1).slice(0, -5)), /not a complete list of names/);
  const text = readFileSync(reader, 'utf8');
  assert.doesNotMatch(text, /^import |\brequire\(|node:|\bBuffer\b|\bprocess\./m);
});

test("Python's standard library finds what the service finds, from a folder and from the service", {
  skip: without('python3 --version'),
}, async () => {
  const env = { ...process.env, TOKEN };
  for (const source of [folder, service.url, `${service.url}/api/v1/`]) {
    const command = `python3 proxy/examples/clients/points.py "$0" longitude latitude < "$1"`;
    assertRows(await printedBy('sh', ['-c', command, source, table], { env }));
  }
});

test('points.py finds GIDs and names by the header, among other columns', {
  skip: without('python3 --version'),
}, async () => {
  const { level } = levels.at(-1) ?? assert.fail();
  const lines = namesOf(level).trimEnd().split('\n');
  const moved = lines.map((line, i) => JSON.stringify([i === 0 ? 'view' : [1, 2], ...JSON.parse(line).reverse()]));
  const files = [cellsPath(level), namesPath(level)].map((path) => join(folder, releasePath('sample'), path));
  const changed = join(home, 'moved.jsonl');
  writeFileSync(changed, `${moved.join('\n')}\n`);
  const program = `import gzip, json, sys
sys.path.append('proxy/examples/clients')
from points import Level
cells, names, moved = (open(name, 'rb').read() for name in sys.argv[1:])
one, other = Level(0, cells, gzip.decompress(names)), Level(0, cells, moved)
print(len(one.units), one.units == other.units)`;
  assert.equal(await printedBy('python3', ['-c', program, ...files, changed]), `${lines.length - 1} True\n`);
});

test('the function in Python takes columns of numbers, texts and nothing, as pandas has them', {
  skip: without('python3 --version'),
}, async () => {
  const program = `
import sys, json
sys.path.append('proxy/examples/clients')
from points import open_release, units_at
release = open_release(sys.argv[1], levels=[0, 1])
print(json.dumps(units_at(release, [-3.7038, '2.3522', None, 1e-7, float('nan')], [40.4168, '48.8566', 1, -1e-9, 0.5])))
`;
  const { gid_0, name_1 } = JSON.parse(await printedBy('python3', ['-c', program, folder]));
  assert.deepEqual([gid_0[0], name_1[0], gid_0.slice(2)], ['ESP', 'Comunidad de Madrid', [null, null, null]]);
});

test("the commands and the programs under 'Many points' work when pasted", async () => {
  const there = temporaryFolder();
  for (const name of ['proxy', 'format', 'node_modules', 'package.json', 'tsconfig.json'])
    symlinkSync(resolve(name), join(there, name));
  symlinkSync(folder, join(there, 'output'));
  writeFileSync(join(there, 'places.csv'), 'longitude,latitude,id\n-3.7038,40.4168,1\n,,2\n');
  const page = 'proxy/examples/clients/README.md';
  const env = { ...withCompiledPrograms(), TOKEN, BASE: `${service.url}/api/v1`, XDG_CACHE_HOME: home };
  const text = await printedBy('sh', ['-ec', codeIn(page, 'sh', 'main.ts points')], { env, cwd: there });
  assert.match(text, /^Sol,-3\.7038,40\.4168,ESP,Spain,.*,Madrid$/m);
  assert.match(text, /1 row without a point, no longitude or latitude: line 3/);
  const read = (name: string): string => readFileSync(join(there, name), 'utf8');
  const whole = read('places-with-units.csv');
  assert.match(whole, /^longitude,latitude,id,gid_0,.*\n-3\.7038,40\.4168,1,ESP,Spain,.*\n,,2,,,,/);
  assert.match(
    read('places-with-provinces.csv'),
    /^longitude,latitude,id,gid_0,name_0,gid_2,name_2\n.*,Madrid\n,,2,,,,\n$/,
  );
  if (!without('python3 -c "import pandas"')) {
    await printedBy('python3', ['-c', codeIn(page, 'python', 'from points import')], { cwd: there });
    assert.equal(read('places-with-units.csv'), whole);
  }
  const program = codeIn(page, 'ts', 'loadLevel').replace(
    'administrative-boundaries-service/points',
    pathToFileURL(reader).href,
  );
  assert.match(await recipesFor(service).node(program), /^\S+ Madrid\n$/);
});
