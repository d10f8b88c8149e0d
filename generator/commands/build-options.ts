// The options of `build`, in the groups of its help: those that everybody needs first. options/option-texts.ts parses
// those of the source.
import type { Argv } from 'yargs';
import { declaredOptions } from '../../format/command-line/messages.ts';
import { STORED_PAGES } from '../../format/levels.ts';
import { TILES_ZOOM_MAX } from '../../format/tiles.ts';
import { ACTIVATE, NUMBER, OUT, SIGN_KEY, SIGN_TIME, TEXT, WORKERS } from '../cli/command.ts';
import { readConfigFile } from '../cli/config-file.ts';
import { MAX_PRECISION } from '../geojson/geometry.ts';
import { DEFAULTS } from '../options/defaults.ts';
import { ACCEPTABLE } from '../quality/findings.ts';

/** Repeatable: one value or several after the option's name. */
export const LIST = { type: 'string', array: true, requiresArg: true } as const;

/** The options that every build of own data needs. */
const FIRST = {
  source: {
    ...LIST,
    describe: 'file, folder, zip archive, URL or database connection that GDAL reads; repeatable',
  },
  release: { ...TEXT, describe: 'id of the new release, e.g. 2026-11' },
  'gid-column': {
    ...LIST,
    describe:
      'column with the GIDs of a level, e.g. lv0=ISO3, or with those of its parents, e.g. lv2:lv1=REGION; several columns, joined with dots: lv1=ISO+ID_1; no parents: lv2:lv1=',
  },
  'name-column': {
    ...LIST,
    describe: 'column with the names of a level, e.g. lv1=shapeName, or with those in a language: lv1:fr=ADM1_FR',
  },
  attribution: {
    ...LIST,
    describe: 'attribution text for the data, or for that of one level: "lv3=© ACME"; repeatable',
  },
} as const;

/** What is read, and how. */
const SOURCE = {
  layer: {
    ...LIST,
    describe:
      'source layer of a level or of several, e.g. lv3=communes or lv0,lv1=units; of one file: lv3=FILE:communes; * matches any characters, !NAME leaves one out; repeatable',
  },
  where: {
    ...LIST,
    describe: 'features of a level, e.g. "lv1=LEVL_CODE = 1" (SQL condition)',
  },
  sql: {
    ...LIST,
    describe:
      'statement to read instead of the layer of a level, e.g. "lv2=SELECT * FROM {layer} WHERE LEVL_CODE = 2" (OGR SQL)',
  },
  crs: {
    ...LIST,
    describe:
      'coordinate reference system of layers that state none or a wrong one, e.g. EPSG:4301; of one level: lv1=EPSG:4301',
  },
  encoding: {
    ...LIST,
    describe: 'encoding of the texts of Shapefiles that say none or a wrong one, e.g. CP1252',
  },
  like: {
    ...TEXT,
    describe: 'build with the options of this release, except for those given here: its id, or its folder elsewhere',
  },
  sample: { type: 'boolean', describe: 'build the sample dataset instead of --source' },
} as const;

/** Which columns say what. */
const COLUMNS = {
  'parent-by-place': {
    ...LIST,
    describe:
      'find the parents of these levels by shape, as no column has them, e.g. lv1,lv2; parents on another level: lv2:lv0',
  },
  dissolve: {
    ...LIST,
    describe:
      'unite the features with one GID, on these levels, e.g. lv1,lv2; or make a level from a column of a lower one: lv1=lv2',
  },
  'type-column': {
    ...LIST,
    describe: 'column with the types of the units of a level, e.g. lv1=ENGTYPE_1',
  },
  'type-name': {
    ...LIST,
    describe: 'type of the units of a level that have none in a column, e.g. lv1=Wilaya',
  },
  'search-column': {
    ...LIST,
    describe:
      'another column with names of a level, by which the search finds its units, e.g. lv2=ALT_NAME; repeatable',
  },
  'code-column': {
    ...LIST,
    describe: 'column with official codes of a level, by a key of your own, e.g. lv3:ine=CC_3; repeatable',
  },
  languages: {
    ...LIST,
    describe: 'languages of names to publish where the source has columns of them, e.g. en,fr, or all',
  },
  codes: {
    ...LIST,
    describe: 'codes to publish where the source has columns of them, e.g. iso2,hasc, or all',
  },
  columns: {
    ...LIST,
    describe: 'columns to keep (NAME), drop (-NAME) or rename (NAME:new), comma-separated; of one level: lv1=...',
  },
  'keep-fids': {
    type: 'boolean',
    describe:
      'keep the fids of merged layers, and fail if two are equal; by default the units are numbered 1, 2, 3 ...',
  },
} as const;

/** What becomes of problems of the data. */
const QUALITY = {
  accept: {
    choices: ACCEPTABLE,
    array: true,
    requiresArg: true,
    describe: 'data problems to accept; the units are published unchanged',
  },
  'make-valid': {
    type: 'boolean',
    describe: 'repair polygons that cross themselves: the same area in other rings',
  },
  'dry-run': {
    type: 'boolean',
    describe: 'estimate files and bytes for each choice of --pages; publish nothing',
  },
} as const;

/** Which files, with how much of the machine. */
const CONTENT = {
  levels: { ...LIST, defaultDescription: 'all', describe: 'levels to publish, e.g. lv0,lv1' },
  geometry: {
    ...LIST,
    defaultDescription: DEFAULTS.geometries.join(),
    describe: 'geometries of the units besides full: medium (100 m), low (1 km), point, none; e.g. full,low',
  },
  tiles: {
    ...TEXT,
    defaultDescription: String(DEFAULTS.tiles),
    describe: `deepest zoom of the vector tiles, 0 to ${TILES_ZOOM_MAX}; --no-tiles, or none, for a release without tiles`,
  },
  'tile-languages': {
    ...LIST,
    describe: 'languages whose names tiles have besides the default names, as name:fr, e.g. fr,ar',
  },
  cells: {
    type: 'boolean',
    defaultDescription: 'true',
    describe: 'answer which units are at a point (contains); --no-cells for a smaller release that does not',
  },
  neighbours: {
    type: 'boolean',
    defaultDescription: 'true',
    describe: 'answer which units share a border (touches), and write them as CSV; --no-neighbours leaves this out',
  },
  parquet: {
    type: 'boolean',
    defaultDescription: 'true',
    describe: 'write each level as a table, GeoParquet; --no-parquet leaves this out',
  },
  pages: {
    choices: STORED_PAGES,
    requiresArg: true,
    defaultDescription: DEFAULTS.storedPages,
    describe: 'pages to store: of all listings, of unfiltered listings only, or none; responses are the same',
  },
  precision: {
    ...NUMBER,
    defaultDescription: String(DEFAULTS.precision),
    describe: `decimal places of coordinates, 0 to ${MAX_PRECISION}`,
  },
  shard: { ...TEXT, describe: 'write only shard i of n (i/n, i from 0 to n - 1); publish all with seal' },
  workers: WORKERS,
  memory: {
    ...TEXT,
    defaultDescription: 'half of what the machine or its control group has',
    describe: 'memory that the build may use, e.g. 2G: large tasks run beside each other as far as it allows',
  },
  'space-check': {
    type: 'boolean',
    default: true,
    describe: 'refuse a disk with too little space for what is likely to be written; --no-space-check to begin anyway',
  },
} as const;

/** Where the release goes, and what is said of it. */
const PUBLISHING = {
  out: OUT,
  activate: ACTIVATE,
  'unless-published': {
    type: 'boolean',
    describe: 'do nothing if the output folder has a current release',
  },
  changes: {
    type: 'boolean',
    describe: 'also publish what became of the units since the release that is current now, as the command changes',
  },
  date: {
    ...TEXT,
    describe: 'date of the release, e.g. 2026-11-22; the explorer shows it with the attribution',
  },
  licence: {
    ...TEXT,
    describe: 'licence of the data: an SPDX identifier or a URL; recognised downloads have theirs',
  },
  'sign-key': SIGN_KEY,
  time: SIGN_TIME,
} as const;

/** Every option of `build`, by the heading of its group. */
export const BUILD_OPTIONS = {
  'Needed most': FIRST,
  Source: SOURCE,
  Columns: COLUMNS,
  'Data quality': QUALITY,
  'What to build': CONTENT,
  Publishing: PUBLISHING,
} as const;

/** Adds the options to the command. */
export function addBuildOptions<Known>(args: Argv<Known>) {
  // yargs would keep only the message of an error that is thrown while it parses.
  let configError: unknown;
  for (const [heading, options] of Object.entries(BUILD_OPTIONS))
    args.group([...Object.keys(options), ...(options === SOURCE ? ['config'] : [])], `${heading}:`);
  return args
    .options(FIRST)
    .options(SOURCE)
    .options(COLUMNS)
    .options(QUALITY)
    .options(CONTENT)
    .options(PUBLISHING)
    .config('config', 'JSON file with any of these options; its paths are relative to it', (file) => {
      try {
        return readConfigFile(file, declaredOptions(args));
      } catch (error) {
        configError = error;
        return {};
      }
    })
    .check(() => {
      if (configError !== undefined) throw configError;
      return true;
    });
}
