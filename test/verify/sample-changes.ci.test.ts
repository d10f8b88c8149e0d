// The changes between the sample and the sample after known changes of some municipalities, with every vertex of every
// unit moved by a metre: exactly what was done.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Geometry as GdalGeometry } from 'gdal-async';
import { elementAt } from '../../format/element-at.ts';
import { levelName } from '../../format/levels.ts';
import { compareReleases } from '../../generator/check/changes.ts';
import { gdal } from '../../generator/gdal/gdal.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { writeSample } from '../../generator/sample/sample.ts';
import { type Coordinates, type UnitLayer, writeGeopackage } from '../../generator/sample/write-geopackage.ts';
import { openPool } from '../../generator/workers/pool.ts';
import { type ReadFeature, readLayer } from '../support/datasets/read-layer.ts';
import { dice } from '../support/dice.ts';
import { buildUnchecked } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LEVELS = [0, 1, 2, 3] as const;
/** Whose municipalities are changed: those of Madrid. */
const PROVINCE = 'Madrid';
const SHAKEN_DEGREES = 1e-5;

const folder = temporaryFolder();
const [sample, changed] = [join(folder, 'sample.gpkg'), join(folder, 'changed.gpkg')];

/** A feature whose values can be changed. */
interface Unit {
  values: Record<string, string | null>;
  coordinates: Coordinates;
}

function unitOf({ fields, geometry }: ReadFeature): Unit {
  const values = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
  return { values, coordinates: coordinatesOf(geometry) };
}

/** The polygons of a geometry as GeoJSON has it. */
function coordinatesOf(geometry: { type: string; coordinates?: unknown } | null): Coordinates {
  const { type = '', coordinates } = geometry ?? {};
  assert.ok(type === 'MultiPolygon' || type === 'Polygon', type);
  // GeoJSON, as GDAL writes it.
  return (type === 'Polygon' ? [coordinates] : coordinates) as Coordinates;
}

function gdalOf({ coordinates }: Unit): GdalGeometry {
  return gdal.Geometry.fromGeoJson({ type: 'MultiPolygon', coordinates });
}

/** The pieces of some units, west and east of the middle of their box. */
function halvesOf(units: readonly Unit[]): [west: Coordinates, east: Coordinates] {
  const whole = units.map(gdalOf).reduce((sum, other) => sum.union(other));
  const { minX, maxX, minY, maxY } = whole.getEnvelope();
  const half = (west: number, east: number): Coordinates => {
    const ring = [
      [west, minY],
      [east, minY],
      [east, maxY],
      [west, maxY],
      [west, minY],
    ];
    const box = gdal.Geometry.fromGeoJson({ type: 'Polygon', coordinates: [ring] });
    return coordinatesOf(JSON.parse(whole.intersection(box).toJSON()));
  };
  const middle = (minX + maxX) / 2;
  return [half(minX, middle), half(middle, maxX)];
}

/** The edges of a unit, whichever way they go. */
function edgesOf({ coordinates }: Unit): Set<string> {
  const edges = coordinates.flat().flatMap((ring) =>
    ring.slice(1).map((end, i) => {
      const [a, b] = [elementAt(ring, i).join(), end.join()];
      return a < b ? `${a} ${b}` : `${b} ${a}`;
    }),
  );
  return new Set(edges);
}

/** Takes units out of a list so that each one has an edge in common with the one before. */
function takeChain(units: Unit[], length: number): Unit[] {
  for (const [i, first] of units.entries()) {
    const chain = [first];
    const rest = units.toSpliced(i, 1);
    while (chain.length < length) {
      const edges = edgesOf(elementAt(chain, chain.length - 1));
      const next = rest.findIndex((unit) => [...edgesOf(unit)].some((edge) => edges.has(edge)));
      if (next === -1) break;
      chain.push(...rest.splice(next, 1));
    }
    if (chain.length < length) continue;
    units.splice(0, units.length, ...rest);
    return chain;
  }
  throw new RangeError(`no ${length} units side by side`);
}

function writeUnits(file: string, layers: readonly Unit[][]): void {
  const roll = dice(70);
  const moved = (value: number, most: number): number =>
    Math.abs(value) > most ? value : value + (roll(2001) / 1000 - 1) * SHAKEN_DEGREES;
  // Of two units that share a border each has its own.
  const shaken = (ring: Coordinates[number][number]): Coordinates[number][number] => {
    const open = ring.slice(0, -1).map(([x = 0, y = 0]) => [moved(x, 179), moved(y, 89)]);
    return [...open, elementAt(open, 0)];
  };
  const written = layers.map((units, level): UnitLayer => {
    const columns = Object.keys(elementAt(units, 0).values);
    return {
      name: `ADM_${level}`,
      columns,
      count: units.length,
      units: units.map(({ values, coordinates }, i) => ({
        fid: i + 1,
        values: columns.map((name) => values[name] ?? null),
        coordinates: coordinates.map((polygon) => polygon.map(shaken)),
      })),
    };
  });
  writeGeopackage(file, written, []);
}

const asNew = (unit: Unit, gid: string, coordinates: Coordinates): Unit => ({
  values: { ...unit.values, GID_3: gid, NAME_3: gid },
  coordinates,
});
const gidOf = (unit: Unit): string => String(unit.values['GID_3']);

test('changes of the sample are exactly what was done to its municipalities, where all vertices moved by a metre', async () => {
  writeSample(sample);
  const layers = LEVELS.map((level) => readLayer(sample, `ADM_${level}`).map(unitOf));
  const municipalities = elementAt(layers, 3);
  const isMadrid = ({ values }: Unit): boolean => values['NAME_2'] === PROVINCE;
  const free = municipalities.filter(isMadrid);
  const [merged, exchanged, regrouped] = [takeChain(free, 2), takeChain(free, 2), takeChain(free, 3)];
  const [parted, renamed, recoded] = [takeChain(free, 1), takeChain(free, 1), takeChain(free, 1)].flat();
  assert.ok(parted && renamed && recoded);
  const [gives, takes] = [elementAt(exchanged, 0), elementAt(exchanged, 1)];
  const union = merged.map(gdalOf).reduce((sum, other) => sum.union(other));
  const [kept, given] = halvesOf([gives]);
  const grown = gdalOf(takes).union(gdal.Geometry.fromGeoJson({ type: 'MultiPolygon', coordinates: given }));
  const [west, east] = halvesOf(regrouped);
  const [first, second] = halvesOf([parted]);
  const touched = [...merged, ...exchanged, ...regrouped, parted, renamed, recoded];
  const after = [
    ...municipalities.filter((unit) => !touched.includes(unit)),
    asNew(elementAt(merged, 0), 'joined', coordinatesOf(JSON.parse(union.toJSON()))),
    { ...gives, coordinates: kept },
    { ...takes, coordinates: coordinatesOf(JSON.parse(grown.toJSON())) },
    asNew(elementAt(regrouped, 0), 'west', west),
    asNew(elementAt(regrouped, 0), 'east', east),
    asNew(parted, 'first', first),
    asNew(parted, 'second', second),
    { ...renamed, values: { ...renamed.values, NAME_3: 'Another name' } },
    { ...recoded, values: { ...recoded.values, GID_3: 'recoded' } },
  ];
  writeUnits(changed, [...layers.slice(0, 3), after]);

  const out = join(folder, 'output');
  await buildUnchecked(sample, out, { release: 'a' });
  await buildUnchecked(changed, out, { release: 'b' });
  const levels = await compareReleases({ out, from: 'a', to: 'b' }, openPool(0), SILENT);
  const compared = levels.slice(0, 4).map((level) => level.compared);
  assert.deepEqual(
    compared.map(({ from }) => from),
    layers.map(({ length }) => length),
    'each unit has another shape',
  );
  const rows = levels.flatMap((level) => level.rows);
  assert.deepEqual([...new Set(rows.map(({ level }) => levelName(level)))], ['lv3']);
  const groups = new Set(regrouped.map(gidOf));
  const told = rows.filter(({ fromGid }) => !groups.has(fromGid));
  assert.deepEqual(
    told.map(({ fromGid, toGid, class: own }) => `${own} ${fromGid}>${toGid}`).sort(),
    [
      ...merged.map((unit) => `merged ${gidOf(unit)}>joined`),
      `split ${gidOf(parted)}>first`,
      `split ${gidOf(parted)}>second`,
      `renamed ${gidOf(renamed)}>${gidOf(renamed)}`,
      `recoded ${gidOf(recoded)}>recoded`,
      `redrawn ${gidOf(gives)}>${gidOf(gives)}`,
      `redrawn ${gidOf(gives)}>${gidOf(takes)}`,
      `redrawn ${gidOf(takes)}>${gidOf(takes)}`,
    ].sort(),
  );
  const others = rows.filter(({ fromGid }) => groups.has(fromGid));
  assert.deepEqual([...new Set(others.map((row) => row.class))], ['regrouped']);
  assert.deepEqual([...new Set(others.map(({ toGid }) => toGid))].sort(), ['east', 'west']);
  for (const [gid, share] of sumsOf(rows)) assert.ok(Math.abs(share - 1) <= 0.001, `${gid}: ${share}`);
});

/** The sum of the shares of each unit. */
function sumsOf(rows: readonly { fromGid: string; toGid: string; shareOfFrom: number; shareOfTo: number }[]) {
  const sums = new Map<string, number>();
  const add = (key: string, share: number) => sums.set(key, (sums.get(key) ?? 0) + share);
  for (const row of rows) {
    add(`from ${row.fromGid}`, row.shareOfFrom);
    add(`to ${row.toGid}`, row.shareOfTo);
  }
  return sums;
}
