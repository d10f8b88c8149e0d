// The neighbours of a level from its features, with none of the generator's code: what oracle.ts holds the files of a
// release against, and the tests of `touches` the answers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Geometry, Position } from 'geojson';
import type { CheckedFile } from '../../../format/checked-files.ts';
import { elementAt } from '../../../format/element-at.ts';
import { neighboursPath, neighboursTablePath } from '../../../format/layout.ts';
import type { LevelSummary } from '../../../format/level-json.ts';
import type { Level } from '../../../format/levels.ts';
import { sha256 } from '../files.ts';

/** A unit, as its feature has it. */
export interface BorderedUnit {
  fid: number;
  gid: string | null;
  geometry: unknown;
}

/** For each unit the metres of border by the positions of its neighbours, ascending. */
export function neighboursOf(units: readonly { geometry: unknown }[], precision: number): Map<number, number>[] {
  const sides = new Map<string, { units: number[]; metres: number }>();
  for (const [position, { geometry }] of units.entries()) {
    const own = new Map<string, number>();
    // What a unit has twice is no border of it.
    for (const [key, metres] of edgesOf(geometry, precision)) if (!own.delete(key)) own.set(key, metres);
    for (const [key, metres] of own) {
      const side = sides.get(key) ?? { units: [], metres };
      side.units.push(position);
      sides.set(key, side);
    }
  }
  const all = units.map(() => new Map<number, number>());
  for (const { units: those, metres } of sides.values())
    for (const one of those)
      for (const other of those) {
        const own = elementAt(all, one);
        if (one !== other) own.set(other, (own.get(other) ?? 0) + metres);
      }
  return all.map((own) => new Map([...own].sort(([a], [b]) => a - b)));
}

/** The edges of a unit's rings with their metres; those along a pole are points. */
function* edgesOf(geometry: unknown, precision: number): Generator<[key: string, metres: number]> {
  const scale = 10 ** precision;
  for (const ring of ringsOf(geometry as Geometry | null))
    for (const [i, end] of ring.entries()) {
      const start = ring[i - 1];
      if (start === undefined) continue;
      const [a, b] = [start, end].map((place) => placeOf(place, scale)).sort();
      if (a !== undefined && b !== undefined && a !== b && !isPole(start, end))
        yield [`${a} ${b}`, metresBetween(start, end)];
    }
}

interface NestedUnit {
  gids: readonly (string | null)[];
  geometry: unknown;
}

/**
 * The share of the edges of a level's units with children that units of the next level have, too; null without edges.
 */
export function nestingIn(level: Level, units: readonly NestedUnit[], below: readonly NestedUnit[]): number | null {
  const parents = new Set(below.map(({ gids }) => gids[level]));
  const edgesIn = (all: readonly NestedUnit[]): Set<string> => {
    const rings = all.flatMap(({ geometry }) => ringsOf(geometry as Geometry | null));
    const edges = rings.flatMap((ring) => ring.slice(1).map((end, i) => [`${ring[i]}`, `${end}`].sort()));
    return new Set(edges.filter(([a, b]) => a !== b).map((ends) => ends.join(' ')));
  };
  const found = edgesIn(below);
  const own = [...edgesIn(units.filter(({ gids }) => gids[level] !== null && parents.has(gids[level])))];
  return own.length === 0 ? null : own.filter((edge) => found.has(edge)).length / own.length;
}

function ringsOf(geometry: Geometry | null): Position[][] {
  if (geometry?.type === 'GeometryCollection') return geometry.geometries.flatMap(ringsOf);
  if (geometry?.type === 'MultiPolygon') return geometry.coordinates.flat();
  return geometry?.type === 'Polygon' ? geometry.coordinates : [];
}

/** A place in whole units; 180 degrees are -180. */
function placeOf([x = 0, y = 0]: Position, scale: number): string {
  const full = 360 * scale;
  return `${(((Math.round(x * scale) + full / 2) % full) + full) % full},${Math.round(y * scale)}`;
}

function isPole([, a = 0]: Position, [, b = 0]: Position): boolean {
  return a === b && Math.abs(a) === 90;
}

/** Metres along the sphere, by the chord. */
function metresBetween(one: Position, other: Position): number {
  const [a, b] = [one, other].map(([x = 0, y = 0]) => {
    const [longitude, latitude] = [(x * Math.PI) / 180, (y * Math.PI) / 180];
    return [Math.cos(latitude) * Math.cos(longitude), Math.cos(latitude) * Math.sin(longitude), Math.sin(latitude)];
  });
  const chord = Math.hypot(...[0, 1, 2].map((axis) => (a?.[axis] ?? NaN) - (b?.[axis] ?? NaN)));
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, chord / 2));
}

/** What is left of a tenth of a metre, and a millionth of the length. */
export function assertMetres(got: number, metres: number, where: string): void {
  assert.ok(Math.abs(got - metres) <= 0.1 + metres / 1e6, `${where}: ${got} m, expected ${metres}`);
}

/** Compares both files of a level with its features. */
export function assertNeighbours(
  root: string,
  level: Level,
  summary: LevelSummary,
  units: readonly BorderedUnit[],
  precision: number,
): void {
  const [path, tablePath] = [neighboursPath(level), neighboursTablePath(level)];
  const [bytes, packed] = [readFileSync(join(root, path)), readFileSync(join(root, tablePath))];
  const table = gunzipSync(packed);
  assert.deepEqual(summary.neighbours, {
    ...described(bytes),
    table: { ...described(packed), textBytes: table.length },
  });
  // No time of writing.
  assert.equal(packed.readUInt32LE(4), 0, tablePath);
  const expected = neighboursOf(units, precision);
  const u32 = (at: number): number => bytes.readUInt32LE(at);
  const [count, startAt] = [u32(16), 24];
  const neighbourAt = startAt + 4 * (units.length + 1);
  assert.deepEqual([bytes.toString('latin1', 0, 8), u32(8), u32(12), u32(20)], ['touches\0', 7, units.length, 0], path);
  assert.equal(bytes.length, neighbourAt + 8 * count, path);
  const quoted = (gid: string | null): string =>
    gid !== null && /[",\r\n]/.test(gid) ? `"${gid.replaceAll('"', '""')}"` : (gid ?? '');
  const lines = ['fid,gid,neighbour_fid,neighbour_gid,metres\r\n'];
  for (const [position, own] of expected.entries()) {
    const [from, to] = [u32(startAt + 4 * position), u32(startAt + 4 * (position + 1))];
    const got = Array.from({ length: to - from }, (_, i) => u32(neighbourAt + 4 * (from + i)));
    const { fid, gid } = elementAt(units, position);
    assert.deepEqual(got, [...own.keys()], `${path}: neighbours of fid ${fid}`);
    for (const [i, [other, metres]] of [...own].entries()) {
      const tenths = u32(neighbourAt + 4 * (count + from + i));
      assertMetres(tenths / 10, metres, `${path}: fid ${fid} and ${elementAt(units, other).fid}`);
      const { fid: otherFid, gid: otherGid } = elementAt(units, other);
      const decimal = `${Math.floor(tenths / 10)}.${tenths % 10}`;
      lines.push(`${fid},${quoted(gid)},${otherFid},${quoted(otherGid)},${decimal}\r\n`);
    }
  }
  assert.equal(table.toString(), lines.join(''), tablePath);
}

function described(bytes: Buffer): CheckedFile {
  return { bytes: bytes.length, sha256: sha256(bytes) };
}
