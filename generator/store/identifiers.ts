// Checks fids, GIDs and parents in the store indexes of the levels.
import { basename } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, type Level } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import { Findings } from '../quality/findings.ts';
import { BuildError } from '../report/errors.ts';
import type { LayerSource, LevelSource } from '../source/level-source.ts';
import type { StoreIndex } from './store-index.ts';

/** The GID of units whose code is not known, in GADM. */
const PLACEHOLDER_GID = '?';

/**
 * Checks the fids and GIDs of a level.
 * @throws BuildError for a fid that occurs twice
 */
export function checkIdentifiers({ level, layers }: LevelSource, index: StoreIndex, findings: Findings): void {
  const own = elementAt(index.columns, level);
  const place = placeIn(layers);
  // A level may have no parents at some level.
  const expected = index.columns.filter((_, n) => layers.some(({ gids }) => elementAt(gids, n).length > 0));
  // The fid of the last unit with each GID, -1 for none yet.
  const seen = new Float64Array(own.gids.length).fill(-1);
  const placeholder = own.gids.indexOf(PLACEHOLDER_GID);
  for (const [position, fid] of index.fids.entries()) {
    if (position > 0 && fid === index.fids[position - 1])
      throw new BuildError(
        `level ${level} (${layers.map(({ path }) => basename(path)).join(', ')}): fid ${fid} occurs twice`,
        'fix the source: fids must be unique in a layer',
      );
    const missing = expected.find(({ owners }) => owners[position] === -1);
    if (missing !== undefined) findings.add('null-gids', () => `${place}fid ${fid} has no ${missing.name}`);
    const owner = elementAt(own.owners, position);
    if (owner === -1) continue;
    if (owner === placeholder) findings.add('placeholder-gids', `${place}fid ${fid}`);
    const twin = elementAt(seen, owner);
    if (twin !== -1)
      findings.add(
        'duplicate-gids',
        () => `${place}fids ${twin} and ${fid} both have ${own.name} ${elementAt(own.gids, owner)}`,
      );
    seen[owner] = fid;
  }
}

/** The file and layer for an example; empty if there are several. */
function placeIn(layers: readonly LayerSource[]): string {
  const [only] = layers;
  return layers.length === 1 && only !== undefined ? `${basename(only.path)}: layer ${only.layer}, ` : '';
}

/** Units whose parent does not exist at a level that the source has. @param indexes of the levels with a layer */
export function findOrphans(indexes: ReadonlyMap<Level, StoreIndex>, levels: readonly LevelSource[]): Finding[] {
  const known = new Map([...indexes].map(([level, index]) => [level, new Set(elementAt(index.columns, level).gids)]));
  return LEVELS.flatMap((level) => {
    const index = indexes.get(level);
    if (index === undefined) return [];
    const findings = new Findings(level);
    const place = placeIn(levels.find((source) => source.level === level)?.layers ?? []);
    for (const [n, { name, gids, owners }] of index.columns.slice(0, level).entries()) {
      const parents = known.get(elementAt(LEVELS, n));
      if (parents === undefined || parents.size === 0) continue;
      const orphaned = gids.map((gid) => !parents.has(gid));
      if (!orphaned.includes(true)) continue;
      for (const [position, owner] of owners.entries()) {
        if (owner !== -1 && orphaned[owner])
          findings.add(
            'orphans',
            () =>
              `${place}fid ${elementAt(index.fids, position)} has ${name} ${elementAt(gids, owner)}, which no unit of level ${n} has`,
          );
      }
    }
    return findings.list();
  });
}
