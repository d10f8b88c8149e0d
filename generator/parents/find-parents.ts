// Finds the parents of a level's units by place (--parent-by-place): the unit of a level above that holds the unit's
// point, otherwise the most fitting one. Runs in a child process before the level is read, and reads both levels as
// they will be published.
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { decodeCells } from '../../format/cells.ts';
import { elementAt, f64At } from '../../format/element-at.ts';
import type { Finding } from '../../format/findings.ts';
import { ownersOf } from '../../format/gid-column.ts';
import { pointAt } from '../../format/grid.ts';
import { newAreas, readBorders, writeCells } from '../borders/write-borders.ts';
import { writeSerialized } from '../files/serialized-file.ts';
import { Findings } from '../quality/findings.ts';
import { layerPrefix } from '../quality/identifiers.ts';
import type { LayersTask } from '../read/read-layers.ts';
import { storeLayers } from '../read/store-level.ts';
import { readAt } from '../release-reader/inflate.ts';
import { simplifyLevels, storePoints } from '../simplify/store-geometries.ts';
import type { LevelSource } from '../source/level-source.ts';
import { storedText } from '../store/feature-store.ts';
import { LevelStore } from '../store/level-store.ts';
import type { PlacedParents } from '../store/placed-parents.ts';
import { type FlatRings, openUnitRings } from '../topology/level-rings.ts';
import { type Above, holderOfMost, nearestTo, newAbove, smallestOf } from './nearest-parent.ts';

/** Which level, and where its parents are. Plain data: it is sent to a child process. */
export interface ParentsByPlaceTask extends LayersTask {
  above: LevelSource;
  /** Path of the file to write. */
  file: string;
}

/** A unit that is so many times as large as its parent is one by mistake: borders and coasts differ by less. */
const LARGER = 2;

/**
 * Writes the file of parents.
 * @returns units without one, those whose point does not lie in exactly one unit, and those that are larger than theirs
 */
export function findParents({ above, file, ...task }: ParentsByPlaceTask): Finding[] {
  const { source, precision } = task;
  const work = `${file}.work`;
  mkdirSync(work, { recursive: true });
  const [upper, lower] = [new LevelStore(join(work, 'above')), new LevelStore(join(work, 'units'))];
  const { features, columns, fids: upperFids } = storeLayers({ ...task, source: above }, upper).index;
  const upperAreas = newAreas(features, precision);
  const cells = openCells(upper, precision, upperAreas);
  const { fids } = storeLayers(task, lower).index;
  const lowerAreas = newAreas(fids.length, precision);
  lower.readRings(lowerAreas, lowerAreas.unit);
  simplifyLevels({ stores: [lower.path], names: ['medium'], precision });
  storePoints({ store: lower.path, precision, points: true, labels: false });
  const points = lower.openFeatures('point');
  const findings = new Findings(source.level);
  const parents = new Map<number, number>();
  const [upperRings, lowerRings] = [openUnitRings(upper, precision), openUnitRings(lower, precision)];
  // Made when it is needed: most units lie in exactly one.
  let candidates: Above | undefined;
  let next = 0;
  const place = (position: number, parent: number): void => {
    const fid = elementAt(fids, position);
    parents.set(fid, parent);
    if (!(f64At(lowerAreas.areas, position) > LARGER * f64At(upperAreas.areas, parent))) return;
    const names = `${nameOf(fid)} is larger than fid ${elementAt(upperFids, parent)} of level ${above.level}`;
    findings.add('smaller-parents', names);
  };
  const nameOf = (fid: number): string => `${layerPrefix(source.layers)}fid ${fid}`;
  for (const feature of points.read([0, fids.length])) {
    const position = next++;
    const fid = elementAt(fids, position);
    const geometry = JSON.parse(storedText(feature).toString());
    const units = geometry === null ? [] : cells.unitsAt(geometry.coordinates);
    const [only, ...others] = units;
    if (only !== undefined && others.length === 0) {
      place(position, only);
      continue;
    }
    candidates ??= newAbove(upperRings);
    const fitting =
      only !== undefined
        ? { unit: smallestOf(units, upperRings), why: `lies in ${units.length} units, the smallest of which` }
        : geometry === null
          ? undefined
          : fittingOf(geometry.coordinates, lowerRings.at(position), candidates);
    const unit = nameOf(fid);
    if (fitting === undefined) {
      const why = geometry === null ? 'has no geometry, so it lies' : 'lies';
      findings.add('orphans', `${unit} ${why} in no unit of level ${above.level}`);
      continue;
    }
    place(position, fitting.unit);
    const example = `${unit} ${fitting.why} is fid ${elementAt(upperFids, fitting.unit)} of level ${above.level}`;
    findings.add('fitting-parents', example);
  }
  for (const reader of [points, cells, upperRings, lowerRings]) reader.close();
  rmSync(work, { recursive: true });
  const owners = columns.map((column) => ownersOf(column, features));
  const gids = Array.from({ length: features }, (_, unit) =>
    columns.map((column, n) => {
      const number = elementAt(elementAt(owners, n), unit);
      return number === -1 ? null : column.gidAt(number);
    }),
  );
  writeSerialized(file, { gids, parents } satisfies PlacedParents);
  return findings.list();
}

/** The most fitting parent of a unit whose point lies in none. */
function fittingOf(
  point: readonly [number, number],
  rings: FlatRings,
  above: Above,
): { unit: number; why: string } | undefined {
  const most = holderOfMost(rings, above);
  if (most !== undefined) return { unit: most, why: 'has its point in no unit; the one that holds most of it' };
  const nearest = nearestTo(point, rings, above);
  return nearest === undefined ? undefined : { unit: nearest, why: 'lies in no unit; the nearest' };
}

/** Makes the cells of the level in a store. @param areas gets those of the units @returns the units at a point, as positions */
function openCells(
  store: LevelStore,
  precision: number,
  areas: ReturnType<typeof newAreas>,
): { unitsAt(point: readonly number[]): number[]; close(): void } {
  const file = store.file('cells');
  const { directory } = writeCells(file, store, readBorders(store, precision, areas));
  const handle = openSync(file, 'r');
  const cells = decodeCells(readAt(handle, 0, directory.bytes), file);
  return {
    unitsAt(point) {
      const [longitude = '', latitude = ''] = point.map((degrees) => degrees.toFixed(precision));
      const place = pointAt(longitude, latitude, precision);
      // Beyond 180 or 90 degrees, which the data may have.
      if (place === undefined) return [];
      const cell = cells.cellAt(place);
      const { offset, length } = cells.rangeOf(cell);
      const units = cells.unitsAt(place, cell, readAt(handle, offset, length), file);
      return units;
    },
    close: () => closeSync(handle),
  };
}
