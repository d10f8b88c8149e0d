// The features of a release that tests have built, read from its feature files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { releasePath } from '../../../format/layout.ts';
import { type Geometry, type Level, levelName } from '../../../format/levels.ts';

/** The text of a level's features in order, a line each. @param out the output folder */
export function linesIn(out: string, level: Level, geometry: Geometry = 'full', release = 'r1'): string {
  const folder = join(out, releasePath(release), levelName(level), geometry === 'full' ? '' : geometry, 'features');
  const files = readdirSync(folder).sort();
  return files.map((file) => gunzipSync(readFileSync(join(folder, file))).toString()).join('');
}

/** The features of a level in order. @param out the output folder */
export function featuresIn(out: string, level: Level, geometry: Geometry = 'full', release = 'r1') {
  const lines = linesIn(out, level, geometry, release).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
