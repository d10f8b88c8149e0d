// A unit, those above it and those directly below, as `GET /api/v1/children` has them.
import type { Box } from '../map/geometry/box.ts';
import type { About } from './about.ts';
import { type Client, RefusalError } from './client.ts';
import { encode, inLanguage, withQuery } from './page-request.ts';
import { levelIn, type NamedUnit, typeOf, type UnitsInside } from './unit.ts';

/** A unit that others are in. */
export interface UnitAbove {
  level: number;
  gid: string;
  name: string | null;
  type: string | null;
}

export interface Tree {
  /** From the top down to the unit itself. */
  lineage: UnitAbove[];
  /** The unit as a list of its siblings has it; undefined where only units below have its GID. */
  own: NamedUnit | undefined;
  /** The nearest level below that has units of it; undefined where none has. */
  below: number | undefined;
  /** Those that were asked for, by fid. */
  units: NamedUnit[];
  /** How many there are. */
  total: number;
}

/** A unit above as the answer has it: its level is `lv1`. */
type SentParent = Omit<UnitAbove, 'level'> & { level: string };

type SentUnit = Pick<NamedUnit, 'gid' | 'name' | 'type' | 'fid' | 'children'> & {
  inside: [level: string, units: number, type: string | null][];
  view: Box | null;
  codes?: Record<string, string>;
};

interface Sent {
  unit: SentParent & (SentUnit | { fid: null });
  parents: SentParent[];
  level: string | null;
  children: SentUnit[];
}

/** Units of a page of the service. */
const PAGE_MAX = 1000;

/**
 * @param most how many of the units below are asked for
 * @param onUnit is told the unit as soon as it is known: its units below may be on several pages
 * @returns undefined where the release has no such unit
 * @throws RefusalError
 */
export async function readTree(
  { client, about }: { client: Client; about: About },
  { level, gid }: Pick<UnitAbove, 'level' | 'gid'>,
  most: number,
  signal: AbortSignal,
  onUnit: (unit: Pick<Tree, 'lineage' | 'own'>) => void = () => {},
): Promise<Tree | undefined> {
  const query = [`gid=${encode(gid)}`, `level=lv${level}`, ...inLanguage(about)];
  if (most < PAGE_MAX) query.push(`page-size=${most}`);
  try {
    const { json, matched, next } = await client.json(client.urlOf(withQuery('children', query)), signal);
    const { unit, parents, level: below, children } = json as Sent;
    const lineage = [...parents, unit].map(({ gid, name, type, level }) => ({
      gid,
      name,
      type,
      level: levelIn(level),
    }));
    const own = unit.fid === null ? undefined : toRow(unit, level, lineage.at(-2));
    onUnit({ lineage, own });
    for (let url = next; url !== undefined && children.length < most; ) {
      const more = await client.json(url, signal);
      children.push(...(more.json as Sent).children);
      url = more.next;
    }
    const number = below === null ? undefined : levelIn(below);
    const units = children.map((child) => toRow(child, number ?? level, { level, gid }));
    return { lineage, own, below: number, units, total: matched };
  } catch (error) {
    if (error instanceof RefusalError && error.code === 'unknown-gid') return undefined;
    throw error;
  }
}

function toRow(sent: SentUnit, level: number, parent: Pick<UnitAbove, 'level' | 'gid'> | undefined): NamedUnit {
  const { gid, name, type, fid, children, view, codes = {} } = sent;
  const inside = sent.inside.map(([deeper, units, commonest]): UnitsInside => [levelIn(deeper), units, commonest]);
  const own = { level, fid, gid, name, type: typeOf(type), children, view: view ?? undefined, inside, codes };
  return { ...own, parent: parent?.gid ?? null, ...(parent && { parentLevel: parent.level }) };
}
