// Which files and layers of a source are read, and of which level each is.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Level } from '../../../format/levels.ts';
import { build } from '../../../generator/build.ts';
import { type Report, SILENT } from '../../../generator/report/progress.ts';
import { countryLayers } from '../../support/datasets/small-datasets.ts';
import { type FixtureLayer, square, squares, writeDataset, writeFiles } from '../../support/datasets/write-dataset.ts';
import { buildOptions } from '../../support/releases/build-release.ts';
import {
  filesOf,
  packagesOf,
  published,
  testSource,
  textsOf,
  typedOptions,
  writeTexts,
} from '../../support/releases/source-cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const DISTRICTS = ['Næst', 'Søst', '東', 'Wüst "late"'];

/** The layers of one of the two countries, as GADM's files of single countries have them: fids begin at 1. */
function countryOf(country: 'AAA' | 'BBB', fid = 1, name = (level: Level) => `ADM_ADM_${level}`): FixtureLayer[] {
  return countryLayers(name).map((layer) => ({
    ...layer,
    features: layer.features
      .filter(({ values }) => values[layer.columns.indexOf('GID_0')] === country)
      .map(({ values, wkt }, i) => ({ fid: i + fid, values, wkt })),
  }));
}

testSource("a GeoPackage with GADM's layer names of all countries", {
  source: countryLayers(),
  counts: [2, 3, 4],
  'lv2 NAME_2': DISTRICTS,
  'lv2 columns': ['fid', 'GID_2', 'GID_0', 'COUNTRY', 'GID_1', 'NAME_1', 'NAME_2'],
  besides: ({ release, unitsOf }) => {
    const listings = release.levels.map(({ listings }) => listings);
    assert.deepEqual(listings, [1, 3, 6, 0, 0, 0]);
    assert.deepEqual(Object.keys(unitsOf(2)[0]), ['type', 'id', 'bbox', 'properties', 'geometry']);
  },
});

test('folders and lists of Shapefiles, whose fids start at 0, of GeoJSON and of FlatGeobuf files alike', async () => {
  for (const [driver, fids] of [
    ['ESRI Shapefile', [0, 1, 2, 3]],
    ['GeoJSON', [1, 2, 3, 4]],
    ['FlatGeobuf', undefined],
  ] as const) {
    const own = join(folder, driver);
    const layers = countryLayers((level) => `adm${level}`);
    const fromFiles = await published(writeFiles(own, driver, layers));
    assert.deepEqual(fromFiles.unitsOf(2), (await published(own)).unitsOf(2));
    // FlatGeobuf has features in an order of its own, and no fids.
    const names = fromFiles.gidsOf(2, 'NAME_2');
    if (fids === undefined) assert.deepEqual(new Set(names), new Set(DISTRICTS));
    else assert.deepEqual([fromFiles.gidsOf(2, 'fid'), names], [fids, DISTRICTS]);
  }
});

const PLACES = ['BBB', 'BBB.1_1', 'BBB.1.1_1'].map((gid, n) => `layer ADM_ADM_${n}, fid 1, GID ${gid}`);

testSource('a GeoPackage for each country: merged in the order given, and units whose fids collide are numbered', {
  source: packagesOf({ AAA: countryOf('AAA'), BBB: countryOf('BBB') }),
  counts: [2, 3, 4],
  'lv2 fid GID_2': ['1, AAA.1.1_1', '2, AAA.2.1_1', '3, AAA.1.2_1', '4, BBB.1.1_1'],
  'release.levels.2.layer': 'ADM_ADM_2',
  'release.levels.2.isRenumbered': true,
  'release.levels.3.isRenumbered': false,
  quality: PLACES.map((place, n) => `lv${n} renumbered-fids 1 BBB.gpkg: ${place} has the new fid ${n + 2}`),
});

testSource('files in another order are merged in that one', {
  source: packagesOf({ BBB: countryOf('BBB'), AAA: countryOf('AAA') }),
  'lv0 fid GID_0': ['1, BBB', '2, AAA'],
});

testSource('fids that do not collide are kept', {
  source: packagesOf({ BBB: countryOf('BBB', 101), AAA: countryOf('AAA') }),
  'lv0 GID_0': ['AAA', 'BBB'],
  'lv2 fid': ['1', '2', '3', '101'],
  quality: [],
});

const gadmName = (country: string) => (level: Level) => `gadm41_${country}_${level}`;

test('folders of countries, nested folders, and the documents beside the data', async () => {
  const nested = join(folder, 'nested');
  for (const country of ['AAA', 'BBB'] as const) {
    writeFiles(join(nested, country), 'ESRI Shapefile', countryOf(country, 1, gadmName(country)));
    writeTexts(join(nested, country), { 'license.txt': 'terms', '.hidden': 'nothing' });
  }
  const { counts, gidsOf, release } = await published(nested);
  assert.deepEqual(
    [counts.slice(0, 4), gidsOf(0)],
    [
      [2, 3, 4, 0],
      ['AAA', 'BBB'],
    ],
  );
  assert.ok(release.source.some(({ name }) => name === 'nested/AAA/gadm41_AAA_0.shp'));
});

test('zip archives as they are downloaded, and folders of them', async () => {
  const zips = temporaryFolder();
  const [zip = ''] = (['AAA', 'BBB'] as const).map((country) => {
    // GDAL writes a zip of Shapefiles under this ending only.
    const made = join(zips, `${country}.shp.zip`);
    writeDataset(made, 'ESRI Shapefile', countryOf(country, 1, gadmName(country)));
    renameSync(made, join(zips, `gadm41_${country}_shp.zip`));
    return join(zips, `gadm41_${country}_shp.zip`);
  });
  assert.deepEqual((await published(zips)).counts, [2, 3, 4, 0, 0, 0]);
  const fromFile = await published(zip);
  assert.deepEqual(fromFile.gidsOf(2), ['AAA.1.1_1', 'AAA.2.1_1', 'AAA.1.2_1']);
  assert.deepEqual(
    fromFile.release.source.map(({ name }) => name),
    ['gadm41_AAA_shp.zip'],
  );
  const named = await published(`/vsizip/${zip}/gadm41_AAA_1.shp`);
  assert.deepEqual(named.gidsOf(1), ['AAA.1_1', 'AAA.2_1']);
  const ofLevels = countryOf('AAA', 1, gadmName('AAA')).map((layer) => {
    const path = join(folder, `${layer.name}.json.zip`);
    writeDataset(`/vsizip/${path}/${layer.name}.json`, 'GeoJSON', [layer]);
    return path;
  });
  assert.deepEqual((await published(ofLevels)).counts, [1, 2, 3, 0, 0, 0]);
});

testSource('layers of one name in several files are told apart by the file', {
  source: packagesOf({
    states: [squares('collection', ['code', 'parent'], ['C0', 'C0'])],
    parts: [squares('collection', ['code', 'parent'], ['C1', 'C0'])],
  }),
  '--layer lv0=states.gpkg:collection lv1=parts.*:coll* --gid-column lv0=code lv1=code lv1:lv0=parent': {
    counts: [1, 1],
    'lv1 code': ['C1'],
  },
});

const WITHOUT_B = { 'lv0 code': ['AAA', 'CCC'] };

testSource('a layer that begins with ! is left out of those that a pattern names, and alone of all', {
  source: (here) => {
    const units = ['AAA', 'BBB', 'CCC'].map((gid) => squares(gid === 'BBB' ? 'bbb-alt-1' : gid, ['code'], [gid]));
    return writeFiles(here, 'GeoJSON', units);
  },
  '--gid-column lv0=code --layer lv0=* lv0=!*-alt-*': WITHOUT_B,
  '--gid-column lv0=code --layer lv0=!*-alt-*': WITHOUT_B,
  '--gid-column lv0=code --layer lv0=!bbb-alt-1.geojson:*': WITHOUT_B,
  '--gid-column lv0=code --layer lv0=!*-old-*': /--layer lv0=!\*-old-\*: the source has no such layer/,
});

testSource('a layer that two files have is named, instead of units in pieces', {
  source: packagesOf({ one: [squares('towns', ['code'], ['A'])], two: [squares('towns', ['code'], ['A'])] }),
  '--gid-column lv1=code': {
    remedy: /^one\.gpkg and two\.gpkg both have layer towns of level 1: leave one out of --source; or fix/,
  },
});

const ADVICE =
  'lv1 is of 2 layers; if each is a level of its own, tell them apart: --layer lv1=regions lv2=towns --gid-column lv1=id lv2=id, and --parent-by-place where no column has the parents';

testSource('files that share a column are shown as one level before they are read, and what tells them apart', {
  source: filesOf(
    squares('towns', ['id', 'name'], ['1', 'Left'], ['2', 'Right']),
    squares('regions', ['id', 'name'], ['1', 'All']),
  ),
  '--gid-column lv1=id --name-column lv1=name': {
    says: [
      'lv1: 3 units, of towns.gpkg, regions.gpkg: layers towns, regions; GIDs in id, names in name; EPSG:4326',
      ADVICE,
      'lv1: names such as Left, Right, All',
    ],
    refused: /^(?!.*(--dissolve|part-))/s,
    remedy: new RegExp(`^${ADVICE}; or id is probably no code of level 1: 1 is Left and All(?!.*--dissolve|.*part-)`),
  },
  '--gid-column lv1=id lv2=id --layer lv1=regions lv2=towns --parent-by-place lv2': { counts: [0, 1, 2] },
});

testSource('how many features a condition leaves out is shown before the rest is read', {
  source: squares('left', ['code', 'name'], ['A', 'Aa'], ['B', 'Bb'], ['C', 'Cc']),
  '--gid-column lv1=code --where "lv1=code <> \'B\'"': {
    says: { '--where': [/^lv1: 2 units \(--where leaves out 1\), of left\.gpkg: layer left; /] },
  },
});

testSource('units of CSV that a condition leaves out are counted', {
  source: textsOf({ 'some.csv': `WKT,GID_0\n"${square(0, 0)}",A\n"${square(1, 0)}",B\n` }),
  '--where "lv0=GID_0 <> \'B\'"': { says: { '--where': [/^lv0: 1 unit \(--where leaves out 1\), of some\.csv: /] } },
});

testSource('units without a name are said where others have one', {
  source: squares('towns', ['code', 'name'], ['A', 'Aa'], ['B', ''], ['C', '']),
  '--gid-column lv1=code': {
    says: { 'names such as': ['lv1: names such as Aa; 2 units have none, e.g. fid 2, GID B'] },
  },
});

testSource('a column of names without one name is a finding, and so are all layers that are not used, by name', {
  source: [
    squares('towns', ['code', 'name'], ['A', ''], ['B', '']),
    ...['roads', 'rivers', 'rails'].map((name) => squares(name, ['class'], ['x'])),
  ],
  '--gid-column lv1=code': {
    quality: {
      'no-names': ['lv1 no-names 2 towns.gpkg: layer towns: column name has none'],
      unused: ['lv1 unused-layers 3 towns.gpkg: roads, towns.gpkg: rivers, towns.gpkg: rails'],
    },
  },
});

test('a build says before it reads that its data is another dataset than the one that the output folder has', async () => {
  const out = join(folder, 'out');
  const notesOf = async (release: string, layer: FixtureLayer, options = '') => {
    const notes: string[] = [];
    const report = { ...SILENT, note: (text: string) => void notes.push(text) };
    const source = writeDataset(join(temporaryFolder(), `${layer.name}.gpkg`), 'GPKG', [layer]);
    await build({ ...buildOptions(source, out, typedOptions(options)), release }, report);
    return notes.filter((note) => note.includes('one dataset with versions'));
  };
  const towns = squares('towns', ['code', 'name'], ['A', 'Aa']);
  assert.deepEqual(await notesOf('first', towns, '--gid-column lv1=code'), []);
  assert.deepEqual(await notesOf('second', towns, '--gid-column lv1=code'), []);
  const [note, ...others] = await notesOf('third', squares('gadm', ['GID_0', 'NAME_0'], ['A', 'Aa']));
  assert.match(note ?? '', /out has release second, whose units have other columns, and which this one will replace/);
  assert.deepEqual(others, []);
});

test('a file of the source that is replaced while it is read is refused: its digest would be that of another one', async () => {
  const [file = '', other = ''] = ['replaced', 'other'].map((name) => {
    const layer = squares('units', ['GID_0'], ['AAA']);
    return writeDataset(join(folder, `${name}.geojson`), 'GeoJSON', [layer]);
  });
  const report: Report = {
    ...SILENT,
    advance: (what) => {
      if (what === 'features read' && existsSync(other)) renameSync(other, file);
    },
  };
  const out = join(folder, 'replaced-out');
  await assert.rejects(build(buildOptions(file, out), report), {
    message: `${file}: has changed while it was read`,
    remedy: 'run the command again when nothing writes there any more',
  });
  assert.deepEqual(readdirSync(join(out, 'releases')), []);
});
