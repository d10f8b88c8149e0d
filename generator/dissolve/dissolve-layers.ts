// Makes levels by uniting features (--dissolve, and GADM's single-layer download): a unit of level n is the union of
// the features that share a GID of level n. The build reads the parts that are written like any other source.
import { join } from 'node:path';
import { shellWord } from '../../format/command-line/messages.ts';
import { elementAt } from '../../format/element-at.ts';
import type { Finding } from '../../format/findings.ts';
import { levelName } from '../../format/levels.ts';
import { findingToText } from '../quality/check.ts';
import type { Acceptable } from '../quality/findings.ts';
import { BuildError } from '../report/errors.ts';
import type { Report } from '../report/progress.ts';
import { keysAdvice } from '../source/layers-advice.ts';
import type { DissolvedLayer, MadeLevels } from '../source/level-source.ts';
import { sourceName } from '../source/source-options.ts';
import type { Pool } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
import type { DissolvePlan, planDissolve } from './dissolve-plan.ts';
import type { writePart } from './write-part.ts';

// Rates of one core and memory, by bytes of geometry as WKB. Measured with GDAL 3.6.2 and GEOS 3.11.1: 2.2 MB/s for
// 54,954 real units on six levels, 0.9 MB/s for 52,000 synthetic units of few vertices, six levels everywhere.
const DISSOLVED_BYTES_PER_SECOND = 1.5e6;
const SCANNED_BYTES_PER_SECOND = 40e6;
const MEMORY_FACTOR = 8;
/** Memory of a child process besides its units. */
const PROCESS_BYTES = 300e6;

/** What a layer was made into. */
export interface Dissolved {
  /** Paths of GeoPackages. The unit fids of a level, 1, 2, 3, ..., are unique across them. */
  paths: readonly string[];
  /** The fields of each level. */
  fields: MadeLevels['fields'];
  /**
   * Source fids of units that were made valid to unite them with others, ascending. Their own geometry is unchanged.
   */
  repaired: readonly number[];
  /** What was found while it was planned. */
  findings: readonly Finding[];
}

/** What a planned union costs, as a sentence. */
export function dissolveCostToText(
  plan: { sourceUnits: number; levels: readonly { units: number }[]; parts: readonly { bytes: number }[] },
  workers: number,
): string {
  const { sourceUnits, levels, parts } = plan;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const largest = Math.max(0, ...parts.map((part) => part.bytes));
  const longest = Math.max(bytes / Math.max(workers, 1), largest);
  const minutes = Math.ceil((longest / DISSOLVED_BYTES_PER_SECOND + bytes / SCANNED_BYTES_PER_SECOND) / 60);
  const memory = (PROCESS_BYTES + largest * MEMORY_FACTOR) / 1e9;
  const units = levels.reduce((sum, level) => sum + level.units, 0);
  return (
    `${sourceUnits.toLocaleString('en')} units in one layer: its ${units.toLocaleString('en')} units on ` +
    `${levels.length} level${levels.length === 1 ? '' : 's'} are made by dissolving; about ${minutes} minute${minutes === 1 ? '' : 's'}, ` +
    `up to ${memory.toFixed(1)} GB of memory for each worker`
  );
}

/**
 * Makes the levels of a layer; says first what that costs.
 * @param folder for the part files
 * @throws BuildError with file, layer and fid if the features of a unit have different parents, or GDAL or GEOS fails
 */
export async function dissolveLayer(
  source: DissolvedLayer,
  folder: string,
  accept: readonly Acceptable[],
  pool: Pool,
  report: Report,
): Promise<Dissolved> {
  const plan = await pool.run<typeof planDissolve>(TASKS.planDissolve, source);
  if (!accept.includes('disagreeing-pieces')) refuseDisagreeing(source, plan);
  report.note(`${source.path}: ${dissolveCostToText(plan, pool.size)}`);
  const { sourceUnits, levels, parts } = plan;
  report.expect('units dissolved', sourceUnits);
  const digits = String(parts.length).length;
  const written = await Promise.all(
    parts.map(async (part, i) => {
      const file = join(folder, `part-${String(i + 1).padStart(digits, '0')}.gpkg`);
      const { repaired } = await pool.run<typeof writePart>(TASKS.writePart, { source, levels, part, file });
      report.advance('units dissolved', part.fids.length);
      return { file, repaired };
    }),
  );
  return {
    paths: written.map(({ file }) => file),
    fields: levels.map(({ fields }) => fields.map((at) => elementAt(source.fields, at))),
    repaired: written.flatMap((part) => part.repaired).sort((a, b) => a - b),
    findings: plan.findings,
  };
}

/** @throws BuildError, before hours of uniting, if features with one GID are no pieces of one unit */
function refuseDisagreeing({ path, levels, columns }: DissolvedLayer, { findings, keys }: DissolvePlan): void {
  const [first] = findings;
  if (first === undefined) return;
  const column = columns[first.level] ?? '';
  const name = levelName(first.level);
  const others = levels.length > 1 ? '' : keysAdvice(keys);
  throw new BuildError(
    [`${sourceName(path)}: not united, because of the data:`, ...findings.map(findingToText)],
    `${column} is probably no code of level ${first.level}: name another column with --gid-column ${name}=COLUMN${others}; or compose it of several: --gid-column ${shellWord(`${name}=PARENT+${column}`)}; or, if they are pieces of one unit, unite them with --accept disagreeing-pieces`,
  );
}
