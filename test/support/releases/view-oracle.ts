// The oracle of the views in names: a unit's box without what lies far beyond a gap, from its feature, with none of the
// generator's code; and of its area. Used by oracle.ts, and by the test of views.
import type { Geometry, Position } from 'geojson';
import { elementAt } from '../../../format/element-at.ts';

/** A polygon: longitudes in whole units from where a unit begins, and in degrees of longitude on the map. */
interface Part {
  west: number;
  east: number;
  degrees: readonly [south: number, north: number];
  x: readonly [from: number, to: number];
  y: readonly [from: number, to: number];
  area: number;
}

/** @returns west, south, east, north in degrees, rounded outward to hundredths; null without geometry */
export function viewIn(
  { bbox, geometry }: { bbox?: readonly number[] | undefined; geometry: unknown },
  precision: number,
): number[] | null {
  if (bbox === undefined) return null;
  const scale = 10 ** precision;
  const shape = geometry as Geometry;
  const rings = shape.type === 'MultiPolygon' ? shape.coordinates.map((polygon) => elementAt(polygon, 0)) : [];
  if (rings.length < 2) return outward(bbox, precision);
  const parts = rings.map((ring) => partOf(ring, scale));
  const [start] = spanOf(parts, scale);
  const full = 360 * scale;
  let kept = parts.map((part): Part => {
    const from = (((part.west - start) % full) + full) % full;
    return { ...part, x: [from / scale, (from + part.east - part.west) / scale] };
  });
  const all = kept;
  for (let fewer = without(kept, all); fewer !== undefined; fewer = without(kept, all)) kept = fewer;
  const [west, east] = spanOf(kept, scale);
  const [south, north] = [Math.min(...kept.map((p) => p.degrees[0])), Math.max(...kept.map((p) => p.degrees[1]))];
  return outward([west / scale, south, east / scale, north], precision);
}

/** What is left of parts where the best of all gaps divides them; undefined if none is worth it. */
function without(kept: readonly Part[], all: readonly Part[]): Part[] | undefined {
  const largest = all.find((part) => part.area === Math.max(...all.map(({ area }) => area)));
  const sides = (['x', 'y'] as const).flatMap((axis) => {
    const sorted = [...kept].sort((a, b) => a[axis][0] - b[axis][0]);
    const ways = sorted.slice(1).flatMap((part, i) => {
      const before = sorted.slice(0, i + 1);
      const gap = part[axis][0] - Math.max(...before.map((other) => other[axis][1]));
      return gap > 0 ? [{ before, after: sorted.slice(i + 1), gap }] : [];
    });
    const toTheEnd = ways.map(({ after, gap }) => ({ parts: after, gap })).reverse();
    return [...ways.map(({ before, gap }) => ({ parts: before, gap })), ...toTheEnd];
  });
  let best: { parts: Part[]; worth: number } | undefined;
  for (const { parts, gap } of sides) {
    if (!parts.some((part) => part === largest) || areaOf(all) - areaOf(parts) > areaOf(all) / 4) continue;
    const wanted = areaOf(kept) - areaOf(parts) <= areaOf(kept) / 100 ? 1.8 : 2;
    const worth = (sizeOf(kept) + gap) / sizeOf(parts) / wanted;
    if (worth >= 1 && worth > (best?.worth ?? 0)) best = { parts, worth };
  }
  return best?.parts;
}

function areaOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { area }) => sum + area, 0);
}

function sizeOf(parts: readonly Part[]): number {
  const extent = (axis: 'x' | 'y') =>
    Math.max(...parts.map((part) => part[axis][1])) - Math.min(...parts.map((part) => part[axis][0]));
  return extent('x') + extent('y');
}

/** A ring, in one turn; around a pole it is closed there. */
function partOf(ring: readonly Position[], scale: number): Part {
  const places = ring.map(([x = 0, y = 0]) => [Math.round(x * scale), y] as [number, number]);
  const turn = 360 * scale;
  const isCut = places.every(
    ([x, y], i) => i === 0 || Math.abs(x - elementAt(places, i - 1)[0]) <= turn / 2 || Math.abs(y) === 90,
  );
  if (!isCut) {
    for (let i = 1; i < places.length; i++) {
      const before = elementAt(places, i - 1)[0];
      const place = elementAt(places, i);
      place[0] -= turn * Math.round((place[0] - before) / turn);
    }
    const [first, last] = [elementAt(places, 0), elementAt(places, places.length - 1)];
    const pole = Math.sign(places.reduce((sum, [, y]) => sum + y, 0)) * 90;
    if (first[0] !== last[0]) places.push([last[0], pole], [first[0], pole], [...first]);
  }
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
  const [least, most, south, north] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const sine = (degrees: number): number => Math.sin((degrees * Math.PI) / 180);
  const area = places.reduce((sum, [x, y], i) => {
    const [x0, y0] = places[i - 1] ?? [x, y];
    return sum + ((x - x0) / scale) * (sine(y) + sine(y0));
  }, 0);
  const onMap = (latitude: number): number =>
    (Math.log(Math.tan(Math.PI / 4 + (Math.max(-85, Math.min(85, latitude)) * Math.PI) / 360)) * 180) / Math.PI;
  const isWhole = most - least >= turn;
  const west = isWhole ? -turn / 2 : least - turn * Math.floor(least / turn + 0.5);
  const east = isWhole ? turn / 2 : west + most - least;
  return { west, east, degrees: [south, north], x: [0, 0], y: [onMap(south), onMap(north)], area: Math.abs(area) / 2 };
}

/** West and east of the shortest way along which all parts are; the whole turn if they leave no gap. */
function spanOf(parts: readonly Part[], scale: number): [west: number, east: number] {
  const full = 360 * scale;
  const ways = parts.flatMap(({ west }): [west: number, length: number][] => {
    const ends = parts.map((part) => ((part.west - west + full) % full) + part.east - part.west);
    return Math.max(...ends) < full ? [[west, Math.max(...ends)]] : [];
  });
  const [best] = ways.sort((a, b) => a[1] - b[1] || a[0] - b[0]);
  if (best === undefined) return [-full / 2, full / 2];
  const east = best[0] + best[1];
  return [best[0], east > full / 2 ? east - full : east];
}

function outward([west = 0, south = 0, east = 0, north = 0]: readonly number[], precision: number): number[] {
  const rounded = (degrees: number, round: (value: number) => number): number => {
    const units = Math.round(degrees * 10 ** precision);
    return round(precision > 2 ? units / 10 ** (precision - 2) : units * 10 ** (2 - precision)) / 100;
  };
  return [rounded(west, Math.floor), rounded(south, Math.floor), rounded(east, Math.ceil), rounded(north, Math.ceil)];
}

/** Square kilometres on the ellipsoid WGS 84, as the sum of strips, at least five an edge and a hundred a degree; null without polygons. */
export function areaIn(geometry: unknown): number | null {
  const shape = geometry as Geometry | null;
  if (shape?.type === 'GeometryCollection') {
    const areas = shape.geometries.map(areaIn).filter((area) => area !== null);
    return areas.length === 0 ? null : areas.reduce((sum, area) => sum + area, 0);
  }
  const polygons =
    shape?.type === 'Polygon' ? [shape.coordinates] : shape?.type === 'MultiPolygon' ? shape.coordinates : [];
  if (polygons.length === 0) return null;
  const sizes = polygons.map(
    ([outer = [], ...holes]) => ringArea(outer) - holes.reduce((sum, hole) => sum + ringArea(hole), 0),
  );
  return Math.max(
    0,
    sizes.reduce((sum, size) => sum + size, 0),
  );
}

function ringArea(ring: readonly Position[]): number {
  let [sum, turned, north] = [0, 0, 0];
  for (const [i, [x2 = 0, y2 = 0]] of ring.entries()) {
    const [x1 = 0, y1 = 0] = ring[i - 1] ?? [x2, y2];
    const isAtPole = Math.min(Math.abs(y1), Math.abs(y2)) >= 90 - 1e-6;
    const width = isAtPole || Math.abs(x2 - x1) <= 180 ? x2 - x1 : x2 - x1 - 360 * Math.sign(x2 - x1);
    const strips = y1 === y2 ? 1 : 4 + Math.ceil(100 * Math.abs(y2 - y1));
    for (let k = 0; k < strips; k++) sum += (width / strips) * zone(y1 + ((y2 - y1) * (k + 0.5)) / strips);
    [turned, north] = [turned + width, north + y2];
  }
  return Math.abs(sum - turned * zone(90 * Math.sign(north))) * (Math.PI / 180);
}

/** Of a radian of longitude, from the equator. */
function zone(latitude: number): number {
  const [a, e2] = [6378.137, 0.00669437999014];
  const [e, sine] = [Math.sqrt(e2), Math.sin((latitude * Math.PI) / 180)];
  return (a * a * (1 - e2) * (sine / (1 - e2 * sine * sine) + Math.log((1 + e * sine) / (1 - e * sine)) / (2 * e))) / 2;
}
