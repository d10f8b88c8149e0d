// GDAL, geopandas, OWSLib and QGIS with the lines of the clients' README, on the sample as it is served: all units,
// once, as the source has them.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { gdal } from '../../generator/gdal/gdal.ts';
import { writeSample } from '../../generator/sample/sample.ts';
import { readLayer } from '../support/datasets/read-layer.ts';
import { AUTHORIZED, startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { listen } from '../support/http/listen.ts';
import { printedBy, without } from '../support/processes/programs.ts';
import { lastLine, recipesFor } from '../support/processes/recipes.ts';
import { codeIn } from '../support/readme-code.ts';
import { buildRelease, WHOLE } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Geometries are compared in degrees: the service rounds coordinates to 7 decimals. */
const ROUNDING = 1e-6;

/** The lines of the clients' README, or another one, that have a word in them, with the service's address put in. */
function linesWith(word: string, language = 'python', readme = 'proxy/examples/clients/README.md'): string {
  return codeIn(readme, language, word).replaceAll('http://127.0.0.1:8080', url);
}

/** Debian's modules are those of Debian's Python, which need not be the first one. */
function pythonWith(module: string): string | undefined {
  return ['python3', '/usr/bin/python3'].find((python) => without(`${python} -c "import ${module}" 2>&1`) === false);
}

const needs = (module: string) =>
  pythonWith(module) === undefined ? `not available here: ${module} for Python` : without('ogr2ogr --version');
const needsAny = needs('geopandas') && needs('qgis.core') && needs('owslib');

const source = join(temporaryFolder(), 'sample.gpkg');
const url = needsAny === false ? await serveSample() : '';
const { home, sh } = recipesFor({ url });

async function serveSample(): Promise<string> {
  const out = temporaryFolder();
  writeSample(source);
  await buildRelease(source, out, { ...WHOLE, storedPages: 'none', accept: ['empty-geometries'] });
  return (await startService(out)).url;
}

/**
 * What is known of a layer: its CRS, and of each unit the GID, the bounds and the area in square degrees; no bounds
 * without a geometry.
 */
interface Seen {
  crs: string;
  units: [string, number[], number][];
}

/** Runs Python, which prints what it saw in the last line. */
async function see<T = Seen>(module: string, code: string, env: Record<string, string> = {}): Promise<T> {
  const options = { cwd: home, env: { ...process.env, TOKEN, ...env } };
  return JSON.parse(lastLine(await printedBy(pythonWith(module) ?? '', ['-c', code], options)));
}

/** The units of Spain in the source, as GDAL sees them. */
function original(level: number): Seen['units'] {
  const dataset = gdal.open(source);
  const features = dataset.layers.get(`ADM_${level}`).features.map((feature) => feature);
  const units = features
    .filter(({ fields }) => fields.get('GID_0') === 'ESP')
    .map((feature): Seen['units'][number] => {
      const gid = String(feature.fields.get(`GID_${level}`));
      const geometry = feature.getGeometry();
      if (geometry === null || geometry.isEmpty()) return [gid, [], 0];
      assert.ok(geometry instanceof gdal.MultiPolygon);
      const { minX, minY, maxX, maxY } = geometry.getEnvelope();
      return [gid, [minX, minY, maxX, maxY], geometry.getArea()];
    });
  dataset.close();
  return units;
}

/** The same units, in order, with the shapes of the source. */
function sameAs({ crs, units }: Seen, expected: Seen['units']): void {
  assert.equal(crs, 'EPSG:4326');
  assert.equal(units.map(([gid]) => gid).join(), expected.map(([gid]) => gid).join());
  const near = (a: number, b: number): boolean => Math.abs(a - b) < ROUNDING;
  for (const [i, [gid, bounds, area]] of units.entries()) {
    const [, wanted = [], wantedArea = 0] = expected[i] ?? [];
    assert.ok(
      wanted.every((edge, at) => near(edge, bounds[at] ?? Number.NaN)),
      `${gid}: ${bounds}, not ${wanted}`,
    );
    assert.ok(near(area, wantedArea), `${gid}: ${area}, not ${wantedArea}`);
  }
}

/** What the first line of the recipes' GDAL sets. */
function withHeaders(): Record<string, string> {
  const file = join(temporaryFolder(), 'headers');
  writeFileSync(file, `Authorization: ${AUTHORIZED.authorization}\n`);
  return { GDAL_HTTP_HEADER_FILE: file };
}

/** The GeoPackage, which other tests read. */
test('ogr2ogr writes the municipalities of Spain', { skip: needsAny }, async () => {
  await sh(linesWith('OAPIF:', 'sh', 'README.md'));
});

/** Prints what is seen of a GeoDataFrame. */
const seeFrame = (frame: string, level: number): string => `
import json
shapes = ${frame}.geometry
rows = zip(${frame}.GID_${level}, shapes.bounds.values.tolist(), shapes.area.tolist())
rows = [[gid, box, area] if area > 0 else [gid, [], 0] for gid, box, area in rows]
print(json.dumps({'crs': str(${frame}.crs), 'units': rows}))`;

for (const [what, word, frame, level, env] of [
  ['the GeoPackage', 'municipalities.gpkg', 'municipalities', 3, {}],
  ['a whole listing from the service', 'from_features', 'provinces', 2, {}],
  ['a download by its address', '/vsigzip//vsicurl/', 'provinces', 2, withHeaders()],
] as const)
  test(`geopandas reads ${what}`, { skip: needs('geopandas') }, async () => {
    const expected = original(level);
    assert.ok(expected.length > 50);
    sameAs(await see('geopandas', linesWith(word) + seeFrame(frame, level), env), expected);
  });

/** QGIS without a screen. */
const START_QGIS = `
import json, os
from qgis.core import QgsApplication, QgsFeatureRequest, QgsProject, QgsRectangle, QgsVectorLayer
app = QgsApplication([], False)
app.initQgis()`;
const END_QGIS = 'os._exit(0)';

/** Runs code in QGIS; afterwards it prints what is seen of a layer. */
const inQgis = (code: string, layer: string, level: number): string => `${START_QGIS}
${code}
layer = ${layer}
assert layer.isValid()
units = []
for feature in layer.getFeatures():
    shape = feature.geometry()
    box = shape.boundingBox()
    bounds = [box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()]
    units.append([feature['GID_${level}'], [], 0] if shape.isNull() else [feature['GID_${level}'], bounds, shape.area()])
assert layer.featureCount() == len(units)
print(json.dumps({'crs': layer.crs().authid(), 'units': units}), flush=True)
${END_QGIS}`;
const NO_SCREEN = { QT_QPA_PLATFORM: 'offscreen', XDG_RUNTIME_DIR: home, HOME: home };

test('QGIS opens the GeoPackage', { skip: needs('qgis.core') }, async () => {
  const code = inQgis('', "QgsVectorLayer('municipalities.gpkg', 'municipalities', 'ogr')", 3);
  sameAs(await see('qgis.core', code, NO_SCREEN), original(3));
});

test('the lines for the Python console of QGIS add a whole listing', { skip: needs('qgis.core') }, async () => {
  const code = linesWith('QgsProject');
  const layer = "QgsProject.instance().mapLayersByName('provinces')[0]";
  sameAs(await see('qgis.core', inQgis(code, layer, 2), NO_SCREEN), original(2));
});

test('QGIS reads a page by /vsicurl/ with the token in the option of GDAL, and without /vsicurl/ none', {
  skip: needs('qgis.core'),
}, async () => {
  const line = linesWith('/vsicurl/', 'text');
  const env = { ...NO_SCREEN, ...withHeaders() };
  const layer = `QgsVectorLayer('${line.trim()}', 'regions', 'ogr')`;
  sameAs(await see('qgis.core', inQgis('', layer, 1), env), original(1).slice(0, 5));
  const refused = inQgis('', layer.replace('/vsicurl/', ''), 1);
  await assert.rejects(see('qgis.core', refused, env), /AssertionError/);
});

/**
 * A reverse proxy that adds the token, as an 'API Header' of QGIS does: QGIS 3.22 of Debian has none. Keeps the
 * targets.
 */
async function startAuthenticating(targets: string[] = []): Promise<string> {
  const server = createServer((req, res) => {
    targets.push(String(req.url));
    const headers = { ...req.headers, ...AUTHORIZED };
    const passed = request(`${url}${req.url}`, { method: req.method ?? 'GET', headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    passed.end();
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

test("QGIS's provider of OGC API - Features reads a whole level", { skip: needs('qgis.core') }, async () => {
  const layer = `QgsVectorLayer("url='${await startAuthenticating()}/api/v1/ogc' typename='lv3'", 'lv3', 'OAPIF')`;
  sameAs(await see('qgis.core', inQgis('', layer, 3), NO_SCREEN), original(3));
});

test('QGIS asks for what is on the screen, and shows it while panning', { skip: needs('qgis.core') }, async () => {
  const targets: string[] = [];
  const uri = `url='${await startAuthenticating(targets)}/api/v1/ogc' typename='lv3' restrictToRequestBBOX='1'`;
  const views = [
    [-4, 40, -3.75, 40.25],
    [-3.9, 40.1, -3.5, 40.5],
    [2, 41, 2.5, 41.5],
  ];
  const code = `${START_QGIS}
layer = QgsVectorLayer("${uri}", 'lv3', 'OAPIF')
seen = []
for view in ${JSON.stringify(views)}:
    request = QgsFeatureRequest().setFilterRect(QgsRectangle(*view))
    seen.append(sorted(feature['GID_3'] for feature in layer.getFeatures(request)))
print(json.dumps(seen), flush=True)
${END_QGIS}`;
  const seen = await see<string[][]>('qgis.core', code, NO_SCREEN);
  const dataset = gdal.open(source);
  for (const [i, [west = 0, south = 0, east = 0, north = 0]] of views.entries()) {
    const view = gdal.Geometry.fromWKT(
      `POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`,
    );
    const inView = dataset.layers.get('ADM_3').features.map((feature) => {
      return feature.getGeometry()?.intersects(view) ? [String(feature.fields.get('GID_3'))] : [];
    });
    assert.deepEqual(seen[i], inView.flat().sort());
    assert.ok(inView.flat().length > 10);
  }
  dataset.close();
  assert.ok(targets.filter((target) => target.includes('bbox=')).length >= views.length, targets.join('\n'));
});

test("the lines for GDAL in the clients' README make layers of what they ask for", {
  skip: needsAny,
}, async () => {
  assert.equal(await sh(linesWith('madrid.gpkg', 'sh')), '');
  const count = (file: string, layer: string): number => readLayer(join(home, file), layer).length;
  assert.equal(count('regions.gpkg', 'lv1'), original(1).length);
  const madrid = count('madrid.gpkg', 'lv3');
  assert.ok(madrid > 10 && madrid < 200, `${madrid}`);
});

test('OWSLib reads landing page, conformance, collections, items and one item', { skip: needs('owslib') }, async () => {
  const code = `
import json, os
from owslib.ogcapi.features import Features
service = Features('${url}/api/v1/ogc', headers={'Authorization': 'Bearer ' + os.environ['TOKEN']})
page = service.collection_items('lv1', limit=5, bbox=[-4, 40, -3, 41], GID_0='ESP')
print(json.dumps([service.feature_collections(), len(service.conformance()['conformsTo']), service.api()['openapi'],
    service.collection('lv1')['itemCount'], page['numberMatched'], service.collection_item('lv1', '3')['id']]))`;
  assert.deepEqual(await see('owslib', code), [['lv0', 'lv1', 'lv2', 'lv3'], 4, '3.0.3', 159, 3, 3]);
});
