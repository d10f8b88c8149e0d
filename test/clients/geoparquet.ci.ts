// The tables of levels, read by geopandas, DuckDB, Polars and pyarrow of PyPI: by the recipes as they are printed, and
// each value and geometry beside the features.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS, levelName } from '../../format/levels.ts';
import { layerOf, square } from '../support/datasets/write-dataset.ts';
import { fidsOf, send } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { printedBy, without } from '../support/processes/programs.ts';
import { lastLine, recipesFor } from '../support/processes/recipes.ts';
import { codeIn } from '../support/readme-code.ts';
import { buildLayers, WHOLE } from '../support/releases/build-release.ts';
import { readRelease } from '../support/releases/read-index.ts';
import { worldOutput } from '../support/releases/world.ts';

const README = 'proxy/examples/clients/README.md';
const skip = without("python3 -c 'import geopandas, duckdb, polars, pyarrow'", 'curl --version');

test('the recipes for GeoParquet run as they are printed', { skip }, async () => {
  const columns = ['GID_0', 'GID_1', 'NAME_1', 'GID_2', 'NAME_2'];
  const layers = [
    layerOf('ADM_0', ['GID_0'], [[['ESP'], square(-4, 36, 9)]]),
    layerOf('ADM_1', columns.slice(0, 3), [[['ESP', 'ESP.1_1', 'All'], square(-4, 36, 9)]]),
    layerOf('ADM_2', columns, [
      [['ESP', 'ESP.1_1', 'All', 'ESP.1.1_1', 'South'], square(-3, 37)],
      [['ESP', 'ESP.1_1', 'All', 'ESP.1.2_1', 'North'], square(-3, 43)],
    ]),
  ];
  const out = await buildLayers(layers, { ...WHOLE, release: 'sample', attribution: ['© A'] });
  const { sh, python } = recipesFor(await startService(out));
  await sh(codeIn(README, 'sh', 'provinces.parquet'));
  for (const [word, more, expected] of [
    ['bbox=box', "list(south['NAME_2']), south.crs.to_string(), south.area.sum()", "['South'] OGC:CRS84 1.0"],
    ['bbox.xmin', 'found', "[('ESP.1.1_1', 'South')]"],
    [
      'polars',
      "names['NAME_2'].to_list(), about['attribution'], about['columns']",
      "['South', 'North'] ['© A'] {'gid': 'GID_2', 'name': 'NAME_2', 'parents': ['GID_0', 'GID_1']}",
    ],
  ] as const)
    assert.equal(lastLine(await python(codeIn(README, 'python', word), `print(${more})`)), expected);
});

/** Compares a table, as four readers have it, with the features of the feature files. */
const COMPARE = `
import glob, gzip, json, sys
import duckdb, geopandas, polars, pyarrow.parquet, shapely
root, level, kinds = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
file = f'{root}/{level}/units.parquet'
def features(geometry):
    folder = f'{root}/{level}' if geometry == 'full' else f'{root}/{level}/{geometry}'
    for name in sorted(glob.glob(folder + '/features/*.gz')):
        with gzip.open(name, 'rt', encoding='utf-8', newline='\\n') as lines:
            for line in lines.read().split('\\n')[:-1]:
                yield json.loads(line)
names = {'full': 'geometry', 'medium': 'geometry_medium', 'low': 'geometry_low', 'point': 'geometry_point'}
frame = geopandas.read_parquet(file).set_index('fid')
table = pyarrow.parquet.read_table(file)
rows = {row['fid']: row for row in table.select(kinds).to_pylist()}
lazily = {row['fid']: row for row in polars.scan_parquet(file).select(kinds).collect().to_dicts()}
quoted = ', '.join('"' + name.replace('"', '""') + '"' for name in kinds)
asked = {row[0]: dict(zip(kinds, row)) for row in duckdb.sql(f"SELECT {quoted} FROM '{file}'").fetchall()}
differing = 0
for geometry, column in names.items():
    if column not in frame.columns: continue
    for unit in features(geometry):
        drawn = None if unit['geometry'] is None else shapely.geometry.shape(unit['geometry'])
        read = frame[column][unit['id']]
        if (drawn is None) != (read is None) or (drawn is not None and shapely.to_wkb(drawn) != shapely.to_wkb(read)): differing += 1
        if geometry != 'full': continue
        expected = {name: unit['properties'].get(name) for name in kinds}
        for read in (rows, lazily, asked):
            if read[unit['id']] != expected: differing += 1
print(len(frame), len(rows), len(lazily), len(asked), differing)
`;

test('geopandas, pyarrow, Polars and DuckDB read each value and each geometry of the features', { skip }, async () => {
  const out = await worldOutput();
  const root = join(out, 'releases/r1');
  for (const level of LEVELS) {
    const { features, columns = [] } = readRelease(root).levels[level] ?? assert.fail();
    if (features === 0) continue;
    const kinds = JSON.stringify(columns.map(({ name }) => name));
    const text = await printedBy('python3', ['-c', COMPARE, root, levelName(level), kinds]);
    assert.equal(lastLine(text), `${features} ${features} ${features} ${features} 0`, levelName(level));
  }
});

/** The fids that geopandas and DuckDB find in each of some boxes, as their recipes do. */
const BOXES = `
import json, sys
import duckdb, geopandas
file = sys.argv[1]
found = []
for west, south, east, north in json.loads(sys.argv[2]):
    read = geopandas.read_parquet(file, columns=['fid', 'geometry'], bbox=(west, south, east, north))
    meets = f'bbox.xmin <= {east} AND bbox.xmax >= {west} AND bbox.ymin <= {north} AND bbox.ymax >= {south}'
    asked = duckdb.sql(f"SELECT fid FROM '{file}' WHERE {meets}").fetchall()
    found.append([sorted(read['fid'].tolist()), sorted(fid for fid, in asked)])
print(json.dumps(found))
`;

test('geopandas and DuckDB find at least the units in a box that the service finds, also across 180 degrees', {
  skip,
}, async () => {
  const across = 'MULTIPOLYGON(((178 0,180 0,180 2,178 2,178 0)),((-180 0,-178 0,-178 2,-180 2,-180 0)))';
  const layer = layerOf(
    'ADM_0',
    ['GID_0'],
    [
      [['across'], across],
      [['east'], square(176, 0, 2)],
      [['west'], square(-178, 0, 2)],
      [['middle'], square(-1, 0)],
      [['none'], null],
    ],
  );
  const out = await buildLayers([layer], { ...WHOLE, accept: ['empty-geometries'] });
  const service = await startService(out);
  const boxes = [
    [177, 0.5, 179, 1],
    [-179, 0.5, -177, 1],
    [-1, 0, 1, 1],
    [-180, -90, 180, 90],
    [50, 50, 60, 60],
  ];
  const table = join(out, 'releases/r1/lv0/units.parquet');
  const printed = await printedBy('python3', ['-c', BOXES, table, JSON.stringify(boxes)]);
  const found: number[][][] = JSON.parse(lastLine(printed));
  for (const [i, box] of boxes.entries()) {
    const fids = fidsOf(await send(service, `/api/v1/fc/lv0?bbox=${box.join()}`));
    const missed = found[i]?.map((read) => fids.filter((fid) => !read.includes(fid)));
    assert.deepEqual(missed, [[], []], box.join());
  }
});
