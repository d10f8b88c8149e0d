// Writes what follows from the borders of a level: its cells, which say which units are at a point, and its neighbours.
// The rings are gone through once for all of it.
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CellsFile, CheckedFile } from '../../format/checked-files.ts';
import { elementAt, f64At } from '../../format/element-at.ts';
import { cellsPath, neighboursPath, neighboursTablePath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import type { ReleaseContents } from '../../format/release-json.ts';
import { encodeNeighbours } from '../../format/write/neighbours.ts';
import { checkedFile } from '../files/checksums.ts';
import { createOutputFile, createScratchFile, writeWholeFile } from '../files/output-file.ts';
import { gidsOf, unitNames } from '../names/named-units.ts';
import type { BordersRecord } from '../plan/records.ts';
import { readAt } from '../release-reader/inflate.ts';
import { indexBoxAt } from '../rings/bbox.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { ringAreaKm2 } from '../rings/ellipsoid-area.ts';
import { MainPart } from '../rings/main-part.ts';
import type { LevelStore } from '../store/level-store.ts';
import { isOfKind, type StoreIndex } from '../store/store-index.ts';
import { buildCells } from './build-cells.ts';
import { bordersDrawnApart } from './drawn-apart.ts';
import { LevelBorders } from './level-borders.ts';
import { neighbourLines, neighboursOf } from './neighbours.ts';

/** The borders of the level in a store. @param more takes the rings, too, of one unit after the other */
export function readBorders(store: LevelStore, precision: number, more?: UnitSink): LevelBorders {
  const borders = new LevelBorders(precision);
  const ring: RingSink['ring'] = (positions, isHole, area) => {
    borders.ring(positions);
    more?.ring(positions, isHole, area);
  };
  store.readRings({ ring }, () => {
    borders.unit();
    more?.unit();
  });
  return borders;
}

interface UnitSink extends RingSink {
  unit(): void;
}

/** Adds the area of each unit up, in km2 on the ellipsoid, by position; NaN without polygons. */
export function newAreas(features: number, precision: number): UnitSink & { areas: Float64Array } {
  const areas = new Float64Array(features).fill(Number.NaN);
  let position = 0;
  return {
    areas,
    ring(positions, isHole) {
      const area = ringAreaKm2(positions, 10 ** precision);
      areas[position] = (f64At(areas, position) || 0) + (isHole ? -area : area);
    },
    unit() {
      position++;
    },
  };
}

/** Finds where maps go to see each unit, and its area. */
function viewsOf(
  { features, boxes, kinds }: StoreIndex,
  precision: number,
): UnitSink & Pick<BordersRecord, 'views' | 'areas'> {
  const main = new MainPart(precision);
  const views = new Int32Array(4 * features);
  const area = newAreas(features, precision);
  let position = 0;
  return {
    views,
    areas: area.areas,
    ring(positions, isHole, signed) {
      area.ring(positions, isHole, signed);
      if (isOfKind(kinds, position, 'multiPolygon')) main.ring(positions, isHole);
    },
    unit() {
      area.unit();
      views.set(main.finish(indexBoxAt(boxes, position)), 4 * position++);
    },
  };
}

/**
 * Writes the files that are made of a level's borders.
 * @param out the release's folder
 * @returns their records in the order of `pathsOf`, and what `finalize` needs to know of them
 */
export function writeBorders(
  out: string,
  level: Level,
  store: LevelStore,
  contents: ReleaseContents,
): { files: CheckedFile[]; borders: BordersRecord } {
  const index = store.readIndex();
  const views = viewsOf(index, contents.precision);
  const borders = readBorders(store, contents.precision, views);
  const summary: BordersRecord['summary'] = {};
  const files: CheckedFile[] = [];
  if (contents.neighbours) {
    const [fidAt, gidAt] = [(position: number) => elementAt(index.fids, position), gidsOf(index, level)];
    const neighbours = neighboursOf(borders, { level, unitAt: unitNames(index, level) });
    const output = createOutputFile(join(out, neighboursPath(level)));
    output.write(encodeNeighbours(neighbours.arrays));
    const file = output.close();
    const table = writeWholeFile(join(out, neighboursTablePath(level)), neighbourLines(neighbours, fidAt, gidAt));
    files.push(file, table);
    summary.neighbours = { ...file, table };
  }
  const apart = contents.neighbours ? bordersDrawnApart(borders) : undefined;
  let crowded: readonly number[] = [];
  // Cells come last: they take the borders apart. Their file is the first.
  if (contents.cells) {
    const { crowded: units, ...cells } = writeCells(join(out, cellsPath(level)), store, borders);
    files.unshift(cells);
    summary.cells = cells;
    crowded = units;
  }
  return { files, borders: { summary, crowded, apart, views: views.views, areas: views.areas } };
}

/**
 * Writes the cells, which say which units are at a point.
 * @param store where bytes wait until those before them are known
 */
export function writeCells(
  file: string,
  store: LevelStore,
  borders: LevelBorders,
): CellsFile & Pick<BordersRecord, 'crowded'> {
  // The directory comes first in the file, and is known last.
  const bodies = store.file('cell-bodies');
  const waiting = createScratchFile(bodies);
  // The file keeps what it has not written yet.
  const { directory, crowded } = buildCells(borders, (bytes) => waiting.write(Buffer.from(bytes)));
  const bytes = waiting.close();
  const output = createOutputFile(file);
  output.write(directory);
  const handle = openSync(bodies, 'r');
  for (let at = 0; at < bytes; at += COPIED_BYTES) output.write(readAt(handle, at, Math.min(COPIED_BYTES, bytes - at)));
  closeSync(handle);
  rmSync(bodies);
  return { ...output.close(), directory: checkedFile(directory), crowded };
}

/** Bytes of cells that are copied at once. */
const COPIED_BYTES = 1 << 20;
