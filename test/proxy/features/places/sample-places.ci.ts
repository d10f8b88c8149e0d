// Real boundaries and names: points and boxes of the sample are in the units in which GDAL finds them, on every level,
// and boxes in those that integers over the published text find; its units are found by their names and beside each
// other. Many islands, and a ring of very many positions.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../../../format/element-at.ts';
import { releasePath } from '../../../../format/layout.ts';
import type { Level } from '../../../../format/levels.ts';
import { gdal } from '../../../../generator/gdal/gdal.ts';
import { QUESTIONS } from '../../../../proxy/site/questions.ts';
import { readStored } from '../../../support/datasets/large-dataset.ts';
import { square } from '../../../support/datasets/write-dataset.ts';
import { send, textOf } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { inBox, placedLevel } from '../../../support/places.ts';
import { without } from '../../../support/processes/programs.ts';
import { lastLine, recipesFor } from '../../../support/processes/recipes.ts';
import { codeIn } from '../../../support/readme-code.ts';
import { assertBoxes, boxesOf, proxyFind } from '../../../support/releases/boxes-beside-model.ts';
import { buildUnits } from '../../../support/releases/build-release.ts';
import { gdalLookUp, geometriesOf, pointsOf, proxyLookUp } from '../../../support/releases/points-beside-gdal.ts';
import { readIndex } from '../../../support/releases/read-index.ts';
import { sampleOutput } from '../../../support/releases/world.ts';
import { printedAnswer, shownAnswer } from '../../../support/shown-answer.ts';
import { seedsOf, sliceOf } from '../../../support/slice.ts';
import { assertTouches } from '../neighbours/touches-model.ts';
import { assertSearches } from '../search/search-scan.ts';

const SAMPLE: readonly Level[] = [0, 1, 2, 3];
/** Boxes of each level, in all slices. */
const BOXES = 2500;

const folder = await sampleOutput();
const stored = readStored(folder, 'sample');
const at = await proxyLookUp(folder);
const [seed = 1] = seedsOf(1);

test('GDAL finds points of the sample in the same units, half of them by a border', async () => {
  for (const level of SAMPLE) {
    const { lines } = elementAt(stored, level);
    const ofGdal = gdalLookUp(lines);
    const points = pointsOf(lines, seed);
    for (let i = 0; i < 1250; i++) {
      const [x, y] = points.next().value;
      const expected = ofGdal(x, y);
      if (expected !== undefined) assert.deepEqual(await at(level, x, y), expected, `lv${level} ${x},${y}`);
    }
  }
});

test('10,000 boxes of the sample find what integers over the published text find', async () => {
  const count = sliceOf(Array.from({ length: BOXES }, (_, i) => i)).length;
  for (const level of SAMPLE) {
    const placed = placedLevel(elementAt(stored, level).lines, 7);
    const units = await assertBoxes(await proxyFind(folder, level), placed, count, 10 * seed + level);
    assert.ok(units > count, `level ${level}: ${units} units in ${count} boxes`);
  }
});

test('GDAL finds the same units, but for those that are not valid or cross 180 degrees', async () => {
  let compared = 0;
  for (const level of [0, 2] as const) {
    const { lines } = elementAt(stored, level);
    const geometries = geometriesOf(lines);
    const isPlain = geometries.map((geometry) => {
      const { minX, maxX } = geometry?.getEnvelope() ?? { minX: -180, maxX: 180 };
      return minX > -180 && maxX < 180 && geometry?.isValid() === true;
    });
    const boxes = boxesOf(placedLevel(lines, 7), 7, seed);
    const find = await proxyFind(folder, level);
    for (let i = 0; i < 100; i++) {
      const bbox: string = boxes.next().value;
      const [west = 0, south = 0, east = 0, north = 0] = bbox.split(',').map(Number);
      if (west > east) continue;
      const box = gdal.Geometry.fromWKT(
        `POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`,
      );
      const expected = [...geometries.keys()].filter((p) => isPlain[p] && geometries[p]?.intersects(box));
      const found = (await find(bbox)).filter((p) => isPlain[p]);
      assert.deepEqual(found, expected, bbox);
      compared += expected.length;
    }
  }
  assert.ok(compared > 1000, `${compared} units`);
});

/** Asserts what boxes find among the units of a release, by their positions. */
async function assertFinds(folder: string, rows: readonly (readonly [bbox: string, ...number[]])[]): Promise<void> {
  const placed = placedLevel(elementAt(readStored(folder, 'r1'), 0).lines, 7);
  const find = await proxyFind(folder, 0);
  for (const [bbox, ...found] of rows) {
    assert.deepEqual(await find(bbox), found, bbox);
    assert.deepEqual(inBox(placed, bbox), found, `the model: ${bbox}`);
  }
}

/** Islands along each side of a square of them. */
const ALONG = 361;

test('a unit of 130,000 islands has few parts, and boxes between them and around them are exact', async () => {
  const polygons = Array.from({ length: ALONG * ALONG }, (_, i) => {
    const [x, y] = [(i % ALONG) / 10, Math.floor(i / ALONG) / 10];
    return square(x, y, 0.05).slice('MULTIPOLYGON('.length, -1);
  });
  const out = await buildUnits([`MULTIPOLYGON(${polygons.join()})`, square(50, 0)]);
  const { part } = readIndex(join(out, releasePath('r1')), 0).arrays;
  assert.equal(part.length, 5 * 16);
  await assertFinds(out, [
    ['0.06,0.06,0.09,0.09'],
    ['18.06,0,18.09,36'],
    ['18.06,17.06,18.11,17.11', 0],
    ['36.04,36.04,37,37', 0],
    ['0.051,0.051,0.099,35'],
    ['17.99,17.99,50.5,18.06', 0],
    ['17.99,0,50.5,36', 0, 1],
  ]);
});

test('a ring of so many positions that nobody has asked whether it is valid: its spike is no border', async () => {
  const count = 150_001;
  const circle = Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return `${10 + Math.cos(angle)} ${10 + Math.sin(angle)}`;
  });
  const [start = ''] = circle;
  const out = await buildUnits([`POLYGON((${[start, '12 10', ...circle, start].join()}))`]);
  await assertFinds(out, [['11.5,8,13,12'], ['10.5,8,13,12', 0]]);
});

test('touches finds the neighbours that the features of the sample say', async () => {
  const service = await startService(folder);
  for (const level of SAMPLE) assert.ok((await assertTouches(service, stored, level, sliceOf)) > 50, `level ${level}`);
});

test('a search finds the units that a scan of all names finds, of all levels, some, or in Spain', async () => {
  const sample = { release: join(folder, releasePath('sample')), stored };
  await assertSearches(await startService(folder), sample, 60, 'ESP');
});

test('words behind a name are of its parents, as in santa cruz spain; a GID finds its unit', async () => {
  const service = await startService(folder);
  const found = async (q: string): Promise<{ names: string[]; gids: string[] }> =>
    JSON.parse(textOf(await send(service, `/api/v1/search?limit=100&q=${encodeURIComponent(q)}`)));
  const countries = async (q: string): Promise<string[]> =>
    [...new Set((await found(q)).gids.map((gid) => gid.slice(0, 3)))].sort();
  assert.deepEqual(await countries('santa cruz'), ['ESP', 'USA']);
  assert.deepEqual([await countries('santa cruz spain'), await countries('Santa Cruz, U.S.A')], [['ESP'], ['USA']]);
  assert.deepEqual(await countries('santa cruz united america'), ['USA']);
  assert.equal((await found('santa cruz ariz')).names.length, 1);
  assert.ok((await found('toledo spain')).names.every((name) => name.includes('Toledo')));
  assert.deepEqual((await found('Illescas, Toledo, SPA')).names, ['Illescas']);
  assert.deepEqual((await found('ESP.13.1.78_1')).names, ['Madrid']);
  assert.deepEqual((await found('spain toledo')).names, []);
});

test('places of the sample are found first by a name of several, one with its article moved, and by a code', async () => {
  const service = await startService(folder);
  for (const [query, ...expected] of [
    ['La Coruña', 'name', 'lv2', 'A Coruña', 'Spain, Galicia'],
    ['Elche', 'name', 'lv3', 'Elx/Elche', 'Spain, Comunitat Valenciana, Alacant/Alicante'],
    ['San Sebastián', 'name', 'lv1', 'San Sebastián', 'Puerto Rico'],
    ['San Sebastián&gid-0=ESP', 'name', 'lv3', 'Donostia/San Sebastián', 'Spain, País Vasco/Euskadi, Gipuzkoa'],
    ['Rozas de Madrid, Las', 'name', 'lv3', 'Las Rozas de Madrid', 'Spain, Comunidad de Madrid, Madrid'],
    ['28079', 'code', 'lv3', 'Madrid', 'Spain, Comunidad de Madrid, Madrid'],
    ['na', 'code', 'lv0', 'Namibia', ''],
    ['Namibie', 'name', 'lv0', 'Namibia', ''],
  ] as const) {
    const text = textOf(await send(service, `/api/v1/search?q=${encodeURI(query)}`));
    const { levels, names, matches, parents } = JSON.parse(text);
    assert.deepEqual([matches[0], levels[0], names[0], parents[0].join(', ')], expected, query);
  }
});

test('the commands of the README files and the lines of Python say what is at a point, in a box and where', {
  skip: without('curl --version', 'jq --version', 'python3 --version', 'ogr2ogr --version'),
}, async () => {
  const { url } = await startService(folder);
  const { sh, python } = recipesFor({ url });
  const linesOf = (text: string): string[] => text.trimEnd().split(/\r?\n/);
  const [, section = ''] = readFileSync('README.md', 'utf8').split('## Ask it\n');
  const shown = [...section.matchAll(/```sh\n([^`]*)```\n\n```text\n([^`]*)\n```/g)];
  assert.equal(shown.length, 4);
  for (const [, code = '', answer = ''] of shown) {
    const lines = linesOf(await sh(code));
    // Three dots stand for any text; in a line of their own for any further lines.
    const expected = answer.replaceAll('http://127.0.0.1:8080', url).split('\n');
    for (const [i, line] of expected.entries())
      assert.ok(line === '...' || isShown(lines[i] ?? '', line), `${code}${lines.join('\n')}\nnot ${line}`);
    assert.ok(lines.length === expected.length || expected.at(-1) === '...', code);
  }
  const clients = 'proxy/examples/clients/README.md';
  const provinces = linesOf(await sh(codeIn(clients, 'sh', 'bbox=')));
  const inBox = provinces.slice(52);
  assert.ok(inBox.length < 20, inBox.join());
  for (const known of ['Madrid', 'Toledo', 'Segovia']) assert.ok(inBox.includes(known), inBox.join());
  assert.equal(await python(codeIn(clients, 'python', 'contains=')), 'Madrid\n');
  const codes = linesOf(await python(codeIn(clients, 'python', 'casefold')));
  assert.deepEqual(codes, ['Sevilla ESP.1.8_1', 'CADIZ ESP.1.2_1', 'Orange 8 units', 'Atlantis 0 units']);
  const [name, where = ''] = linesOf(await sh(codeIn(clients, 'sh', 'names/lv3')));
  assert.equal(name, '"Toledo"');
  const [longitude = 0, latitude = 0] = JSON.parse(where);
  assert.ok(Math.abs(longitude + 4.02) < 0.2 && Math.abs(latitude - 39.87) < 0.2, where);
});

/** Is this the line that a document shows, in which three dots stand for any text? */
function isShown(line: string, shown: string): boolean {
  const parts = shown.split('...').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(line);
}

test('the notebook says where places are, how large units are and which are beside each other, and draws them', {
  skip: without("python3 -c 'import geopandas, duckdb, owslib'"),
}, async () => {
  const { python } = recipesFor(await startService(folder));
  const text = await python(
    readFileSync('proxy/examples/clients/notebook.py', 'utf8'),
    'alone = [gid for gid, own in weights.items() if not own]',
    'numbers = [len(towns), round(towns.km2.sum() / 1000), len(weights), len(alone), int(provinces.near_km2.isna().sum())]',
    "print(json.dumps([found.NAME_3.tolist(), numbers, weights['ESP.18.1_1'], len(tile) > 0, drawing.count('<path')]))",
  );
  const [where, numbers, alone, hasTile, paths] = JSON.parse(lastLine(text));
  assert.deepEqual(where, ['Madrid', 'Toledo']);
  // Spain has 506,000 km2; Ceuta, Melilla and three provinces of islands have no neighbours.
  assert.deepEqual(numbers, [8212, 506, 52, 5, 5]);
  assert.deepEqual([alone, hasTile, paths >= 52], [[], true, true]);
});

test('the answers that /docs and proxy/README.md show are those of the sample', async () => {
  const service = await startService(folder, { explorer: true });
  for (const question of QUESTIONS)
    assert.equal(question.answer, await shownAnswer(service, question), 'run test/support/write-answers.ts');
});

test('the commands of proxy/README.md ask the questions that it answers', {
  skip: without('curl --version'),
}, async () => {
  const { url } = await startService(folder, { explorer: true });
  const { sh } = recipesFor({ url });
  const commands = readFileSync('proxy/README.md', 'utf8').matchAll(/^```sh\n(curl .*)\n```\n\n```http$/gm);
  const printed: string[] = [];
  for (const [, command = ''] of commands) printed.push(printedAnswer(await sh(command), url));
  const answers = QUESTIONS.map(({ answer }) => answer);
  assert.deepEqual(printed, answers);
});
