// Refuses a release because of its data, with what to do about it.
import type { Finding } from '../../format/findings.ts';
import { findingToText } from '../quality/check.ts';
import { ACCEPTABLE, type Acceptable } from '../quality/findings.ts';
import { BuildError } from '../report/errors.ts';
import type { LevelSource } from '../source/level-source.ts';
import type { Pool } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
import type { advise } from './advise.ts';

/** Maximum number of problems that are listed. */
const LISTED_MAX = 10;

/**
 * @param levels to look for advice in
 * @throws BuildError that lists every problem that fails a build and is not accepted, and says what to do
 */
export async function refuseUnaccepted(
  pool: Pool,
  source: readonly string[],
  findings: readonly Finding[],
  accept: readonly Acceptable[],
  levels: readonly LevelSource[],
): Promise<void> {
  const kinds = ACCEPTABLE.filter((name) => !accept.includes(name) && findings.some(({ kind }) => kind === name));
  if (kinds.length === 0) return;
  const refused = findings.filter(({ kind }) => kinds.some((name) => name === kind));
  const lines = refused.slice(0, LISTED_MAX).map(findingToText);
  if (refused.length > LISTED_MAX) lines.push(`and ${refused.length - LISTED_MAX} more`);
  const advice = await pool.run<typeof advise>(TASKS.advise, { findings: refused, levels });
  throw new BuildError(
    [`${source.join(', ')}: not published, because of the data:`, ...lines],
    [
      ...advice,
      kinds.includes('fewer-units')
        ? `complete the source; or, if it is meant to have fewer units, publish it with --accept ${kinds.join(' ')}`
        : `fix the source, or publish it unchanged with --accept ${kinds.join(' ')}`,
    ].join('; or '),
  );
}
