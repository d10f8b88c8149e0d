// Units by name or GID: asks the service.
import type { About } from './about.ts';
import type { Client } from './client.ts';
import { encode } from './page-request.ts';
import type { NamedUnit } from './unit.ts';
import { readUnits } from './units.ts';

/** A unit that a search found, with the names of the units it is in, from the top. */
export type Found = NamedUnit & { path: string; match: string | undefined };

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
  service: { client: Client; about: About },
  signal: AbortSignal,
): Promise<{ found: number; results: Found[] }> {
  const q = [...text].slice(0, TEXT_MAX).join('');
  const level = levels.filter((number) => within === undefined || number > within.level).map((number) => `lv${number}`);
  // The service refuses what has neither letter nor digit.
  if (level.length === 0 || !/[\p{L}\p{N}]/u.test(q)) return { found: 0, results: [] };
  const inside = within === undefined ? [] : [`gid-${within.level}=${encode(within.gid)}`];
  const query = [`q=${encode(q)}`, `limit=${LIMIT}`, `level=${level.join()}`, ...inside];
  const { matched, units } = await readUnits(`search?${query.join('&')}`, service, signal);
  return {
    found: matched,
    results: units.map(({ row, parents, match }) => ({ ...row, path: parents.join(' › '), match })),
  };
}
