// Says that a list is empty, or that the release has no such unit, and what took the place of one that is gone.
import { readSuccessors } from '../api/changes.ts';
import { titleOf } from '../api/unit.ts';
import { page } from '../state/page.ts';
import { isSameListing, worldOf } from '../state/place.ts';
import { placeToHash } from '../state/place-hash.ts';
import type { Visit } from '../state/visit.ts';
import { emptyMessage, goneMessage, unknownMessage } from './messages.ts';

/** @param what is known now: the list, or that the place selects a unit that is not there */
export async function tellMissing(what: 'rows' | 'unknown', visit: Visit): Promise<void> {
  const { shown } = visit;
  const { is, total } = shown.list.value;
  const place = shown.place.value;
  const isKnown = shown.lineage.value.length > 0;
  if (what === 'unknown') {
    page.message.value = unknownMessage(place.unit ?? `fid ${place.fid}`);
    if (place.unit !== undefined) await tellSuccessors(place.level, place.unit, visit);
  } else if (is === 'there' && total === 0) {
    page.message.value = emptyMessage(place, isKnown);
    const [last] = [...place.filters].slice(-1);
    if (last !== undefined && !isKnown) await tellSuccessors(...last, visit);
  }
}

async function tellSuccessors(level: number, gid: string, { shown, client, about, signal }: Visit): Promise<void> {
  if (!about.changes) return;
  const { levels } = about;
  const place = shown.place.value;
  // What is said already is true without.
  const units = await readSuccessors(client, { level, gid }, about, signal).catch(() => []);
  const now = shown.place.value;
  if (units.length === 0 || now.unit !== place.unit || !isSameListing(now, place)) return;
  const links = units.map((unit) => {
    const own = unit.gid ?? '';
    const target = { ...worldOf(levels), level, filters: new Map([[level, own]]), unit: own };
    return { text: titleOf(unit), href: placeToHash(target, about) };
  });
  page.message.value = goneMessage(gid, links);
}
