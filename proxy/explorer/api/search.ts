// Units by name or GID: asks the service.
import type { About } from './about.ts';
import type { Client, Unit } from './client.ts';
import { encode } from './page-request.ts';
import { gidsOf, type LevelColumns, type NamedUnit } from './unit.ts';
import { readUnits, type UnitOfLevel } from './units.ts';

export type Names = { find: (level: number, gid: string) => Promise<NamedUnit | undefined> };

/** A unit that a search found, with the names of the units it is in, from the top. */
export type Found = NamedUnit & { path: string };

interface Asked {
  text: string;
  levels: number[];
  /** Only units of this one. */
  within: { level: number; gid: string } | undefined;
}

/** Units that are asked for. */
const LIMIT = 20;
/** Characters of a name that the service takes. */
const TEXT_MAX = 100;
/**
 * @returns how many units match, and the best of them
 * @throws RefusalError
 */
export async function searchUnits(
  { text, levels, within }: Asked,
  { client, names, about }: { client: Client; names: Names; about: About },
  signal: AbortSignal,
): Promise<{ found: number; results: Found[] }> {
  const q = [...text].slice(0, TEXT_MAX).join('');
  const level = levels.filter((number) => within === undefined || number > within.level).map((number) => `lv${number}`);
  // The service refuses what has neither letter nor digit.
  if (level.length === 0 || !/[\p{L}\p{N}]/u.test(q)) return { found: 0, results: [] };
  const inside = within === undefined ? [] : [`gid-${within.level}=${encode(within.gid)}`];
  const query = [`q=${encode(q)}`, `limit=${LIMIT}`, `level=${level.join()}`, ...inside];
  const { matched, units } = await readUnits(`search?${query.join('&')}`, client, about.levels, signal);
  const results = await Promise.all(units.map((unit) => toFound(unit, about.levels, names)));
  signal.throwIfAborted();
  return { found: matched, results };
}

async function toFound(
  { feature, columns, row }: UnitOfLevel,
  levels: readonly LevelColumns[],
  names: Names,
): Promise<Found> {
  const above = gidsOf(feature, columns)
    .slice(0, row.level)
    .map(async (gid, n) => {
      if (gid === undefined) return [];
      const own = nameOf(feature, columns, levels[n]);
      return [own ?? (await names.find(n, gid))?.name ?? gid];
    });
  return { ...row, path: (await Promise.all(above)).flat().join(' › ') };
}

/**
 * The name of a unit above, from the columns of this one: where both name the GID of that level alike, as GADM and OCHA
 * do, they name its name alike.
 */
function nameOf({ properties }: Unit, own: LevelColumns, above: LevelColumns | undefined) {
  if (above === undefined || above.nameColumn === own.nameColumn) return undefined;
  if (own.gidColumns[above.level] !== above.gidColumns[above.level]) return undefined;
  const name = properties[above.nameColumn];
  return typeof name === 'string' && name !== '' ? name : undefined;
}
