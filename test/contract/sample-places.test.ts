// Real boundaries: a point of the sample is in the units of all levels that its unit is in, and where GDAL finds it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import { writeSample } from '../../generator/sample/sample.ts';
import { cachedOutput } from '../support/cached-folder.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { runProgram, without } from '../support/processes/programs.ts';
import { codeIn } from '../support/readme-code.ts';
import { buildUnchecked } from '../support/releases/build-release.ts';
import { gdalLookUp, geometriesOf, pointsOf, proxyLookUp } from '../support/releases/points-beside-gdal.ts';

const SAMPLE: readonly Level[] = [0, 1, 2, 3];

const folder = await cachedOutput(import.meta.url, 'sample', async (made) => {
  const file = join(made, 'sample.gpkg');
  writeSample(file);
  await buildUnchecked(file, made, { storedPages: 'none', geometries: ['full', 'none'] });
});
const stored = readStored(folder, 'r1');
const at = await proxyLookUp(folder);

test('a point in a municipality of the sample is in its province and region, and in its country', () => {
  let [inside, elsewhere] = [0, 0];
  const { units } = elementAt(stored, 3);
  for (const [position, geometry] of geometriesOf(elementAt(stored, 3).lines).entries()) {
    const centroid = geometry?.centroid();
    if (geometry === null || centroid === undefined || !geometry.isValid() || !geometry.contains(centroid)) continue;
    inside++;
    const gids = SAMPLE.map((level) =>
      at(level, centroid.x.toFixed(9), centroid.y.toFixed(9)).map(
        (unit) => elementAt(stored, level).units[unit]?.gids[level],
      ),
    );
    const own = elementAt(units, position).gids;
    // Some municipalities of the source lie in others without a hole there.
    assert.deepEqual([gids[1], gids[2], gids[3]?.includes(own[3])], [[own[1]], [own[2]], true], own.join());
    // The countries come from another atlas, whose borders are drawn otherwise.
    if (gids[0]?.includes(own[0]) !== true) elsewhere++;
  }
  assert.ok(inside > 8000 && elsewhere < 10, `${inside} municipalities, ${elsewhere} in another country`);
});

test('GDAL finds ten thousand points of the sample in the same units, half of them by a border', () => {
  for (const level of [2, 3] as const) {
    const { lines } = elementAt(stored, level);
    const ofGdal = gdalLookUp(lines);
    const points = pointsOf(lines, 37);
    for (let i = 0; i < 5000; i++) {
      const [x, y] = points.next().value;
      const expected = ofGdal(x, y);
      if (expected !== undefined) assert.deepEqual(at(level, x, y), expected, `lv${level} ${x},${y}`);
    }
  }
});

test('the commands of the README and the lines of Python say what is at a point and in a box', {
  skip: without('curl --version', 'jq --version', 'python3 --version'),
}, async () => {
  const { url } = await startService(folder);
  const run = async (program: string, option: string, code: string): Promise<string[]> => {
    const here = code.replaceAll('http://127.0.0.1:8080', url);
    const env = { ...process.env, TOKEN: AUTHORIZED.authorization.slice('Bearer '.length) };
    const { status, text } = await runProgram(program, [option, here], { env });
    assert.equal(status, 0, text);
    return text.trimEnd().split('\n');
  };
  const [place, ...provinces] = await run('sh', '-c', codeIn('README.md', 'sh', 'contains='));
  assert.equal(place, 'Madrid');
  assert.ok(
    ['Madrid', 'Toledo', 'Segovia'].every((name) => provinces.includes(name)),
    provinces.join(),
  );
  assert.deepEqual(await run('python3', '-c', codeIn('proxy/examples/clients/README.md', 'python', 'contains=')), [
    'Madrid',
  ]);
});
