// The units in front of the overview: one level, page by page. Used by map.js.
import { drawnOf, keyOf } from './features.js';
import { colourist } from './geometry/colours.js';
import { createDensity } from './style/density.js';

/**
 * @typedef {import('./features.js').Drawn} Drawn
 *
 * @typedef {object} Front
 * @property {ReadonlyMap<string, Drawn>} units by key
 * @property {(level: number) => ReadonlySet<string>} parents GIDs at a level
 * @property {() => number} readableZoom see density.js
 * @property {(level: number, units: readonly import('../api/client.js').Unit[], known: (key: string) => number | undefined) => Drawn[]} add
 *   units that are not there yet and have an area; `known`: the colour of a unit of the overview
 */

/** @returns {Front} */
export function createFront() {
  /** @type {Map<string, Drawn>} */
  const drawn = new Map();
  /** GIDs by level. @type {Set<string>[]} */
  const parents = [];
  const chooseColour = colourist();
  const density = createDensity();
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
        added.push(found);
        density.add(found.box);
        for (const [above, parent] of unit.gids?.entries() ?? []) {
          parents[above] ??= new Set();
          if (parent !== undefined) parents[above].add(parent);
        }
      }
      return added;
    },
  };
}
