// How a level nests in the next one that has units: the share of its edges that the next level has, too. Used by
// write-borders.ts.
import { NO_UNITS } from './borders.ts';
import type { LevelBorders } from './level-borders.ts';

/** Decimals of the share. */
const SHARE_SCALE = 1e6;

/**
 * The share of the edges of a level's borders that are edges of rings of the next level, rounded down: 1 is all of them.
 * @param level its borders, of which `numbers` was not called
 * @param readRings gives the rings of the next level's units, in the same precision
 * @returns 0 to 1; null if the level has no borders
 */
export function nestingOf(level: LevelBorders, readRings: (ring: LevelBorders['ring']) => void): number | null {
  const { edges, meridian } = level;
  const found = { edges: new Uint8Array(edges.points), meridian: new Uint8Array(meridian.points) };
  readRings((positions) => {
    level.visit(positions, (borders, x1, y1, x2, y2) => {
      const edge = borders.find(x1, y1, x2, y2);
      if (edge >= 0) found[borders === edges ? 'edges' : 'meridian'][edge] = 1;
    });
  });
  let all = 0;
  let both = 0;
  for (let edge = 0; edge < edges.points; edge++) {
    if (edges.setOf(edge) === NO_UNITS || !level.isCounted(edge)) continue;
    all++;
    if (found.edges[edge] === 1) both++;
  }
  for (let edge = 0; edge < meridian.points; edge++) {
    if (meridian.setOf(edge) === NO_UNITS) continue;
    all++;
    if (found.meridian[edge] === 1) both++;
  }
  return all === 0 ? null : Math.floor((SHARE_SCALE * both) / all) / SHARE_SCALE;
}
