// Reads the atlases: npm packages of TopoJSON files, real boundaries under open licences.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Feature, Position } from 'geojson';
import { feature } from 'topojson-client';
import type { GeometryCollection, MultiPolygon, Polygon, Topology } from 'topojson-specification';
import { FormatError, objectFrom, textIn } from '../../format/parse.ts';
import { doubledArea } from '../rings/open-rings.ts';
import { cutAtAntimeridian } from './antimeridian.ts';
import { validPolygons } from './mended-polygons.ts';
import type { PolygonPositions } from './write-geopackage.ts';

/** An area of an atlas: its code in the atlas's scheme (may be empty) and its name. */
export interface Area {
  code: string;
  name: string;
  geometry: Polygon | MultiPolygon;
}

/** One atlas file: areas of several kinds on one set of arcs. */
export interface Atlas {
  file: string;
  topology: Topology;
}

/** Rings without area at this number of decimals are left out; the default of `build --precision`. */
const PRECISION = 7;
const SCALE = 10 ** PRECISION;

/** Opens a file of a package, such as `us-atlas/counties-10m.json`. */
export function readAtlas(file: string): Atlas {
  const text = readFileSync(createRequire(import.meta.url).resolve(file), 'utf8');
  const json = objectFrom(text, file);
  if (textIn(json, 'type', file) !== 'Topology') throw new FormatError(file, 'is not a TopoJSON topology');
  return { file, topology: json as unknown as Topology };
}

/** The areas of one kind, in order of code and then of name. */
export function areasOf(atlas: Atlas, kind: string): Area[] {
  const where = `${atlas.file} ${kind}`;
  const collection = atlas.topology.objects[kind];
  if (collection?.type !== 'GeometryCollection') throw new FormatError(where, 'is not a GeometryCollection');
  const areas = (collection as GeometryCollection).geometries.map((geometry, i): Area => {
    if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon')
      throw new FormatError(`${where}[${i}]`, `is a ${geometry.type}, expected a Polygon or MultiPolygon`);
    const properties = objectFrom(geometry.properties, `${where}[${i}]`);
    return { code: String(geometry.id ?? ''), name: textIn(properties, 'name', `${where}[${i}]`), geometry };
  });
  return areas.sort((a, b) => compare(a.code, b.code) || compare(a.name, b.name));
}

/** Compares by code units: the same order in every locale. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * An area's polygons, cut at the antimeridian and valid, without rings that have no area. Null for an area that is
 * smaller than the atlas's grid, in which it is a point or a line: what it covers is its neighbours' there, and nobody
 * has drawn another shape.
 */
export function areaPolygons(atlas: Atlas, area: Area): PolygonPositions | null {
  const polygons = positionsOf(atlas, area).flatMap(cutAtAntimeridian);
  const kept = polygons.flatMap((polygon) => {
    const rings = polygon.filter(hasArea);
    // Without its exterior ring, a polygon's holes are dropped.
    return rings[0] === polygon[0] && rings.length > 0 ? [rings.map(closed)] : [];
  });
  if (kept.length === 0) return null;
  const valid = validPolygons(kept, SCALE, hasArea);
  if (valid === undefined) throw new Error(`${atlas.file}: the polygons of ${area.name} cannot be made valid`);
  return valid;
}

/** A ring that ends where it begins: arcs of an atlas may not quite meet. */
function closed(ring: readonly Position[]): readonly Position[] {
  const [first = []] = ring;
  return ring.at(-1)?.join() === first.join() ? ring : [...ring, first];
}

function positionsOf({ topology }: Atlas, { geometry }: Area): Position[][][] {
  const made: Feature = geometry.type === 'Polygon' ? feature(topology, geometry) : feature(topology, geometry);
  if (made.geometry.type === 'Polygon') return [made.geometry.coordinates];
  return made.geometry.type === 'MultiPolygon' ? made.geometry.coordinates : [];
}

/** Has the ring an area after rounding? */
function hasArea(ring: readonly Position[]): boolean {
  const [originX = 0, originY = 0] = ring[0] ?? [];
  const places = ring.flatMap(([x = 0, y = 0]) => [
    Math.round(x * SCALE - originX * SCALE),
    Math.round(y * SCALE - originY * SCALE),
  ]);
  return doubledArea(places) !== 0;
}

/**
 * Which of `parents` each of `children` lies in, where the parents are unions of the children: an arc of a parent's
 * outline belongs, in the same direction, to the one child inside it; the other children lie beside one of these.
 * @returns for each child the index of its parent
 */
export function parentNumbers(children: readonly Area[], parents: readonly Area[]): number[] {
  const outline = new Map(parents.flatMap((parent, i) => arcsOf(parent).map((arc) => [arc, i])));
  const ownerOf = new Map(children.flatMap((child, i) => arcsOf(child).map((arc) => [arc, i])));
  const parentOf = children.map((child) => arcsOf(child).flatMap((arc) => outline.get(arc) ?? [])[0]);
  const queue = [...parentOf.keys()].filter((child) => parentOf[child] !== undefined);
  for (const child of queue) {
    for (const arc of children[child] === undefined ? [] : arcsOf(children[child])) {
      // The same arc the other way round is the neighbour's, across a border unless it is within the parent.
      const neighbour = outline.has(arc) ? undefined : ownerOf.get(~arc);
      if (neighbour === undefined || parentOf[neighbour] !== undefined) continue;
      parentOf[neighbour] = parentOf[child];
      queue.push(neighbour);
    }
  }
  return parentOf.map((parent, i) => {
    if (parent === undefined) throw new Error(`${children[i]?.name} lies in none of the areas above it`);
    return parent;
  });
}

function arcsOf(area: Area): number[] {
  return area.geometry.type === 'Polygon' ? area.geometry.arcs.flat() : area.geometry.arcs.flat(2);
}
