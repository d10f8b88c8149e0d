// Units of several levels in one answer, as `at` and `search` send them.
import type { Client, Unit } from './client.ts';
import { type LevelColumns, levelIn, type NamedUnit, unitToRow } from './unit.ts';

/** As a row. */
export interface UnitOfLevel {
  row: NamedUnit;
  /** Names of the units above, from the top, where the answer has them. */
  parents: readonly string[];
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
  const { json, matched } = await client.json(client.urlOf(path), signal);
  const { features, levels, parents } = json as { features: Unit[]; levels: string[]; parents?: string[][] };
  const units = features.map((feature, i) => {
    const columns = columnsOf[levelIn(levels[i] ?? '')];
    if (columns === undefined) throw new RangeError(`level ${levels[i]} has no columns`);
    return { row: unitToRow(feature, columns), parents: parents?.[i] ?? [] };
  });
  return { matched, units };
}
