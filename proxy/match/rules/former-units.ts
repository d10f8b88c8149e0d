// Units of earlier releases: their names and GIDs, and the units that have taken their place.
import type { Level } from '../../../format/levels.ts';
import { foldedForms } from './forms.ts';
import type { LevelNames } from './level-names.ts';
import type { Scope } from './scopes.ts';

/** A change between two releases; empty texts where a unit is new, or gone. */
export interface Change {
  level: Level;
  fromGid: string;
  fromName: string;
  toGid: string;
}

/** The units of earlier releases of some levels. */
export class FormerUnits {
  readonly #levels: ReadonlyMap<Level, LevelChanges>;

  /** @param changes of all pairs of releases */
  constructor(levels: readonly LevelNames[], changes: Iterable<Change>) {
    const byLevel = new Map<Level, Change[]>(levels.map(({ level }) => [level, []]));
    for (const change of changes) byLevel.get(change.level)?.push(change);
    this.#levels = new Map(
      levels.map((names) => [names.level, new LevelChanges(names, byLevel.get(names.level) ?? [])]),
    );
  }

  /** Rule 6: the units of a scope that have taken the place of one with this former name, or this GID that is gone. */
  of(text: string, scope: Scope): { rule: 'former' | 'successor'; units: readonly number[] } | undefined {
    const changes = this.#levels.get(scope.names.level);
    for (const [rule, units] of [
      ['former', changes?.unitsNamed(text) ?? []],
      ['successor', changes?.successorsOf(text) ?? []],
    ] as const) {
      const inScope = units.filter((unit) => scope.has(unit));
      if (inScope.length > 0) return { rule, units: inScope };
    }
    return undefined;
  }
}

/** The changes of a level. */
class LevelChanges {
  /** The GIDs of the units that have taken a unit's place in the next release, by its GID, and by its folded name. */
  readonly #byGid = new Map<string, Set<string>>();
  readonly #byName = new Map<string, Set<string>>();
  /** The units that are there, by the GIDs that changes speak of. */
  readonly #positions: ReadonlyMap<string, number>;

  constructor(names: LevelNames, changes: readonly Change[]) {
    const gids = new Set<string>();
    for (const { fromGid, fromName, toGid } of changes) {
      if (toGid === '') continue;
      gids.add(fromGid).add(toGid);
      if (fromGid !== '') addTo(this.#byGid, fromGid, toGid);
      for (const form of foldedForms(fromName)) addTo(this.#byName, form, toGid);
    }
    this.#positions = gids.size === 0 ? new Map() : names.positionsOf(gids);
  }

  unitsNamed(text: string): number[] {
    return this.#follow(foldedForms(text).flatMap((form) => [...(this.#byName.get(form) ?? [])]));
  }

  /** Of a GID that the release does not have. */
  successorsOf(gid: string): number[] {
    return this.#positions.has(gid) ? [] : this.#follow([...(this.#byGid.get(gid) ?? [])]);
  }

  /** The units that are there now. */
  #follow(gids: readonly string[]): number[] {
    const seen = new Set(gids);
    const units = new Set<number>();
    for (const gid of seen) {
      const position = this.#positions.get(gid);
      if (position !== undefined) units.add(position);
      else for (const next of this.#byGid.get(gid) ?? []) seen.add(next);
    }
    return [...units];
  }
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key) ?? new Set();
  map.set(key, values.add(value));
}
