// Run in a child process by hostile-sources.ci.ts: looks for damage in a GeoJSON file, and says what memory that took.
import { refuseLeftOut } from '../../../generator/source/geojson-damage.ts';

/** Bytes of a unit of `maxRSS`. */
const KIB = 1024;

/** Reads a file with damage. @returns what is said of it, and bytes of memory beside those before */
export function readForDamage(path: string): { damage: string; bytes: number } {
  const before = process.memoryUsage.rss();
  let damage = '';
  try {
    refuseLeftOut(path, 'GeoJSON');
  } catch (error) {
    damage = String(error);
  }
  return { damage, bytes: KIB * process.resourceUsage().maxRSS - before };
}
