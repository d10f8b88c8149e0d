// Which columns of a table have the points: by their usual names, or as they are named.
import { elementAt } from '../../format/element-at.ts';
import { plainDecimal } from '../../format/grid.ts';
import { OptionError, StartError } from '../config/start-error.ts';
import { type ColumnChoice, refuseSameNames, shownColumns, type Table } from '../tables/table.ts';

/** The columns that were named. */
export interface NamedColumns {
  longitude?: string | undefined;
  latitude?: string | undefined;
}

/** Numbers of two columns, from 0. */
export interface CoordinateColumns {
  longitude: number;
  latitude: number;
}

type Pair = readonly [longitude: string, latitude: string];

/** What such columns are usually called, in lower case. */
const USUAL: readonly Pair[] = [
  ['longitude', 'latitude'],
  ['decimallongitude', 'decimallatitude'],
  ['lon', 'lat'],
  ['lng', 'lat'],
  ['long', 'lat'],
];
/** In other languages; French and Portuguese have the English words. */
const TRANSLATED: readonly Pair[] = [
  ['longitud', 'latitud'],
  ['longitudine', 'latitudine'],
  ['längengrad', 'breitengrad'],
  ['laengengrad', 'breitengrad'],
  ['lengtegraad', 'breedtegraad'],
  ['lengdegrad', 'breddegrad'],
  ['længdegrad', 'breddegrad'],
  ['długość geograficzna', 'szerokość geograficzna'],
  ['zeměpisná délka', 'zeměpisná šířka'],
  ['longitudine geografică', 'latitudine geografică'],
  ['долгота', 'широта'],
  ['довгота', 'широта'],
  ['γεωγραφικό μήκος', 'γεωγραφικό πλάτος'],
  ['boylam', 'enlem'],
  ['خط الطول', 'خط العرض'],
  ['देशांतर', 'अक्षांश'],
  ['দ্রাঘিমাংশ', 'অক্ষাংশ'],
  ['bujur', 'lintang'],
  ['kinh độ', 'vĩ độ'],
  ['ลองจิจูด', 'ละติจูด'],
  ['经度', '纬度'],
  ['經度', '緯度'],
  ['経度', '緯度'],
  ['경도', '위도'],
];
/** These may be something else: other names come first. */
const DOUBTFUL: readonly Pair[] = [
  ['länge', 'breite'],
  ['laenge', 'breite'],
  ['x', 'y'],
];

/** A number as many languages write it. Where the separator is a comma, it may be two values. */
const DECIMAL_COMMA = /^(-?\d+),(\d+(?:e[+-]?\d+)?)$/i;

/** Which columns of a table have the points. @param named both or none */
export function placeChoice(named: NamedColumns): ColumnChoice<CoordinateColumns> {
  return {
    choose: (header) => placeColumns(header, named),
    refusal: (header) => noPlaceColumns(header, named),
  };
}

/** The point of a row: with a decimal point, also where the table has a comma and another separator. */
export function pointIn(
  values: readonly string[],
  { columns, separator }: Pick<Table<CoordinateColumns>, 'columns' | 'separator'>,
): [longitude: string, latitude: string] {
  const decimal = (column: number): string => {
    const text = elementAt(values, column).trim();
    return plainDecimal(text.replace(DECIMAL_COMMA, separator === ',' ? '$&' : '$1.$2'));
  };
  return [decimal(columns.longitude), decimal(columns.latitude)];
}

/**
 * The columns of longitudes and latitudes.
 * @param named both or none
 * @returns undefined if the table has no such columns
 * @throws OptionError if one is named without the other; StartError if there are two of that name
 */
function placeColumns(header: readonly string[], { longitude, latitude }: NamedColumns): CoordinateColumns | undefined {
  if (longitude !== undefined && latitude !== undefined) return pairIn(header, [longitude, latitude]);
  if (longitude !== undefined || latitude !== undefined) {
    const [given, other] = longitude === undefined ? ['latitude', 'longitude'] : ['longitude', 'latitude'];
    throw new OptionError('one column without the other', `--${given}`, `name both: add --${other}`);
  }
  const names = header.map((name) => name.trim().normalize().toLowerCase());
  for (const pair of [...USUAL, ...TRANSLATED, ...DOUBTFUL]) {
    const columns = pairIn(names, pair);
    if (columns !== undefined) return columns;
  }
  return undefined;
}

/** @throws StartError if there are two of a name */
function pairIn(names: readonly string[], pair: readonly [string, string]): CoordinateColumns | undefined {
  const [longitude, latitude] = [names.indexOf(pair[0]), names.indexOf(pair[1])];
  if (longitude === -1 || latitude === -1) return undefined;
  for (const name of pair) refuseSameNames(names, name, 'rename one, or name others: --longitude, --latitude');
  return { longitude, latitude };
}

/** An error that says which columns there are. */
function noPlaceColumns(header: readonly string[], { longitude, latitude }: NamedColumns): StartError {
  const there = shownColumns(header);
  if (longitude !== undefined && latitude !== undefined)
    return new OptionError(
      `not both in the table; ${there}`,
      `--longitude ${longitude} --latitude ${latitude}`,
      'name columns of the table',
    );
  const usual = USUAL.map((pair) => pair.join(' and ')).join('; ');
  return new StartError(
    `no columns with longitude and latitude; ${there}`,
    'the first line',
    `name them: --longitude NAME --latitude NAME (found by themselves: ${usual}; x and y; and in other languages)`,
  );
}
