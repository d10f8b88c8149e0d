// The results of commands as plain-text tables, numbers aligned to the right. They are one file because `build` and its
// dry run print the same lines about boxes and quality, and every command the same kind of table.
import { CHANGE_CLASSES } from '../../format/changes.ts';
import { printable } from '../../format/command-line/messages.ts';
import type { Finding } from '../../format/findings.ts';
import { GEOMETRIES, type Level, levelName, type StoredPages } from '../../format/levels.ts';
import type { RecordedBuild } from '../../format/recorded-build.ts';
import { forbidsRedistribution } from '../../format/redistribution.ts';
import type { Release } from '../../format/release-json.ts';
import type { LevelChanges } from '../changes/changes.ts';
import type { Forecast } from '../estimate/estimate.ts';
import { findingToText } from '../quality/check.ts';
import { changeCounts } from '../release/changes-files.ts';
import type { ListedRelease } from '../release/manage.ts';
import type { Phase } from '../report/phases.ts';
import { wayToText } from '../source/layer-crs.ts';
import { NESTING_MIN } from '../topology/nesting.ts';

/** Rows as aligned lines; numbers are grouped by thousands and aligned to the right. */
export function tableOf(rows: readonly (readonly (string | number)[])[]): string {
  const isNumber = rows.at(-1)?.map((cell) => typeof cell === 'number') ?? [];
  const text = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : printable(cell))),
  );
  const widths = isNumber.map((_, i) => Math.max(...text.map((row) => row[i]?.length ?? 0)));
  const align = (cell: string, i: number): string =>
    isNumber[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0);
  return text.map((row) => row.map(align).join('  ').trimEnd()).join('\n');
}

/** A build's summary. @param like the release whose options it took */
export function buildTable({ levels, crs, licence, attribution, quality }: Release, like?: RecordedBuild): string {
  const published = levels.filter(({ layer }) => layer !== '');
  const rows = published.map(({ level, layer, features, listings, pages, bytes, featureFiles, geometries, extent }) => {
    const other = Object.values(geometries).reduce((sum, geometry) => sum + geometry.featureFiles.bytes, 0);
    const counts = [features, listings, pages.geojsonl, pages.fc, bytes, featureFiles.files, featureFiles.bytes, other];
    return [levelName(level), layer, ...counts, boxOf(extent)];
  });
  const head = ['level', 'layer', 'features', 'listings', 'geojsonl pages', 'fc pages', 'bytes'];
  return [
    tableOf([[...head, 'feature files', 'bytes', 'other geometries', BOX], ...rows, totalOf(rows)]),
    ...smallLines(levels),
    ...nestingLines(levels),
    ...positionLines(levels),
    ...heavierLines(levels),
    ...crsLines(crs),
    ...licenceLines({ licence, attribution }, like),
    ...qualityLines(quality),
  ].join('\n');
}

/** What each phase of a build took. */
export function phaseTable(phases: readonly Phase[]): string {
  const rows = phases.map(({ phase, tasks, seconds, cpuSeconds, largestBytes }) => {
    const [time, cpu] = [seconds, cpuSeconds].map((value) => Math.round(10 * value) / 10);
    return [phase, tasks, time ?? 0, cpu ?? 0, Math.round(largestBytes / 1e6)];
  });
  return tableOf([['phase', 'tasks', 'seconds', 'CPU seconds', 'largest process, MB'], ...rows]);
}

/** The head of the column of boxes. */
const BOX = 'west south east north';
/** In metres; the circumference of the Earth has 360 degrees. */
const DEGREE_METRES = 111_195;
const SMALL_METRES = 1_000;

/** The box of a level in degrees: who knows the place sees a wrong CRS, and axes that were exchanged. */
function boxOf(extent: readonly number[] | undefined): string {
  return extent === undefined ? '-' : extent.map((edge) => Number(edge.toFixed(4))).join(' ');
}

/** The levels whose box has less than a kilometre. */
function smallLines(levels: readonly { level: Level; extent?: readonly number[] | undefined }[]): string[] {
  return levels.flatMap(({ level, extent }) => {
    if (extent === undefined) return [];
    const [west = 0, south = 0, east = 0, north = 0] = extent;
    const width = (east - west) * DEGREE_METRES * Math.cos((((south + north) / 2) * Math.PI) / 180);
    const metres = Math.max(width, (north - south) * DEGREE_METRES);
    if (metres >= SMALL_METRES) return [];
    return ['', `${levelName(level)} has ${Math.round(metres)} metres in all: are its CRS and its coordinates right?`];
  });
}

/** How levels nest, in one line, and the levels that do not, one a line. */
function nestingLines(levels: readonly { level: Level; features: number; nesting: number | null }[]): string[] {
  const filled = levels.filter(({ features }) => features > 0);
  const shares = filled.flatMap(({ level, nesting }, i) => {
    const next = filled[i + 1];
    if (nesting === null || next === undefined) return [];
    // Rounded down: 1.000 is all of them.
    const share = (Math.floor(1000 * nesting) / 1000).toFixed(3);
    return [{ level: levelName(level), next: levelName(next.level), nesting, share }];
  });
  if (shares.length === 0) return [];
  const all = shares.map(({ level, next, share }) => `${level} in ${next} ${share}`);
  const apart = shares.filter(({ nesting }) => nesting < NESTING_MIN);
  return [
    '',
    `How levels nest (1.000: the next level has all edges of a level, too): ${all.join(', ')}`,
    ...apart.map(
      ({ level, next }) =>
        `${level} does not nest: its borders differ from those of ${next}, in simplified geometries, too`,
    ),
  ];
}

/** The simplified geometries that have more bytes than the full one, one a line. */
function heavierLines(levels: Release['levels']): string[] {
  const full = levels.reduce((sum, { featureFiles }) => sum + featureFiles.bytes, 0);
  const lines = (['medium', 'low'] as const).flatMap((geometry) => {
    if (levels.reduce((sum, level) => sum + (level.geometries[geometry]?.featureFiles.bytes ?? 0), 0) <= full)
      return [];
    const others = GEOMETRIES.filter((other) => other !== geometry).join();
    return [`${geometry} has more bytes than full, as the source is so simple; without it: --geometry ${others}`];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

/** A simplified geometry that leaves out less than this share of the positions is of no use. */
const USEFUL_SHARE = 0.1;

/** How many positions each simplified geometry keeps of those of the full one, and where this is nearly all. */
function positionLines(levels: Release['levels']): string[] {
  const rows = (['medium', 'low'] as const).flatMap((geometry) => {
    const shares = levels.flatMap(({ level, positions = 0, geometries }) => {
      const kept = geometries[geometry]?.positions;
      return kept === undefined || positions === 0 ? [] : [{ level: levelName(level), full: positions, kept }];
    });
    if (shares.length === 0) return [];
    const full = shares.reduce((sum, own) => sum + own.full, 0);
    const kept = shares.reduce((sum, own) => sum + own.kept, 0);
    const useless = shares.filter((own) => own.kept > (1 - USEFUL_SHARE) * own.full).map(({ level }) => level);
    const others = GEOMETRIES.filter((other) => other !== geometry).join();
    const advice =
      kept > (1 - USEFUL_SHARE) * full ? `: useless for this source; without it: --geometry ${others}` : '';
    return [
      `${geometry} keeps ${percentOf(kept, full)} of the ${full.toLocaleString('en')} positions${advice}`,
      ...(useless.length === 0 || advice !== ''
        ? []
        : [`${geometry} saves less than a tenth in ${useless.join(', ')}`]),
    ];
  });
  return rows.length === 0 ? [] : ['', ...rows];
}

function percentOf(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

/** The CRS of the source, one a line, but for those that are WGS 84 or only a projection of it. */
function crsLines(all: Release['crs'] = []): string[] {
  const lines = all.flatMap(({ layers: [first = '', ...others], crs, origin, operations, accuracy }) => {
    const isExact = operations.length === 0 && accuracy === 0;
    if (isExact && origin === 'source') return [];
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    const by = isExact ? '' : wayToText(operations, accuracy);
    return [`  ${printable(first)}${more}: ${origin === 'assumed' ? 'no CRS, taken for ' : ''}${crs}${by}`];
  });
  return lines.length === 0 ? [] : ['', 'Coordinates, brought to WGS 84:', ...lines];
}

/** Whose data it is, and what may be done with it. */
function licenceLines(
  { licence, attribution }: Pick<Release, 'licence' | 'attribution'>,
  like?: RecordedBuild,
): string[] {
  const forbidden = forbidsRedistribution({ licence, attribution });
  const lines = [
    ...(attribution.length === 0 ? noCreditLines(like) : attribution.map((credit) => `Credit: ${printable(credit)}`)),
    ...(licence === undefined ? [] : [`Licence: ${printable(licence)}`]),
    ...(forbidden === undefined
      ? []
      : ['The licence forbids redistribution: do not serve this release with --public.']),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** What to do where nobody is credited; the credits of a release whose source had them are no options of it. */
function noCreditLines({ release, attribution: credits = [] }: Partial<RecordedBuild> = {}): string[] {
  const line = 'Credit: none. Name the owner of the data with --attribution TEXT, and its licence with --licence ID.';
  const quoted = credits.map((credit) => JSON.stringify(printable(credit)));
  return credits.length === 0
    ? [line]
    : [line, `Release ${release} has credits; if the data is of the same owners: --attribution ${quoted.join(' ')}`];
}

/** The problems of the data, one a line. */
function qualityLines(quality: readonly Finding[]): string[] {
  return quality.length === 0 ? [] : ['', 'Data quality:', ...quality.map((finding) => `  ${findingToText(finding)}`)];
}

/** The estimate of `build --dry-run`: files and bytes for each choice of --pages. */
export function forecastTable({ quality, levels, releases }: Forecast): string {
  const rows = levels.map(({ level, layer, features, listings, featureFiles, pages, extent }) => {
    const pagesOf = (choice: StoredPages): number => pages[choice].geojsonl + pages[choice].fc;
    return [
      levelName(level),
      layer || '-',
      features,
      listings,
      featureFiles,
      pagesOf('unfiltered'),
      pagesOf('all'),
      boxOf(extent),
    ];
  });
  const head = ['level', 'layer', 'features', 'listings', 'feature files', 'unfiltered pages', 'all pages', BOX];
  const choices = releases.map(({ pages, files, bytes, space }) => {
    return [`--pages ${pages}`, files, bytes.least, bytes.most, space];
  });
  return [
    tableOf([head, ...rows, totalOf(rows)]),
    ...smallLines(levels),
    '',
    tableOf([['', 'files', 'least bytes', 'most bytes', 'on disk until it ends'], ...choices]),
    ...qualityLines(quality),
  ].join('\n');
}

/** The sums of the columns that hold numbers. */
function totalOf(rows: readonly (readonly (string | number)[])[]): (string | number)[] {
  const [first = []] = rows;
  return first.map((cell, column) => {
    if (typeof cell !== 'number') return column === 0 ? 'total' : '';
    return rows.reduce((sum, row) => sum + Number(row[column]), 0);
  });
}

/** What became of the units between two releases: rows by class, how much the borders of a source may have moved. */
export function changesTable(levels: readonly LevelChanges[]): string {
  const rows = levels.map(({ level, compared, rows: own }) => {
    const counts = changeCounts(own);
    return [levelName(level), compared.from, compared.to, ...CHANGE_CLASSES.map((name) => counts[name] ?? 0)];
  });
  const drifts = levels.flatMap(({ level, drift }) =>
    drift === undefined ? [] : [`${levelName(level)}: borders within ${drift.toFixed(1)} m are the same`],
  );
  return [tableOf([['level', ...COMPARED, ...CHANGE_CLASSES], ...rows]), ...drifts, ...examplesOf(levels)].join('\n');
}

/** Maximum examples of each class of a level. */
const EXAMPLES = 20;

/** The GIDs of the first rows of each class. */
function examplesOf(levels: readonly LevelChanges[]): string[] {
  return levels.flatMap(({ level, rows }) =>
    CHANGE_CLASSES.flatMap((name) => {
      const own = rows.filter((row) => row.class === name);
      const gids = own
        .slice(0, EXAMPLES)
        .map(({ fromGid, toGid }) => [...new Set([fromGid, toGid])].filter((gid) => gid !== '').join(' to '));
      const more = own.length > gids.length ? ', ...' : '';
      return own.length === 0 ? [] : [`${levelName(level)} ${name}: ${gids.map(printable).join(', ')}${more}`];
    }),
  );
}

/** How many units would be compared, of how many. */
export function comparedTable(levels: readonly LevelChanges[]): string {
  const rows = levels.map(({ level, units, compared }) => [
    levelName(level),
    units.from,
    units.to,
    compared.from,
    compared.to,
  ]);
  return tableOf([['level', 'units before', 'after', ...COMPARED], ...rows]);
}

/** The differences between two releases: the changes, and files. */
export function diffTable(levels: readonly LevelChanges[]): string {
  const rows = levels.map(({ level, files }) => [levelName(level), files.added, files.removed, files.changed]);
  return [changesTable(levels), '', tableOf([['level', 'files added', 'removed', 'changed'], ...rows])].join('\n');
}

/** Units whose text is another one. */
const COMPARED = ['differ before', 'after'] as const;

function formatOf(otherFormat: ListedRelease['otherFormat']): string {
  return otherFormat === undefined ? '' : `format ${otherFormat.version}`;
}

/** The releases of an output folder. */
export function releaseTable(listed: readonly ListedRelease[]): string {
  if (listed.length === 0) return 'no releases';
  const rows = listed.map(
    ({ release, date, damage, otherFormat, units, storedPages, files, bytes, isCurrent, isHosted }) => [
      release,
      date.toISOString().slice(0, 16).replace('T', ' '),
      [
        isCurrent ? 'current' : isHosted ? 'hosted' : 'not hosted',
        ...(damage === undefined ? [] : ['damaged']),
        ...(otherFormat === undefined ? [] : [formatOf(otherFormat)]),
      ].join(', '),
      storedPages ?? '-',
      units ?? '-',
      files ?? '-',
      bytes ?? '-',
    ],
  );
  const problems = listed.flatMap(({ release, damage, otherFormat }) => [
    ...(damage === undefined ? [] : [`damaged: ${damage}`]),
    ...(otherFormat === undefined ? [] : [`${formatOf(otherFormat)}: ${release}: ${otherFormat.remedy}`]),
  ]);
  const head = ['release', 'written (UTC)', 'state', 'pages', 'units', 'files', 'bytes'];
  return [tableOf([head, ...rows]), ...problems].join('\n');
}
