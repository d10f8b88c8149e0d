// Real boundaries: a point of the sample is in the units of all levels that its unit is in, and where GDAL finds it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Position } from 'geojson';
import { elementAt } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import { positionsIn } from '../../format/positions.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { Reads } from '../../proxy/origin/origin.ts';
import { Releases } from '../../proxy/releases/releases.ts';
import { QUESTIONS, SHOWN_CHARS, SHOWN_CURSOR, SHOWN_HEADERS } from '../../proxy/site/questions.ts';
import { readStored, type StoredLevel } from '../support/datasets/large-dataset.ts';
import { readLayer } from '../support/datasets/read-layer.ts';
import { dice } from '../support/dice.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { placedLevel } from '../support/places.ts';
import { runProgram, without } from '../support/processes/programs.ts';
import { codeIn } from '../support/readme-code.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HOST = 'boundaries.example.org';
const SAMPLE: readonly Level[] = [0, 1, 2, 3];

/** Which units of the sample contain a point, without HTTP. */
async function sampleLookUp(): Promise<{
  folder: string;
  at: (level: Level, ...point: [string, string]) => number[];
  stored: StoredLevel[];
}> {
  const folder = await sampleOutput();
  const origin = directoryOrigin(folder);
  const releases = new Releases(origin);
  await releases.refresh();
  const reads = new Reads(origin);
  return {
    folder,
    stored: readStored(folder, 'sample'),
    at(level, longitude, latitude) {
      const { spatial } = releases.requireCurrent().get(level) ?? assert.fail();
      const [found] = spatial.at({ bbox: undefined, contains: { longitude, latitude } }, reads) ?? [];
      return [...positionsIn(found?.slice(0, found.count) ?? assert.fail())];
    },
  };
}
const { folder, at, stored } = await sampleLookUp();
/** A MultiPolygon of the published coordinates. */
function geometriesOf(level: Level) {
  return elementAt(stored, level).lines.map((line) => {
    const { type, coordinates } = JSON.parse(line).geometry;
    const polygons: Position[][][] = type === 'Polygon' ? [coordinates] : coordinates;
    const texts = polygons.map(
      (rings) => `(${rings.map((ring) => `(${ring.map((position) => position.join(' ')).join()})`).join()})`,
    );
    return gdal.Geometry.fromWKT(`MULTIPOLYGON (${texts.join()})`);
  });
}

test('a point in a municipality of the sample is in its province and region, and in its country', () => {
  let [inside, elsewhere] = [0, 0];
  const { units } = elementAt(stored, 3);
  for (const [position, geometry] of geometriesOf(3).entries()) {
    const centroid = geometry.centroid();
    if (!geometry.isValid() || !geometry.contains(centroid)) continue;
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
  const roll = dice(37);
  for (const [level, count] of [
    [2, 5000],
    [3, 5000],
  ] as const) {
    const geometries = geometriesOf(level);
    const boxes = geometries.map((geometry) => geometry.getEnvelope());
    const { rings } = placedLevel(elementAt(stored, level).lines, 7);
    for (let i = 0; i < count; i++) {
      const unit = roll(rings.length);
      const ring = elementAt(elementAt(rings, unit), roll(elementAt(rings, unit).length));
      const vertex = roll(ring.length - 1);
      const [[x1, y1], [x2, y2]] = [elementAt(ring, vertex), elementAt(ring, vertex + 1)];
      // Within a millionth of a degree of an edge, or of a tenth; not exactly on it.
      const [along, off] = [roll(1000) / 1000, (i % 2 === 0 ? 10 : 1e6) * (0.1 + roll(900) / 1000)];
      const x = ((x1 + along * (x2 - x1) + (roll(2) === 0 ? off : -off)) / 1e7).toFixed(9);
      const y = ((y1 + along * (y2 - y1) + (roll(2) === 0 ? off : -off)) / 1e7).toFixed(9);
      const point = new gdal.Point(Number(x), Number(y));
      const near = [...boxes.keys()].filter((own) => {
        const { minX, maxX, minY, maxY } = elementAt(boxes, own);
        return minX <= point.x && point.x <= maxX && minY <= point.y && point.y <= maxY;
      });
      const found = near.filter((own) => elementAt(geometries, own).contains(point));
      const valid = (own: number): boolean => elementAt(geometries, own).isValid();
      if (near.every(valid)) assert.deepEqual(at(level, x, y), found, `lv${level} ${x},${y}`);
    }
  }
});

test('the commands of the README files and the lines of Python say what is at a point, in a box and where', {
  skip: without('curl --version', 'jq --version', 'python3 --version', 'ogr2ogr --version'),
}, async () => {
  const { url } = await startService(folder);
  const env = { ...process.env, BASE: `${url}/api/v1`, AUTH: AUTHORIZED.authorization.replace(/^/, 'Authorization: ') };
  const token = { TOKEN: AUTHORIZED.authorization.slice('Bearer '.length) };
  const run = async (program: string, option: string, code: string): Promise<string[]> => {
    const here = code.replaceAll('http://127.0.0.1:8080', url);
    const { status, text } = await runProgram(program, [option, here], { env: { ...env, ...token } });
    assert.equal(status, 0, text);
    return text.trimEnd().split('\n');
  };
  const [place, ...provinces] = await run('sh', '-c', codeIn('README.md', 'sh', 'contains='));
  assert.equal(place, 'Madrid');
  assert.ok(
    ['Madrid', 'Toledo', 'Segovia'].every((name) => provinces.includes(name)),
    provinces.join(),
  );
  const clients = 'proxy/examples/clients/README.md';
  assert.deepEqual(await run('python3', '-c', codeIn(clients, 'python', 'contains=')), ['Madrid']);
  const [province, where = ''] = await run('sh', '-c', codeIn(clients, 'sh', 'names/lv3'));
  assert.equal(province, '"Toledo"');
  const [longitude = 0, latitude = 0] = JSON.parse(where);
  assert.ok(Math.abs(longitude + 4.02) < 0.2 && Math.abs(latitude - 39.87) < 0.2, where);
  const typed = temporaryFolder();
  await run('sh', '-ec', `cd ${typed}\n${codeIn(clients, 'sh', 'overview.gpkg')}`);
  assert.equal(readLayer(join(typed, 'overview.gpkg'), 'lv0').length, 255);
});

test('the answers that /docs shows are those of the sample', async () => {
  const service = await startService(folder);
  for (const { question, target, answer } of QUESTIONS) {
    const isDownload = target.startsWith('/api/v1/download/');
    const { headers, ...response } = await send(service, target, { host: HOST, 'accept-encoding': 'identity' });
    const body = isDownload ? '' : textOf({ headers, ...response }).trimEnd();
    const lines = SHOWN_HEADERS.filter((name) => headers[name.toLowerCase()] !== undefined).map((name) =>
      `${name}: ${headers[name.toLowerCase()]}`.replace(/c_[\w-]+/, SHOWN_CURSOR).replace('-r1-', '-sample-'),
    );
    const shown = body.length > SHOWN_CHARS ? `${body.slice(0, SHOWN_CHARS)}…` : body;
    const expected = [`HTTP/1.1 ${response.status} OK`, ...lines, ...(shown === '' ? [] : ['', shown])];
    assert.deepEqual(answer.split('\n'), expected.join('\n').split('\n'), question);
  }
});
