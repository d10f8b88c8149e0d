// What GDAL leaves out of GeoJSON and TopoJSON and says nothing: the ring, the polygon or the geometry with a position
// that is not of numbers, and units of TopoJSON without arcs. What is in archives and at URLs only GDAL can read.
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { shellWord } from '../../format/command-line/messages.ts';
import { isObject } from '../../format/parse.ts';
import { listOf } from '../release-reader/parse-feature.ts';
import { BuildError } from '../report/errors.ts';

/**
 * How deep the texts of features lie in a file, by GDAL's name of its format: in a collection, or one after the other.
 */
const FEATURE_DEPTH: Readonly<Record<string, number>> = { GeoJSON: 2, GeoJSONSeq: 0 };

/** How deep the positions of a geometry lie in its coordinates. */
const POSITION_DEPTH: ReadonlyMap<unknown, number> = new Map([
  ['Point', 0],
  ['MultiPoint', 1],
  ['LineString', 1],
  ['MultiLineString', 2],
  ['Polygon', 2],
  ['MultiPolygon', 3],
]);

/** Bytes that are read at once. */
const READ_BYTES = 1 << 20;
/** A longer text is no JavaScript string; GDAL refuses features beyond 200 MB by itself. */
const FEATURE_MAX_BYTES = 256 * 1024 * 1024;
/** Longest part of the source in a message. */
const SHOWN_CHARS = 120;

const [QUOTE, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = Buffer.from('"\\{}[]');

/**
 * Looks for what GDAL would leave out.
 * @param path of a file
 * @param driver GDAL's name of its format: others than GeoJSON and TopoJSON are not read
 * @throws BuildError with the feature's number, its properties, and what is wrong
 */
export function refuseLeftOut(path: string, driver: string): void {
  if (!existsSync(path)) return;
  if (driver === 'TopoJSON') refuseWithoutArcs(path);
  const depth = FEATURE_DEPTH[driver];
  if (depth === undefined) return;
  const hasFeatures = refuseDamagedAt(depth, path);
  // Without a collection the file is one feature, or a geometry alone.
  if (!hasFeatures && depth > 0 && statSync(path).size <= FEATURE_MAX_BYTES) refuseDamagedAt(0, path);
}

/** @returns whether there are features so deep in a file @throws BuildError for one that is damaged */
function refuseDamagedAt(depth: number, path: string): boolean {
  let number = 0;
  for (const { text } of textsAt(depth, path)) {
    const object = parsed(text);
    if (!isObject(object)) continue;
    const isFeature = object['type'] === 'Feature';
    if (!isFeature && (depth > 0 || !isGeometry(object))) continue;
    number++;
    const damage = damageOf(isFeature ? object['geometry'] : object);
    if (damage === undefined) continue;
    const where = isFeature ? `feature ${number}, ${shown(object['properties'])}: its geometry` : 'its geometry';
    throw new BuildError(
      `${path}: ${where} has ${damage}, which GDAL would leave out`,
      'the file is damaged: download it again, or correct the feature',
    );
  }
  return number > 0;
}

/** How deep the objects of a topology lie in a file. */
const TOPOLOGY_DEPTH = 2;

/** @throws BuildError for a unit of TopoJSON that GDAL would leave out: one without arcs, or of several geometries */
function refuseWithoutArcs(path: string): void {
  for (const { text, keys } of textsAt(TOPOLOGY_DEPTH, path)) {
    const [, member, name = ''] = keys;
    const object = member === 'objects' && text[0] === OPEN_OBJECT ? parsed(text) : undefined;
    if (!isObject(object)) continue;
    const isList = object['type'] === COLLECTION;
    for (const [at, unit] of (isList ? listOf(object['geometries']) : [object]).entries()) {
      if (!isObject(unit) || Array.isArray(unit['arcs']) || Array.isArray(unit['coordinates'])) continue;
      const { type = null } = unit;
      const number = isList ? `, geometry ${at + 1}` : '';
      throw new BuildError(
        `${path}: object "${name}"${number}, ${shown(unit['properties'])}: it has the type ${shown(type)} and no arcs, so GDAL would leave it out`,
        `convert it to GeoJSON: npx -p topojson-client topo2geo ${shellWord(`${name}=${name}.geojson`)} < ${shellWord(path)}`,
      );
    }
  }
}

/** The text of an object or list, and the keys by which it is found, by depth. */
interface TextAt {
  text: Buffer;
  keys: readonly string[];
}

/** The objects and lists at a depth of objects and lists, but for those that are longer than a feature can be. */
function* textsAt(depth: number, path: string): Generator<TextAt> {
  // The last text of each depth: what a colon follows.
  const keys: string[] = [];
  let key: number[] = [];
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(READ_BYTES);
    let pieces: Buffer[] = [];
    let [level, before, isText, isEscaped] = [0, 0, false, false];
    for (let length = readSync(file, bytes); length > 0; length = readSync(file, bytes)) {
      let from = 0;
      for (let at = 0; at < length; at++) {
        const byte = bytes[at];
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isText = false;
          if (level > depth) continue;
          if (!isText) keys[level] = Buffer.from(key).toString();
          else if (byte !== undefined && key.length < SHOWN_CHARS) key.push(byte);
        } else if (byte === QUOTE) [isText, key] = [true, []];
        else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
          if (level++ === depth) from = at;
        } else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --level === depth) {
          const last = bytes.subarray(from, at + 1);
          if (before + last.length <= FEATURE_MAX_BYTES) yield { text: Buffer.concat([...pieces, last]), keys };
          [pieces, before] = [[], 0];
        }
      }
      if (level <= depth) continue;
      before += length - from;
      if (before <= FEATURE_MAX_BYTES) pieces.push(Buffer.from(bytes.subarray(from, length)));
      else pieces = [];
    }
  } finally {
    closeSync(file);
  }
}

/** Undefined for what is no JSON: GDAL decides whether it can read that. */
function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

/** The type of a geometry of several ones. */
const COLLECTION = 'GeometryCollection';

function isGeometry({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === COLLECTION || POSITION_DEPTH.has(type);
}

/** What is wrong with a geometry; undefined if nothing is. */
function damageOf(geometry: unknown): string | undefined {
  if (!isObject(geometry)) return undefined;
  const { type, coordinates, geometries } = geometry;
  if (type === COLLECTION) return firstOf(listOf(geometries), damageOf);
  const depth = POSITION_DEPTH.get(type);
  if (depth === undefined) return `the type ${shown(type)}`;
  return damageIn(coordinates, depth);
}

/** What is wrong with coordinates whose positions are so deep in lists. */
function damageIn(coordinates: unknown, depth: number): string | undefined {
  if (!Array.isArray(coordinates)) return `${shown(coordinates)} among its coordinates`;
  if (depth > 0) return firstOf(coordinates, (inner) => damageIn(inner, depth - 1));
  const isPosition = coordinates.length >= 2 && coordinates.slice(0, 3).every((value) => typeof value === 'number');
  return isPosition ? undefined : `the position ${shown(coordinates)}`;
}

function firstOf<Item>(items: readonly Item[], damage: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = damage(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}...`;
}
