// Describes the source of a command. A single layer that holds units of all levels is split into levels first.
import { mkdirSync } from 'node:fs';
import { Findings } from './quality/findings.ts';
import type { Report } from './report/progress.ts';
import { splitSingleLayer } from './single-layer/split-single-layer.ts';
import type { DatasetDescription, describeDataset } from './source/level-sources.ts';
import { type SourceOptions, sourceName } from './source/source-options.ts';
import type { Pool } from './workers/pool.ts';
import { TASKS } from './workers/tasks.ts';

/** Describes a source. @throws BuildError as `describeDataset` does */
export function describeSource(options: SourceOptions, pool: Pool): Promise<DatasetDescription> {
  return pool.run<typeof describeDataset>(TASKS.describeDataset, options);
}

/**
 * Splits the single layer of a source into levels, if it has one.
 * @param folder for the levels; the caller removes it when the source has been read
 * @returns the description of the levels
 */
export async function splitIntoLevels(
  described: DatasetDescription,
  options: SourceOptions,
  folder: string,
  { pool, report }: { pool: Pool; report: Report },
): Promise<DatasetDescription> {
  const { singleLayer } = described;
  if (singleLayer === undefined) return described;
  mkdirSync(folder, { recursive: true });
  const { paths, repaired } = await splitSingleLayer(singleLayer, folder, pool, report);
  const { levels, columns, nameColumns, typeColumns } = options;
  const split = await describeSource({ source: paths, levels, columns, nameColumns, typeColumns }, pool);
  const { attribution, credits, systemFiles } = described;
  const [first] = split.levels;
  const findings = new Findings(first?.level ?? 0);
  findings.add(
    'repaired-geometries',
    `${sourceName(singleLayer.path)}: layer ${singleLayer.layer}, fid ${repaired[0]}`,
    repaired.length,
  );
  return { ...split, attribution, credits, systemFiles, findings: findings.list() };
}
