// The parameters of place: longitude comes first, as in GeoJSON.
import { boxFrom } from '../../../format/boxes.ts';
import { isDecimal, plainDecimal } from '../../../format/grid.ts';
import type { Level } from '../../../format/levels.ts';
import { quote } from '../../http/problem.ts';
import { badParameter, type Given, Parameter } from '../../query/parameter.ts';
import type { AskedBox } from './find-in-box.ts';
import type { Degrees } from './level-places.ts';

const DEGREES = 'plain decimal degrees, longitudes from -180 to 180 before latitudes from -90 to 90';
const DECIMALS = '(\\.\\d{1,40})?';
const NONE = '(\\.0{1,40})?';
/** As programs write what is close to 0. */
const SMALL = '\\d(\\.\\d{1,20})?[eE]-\\d{1,2}';
const LONGITUDE = `-?(180${NONE}|(1[0-7]\\d|0?\\d{1,2})${DECIMALS}|${SMALL})`;
const LATITUDE = `-?(0?90${NONE}|0?[0-8]?\\d${DECIMALS}|${SMALL})`;
const POINT_SCHEMA = { type: 'string', pattern: `^${LONGITUDE},${LATITUDE}$` };
const EXAMPLE_POINT = '-3.7038,40.4168';

/** The box that the features have a point in. */
export const BBOX: Parameter<AskedBox> = new Parameter({
  name: 'bbox',
  rule: () => `west,south,east,north in ${DEGREES}; west > east crosses the antimeridian`,
  parse: (given, level) => boxOf(given, level),
  document: () => ({
    component: 'bbox',
    description:
      'Only features with a point in this bounding box, its border included: west,south,east,north in degrees, also with an exponent. If west > east, the box crosses the antimeridian (RFC 7946, section 5.2). The full geometry decides, whichever geometry you ask for. Where a release has no cells, or a level has units that are no polygons or have no area, bounding boxes are compared instead. Features without geometry never match.',
    schema: { type: 'string', pattern: `^${LONGITUDE},${LATITUDE},${LONGITUDE},${LATITUDE}$` },
    example: '-3.9,40.3,-3.5,40.6',
  }),
});

/** The point that the features contain. */
export const CONTAINS: Parameter<Degrees> = new Parameter({
  name: 'contains',
  rule: () => `longitude,latitude in ${DEGREES}`,
  parse: pointIn,
  document: () => ({
    component: 'contains',
    description:
      'Only features that contain this point (point-in-polygon): longitude,latitude in degrees, also with an exponent. The full geometry decides, whichever geometry you ask for. A point on a border that two units share is in exactly one of them. A release may have been built without this.',
    schema: POINT_SCHEMA,
    example: EXAMPLE_POINT,
  }),
});

/** The point at which units of all levels are asked for. */
export const POINT: Parameter<Degrees> = CONTAINS.as({
  name: 'point',
  document: () => ({
    component: 'at-point',
    required: true,
    description:
      'longitude,latitude in degrees, also with an exponent. A point on a border is in exactly one of the units that share it. If nothing is at the point but something is at latitude,longitude, Link leads there with rel="alternate".',
    schema: POINT_SCHEMA,
    example: EXAMPLE_POINT,
  }),
});

function pointIn(given: Given, level: Level): Degrees {
  const [longitude = '', latitude = ''] = degreesIn(given, given.text, 2, level);
  return { longitude, latitude };
}

/**
 * A box.
 * @param text the four numbers, if they were not written so
 * @param counts how many numbers there may be
 * @throws Problem bad-parameter
 */
export function boxOf(given: Given, level: Level, text: string = given.text, counts = '4'): AskedBox {
  const decimals = degreesIn(given, text, 4, level, counts);
  const rounded = boxFrom(decimals);
  if (rounded === undefined)
    throw badParameter(BBOX.name, `is ${quote(text)}, whose south is greater than its north`, BBOX.rule(level));
  return { decimals, rounded };
}

/** Longitudes and latitudes by turns. */
function degreesIn({ name, parameter }: Given, text: string, count: number, level: Level, counts = String(count)) {
  const values = text.split(',').map(plainDecimal);
  const rule = parameter?.rule(level) ?? '';
  if (values.length !== count)
    throw badParameter(
      name,
      `is ${quote(text)}: ${values.length === 1 ? '1 value' : `${values.length} values`}, not ${counts}`,
      rule,
    );
  for (const [i, value] of values.entries()) {
    const [what, most] = i % 2 === 0 ? (['longitude', 180] as const) : (['latitude', 90] as const);
    if (!isDecimal(value, most))
      throw badParameter(name, `is ${quote(text)}: ${quote(text.split(',')[i] ?? '')} is no ${what}`, rule);
  }
  return values;
}
