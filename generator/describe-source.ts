// Describes the source of a command. Levels that are made by dissolving are made first; then parents are found by place
// where the source has no columns of them.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../format/findings.ts';
import { levelName } from '../format/levels.ts';
import { dissolveLayer } from './dissolve/dissolve-layers.ts';
import { makeScratchFolder } from './files/scratch-folder.ts';
import type { ContentOptions } from './options/option-texts.ts';
import type { findParents } from './parents/find-parents.ts';
import { Findings } from './quality/findings.ts';
import type { Report } from './report/progress.ts';
import type { findOperations } from './source/crs-operations.ts';
import { featureCount, type LevelSource, type MadeLevels } from './source/level-source.ts';
import type { DatasetDescription, DescribedOptions, describeDataset } from './source/level-sources.ts';
import { type SourceOptions, sourceName } from './source/source-options.ts';
import { type Pool, runWith } from './workers/pool.ts';
import { TASKS } from './workers/tasks.ts';

/** What the preparation of levels depends on. */
export type PreparedOptions = SourceOptions & Pick<ContentOptions, 'precision' | 'accept'>;

interface PreparingContext {
  pool: Pool;
  report: Report;
}

/** Describes a source. @throws BuildError as `describeDataset` does */
export function describeSource(options: DescribedOptions, pool: Pool): Promise<DatasetDescription> {
  return pool.run<typeof describeDataset>(TASKS.describeDataset, options);
}

/** The same, with how the coordinates of its layers are brought to WGS 84, which a process of its own tells. */
export async function withOperations(described: DatasetDescription): Promise<DatasetDescription> {
  // Where an option says a CRS, it is also asked whether the units are where that is used.
  const layers = described.crs.filter(
    ({ datum, origin }) => datum === 'other' || (datum === 'projected' && origin === 'option'),
  );
  if (layers.length === 0) return described;
  const { path, remove } = makeScratchFolder('coordinates');
  try {
    const log = join(path, 'log');
    const task = { layers, log };
    const env = { CPL_LOG: log, CPL_DEBUG: 'PROJ', PROJ_DEBUG: '3' };
    const ways = await runWith<typeof findOperations>(env, TASKS.findOperations, task);
    return { ...described, crs: described.crs.map((own) => ({ ...own, way: ways[layers.indexOf(own)] })) };
  } finally {
    remove();
  }
}

/**
 * Makes the levels that are made by dissolving, and finds the parents that are to be found by place.
 * @param folder for the levels and parents; the caller removes it when the source has been read
 * @returns the description of the levels as they are to be read
 */
export async function prepareLevels(
  described: DatasetDescription,
  options: PreparedOptions,
  folder: string,
  context: PreparingContext,
): Promise<DatasetDescription> {
  mkdirSync(folder, { recursive: true });
  return nestByPlace(await dissolve(described, options, folder, context), options, folder, context);
}

/** Each level in turn: parents may have parents by place. */
async function nestByPlace(
  described: DatasetDescription,
  { precision }: PreparedOptions,
  folder: string,
  { pool, report }: PreparingContext,
): Promise<DatasetDescription> {
  const levels: LevelSource[] = [];
  const findings: Finding[] = [...described.findings];
  for (const source of described.levels) {
    const above = levels.find(({ level }) => level === source.place?.of);
    if (above === undefined) {
      levels.push(source);
      continue;
    }
    report.expect('parents found', featureCount(source));
    const file = join(folder, `${levelName(source.level)}.parents`);
    const task = { source, above, precision, file };
    findings.push(...(await pool.run<typeof findParents>(TASKS.findParents, task)));
    report.advance('parents found', featureCount(source));
    levels.push({ ...source, place: { of: above.level, file } });
  }
  return { ...described, levels, findings };
}

/** The same dataset with the levels that are made by dissolving. */
async function dissolve(
  described: DatasetDescription,
  { accept, ...options }: PreparedOptions,
  folder: string,
  { pool, report }: PreparingContext,
): Promise<DatasetDescription> {
  if (described.dissolved.length === 0) return described;
  const made: MadeLevels[] = [];
  const found: Finding[] = [];
  for (const [i, source] of described.dissolved.entries()) {
    const { path, layer, levels } = source;
    const own = join(folder, String(i));
    mkdirSync(own);
    const done = await dissolveLayer(source, own, accept, pool, report);
    made.push({ path, layer, levels, parts: done.paths, fields: done.fields });
    const findings = new Findings(levels[0] ?? source.level);
    findings.add(
      'repaired-geometries',
      `${sourceName(path)}: layer ${layer}, fid ${done.repaired[0]}`,
      done.repaired.length,
    );
    found.push(...done.findings, ...findings.list());
  }
  const { levels, findings } = await describeSource({ ...options, made }, pool);
  return { ...described, levels, findings: [...findings, ...found] };
}
