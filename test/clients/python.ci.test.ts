// The recipes for Python's libraries with those of PyPI, as they are printed, on small countries one of which crosses
// itself. desktop.long.test.ts has those of Debian.
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { layerOf } from '../support/datasets/write-dataset.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { runProgram, without } from '../support/processes/programs.ts';
import { codeIn } from '../support/readme-code.ts';
import { buildLayers, WHOLE } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const README = 'proxy/examples/clients/README.md';
const SKIP = without("python3 -c 'import geopandas, duckdb, owslib'", 'curl --version');

/** A bow, whose ring crosses itself, beside a square that shares its edge. */
const BOW = 'MULTIPOLYGON(((0 0,2 2,2 0,0 1,0 0)))';
const SQUARE = 'MULTIPOLYGON(((2 0,2 2,4 2,4 0,2 0)))';

test('geopandas, pandas, DuckDB and OWSLib of PyPI run the recipes', { skip: SKIP }, async () => {
  const home = temporaryFolder();
  const columns = ['GID_0', 'GID_1', 'NAME_1', 'GID_2', 'NAME_2'];
  const layers = [
    layerOf('ADM_0', ['GID_0'], [[['ESP'], SQUARE]]),
    layerOf('ADM_1', columns.slice(0, 3), [[['ESP', 'ESP.1_1', 'All'], SQUARE]]),
    layerOf('ADM_2', columns, [
      [['ESP', 'ESP.1_1', 'All', 'ESP.1.1_1', 'Bow'], BOW],
      [['ESP', 'ESP.1_1', 'All', 'ESP.1.2_1', 'Square'], SQUARE],
    ]),
  ];
  const { url } = await startService(await buildLayers(layers, WHOLE));
  symlinkSync(resolve('proxy'), join(home, 'proxy'));
  const env = { ...process.env, BASE: `${url}/api/v1`, AUTH: `Authorization: Bearer ${TOKEN}`, TOKEN };
  const type = async (program: string, ...args: string[]): Promise<string> => {
    const { status, text } = await runProgram(program, args, { cwd: home, env });
    assert.equal(status, 0, text);
    return text.trimEnd().split('\n').at(-1) ?? '';
  };
  const python = (word: string, ...more: string[]): Promise<string> =>
    type(
      'python3',
      '-c',
      [codeIn(README, 'python', word).replaceAll('http://127.0.0.1:8080', url), ...more].join('\n'),
    );

  await type('sh', '-ec', codeIn(README, 'sh', 'provinces.geojsonl.gz'));
  // Without the recipe's line it is not valid.
  assert.equal(
    await python('make_valid', 'print(len(regions), bool(regions.is_valid.all()), round(regions.area.sum(), 3))'),
    '1 True 5.667',
  );
  assert.equal(
    await python('duckdb', "print(provinces.order('NAME_2').fetchall()[1][-2:])"),
    "('Square', [2, 0, 4, 2])",
  );
  assert.equal(await python('from_features', "print(list(provinces['NAME_2']))"), "['Bow', 'Square']");
  const owslib = [
    'import os',
    'from owslib.ogcapi.features import Features',
    "headers = {'Authorization': 'Bearer ' + os.environ['TOKEN']}",
    "features = Features(os.environ['BASE'] + '/ogc', headers=headers)",
    "print([unit['id'] for unit in features.collection_items('lv2', limit=10)['features']])",
  ];
  assert.equal(await type('python3', '-c', owslib.join('\n')), '[1, 2]');
});
