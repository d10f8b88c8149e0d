// Every error about a source says what to do. Each remedy is followed literally here: it leads to a release, or to a
// different error.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sourceOptionsFrom } from '../../generator/option-texts.ts';
import { ACCEPTABLE } from '../../generator/quality/findings.ts';
import { BuildError } from '../../generator/report/errors.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { type FixtureLayer, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
let made = 0;

/** A command line: the values of each option. */
type Arguments = Readonly<Record<string, readonly string[]>>;

/** Builds with a command line; the error, or undefined if the build succeeds. */
async function errorOf(args: Arguments): Promise<BuildError | undefined> {
  const { source = [], accept: accepted = [] } = args;
  const options = sourceOptionsFrom(args);
  const accept = ACCEPTABLE.filter((kind) => accepted.includes(kind));
  try {
    await buildRelease([...source], join(folder, `out-${made++}`), { ...options, accept });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof BuildError, error instanceof Error ? error.stack : String(error));
    return error;
  }
}

/** The first `--option value` of a remedy, added to a command line. */
function following({ remedy }: BuildError, args: Arguments): Arguments {
  const [, option = '', value = ''] = /--([a-z-]+) (\S+?)[,;]?(?: or | if |, |; |$)/.exec(remedy) ?? [];
  assert.notEqual(option, '', `no option in: ${remedy}`);
  return { ...args, [option]: [...(args[option] ?? []), value] };
}

/** The first of the names that a remedy lists, in place of the value of an option. */
function choosing({ remedy }: BuildError, args: Arguments, option: string, prefix = ''): Arguments {
  const [, name = ''] = /use one of: ([^,]+)/.exec(remedy) ?? [];
  return { ...args, [option]: [prefix + name] };
}

function geopackage(...layers: FixtureLayer[]): string {
  return writeDataset(join(folder, `source-${made++}.gpkg`), 'GPKG', layers);
}

const states: FixtureLayer = {
  name: 'states',
  columns: ['GID_0', 'NAME_0'],
  features: [{ fid: 1, values: ['AAA', 'Aland'], wkt: square(0, 0, 4) }],
};
const parts: FixtureLayer = {
  name: 'parts',
  columns: ['GID_1', 'NAME_1'],
  features: [{ fid: 1, values: ['AAA.1', 'North'], wkt: square(0, 2, 2) }],
};

/** What is wrong, how the error begins, and how its remedy is followed. */
const CASES: {
  what: string;
  args: () => Arguments;
  message: RegExp;
  follow(error: BuildError, args: Arguments): Arguments;
}[] = [
  {
    what: 'two layers of one file at the same level',
    args: () => ({ source: [geopackage(states, { ...states, name: 'old' })] }),
    message: /layers states and old are both level 0/,
    follow: following,
  },
  {
    what: 'a layer that does not exist',
    args: () => ({ source: [geopackage(states)], layer: ['lv0=state'] }),
    message: /--layer lv0=state: the source has no such layer/,
    follow: (error, args) => choosing(error, args, 'layer', 'lv0='),
  },
  {
    what: 'a layer without the column of its parents',
    args: () => ({ source: [geopackage(states, parts)] }),
    message: /layer parts is level 1 but has no column GID_0/,
    follow: (_, args) => ({ ...args, 'gid-column': ['lv1:lv0='] }),
  },
  {
    what: 'a file without GID columns',
    args: () => ({ source: [geopackage({ ...states, name: 'countries', columns: ['ISO3', 'NAME_0'] })] }),
    message: /no layer has GID columns .*countries \(ISO3, NAME_0\)/,
    follow: ({ remedy }, args) => {
      const [, layer = '', column = ''] = /--layer (\S+) --gid-column (\S+?);/.exec(remedy) ?? [];
      return { ...args, layer: [layer], 'gid-column': [column] };
    },
  },
  {
    what: 'a column to keep that does not exist',
    args: () => ({ source: [geopackage(states)], columns: ['NAME'] }),
    message: /--columns NAME: no layer has a column NAME/,
    follow: (error, args) => choosing(error, args, 'columns'),
  },
  {
    what: 'two columns of the same name',
    args: () => ({ source: [geopackage(states)], columns: ['NAME_0:GID_0'] }),
    message: /would have two columns named GID_0/,
    follow: following,
  },
  {
    what: 'a column of names that does not exist',
    args: () => ({ source: [geopackage(states)], 'name-column': ['lv0=NAME'] }),
    message: /--name-column lv0=NAME: .*no such column/,
    follow: (error, args) => choosing(error, args, 'name-column', 'lv0='),
  },
  {
    what: 'a column of types that does not exist',
    args: () => ({ source: [geopackage(states)], 'type-column': ['lv0=KIND'] }),
    message: /--type-column lv0=KIND: .*no such column/,
    follow: (error, args) => choosing(error, args, 'type-column', 'lv0='),
  },
  {
    what: 'a column fid that is not the fid',
    args: () => {
      const csv = join(folder, 'fid.csv');
      writeFileSync(csv, `WKT,GID_0,fid\n"${square(0, 0)}",AAA,77\n`);
      return { source: [csv] };
    },
    message: /column fid is "77", expected the feature id 1/,
    follow: following,
  },
  {
    what: 'fids that collide, with --keep-fids',
    args: () => ({
      source: [
        geopackage(states),
        geopackage({ ...states, features: [{ fid: 1, values: ['B', 'B'], wkt: square(9, 0) }] }),
      ],
      'keep-fids': ['true'],
    }),
    message: /fid 1 occurs in .* and in /,
    follow: (_, { 'keep-fids': _left, ...args }) => args,
  },
  {
    what: 'coordinates that are not degrees',
    args: () => {
      const file = join(folder, 'metres.csv');
      writeFileSync(file, 'WKT,GID_0\n"POLYGON((500000 4000000,600000 4000000,600000 4100000,500000 4000000))",AAA\n');
      return { source: [file] };
    },
    message: /\[500000, 4000000\] is not a longitude and latitude in degrees/,
    follow: ({ remedy }, { source: [file = ''] = [] }) => {
      const [option = ''] = /-a_srs EPSG:/.exec(remedy) ?? [];
      const target = join(folder, 'declared.gpkg');
      const dataset = gdal.open(file);
      gdal.vectorTranslate(target, dataset, ['-f', 'GPKG', ...`${option}32633`.split(' ')]).close();
      return { source: [target], columns: ['-WKT'] };
    },
  },
  {
    what: 'a Shapefile without its attributes',
    args: () => {
      const path = join(folder, 'shapes');
      mkdirSync(path);
      writeDataset(join(path, 'states.shp'), 'ESRI Shapefile', [states]);
      renameSync(join(path, 'states.dbf'), join(folder, 'states.dbf'));
      return { source: [join(path, 'states.shp')] };
    },
    message: /states\.shp: the Shapefile is incomplete: there is no \.dbf file/,
    follow: (_, args) => {
      renameSync(join(folder, 'states.dbf'), join(folder, 'shapes/states.dbf'));
      return args;
    },
  },
  {
    what: 'a condition on a column that does not exist',
    args: () => ({ source: [geopackage(states)], where: ['lv0=NAME = 1'] }),
    message: /layer states: --where lv0=NAME = 1: .*NAME/,
    follow: (_, args) => ({ ...args, where: ['lv0=NAME_0 IS NOT NULL'] }),
  },
  {
    what: 'a statement that is not SQL',
    args: () => ({ source: [geopackage(states)], sql: ['lv0=SELECT FROM'] }),
    message: /--sql lv0=SELECT FROM: /,
    follow: (_, args) => ({ ...args, sql: ['lv0=SELECT * FROM states'] }),
  },
  {
    what: 'units without area',
    args: () => ({
      source: [
        geopackage({ ...states, features: [{ fid: 1, values: ['A', 'A'], wkt: 'POLYGON((0 0,1 1,1 0,0 1,0 0))' }] }),
      ],
    }),
    message: /lv0: units without area at this precision: 1/,
    follow: following,
  },
  {
    what: 'a file that does not exist',
    args: () => ({ source: [join(folder, 'nowhere.gpkg')] }),
    message: /nowhere\.gpkg: no such file or folder/,
    follow: () => ({ source: [geopackage(states)] }),
  },
];

for (const { what, args, message, follow } of CASES) {
  test(`${what}: the remedy helps`, async () => {
    const before = args();
    const error = await errorOf(before);
    assert.ok(error, 'the build succeeded');
    assert.match(error.message, message);
    const after = await errorOf(follow(error, before));
    assert.equal(after?.message, undefined, `after: ${error.remedy}`);
  });
}
