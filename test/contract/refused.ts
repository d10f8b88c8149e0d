// Requests that are refused with 400, by what is wrong with them.
import { GEOMETRIES, LEVELS, levelName } from '../../format/levels.ts';
import type { ProblemCode } from '../../proxy/http/problem.ts';

/** A path below /api/v1/ with its query, the code that it gets, and what the detail says. */
type Refused = readonly [path: string, code: ProblemCode, detail?: RegExp];

const UNITS = 'download/lv2.geojsonl.gz';
const ITEMS = 'ogc/collections/lv2/items';
const FILES = LEVELS.map((level) => `names/${levelName(level)}`);
const OF_OGC = ['', '/conformance', '/api', '/collections', '/collections/lv2', '/collections/lv2/items/1'];

function each(path: string, ends: readonly string[], code: ProblemCode, detail = /./): Refused[] {
  return ends.map((end) => [path + end, code, detail]);
}

export const REFUSED: Readonly<Record<string, readonly Refused[]>> = {
  'a page-size that is no decimal integer of at least 1': each(
    'fc/lv0?page-size=',
    '|0|000|-1|+1|%2B1|1.0|1e1|0x5|ten|%20|1%20|1,2|%D9%A1|NaN'.split('|'),
    'bad-parameter',
    /page-size .*at least 1/,
  ),
  'a start that is neither a fid nor a cursor': ['start-at', 'start-after'].flatMap((name) => [
    ...each(`fc/lv0?${name}=`, ['', '9007199254740992', '99999999999999999999'], 'bad-parameter', /cursor/),
    ...each(`fc/lv0?${name}=`, ['-1', '1.5', '1e3', 'abc', '%20', '0x1', 'c_', 'c_AAAA'], 'bad-cursor'),
  ]),
  'start-at and start-after together': [['fc/lv0?start-at=1&start-after=1', 'bad-parameter', /start-at.*start-after/]],
  'a filter below the level, and an empty one': LEVELS.flatMap((level): Refused[] => [
    ...LEVELS.filter((column) => column > level).map((column): Refused => {
      const detail = new RegExp(`gid-${column} .*gid-0 to gid-${level}`);
      return [`fc/${levelName(level)}?gid-${column}=x`, 'bad-parameter', detail];
    }),
    ...each(`fc/${levelName(level)}?`, ['gid-0=', 'gid-0'], 'bad-parameter', /gid-0/),
  ]),
  'a parameter that is given twice': [
    ...each(
      'fc/lv1?',
      [
        ...['page-size=2', 'geometry=low'].map((pair) => `${pair}&${pair}`),
        'gid-0=a&gid-0=b',
        'start-at=1&page-size=1&start%2Dat=2',
      ],
      'duplicate-parameter',
      /^(page-size|gid-0|start-at|geometry) occurs more than once; .* as one value: (?!west)./,
    ),
    ['fc/lv1?bbox=1&bbox=2&bbox=3&bbox=4', 'duplicate-parameter', /^bbox .* as one value: west,south,east,north/],
    ...each('fc/lv1?', ['bbox=1,2,3,4&bbox=1,2,3,4', 'contains=1,2&contains=1,2'], 'duplicate-parameter'),
    [`${UNITS}?release=r1&release=r1`, 'duplicate-parameter'],
    ['at?point=1,2&point=1,2', 'duplicate-parameter', /point/],
    ['search?q=a&q=b', 'duplicate-parameter'],
    [`${ITEMS}?limit=3&limit=4`, 'duplicate-parameter'],
    [`${ITEMS}?GID_0=A&limit=3&GID_0=B`, 'duplicate-parameter', /^GID_0 occurs more than once; .*: the GID of a unit/],
  ],
  'a geometry that is none': LEVELS.flatMap((level) => [
    ...['small', 'Low', 'low,none', '%20', ''].map((value): Refused => {
      const detail = `^geometry is "${decodeURIComponent(value)}"\\. Allowed: one of ${GEOMETRIES.join(', ')}\\.$`;
      return [`fc/${levelName(level)}?geometry=${value}`, 'bad-parameter', new RegExp(detail)];
    }),
    [`fc/${levelName(level)}?geometry`, 'bad-parameter'] as const,
  ]),
  'a query that is not percent-encoded UTF-8': [
    ...each(
      'fc/lv1?gid-0=',
      ['%', '%4', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%f8%88%80%80%80', 'a%e2%82'],
      'bad-encoding',
    ),
    [`${ITEMS}?GID_0=%FF`, 'bad-encoding'],
  ],
  'a token in the query': [['fc/lv2?access_token=x', 'token-in-query']],
  'a box or a point that is none, with the order that is meant': placesThatAreNone(),
  'what a page has, of a download': [
    ...each(
      `${UNITS}?`,
      ['page-size=3', 'start-at=1', 'start-after=1', 'limit=3'],
      'unknown-parameter',
      /Allowed: gid-0, gid-1, gid-2, .*geometry, release\.$/,
    ),
    ['fc/lv2?release=r1', 'unknown-parameter', /Allowed: (?!.*release)/],
    ...each(`${UNITS}?`, ['gid-3=x', 'gid-0=', 'release=', 'geometry=high'], 'bad-parameter'),
  ],
  'an empty text for neighbours, and any parameter of their table but the release': [
    ...each('', ['fc/lv2?touches=', `${UNITS}?touches=`, `${ITEMS}?touches=`], 'bad-parameter', /^touches is empty/),
    ['fc/lv2?touches=a&touches=b', 'duplicate-parameter', /^touches occurs more than once/],
    ...['neighbours.csv.gz', 'parquet'].flatMap((name) =>
      each(`download/lv2.${name}?`, ['touches=a', 'gid-0=a', 'limit=1'], 'unknown-parameter', /: release\.$/),
    ),
  ],
  'any parameter of cells but the release': each(
    'download/lv2.cells?',
    ['gid-0=U0.3_1', 'geometry=low', 'bbox=1,2,3,4', 'contains=1,2', 'page-size=1'],
    'unknown-parameter',
    /Allowed: release\.$/,
  ),
  'any parameter of a file': FILES.flatMap((path) =>
    each(
      `${path}?`,
      ['page-size=1', 'start-at=1', 'gid-0=AAA', 'release=r2', 'lang=fr', 'x'],
      'unknown-parameter',
      /Allowed: none: this is all of lv\d\. Some of its units: \/api\/v1\/geojsonl\/lv\d\?gid-0=<GID>&geometry=none\.$/,
    ),
  ),
  'children of no unit, of a level without a GID, and what children do not have': [
    ['children?gid=', 'bad-parameter', /^gid is empty/],
    ['children?level=lv0', 'bad-parameter', /^level /],
    ['children?gid=a&level=lv6', 'bad-parameter', /^level is "lv6"/],
    ['children?gid=a&gid=b', 'duplicate-parameter', /^gid occurs more than once/],
    ['children?page-size=0', 'bad-parameter', /^page-size is "0"/],
    ['children?lang=fr', 'bad-parameter', /^lang is "fr"\. Allowed: none/],
    ['children?geometry=low', 'unknown-parameter', /Allowed: gid, level, /],
  ],
  'a point of all levels that is none': [
    ['at', 'bad-parameter', /point is missing.*longitudes.*before latitudes/],
    ['at?point=', 'bad-parameter', /point is empty.*longitudes.*before latitudes/],
    ['at?point=1', 'bad-parameter', /1 value, not 2/],
    ['at?point=1,2,3', 'bad-parameter', /3 values, not 2/],
    ['at?point=40.4,-103', 'bad-parameter', /"-103" is no latitude.*longitudes.*before latitudes/],
    ['at?point=181,0', 'bad-parameter', /"181" is no longitude/],
    ['at?point=1e3,0', 'bad-parameter', /"1e3" is no longitude/],
    ['at?point=1,2&geometry=small', 'bad-parameter', /geometry is "small".*full, medium, low, point, none/],
    ['at?point=1,2&geometry=', 'bad-parameter', /geometry is ""/],
    ['at?point=1,2&page-size=1', 'unknown-parameter', /Allowed: point, geometry, lang\./],
    ['at?contains=1,2', 'unknown-parameter', /"contains" is not a parameter/],
  ],
  'a search for nothing, for too much, or for too many': [
    ['search', 'bad-parameter', /^q is missing\. Allowed: the beginning of .* 1 to 100 characters/],
    ['search?q=', 'bad-parameter', /^q is empty\. Allowed: /],
    ['search?q=%20', 'bad-parameter', /^q is " "\. Allowed: .*at least one of them a letter or digit/],
    ['search?q=...%2C%21', 'bad-parameter', /^q is .*at least one of them a letter or digit/],
    [`search?q=${'a'.repeat(101)}`, 'bad-parameter', /^q has 101 characters\. Allowed: .*1 to 100/],
    [`search?q=${encodeURIComponent('𐌰'.repeat(101))}`, 'bad-parameter', /^q has 101 characters/],
    ...each('search?q=a&limit=', ['0', '101', '1.5'], 'bad-parameter', /^limit is ".+"\. Allowed: .* from 1 to 100/),
    ['search?q=a&level=lv9', 'bad-parameter', /^level is "lv9"\. Allowed: some of lv0, lv1, lv2, lv3, lv4, lv5/],
    ...each('search?q=a&level=', ['lv1,', 'lv1,lv1'], 'bad-parameter', /^level is "lv1,/),
    ['search?q=a&level=lv1&gid-2=A', 'bad-parameter', /^gid-2 is not a filter of lv1\. Allowed: gid-0 to gid-1/],
    ['search?q=a&geometry=small', 'bad-parameter', /^geometry is "small"\. Allowed: one of full/],
    ['search?q=a&page-size=1', 'unknown-parameter'],
  ],
  'what is no limit, bbox, datetime, geometry or cursor of items': [
    ...each(`${ITEMS}?limit=`, ['0', '-1', 'ten', '1.5', '', '%201', '0x5'], 'bad-parameter', /limit/),
    ...each(
      `${ITEMS}?bbox=`,
      '1,2,3|1,2,x,4|1,2,,4|1,50,2,40|1,91,2,92|-181,0,0,1|1,2,x,3,4,5|Infinity,0,1,1|1,2,3,4,5,6,7|1e999,2,3,4|'.split(
        '|',
      ),
      'bad-parameter',
      /^bbox/,
    ),
    [
      `${ITEMS}?bbox=1,2,3,4,5`,
      'bad-parameter',
      /^bbox.*5 values, not 4 or 6\. Allowed: .* or six numbers with heights\.$/,
    ],
    ...each(
      `${ITEMS}?datetime=`,
      [
        ...['yesterday', '2018-13-01', '2018-02-12T00:00:00', '../..', '/', '2019-01-01/2018-01-01', '2018/2019/2020'],
        ...['2018-02-30T00:00:00Z', '2023-02-29', '2018-04-31/..', '2016-12-31T23:60:00Z', '2018-02-12T24:00:00Z'],
        ...['2016-12-31T12:00:60Z', '2018-02-12T00:00:00%2B24:00', '../2018-02-12T00:61:00Z'],
        ...['2026-11-23Tx:60Z', '2026-11-23Tx:60Z/..', '2026-11-30:60', `2026-11-23T00:00:60.${'1'.repeat(4_000)}Z`],
      ],
      'bad-parameter',
      /^datetime/,
    ),
    [`${ITEMS}?geometry=small`, 'bad-parameter'],
    [`${ITEMS}?GID_0=`, 'bad-parameter', /GID_0 is empty/],
    [`${ITEMS}?start-at=c_damaged`, 'bad-cursor'],
  ],
  'a parameter that items and documents of OGC API - Features do not have': [
    ...each(
      `${ITEMS}?`,
      ['page-size', 'gid-0', 'GID_3', 'gid_0', 'toString', '__proto__', 'F', 'bbox-crs', ''].map((name) => `${name}=1`),
      'unknown-parameter',
      /limit, bbox, touches, datetime, geometry, start-at, f, GID_0, GID_1, GID_2\.$/,
    ),
    // Without a value, too.
    ...each(`${ITEMS}?`, ['foo=', 'foo', '='], 'unknown-parameter'),
    [`${ITEMS}/1?limit=1`, 'unknown-parameter'],
    ['ogc?g=json', 'unknown-parameter'],
  ],
  'any format of OGC API - Features but json': [
    ...OF_OGC,
    '/collections/lv2/queryables',
    '/collections/lv2/schema',
  ].flatMap((path) => each(`ogc${path}?f=`, ['html', 'JSON', 'geojson', ''], 'bad-parameter', /^f .*json/)),
};

function placesThatAreNone(): Refused[] {
  const wrong: readonly (readonly [query: string, detail: string])[] = [
    ['bbox=', 'bbox is empty'],
    ['bbox=1,2,3', '"1,2,3": 3 values, not 4'],
    ['bbox=1,2,3,4,5', '5 values, not 4'],
    ['bbox=1,2,3,', '"" is no latitude'],
    ['bbox=1;2;3;4', '1 value, not 4'],
    ['bbox=1,2,3,1.9999999', 'south is greater than its north'],
    ['bbox=0,0,180.0000001,1', '"180.0000001" is no longitude'],
    ['bbox=0,-90.00000000000000000001,1,1', '"-90.00000000000000000001" is no latitude'],
    ['bbox=0,0,1,91', '"91" is no latitude'],
    ['contains=40.4168,-103.7038', '"-103.7038" is no latitude'],
    ['contains=40.4168', '1 value, not 2'],
    ['contains=1,2,3', '3 values, not 2'],
    ['contains=181,0', '"181" is no longitude'],
    ['contains=', 'contains is empty'],
    ...[
      'NaN',
      'Infinity',
      '-Infinity',
      '1e',
      '1e1.5',
      '1e1000',
      '0x1',
      '%2B1',
      '1.',
      '.5',
      '--1',
      '+1',
      '%00',
      '１',
      '1_0',
    ].flatMap(
      (value) =>
        [
          [`bbox=${encodeURI(value)},0,1,1`, 'is no longitude'],
          [`contains=0,${encodeURI(value)}`, 'is no latitude'],
        ] as const,
    ),
  ];
  const order = 'longitudes from -180 to 180 before latitudes from -90 to 90';
  return wrong.map(([query, detail]) => [`fc/lv1?${query}`, 'bad-parameter', new RegExp(`${detail}.*${order}`)]);
}
