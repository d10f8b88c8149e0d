// What the service says of itself to anyone: the release, whom to name, the largest pages. And the land, for the map.
import { part } from './panels.js';

/**
 * Shows it.
 * @returns {Promise<{ caps: Record<string, number[]>, levels: import('../request/unit.js').LevelColumns[], land:
 * import('geojson').GeoJsonObject | undefined }>} the most features on a page, by format and level; the columns of each
 * level; and the land
 */
export async function describe() {
  const [about, land] = await Promise.all([jsonAt('about.json'), jsonAt('explorer/land.geojson')]);
  part('release').textContent = about?.release ?? 'no release yet';
  part('release').hidden = false;
  part('attribution').textContent = (about?.attribution ?? []).join(' · ');
  return { caps: about?.caps ?? {}, levels: about?.levels ?? [], land };
}

/** @param {string} file */
async function jsonAt(file) {
  const answer = await fetch(file).catch(() => undefined);
  return answer?.ok ? answer.json() : undefined;
}
