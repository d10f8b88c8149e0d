// Countries of awkward shapes, for a test and the pictures of the explorer: one with fjords and 3,500 islands, one that
// is long and thin with an island far away, and one whose units lie on two sides of a gulf.
import type { Position } from 'geojson';
import { GEOMETRIES } from '../../format/levels.ts';
import { type Dice, dice } from '../support/dice.ts';
import type { RunningService } from '../support/http/in-process-proxy.ts';
import { startLayers } from './explorer-page.ts';

/** The regions of a country from its first GID on, each as its rings: the mainland, then islands. */
type Regions = Position[][][];

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

/** A region with a coast in the west; the other sides are straight. */
function mainland(west: number, south: number, width: number, height: number, halvings: number, roll: Dice) {
  const [north, east] = [south + height, west + width];
  const shore = coast([west, south], [west, north], halvings, roll);
  return [...shore, [west, north], [east, north], [east, south], [west, south]];
}

/** Norway-like: six counties along a coast of 24,000 corners, and 3,500 islands before it. */
function fjordland(roll: Dice): Regions {
  return Array.from({ length: 6 }, (_, i) => {
    const [west, south] = [5 + 3 * Math.max(0, i - 2), 58 + 2.2 * i];
    const skerries = Array.from({ length: 583 }, () =>
      island(west - 0.9 - roll(1000) / 900, south + 0.1 + roll(2000) / 1000, 0.004 + roll(100) / 4000),
    );
    return [mainland(west, south, 5, 2.2, 12, roll), ...skerries];
  });
}

/** Chile-like: ten regions from south to north, a fringe of islands in the south, and one far in the west. */
function thinland(roll: Dice): Regions {
  return Array.from({ length: 10 }, (_, i) => {
    const south = -55 + 3.8 * i;
    const fringe = Array.from({ length: i < 4 ? 400 : 0 }, () =>
      island(-74.8 - roll(1500) / 1000, south + 0.1 + roll(3600) / 1000, 0.01 + roll(100) / 1500),
    );
    const far = i === 6 ? [island(-150, -27.1, 0.08)] : [];
    return [mainland(-73.5, south, 4, 3.8, 8, roll), ...fringe, ...far];
  });
}

/** Mexico-like: 16 states, 8 more on a peninsula in the east, beyond a gulf, and two islands far in the west. */
function gulfland(roll: Dice): Regions {
  const at = (i: number): [column: number, line: number] => [i % 4, Math.floor(i / 4)];
  const states = Array.from({ length: 16 }, (_, i) => {
    const [column, line] = at(i);
    return [mainland(-114 + 4 * column, 17 + 3.5 * line, 4, 3.5, column === 0 ? 5 : 0, roll)];
  });
  const beyond = Array.from({ length: 8 }, (_, i) => {
    const [column, line] = at(i);
    return [mainland(-95 + 2 * column, 16 + 2 * line, 2, 2, 0, roll)];
  });
  states[8]?.push(island(-118.3, 29, 0.1), island(-112.5, 12, 0.08));
  return [...states, ...beyond];
}

const COUNTRIES = { Fjordland: fjordland, Thinland: thinland, Gulfland: gulfland };

/** A release of one of these countries alone, served with the explorer. */
export function startCountry(name: keyof typeof COUNTRIES): Promise<RunningService> {
  const regions = COUNTRIES[name](dice(7));
  const wktOf = (rings: Position[][]): string =>
    `MULTIPOLYGON(${rings.map((ring) => `((${ring.map((place) => place.join(' ')).join(',')}))`).join(',')})`;
  const country = { fid: 1, values: [name, name], wkt: wktOf(regions.flat()) };
  const features = regions.map((rings, i) => ({
    fid: i + 1,
    values: [`${name}.${i + 1}`, name, `Region ${i + 1}`],
    wkt: wktOf(rings),
  }));
  const layers = [
    { name: 'ADM_0', columns: ['GID_0', 'COUNTRY'], features: [country] },
    { name: 'ADM_1', columns: ['GID_1', 'GID_0', 'NAME_1'], features },
  ];
  return startLayers(layers, { release: `${name.toLowerCase()}-2026`, geometries: GEOMETRIES, cells: true });
}
