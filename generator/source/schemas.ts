// The schemas of published boundary datasets: which columns hold the GIDs and names of each level.
import { LEVELS, type Level } from '../../format/levels.ts';

/** A family of column names. Names are compared without regard to case. */
export interface Schema {
  name: string;
  /** A column that only layers of this schema have; undefined if the columns of the GIDs are enough. */
  marker?: string;
  /** The columns of the GIDs of level n; the values of several are joined with dots. */
  gid(n: Level): string[];
  /** The columns that may hold the names of the units of level n, the best first. */
  names(n: Level): string[];
}

/** The known schemas, the most specific first. */
export const SCHEMAS: readonly Schema[] = [
  {
    name: 'GADM 3.6 and later',
    gid: (n) => [`GID_${n}`],
    names: (n) => [`NAME_${n}`, ...(n === 0 ? ['COUNTRY'] : [])],
  },
  {
    name: 'GADM 2',
    marker: 'ID_0',
    gid: (n) => ['ISO', ...LEVELS.slice(1, n + 1).map((level) => `ID_${level}`)],
    names: (n) => [`NAME_${n}`, ...(n === 0 ? ['NAME_ENGLI', 'NAME_ENGLISH'] : [])],
  },
  {
    name: 'OCHA COD',
    gid: (n) => [`ADM${n}_PCODE`],
    names: (n) => [`ADM${n}_EN`, `ADM${n}_FR`, `ADM${n}_ES`, `ADM${n}_PT`, `ADM${n}_NAME`],
  },
];

/** Names of columns that hold names in datasets without a known schema. */
export const NAME_COLUMNS: readonly string[] = ['NAME', 'shapeName', 'NAME_LATN', 'NUTS_NAME', 'ADMIN', 'NAME_EN'];
