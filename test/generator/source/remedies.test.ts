// Every error about a source says what to do. Each remedy is followed literally here: it leads to a release, or to a
// different error.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { ACCEPTABLE } from '../../../generator/quality/findings.ts';
import { BuildError } from '../../../generator/report/errors.ts';
import { type FixtureLayer, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
let made = 0;

/** A command line: the values of each option. */
type Arguments = Readonly<Record<string, readonly string[]>>;

/** A command line that follows the remedy of an error. */
type Follow = (error: BuildError, args: Arguments) => Arguments;

/** Builds with a command line; the error, or undefined if the build succeeds. */
async function errorOf(args: Arguments): Promise<BuildError | undefined> {
  const { source = [], accept: accepted = [] } = args;
  const options = contentOptionsFrom(args);
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

/** Takes the first of the names that a remedy lists in place of the value of an option. */
function choosing(option: string, prefix = ''): Follow {
  return ({ remedy }, args) => {
    const [, name = ''] = /use one of: ([^,]+)/.exec(remedy) ?? [];
    return { ...args, [option]: [prefix + name] };
  };
}

function typing(option: string, value: string): Follow {
  return (_, args) => ({ ...args, [option]: [value] });
}

function geopackage(...layers: FixtureLayer[]): { source: string[] } {
  return { source: [writeDataset(join(folder, `source-${made++}.gpkg`), 'GPKG', layers)] };
}

function table(name: string, text: string): { source: string[] } {
  writeFileSync(join(folder, name), text);
  return { source: [join(folder, name)] };
}

const states = squares('states', ['GID_0', 'NAME_0'], ['AAA', 'Aland']);
const more = squares('states', ['GID_0', 'NAME_0'], ['BBB', 'Beland']);
const one = geopackage(states);
const shapes = join(folder, 'shapes');
mkdirSync(shapes);
writeDataset(join(shapes, 'states.shp'), 'ESRI Shapefile', [states]);
renameSync(join(shapes, 'states.dbf'), join(folder, 'states.dbf'));

type Case = [args: Arguments, message: RegExp, follow: Follow];

const METRES = 'POLYGON((500000 4000000,600000 4000000,600000 4100000,500000 4000000))';
const countries = squares('countries', ['ISO3', 'NAME_0'], ['AAA', 'Aland']);
const bowTie = { fid: 1, values: ['A', 'A'], wkt: 'POLYGON((0 0,1 1,1 0,0 1,0 0))' };

const CASES: Case[] = [
  [geopackage(states, { ...more, name: 'old' }), /layers states and old are both level 0/, following],
  [{ ...one, layer: ['lv0=state'] }, /--layer lv0=state: the source has no such layer/, choosing('layer', 'lv0=')],
  [
    geopackage(states, squares('parts', ['GID_1', 'NAME_1'], ['AAA.1', 'North'])),
    /layer parts is level 1 but has no column GID_0/,
    typing('gid-column', 'lv1:lv0='),
  ],
  [
    geopackage(countries, squares('roads', ['class'], ['m'])),
    /no layer has GID columns \(GID_0 \.\. GID_5\); it has countries \(ISO3, NAME_0\); roads \(class\)$/,
    ({ remedy }, args) => {
      // What it names is an example: the level and the column of this file in its place.
      assert.match(remedy, /^name the column with the GIDs of each level, e\.g\. --gid-column lv1=\S+ /);
      return { ...args, 'gid-column': ['lv0=ISO3'] };
    },
  ],
  [{ ...one, columns: ['NAME'] }, /--columns NAME: no layer has a column NAME/, choosing('columns')],
  [{ ...one, columns: ['NAME_0:GID_0'] }, /would have two columns named GID_0/, following],
  ...['name-column', 'search-column', 'type-column'].map((option): Case => {
    const message = new RegExp(`--${option} lv0=NONE: .*no such column`);
    return [{ ...one, [option]: ['lv0=NONE'] }, message, choosing(option, 'lv0=')];
  }),
  [
    { ...geopackage(squares('towns', ['navn', 'kommunenummer'], ['Oslo', '0301'])), 'gid-column': ['lv0=komunenumer'] },
    /^--gid-column lv0=komunenumer: no layer has a column komunenumer$/,
    choosing('gid-column', 'lv0='),
  ],
  [
    { source: [...one.source, ...geopackage(more).source], 'keep-fids': ['true'] },
    /fid 1 occurs in .* and in /,
    (_, { 'keep-fids': _left, ...args }) => args,
  ],
  [
    table('metres.csv', `WKT,GID_0\n"${METRES}",AAA\n`),
    /\[500000, 4000000\] is not a longitude and latitude in degrees/,
    ({ remedy }, args) => {
      const [, crs = ''] = /--crs (lv0=EPSG:)CODE$/.exec(remedy) ?? [];
      return { ...args, crs: [`${crs}32633`], columns: ['-WKT'] };
    },
  ],
  [
    { source: [join(shapes, 'states.shp')] },
    /states\.shp: the Shapefile is incomplete: there is no \.dbf file/,
    (_, args) => {
      renameSync(join(folder, 'states.dbf'), join(shapes, 'states.dbf'));
      return args;
    },
  ],
  [
    { ...one, where: ['lv0=NAME = 1'] },
    /layer states: --where lv0=NAME = 1: .*NAME/,
    typing('where', 'lv0=NAME_0 IS NOT NULL'),
  ],
  [{ ...one, sql: ['lv0=SELECT FROM'] }, /--sql lv0=SELECT FROM: /, typing('sql', 'lv0=SELECT * FROM states')],
  [geopackage({ ...states, features: [bowTie] }), /lv0: 1 unit has no area at this precision/, following],
  [{ source: [join(folder, 'nowhere.gpkg')] }, /nowhere\.gpkg: no such file or folder/, () => one],
];

for (const [before, message, follow] of CASES)
  test(`the remedy helps of: ${message.source}`, async () => {
    const error = await errorOf(before);
    assert.ok(error, 'the build succeeded');
    assert.match(error.message, message);
    const after = await errorOf(follow(error, before));
    assert.equal(after?.message, undefined, `after: ${error.remedy}`);
  });

const lacksParquet = gdal.drivers.getNames().includes('Parquet') ? 'this GDAL has the driver Parquet' : false;
test('a file in a format that this GDAL lacks is told apart from a damaged one', { skip: lacksParquet }, async () => {
  const file = join(folder, 'units.parquet');
  writeFileSync(file, 'PAR1');
  const error = await errorOf({ source: [file] });
  assert.match(error?.message ?? '', /units\.parquet: this GDAL \(\d+\.\d+\.\d+\) has no driver Parquet$/);
  assert.match(error?.remedy ?? '', /^convert it where GDAL has it: ogr2ogr COPY\.gpkg /);
});
