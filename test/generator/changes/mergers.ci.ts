// Changes between two years of the sample's municipalities, some of which a neighbour has taken in: whatever its size,
// and however the source drew the borders anew, the neighbour is the successor.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Position } from 'geojson';
import { mergeArcs } from 'topojson-client';
import { elementAt } from '../../../format/element-at.ts';
import { compareReleases } from '../../../generator/changes/changes.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { doubledArea } from '../../../generator/rings/open-rings.ts';
import { areaPolygons, areasOf, readAtlas } from '../../../generator/sample/atlas.ts';
import { type PolygonPositions, writeGeopackage } from '../../../generator/sample/write-geopackage.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import { type Dice, dice } from '../../support/dice.ts';
import { buildUnchecked } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MERGERS = 400;
/** Of the area of the taker, in bands of which each has as many mergers as it can. */
const BANDS = [0.005, 0.02, 0.05, 0.2, 0.5];
/** Twice square degrees: a smaller unit has no shape in the atlas, or is a sliver. */
const LEAST_SIZE = 1e-5;
/** Codes of land that several municipalities hold jointly: no municipalities, and strips no wider than what moves. */
const JOINT_PREFIX = '53';
/** 30 metres of latitude. */
const MOVED_DEGREES = 30 / 111_195;
/** A successor with less is none that anybody would follow. */
const LEAST_SHARE = 0.05;

const folder = temporaryFolder();
const out = join(folder, 'output');
const atlas = readAtlas('es-atlas/es/municipalities.json');
const areas = areasOf(atlas, 'municipalities');
/** Empty for those that the atlas has without area. */
const shapes = areas.map((area) => areaPolygons(atlas, area) ?? []);

interface Merger {
  taker: number;
  gone: number;
}

/** Mergers of neighbours by a seed; no unit is in two of them. */
function drawMergers(roll: Dice): Merger[] {
  const arcs = areas.map(({ geometry }) =>
    geometry.type === 'Polygon' ? geometry.arcs.flat() : geometry.arcs.flat(2),
  );
  const owners = new Map(arcs.flatMap((own, unit) => own.map((arc) => [arc, unit])));
  const sizes = shapes.map(sizeOf);
  const bands = BANDS.slice(1).map((): Merger[] => []);
  for (const [taker, own] of arcs.entries())
    for (const gone of new Set(own.map((arc) => owners.get(~arc)))) {
      const ratio = gone === undefined ? 0 : elementAt(sizes, gone) / elementAt(sizes, taker);
      const band = BANDS.findLastIndex((least) => ratio >= least);
      const isMeant = (unit: number): boolean =>
        elementAt(sizes, unit) > LEAST_SIZE && !elementAt(areas, unit).code.startsWith(JOINT_PREFIX);
      if (gone !== undefined && isMeant(gone) && isMeant(taker)) bands[band]?.push({ taker, gone });
    }
  const used = new Set<number>();
  const mergers: Merger[] = [];
  for (const [i, band] of bands.entries())
    for (const wanted = Math.ceil((MERGERS * (i + 1)) / bands.length); mergers.length < wanted && band.length > 0; ) {
      const [merger = assert.fail()] = band.splice(roll(band.length), 1);
      if (used.has(merger.taker) || used.has(merger.gone)) continue;
      used.add(merger.taker).add(merger.gone);
      mergers.push(merger);
    }
  return mergers;
}

/** In square degrees. */
function sizeOf(coordinates: PolygonPositions): number {
  const sizes = coordinates.flat().map((ring) => doubledArea(ring.slice(1).flatMap(([x = NaN, y = NaN]) => [x, y])));
  return Math.abs(sizes.reduce((a, b) => a + b, 0));
}

/** Builds a release of the municipalities after some mergers, each position moved by `moved`. */
async function build(release: string, mergers: readonly Merger[], moved = (position: Position) => position) {
  const own = new Map([...shapes.entries()].filter(([, { length }]) => length > 0));
  for (const { taker, gone } of mergers) {
    const both = [taker, gone].map((unit) => elementAt(areas, unit));
    const geometry = mergeArcs(
      atlas.topology,
      both.map((area) => area.geometry),
    );
    own.set(taker, areaPolygons(atlas, { ...elementAt(areas, taker), geometry }) ?? assert.fail());
    own.delete(gone);
  }
  const units = Array.from(own, ([unit, polygons]) => {
    const coordinates = polygons.map((polygon) => polygon.map((ring) => ring.map(moved)));
    return { fid: unit + 1, values: [gidOf(unit), elementAt(areas, unit).name], coordinates };
  });
  const source = join(folder, `${release}.gpkg`);
  writeGeopackage(source, [{ name: 'ADM_0', columns: ['GID_0', 'COUNTRY'], count: units.length, units }], []);
  await buildUnchecked(source, out, { release, accept: ['fewer-units'] });
}

/** Codes of land that several municipalities hold occur twice. */
function gidOf(unit: number): string {
  return `U${unit}`;
}

/** Moves a position by up to so many degrees each way, the same position always alike. */
function mover(roll: Dice) {
  const places = new Map<string, Position>();
  return (position: Position): Position => {
    const key = position.join();
    const known = places.get(key);
    if (known !== undefined) return known;
    const place = position.map((value) => value + (roll(2001) / 1000 - 1) * MOVED_DEGREES);
    places.set(key, place);
    return place;
  };
}

test('the successor of each of 400 municipalities that went is the one that took it in, also where borders were drawn anew', async () => {
  const mergers = drawMergers(dice(86));
  assert.equal(mergers.length, MERGERS);
  const ofHalf = (half: number): Merger[] => mergers.filter((_, i) => i % 2 === half);
  const [still, moved] = [ofHalf(0), ofHalf(1)];
  await build('before', []);
  await build('still', still);
  await build('moved', moved, mover(dice(87)));
  const pool = openPool(0);
  for (const [to, own] of Object.entries({ still, moved })) {
    const [level] = await compareReleases({ out, from: 'before', to }, pool, SILENT);
    for (const { taker, gone } of own) {
      const rows = level?.rows.filter(({ fromGid }) => fromGid === gidOf(gone)) ?? [];
      const parts = rows.sort((a, b) => b.shareOfFrom - a.shareOfFrom);
      const heirs = parts.filter(({ shareOfFrom }, i) => i === 0 || shareOfFrom >= LEAST_SHARE);
      const gids = heirs.map(({ toGid }) => toGid);
      assert.deepEqual(gids, [gidOf(taker)], `${to}: ${JSON.stringify(parts)}`);
    }
  }
});
