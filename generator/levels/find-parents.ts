// Finds the parents of a level's units by place (--parent-by-place): the unit of a level above that holds the unit's point.
// Runs in a child process before the level is read, and reads both levels as they will be published.
import { closeSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Cells, pointAt } from '../../format/cells.ts';
import { elementAt } from '../../format/element-at.ts';
import { ownersOf } from '../../format/gid-column.ts';
import type { Finding } from '../../format/release.ts';
import { Findings } from '../quality/findings.ts';
import type { LevelSource } from '../source/level-source.ts';
import { geometryStorePath, openStore, storedText } from '../store/feature-store.ts';
import { placeIn } from '../store/identifiers.ts';
import { writePlacedParents } from '../store/placed-parents.ts';
import type { LayersTask } from './read-layers.ts';
import { storeGeometries } from './store-geometries.ts';
import { storeLayers } from './store-level.ts';
import { writeCells } from './write-files.ts';

/** Which level, and where its parents are. Plain data: it is sent to a child process. */
export interface ParentsByPlaceTask extends Omit<LayersTask, 'scratch'> {
  above: LevelSource;
  /** Path of the file to write. */
  file: string;
}

/** Writes the file of parents. @returns units that lie in none or in several, of which the first is taken */
export function findParents({ above, file, ...task }: ParentsByPlaceTask): Finding[] {
  const { source, precision } = task;
  const work = `${file}.work`;
  mkdirSync(work, { recursive: true });
  const [upper, lower] = [join(work, 'above'), join(work, 'units')];
  const { features, columns } = storeLayers({ ...task, source: above }, upper).index;
  const cells = openCells(upper, precision);
  const { fids } = storeLayers(task, lower).index;
  storeGeometries({ store: lower, geometries: ['point'], precision });
  const points = openStore(geometryStorePath(lower, 'point'));
  const findings = new Findings(source.level);
  const parents = new Map<number, number>();
  let position = 0;
  for (const feature of points.read([0, fids.length])) {
    const fid = elementAt(fids, position++);
    const { geometry } = JSON.parse(storedText(feature).toString());
    const units = geometry === null ? [] : cells.unitsAt(geometry.coordinates);
    if (units.length !== 1) {
      const count = units.length === 0 ? 'no unit' : `${units.length} units`;
      findings.add('orphans', () => `${placeIn(source.layers)}fid ${fid} lies in ${count} of level ${above.level}`);
    }
    if (units.length > 0) parents.set(fid, elementAt(units, 0));
  }
  points.close();
  cells.close();
  rmSync(work, { recursive: true });
  const owners = columns.map((column) => ownersOf(column, features));
  const gids = Array.from({ length: features }, (_, unit) =>
    columns.map((column, n) => {
      const number = elementAt(elementAt(owners, n), unit);
      return number === -1 ? null : column.gidAt(number);
    }),
  );
  writePlacedParents(file, { gids, parents });
  return findings.list();
}

/** Makes the cells of the level in a store. @returns the units at a point, as positions */
function openCells(store: string, precision: number): { unitsAt(point: readonly number[]): number[]; close(): void } {
  const file = `${store}.cells`;
  const cells = new Cells(writeCells(file, store, precision).arrays, precision);
  const handle = openSync(file, 'r');
  return {
    unitsAt(point) {
      const [longitude = '', latitude = ''] = point.map((degrees) => degrees.toFixed(precision));
      const place = pointAt(longitude, latitude, precision);
      // Beyond 180 or 90 degrees, which the data may have.
      if (place === undefined) return [];
      const cell = cells.cellAt(place);
      const { from, to } = cells.rangeOf(cell);
      const bytes = Buffer.alloc(to - from);
      readSync(handle, bytes, 0, bytes.length, from);
      return cells.unitsAt(place, cell, bytes, file);
    },
    close: () => closeSync(handle),
  };
}
