// Verifies the overview: a quantised TopoJSON topology of polygons, and in it every unit of its levels with the
// properties of its feature and, if it has an area, a shape.
import { OVERVIEW_FILE } from '../../format/layout.ts';
import { type Level, levelName } from '../../format/levels.ts';
import { overviewProperties } from '../../format/overview.ts';
import { type JsonObject, listIn, objectFrom } from '../../format/parse.ts';
import { FileError } from '../reader/file-error.ts';
import type { Metadata } from './metadata.ts';
import { type NamedUnits, readWholeFile, textOrNull } from './names.ts';

/** Fewest positions of a closed ring. */
const RING_POSITIONS_MIN = 4;

/** The first and the last position of an arc, `x,y`, and the number of its positions. */
interface ArcEnds {
  first: string;
  last: string;
  positions: number;
}

/** Verifies the file. @param levels that it must have @param units of all levels; undefined if an index is damaged */
export function verifyOverview(
  levels: readonly Level[],
  units: readonly (NamedUnits | undefined)[],
  metadata: Metadata,
): void {
  const text = readWholeFile(OVERVIEW_FILE, metadata.description?.overview, metadata);
  if (text === undefined) return;
  metadata.attempt(OVERVIEW_FILE, () => {
    const geometries = checkTopology(objectFrom(text.toString(), ''), levels);
    for (const [i, level] of levels.entries()) {
      const expected = units[level];
      if (expected !== undefined) checkUnits(geometries[i] ?? [], expected, i === 0);
    }
  });
}

function checkUnits(geometries: readonly JsonObject[], units: NamedUnits, isFirst: boolean): void {
  const name = levelName(units.level);
  if (geometries.length !== units.count)
    throw new FileError(`${name} has ${geometries.length} geometries, expected ${units.count}`);
  for (const [position, geometry] of geometries.entries()) {
    const { id, type } = geometry;
    const properties = objectFrom(geometry['properties'], `${name}[${position}] properties`);
    const label = { name: textOrNull(properties['name']), type: textOrNull(properties['type']) };
    const unit = units.unitAt(position, label);
    const where = `${name} fid ${unit.fid}`;
    if (id !== unit.fid) throw new FileError(`${where}: its id is ${JSON.stringify(id)}`);
    const [got, expected] = [properties, overviewProperties(unit, isFirst)].map((value) => JSON.stringify(value));
    if (got !== expected) throw new FileError(`${where}: its properties are ${got}, expected ${expected}`);
    const shape = units.featureAt(position)?.shape;
    if (shape === 'must' && type === null) throw new FileError(`${where}: has no shape`);
    if (shape === 'no' && type !== null) throw new FileError(`${where}: has a shape, its feature none`);
  }
}

/** Checks the topology. @returns the geometries of each level */
function checkTopology(topology: JsonObject, levels: readonly Level[]): JsonObject[][] {
  if (topology['type'] !== 'Topology') throw new FileError('is not a TopoJSON topology');
  const arcs = listIn(topology, 'arcs', '').map((arc, i) => endsOf(arc, `arcs[${i}]`));
  if (arcs.length > 0) checkTransform(topology);
  const objects = objectFrom(topology['objects'], 'objects');
  const names = levels.map(levelName);
  if (Object.keys(objects).join() !== names.join())
    throw new FileError(`has the objects ${Object.keys(objects).join(', ')}, expected ${names.join(', ')}`);
  const used = new Set<number>();
  const collections = names.map((name) => {
    const collection = objectFrom(objects[name], name);
    if (collection['type'] !== 'GeometryCollection') throw new FileError(`${name} is not a GeometryCollection`);
    const geometries = listIn(collection, 'geometries', name).map((value, i) => objectFrom(value, `${name}[${i}]`));
    for (const [i, geometry] of geometries.entries()) checkGeometry(geometry, `${name}[${i}]`, arcs, used);
    return geometries;
  });
  if (used.size !== arcs.length) throw new FileError(`${arcs.length - used.size} arcs are in no shape`);
  return collections;
}

function checkTransform(topology: JsonObject): void {
  const { scale, translate } = objectFrom(topology['transform'], 'transform');
  const isValid =
    areNumbers(scale, 2) && areNumbers(translate, 2) && areNumbers(topology['bbox'], 4) && scale.every((n) => n > 0);
  if (!isValid) throw new FileError('its transform or bbox is not valid');
}

/** Decodes an arc, a list of differences. */
function endsOf(arc: unknown, where: string): ArcEnds {
  let [x, y] = [0, 0];
  const places = (Array.isArray(arc) ? arc : []).map((position: unknown) => {
    if (!areNumbers(position, 2) || !position.every(Number.isSafeInteger))
      throw new FileError(`${where} has a position that is not two whole numbers`);
    const [dx = NaN, dy = NaN] = position;
    x += dx;
    y += dy;
    return `${x},${y}`;
  });
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined || places.length < 2)
    throw new FileError(`${where} has fewer than two positions`);
  return { first, last, positions: places.length };
}

function checkGeometry({ type, arcs: shape }: JsonObject, where: string, arcs: ArcEnds[], used: Set<number>): void {
  if (type === null) return;
  if (type !== 'Polygon' && type !== 'MultiPolygon')
    throw new FileError(`${where} has the type ${JSON.stringify(type)}`);
  const polygons = type === 'Polygon' ? [shape] : shape;
  if (!Array.isArray(polygons) || polygons.length === 0) throw new FileError(`${where} has no polygons`);
  for (const rings of polygons) {
    if (!Array.isArray(rings) || rings.length === 0) throw new FileError(`${where} has a polygon without rings`);
    for (const ring of rings) checkRing(ring, where, arcs, used);
  }
}

/** The arcs of a ring continue each other, and the last one the first. */
function checkRing(ring: unknown, where: string, arcs: readonly ArcEnds[], used: Set<number>): void {
  if (!areNumbers(ring)) throw new FileError(`${where} has a ring that is not a list of arcs`);
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

/** Is the value a list of numbers? @param length how many; any number by default */
function areNumbers(value: unknown, length?: number): value is number[] {
  if (!Array.isArray(value) || (length !== undefined && value.length !== length)) return false;
  return value.every((number) => typeof number === 'number');
}
