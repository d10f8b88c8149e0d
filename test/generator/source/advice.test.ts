// What a source is refused for, and what to do: each remedy, followed literally, leads to a release. No advice publishes
// something wrong in silence when it is followed with data for which it is wrong.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nearestFirst } from '../../../format/command-line/nearest-names.ts';
import { buildTable } from '../../../generator/cli/tables.ts';
import { BuildError } from '../../../generator/report/errors.ts';
import { layerOf, square, squares, writeFiles } from '../../support/datasets/write-dataset.ts';
import {
  filesOf,
  pathsOf,
  published,
  type Source,
  testSource,
  textsOf,
  typedOptions,
} from '../../support/releases/source-cases.ts';

/** The options of a command line, with the source as one of them. */
interface Typed {
  source: string | string[];
  options: string;
}

/** A command line that follows the remedy of an error. */
type Follow = (remedy: string, typed: Typed) => Typed;

async function errorOf({ source, options }: Typed): Promise<BuildError | undefined> {
  try {
    await published(source, typedOptions(options));
    return undefined;
  } catch (error) {
    assert.ok(error instanceof BuildError, error instanceof Error ? error.stack : String(error));
    return error;
  }
}

/** Adds the first `--option value` of a remedy. */
const following: Follow = (remedy, { source, options }) => {
  const [, option] = /(--[a-z-]+ (?:"(?:[^"\\]|\\.)*"|\S+?))[,;]?(?: or | if |, |; |$)/.exec(remedy) ?? [];
  assert.ok(option, `no option in: ${remedy}`);
  return { source, options: `${options} ${option}` };
};

/** Takes the first of the names that a remedy lists in place of the value of the option that is typed. */
const choosing: Follow = (remedy, { source, options }) => {
  const [, name = ''] = /use one of: ([^,]+)/.exec(remedy) ?? [];
  return { source, options: options.replace(/( lv0=| )\S+$/, `$1${name}`) };
};

function typing(options: string): Follow {
  return (_, { source }) => ({ source, options });
}

const states = squares('states', ['GID_0', 'NAME_0'], ['AAA', 'Aland']);
const old = squares('old', ['GID_0', 'NAME_0'], ['BBB', 'Beland']);
const METRES = 'POLYGON((500000 4000000,600000 4000000,600000 4100000,500000 4000000))';

/** A Shapefile whose table is elsewhere. */
function withoutTable(folder: string): string {
  const [source = ''] = writeFiles(folder, 'ESRI Shapefile', [states]);
  mkdirSync(join(folder, 'elsewhere'));
  renameSync(join(folder, 'states.dbf'), join(folder, 'elsewhere/states.dbf'));
  return source;
}

const CASES: readonly [source: Source, options: string, message: RegExp, follow: Follow][] = [
  [[states, old], '', /layers states and old are both level 0/, following],
  [states, '--layer lv0=state', /--layer lv0=state: the source has no such layer/, choosing],
  [
    [states, squares('parts', ['GID_1', 'NAME_1'], ['AAA.1', 'North'])],
    '',
    /layer parts is level 1 but has no column GID_0/,
    typing('--gid-column lv1:lv0='),
  ],
  [
    [squares('regions', ['region'], ['A']), squares('towns', ['town', 'region'], ['A1', 'A'])],
    '--layer lv1=towns lv2=regions --gid-column lv1=town lv2=region',
    /layer regions is level 2 but has no column town$/,
    (remedy, { source }) => {
      assert.match(remedy, /^exchange lv1 and lv2, if .*, as layer towns has region, .*; or name it /);
      return { source, options: '--layer lv2=towns lv1=regions --gid-column lv2=town lv1=region' };
    },
  ],
  [
    [squares('countries', ['ISO3', 'NAME_0'], ['AAA', 'Aland']), squares('roads', ['class'], ['m'])],
    '',
    /no layer has GID columns \(GID_0 \.\. GID_5\); it has countries \(ISO3, NAME_0\); roads \(class\)$/,
    (remedy, typed) => {
      // What it names is an example: the level and the column of this file in its place.
      assert.match(remedy, /^name the column with the GIDs of each level, e\.g\. --gid-column lv1=\S+ /);
      return { ...typed, options: '--gid-column lv0=ISO3' };
    },
  ],
  [states, '--columns NAME', /--columns NAME: no layer has a column NAME/, choosing],
  [states, '--columns NAME_0:', /--columns NAME_0:: no new name for NAME_0/, typing('--columns NAME_0:new')],
  [states, '--columns NAME_0:GID_0', /would have two columns named GID_0/, following],
  ...['name-column', 'search-column', 'type-column'].map((option): (typeof CASES)[number] => {
    return [states, `--${option} lv0=NONE`, new RegExp(`--${option} lv0=NONE: .*no such column`), choosing];
  }),
  [
    squares('towns', ['navn', 'kommunenummer'], ['Oslo', '0301']),
    '--gid-column lv0=komunenumer',
    /^--gid-column lv0=komunenumer: no layer has a column komunenumer$/,
    choosing,
  ],
  [
    filesOf(states, old),
    '--keep-fids',
    /fid 1 occurs in .*states\.gpkg: layer states .* and in .*old\.gpkg: layer old/,
    (remedy, { source }) => {
      assert.match(remedy, /--keep-fids/);
      return { source, options: '' };
    },
  ],
  [
    textsOf({ 'metres.csv': `WKT,GID_0\n"${METRES}",AAA\n` }),
    '',
    /\[500000, 4000000\] is not a longitude and latitude in degrees/,
    (remedy, { source }) => {
      const [, crs = ''] = /(--crs lv0=EPSG:)CODE$/.exec(remedy) ?? [];
      return { source, options: `${crs}32633 --columns=-WKT` };
    },
  ],
  [
    withoutTable,
    '',
    /states\.shp: the Shapefile is incomplete: there is no \.dbf file/,
    (_, typed) => {
      const folder = join([typed.source].flat()[0] ?? '', '..');
      renameSync(join(folder, 'elsewhere/states.dbf'), join(folder, 'states.dbf'));
      return typed;
    },
  ],
  [
    states,
    '--where "lv0=NAME = 1"',
    /layer states: --where lv0=NAME = 1: .*NAME/,
    typing('--where "lv0=NAME_0 IS NOT NULL"'),
  ],
  [states, '--sql "lv0=SELECT FROM"', /--sql lv0=SELECT FROM: /, typing('--sql "lv0=SELECT * FROM states"')],
  [
    layerOf('ties', ['GID_0'], [[['A'], 'POLYGON((0 0,1 1,1 0,0 1,0 0))']]),
    '',
    /lv0: 1 unit has no area at this precision/,
    following,
  ],
  [
    () => '/nowhere.gpkg',
    '',
    /nowhere\.gpkg: no such file or folder/,
    () => ({ source: pathsOf(states), options: '' }),
  ],
  [squares('towns', ['my code'], ['A'], [null]), '--gid-column "lv1=my code"', /lv1: 1 unit lacks a GID/, following],
];

for (const [source, options, message, follow] of CASES)
  test(`the remedy helps of: ${message.source}`, async () => {
    const before = { source: pathsOf(source), options };
    const error = await errorOf(before);
    assert.ok(error, 'the build succeeded');
    assert.match(error.message, message);
    const after = await errorOf(follow(error.remedy, before));
    assert.equal(after?.message, undefined, `after: ${error.remedy}`);
  });

test('names of columns are offered the nearest first, one that a Shapefile has cut before all', () => {
  const names = ['id', 'navn', 'kommunenavn', 'kommunenum'];
  assert.deepEqual(nearestFirst(names, 'kommunenummer').slice(0, 2), ['kommunenum', 'kommunenavn']);
  assert.equal(nearestFirst(names, 'Navm')[0], 'navn');
});

const CODES = '--gid-column lv1=code --name-column lv1=name';
const provinces = squares(
  'provinces',
  ['code', 'name', 'id', 'country'],
  ['AE02', 'Al Dhahira', 'OM1', 'OM'],
  ['AE02', 'Ajman', 'AE1', 'AE'],
  ['AE03', 'Dubai', 'AE2', 'AE'],
);

testSource('for a column that is no code, --dissolve is not offered; columns without repetition are', {
  source: provinces,
  [CODES]: {
    refused: /lv1: 1 unit has the GID of another unit /,
    remedy:
      /^code is probably no code of level 1: AE02 is Al Dhahira and Ajman; columns without repetition: id, e\.g\. --gid-column lv1=id; or fix/,
  },
  '--gid-column lv1=id --name-column lv1=name': { counts: [0, 3] },
});

testSource('pieces with different names stop --dissolve before anything is united, unless they are accepted', {
  source: provinces,
  [`${CODES} --dissolve lv1`]: {
    refused:
      'provinces.gpkg: not united, because of the data:\n' +
      '  lv1: 1 unit has pieces with different names (provinces.gpkg: layer provinces, fids 1 and 2: AE02 is Al Dhahira and Ajman). They may be different units, which the release has as one.',
    remedy: /columns without repetition: name, id; .* --accept disagreeing-pieces$/,
  },
  [`${CODES} --dissolve lv1 --accept disagreeing-pieces`]: {
    'lv1 code name': ['AE02, null', 'AE03, Dubai'],
    quality: { disagreeing: [/^lv1 disagreeing-pieces 1 /] },
  },
});

testSource('without a column of names, pieces that agree in no other text are no pieces of one unit', {
  source: squares(
    'unnamed',
    ['code', 'label', 'kind'],
    ['A', 'North', 'x'],
    ['A', 'South', 'y'],
    ['B', 'East', 'x'],
    ['B', 'West', 'x'],
  ),
  '--gid-column lv1=code --dissolve lv1':
    /different names \(unnamed\.gpkg: layer unnamed, fids 1 and 2: A is North and South\)/,
});

testSource('a level whose code is its name is made of units that have names of their own', {
  source: squares('towns', ['region', 'code', 'name'], ['Here', '1', 'Aa'], ['Here', '2', 'Bb'], ['There', '3', 'Cc']),
  '--gid-column lv1=region lv2=code --name-column lv1=region lv2=name --dissolve lv1=lv2': {
    'lv1 region': ['Here', 'There'],
  },
});

testSource('a column whose name a shell would divide is advised as one word', {
  source: squares('spaced', ['code', 'name', "the region's id", 'part'], ['1', 'Aa', 'x', 'A'], ['1', 'Bb', 'y', 'B']),
  [CODES]: { remedy: /e\.g\. --gid-column 'lv1=the region'\\''s id'; or / },
});

const BOTH = '--layer lv2=towns --name-column lv2=name';

testSource('codes that repeat in each parent are to be composed, which the remedy says', {
  source: squares('towns', ['part', 'code', 'name'], ['A', '1', 'Aa'], ['B', '1', 'Bb']),
  [`${BOTH} --gid-column lv1=part lv2=code`]: {
    remedy: /^code is no code of its own: 1 is in A and in B; compose it: --gid-column lv2=part\+code; or /,
  },
  [`${BOTH} --gid-column lv1=part lv2=part+code`]: { 'lv2 GID_2': ['A.1', 'B.1'] },
});

testSource('codes that would repeat when they are composed are not to be composed', {
  source: squares('towns', ['part', 'code', 'name'], ['A', '1', 'Aa'], ['A', '1', 'Ab'], ['B', '1', 'Bb']),
  [`${BOTH} --gid-column lv1=part lv2=code`]: {
    remedy: /^code is probably no code of level 2: 1 is Aa and Ab; or /,
  },
});

test('the columns of all files are shown at once', async () => {
  const paths = pathsOf(filesOf(squares('one', ['id', 'empty'], ['1', null]), squares('two', ['nr'], ['2'])));
  const error = await errorOf({ source: paths, options: '' });
  assert.deepEqual(error?.lines.slice(1), [
    `${paths[0]}: no layer has GID columns (GID_0 .. GID_5); it has one (id, empty)`,
    `${paths[1]}: no layer has GID columns (GID_0 .. GID_5); it has two (nr)`,
  ]);
});

testSource('a column without any value is no code', {
  source: squares('one', ['id', 'empty'], ['1', null]),
  '--gid-column lv1=empty': {
    remedy: /^no unit of level 1 has a value in empty: name another column; columns without repetition: id, /,
  },
});

testSource('a row without a code that has a name is probably a unit: the remedy does not leave it out', {
  source: squares('uncoded', ['code', 'name', 'id'], ['A', 'Aa', 'x'], [null, 'Bb', 'y']),
  [CODES]: {
    remedy:
      /^Bb has no code, and is probably a unit: code is then not the code of level 1; columns without repetition: id, e\.g\. --gid-column lv1=id; or fix/,
  },
});

testSource('what --dissolve made is said to be of the file of the source', {
  source: layerOf(
    'pieces',
    ['code', 'name'],
    [
      [['A', 'Aa'], square(0, 0)],
      [['A', 'Aa'], square(1, 0)],
      [['B', 'Bb'], square(2, 0)],
      [['C', 'Cc'], 'POLYGON((10 0,11 1,11 0,10 0.5,10 0))'],
    ],
  ),
  '--gid-column lv1=code --dissolve lv1': {
    quality: {
      invalid: [/^lv1 invalid-polygons 1 pieces\.gpkg: layer pieces, fid \d+, GID C$/],
      'part-': [],
    },
  },
});

/** Asserts that the table which a build prints of its levels has this line, and these of metres. */
const prints =
  (line: RegExp, ...tiny: string[]) =>
  ({ release }: { release: Parameters<typeof buildTable>[0] }) => {
    const lines = buildTable(release).split('\n');
    assert.match(lines.join('\n'), line);
    assert.deepEqual(
      lines.filter((other) => other.includes('metres in all')),
      tiny,
    );
  };

testSource('build prints the box of each level that the source has', {
  source: squares('towns', ['code'], ['A'], ['B']),
  '--gid-column lv1=code': { besides: prints(/^level .*\nlv1 .* {2}0 0 2 1\ntotal /) },
});

testSource('build says when a level has less than a kilometre', {
  source: layerOf('tiny', ['code'], [[['A'], square(10, 60, 0.002)]]),
  '--gid-column lv1=code': {
    besides: prints(
      /^lv1 .* {2}10 60 10\.002 60\.002$/m,
      'lv1 has 222 metres in all: are its CRS and its coordinates right?',
    ),
  },
});
