// An invented world whose levels nest exactly, in the shape of GADM: six levels of units that are made of the same
// squares with ragged sides. Units have exclaves, enclaves, islands and lakes, some smaller than simplification keeps;
// the second country has no units below level 2.
import type { Position } from 'geojson';
import { elementAt } from '../../../../format/element-at.ts';
import { LEVELS, type Level } from '../../../../format/levels.ts';
import { gdal } from '../../../../generator/gdal/gdal.ts';
import { type PolygonPositions, writeGeopackage } from '../../../../generator/sample/write-geopackage.ts';
import { dice } from '../../dice.ts';
import { ragged } from '../ragged.ts';

/** A square: where it is in the field, in squares, and the GIDs of its unit from level 0 down. */
interface Square {
  rings: Position[][];
  gids: readonly string[];
}

/** Squares of the field in each direction, of which each country has a half; of a unit of the deepest level two. */
const SIDE_SQUARES = 16;
const DEEPEST = 2;

/** The level below which the second country has no units. */
const COARSE_LEVEL: Level = 2;

/** Positions of a side, and how far they are off, as a share of their distance from its nearer end. */
const SIDE_POSITIONS = 16;
const RAGGED = 0.5;

/** One square in so many is of another unit, is a lake, has an island, which may be of another unit. */
const [STRAYS, LAKES, ISLANDS] = [7, 23, 5];

/** Writes a GeoPackage. @param degrees the side of a square. The same arguments give the same bytes */
export function writeNested(file: string, degrees: number): string {
  const squares = nestedSquares(degrees);
  const layers = LEVELS.map((level) => {
    const units = new Map<string, Square[]>();
    for (const square of squares) {
      const gid = square.gids[level];
      if (gid !== undefined) units.set(gid, [...(units.get(gid) ?? []), square]);
    }
    const features = Array.from(units, ([gid, own], i) => ({
      fid: i + 1,
      values: [...elementAt(own, 0).gids.slice(0, level + 1), `Unit ${gid}`],
      coordinates: unionOf(own),
    }));
    const columns = [...LEVELS.slice(0, level + 1).map((n) => `GID_${n}`), `NAME_${level}`];
    return { name: `ADM_${level}`, columns, count: features.length, units: features };
  });
  writeGeopackage(file, layers, ['Invented data: no place, name or border in it is real']);
  return file;
}

function nestedSquares(degrees: number): Square[] {
  const draw = dice(68);
  const rings = ragged(SIDE_SQUARES, SIDE_SQUARES, (column, row, isAcross) =>
    Array.from({ length: SIDE_POSITIONS }, (_, i): Position => {
      const room = (RAGGED * Math.min(i, SIDE_POSITIONS - i)) / SIDE_POSITIONS;
      const [along, off] = [i / SIDE_POSITIONS, (room * (draw(2001) - 1000)) / 1000];
      return positionAt(column + (isAcross ? along : off), row + (isAcross ? off : along), degrees);
    }),
  );
  return rings.flatMap((ring, i) => {
    if (draw(LAKES) === 0) return [];
    const [column, row] = [i % SIDE_SQUARES, Math.floor(i / SIDE_SQUARES)];
    const isStray = draw(STRAYS) === 0;
    const gids = isStray ? gidsAt(draw(SIDE_SQUARES), draw(SIDE_SQUARES)) : gidsAt(column, row);
    const square = { rings: [ring], gids };
    if (draw(ISLANDS) > 0) return [square];
    // In the sea, or an enclave in the middle of the square.
    const size = (1 + draw(4)) / 20;
    const [x, y] = draw(2) === 0 ? [column + 0.5, row + 0.5] : [column, row + SIDE_SQUARES + 1];
    const island = [
      [x, y],
      [x + size, y],
      [x + size, y + size],
      [x, y + size],
      [x, y],
    ].map(([east = 0, north = 0]) => positionAt(east, north, degrees));
    if (y < SIDE_SQUARES) square.rings.push(island.toReversed());
    return [square, { rings: [island], gids: gidsAt(draw(SIDE_SQUARES), draw(SIDE_SQUARES)) }];
  });
}

/** The units that a place is in, were none astray: each level halves those above, across and along in turn. */
function gidsAt(column: number, row: number): string[] {
  const levels = column >= SIDE_SQUARES / 2 ? LEVELS.slice(0, COARSE_LEVEL + 1) : LEVELS;
  return levels.map((level) => {
    const sizeAfter = (halvings: number): number => Math.max(SIDE_SQUARES / 2 ** halvings, DEEPEST);
    const [across, along] = [sizeAfter(Math.ceil((level + 1) / 2)), sizeAfter(Math.floor((level + 1) / 2))];
    return `${level}.${Math.floor(column / across)}x${Math.floor(row / along)}`;
  });
}

function positionAt(column: number, row: number, degrees: number): Position {
  return [column, row].map((squares) => Math.round(squares * degrees * 1e7) / 1e7);
}

function unionOf(squares: readonly Square[]): PolygonPositions {
  const whole = gdal.Geometry.fromGeoJson({ type: 'MultiPolygon', coordinates: squares.map(({ rings }) => rings) });
  if (!(whole instanceof gdal.MultiPolygon)) throw new Error('not a MultiPolygon');
  const { type, coordinates } = JSON.parse(whole.unionCascaded().toJSON());
  return type === 'Polygon' ? [coordinates] : coordinates;
}
