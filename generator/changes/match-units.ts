// Which units became which, from the shares of area that they have in common: groups, classes and rows of changes.
// Pure.
import type { ChangeClass, ChangeRow } from '../../format/changes.ts';
import { elementAt } from '../../format/element-at.ts';
import { DisjointSets } from '../rings/disjoint-sets.ts';

/** A unit of one release: all that has its GID. */
export interface MatchedUnit {
  gid: string;
  name: string;
}

/** Two units, by their numbers in the lists of both releases, and the area that they have in common. */
export interface Link {
  from: number;
  to: number;
  /** As a share of each, 0 to 1. */
  shareOfFrom: number;
  shareOfTo: number;
}

/** What units that stayed the same have of units that are gone. */
export interface Taken {
  takers: readonly MatchedUnit[];
  /** `to` is the number of a taker; is the part wider than a source may have moved borders? */
  parts: readonly (Link & { isWide: boolean })[];
}

/** A row but for its level. */
export type MatchedRow = Omit<ChangeRow, 'level'>;

/** From which share of both on two shapes are the same. */
export const SAME = 0.98;
/** What two units have in common below this share of both is left out. */
const LEAST_SHARE = 0.001;
/** A smaller part of a unit that is gone makes no successor of a unit that stayed, unless it is the largest part. */
const LEAST_TAKEN = 0.05;

/**
 * The rows of units that are not the same in both releases, in the order of the old units, then of the new ones.
 * @param links the pairs that have area in common
 * @param taken by units that stayed, which are not among these
 * @param wentOn GIDs of units that stayed the same and are not among these
 */
export function matchUnits(
  from: readonly MatchedUnit[],
  to: readonly MatchedUnit[],
  links: readonly Link[],
  taken: Taken,
  wentOn: ReadonlySet<string | null>,
): MatchedRow[] {
  const recoded = sameShapes(links, (link) => gidOf(from, link.from) !== gidOf(to, link.to));
  const [oldOnes, newOnes] = [new Set(recoded.map((link) => link.from)), new Set(recoded.map((link) => link.to))];
  const left = links.filter((link) => !oldOnes.has(link.from) && !newOnes.has(link.to) && isMore(link));
  const open = taken.parts.filter((part) => !oldOnes.has(part.from) && isMore(part));
  const parts = partsThatCount(open, left).map((part) => ({ ...part, to: to.length + part.to }));
  const [partsOf, linksOf] = [countByUnit(parts), countByUnit(left)];
  const follows = (link: Link): boolean => gidOf(from, link.from) === gidOf(to, link.to);
  const went = new Set<string | null>([...wentOn, ...left.filter(follows).map((link) => gidOf(from, link.from))]);
  // What two units exchanged that both went on makes no group of them.
  const makesGroup = (link: Link): boolean =>
    follows(link) || !(went.has(gidOf(from, link.from)) && went.has(gidOf(to, link.to)));
  const groups = newGroups(from.length, to.length, left.filter(makesGroup));
  const classOf = (link: Link): ChangeClass => {
    const partCount = partsOf.get(link.from) ?? 0;
    // A unit that stayed is in no group.
    if (link.to >= to.length) return partCount === 1 && !linksOf.has(link.from) ? 'merged' : 'split';
    if (!makesGroup(link)) return 'redrawn';
    const [before, after] = groups.sizesAt(link.from);
    if (after === 1 && before > 1) return 'merged';
    if (before === 1 && after + partCount > 1) return 'split';
    if (before > 1) return 'regrouped';
    return follows(link) ? 'redrawn' : 'recoded';
  };
  const rows = [
    ...recoded.map((link) => ({ link, class: 'recoded' as const })),
    ...withinWhole([...left, ...parts]).map((link) => ({ link, class: classOf(link) })),
  ].sort((a, b) => a.link.from - b.link.from || a.link.to - b.link.to);
  const [seen, reached] = [new Set(rows.map(({ link }) => link.from)), new Set(rows.map(({ link }) => link.to))];
  const alone = { shareOfFrom: 0, shareOfTo: 0 };
  const gone = [...from.keys()].filter((i) => !seen.has(i));
  const added = [...to.keys()].filter((i) => !reached.has(i));
  return [
    ...[...rows, ...gone.map((i) => ({ link: { ...alone, from: i, to: -1 }, class: 'gone' as const }))].sort(
      (a, b) => a.link.from - b.link.from,
    ),
    ...added.map((i) => ({ link: { ...alone, from: -1, to: i }, class: 'new' as const })),
  ].map(({ link, class: own }) => rowOf(from[link.from], to[link.to] ?? taken.takers[link.to - to.length], own, link));
}

/** Has a link more than what is left out? */
function isMore({ shareOfFrom, shareOfTo }: Link): boolean {
  return shareOfFrom >= LEAST_SHARE || shareOfTo >= LEAST_SHARE;
}

/** The parts that are no slivers of borders that were drawn anew; the largest of a unit always is one. */
function partsThatCount(parts: Taken['parts'], links: readonly Link[]): Taken['parts'] {
  const largest = new Map<number, number>();
  for (const { from, shareOfFrom } of [...links, ...parts])
    largest.set(from, Math.max(largest.get(from) ?? 0, shareOfFrom));
  return parts.filter(
    ({ from, shareOfFrom, isWide }) => shareOfFrom === largest.get(from) || (shareOfFrom >= LEAST_TAKEN && isWide),
  );
}

/** Of each old unit the number of its links. */
function countByUnit(links: readonly Link[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { from } of links) counts.set(from, (counts.get(from) ?? 0) + 1);
  return counts;
}

/** The row of two units of which one may be missing. */
export function rowOf(
  from: MatchedUnit | undefined,
  to: MatchedUnit | undefined,
  own: ChangeClass,
  { shareOfFrom, shareOfTo }: Pick<Link, 'shareOfFrom' | 'shareOfTo'>,
): MatchedRow {
  return {
    fromGid: from?.gid ?? '',
    fromName: from?.name ?? '',
    toGid: to?.gid ?? '',
    toName: to?.name ?? '',
    class: own,
    shareOfFrom,
    shareOfTo,
  };
}

/**
 * Links whose shares of a unit are one in all at most: where units of a release overlap, they divide what they share.
 */
function withinWhole(links: readonly Link[]): Link[] {
  const sumsBy = (unitOf: (link: Link) => number, shareOf: (link: Link) => number) => {
    const sums = new Map<number, number>();
    for (const link of links) sums.set(unitOf(link), (sums.get(unitOf(link)) ?? 0) + shareOf(link));
    return (link: Link): number => shareOf(link) / Math.max(1, sums.get(unitOf(link)) ?? 0);
  };
  const ofFrom = sumsBy(
    (link) => link.from,
    (link) => link.shareOfFrom,
  );
  const ofTo = sumsBy(
    (link) => link.to,
    (link) => link.shareOfTo,
  );
  return links.map((link) => ({ ...link, shareOfFrom: ofFrom(link), shareOfTo: ofTo(link) }));
}

/** One link at most of each unit: the best ones whose shapes are equal. */
function sameShapes(links: readonly Link[], isAsked: (link: Link) => boolean): Link[] {
  const least = (link: Link): number => Math.min(link.shareOfFrom, link.shareOfTo);
  const best = links.filter((link) => least(link) >= SAME && isAsked(link)).sort((a, b) => least(b) - least(a));
  const [oldOnes, newOnes] = [new Set<number>(), new Set<number>()];
  return best.filter((link) => {
    if (oldOnes.has(link.from) || newOnes.has(link.to)) return false;
    oldOnes.add(link.from);
    newOnes.add(link.to);
    return true;
  });
}

/** Units that links connect, one way or another. */
function newGroups(oldUnits: number, newUnits: number, links: readonly Link[]) {
  const sets = new DisjointSets(oldUnits + newUnits);
  for (const { from, to } of links) sets.join(from, oldUnits + to);
  const sizes = new Map<number, [number, number]>();
  for (let unit = 0; unit < oldUnits + newUnits; unit++) {
    const root = sets.rootOf(unit);
    const size = sizes.get(root) ?? [0, 0];
    sizes.set(root, size);
    size[unit < oldUnits ? 0 : 1]++;
  }
  return {
    /** The numbers of old and of new units in the group of an old one. */
    sizesAt: (from: number): [number, number] => sizes.get(sets.rootOf(from)) ?? [1, 0],
  };
}

function gidOf(units: readonly MatchedUnit[], unit: number): string {
  return elementAt(units, unit).gid;
}
