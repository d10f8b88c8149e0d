// Verifies the names of a level: a line for each unit, in order, with the fid, the GIDs and the number of children that
// the indexes have.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { namesPath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import type { LevelAbout } from '../../format/level-json.ts';
import { LEVELS } from '../../format/levels.ts';
import { furtherColumns, nameColumns, namesTextMaxBytes, textInNames, valuesIn } from '../../format/names.ts';
import { relationsOf, relativesOf } from '../names/named-units.ts';
import { FileError } from '../release-reader/file-error.ts';
import { gunzipWithin } from '../release-reader/inflate.ts';

const RELATED = ['fid', 'gid', 'parent', 'children', 'parents'] as const;

/**
 * Compares the names of a level with the indexes of all levels.
 * @param root the release's folder
 * @param about what release.json says of the level
 * @param levels undefined for one that is damaged: then nothing is compared
 * @throws FileError, FormatError for the first line that is not that of its unit
 */
export function checkNames(
  root: string,
  index: LevelIndex,
  about: Pick<LevelAbout, 'nameColumns' | 'codeColumns'>,
  levels: readonly (LevelIndex | undefined)[],
): void {
  if (LEVELS.some((other) => levels[other] === undefined)) return;
  const { level, features } = index;
  const { parent, below } = relativesOf(
    level,
    levels.filter((other) => other !== undefined),
  );
  const columns = below.map((deeper) => elementAt(deeper.columns, level));
  const relationsAt = relationsOf(level, index, parent, columns);
  const path = namesPath(level);
  const bytes = readFileSync(join(root, path));
  const lines = gunzipWithin(bytes, namesTextMaxBytes(features, furtherColumns(about)))
    .toString()
    .split('\n');
  if (lines.pop() !== '') throw new FileError('does not end with a line');
  const fields = nameColumns(lines[0] ?? '', RELATED, path);
  if (lines.length !== features + 1) throw new FileError(`has ${lines.length - 1} units, expected ${features}`);
  for (let position = 0; position < features; position++) {
    const line = elementAt(lines, position + 1);
    const values = valuesIn(line, `${path} line ${position + 2}`);
    const { gid, parent: above, children, parents } = relationsAt(position);
    const expected = [index.fidAt(position), shown(gid), shown(above), children, parents?.map(shown) ?? null];
    for (const [i, column] of fields.entries())
      if (JSON.stringify(values[column]) !== JSON.stringify(expected[i]))
        throw new FileError(
          `line ${position + 2}: ${RELATED[i]} is ${JSON.stringify(values[column])}, the index has ${JSON.stringify(expected[i])}`,
        );
  }
}

/** A GID as names have it. */
function shown(gid: string | null): string | null {
  return gid === null ? null : textInNames(gid);
}
