// Checks that a JSON value is a quantised TopoJSON topology of polygons, as the overview is.
import { FileError } from '../reader/file-error.ts';

/** A geometry of the topology. */
export interface TopologyGeometry {
  type: 'Polygon' | 'MultiPolygon' | null;
  id: unknown;
  properties: Readonly<Record<string, unknown>>;
}

/** The geometries of each object. */
export interface Topology {
  objects: ReadonlyMap<string, readonly TopologyGeometry[]>;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Fewest positions of a closed ring. */
const RING_POSITIONS_MIN = 4;

/** The first and the last position of an arc, `x,y`, and the number of its positions. */
interface ArcEnds {
  first: string;
  last: string;
  positions: number;
}

/** Checks a topology. @param names of its objects, all of them collections @throws FileError if it is not valid */
export function checkTopology(value: unknown, names: readonly string[]): Topology {
  const topology = objectFrom(value, 'the overview');
  if (topology['type'] !== 'Topology') throw new FileError('is not a TopoJSON topology');
  const arcs = listFrom(topology['arcs'], 'arcs').map(endsOf);
  if (arcs.length > 0) checkTransform(topology);
  const objects = objectFrom(topology['objects'], 'objects');
  if (Object.keys(objects).join() !== names.join())
    throw new FileError(`has the objects ${Object.keys(objects).join(', ')}, expected ${names.join(', ')}`);
  const used = new Set<number>();
  const collections = names.map((name) => {
    const collection = objectFrom(objects[name], name);
    if (collection['type'] !== 'GeometryCollection') throw new FileError(`${name} is not a GeometryCollection`);
    const geometries = listFrom(collection['geometries'], `${name} geometries`);
    return [name, geometries.map((geometry, i) => geometryFrom(geometry, `${name}[${i}]`, arcs, used))] as const;
  });
  if (used.size !== arcs.length) throw new FileError(`${arcs.length - used.size} arcs are in no shape`);
  return { objects: new Map(collections) };
}

function checkTransform(topology: JsonObject): void {
  const { scale, translate } = objectFrom(topology['transform'], 'transform');
  const [sizes, origin, bbox] = [scale, translate, topology['bbox']].map((list) =>
    numbersFrom(list, 'transform or bbox'),
  );
  if (sizes?.length !== 2 || origin?.length !== 2 || bbox?.length !== 4 || !sizes.every((size) => size > 0))
    throw new FileError('its transform or bbox is not valid');
}

/** An arc is a list of differences. */
function endsOf(arc: unknown, at: number): ArcEnds {
  const where = `arcs[${at}]`;
  const positions = listFrom(arc, where).map((position) => numbersFrom(position, where));
  let [x, y] = [0, 0];
  const places = positions.map((position) => {
    const [dx, dy] = position;
    if (dx === undefined || dy === undefined || position.length !== 2 || !position.every(Number.isSafeInteger))
      throw new FileError(`${where} has a position that is not two whole numbers`);
    x += dx;
    y += dy;
    return `${x},${y}`;
  });
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined || places.length < 2)
    throw new FileError(`${where} has fewer than two positions`);
  return { first, last, positions: places.length };
}

function geometryFrom(value: unknown, where: string, arcs: readonly ArcEnds[], used: Set<number>): TopologyGeometry {
  const { type, id, properties, arcs: shape } = objectFrom(value, where);
  if (type !== 'Polygon' && type !== 'MultiPolygon' && type !== null)
    throw new FileError(`${where} has the type ${JSON.stringify(type)}`);
  const polygons = type === null ? [] : type === 'Polygon' ? [shape] : listFrom(shape, where);
  if (type !== null && polygons.length === 0) throw new FileError(`${where} has no polygons`);
  for (const polygon of polygons) {
    const rings = listFrom(polygon, where);
    if (rings.length === 0) throw new FileError(`${where} has a polygon without rings`);
    for (const ring of rings) checkRing(numbersFrom(ring, where), where, arcs, used);
  }
  return { type, id, properties: objectFrom(properties, `${where} properties`) };
}

/** The arcs of a ring continue each other, and the last one the first. */
function checkRing(ring: readonly number[], where: string, arcs: readonly ArcEnds[], used: Set<number>): void {
  let positions = 1;
  const ends = ring.map((index) => {
    const number = index < 0 ? ~index : index;
    const arc = arcs[number];
    if (arc === undefined) throw new FileError(`${where} refers to arc ${index} of ${arcs.length}`);
    used.add(number);
    positions += arc.positions - 1;
    return index < 0 ? { first: arc.last, last: arc.first } : arc;
  });
  const isClosed = ends.every(({ first }, i) => first === ends.at(i - 1)?.last);
  if (!isClosed || positions < RING_POSITIONS_MIN) throw new FileError(`${where} has a ring that is not closed`);
}

function objectFrom(value: unknown, where: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FileError(`${where} is not an object`);
  return value as JsonObject;
}

function listFrom(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new FileError(`${where} is not a list`);
  return value;
}

function numbersFrom(value: unknown, where: string): number[] {
  return listFrom(value, where).map((number) => {
    if (typeof number !== 'number') throw new FileError(`${where} has ${JSON.stringify(number)}, expected a number`);
    return number;
  });
}
