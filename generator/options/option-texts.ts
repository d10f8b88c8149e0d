// The options that decide the content of a release, as texts and as values: those of a command line or a config file,
// and those that release.json records of a build, from which `verify` and `build --like` take them.
import { UsageError } from '../../format/command-line/messages.ts';
import { GEOMETRIES, type Geometry, LEVELS, type Level, levelName } from '../../format/levels.ts';
import type { RecordedBuild } from '../../format/recorded-build.ts';
import type { Release, ReleaseContents } from '../../format/release-json.ts';
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
import { isTagged, keysFrom, languagesFrom, taggedColumnsFrom, taggedColumnToText } from './tagged-columns.ts';

/** The options that decide the content of a release. */
export interface ContentOptions extends SourceOptions, ReleaseContents {
  /** The licence of the data: an SPDX identifier or a URL; that of a recognised download if there is none. */
  licence?: string | undefined;
  /** The languages whose names are in tiles besides the default ones. */
  tileLanguages?: readonly string[] | undefined;
  /** Kinds of problems of the data to accept: the units are published unchanged. */
  accept: readonly Acceptable[];
  /** Attribution texts besides those in the source: of all levels, or as `lv3=TEXT` of one. */
  attribution: readonly string[];
}

/** An option as texts and back. */
interface TextOption<Name extends string> {
  name: Name;
  /** The member of the options. @throws UsageError if a text has another form */
  parse(texts: readonly string[]): Partial<ContentOptions>;
  /** None for the default. */
  print(options: ContentOptions): readonly string[];
}

function textOption<Name extends string, Member extends keyof ContentOptions>(
  name: Name,
  member: Member,
  parse: (texts: readonly string[]) => ContentOptions[Member],
  print: (value: NonNullable<ContentOptions[Member]>) => readonly string[],
): TextOption<Name> {
  return {
    name,
    parse: (texts) => Object.fromEntries([[member, parse(texts)]]),
    print: ({ [member]: value }) => (value ? print(value) : []),
  };
}

/** An option with a value for each level. @param isOfAll is a value without a level that of all? */
function byLevel<Name extends string>(name: Name, member: LevelMember, isOfAll = false): TextOption<Name> {
  const parse = (texts: readonly string[]) => texts.flatMap((text) => levelOptionsFrom(name, text, isOfAll));
  return textOption(name, member, parse, (values) => values.map((value) => levelOptionToText(value, isOfAll)));
}

/** The members that are options with a value for each level. */
type LevelMember = {
  [Member in keyof ContentOptions]-?: readonly LevelOption[] extends ContentOptions[Member] ? Member : never;
}[keyof ContentOptions];

/** The options with texts, in the order of release.json. */
const TEXT_OPTIONS = [
  textOption('levels', 'levels', levelsFrom, (levels) =>
    LEVELS.every((level) => levels.includes(level)) ? [] : levels.toSorted().map(levelName),
  ),
  byLevel('layer', 'layers'),
  {
    name: 'name-column',
    parse: (texts) => ({
      nameColumns: texts
        .filter((text) => !isTagged(text))
        .flatMap((text) => levelOptionsFrom('name-column', text, false)),
      languageColumns: taggedColumnsFrom('name-column', texts.filter(isTagged), levelFrom),
    }),
    print: ({ nameColumns = [], languageColumns = [] }) => [
      ...nameColumns.map((column) => levelOptionToText(column, false)),
      ...languageColumns.map(taggedColumnToText),
    ],
  } satisfies TextOption<'name-column'>,
  textOption(
    'code-column',
    'codeColumns',
    (texts) => taggedColumnsFrom('code-column', texts, levelFrom),
    (columns) => columns.map(taggedColumnToText),
  ),
  textOption(
    'languages',
    'languages',
    (texts) => languagesFrom('languages', separated(texts)),
    (tags) => tags,
  ),
  textOption(
    'codes',
    'codes',
    (texts) => keysFrom(separated(texts)),
    (keys) => keys,
  ),
  textOption(
    'tile-languages',
    'tileLanguages',
    (texts) => languagesFrom('tile-languages', separated(texts)),
    (tags) => tags,
  ),
  byLevel('type-column', 'typeColumns'),
  byLevel('type-name', 'typeNames'),
  byLevel('search-column', 'searchColumns'),
  byLevel('where', 'where'),
  byLevel('sql', 'sql'),
  byLevel('columns', 'columns', true),
  byLevel('crs', 'crs', true),
  textOption(
    'gid-column',
    'gidColumns',
    (texts) => texts.map(gidColumnFrom),
    (columns) => columns.map(gidColumnToText),
  ),
  textOption(
    'parent-by-place',
    'parentByPlace',
    (texts) => separated(texts).map(placeFrom),
    (places) => places.map(placeToText),
  ),
  textOption(
    'dissolve',
    'dissolve',
    (texts) => separated(texts).map(dissolveFrom),
    (dissolved) => dissolved.map(dissolveToText),
  ),
  textOption('encoding', 'encoding', encodingFrom, (encoding) => [encoding]),
  // Whether there may be fewer units than in the served release is asked anew for each release.
  textOption(
    'accept',
    'accept',
    (kinds) => ACCEPTABLE.filter((kind) => kinds.includes(kind)),
    (kinds) => ACCEPTABLE.filter((kind) => kinds.includes(kind) && kind !== 'fewer-units'),
  ),
  textOption('attribution', 'attribution', knownAttribution, (texts) => texts),
];

/** The options without a value, in the order of release.json. */
const FLAGS = { 'keep-fids': 'keepFids', 'make-valid': 'makeValid' } as const;
const FLAG_NAMES = Object.keys(FLAGS) as (keyof typeof FLAGS)[];

/** The values of each option, as they are typed; undefined if it is not given. A flag is true, or has no values. */
export type OptionTexts = Readonly<
  Partial<
    Record<'source' | (typeof TEXT_OPTIONS)[number]['name'], readonly string[] | undefined> &
      Record<keyof typeof FLAGS, boolean | readonly string[] | undefined>
  >
>;

/** The options that are given. @throws UsageError if a text has another form */
export function contentOptionsFrom(given: OptionTexts): Partial<ContentOptions> {
  const options: Partial<ContentOptions> = given.source === undefined ? {} : { source: given.source };
  for (const { name, parse } of TEXT_OPTIONS) {
    const texts = given[name];
    if (texts !== undefined) Object.assign(options, parse(texts));
  }
  for (const name of FLAG_NAMES) if (given[name] !== undefined) options[FLAGS[name]] = given[name] !== false;
  return options;
}

/** What release.json records of the options: only what differs from the defaults, without passwords. */
export function recordedOptions(options: ContentOptions): Release['options'] {
  const texts = TEXT_OPTIONS.map(({ name, print }) => [name, print(options).map(withoutSecrets)] as const);
  const flags = FLAG_NAMES.filter((name) => options[FLAGS[name]]).map((name) => [name, []] as const);
  return Object.fromEntries([...texts.filter(([, values]) => values.length > 0), ...flags]);
}

/**
 * The options that a release was built with, but for those that have their defaults.
 * @throws BuildError if there is one that this version does not know
 */
export function optionsOf({ release, options, ...described }: RecordedBuild): Partial<ContentOptions> {
  const { licence, precision, storedPages, geometries, cells, neighbours, parquet, tiles } = described;
  const known: readonly string[] = [...TEXT_OPTIONS.map(({ name }) => name), ...FLAG_NAMES];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new BuildError(
      `release ${release} was built with --${unknown}, which this version does not know`,
      'use the version that built it, or a later one',
    );
  return {
    ...(precision !== undefined && { precision }),
    ...(storedPages !== undefined && { storedPages }),
    ...(geometries !== undefined && { geometries }),
    ...(cells !== undefined && { cells }),
    // Of versions without neighbours there are no tiles either: those of the defaults are made.
    ...(neighbours !== undefined && { neighbours, tiles }),
    ...(parquet !== undefined && { parquet }),
    ...(licence !== undefined && { licence }),
    ...contentOptionsFrom(options),
  };
}

/** Parses `lv3` or `3`. @throws UsageError if it is not a level */
function levelFrom(option: string, name: string): Level {
  const level = LEVELS.find((known) => levelName(known) === name || String(known) === name);
  if (level === undefined)
    throw new UsageError(`--${option} ${name}: not a level`, `use ${LEVELS.map(levelName).join(', ')}`);
  return level;
}

/** Values that are separated by commas, or given one by one. */
function separated(lists: readonly string[]): string[] {
  return lists.flatMap((list) => list.split(','));
}

/** Parses levels, separated by commas or given one by one. @throws UsageError if one is not a level */
function levelsFrom(names: readonly string[]): Level[] {
  return separated(names).map((name) => levelFrom('levels', name));
}

/**
 * The geometries of `--geometry`, separated by commas or given one by one.
 * @throws UsageError if one is none of them
 */
export function geometriesFrom(lists: readonly string[]): Geometry[] {
  const names = separated(lists);
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

/** The texts themselves. @throws UsageError if one is of a level that there is not */
function knownAttribution(texts: readonly string[]): readonly string[] {
  attributionsFrom(texts);
  return texts;
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
function levelOptionsFrom(option: string, text: string, isOfAll: boolean): LevelOption[] {
  const [, names, value] = /^((?:lv\d+|\d+)(?:,(?:lv\d+|\d+))*)=(.+)$/s.exec(text) ?? [];
  const of = option === 'crs' ? crsCode(value ?? text) : value;
  if (names !== undefined && of !== undefined)
    return names.split(',').map((name) => ({ level: levelFrom(option, name), value: of }));
  if (isOfAll && text !== '') return [{ level: undefined, value: of ?? text }];
  throw new UsageError(`--${option} ${text}: not LEVEL=VALUE`, `e.g. --${option} lv0=VALUE`);
}

function levelOptionToText({ level, value }: LevelOption, isOfAll: boolean): string {
  if (level !== undefined) return `${levelName(level)}=${value}`;
  return isOfAll ? value : `${LEVELS.map(levelName).join(',')}=${value}`;
}

/** A CRS by its code: GDAL would take an address, or the name of a file, for one, too. @throws UsageError for others */
function crsCode(text: string): string {
  if (/^[A-Za-z]\w*:\w+$/.test(text)) return text.toUpperCase();
  const code = `EPSG:${/^\d+$/.test(text) ? text : '4301'}`;
  throw new UsageError(
    `--crs ${text}: not the code of a CRS`,
    `e.g. --crs ${code}, or of one level: --crs lv1=${code}`,
  );
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
