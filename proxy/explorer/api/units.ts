// Units of several levels in one answer, as `at` and `search` send them.
import type { About } from './about.ts';
import type { Client, Unit } from './client.ts';
import { inLanguage } from './page-request.ts';
import { levelIn, type NamedUnit, unitToRow } from './unit.ts';

/** As a row. */
export interface UnitOfLevel {
  row: NamedUnit;
  /** Names of the units above, from the top, where the answer has them. */
  parents: readonly string[];
  /** How a search found it: by a `code`, for example. */
  match: string | undefined;
}

interface Sent {
  features: Unit[];
  levels: string[];
  names: (string | null)[];
  parents?: string[][];
  matches?: string[];
}

/**
 * @param path under api/v1/, with a query
 * @returns how many there are, and those that were sent
 * @throws RefusalError
 */
export async function readUnits(
  path: string,
  { client, about }: { client: Client; about: About },
  signal: AbortSignal,
): Promise<{ matched: number; units: UnitOfLevel[] }> {
  const { json, matched } = await client.json(client.urlOf([path, ...inLanguage(about)].join('&')), signal);
  const { features, levels, names, parents, matches } = json as Sent;
  const units = features.map((feature, i) => {
    const columns = about.levels[levelIn(levels[i] ?? '')];
    if (columns === undefined) throw new RangeError(`level ${levels[i]} has no columns`);
    const row = { ...unitToRow(feature, columns, about.lang), name: names[i] ?? null };
    return { row, parents: parents?.[i] ?? [], match: matches?.[i] };
  });
  return { matched, units };
}
