// The options that decide the content of a release, as texts and as values: those of a command line or a config file,
// and those that release.json records of a build, from which `verify` and `build --like` take them.
import { UsageError } from '../../format/command-line/messages.ts';
import { GEOMETRIES, type Geometry, LEVELS, type Level, levelName } from '../../format/levels.ts';
import type { RecordedBuild } from '../../format/recorded-build.ts';
import type { Release, ReleaseShape } from '../../format/release.ts';
import { ACCEPTABLE, type Acceptable } from '../quality/findings.ts';
import { BuildError, withoutSecrets } from '../report/errors.ts';
import {
  type DissolveOption,
  dissolveToText,
  type GidColumnOption,
  gidColumnToText,
  type LevelOption,
  type PlaceOption,
  placeToText,
  type SourceOptions,
} from '../source/source-options.ts';

/** Options with a value for each level: the name of the option, and the member of `SourceOptions`. */
const BY_LEVEL = {
  layer: 'layers',
  'name-column': 'nameColumns',
  'type-column': 'typeColumns',
  'type-name': 'typeNames',
  'search-column': 'searchColumns',
  where: 'where',
  sql: 'sql',
  columns: 'columns',
  crs: 'crs',
} as const;

/** Those of which a value without a level is that of all. */
const OF_ALL: readonly string[] = ['columns', 'crs'];

type LevelOptionName = keyof typeof BY_LEVEL;
const LEVEL_OPTIONS = Object.keys(BY_LEVEL) as LevelOptionName[];

/** The values of each option, as they are typed; undefined if it is not given. A flag is true, or has no values. */
export type OptionTexts = Readonly<
  Partial<
    Record<
      LevelOptionName | 'source' | 'levels' | 'gid-column' | 'parent-by-place' | 'dissolve' | 'encoding',
      readonly string[] | undefined
    >
  >
> &
  Readonly<Partial<Record<'keep-fids' | 'make-valid', boolean | readonly string[] | undefined>>>;

/** The names of all options in release.json. */
const RECORDED: readonly string[] = [
  'levels',
  ...LEVEL_OPTIONS,
  'gid-column',
  'parent-by-place',
  'dissolve',
  'keep-fids',
  'encoding',
  'make-valid',
  'accept',
  'attribution',
];

/** The options that decide the content of a release. */
export interface ContentOptions extends SourceOptions, ReleaseShape {
  /** The licence of the data: an SPDX identifier or a URL; that of a recognised download if there is none. */
  licence?: string | undefined;
  /** Kinds of problems of the data to accept: the units are published unchanged. */
  accept: readonly Acceptable[];
  /** Attribution texts besides those in the source: of all levels, or as `lv3=TEXT` of one. */
  attribution: readonly string[];
}

/** The options of the source that are given. @throws UsageError if a text has another form */
export function sourceOptionsFrom(texts: OptionTexts): Partial<SourceOptions> {
  const { source, levels, 'gid-column': gidColumns, 'parent-by-place': places, dissolve, encoding } = texts;
  const { 'keep-fids': keepFids, 'make-valid': makeValid } = texts;
  const byLevel = LEVEL_OPTIONS.flatMap((name) => {
    const options = texts[name]?.flatMap((text) => levelOptionsFrom(name, text));
    return options === undefined ? [] : [[BY_LEVEL[name], options] as const];
  });
  return {
    ...Object.fromEntries(byLevel),
    ...(source && { source }),
    ...(levels && { levels: levelsFrom(levels) }),
    ...(gidColumns && { gidColumns: gidColumns.map(gidColumnFrom) }),
    ...(places && { parentByPlace: places.flatMap((list) => list.split(',')).map(placeFrom) }),
    ...(dissolve && { dissolve: dissolve.flatMap((list) => list.split(',')).map(dissolveFrom) }),
    ...(encoding && { encoding: encodingFrom(encoding) }),
    ...(keepFids !== undefined && { keepFids: keepFids !== false }),
    ...(makeValid !== undefined && { makeValid: makeValid !== false }),
  };
}

/**
 * What release.json records of the options. Only what differs from the defaults, without passwords. `fewer-units` is no
 * property of the source: whether it is accepted is asked anew for each release.
 */
export function recordedOptions(options: ContentOptions): Release['options'] {
  const {
    levels,
    gidColumns = [],
    parentByPlace = [],
    dissolve = [],
    keepFids,
    encoding,
    makeValid,
    accept,
    attribution,
  } = options;
  const isEveryLevel = LEVELS.every((level) => levels.includes(level));
  const lists: [name: string, values: readonly string[]][] = [
    ['levels', isEveryLevel ? [] : levels.toSorted().map(levelName)],
    ...LEVEL_OPTIONS.map((name): [string, string[]] => {
      const values = options[BY_LEVEL[name]] ?? [];
      return [name, values.map((option) => levelOptionToText(name, option))];
    }),
    ['gid-column', gidColumns.map(gidColumnToText)],
    ['parent-by-place', parentByPlace.map(placeToText)],
    ['dissolve', dissolve.map(dissolveToText)],
    ['encoding', encoding === undefined ? [] : [encoding]],
    ['accept', ACCEPTABLE.filter((kind) => accept.includes(kind) && kind !== 'fewer-units')],
    ['attribution', attribution],
  ];
  const given = lists.filter(([, values]) => values.length > 0);
  if (keepFids) given.push(['keep-fids', []]);
  if (makeValid) given.push(['make-valid', []]);
  return Object.fromEntries(given.map(([name, values]) => [name, values.map(withoutSecrets)]));
}

/**
 * The options that a release was built with, but for those that have their defaults.
 * @throws BuildError if there is one that this version does not know
 */
export function optionsOf({ release, options, ...described }: RecordedBuild): Partial<ContentOptions> {
  const { licence, precision, storedPages, geometries, cells, neighbours, tiles } = described;
  const unknown = Object.keys(options).find((name) => !RECORDED.includes(name));
  if (unknown !== undefined)
    throw new BuildError(
      `release ${release} was built with --${unknown}, which this version does not know`,
      'use the version that built it, or a later one',
    );
  const { accept, attribution, ...source } = options;
  return {
    ...(precision !== undefined && { precision }),
    ...(storedPages !== undefined && { storedPages }),
    ...(geometries !== undefined && { geometries }),
    ...(cells !== undefined && { cells }),
    // Of versions without neighbours there are no tiles either: those of the defaults are made.
    ...(neighbours !== undefined && { neighbours, tiles }),
    ...(licence !== undefined && { licence }),
    ...sourceOptionsFrom(source),
    ...(accept && { accept: ACCEPTABLE.filter((kind) => accept.includes(kind)) }),
    ...(attribution && { attribution }),
  };
}

/** Parses `lv3` or `3`. @throws UsageError if it is not a level */
function levelFrom(option: string, name: string): Level {
  const level = LEVELS.find((known) => levelName(known) === name || String(known) === name);
  if (level === undefined)
    throw new UsageError(`--${option} ${name}: not a level`, `use ${LEVELS.map(levelName).join(', ')}`);
  return level;
}

/** Parses levels, separated by commas or given one by one. @throws UsageError if one is not a level */
function levelsFrom(names: readonly string[]): Level[] {
  return names.flatMap((list) => list.split(',')).map((name) => levelFrom('levels', name));
}

/**
 * The geometries of `--geometry`, separated by commas or given one by one.
 * @throws UsageError if one is none of them
 */
export function geometriesFrom(lists: readonly string[]): Geometry[] {
  const names = lists.flatMap((list) => list.split(','));
  const unknown = names.find((name) => !GEOMETRIES.some((geometry) => geometry === name));
  if (unknown !== undefined)
    throw new UsageError(`--geometry ${unknown}: not a geometry`, `use some of ${GEOMETRIES.join(', ')}`);
  // The full geometry is always there: it decides what the others are.
  return GEOMETRIES.filter((geometry) => geometry === 'full' || names.includes(geometry));
}

/** The texts of `--attribution`: of all levels, or as `lv3=TEXT` of some. @throws UsageError for an unknown level */
export function attributionsFrom(texts: readonly string[]): LevelOption[] {
  return texts.flatMap((text): LevelOption[] => {
    const [, names, value] = /^(lv\d+(?:,lv\d+)*)=(.+)$/s.exec(text) ?? [];
    if (names === undefined || value === undefined) return [{ level: undefined, value: text }];
    return names.split(',').map((name) => ({ level: levelFrom('attribution', name), value }));
  });
}

/** Checks `--licence`. @throws UsageError if it is neither an SPDX identifier nor a URL */
export function licenceFrom(text: string): string {
  if (/^(?:LicenseRef-)?[A-Za-z0-9][A-Za-z0-9.+-]*$/.test(text)) return text;
  if (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`--licence ${text}: not a licence`, 'use an SPDX identifier, e.g. CC-BY-4.0, or a URL');
}

/**
 * Parses `LEVELS=VALUE`, e.g. `lv0,lv1=NAME`: an option for each level. Some may be without levels.
 * @throws UsageError if the text has another form
 */
function levelOptionsFrom(option: LevelOptionName, text: string): LevelOption[] {
  const [, names, value] = /^((?:lv\d+|\d+)(?:,(?:lv\d+|\d+))*)=(.+)$/s.exec(text) ?? [];
  const of = option === 'crs' ? crsCode(value ?? text) : value;
  if (names !== undefined && of !== undefined)
    return names.split(',').map((name) => ({ level: levelFrom(option, name), value: of }));
  if (OF_ALL.includes(option) && text !== '') return [{ level: undefined, value: text }];
  throw new UsageError(`--${option} ${text}: not LEVEL=VALUE`, `e.g. --${option} lv0=VALUE`);
}

function levelOptionToText(option: LevelOptionName, { level, value }: LevelOption): string {
  if (level !== undefined) return `${levelName(level)}=${value}`;
  return OF_ALL.includes(option) ? value : `${LEVELS.map(levelName).join(',')}=${value}`;
}

/** A CRS by its code: GDAL would take an address, or the name of a file, for one, too. @throws UsageError for others */
function crsCode(text: string): string {
  if (/^[A-Za-z]\w*:\w+$/.test(text)) return text.toUpperCase();
  throw new UsageError(`--crs ${text}: not the code of a CRS`, 'e.g. --crs EPSG:4301, or of one level: lv1=EPSG:4301');
}

/** The only value of `--encoding`. @throws UsageError if there are several, or one is no name */
function encodingFrom(names: readonly string[]): string {
  const [name, ...others] = names;
  if (name !== undefined && others.length === 0 && /^[\w.:-]+$/.test(name)) return name;
  throw new UsageError(`--encoding ${names.join(' ')}: not an encoding`, 'e.g. --encoding CP1252, or ISO-8859-1');
}

/** Parses `LEVEL=COLUMNS` and `LEVEL:PARENT=COLUMNS`. @throws UsageError if the text has another form */
function gidColumnFrom(text: string): GidColumnOption {
  const [, level, parent, columns] = /^(lv\d+|\d+)(?::(lv\d+|\d+))?=(.*)$/s.exec(text) ?? [];
  if (level === undefined || columns === undefined || (columns === '' && parent === undefined))
    throw new UsageError(
      `--gid-column ${text}: not LEVEL=COLUMN or LEVEL:PARENT=COLUMN`,
      'e.g. --gid-column lv0=ISO3, or --gid-column lv2:lv1=REGION for the parents of level 2',
    );
  const of = levelFrom('gid-column', parent ?? level);
  return {
    level: parent === undefined ? undefined : levelFrom('gid-column', level),
    of,
    columns: columns === '' ? [] : columns.split('+'),
  };
}

/** Parses `LEVEL` and `LEVEL:PARENT`. @throws UsageError if the text has another form, or the parent is not above */
function placeFrom(text: string): PlaceOption {
  const [, name = '', parent] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const level = levelFrom('parent-by-place', name);
  const of = parent === undefined ? undefined : levelFrom('parent-by-place', parent);
  if (level > 0 && (of === undefined || of < level)) return { level, of };
  throw new UsageError(
    `--parent-by-place ${text}: the level of the parents is not above`,
    'e.g. --parent-by-place lv2:lv1, or lv1,lv2 for the nearest levels above them',
  );
}

/** Parses `LEVEL` and `LEVEL=LOWER`. @throws UsageError if the text has another form, or the second level is above */
function dissolveFrom(text: string): DissolveOption {
  const [, name = '', lower = name] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  const [level, of] = [levelFrom('dissolve', name), levelFrom('dissolve', lower)];
  if (of >= level) return { level, of };
  throw new UsageError(
    `--dissolve ${text}: the level of the features is above`,
    'e.g. --dissolve lv1 for units in pieces, or lv1=lv2 for units that only a column of level 2 has',
  );
}
