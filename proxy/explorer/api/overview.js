// The overview of a release (/api/v1/overview): units of its highest two levels from its TopoJSON, with colours that
// tell neighbours apart.
import * as topojson from '../lib/topojson-client.js';
import { colourNeighbours } from '../map/geometry/colours.js';

/**
 * @typedef {import('topojson-specification').Topology} Topology
 *
 * @typedef {object} OverviewProperties
 * @property {string | null} gid
 * @property {string | null} name
 * @property {string | null} type
 * @property {string | null} [parent] GID of the unit of the first level, at the second
 * @property {number} children
 *
 * @typedef {object} OverviewUnit a GeoJSON feature
 * @property {'Feature'} type
 * @property {number} id the fid
 * @property {number} level
 * @property {number} colour 0 to 5; neighbours have different ones
 * @property {import('geojson').Geometry | null} geometry
 * @property {OverviewProperties} properties
 *
 * The units of each level, the highest first.
 * @typedef {OverviewUnit[][]} Overview
 */

/**
 * @param {Topology} topology whose objects are levels, such as `lv0` and `lv1` (format/README.md)
 * @returns {Overview}
 * @throws {Error} if it has other objects
 */
export function readOverview(topology) {
  return Object.keys(topology.objects)
    .sort()
    .map((name) => unitsOf(topology, name));
}

/**
 * @param {Topology} topology
 * @param {string} name of an object
 * @returns {OverviewUnit[]}
 */
function unitsOf(topology, name) {
  const object = topology.objects[name];
  const [, level] = /^lv([0-5])$/.exec(name) ?? [];
  if (object?.type !== 'GeometryCollection' || level === undefined)
    throw new Error(`the overview has an object ${name}, which is no level`);
  const colours = colourNeighbours(
    topojson.neighbors(/** @type {import('topojson-specification').GeometryObject[]} */ (object.geometries)),
  );
  return topojson.feature(topology, object).features.map(({ id, geometry, properties }, index) => ({
    type: 'Feature',
    id: Number(id),
    level: Number(level),
    colour: colours[index] ?? 0,
    // A unit without an area has no type there.
    geometry: geometry ?? null,
    properties: /** @type {OverviewProperties} */ (properties),
  }));
}
