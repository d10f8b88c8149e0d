// The columns of published boundary datasets: which hold GIDs, names, types, names in languages and codes.
import { LEVELS, type Level } from '../../format/levels.ts';

/** A column by a tag: a language (`fr`), or a key of codes (`iso2`). */
type KnownColumn = readonly [tag: string, column: string];

/** A family of column names. Names are compared without regard to case. */
interface Schema {
  /** A column that only layers of this schema have; undefined if the other columns are enough. */
  marker?: string;
  /** The columns of the GIDs of level n; the values of several are joined with dots. */
  gid?(n: Level): string[];
  /** The columns that may hold the names of the units of level n, the best first. */
  names?(n: Level): string[];
  /** The columns that may hold the types of the units of level n, the best first. */
  types?(n: Level): string[];
  /** The columns that hold other names of the units of level n. */
  otherNames?(n: Level): string[];
  /** The columns with names of the units of level n in a language, of several for one language the best first. */
  languages?(n: Level): readonly KnownColumn[];
  /** The columns with codes of the units of level n, of several for one key the best first. */
  codes?(n: Level): readonly KnownColumn[];
  /** Do its downloads have layers without GIDs, of border lines and points, beside the areas? */
  hasLines?: boolean;
}

/** What GADM of all versions has. The names in the local script are of no language that a column names. */
const GADM: Pick<Schema, 'types' | 'languages' | 'codes'> = {
  types: (n) => [`ENGTYPE_${n}`, `TYPE_${n}`],
  languages: (n) => [['und', `NL_NAME_${n}`]],
  codes: (n) => [
    ['hasc', `HASC_${n}`],
    ['cc', `CC_${n}`],
    ['iso-3166-2', `ISO_${n}`],
  ],
};

/** The languages of OCHA's columns, as they end. */
const OCHA_LANGUAGES =
  'am ar az bn dz en es fa fr ht hy ka km ku ky lo mg mk mn ms my ne ps pt ro ru si so sq sr sw ta tg th ti tk uk ur uz vi zh'.split(
    ' ',
  );

/** The languages of Natural Earth's columns; its `ZHT` is in none of them. */
const NATURAL_EARTH_LANGUAGES = 'ar bn de el en es fa fr he hi hu id it ja ko nl pl pt ru sv tr uk ur vi zh'.split(' ');

/** The known schemas, the most specific first. */
export const SCHEMAS: readonly Schema[] = [
  // GADM 3.6 and later
  {
    ...GADM,
    gid: (n) => [`GID_${n}`],
    names: (n) => [`NAME_${n}`, ...(n === 0 ? ['COUNTRY'] : [])],
    otherNames: (n) => [`VARNAME_${n}`, `NL_NAME_${n}`],
  },
  // GADM 2
  {
    ...GADM,
    marker: 'ID_0',
    gid: (n) => ['ISO', ...LEVELS.slice(1, n + 1).map((level) => `ID_${level}`)],
    names: (n) => [`NAME_${n}`, ...(n === 0 ? ['NAME_ENGLI', 'NAME_ENGLISH'] : [])],
  },
  // OCHA COD, also with names as long as those of a Shapefile; the GIDs are its codes
  ...[(n: Level) => `ADM${n}_PCODE`, (n: Level) => `admin${n}Pcode`, (n: Level) => `admin${n}Pcod`].map(
    (gid): Schema => ({
      gid: (n) => [gid(n)],
      names: (n) => [
        ...['EN', 'FR', 'ES', 'PT', 'NAME'].map((name) => `ADM${n}_${name}`),
        ...['', '_en', '_fr', '_es', '_pt'].map((language) => `admin${n}Name${language}`),
      ],
      languages: (n) =>
        OCHA_LANGUAGES.flatMap((tag): KnownColumn[] => [
          [tag, `ADM${n}_${tag}`],
          [tag, `admin${n}Name_${tag}`],
        ]),
      hasLines: true,
    }),
  ),
  // Natural Earth: its codes of the areas without one are in the columns that end in EH
  {
    marker: 'ADM0_A3',
    languages: () => [
      ...NATURAL_EARTH_LANGUAGES.map((tag): KnownColumn => [tag, `NAME_${tag}`]),
      ['zh-Hant', 'NAME_ZHT'],
    ],
    // Units of other levels have those of their country.
    codes: (n) =>
      n === 0
        ? [
            ['iso2', 'ISO_A2_EH'],
            ['iso2', 'ISO_A2'],
            ['iso3', 'ISO_A3_EH'],
            ['iso3', 'ISO_A3'],
          ]
        : [['iso-3166-2', 'iso_3166_2']],
  },
  // Eurostat and the Census Bureau of the United States
  {
    codes: () => [
      ['nuts', 'NUTS_ID'],
      ['geoid', 'GEOID'],
      ['fips', 'FIPS'],
    ],
  },
];

/** Names of columns that hold names in datasets without a known schema, some of them national. */
export const NAME_COLUMNS: readonly string[] = [
  ...['NAME', 'shapeName', 'NAME_LATN', 'NUTS_NAME', 'ADMIN', 'NAME_EN'],
  ...['NOM', 'NOMGEO', 'GEN', 'navn'],
];
