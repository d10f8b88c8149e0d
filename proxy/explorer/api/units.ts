// Units of several levels in one answer, as `at` and `search` send them.
import type { Client, Unit } from './client.ts';

import { type LevelColumns, type NamedUnit, unitToRow } from './unit.ts';

/** With the columns of its level, and as a row. */
export interface UnitOfLevel {
  feature: Unit;
  columns: LevelColumns;
  row: NamedUnit;
}

/**
 * @param path under api/v1/
 * @param columnsOf each level
 * @returns how many there are, and those that were sent
 * @throws RefusalError
 */
export async function readUnits(
  path: string,
  client: Client,
  columnsOf: readonly LevelColumns[],
  signal: AbortSignal,
): Promise<{ matched: number; units: UnitOfLevel[] }> {
  const { json, matched } = await client.json(path, signal);
  const { features, levels } = json as { features: Unit[]; levels: string[] };
  const units = features.map((feature, i) => {
    const columns = columnsOf[Number(levels[i]?.slice('lv'.length))];
    if (columns === undefined) throw new RangeError(`level ${levels[i]} has no columns`);
    return { feature, columns, row: unitToRow(feature, columns) };
  });
  return { matched, units };
}
