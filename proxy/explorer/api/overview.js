// The overview of a release (/api/v1/overview): units of levels 0 and 1 from its TopoJSON, with colours that tell
// neighbours apart.
import * as topojson from '../lib/topojson-client.js';
import { colourNeighbours } from '../map/geometry/colours.js';

/**
 * @typedef {import('topojson-specification').Topology} Topology
 *
 * @typedef {object} OverviewProperties
 * @property {string | null} gid
 * @property {string | null} name
 * @property {string | null} type
 * @property {string | null} [parent] GID of the unit of level 0, at level 1
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
 * @typedef {{ lv0: OverviewUnit[], lv1: OverviewUnit[] }} Overview
 */

/**
 * @param {Topology} topology with the objects lv0 and lv1 (format/README.md)
 * @returns {Overview}
 * @throws {Error} if it has other objects
 */
export function readOverview(topology) {
  return { lv0: unitsOf(topology, 0), lv1: unitsOf(topology, 1) };
}

/**
 * @param {Topology} topology
 * @param {number} level
 * @returns {OverviewUnit[]}
 */
function unitsOf(topology, level) {
  const object = topology.objects[`lv${level}`];
  if (object?.type !== 'GeometryCollection') throw new Error(`the overview has no units of lv${level}`);
  const colours = colourNeighbours(
    topojson.neighbors(/** @type {import('topojson-specification').GeometryObject[]} */ (object.geometries)),
  );
  return topojson.feature(topology, object).features.map(({ id, geometry, properties }, index) => ({
    type: 'Feature',
    id: Number(id),
    level,
    colour: colours[index] ?? 0,
    // A unit without an area has no type there.
    geometry: geometry ?? null,
    properties: /** @type {OverviewProperties} */ (properties),
  }));
}
