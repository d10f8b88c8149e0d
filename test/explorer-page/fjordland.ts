// A Norway-like country, for a picture of the explorer: six counties along a coast of 24,000 corners, and
// 3,500 islands before it.
import type { Position } from 'geojson';
import { GEOMETRIES } from '../../format/levels.ts';
import { type Dice, dice } from '../support/dice.ts';
import type { RunningService } from '../support/http/in-process-proxy.ts';
import { startLayers } from './explorer-page.ts';

const COUNTIES = 6;
const ISLANDS = 3_500;
/** How far the middle of a coast may leave its line, as a share of the line's length. */
const ROUGHNESS = 0.28;

/** A line from one place to another, without its end, that is broken in the middle `halvings` times. */
function coast(from: Position, to: Position, halvings: number, roll: Dice): Position[] {
  const [x = 0, y = 0] = from;
  const [toX = 0, toY = 0] = to;
  if (halvings === 0) return [from];
  const off = (roll(2001) / 1000 - 1) * ROUGHNESS;
  const middle = [(x + toX) / 2 - off * (toY - y), (y + toY) / 2 + off * (toX - x)];
  return [...coast(from, middle, halvings - 1, roll), ...coast(middle, to, halvings - 1, roll)];
}

/** An island of twelve corners. */
function island(x: number, y: number, radius: number): Position[] {
  const ring = Array.from({ length: 12 }, (_, i) => {
    const angle = (-2 * Math.PI * i) / 12;
    return [x + radius * 1.8 * Math.cos(angle), y + radius * Math.sin(angle)];
  });
  return [...ring, ...ring.slice(0, 1)];
}

/** The rings of a county: the mainland, then its islands. */
function countyOf(i: number, roll: Dice): Position[][] {
  const [west, south] = [5 + 3 * Math.max(0, i - 2), 58 + 2.2 * i];
  const [east, north] = [west + 5, south + 2.2];
  const shore = coast([west, south], [west, north], 12, roll);
  const islands = Array.from({ length: Math.ceil(ISLANDS / COUNTIES) }, () =>
    island(west - 0.9 - roll(1000) / 900, south + 0.1 + roll(2000) / 1000, 0.004 + roll(100) / 4000),
  );
  return [[...shore, [west, north], [east, north], [east, south], [west, south]], ...islands];
}

function wktOf(rings: Position[][]): string {
  return `MULTIPOLYGON(${rings.map((ring) => `((${ring.map((place) => place.join(' ')).join(',')}))`).join(',')})`;
}

/** A release of this country alone, served with the explorer. */
export function startFjordland(): Promise<RunningService> {
  const roll = dice(7);
  const counties = Array.from({ length: COUNTIES }, (_, i) => countyOf(i, roll));
  const country = { fid: 1, values: ['FJO', 'Fjordland'], wkt: wktOf(counties.flat()) };
  const features = counties.map((rings, i) => ({
    fid: i + 1,
    values: [`FJO.${i + 1}`, 'FJO', `Fylke ${i + 1}`],
    wkt: wktOf(rings),
  }));
  const layers = [
    { name: 'ADM_0', columns: ['GID_0', 'COUNTRY'], features: [country] },
    { name: 'ADM_1', columns: ['GID_1', 'GID_0', 'NAME_1'], features },
  ];
  return startLayers(layers, { release: 'fjordland-2026', geometries: GEOMETRIES, cells: true, tiles: 10 });
}
