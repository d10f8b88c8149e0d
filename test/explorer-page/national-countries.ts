// Countries of awkward shapes, for tests and pictures of the explorer: one with fjords and 3,500 islands, one that is
// long and thin with an island far away, and one whose units lie on two sides of a gulf.
import { join } from 'node:path';
import type { Position } from 'geojson';
import { GEOMETRIES } from '../../format/levels.ts';
import type { FixtureLayer } from '../support/datasets/write-dataset.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { dice } from '../support/dice.ts';
import type { RunningService } from '../support/http/in-process-proxy.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A part of a country from south to north: the rings of its polygons. */
type Rings = Position[][];

/** The regions of a country, by name, and another country beside it. */
interface Country {
  gid: string;
  name: string;
  regions: readonly { name: string; rings: Rings }[];
  neighbour: Rings;
}

/** Degrees by which a coast may leave its line, at first; a part of it at each halving. */
const ROUGH = 0.45;
/** Of what a straight line has, so much is left after each halving. */
const ROUGHNESS = 0.62;

/** A line from one place to another that is broken in the middle `halvings` times. */
function coast(from: Position, to: Position, halvings: number, roll: (below: number) => number): Position[] {
  const [x = 0, y = 0] = from;
  const [toX = 0, toY = 0] = to;
  if (halvings === 0) return [from];
  const length = Math.hypot(toX - x, toY - y);
  const off = (roll(2001) / 1000 - 1) * ROUGH * length * ROUGHNESS;
  const middle = [(x + toX) / 2 - (off * (toY - y)) / length, (y + toY) / 2 + (off * (toX - x)) / length];
  return [...coast(from, middle, halvings - 1, roll), ...coast(middle, to, halvings - 1, roll)];
}

/** A round island. */
function island([x = 0, y = 0]: Position, radius: number, corners = 12): Position[] {
  const ring = Array.from({ length: corners }, (_, i) => {
    const angle = (-2 * Math.PI * i) / corners;
    return [x + radius * 1.8 * Math.cos(angle), y + radius * Math.sin(angle)];
  });
  return [...ring, ...ring.slice(0, 1)];
}

function rectangle(west: number, south: number, east: number, north: number): Position[] {
  return [
    [west, south],
    [west, north],
    [east, north],
    [east, south],
    [west, south],
  ];
}

/**
 * Norway-like: six counties along a coast of 24,000 corners, and 3,500 islands before it.
 * @param islands how many there are in all
 */
function fjordland(islands = 3_500): Country {
  const roll = dice(7);
  const COUNTIES = 6;
  const line = Array.from(
    { length: COUNTIES + 1 },
    (_, i): Position => [5 + (i > 2 ? (i - 2) * 3.6 : 0), 58 + 2.2 * i],
  );
  const regions = line.slice(1).map((to, i) => {
    const from = line[i] ?? to;
    const west = coast(from, to, 12, roll);
    const [endX = 0, endY = 0] = to;
    const [startX = 0, startY = 0] = from;
    const mainland = [...west, to, [endX + 5, endY], [startX + 5, startY], from];
    const skerries = Array.from({ length: Math.floor(islands / COUNTIES) }, () => {
      const [x = 0, y = 0] = west[roll(west.length)] ?? from;
      return island(
        [x - 0.1 - roll(1000) / 900, Math.min(Math.max(y, startY + 0.05), endY - 0.05)],
        0.004 + roll(100) / 4000,
      );
    });
    return { name: `Fylke ${i + 1}`, rings: [mainland, ...skerries] };
  });
  return { gid: 'FJO', name: 'Fjordland', regions, neighbour: [rectangle(24.5, 58, 30, 66)] };
}

/**
 * Chile-like: ten regions of 4 by 3.8 degrees from south to north, a fringe of islands in the south, and one far in the
 * west.
 */
function thinland(): Country {
  const roll = dice(11);
  const regions = Array.from({ length: 10 }, (_, i) => {
    const south = -55 + 3.8 * i;
    const [from, to]: [Position, Position] = [
      [-73.5, south],
      [-73.5, south + 3.8],
    ];
    const mainland = [...coast(from, to, 8, roll), to, [-69.5, south + 3.8], [-69.5, south], from];
    const fringe = Array.from({ length: i < 4 ? 400 : 0 }, () =>
      island([-74.3 - roll(1500) / 1000, south + 0.1 + roll(3600) / 1000], 0.01 + roll(100) / 1500),
    );
    const far = i === 6 ? [island([-150, -27.1], 0.08)] : [];
    return { name: `Región ${i + 1}`, rings: [mainland, ...fringe, ...far] };
  });
  return { gid: 'THI', name: 'Thinland', regions, neighbour: [rectangle(-69.5, -55, -60, -20)] };
}

/** Mexico-like: 24 states, 8 of them on a peninsula in the east, beyond a gulf, and islands far in the west. */
function gulfland(): Country {
  const roll = dice(13);
  const regions = Array.from({ length: 24 }, (_, i) => {
    const isEast = i >= 16;
    const [column, line] = isEast ? [(i - 16) % 4, Math.floor((i - 16) / 4)] : [i % 4, Math.floor(i / 4)];
    const [west, south] = isEast ? [-95 + 2 * column, 16 + 2 * line] : [-114 + 4 * column, 17 + 3.5 * line];
    const [width, height] = isEast ? [2, 2] : [4, 3.5];
    const far = i === 8 ? [island([-118.3, 29], 0.1), island([-112.5, 12], 0.08)] : [];
    const mainland = [
      ...coast([west, south], [west, south + height], 5, column === 0 ? roll : () => 1000),
      ...rectangle(west, south, west + width, south + height).slice(1),
    ];
    return { name: `Estado ${i + 1}`, rings: [mainland, ...far] };
  });
  return { gid: 'GUL', name: 'Gulfland', regions, neighbour: [rectangle(-114, 31, -80, 42)] };
}

function multi(rings: Rings): string {
  const polygons = rings.map((ring) => `((${ring.map((position) => position.join(' ')).join(',')}))`);
  return `MULTIPOLYGON(${polygons.join(',')})`;
}

function layersOf({ gid, name, regions, neighbour }: Country, isAlone: boolean): FixtureLayer[] {
  const countries = [
    { fid: 1, values: [gid, name], wkt: multi(regions.flatMap(({ rings }) => rings)) },
    { fid: 2, values: ['NEI', 'Neighbour'], wkt: multi(neighbour) },
  ];
  return [
    { name: 'ADM_0', columns: ['GID_0', 'COUNTRY'], features: isAlone ? countries.slice(0, 1) : countries },
    {
      name: 'ADM_1',
      columns: ['GID_1', 'GID_0', 'NAME_1'],
      features: regions.map((region, i) => ({
        fid: i + 1,
        values: [`${gid}.${i + 1}`, gid, region.name],
        wkt: multi(region.rings),
      })),
    },
  ];
}

const COUNTRIES = { fjordland, thinland, gulfland };

/**
 * A release of one of these countries, served with the explorer.
 * @param options alone: without its neighbour, so that the explorer opens inside of it
 */
export async function startCountry(
  which: keyof typeof COUNTRIES,
  { isAlone = true }: { isAlone?: boolean } = {},
): Promise<RunningService> {
  const folder = temporaryFolder();
  const source = writeDataset(join(temporaryFolder(), `${which}.gpkg`), 'GPKG', layersOf(COUNTRIES[which](), isAlone));
  await buildRelease(source, folder, {
    release: `${which}-2026`,
    date: '2026-11-22',
    geometries: GEOMETRIES,
    cells: true,
  });
  return startService(folder, { explorer: true });
}
