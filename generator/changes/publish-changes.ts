// Compares two releases and publishes what became of the units: for the command `changes` and for `build --changes`.
import type { KeyObject } from 'node:crypto';
import { levelName } from '../../format/levels.ts';
import { writeChanges } from '../release/changes-files.ts';
import type { Lock } from '../release/output-lock.ts';
import { publishedReleases, relistChanges } from '../release/staging.ts';
import type { Report } from '../report/progress.ts';
import type { Pool } from '../workers/pool.ts';
import { type ComparedPair, compareReleases, type LevelChanges } from './changes.ts';
import { SAME } from './match-units.ts';

/**
 * Compares two releases, writes the file of their changes and lists it in current.json.
 * @param locked runs its function with the lock of the output folder
 * @param signKey a private Ed25519 key, to sign the files with
 * @throws BuildError as `compareReleases`; then nothing is written
 */
export async function publishChanges(
  pair: ComparedPair,
  signKey: KeyObject | undefined,
  pool: Pool,
  report: Report,
  locked: (write: (lock: Lock) => Promise<void>) => Promise<void>,
): Promise<LevelChanges[]> {
  const { out, from, to } = pair;
  const levels = await compareReleases(pair, pool, report);
  const drifts = levels.flatMap(({ level, drift }) =>
    drift === undefined ? [] : [`${levelName(level)} drift ${drift.toFixed(1)} m`],
  );
  const rows = levels.flatMap((level) => level.rows);
  await locked(async (lock) => {
    lock.assertHeld();
    const comment = [`same ${SAME}`, ...drifts].join(', ');
    const unread = await writeChanges(out, { from, to }, rows, comment, publishedReleases(out), signKey);
    if (unread !== undefined) report.note(unread);
    lock.assertHeld();
    await relistChanges(out, { from, to });
  });
  return levels;
}
