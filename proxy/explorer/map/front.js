// The units in front of the overview: one level, page by page. Used by map.js.
import { drawnOf, keyOf } from './features.js';
import { colourist } from './geometry/colours.js';
import { createDensity } from './style/density.js';

/**
 * @typedef {import('./features.js').Drawn} Drawn
 *
 * @typedef {import('../api/client.js').Unit} Unit
 *
 * @typedef {{ unit: Unit, facts: import('./features.js').UnitFacts, point?: [number, number] }} Origin
 *
 * @typedef {object} Front
 * @property {ReadonlyMap<string, Drawn>} units by key
 * @property {(level: number) => ReadonlySet<string>} parents GIDs at a level
 * @property {() => number} readableZoom see density.js
 * @property {(level: number, units: readonly Unit[], known: (key: string) => number | undefined) => Drawn[]} add
 *   units that are not there yet and have an area; `known`: the colour of a unit of the overview
 * @property {(level: number, units: readonly Unit[]) => Drawn[]} refine units that are there, in another shape
 * @property {(level: number, units: readonly Unit[]) => Drawn[]} placeNames units that are there, with the points of
 * their names
 */

/** @returns {Front} */
export function createFront() {
  /** @type {Map<string, Drawn>} */
  const drawn = new Map();
  /** What each is drawn from, by key. @type {Map<string, Origin>} */
  const origins = new Map();
  /** GIDs by level. @type {Set<string>[]} */
  const parents = [];
  const chooseColour = colourist();
  const density = createDensity();
  /**
   * @param {{ level: number, fid: number }} unit
   * @param {Partial<Origin>} change
   */
  const redrawn = (unit, change) => {
    const key = keyOf(unit);
    const origin = origins.get(key);
    if (origin === undefined || origin.unit === change.unit) return [];
    Object.assign(origin, change);
    const found = drawnOf(origin.unit, origin.facts, origin.point);
    if (found !== undefined) drawn.set(key, found);
    return found === undefined ? [] : [found];
  };
  return {
    units: drawn,
    parents: (level) => parents[level] ?? new Set(),
    readableZoom: density.readableZoom,
    add(level, units, known) {
      const added = [];
      for (const unit of units) {
        const fid = Number(unit.id);
        const key = keyOf({ level, fid });
        if (drawn.has(key)) continue;
        const colour = known(key) ?? chooseColour(unit.geometry, fid);
        const facts = { level, fid, gid: unit.gids?.[level] ?? null, name: unit.title ?? null, colour };
        const found = drawnOf(unit, facts);
        if (found === undefined) continue;
        drawn.set(key, found);
        origins.set(key, { unit, facts });
        added.push(found);
        density.add(found.box);
        for (const [above, parent] of unit.gids?.entries() ?? []) {
          parents[above] ??= new Set();
          if (parent !== undefined) parents[above].add(parent);
        }
      }
      return added;
    },
    refine: (level, units) => units.flatMap((unit) => redrawn({ level, fid: Number(unit.id) }, { unit })),
    placeNames: (level, units) =>
      units.flatMap(({ id, geometry }) => {
        const [x, y] = geometry?.type === 'Point' ? geometry.coordinates : [];
        return x === undefined || y === undefined ? [] : redrawn({ level, fid: Number(id) }, { point: [x, y] });
      }),
  };
}
